"""A function in processes of its own: a call that crashes or hangs costs that call, nothing else.

No process is made for a call. A *server* loads what the function needs and forks a *child* that
answers call after call. If the child dies, the server forks another, which takes milliseconds. If a
call takes too long, both are replaced. Calls are sent ahead, so that a child need not wait. Where
processes cannot be forked, as on Windows, the server answers by itself, and a crash costs a start
of Python.
"""

from __future__ import annotations

import atexit
import io
import mmap
import os
import pickle
import signal
import socket
import struct
import subprocess
import sys
import warnings
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector
from time import monotonic, sleep
from typing import Any, Generic, Literal, NamedTuple, TypeVar

START_SECONDS = 120.0
"""How long a server may take to start, which does not count as time of a call."""

AHEAD = 4
"""Calls that a process is given at a time."""

_WINDOW = 64  # calls a process that may be answered before the oldest one is …
_HELD_BYTES = 64 << 20  # … and bytes of their answers
_POLL = 0.05  # seconds until a call that is on its way is asked for again
_LONGEST_WAIT = 0.2  # seconds until it is looked whether to stop
_FORKS = hasattr(os, "fork")
_CHUNK = 1 << 20
_HEADER = struct.Struct("<cIQ")  # kind, number of the call, bytes that follow
_NUMBER = struct.Struct("<I")
_DONE = 7  # exit status of a child without any more calls
_HELLO, _CALL, _ANSWER, _ERROR, _DIED = b"h", b"c", b"a", b"e", b"d"

Key = TypeVar("Key")
_Message = tuple[bytes, int, bytes]  # kind, number of the call, data


class Lost(NamedTuple):
    """Stands for the answer of a call that gave none."""

    reason: Literal["timeout", "crashed", "error"]
    """It took too long, took its process down, or raised."""

    message: str = ""
    """How the process ended (``SIGSEGV``, ``exit status 1``), if that is known, or what was
    raised."""


class Mapper(ABC):
    """Calls a function for many values."""

    is_stopped = False
    """Whether to begin nothing more; may be set at any time."""

    @abstractmethod
    def pairs(self, calls: Iterable[tuple[Key, Any] | None]) -> Iterator[tuple[Key, Any]]:
        """Yield the key of each call with the answer for its value, in order.

        The answer may be a :class:`Lost`. ``None`` among *calls* says that the next one is on its
        way. After a stop the last answers are those that were there already.
        """

    def map(self, values: Iterable[Any]) -> Iterator[Any]:
        """Yield the answer for each of *values*, in order."""
        return (answer for _, answer in self.pairs((None, value) for value in values))

    def __call__(self, value: Any) -> Any:
        """Return the function's answer, or a :class:`Lost`."""
        (answer,) = self.map([value])
        return answer


class Here(Mapper):
    """Calls a function in this process, where only what it raises can be told."""

    def __init__(self, make: Callable[..., Callable[[Any], Any]], *args: Any) -> None:
        self._function = make(*args)

    def pairs(self, calls: Iterable[tuple[Key, Any] | None]) -> Iterator[tuple[Key, Any]]:
        """Yield the key of each call with the answer for its value, in order."""
        for call in calls:
            if self.is_stopped:
                return
            if call is None:
                sleep(_POLL)
                continue
            key, value = call
            try:
                answer = self._function(value)
            except Exception as error:
                answer = Lost("error", _told(error).decode())
            yield key, answer


class Isolated(Mapper):
    """Calls a function in other processes, which are replaced when a call crashes or hangs.

    *make* is called with *args* in each process, once, and returns the function. Both are pickled:
    it must be a module's own function or class. The answers are plain values: numbers, texts,
    bytes, lists, tuples, dicts. A call may take *seconds* and a process *memory* bytes (where the
    system can limit them); beyond that the call is lost. At most *processes* run, and no more than
    there is work for. Close it, or use it in a ``with`` statement. Not for several threads at once.
    A use raises :exc:`RuntimeError` if *make* fails.

    >>> import operator
    >>> with Isolated(operator.itemgetter, 1, seconds=60) as second:
    ...     list(second.map(["ab", "", "cd"]))
    ['b', Lost(reason='error', message='IndexError: string index out of range'), 'd']
    """

    def __init__(
        self,
        make: Callable[..., Callable[[Any], Any]],
        *args: Any,
        processes: int = 1,
        seconds: float,
        memory: int | None = None,
    ) -> None:
        self._start = pickle.dumps((make, args, memory))
        self._processes, self._seconds = processes, seconds
        self._servers: list[_Server] = []
        self._numbers = count(1)  # no call has the number of an earlier one

    def __enter__(self) -> Isolated:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes."""
        while self._servers:
            self._servers.pop().close()

    def pairs(self, calls: Iterable[tuple[Key, Any] | None]) -> Iterator[tuple[Key, Any]]:
        """Yield the key of each call with the answer for its value, in order."""
        work: _Work[Key] = _Work(calls, self._numbers, _WINDOW * self._processes)
        try:
            while not self.is_stopped:
                self._hand_out(work)
                is_waiting = True
                for pair in work.in_turn():
                    is_waiting = False
                    yield pair
                if work.is_done:
                    return
                if is_waiting:
                    self._receive(work)
            yield from work.answered()
        finally:  # there may be calls whose answers nobody wants any more
            for server in [server for server in self._servers if server.calls]:
                self._servers.remove(server)
                server.close()

    # -- steps -----------------------------------------------------------------------------------

    def _hand_out(self, work: _Work[Any]) -> None:
        """Give calls to processes that have room, as long as there are both."""
        while True:
            server = min(self._servers, key=lambda each: len(each.calls), default=None)
            may_start = len(self._servers) < self._processes
            if not may_start and server is not None and len(server.calls) >= AHEAD:
                return
            call = work.take()
            if call is None:
                return
            if server is None or (server.calls and may_start):
                server = _Server(self._start)
                self._servers.append(server)
            server.give(*call)

    def _receive(self, work: _Work[Any]) -> None:
        """Wait until a process answers, dies or takes too long, or a call may have come."""
        busy = [server for server in self._servers if server.calls]
        began = monotonic()
        _wait(busy, _POLL if work.is_coming else _LONGEST_WAIT)
        waited = monotonic() - began
        for server in busy:
            server.waited += waited
            try:
                for message in server.messages():
                    self._take(server, message, work)
            except (EOFError, OSError, pickle.UnpicklingError):  # the server or a child died
                self._replace(server, "crashed", work)
            else:
                limit = self._seconds if server.is_ready else START_SECONDS
                if server.calls and server.waited >= limit:
                    self._replace(server, "timeout", work)

    def _take(self, server: _Server, message: _Message, work: _Work[Any]) -> None:
        """Take what a server has sent."""
        kind, number, data = message
        if kind == _ERROR and not server.is_ready:
            raise RuntimeError(f"the process for extraction did not start: {data.decode()}")
        if kind == _HELLO:
            server.is_ready, server.waited = True, 0.0
        elif server.calls and server.calls[0][0] == number:
            if kind == _ANSWER:
                answer = _PlainUnpickler(io.BytesIO(data)).load()
            else:
                answer = Lost("error" if kind == _ERROR else "crashed", data.decode())
            server.calls.popleft()
            server.waited = 0.0
            work.put(number, answer, len(data))

    def _replace(
        self, server: _Server, reason: Literal["timeout", "crashed"], work: _Work[Any]
    ) -> None:
        """Lose the call that a server was at; its other calls go to another one."""
        self._servers.remove(server)
        ended = server.close(_POLL if reason == "crashed" else 0.0)
        if not server.is_ready:
            raise RuntimeError(f"the process for extraction did not start: {ended or 'no answer'}")
        if server.calls:
            number, _ = server.calls.popleft()
            work.put(number, Lost(reason, ended), 0)
            work.again.extend(server.calls)


class _Work(Generic[Key]):
    """The calls of one use, and their answers until it is their turn."""

    def __init__(
        self, calls: Iterable[tuple[Key, Any] | None], numbers: Iterator[int], most: int
    ) -> None:
        self._calls, self._numbers, self._most = iter(calls), numbers, most
        self._waiting: deque[tuple[int, Key]] = deque()  # calls that were taken, in order
        self._answers: dict[int, tuple[int, Any]] = {}
        self._held = 0  # bytes of the answers
        self._is_over = False
        self.is_coming = False
        """Whether the next call is on its way."""
        self.again: deque[tuple[int, bytes]] = deque()
        """Calls of processes that have ended."""

    @property
    def is_done(self) -> bool:
        """Whether each call has its answer."""
        return self._is_over and not self._waiting

    def take(self) -> tuple[int, bytes] | None:
        """Return the next call, pickled; ``None`` if there is none now."""
        if self.again:
            return self.again.popleft()
        if self._is_over or len(self._waiting) >= self._most or self._held >= _HELD_BYTES:
            return None
        try:
            call = next(self._calls)
        except StopIteration:
            self._is_over, self.is_coming = True, False
            return None
        self.is_coming = call is None
        if call is None:
            return None
        key, value = call
        number = next(self._numbers)
        self._waiting.append((number, key))
        return number, pickle.dumps(value, 5)

    def put(self, number: int, answer: Any, size: int) -> None:
        """Keep an answer of *size* bytes until it is its turn."""
        self._answers[number] = size, answer
        self._held += size

    def in_turn(self) -> Iterator[tuple[Key, Any]]:
        """Yield the answers before which none is missing."""
        while self._waiting and self._waiting[0][0] in self._answers:
            number, key = self._waiting.popleft()
            size, answer = self._answers.pop(number)
            self._held -= size
            yield key, answer

    def answered(self) -> Iterator[tuple[Key, Any]]:
        """Yield the answers that are there, in order."""
        for number, key in self._waiting:
            if number in self._answers:
                yield key, self._answers[number][1]


class _PlainUnpickler(pickle.Unpickler):
    """Reads plain values only: who reads hostile pages must not decide what runs here."""

    def find_class(self, module: str, name: str) -> Any:
        """Refuse everything that has a name."""
        raise pickle.UnpicklingError(f"{module}.{name} is not a plain value")


_idle: dict[tuple[int, bytes], list[Isolated]] = {}


@atexit.register
def _close_idle() -> None:
    """Close the pools of this process, not those that it has from one that forked it."""
    for (owner, _), pools in _idle.items():
        while owner == os.getpid() and pools:
            pools.pop().close()


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
        yield Here(make, *args)
        return
    key = os.getpid(), pickle.dumps((make, args, seconds, memory))
    idle = _idle.setdefault(key, [])
    try:
        pool = idle.pop()
    except IndexError:
        pool = Isolated(make, *args, seconds=seconds, memory=memory)
    try:
        yield pool
    finally:
        idle.append(pool)


class _Server:
    """The near end of a server process."""

    def __init__(self, start: bytes) -> None:
        self.calls: deque[tuple[int, bytes]] = deque()
        """Number and value of each call that it was given and has not answered."""
        self.is_ready = False
        """Whether it has started."""
        self.waited = 0.0
        """Seconds for which its next answer was waited for."""
        self.socket, theirs = socket.socketpair()
        for end in (self.socket, theirs):
            for size in (socket.SO_SNDBUF, socket.SO_RCVBUF):
                end.setsockopt(socket.SOL_SOCKET, size, _CHUNK)
        with theirs:
            self._process = _started(theirs)
        self.socket.setblocking(False)
        self.unsent: deque[memoryview] = deque()
        """What its socket has not taken yet."""
        self._unread = bytearray()
        self._send(0, start)

    def give(self, number: int, value: bytes) -> None:
        """Send a call; what the socket does not take goes while answers are awaited."""
        if not self.calls and self.is_ready:
            self.waited = 0.0
        self.calls.append((number, value))
        self._send(number, value)

    def _send(self, number: int, data: bytes) -> None:
        self.unsent.append(memoryview(_HEADER.pack(_CALL, number, len(data)) + data))
        self._write()

    def _write(self) -> None:
        with suppress(OSError):  # it takes no more now; or it is dead, which is seen at reading
            while self.unsent:
                rest = self.unsent[0][self.socket.send(self.unsent[0][:_CHUNK]) :]
                if rest:
                    self.unsent[0] = rest
                else:
                    self.unsent.popleft()

    def messages(self) -> Iterator[_Message]:
        """Yield what has come, and send what waits.

        Raises :exc:`EOFError` or another :exc:`OSError` if the server is dead.
        """
        self._write()
        with suppress(BlockingIOError):
            data = self.socket.recv(_CHUNK)
            if not data:
                raise EOFError
            self._unread += data
        while len(self._unread) >= _HEADER.size:
            kind, number, size = _HEADER.unpack_from(self._unread)
            if kind not in (_HELLO, _ANSWER, _ERROR, _DIED):
                raise EOFError  # a child died while it wrote
            stop = _HEADER.size + size
            if len(self._unread) < stop:
                return
            data = bytes(self._unread[_HEADER.size : stop])
            del self._unread[:stop]
            yield kind, number, data

    def close(self, patience: float = 0.0) -> str:
        """Kill the server and its child; return how the server has ended by itself, if it has.

        One that is about to end has *patience* seconds for it.
        """
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)
        ended = self._process.returncode
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        self._process.wait()
        self.socket.close()
        return "" if ended is None else _ended(ended)


def _wait(servers: list[_Server], seconds: float) -> None:
    """Wait until there is something to read or to write."""
    if not servers:
        sleep(seconds)
        return
    with DefaultSelector() as selector:
        for server in servers:
            events = EVENT_READ | EVENT_WRITE if server.unsent else EVENT_READ
            selector.register(server.socket, events)
        selector.select(seconds)


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


# -- in the server and its child --------------------------------------------------------------


def _serve(far: socket.socket, *, forks: bool) -> None:
    """Load the function, and answer until there are no more calls, in a child where it can."""
    warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads of numpy
    try:
        make, args, memory = pickle.loads(_read_call(far)[1])
        function = make(*args)
    except BaseException as error:
        _write(far, _ERROR, 0, _told(error))
        return
    with suppress(OSError), mmap.mmap(-1, _NUMBER.size) as current:  # the call that is answered
        _write(far, _HELLO, 0, b"")
        if not forks:
            _limit(memory)
            _answer_all(function, far, current)
        while forks:
            child = os.fork()
            if not child:
                _limit(memory)
                with suppress(OSError):  # whoever has called is gone
                    _answer_all(function, far, current)
                os._exit(_DONE)
            _, status = os.waitpid(child, 0)
            code = os.waitstatus_to_exitcode(status)
            if code == _DONE:
                return
            (number,) = _NUMBER.unpack(current[:])
            _write(far, _DIED, number, _ended(code).encode())


def _ended(code: int) -> str:
    """Return how a process ended whose exit code is *code*."""
    if code >= 0:
        return f"exit status {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:  # of real time
        return f"signal {-code}"


def _limit(memory: int | None) -> None:
    if memory is not None:
        with suppress(ImportError, ValueError, OSError):  # not every system has it
            import resource

            resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))


def _answer_all(function: Callable[[Any], Any], far: socket.socket, current: mmap.mmap) -> None:
    """Answer until there are no more calls."""
    result = None
    while True:
        current[:] = _NUMBER.pack(0)
        del result  # not before it was sent: that may be what crashes
        try:
            number, data = _read_call(far)
        except EOFError:
            return
        current[:] = _NUMBER.pack(number)
        try:
            result = function(pickle.loads(data))
            kind, answer = _ANSWER, pickle.dumps(result, 5)
        except Exception as error:
            result = None
            kind, answer = _ERROR, _told(error)
        _write(far, kind, number, answer)


def _told(error: BaseException) -> bytes:
    return f"{type(error).__name__}: {error}"[:500].encode("utf-8", "replace")


def _read_call(far: socket.socket) -> tuple[int, bytes]:
    kind, number, size = _HEADER.unpack(_read(far, _HEADER.size))
    if kind != _CALL:  # a child died while it read
        raise EOFError
    return number, _read(far, size)


def _read(far: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        part = far.recv(min(size - len(data), _CHUNK))
        if not part:
            raise EOFError
        data += part
    return bytes(data)


def _write(far: socket.socket, kind: bytes, number: int, data: bytes) -> None:
    far.sendall(_HEADER.pack(kind, number, len(data)) + data)
