"""A pool of processes in which a page that kills or hangs its process costs that page alone."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext, SpawnContext
from time import monotonic
from typing import Any, Generic, Protocol, TypeVar

from scrapy_boilerplate.cli.sources import PageFile

__all__ = ["Pool", "Task"]

Answer = TypeVar("Answer")
AnswerOut = TypeVar("AnswerOut", covariant=True)

_AHEAD = 4  # pages that a process is given at a time, so that it never waits for the next one
_WINDOW = 64  # pages for each process that may be done before the oldest one is
_POLL = 0.05  # seconds until a page that is on its way is asked for again
_LONGEST_WAIT = 0.2  # seconds until it is looked whether to stop
_START = 120.0  # seconds in which a process must have started
_READY = -1  # in place of a page's number: the process has started


class Task(Protocol[AnswerOut]):
    """Answers for one page, in another process."""

    def __call__(self, file: PageFile) -> AnswerOut:
        """Return the answer for a page."""

    def failed(self, file: PageFile, error: str) -> AnswerOut:
        """Return the answer for a page that has none."""


class _Worker(Generic[Answer]):
    """A process and the pages that it was given."""

    def __init__(self, task: Task[Answer]) -> None:
        context = _context()
        self.connection, theirs = context.Pipe()
        self.given: deque[tuple[int, PageFile]] = deque()
        self.since = monotonic()
        """When it began the first of them, or to start."""
        self.is_ready = False
        """Whether it has started."""
        self._process = context.Process(target=_serve, args=(theirs, task), daemon=True)
        self._process.start()
        theirs.close()

    def give(self, number: int, page: PageFile) -> None:
        if not self.given and self.is_ready:
            self.since = monotonic()
        self.given.append((number, page))
        with suppress(OSError):  # it is dead, which is seen when its answer is waited for
            self.connection.send((number, page))

    def answer(self) -> tuple[int, Answer] | None:
        """Return the next answer; ``None`` if the process is dead."""
        try:
            number, answer = self.connection.recv()
        except (EOFError, OSError):
            return None
        self.since = monotonic()
        if number == _READY:
            self.is_ready = True
        else:
            self.given.popleft()
        return number, answer

    def is_late(self, timeout: float) -> bool:
        """Tell whether it has taken too long, and has not answered in the meantime."""
        limit = timeout if self.is_ready else _START
        return monotonic() - self.since > limit and not self.connection.poll()

    def stop(self) -> str:
        """End the process at once; return how it had ended by itself, if it had."""
        self._process.join(_POLL)
        code = self._process.exitcode
        self._process.kill()
        self._process.join()
        self.connection.close()
        if code is None:
            return ""
        return signal.Signals(-code).name if code < 0 else f"exit status {code}"


def _context() -> SpawnContext | ForkServerContext:
    """Return how processes are started: by copies of one that has imported the package."""
    if os.name != "posix":
        return get_context("spawn")
    context = get_context("forkserver")
    context.set_forkserver_preload(["scrapy_boilerplate.cli.work"])
    return context


def _serve(connection: Connection, task: Task[Any]) -> None:
    """Answer for one page after the other, until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent says when to stop
    with suppress(EOFError, OSError):  # the parent has gone
        connection.send((_READY, None))
        while True:
            number, page = connection.recv()
            connection.send((number, task(page)))


class Pool(Generic[Answer]):
    """Hands pages to *jobs* processes, and puts the task's answers in order.

    A page that takes longer than *timeout* seconds, or kills its process, gets the answer of
    :meth:`Task.failed`; another process takes the other pages of the old one.
    """

    def __init__(self, task: Task[Answer], jobs: int, timeout: float) -> None:
        self._task, self._jobs, self._timeout = task, jobs, timeout
        self._workers: list[_Worker[Answer]] = []
        self._again: deque[tuple[int, PageFile]] = deque()  # those of dead processes
        self._answers: dict[int, Answer] = {}
        self._next = 0  # number of the answer that is yielded next
        self._taken = 0  # pages that were taken
        self._is_over = self._is_coming = False
        self.is_stopped = False
        """Whether to begin nothing more; may be set at any time."""

    def __enter__(self) -> Pool[Answer]:
        return self

    def __exit__(self, *error: object) -> None:
        for worker in self._workers:
            worker.stop()

    def run(self, pages: Iterator[PageFile | None]) -> Iterator[Answer]:
        """Yield the answer for each page, in the order of *pages*.

        ``None`` among *pages* says that the next one is on its way. When the pool is stopped, the
        last answers are those that were there already.
        """
        while not self.is_stopped:
            self._hand_out(pages)
            while self._next in self._answers and not self.is_stopped:
                yield self._answers.pop(self._next)
                self._next += 1
            if self._is_over and self._next == self._taken:
                return
            self._receive()
        for number in sorted(self._answers):
            yield self._answers.pop(number)

    # -- steps -----------------------------------------------------------------------------------

    def _hand_out(self, pages: Iterator[PageFile | None]) -> None:
        """Give pages to processes that have room, as long as there are both."""
        while True:
            worker = self._with_room()
            if worker is None:
                return
            page = self._take(pages)
            if page is None:
                return
            if worker.given and len(self._workers) < self._jobs:
                worker = _Worker(self._task)
                self._workers.append(worker)
            worker.give(*page)

    def _with_room(self) -> _Worker[Answer] | None:
        if not self._again and (self._is_over or self._taken - self._next >= _WINDOW * self._jobs):
            return None
        if not self._workers:
            self._workers.append(_Worker(self._task))
        least = min(self._workers, key=lambda worker: len(worker.given))
        has_room = len(least.given) < _AHEAD or len(self._workers) < self._jobs
        return least if has_room else None

    def _take(self, pages: Iterator[PageFile | None]) -> tuple[int, PageFile] | None:
        if self._again:
            return self._again.popleft()
        try:
            page = next(pages)
        except StopIteration:
            self._is_over, self._is_coming = True, False
            return None
        self._is_coming = page is None
        if page is None:
            return None
        self._taken += 1
        return self._taken - 1, page

    def _receive(self) -> None:
        """Wait until a process answers, dies or takes too long, or a page may have come."""
        busy = {worker.connection: worker for worker in self._workers if worker.given}
        seconds = _POLL if self._is_coming else _LONGEST_WAIT
        for connection in wait(list(busy), seconds):
            worker = busy[connection]  # type: ignore[index]
            answer = worker.answer()
            if answer is None:
                self._replace(worker, "")
            elif answer[0] != _READY:
                self._answers[answer[0]] = answer[1]
        for worker in busy.values():
            if worker in self._workers and worker.given and worker.is_late(self._timeout):
                self._replace(worker, f"it took longer than {self._timeout:g} seconds")

    def _replace(self, worker: _Worker[Answer], error: str) -> None:
        """Answer for the page that has cost a process; its other pages go to another one."""
        self._workers.remove(worker)
        ended = worker.stop()
        number, page = worker.given.popleft()
        self._answers[number] = self._task.failed(
            page, error or f"it ended its process ({ended or 'no answer'})"
        )
        self._again.extendleft(reversed(worker.given))
