"""A progress bar on a terminal, and nothing elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

from tqdm import tqdm

__all__ = ["shown", "tell"]

T = TypeVar("T")

tqdm.monitor_interval = 0  # no thread beside the processes that are started


def shown(items: Iterable[T], what: str, total: int | None) -> Iterator[T]:
    """Yield *items* and show on a terminal how many there were, the rate and the time left."""
    bar = tqdm(
        items,
        desc=what,
        total=total,
        unit=" pages",
        smoothing=0.05,
        disable=None,  # but on a terminal
        file=sys.stderr,
        leave=False,
    )
    yield from bar


def tell(message: str) -> None:
    """Print a message to standard error, above the bar if there is one."""
    tqdm.write(f"scrapy-boilerplate: {' '.join(message.split())}", file=sys.stderr)
