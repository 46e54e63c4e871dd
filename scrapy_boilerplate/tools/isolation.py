"""A function in processes of its own: a call that crashes or hangs costs that call, nothing else.

A process loads the function and answers call after call over its pipes; one that dies or takes too
long is replaced. It keeps the limit itself, so that it ends where nobody waits for it, too.
"""

from __future__ import annotations

import atexit
import faulthandler
import io
import os
import pickle
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, suppress
from threading import local
from time import monotonic
from typing import IO, Any, Literal, NamedTuple, TypeVar

_START_SECONDS = 120.0  # in which a process must have loaded the function
_CALLS_AHEAD = 2  # calls that are taken for each process, so that it need not wait for the next one
_WINDOW = 64  # calls a process that may be answered before the oldest one is …
_HELD_BYTES = 64 << 20  # … and bytes of their answers
_LONGEST_WAIT = 0.2  # seconds until it is looked whether to stop
_NO_ANSWER = (EOFError, OSError, pickle.UnpicklingError)
_FROM_OUTSIDE = {"SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"}  # pages end processes otherwise
_TOO_LATE = "exit status 1"  # of a process that has reached its limit

Key = TypeVar("Key")


class Failure(NamedTuple):
    """Stands for the answer of a call that took too long, took its process down, or raised."""

    reason: Literal["timeout", "crashed", "error"]
    message: str = ""  # how the process ended (SIGSEGV, exit status 1), or what was raised

    @property
    def as_reason(self) -> str:
        return f"{self.reason}: {self.message}" if self.message else self.reason


class Mapper:
    """Calls a function for many values: in this process, where only what it raises can be told."""

    def __init__(self, make: Callable[..., Callable[[Any], Any]], *args: Any) -> None:
        self._function = make(*args)

    def pairs(self, calls: Iterable[tuple[Key, Any]]) -> Iterator[tuple[Key, Any]]:
        """Yield the key of each call with its answer, or a :class:`Failure`, in order."""
        for key, value in calls:
            try:
                answer = self._function(value)
            except Exception as error:
                answer = Failure("error", _told(error))
            yield key, answer

    def map(self, values: Iterable[Any]) -> Iterator[Any]:
        return (answer for _, answer in self.pairs((None, value) for value in values))


class Isolated(Mapper, AbstractContextManager["Isolated"]):
    """Calls a function in other processes, which are replaced when a call crashes or hangs.

    *make*, a module's own function or class, is called with *args* in each process and returns the
    function, whose answers are plain values. A call may take *seconds*, a process *memory* bytes.
    One whose process was killed from outside is made once more. At most *processes* run, and no
    more than there is work for. Not for several threads at once. Raises :exc:`RuntimeError` if
    *make* fails.

    >>> import operator
    >>> with Isolated(operator.itemgetter, 1, seconds=60) as second:
    ...     list(second.map(["ab", "", "cd"]))
    ['b', Failure(reason='error', message='IndexError: string index out of range'), 'd']
    """

    is_stopped = False  # set at any time, it begins nothing more, and gives what is there

    def __init__(
        self,
        make: Callable[..., Callable[[Any], Any]],
        *args: Any,
        processes: int = 1,
        seconds: float,
        memory: int | None = None,
    ) -> None:
        self._start = pickle.dumps((make, args, memory))
        self._most, self._seconds = processes, seconds
        self._processes: list[_Process] = []
        self._threads, self._own = ThreadPoolExecutor(self._most), local()

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._end()
        self._threads.shutdown()

    def pairs(self, calls: Iterable[tuple[Key, Any]]) -> Iterator[tuple[Key, Any]]:
        waiting: deque[tuple[Key, Future[tuple[Any, int]]]] = deque()
        coming = iter(calls)
        self._is_given_up = False
        try:
            while not self.is_stopped:
                call = next(coming, None) if self._has_room(waiting) else None
                if call is not None:
                    waiting.append((call[0], self._threads.submit(self._call, call[1])))
                elif not waiting:
                    break
                elif not waiting[0][1].done():
                    missing = [answer for _, answer in waiting if not answer.done()]
                    wait(missing, _LONGEST_WAIT, FIRST_COMPLETED)
                while waiting and waiting[0][1].done() and not self.is_stopped:
                    key, answer = waiting.popleft()
                    yield key, answer.result()[0]
            for key, answer in waiting:
                if answer.done():
                    yield key, answer.result()[0]
        finally:  # there may be calls whose answers nobody wants any more
            busy = [answer for _, answer in waiting if not answer.cancel() and not answer.done()]
            if busy:
                self._is_given_up = True
                self._end()
                wait(busy)

    def _has_room(self, waiting: deque[tuple[Key, Future[tuple[Any, int]]]]) -> bool:
        done = [answer for _, answer in waiting if answer.done()]
        if len(waiting) - len(done) >= _CALLS_AHEAD * self._most:
            return False
        held = sum(answer.result()[1] for answer in done if answer.exception() is None)
        return len(waiting) < _WINDOW * self._most and held < _HELD_BYTES

    def _end(self) -> None:
        while self._processes:
            self._processes.pop().kill()

    def _call(self, value: Any) -> tuple[Any, int]:
        answer, size = self._tried(value)
        is_crash = isinstance(answer, Failure) and answer.reason == "crashed"
        if is_crash and answer.message in _FROM_OUTSIDE and not self._is_given_up:
            answer, size = self._tried(value)
        return answer, size

    def _tried(self, value: Any) -> tuple[Any, int]:
        process: _Process | None = getattr(self._own, "process", None)
        if process is None or process.is_over:
            process = self._own.process = _Process(self._start, self._seconds)
            self._processes.append(process)
        try:
            return process.ask(value)
        except _NO_ANSWER as error:
            with suppress(ValueError):
                self._processes.remove(process)
            ended = process.kill(patience=1.0)
            if process.is_late and ended == _TOO_LATE:
                return Failure("timeout"), 0
            if not process.is_ready and ended not in _FROM_OUTSIDE:
                told = str(error) or ended or "no answer"
                raise RuntimeError(f"the process for extraction did not start: {told}") from error
            return Failure("crashed", ended), 0


class _PlainUnpickler(pickle.Unpickler):
    """Reads plain values only: who reads hostile pages must not decide what runs here."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"{module}.{name} is not a plain value")


_kept: dict[tuple[int, bytes], list[Isolated]] = {}


@atexit.register
def _close_kept() -> None:
    """Close the pools of this process, not those that it has from one that forked it."""
    for (owner, _), pools in _kept.items():
        while owner == os.getpid() and pools:
            pools.pop().close()


LendPool = Callable[[], AbstractContextManager[Mapper]]  # a kept_pool with its arguments


@contextmanager
def kept_pool(
    make: Callable[..., Callable[[Any], Any]],
    *args: Any,
    isolate: bool,
    seconds: float,
    memory: int | None,
) -> Iterator[Mapper]:
    """Lend a process, kept for the next batch; without *isolate* the function is called here."""
    if not isolate:
        yield Mapper(make, *args)
        return
    key = os.getpid(), pickle.dumps((make, args, seconds, memory))
    idle = _kept.setdefault(key, [])
    pool = idle.pop() if idle else Isolated(make, *args, seconds=seconds, memory=memory)
    yield pool
    idle.append(pool)


class _Process:
    is_ready = False  # it has loaded the function
    is_late = False  # the last call has reached its limit

    def __init__(self, start: bytes, seconds: float) -> None:
        self._start, self._seconds = start, seconds
        # A group of its own, away from Ctrl-C.
        group: dict[str, Any] = {"start_new_session": True}
        if os.name == "nt":
            group = {"creationflags": 0x200}  # CREATE_NEW_PROCESS_GROUP
        self._process = subprocess.Popen(
            [sys.executable, "-c", f"from {__name__} import _serve; _serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            **group,
        )

    @property
    def is_over(self) -> bool:
        return self._process.poll() is not None

    def ask(self, value: Any) -> tuple[Any, int]:
        """Return the answer for a value and its bytes; raise one of ``_NO_ANSWER``."""
        calls, answers = self._process.stdin, self._process.stdout
        assert calls is not None
        assert answers is not None
        if not self.is_ready:
            _send(calls, (self._seconds, self._start))
            kind, message, _ = _receive(answers)
            if kind == "error":
                raise EOFError(message)
            self.is_ready = True
        began = monotonic()  # before the process begins to count
        with suppress(BrokenPipeError):  # which is seen at reading
            _send(calls, value)
        try:
            kind, answer, size = _receive(answers)
        except EOFError:
            self.is_late = monotonic() - began >= self._seconds
            raise
        return Failure("error", answer) if kind == "error" else answer, size

    def kill(self, patience: float = 0.0) -> str:
        """Kill the process; return how it has ended by itself, if it has within *patience*."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)
        ended = self._process.returncode
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                pipe and pipe.close()
        return "" if ended is None else _ended(ended)


def _send(pipe: IO[bytes], message: object) -> None:
    data = pickle.dumps(message, 5)
    pipe.write(len(data).to_bytes(8, "big"))
    pipe.write(data)
    pipe.flush()


def _read(pipe: IO[bytes]) -> bytes:
    size = int.from_bytes(pipe.read(8), "big")
    data = pipe.read(size)
    if not size or len(data) < size:
        raise EOFError
    return data


def _receive(pipe: IO[bytes]) -> tuple[str, Any, int]:
    data = _read(pipe)
    kind, value = _PlainUnpickler(io.BytesIO(data)).load()
    return kind, value, len(data)


def _ended(code: int) -> str:
    if code >= 0:
        return f"exit status {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:  # of real time
        return f"signal {-code}"


# -- in the process ---------------------------------------------------------------------------


def _serve() -> None:
    calls, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "r+b") as nothing, suppress(EOFError, BrokenPipeError):
        os.dup2(nothing.fileno(), 0)
        with suppress(OSError):  # there may be no standard error
            os.dup2(2, 1)  # what is printed is no answer
        seconds, start = pickle.loads(_read(calls))
        try:
            with _within(_START_SECONDS, nothing):
                make, args, memory = pickle.loads(start)
                function = make(*args)
        except BaseException as error:
            _send(answers, ("error", _told(error)))
            return
        _limit(memory)
        _send(answers, ("answer", None))
        while True:
            data = _read(calls)
            with _within(seconds, nothing):
                _answer(function, data, answers)


@contextmanager
def _within(seconds: float, nothing: IO[bytes]) -> Iterator[None]:
    """End this process if what is done takes longer, even if that is a loop of compiled code."""
    faulthandler.dump_traceback_later(seconds, file=nothing, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def _limit(memory: int | None) -> None:
    with suppress(ImportError, ValueError, OSError):  # not every system has it
        import resource

        if memory is not None:
            resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))


def _answer(function: Callable[[Any], Any], data: bytes, answers: IO[bytes]) -> None:
    try:
        _send(answers, ("answer", function(pickle.loads(data))))
    except BrokenPipeError:
        raise
    except Exception as error:  # of the function, or of a result that cannot be sent
        _send(answers, ("error", _told(error)))


def _told(error: BaseException) -> str:
    text = f"{type(error).__name__}: {error}"[:500]
    return text.encode("utf-8", "replace").decode()
