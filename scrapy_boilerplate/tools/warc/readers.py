"""Archives divided among processes, each of which reads whole archives, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from threading import Lock
from typing import Any, Generic, Protocol, TypeVar

from scrapy_boilerplate.tools.isolation import Failure, Isolated, can_be_sent

Task = TypeVar("Task", contravariant=True)


class Reader(Protocol[Task]):
    """Does what it is asked to do with archives. A process of its own may make one."""

    def __call__(self, task: Task, /) -> Iterator[Any]:
        """Yield parts of the answer to a task, as plain values."""

    def close(self) -> None:
        """End what was begun."""


_READER_FEEDS = 8  # processes for pages that one reader keeps busy
PARTS = 4
"""Parts of the work of a reader: few archives are divided among fewer readers."""


def divided(processes: int, archives: int, make: object) -> tuple[int, int]:
    """Return how many archives are read at a time, and the processes for the pages of each.

    *make* makes a reader, and so must be sent to its process.

    >>> [divided(8, archives, None) for archives in (1, 10, 1000)]
    [(1, 8), (3, 3), (8, 1)]
    """
    if not can_be_sent(make):  # a key may be any function
        return 1, processes
    readers = max(-(-archives // PARTS), -(-processes // _READER_FEEDS))
    readers = max(min(readers, archives, processes), 1)
    return readers, -(-processes // readers)


class Readers(Generic[Task]):
    """So many readers. Several have processes of their own; a single one works in this process."""

    def __init__(self, make: Callable[[], Reader[Task]], number: int) -> None:
        self._stack, self._lock, self._errors = ExitStack(), Lock(), list[Exception]()
        self._take: Callable[[Any], object] = id
        if number == 1:
            self._here = self._stack.enter_context(closing(make()))
        else:
            pool = Isolated(make, processes=number, seconds=None, on_part=self._take_in_thread)
            self._pool = self._stack.enter_context(pool)

    def __enter__(self) -> Readers[Task]:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def lost(
        self, tasks: Iterable[Task], take: Callable[[Any], object]
    ) -> Iterator[tuple[Task, Failure]]:
        """Do all tasks; yield those that were lost.

        *take* gets what the readers yield, one part at a time, but in other threads.
        """
        self._take = take
        if not hasattr(self, "_pool"):
            for part in (part for task in tasks for part in self._here(task)):
                take(part)
            return
        for task, answer in self._pool.pairs((task, task) for task in tasks):
            if self._errors:
                raise self._errors[0]
            if isinstance(answer, Failure):
                yield task, answer

    def _take_in_thread(self, part: Any) -> None:
        """Take what is told, where no error of a callback is to be one of the process."""
        try:
            with self._lock:
                self._take(part)
        except Exception as error:
            self._errors.append(error)
