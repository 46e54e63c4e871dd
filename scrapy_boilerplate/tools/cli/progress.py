"""A run as its user sees it: a progress bar on a terminal, messages, counts by outcome."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping
from time import monotonic
from typing import Any

from tqdm import tqdm

from scrapy_boilerplate.tools.places import whole_file
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
    """Counts pages by outcome, and archives."""

    def __init__(self) -> None:
        self.failed = self.empty = self.known = self.read = self.broken = 0
        self.duplicates = self.strays = 0
        self.outcomes = Counter[str]()
        self._began = self._written = monotonic()

    def add(self, reason: str, pages: int = 1, *, failed: bool) -> None:
        """Count pages: those with text, or why they have none."""
        self.outcomes[reason.partition(":")[0] or "text"] += pages
        self.failed += pages * failed
        self.empty += pages * bool(reason and not failed)

    def line(self, *, stopped: bool) -> str:
        """Return the last line of a run."""
        pages, seconds = self.outcomes.total() + self.broken, monotonic() - self._began
        parts = [counted(pages, "page"), f"{self.failed + self.broken} failed"]
        if self.empty:
            parts.append(f"{self.empty} without text")
        if self.duplicates:
            parts.append(f"{counted(self.duplicates, 'duplicate')} left out")
        if self.known:
            parts.append(f"{counted(self.known, 'archive')} finished before")
        rate = pages / max(seconds, 1e-9)
        text = f"{', '.join(parts)}; {seconds:.1f} s, {rate:.0f} pages/s"
        return f"stopped after {text}" if stopped else text

    def write(self, path: str, *, at_once: bool = False) -> None:
        """Write all counts to a file, every ten seconds or *at_once*.

        It holds JSON, or Prometheus's text if its name ends in ``.prom``.
        """
        now = monotonic()
        if not at_once and now - self._written < _WRITE_EVERY:
            return
        self._written = now
        values = {
            "pages": dict(self.outcomes),
            "archives": {"read": self.read, "finished": self.known, "broken": self.broken},
            "duplicates": self.duplicates,
            "seconds": round(now - self._began, 3),
        }
        is_text = path.partition("?")[0].endswith(".prom")
        data = _prometheus(values) if is_text else json.dumps(values, indent=1) + "\n"
        with whole_file(path) as file:
            file.write(data.encode())


_WRITE_EVERY = 10.0  # seconds


def _prometheus(values: Mapping[str, Any]) -> str:
    r"""Return counts in the format that Prometheus reads.

    >>> print(_prometheus({"pages": {"text": 2}, "seconds": 0.5}), end="")
    # TYPE scrapy_boilerplate_pages gauge
    scrapy_boilerplate_pages{outcome="text"} 2
    # TYPE scrapy_boilerplate_seconds gauge
    scrapy_boilerplate_seconds 0.5
    """
    lines = []
    for name, value in values.items():
        lines.append(f"# TYPE scrapy_boilerplate_{name} gauge")
        for outcome, number in value.items() if isinstance(value, dict) else [("", value)]:
            label = f'{{outcome="{outcome}"}}' if outcome else ""
            lines.append(f"scrapy_boilerplate_{name}{label} {number}")
    return "\n".join([*lines, ""])
