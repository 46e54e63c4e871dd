"""A run as its user sees it: a progress bar on a terminal, messages, counts by outcome."""

from __future__ import annotations

import sys
from time import monotonic

from tqdm import tqdm

from scrapy_boilerplate.tools.tables import counted, printable

tqdm.monitor_interval = 0  # no thread beside the processes that are started


def bar(what: str, total: int | None, *, hidden: bool = False) -> tqdm[None]:
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
    def __init__(self) -> None:
        self.pages = self.failed = self.empty = self.known = self.strays = 0
        self._began = monotonic()

    def add(self, reason: str, *, failed: bool) -> None:
        self.pages += 1
        self.failed += failed
        self.empty += bool(reason and not failed)

    def line(self, *, stopped: bool) -> str:
        seconds = monotonic() - self._began
        parts = [counted(self.pages, "page"), f"{self.failed} failed"]
        if self.empty:
            parts.append(f"{self.empty} without text")
        if self.known:
            parts.append(f"{counted(self.known, 'archive')} finished before")
        rate = self.pages / max(seconds, 1e-9)
        text = f"{', '.join(parts)}; {seconds:.1f} s, {rate:.0f} pages/s"
        return f"stopped after {text}" if stopped else text
