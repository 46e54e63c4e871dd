"""Calls with a time limit: a method that hangs on a page costs that page, not the run."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

__all__ = ["Worker", "WorkerError", "each_with_worker"]

START_S = 120
"""Seconds that a process may take to start, which do not count as time of its first call."""

READY = "ready"

_starting = threading.Lock()


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let a process that starts now use one thread for sums of products.

    The time of threads that numpy leaves waiting for work would count for what is next. Only that
    process is told, since some sums differ in their last bits with the number of threads.
    """
    name = "OPENBLAS_NUM_THREADS"
    with _starting:
        before = os.environ.get(name)
        os.environ[name] = before or "1"
        try:
            yield
        finally:
            if before is None:
                del os.environ[name]


class WorkerError(Exception):
    """A call raised, took too long, or took its process down; the message says which."""


class Worker:
    """A process that answers calls of one function, and is replaced when a call takes too long.

    A limit inside the process would not do: C code that hangs never hears a signal.
    """

    def __init__(self, function: Callable[..., Any], limit_s: float) -> None:
        self._function = function
        self._limit = limit_s
        self._process: Any = None
        self._pipe: Connection | None = None

    def __call__(self, *args: Any) -> Any:
        """Return ``function(*args)``; raise :exc:`WorkerError` where that gave no answer."""
        try:
            pipe = self._pipe or self._start()
            pipe.send(args)
            if not pipe.poll(self._limit):
                raise WorkerError(f"no answer within {self._limit:g} s")
            succeeded, answer = pipe.recv()
        except (EOFError, OSError):
            self.close()
            raise WorkerError("the process died") from None
        except WorkerError:
            self.close()
            raise
        if not succeeded:
            raise WorkerError(answer)
        return answer

    def _start(self) -> Connection:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self._function), daemon=True)
        with _one_thread():
            self._process.start()
        theirs.close()
        if not self._pipe.poll(START_S) or self._pipe.recv() != READY:
            raise WorkerError("the process did not start")
        return self._pipe

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None


def _serve(pipe: Connection, function: Callable[..., Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.disable(logging.CRITICAL)  # peers report every odd page
    pipe.send(READY)
    while True:
        try:
            args = pipe.recv()
        except EOFError:
            return
        try:
            reply = True, function(*args)
        except Exception as error:
            reply = False, f"{type(error).__name__}: {error}"[:200]
        pipe.send(reply)


def each_with_worker(
    work: Callable[[Worker, Any], Any],
    items: Iterable[Any],
    function: Callable[..., Any],
    *,
    limit_s: float,
    processes: int = 1,
) -> Iterator[Any]:
    """Yield ``work(worker, item)`` for each of *items*, in order, with *processes* workers."""
    local = threading.local()
    workers: list[Worker] = []

    def run(item: Any) -> Any:
        if not hasattr(local, "worker"):
            local.worker = Worker(function, limit_s)
            workers.append(local.worker)
        return work(local.worker, item)

    with ThreadPoolExecutor(processes) as pool:
        try:
            yield from pool.map(run, items)
        finally:
            for worker in workers:
                worker.close()
