"""Archives divided among processes, each of which reads whole archives, one after the other."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from threading import Lock
from typing import Any

from scrapy_boilerplate.tools.isolation import Failure, Isolated, can_be_sent

_READER_FEEDS = 8  # processes for pages that one reader keeps busy
_PARTS = 4  # of the work of a reader: few archives are divided among fewer readers


def divided(processes: int, archives: int, make: object) -> tuple[int, int]:
    """Return how many archives are read at a time, and the processes for the pages of each.

    *make* makes a reader, and so must be sent to its process.

    >>> [divided(8, archives, None) for archives in (1, 10, 1000)]
    [(1, 8), (3, 3), (8, 1)]
    """
    if not can_be_sent(make):  # a key may be any function
        return 1, processes
    readers = max(-(-archives // _PARTS), -(-processes // _READER_FEEDS))
    readers = max(min(readers, archives, processes), 1)
    return readers, -(-processes // readers)


@contextmanager
def readers(
    make: Callable[..., Any], processes: int | None, archives: int, take: Callable[[Any], object]
) -> Iterator[Callable[[Iterable[Any]], Iterator[tuple[Any, Failure]]]]:
    """Give what does all tasks by readers, and yields those that were lost.

    *make* makes one, with *processes* for pages: a function of a task that yields parts of the
    answer, and can be closed. *take* gets them, one at a time, but in other threads. A single
    reader works in this process.
    """
    number, each = divided(processes or os.cpu_count() or 1, archives, make)
    make = partial(make, processes=each)
    lock, errors = Lock(), list[Exception]()

    def take_in_thread(part: Any) -> None:
        """Take what is told, where no error of a callback is to be one of the process."""
        try:
            with lock:
                take(part)
        except Exception as error:
            errors.append(error)

    def lost_here(tasks: Iterable[Any]) -> Iterator[tuple[Any, Failure]]:
        for part in (part for task in tasks for part in reader(task)):
            take(part)
        return iter(())

    def lost(tasks: Iterable[Any]) -> Iterator[tuple[Any, Failure]]:
        for task, answer in pool.pairs((task, task) for task in tasks):
            if errors:
                raise errors[0]
            if isinstance(answer, Failure):
                yield task, answer

    if number == 1:
        with closing(make()) as reader:
            yield lost_here
    else:
        with Isolated(make, processes=number, seconds=None, on_part=take_in_thread) as pool:
            yield lost
