"""Caches whose memory is bounded in bytes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from functools import update_wrapper
from sys import getsizeof
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

Answer = TypeVar("Answer")

if TYPE_CHECKING:
    from functools import cached_property as cached_property
else:

    class cached_property(functools.cached_property):  # noqa: N801 - as the one of Python
        """The one of Python 3.12. Before, threads share a lock a class and wait for each other."""

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            """Return the value, computed once; threads at the same moment get the same one."""
            if instance is None:
                return self
            return vars(instance).setdefault(self.attrname, self.func(instance))


_ENTRY = 200  # bytes of an entry's tuple and its place in a dict
_LARGEST = 256  # an entry takes at most this fraction of the whole


class Remembered(Generic[Answer]):
    """A pure function of texts that remembers its answers.

    Pages decide what the texts are, so a limit on their number is not enough. When the answers take
    more than *most* bytes, all are forgotten; very long texts are not remembered.
    """

    def __init__(self, function: Callable[..., Answer], most: int, answer: int) -> None:
        self._function, self._most, self._answer = function, most, answer
        self._known: dict[tuple[str, ...], Answer] = {}
        self._adding = Lock()  # for the sum of bytes; reading needs none
        self.size = 0
        """Bytes that the entries take, about."""
        update_wrapper(self, function)

    def __call__(self, *texts: str) -> Answer:
        """Return the function's answer for *texts*."""
        known = self._known.get(texts)
        if known is not None:
            return known
        answer = self._function(*texts)
        size = sum(map(getsizeof, texts)) + self._answer + _ENTRY
        if _LARGEST * size <= self._most:
            with self._adding:
                if self.size + size > self._most:
                    self.forget()
                self._known[texts] = answer
                self.size += size
        return answer

    def each(self, rows: Iterable[tuple[str, ...]]) -> list[Answer]:
        """Return the function's answers for many rows of texts."""
        known = self._known
        return [self(*row) if (answer := known.get(row)) is None else answer for row in rows]

    def forget(self) -> None:
        """Forget all answers."""
        self._known, self.size = {}, 0


def remember(
    most: int, *, answer: int = 100
) -> Callable[[Callable[..., Answer]], Remembered[Answer]]:
    """Make a pure function of texts remember its answers, in at most *most* bytes.

    *answer* is what an answer takes, in bytes.

    >>> @remember(1 << 16)
    ... def shout(text: str) -> str:
    ...     return text.upper()
    >>> shout("one"), shout("one"), shout.size < 400
    ('ONE', 'ONE', True)
    """
    return lambda function: Remembered(function, most, answer)
