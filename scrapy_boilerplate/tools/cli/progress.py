"""A progress bar on a terminal, and nothing elsewhere."""

from __future__ import annotations

import sys

from tqdm import tqdm

tqdm.monitor_interval = 0  # no thread beside the processes that are started


def bar(what: str, total: int | None, *, hidden: bool = False) -> tqdm[None]:
    """Return what shows on a terminal how many pages there were, the rate and the time left."""
    return tqdm(
        desc=what,
        total=total,
        unit=" pages",
        smoothing=0.05,
        disable=hidden or None,  # None: where there is no terminal
        file=sys.stderr,
        leave=False,
    )


def tell(message: str) -> None:
    """Print a message to standard error, above the bar if there is one."""
    tqdm.write(f"scrapy-boilerplate: {' '.join(message.split())}", file=sys.stderr)
