"""A run as its user sees it: a progress bar on a terminal, messages, counts by outcome."""

from __future__ import annotations

import sys

from tqdm import tqdm

from scrapy_boilerplate.tools.tables import counted, printable

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
    tqdm.write(f"scrapy-boilerplate: {printable(' '.join(message.split()))}", file=sys.stderr)


class RunCounts:
    """Counts pages, and archives that an earlier run has finished."""

    def __init__(self) -> None:
        self.pages = self.failed = self.empty = self.known = self.duplicates = self.strays = 0

    def add(self, *, failed: bool, empty: bool) -> None:
        """Count a page."""
        self.pages += 1
        self.failed += failed
        self.empty += empty

    def line(self, seconds: float, *, stopped: bool) -> str:
        """Return the last line of a run."""
        parts = [counted(self.pages, "page"), f"{self.failed} failed"]
        if self.empty:
            parts.append(f"{self.empty} without text")
        if self.duplicates:
            parts.append(f"{counted(self.duplicates, 'duplicate')} left out")
        if self.known:
            parts.append(f"{counted(self.known, 'archive')} finished before")
        rate = self.pages / max(seconds, 1e-9)
        text = f"{', '.join(parts)}; {seconds:.1f} s, {rate:.0f} pages/s"
        return f"stopped after {text}" if stopped else text
