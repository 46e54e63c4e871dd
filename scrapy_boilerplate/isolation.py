"""A function in a process of its own: a call that crashes or hangs costs that call, nothing else.

No process is made for a call. One *server* loads what the function needs and forks a *child* that
answers call after call. If the child dies, the server forks another, which takes milliseconds. If a
call takes too long, both are replaced. Calls are sent ahead, so that the child never waits.
"""

from __future__ import annotations

import fcntl
import io
import mmap
import os
import pickle
import resource
import select
import signal
import struct
import subprocess
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import islice
from queue import SimpleQueue
from time import monotonic
from typing import Any, Literal, NamedTuple, Protocol

__all__ = ["Here", "Isolated", "IsolatedPool", "Lost", "Mapper", "kept_pool"]

START_SECONDS = 120.0
"""How long a server may take to start, which does not count as time of a call."""

AHEAD = 2
"""Calls that are sent before the first of them is answered."""

_PART, _PART_BYTES = 16, 2 << 20  # calls that go to one of several processes at once
_CHUNK = 1 << 20
_HEADER = struct.Struct("<cIQ")  # kind, number of the call, bytes that follow
_NUMBER = struct.Struct("<I")
_DONE = 7  # exit status of a child without any more calls
_HELLO, _CALL, _ANSWER, _ERROR, _DIED = b"h", b"c", b"a", b"e", b"d"


class Lost(NamedTuple):
    """Stands for the answer of a call that gave none."""

    reason: Literal["timeout", "crashed", "error"]
    """It took too long, took its process down, or raised."""

    message: str = ""
    """What it raised."""


class Mapper(Protocol):
    """Calls a function for many values."""

    def map(self, values: Iterable[Any]) -> Iterator[Any]:
        """Yield the function's answer for each of *values* in order, or a :class:`Lost`."""


class Here:
    """Calls a function in this process, where only what it raises can be told."""

    def __init__(self, make: Callable[..., Callable[[Any], Any]], *args: Any) -> None:
        self._function = make(*args)

    def map(self, values: Iterable[Any]) -> Iterator[Any]:
        """Yield the function's answer for each of *values* in order, or a :class:`Lost`."""
        for value in values:
            try:
                answer = self._function(value)
            except Exception as error:
                answer = Lost("error", _told(error).decode())
            yield answer


class Isolated:
    """Calls a function in another process, which is replaced when a call crashes or hangs.

    *make* is called with *args* in that process, once, and returns the function. Both are pickled:
    it must be a module's own function or class. The answers are plain values: numbers, texts,
    bytes, lists, tuples, dicts. A call may take *seconds* and the process *memory*
    bytes (where the system can limit them); beyond that the call is lost. Close it, or use it in a
    ``with`` statement. Not for several threads at once. Raises :exc:`RuntimeError` if *make* fails.

    >>> import operator
    >>> with Isolated(operator.itemgetter, 1, seconds=60) as second:
    ...     list(second.map(["ab", "", "cd"]))
    ['b', Lost(reason='error', message='IndexError: string index out of range'), 'd']
    """

    def __init__(
        self,
        make: Callable[..., Callable[[Any], Any]],
        *args: Any,
        seconds: float,
        memory: int | None = None,
    ) -> None:
        self._start = pickle.dumps((make, args, memory))
        self._seconds = seconds
        self._server: _Server | None = None
        self._number = 0  # of the last call

    def __enter__(self) -> Isolated:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def map(self, values: Iterable[Any]) -> Iterator[Any]:
        """Yield the function's answer for each of *values* in order, or a :class:`Lost`."""
        return self._map(pickle.dumps(value, 5) for value in values)

    def _map(self, values: Iterator[bytes]) -> Iterator[Any]:
        waiting: deque[tuple[int, bytes]] = deque()
        try:
            while True:
                for value in islice(values, AHEAD - len(waiting)):
                    self._number += 1
                    waiting.append((self._number, value))
                    self._running().send(*waiting[-1])
                if not waiting:
                    return
                yield self._answer(waiting)
        finally:
            if waiting:  # whose answers nobody wants any more
                self.close()

    def __call__(self, value: Any) -> Any:
        """Return the function's answer, or a :class:`Lost`."""
        (answer,) = self.map([value])
        return answer

    def _answer(self, waiting: deque[tuple[int, bytes]]) -> Any:
        """Return the answer of the first call that waits."""
        number, _ = waiting.popleft()
        try:
            kind, data = self._running().answer(number, self._seconds)
            if kind == _ANSWER:
                return _PlainUnpickler(io.BytesIO(data)).load()
        except TimeoutError:
            return self._replaced(Lost("timeout"), waiting)
        except (EOFError, OSError, pickle.UnpicklingError):  # the server or a child died
            return self._replaced(Lost("crashed"), waiting)
        return Lost("error", data.decode()) if kind == _ERROR else Lost("crashed")

    def _replaced(self, lost: Lost, waiting: Iterable[tuple[int, bytes]]) -> Lost:
        """Replace the server, and send it the calls that still wait."""
        self.close()
        for call in waiting:
            self._running().send(*call)
        return lost

    def _running(self) -> _Server:
        if self._server is None:
            self._server = _Server(self._start)
        return self._server

    def close(self) -> None:
        """End the process."""
        if self._server is not None:
            self._server.close()
            self._server = None


class _PlainUnpickler(pickle.Unpickler):
    """Reads plain values only: who reads hostile pages must not decide what runs here."""

    def find_class(self, module: str, name: str) -> Any:
        """Refuse everything that has a name."""
        raise pickle.UnpicklingError(f"{module}.{name} is not a plain value")


class IsolatedPool:
    """Several :class:`Isolated` that share the work; answers come in order all the same."""

    def __init__(
        self,
        make: Callable[..., Callable[[Any], Any]],
        *args: Any,
        processes: int,
        seconds: float,
        memory: int | None = None,
    ) -> None:
        self._all = [
            Isolated(make, *args, seconds=seconds, memory=memory) for _ in range(processes)
        ]

    def map(self, values: Iterable[Any]) -> Iterator[Any]:
        """Yield the function's answer for each of *values* in order, or a :class:`Lost`."""
        if len(self._all) == 1:
            yield from self._all[0].map(values)
            return
        idle: SimpleQueue[Isolated] = SimpleQueue()
        for isolated in self._all:
            idle.put(isolated)

        def work(part: list[bytes]) -> list[Any]:
            isolated = idle.get()
            try:
                return list(isolated._map(iter(part)))
            finally:
                idle.put(isolated)

        waiting: deque[Future[list[Any]]] = deque()
        with ThreadPoolExecutor(len(self._all)) as pool:
            for part in _parts(values):
                waiting.append(pool.submit(work, part))
                if len(waiting) > 2 * len(self._all):
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()

    def __enter__(self) -> IsolatedPool:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes."""
        for isolated in self._all:
            isolated.close()


_idle: dict[bytes, list[IsolatedPool]] = {}


@contextmanager
def kept_pool(
    make: Callable[..., Callable[[Any], Any]],
    *args: Any,
    isolate: bool,
    seconds: float,
    memory: int | None,
) -> Iterator[Mapper]:
    """Lend a pool of one process, which is kept for the next time that the same one is wanted.

    So batch after batch does not start a process each. It ends with this process. Without *isolate*
    the function is called here.
    """
    if not isolate:
        yield Here(make, *args)
        return
    key = pickle.dumps((os.getpid(), make, args, seconds, memory))
    idle = _idle.setdefault(key, [])
    try:
        pool = idle.pop()
    except IndexError:
        pool = IsolatedPool(make, *args, processes=1, seconds=seconds, memory=memory)
    try:
        yield pool
    finally:
        idle.append(pool)


def _parts(values: Iterable[Any]) -> Iterator[list[bytes]]:
    """Yield what goes to a process at once, pickled."""
    part: list[bytes] = []
    size = 0
    for value in values:
        part.append(pickle.dumps(value, 5))
        size += len(part[-1])
        if len(part) >= _PART or size >= _PART_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part


class _Server:
    """The near end of a server process."""

    def __init__(self, start: bytes) -> None:
        theirs, self._to = os.pipe()
        self._from, answers = os.pipe()
        command = f"from {__name__} import _serve; _serve({theirs}, {answers})"
        self._process = subprocess.Popen(
            [sys.executable, "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr.fileno() if _has_file(sys.stderr) else subprocess.DEVNULL,
            pass_fds=(theirs, answers),
            start_new_session=True,  # a group of its own, to be killed with its child
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        os.close(theirs)
        os.close(answers)
        os.set_blocking(self._to, False)
        for pipe in (self._to, self._from):
            _enlarge(pipe)
        self._poll = select.poll()
        self._poll.register(self._from, select.POLLIN)
        self._unsent: deque[memoryview] = deque()
        self._unread = bytearray()
        self.send(0, start)
        try:
            kind, _, data = self._receive(START_SECONDS)
        except (EOFError, OSError) as error:
            self.close()
            raise RuntimeError("the process for extraction did not start") from error
        if kind != _HELLO:
            self.close()
            raise RuntimeError(f"the process for extraction did not start: {data.decode()}")

    def send(self, number: int, data: bytes) -> None:
        """Send a call; what the pipe does not take goes while answers are awaited."""
        self._unsent.append(memoryview(_HEADER.pack(_CALL, number, len(data)) + data))
        self._write()

    def _write(self) -> None:
        try:
            while self._unsent:
                rest = self._unsent[0][os.write(self._to, self._unsent[0][:_CHUNK]) :]
                if rest:
                    self._unsent[0] = rest
                else:
                    self._unsent.popleft()
        except BlockingIOError:
            pass

    def answer(self, number: int, seconds: float) -> tuple[bytes, bytes]:
        """Return the kind of a call's answer, and the answer.

        Raises :exc:`TimeoutError`; :exc:`EOFError` and other :exc:`OSError` for a broken pipe.
        """
        while True:
            kind, found, data = self._receive(seconds)
            if found == number:
                return kind, data

    def _receive(self, seconds: float) -> tuple[bytes, int, bytes]:
        """Return the next message."""
        end = monotonic() + seconds
        while True:
            message = self._message()
            if message is not None:
                return message
            if self._unsent:
                self._poll.register(self._to, select.POLLOUT)
            events = self._poll.poll(max(end - monotonic(), 0) * 1000)
            if self._unsent:
                self._poll.unregister(self._to)
                self._write()
            if any(file == self._from for file, _ in events):
                data = os.read(self._from, _CHUNK)
                if not data:
                    raise EOFError
                self._unread += data
            elif monotonic() >= end:
                raise TimeoutError

    def _message(self) -> tuple[bytes, int, bytes] | None:
        if len(self._unread) < _HEADER.size:
            return None
        kind, number, size = _HEADER.unpack_from(self._unread)
        if kind not in (_HELLO, _ANSWER, _ERROR, _DIED):
            raise EOFError  # a child died while it wrote
        stop = _HEADER.size + size
        if len(self._unread) < stop:
            return None
        data = bytes(self._unread[_HEADER.size : stop])
        del self._unread[:stop]
        return kind, number, data

    def close(self) -> None:
        """Kill the server and its child."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._to)
        os.close(self._from)


def _has_file(stream: Any) -> bool:
    try:
        return bool(stream.fileno() >= 0)
    except (AttributeError, OSError, ValueError):
        return False


# -- in the server and its child --------------------------------------------------------------


def _serve(calls: int, answers: int) -> None:
    """Load the function, and fork children that answer until there are no more calls."""
    warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads of numpy
    try:
        make, args, memory = pickle.loads(_read_call(calls)[1])
        function = make(*args)
    except BaseException as error:
        _write_all(answers, _ERROR, 0, _told(error))
        return
    with suppress(BrokenPipeError):  # whoever has called is gone
        _write_all(answers, _HELLO, 0, b"")
        _fork_children(function, calls, answers, memory)


def _fork_children(
    function: Callable[[Any], Any], calls: int, answers: int, memory: int | None
) -> None:
    with mmap.mmap(-1, _NUMBER.size) as current:  # the call that the child is at
        while True:
            child = os.fork()
            if not child:
                _limit(memory)
                with suppress(BrokenPipeError):
                    _answer_all(function, calls, answers, current)
                os._exit(_DONE)
            _, status = os.waitpid(child, 0)
            if os.WIFEXITED(status) and os.WEXITSTATUS(status) == _DONE:
                return
            (number,) = _NUMBER.unpack(current[:])
            _write_all(answers, _DIED, number, b"")


def _limit(memory: int | None) -> None:
    if memory is not None:
        with suppress(ValueError, OSError):  # not every system has it
            resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))


def _answer_all(
    function: Callable[[Any], Any], calls: int, answers: int, current: mmap.mmap
) -> None:
    """Answer until there are no more calls."""
    result = None
    while True:
        current[:] = _NUMBER.pack(0)
        del result  # not before it was sent: that may be what crashes
        try:
            number, data = _read_call(calls)
        except EOFError:
            return
        current[:] = _NUMBER.pack(number)
        try:
            result = function(pickle.loads(data))
            kind, answer = _ANSWER, pickle.dumps(result, 5)
        except Exception as error:
            result = None
            kind, answer = _ERROR, _told(error)
        _write_all(answers, kind, number, answer)


def _told(error: BaseException) -> bytes:
    return f"{type(error).__name__}: {error}"[:500].encode("utf-8", "replace")


def _read_call(calls: int) -> tuple[int, bytes]:
    kind, number, size = _HEADER.unpack(_read_all(calls, _HEADER.size))
    if kind != _CALL:  # a child died while it read
        raise EOFError
    return number, _read_all(calls, size)


def _read_all(file: int, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        part = os.read(file, min(size - len(data), _CHUNK))
        if not part:
            raise EOFError
        data += part
    return bytes(data)


def _write_all(file: int, kind: bytes, number: int, data: bytes) -> None:
    left = memoryview(_HEADER.pack(kind, number, len(data)) + data)
    while left:
        left = left[os.write(file, left) :]


def _enlarge(pipe: int) -> None:
    """Let a pipe hold a page, where the system can."""
    with suppress(AttributeError, OSError):
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _CHUNK)
