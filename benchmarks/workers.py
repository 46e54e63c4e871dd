"""Calls with a time limit: a method that hangs on a page costs that page, not the run."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

from scrapy_boilerplate.tools.isolation import Isolated, Lost

__all__ = ["Worker", "WorkerError", "each_with_worker"]


class WorkerError(Exception):
    """A call raised, took too long, or took its process down; the message says which."""


class _Unpacked:
    """Calls a function with the arguments in a tuple."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        logging.disable(logging.CRITICAL)  # peers report every odd page

    def __call__(self, args: tuple[Any, ...]) -> Any:
        return self._function(*args)


class Worker:
    """A process that answers calls of one function, and is replaced when a call takes too long."""

    def __init__(self, function: Callable[..., Any], limit_s: float) -> None:
        # Threads that numpy leaves waiting for sums of products would count for what is next.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        self._limit = limit_s
        module = sys.modules[function.__module__]
        if (
            function.__module__ == "__main__" and module.__spec__ is not None
        ):  # has no such name there
            function = getattr(import_module(module.__spec__.name), function.__name__)
        self._process = Isolated(_Unpacked, function, seconds=limit_s)

    def __call__(self, *args: Any) -> Any:
        """Return ``function(*args)``; raise :exc:`WorkerError` where that gave no answer."""
        answer = self._process(args)
        if not isinstance(answer, Lost):
            return answer
        late, died = f"no answer within {self._limit:g} s", "the process died"
        raise WorkerError({"timeout": late, "crashed": died}.get(answer.reason, answer.message))

    def close(self) -> None:
        """End the process."""
        self._process.close()


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
