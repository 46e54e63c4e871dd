"""A function in processes of its own: a call that crashes or hangs costs that call, nothing else.

No process is made for a call. A *server* loads what the function needs and forks a *child* that
answers call after call. If the child dies, the server forks another, which takes milliseconds. If a
call takes too long, both are replaced. A thread for each server waits for its answers. Where
processes cannot be forked, as on Windows, the server answers by itself, and a crash costs a start
of Python.
"""

from __future__ import annotations

import atexit
import io
import mmap
import os
import pickle
import select
import signal
import socket
import struct
import subprocess
import sys
import warnings
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, suppress
from threading import Thread
from time import sleep
from typing import Any, Literal, NamedTuple, TypeVar

START_SECONDS = 120.0
"""How long a server may take to start, which does not count as time of a call."""

AHEAD = 2
"""Calls that are taken for each process, so that it need not wait for the next one."""

_WINDOW = 64  # calls a process that may be answered before the oldest one is …
_HELD_BYTES = 64 << 20  # … and bytes of their answers
_POLL = 0.05  # seconds until a call that is on its way is asked for again
_LONGEST_WAIT = 0.2  # seconds until it is looked whether to stop
_FORKS = hasattr(os, "fork")
_DONE = 7  # exit status of a child without any more calls
_MOST_STARTS = 5  # of a process that is killed from outside before it is ready
_NO_ANSWER = (EOFError, OSError, pickle.UnpicklingError)
_FROM_OUTSIDE = {"SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"}  # pages end processes otherwise
_HEADER = struct.Struct("<cIQ")  # kind, number of the call, bytes that follow
_NUMBER = struct.Struct("<I")
_IDLE, _WITHIN = 0, 2**32 - 1  # in place of a number: no call, and one that is read or answered
_CALL, _PART, _ANSWER, _ERROR, _DIED = b"c", b"p", b"a", b"e", b"d"
_OVER = object()  # in place of a call: there are no more

Key = TypeVar("Key")


class Failure(NamedTuple):
    """Stands for the answer of a call that gave none."""

    reason: Literal["timeout", "crashed", "error"]
    """It took too long, took its process down, or raised."""

    message: str = ""
    """How the process ended (``SIGSEGV``, ``exit status 1``), if that is known, or what was
    raised."""

    @property
    def as_reason(self) -> str:
        """What the row of a page says."""
        return f"{self.reason}: {self.message}" if self.message else self.reason


class Mapper(ABC):
    """Calls a function for many values."""

    @abstractmethod
    def pairs(self, calls: Iterable[tuple[Key, Any] | None]) -> Iterator[tuple[Key, Any]]:
        """Yield the key of each call with the answer for its value, in order.

        The answer may be a :class:`Failure`. ``None`` among *calls* says that the next one is on
        its way.
        """

    def map(self, values: Iterable[Any]) -> Iterator[Any]:
        """Yield the answer for each of *values*, in order."""
        return (answer for _, answer in self.pairs((None, value) for value in values))

    def __call__(self, value: Any) -> Any:
        """Return the function's answer, or a :class:`Failure`."""
        (answer,) = self.map([value])
        return answer


class InProcess(Mapper):
    """Calls a function in this process, where only what it raises can be told."""

    def __init__(self, make: Callable[..., Callable[[Any], Any]], *args: Any) -> None:
        self._function = make(*args)

    def pairs(self, calls: Iterable[tuple[Key, Any] | None]) -> Iterator[tuple[Key, Any]]:
        """Yield the key of each call with the answer for its value, in order."""
        for call in calls:
            if call is None:
                sleep(_POLL)
                continue
            key, value = call
            try:
                answer = self._function(value)
            except Exception as error:
                answer = Failure("error", _told(error).decode())
            yield key, answer


class Isolated(Mapper):
    """Calls a function in other processes, which are replaced when a call crashes or hangs.

    *make* is called with *args* in each process, once, and returns the function. Both are pickled:
    it must be a module's own function or class. The answers are plain values: numbers, texts,
    bytes, lists, tuples, dicts. A call may take *seconds* and a process *memory* bytes (where the
    system can limit them); beyond that the call is lost. A call whose process was killed from
    outside is made once more. At most *processes* run (``None``: one for each processor), and no
    more than there is work for. If the function returns an iterator, *on_part* gets what it yields,
    in another thread, and the answer is ``None``. Close it, or use it in a ``with`` statement. Not
    for several threads at once. A use raises :exc:`RuntimeError` if *make* fails.

    >>> import operator
    >>> with Isolated(operator.itemgetter, 1, seconds=60) as second:
    ...     list(second.map(["ab", "", "cd"]))
    ['b', Failure(reason='error', message='IndexError: string index out of range'), 'd']
    """

    is_stopped = False
    """Whether to begin nothing more; may be set at any time. Then the last answers are those that
    were there already."""

    def __init__(
        self,
        make: Callable[..., Callable[[Any], Any]],
        *args: Any,
        processes: int | None = 1,
        seconds: float | None,
        memory: int | None = None,
        on_part: Callable[[Any], object] = id,
    ) -> None:
        self._start = pickle.dumps((make, args, memory))
        processes = processes or os.cpu_count() or 1
        self._processes, self._seconds, self._on_part = processes, seconds, on_part
        self._servers: list[_Server] = []
        self._idle: list[_Server] = []
        self._threads = ThreadPoolExecutor(processes)

    def __enter__(self) -> Isolated:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes."""
        self._end(self._servers)
        self._threads.shutdown()

    def pairs(self, calls: Iterable[tuple[Key, Any] | None]) -> Iterator[tuple[Key, Any]]:
        """Yield the key of each call with the answer for its value, in order."""
        waiting: deque[tuple[Key, Future[tuple[Any, int]]]] = deque()
        coming, is_over = iter(calls), False
        self._is_given_up = False
        try:
            while not (is_over and not waiting) and not self.is_stopped:
                call = next(coming, _OVER) if self._has_room(waiting) else None
                is_over |= call is _OVER
                if isinstance(call, tuple):
                    waiting.append((call[0], self._threads.submit(self._call, call[1])))
                elif waiting and not waiting[0][1].done():
                    missing = [answer for _, answer in waiting if not answer.done()]
                    wait(missing, _LONGEST_WAIT if is_over else _POLL, FIRST_COMPLETED)
                elif not (waiting or is_over):
                    sleep(_POLL)
                while waiting and waiting[0][1].done() and not self.is_stopped:
                    key, answer = waiting.popleft()
                    yield key, answer.result()[0]
            for key, answer in waiting:
                if answer.done():
                    yield key, answer.result()[0]
        finally:  # there may be calls whose answers nobody wants any more
            self._give_up([answer for _, answer in waiting])

    def _has_room(self, waiting: deque[tuple[Key, Future[tuple[Any, int]]]]) -> bool:
        """Return whether to take another call now."""
        done = [answer for _, answer in waiting if answer.done()]
        if len(waiting) - len(done) >= AHEAD * self._processes:
            return False
        held = sum(answer.result()[1] for answer in done if answer.exception() is None)
        return len(waiting) < _WINDOW * self._processes and held < _HELD_BYTES

    def _give_up(self, answers: list[Future[tuple[Any, int]]]) -> None:
        busy = [answer for answer in answers if not answer.cancel() and not answer.done()]
        if busy:
            self._is_given_up = True
            self._end([server for server in self._servers if server not in self._idle])
            wait(answers)

    def _end(self, servers: list[_Server]) -> None:
        for server in list(servers):
            self._servers.remove(server)
            server.kill()

    # -- in a thread -------------------------------------------------------------------------------

    def _call(self, value: Any) -> tuple[Any, int]:
        """Return the answer for a value, and how many bytes it has."""
        data = pickle.dumps(value, 5)
        answer, size = self._tried(data)
        is_crash = isinstance(answer, Failure) and answer.reason == "crashed"
        if is_crash and answer.message in _FROM_OUTSIDE and not self._is_given_up:
            answer, size = self._tried(data)
        return answer, size

    def _tried(self, data: bytes) -> tuple[Any, int]:
        server = self._ready()
        try:
            answer, size = server.ask(data, self._seconds, self._on_part)
        except _NO_ANSWER as error:
            is_late = isinstance(error, TimeoutError)
            ended = self._drop(server, 0.0 if is_late else _POLL)
            return Failure("timeout" if is_late else "crashed", "" if is_late else ended), 0
        self._idle.append(server)
        return answer, size

    def _ready(self) -> _Server:
        """Return a process that has loaded the function; start one if none is idle."""
        with suppress(IndexError):
            return self._idle.pop()
        for starts_left in reversed(range(_MOST_STARTS)):
            server = _Server(self._start)
            self._servers.append(server)
            try:
                server.start()
            except _NO_ANSWER as error:
                ended = self._drop(server, _POLL)
                if ended not in _FROM_OUTSIDE or self._is_given_up or not starts_left:
                    raise RuntimeError(_NOT_STARTED.format(ended or "no answer")) from error
            else:
                break
        return server

    def _drop(self, server: _Server, patience: float) -> str:
        """Kill a process; return how it has ended by itself, if it has."""
        ended = server.kill(patience)
        if server in self._servers:
            self._servers.remove(server)
        return ended


_NOT_STARTED = "the process for extraction did not start: {}"


class _PlainUnpickler(pickle.Unpickler):
    """Reads plain values only: who reads hostile pages must not decide what runs here."""

    def find_class(self, module: str, name: str) -> Any:
        """Refuse everything that has a name."""
        raise pickle.UnpicklingError(f"{module}.{name} is not a plain value")


_kept: dict[tuple[int, bytes], list[Isolated]] = {}


@atexit.register
def _close_kept() -> None:
    """Close the pools of this process, not those that it has from one that forked it."""
    for (owner, _), pools in _kept.items():
        while owner == os.getpid() and pools:
            pools.pop().close()


LendPool = Callable[[], AbstractContextManager[Mapper]]
"""A :func:`kept_pool` with its arguments."""


def can_be_sent(value: object) -> bool:
    """Return whether a process of its own can get a value, such as a function of a module."""
    try:
        pickle.dumps(value)
    except (AttributeError, TypeError, pickle.PicklingError):
        return False
    return True


@contextmanager
def kept_pool(
    make: Callable[..., Callable[[Any], Any]],
    *args: Any,
    isolate: bool,
    seconds: float,
    memory: int | None,
) -> Iterator[Mapper]:
    """Lend a process, which is kept for the next time that the same one is wanted.

    So batch after batch does not start a process each. It ends with this process. Without *isolate*
    the function is called here.
    """
    if not isolate:
        yield InProcess(make, *args)
        return
    key = os.getpid(), pickle.dumps((make, args, seconds, memory))
    idle = _kept.setdefault(key, [])
    try:
        pool = idle.pop()
    except IndexError:
        pool = Isolated(make, *args, seconds=seconds, memory=memory)
    yield pool
    idle.append(pool)


class _Server:
    """A process that loads a function and answers calls, one after the other."""

    def __init__(self, start: bytes) -> None:
        self._start = start
        self._process: subprocess.Popen[bytes] | None = None
        self._number = 0  # of the last call

    def start(self) -> None:
        """Start the process and wait until it is ready."""
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._process = _started(theirs)
        self._file = self._socket.makefile("rwb")
        self._socket.settimeout(START_SECONDS)
        _send(self._file, _CALL, 0, self._start)
        kind, _, message = _receive(self._file)
        if kind == _ERROR:
            raise RuntimeError(_NOT_STARTED.format(message.decode()))

    def ask(
        self, data: bytes, seconds: float | None, on_part: Callable[[Any], object]
    ) -> tuple[Any, int]:
        """Return the answer for a pickled value and its bytes.

        Raises :exc:`TimeoutError`, :exc:`EOFError` or another :exc:`OSError` if there is none.
        """
        self._socket.settimeout(seconds)
        self._number += 1
        with suppress(BrokenPipeError, ConnectionResetError):  # which is seen at reading
            _send(self._file, _CALL, self._number, data)
        number, kind = 0, _PART
        while number != self._number or kind == _PART:  # others: of children that ended after one
            kind, number, data = _receive(self._file)
            if kind == _PART:
                on_part(_PlainUnpickler(io.BytesIO(data)).load())
        if kind == _ANSWER:
            return _PlainUnpickler(io.BytesIO(data)).load(), len(data)
        if kind not in (_ERROR, _DIED):
            raise EOFError  # a child died while it wrote
        return Failure("error" if kind == _ERROR else "crashed", data.decode()), len(data)

    def kill(self, patience: float = 0.0) -> str:
        """Kill the server and its child; return how the server has ended by itself, if it has.

        One that is about to end has *patience* seconds for it.
        """
        if self._process is None:
            return ""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)
        ended = self._process.returncode
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        self._process.wait()
        with suppress(OSError):
            self._file.close()
        self._socket.close()
        return "" if ended is None else _ended(ended)


def _started(theirs: socket.socket) -> subprocess.Popen[bytes]:
    """Start a server at the other end of a socket, in a group of its own, away from Ctrl-C."""
    more: dict[str, Any] = {"stdin": subprocess.DEVNULL}
    if os.name == "nt":
        end = "socket.fromshare(sys.stdin.buffer.read())"
        more = {"stdin": subprocess.PIPE, "creationflags": 0x200}  # CREATE_NEW_PROCESS_GROUP
    else:
        end = f"socket.socket(fileno={theirs.fileno()})"
        more |= {"pass_fds": [theirs.fileno()], "start_new_session": True}
    command = f"import socket, sys; from {__name__} import _serve; _serve({end}, forks={_FORKS})"
    process = subprocess.Popen(
        [sys.executable, "-c", command],
        stdout=sys.stderr.fileno() if _has_file(sys.stderr) else subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        **more,
    )
    if process.stdin is not None:
        with process.stdin:
            process.stdin.write(theirs.share(process.pid))  # type: ignore[attr-defined]
    return process


def _has_file(stream: Any) -> bool:
    try:
        return bool(stream.fileno() >= 0)
    except (AttributeError, OSError, ValueError):
        return False


def _send(file: io.BufferedRWPair, kind: bytes, number: int, data: bytes) -> None:
    file.write(_HEADER.pack(kind, number, len(data)))
    file.write(data)
    file.flush()


def _receive(file: io.BufferedRWPair) -> tuple[bytes, int, bytes]:
    kind, number, size = _HEADER.unpack(_read(file, _HEADER.size))
    return kind, number, _read(file, size)


def _read(file: io.BufferedRWPair, size: int) -> bytes:
    data = file.read(size)
    if len(data) < size:
        raise EOFError
    return data


# -- in the server and its child --------------------------------------------------------------


def _serve(far: socket.socket, *, forks: bool) -> None:
    """Load the function, and answer until there are no more calls, in a child where it can."""
    warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads of numpy
    file = far.makefile("rwb")
    try:
        make, args, memory = pickle.loads(_receive(file)[2])
        function = make(*args)
    except BaseException as error:
        _send(file, _ERROR, 0, _told(error))
        return
    if forks:
        Thread(target=_end_when_left, args=(far,), daemon=True).start()
    with suppress(OSError), mmap.mmap(-1, _NUMBER.size) as current:  # the call that is answered
        _send(file, _ANSWER, 0, b"")
        while forks:
            child = os.fork()
            if not child:
                with suppress(OSError):  # whoever has called is gone
                    _answer_all(function, far, file, memory, current)
                os._exit(_DONE)
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            if code == _DONE:
                return
            (number,) = _NUMBER.unpack(current[:])
            if number == _WITHIN:  # half of a message is lost, so that none after it can be read
                os.kill(os.getpid(), signal.SIGKILL)
            _send(file, _DIED, number, _ended(code).encode())
        _answer_all(function, far, file, memory, current)


def _end_when_left(far: socket.socket) -> None:
    """End this server and its child when the process is gone that asks: the child may hang."""
    gone = select.poll()
    gone.register(far, select.POLLHUP)
    gone.poll()
    os.killpg(0, signal.SIGKILL)  # the server has a group of its own


def _ended(code: int) -> str:
    """Return how a process ended whose exit code is *code*."""
    if code >= 0:
        return f"exit status {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:  # of real time
        return f"signal {-code}"


def _answer_all(
    function: Callable[[Any], Any],
    far: socket.socket,
    file: io.BufferedRWPair,
    memory: int | None,
    current: mmap.mmap,
) -> None:
    """Answer until there are no more calls."""
    if memory is not None:
        with suppress(ImportError, ValueError, OSError):  # not every system has it
            import resource

            resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    result = None
    while True:
        current[:] = _NUMBER.pack(_IDLE)
        del result  # not before it was sent: that may be what crashes
        far.recv(1, socket.MSG_PEEK)  # waits
        current[:] = _NUMBER.pack(_WITHIN)
        try:
            _, number, data = _receive(file)
        except EOFError:
            return
        current[:] = _NUMBER.pack(number)
        try:
            result = function(pickle.loads(data))
            if isinstance(result, Iterator):
                for part in result:
                    current[:] = _NUMBER.pack(_WITHIN)
                    _send(file, _PART, number, pickle.dumps(part, 5))
                    current[:] = _NUMBER.pack(number)
                result = None
            kind, answer = _ANSWER, pickle.dumps(result, 5)
        except Exception as error:
            result = None
            kind, answer = _ERROR, _told(error)
        current[:] = _NUMBER.pack(_WITHIN)
        _send(file, kind, number, answer)


def _told(error: BaseException) -> bytes:
    return f"{type(error).__name__}: {error}"[:500].encode("utf-8", "replace")
