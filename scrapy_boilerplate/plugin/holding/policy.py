"""Limits of holding: how many pages of a site, and for how long. Knows no Scrapy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from time import monotonic
from typing import NamedTuple

MOST_PAGES = 25
"""Most pages of a site that are held."""

MOST_BYTES = 256_000_000
"""Most bytes that held pages and items take on disk."""

_MOST_NAMED = 5
"""Sites that a line of the log names."""


class Bounds(NamedTuple):
    """The bounds of what is held."""

    pages: int
    """Pages of a site."""
    size: int
    """Bytes on disk, of all sites."""
    seconds: float
    """Seconds that a site holds pages, from its first one on."""


@dataclass(slots=True)
class _HeldSite:
    """The held pages of one site."""

    since: float
    pages: int = 0
    items: int = 0
    size: int = 0


class HoldingPolicy:
    """Counts what is held, and says what may be and what must go.

    *clock* gives the time in seconds.

    >>> policy = HoldingPolicy(Bounds(pages=2, size=1000, seconds=60))
    >>> policy.admits("a.example", 100)
    True
    >>> policy.add("a.example", pages=2, items=2, size=200)
    >>> policy.is_full("a.example")
    True
    """

    def __init__(self, bounds: Bounds, clock: Callable[[], float] = monotonic) -> None:
        self.bounds = bounds
        self.items = 0
        """Items that are held now."""
        self._clock = clock
        self._size = 0
        self._held: dict[str, _HeldSite] = {}  # by site, in the order of their first pages
        self._done: set[str] = set()  # sites whose items are not held any more

    def holds(self, site: str) -> bool:
        """Return whether anything of *site* is held."""
        return site in self._held

    def pages(self, site: str) -> int:
        """Return how many pages of *site* are held."""
        held = self._held.get(site)
        return held.pages if held is not None else 0

    def is_open(self, site: str) -> bool:
        """Return whether *site* may still be held."""
        return site not in self._done and min(self.bounds.pages, self.bounds.seconds) > 0

    def has_plenty(self, size: int) -> bool:
        """Return whether less than a quarter of the bytes is taken with *size* more."""
        return 4 * (self._size + size) < self.bounds.size

    def admits(self, site: str, size: int) -> bool:
        """Return whether *size* more bytes of *site* may be held."""
        return self.is_open(site) and self._size + size <= self.bounds.size

    def add(self, site: str, *, pages: int = 0, items: int = 0, size: int = 0) -> None:
        """Add to what is held of *site*; negative numbers take away."""
        held = self._held.get(site)
        if held is None:
            held = self._held[site] = _HeldSite(self._clock())
        held.pages += pages
        held.items += items
        held.size += size
        self.items += items
        self._size += size

    def is_full(self, site: str) -> bool:
        """Return whether *site* holds as many pages as it may."""
        return site in self._held and self.pages(site) >= self.bounds.pages

    def overdue(self) -> list[str]:
        """Return the sites that hold pages for too long."""
        before = self._clock() - self.bounds.seconds
        late = []
        for site, held in self._held.items():
            if held.since > before:  # and so are the later ones
                break
            late.append(site)
        return late

    def sites(self) -> list[str]:
        """Return the sites with held items, in the order of their first pages."""
        return list(self._held)

    def remove(self, site: str, *, for_good: bool = True) -> None:
        """Note that nothing of *site* is held any more; *for_good*: and that nothing will be."""
        if for_good:
            self._done.add(site)
        held = self._held.pop(site, None)
        if held is not None:
            self.items -= held.items
            self._size -= held.size

    # -- for the log -------------------------------------------------------------------------

    @property
    def seconds_left(self) -> float:
        """Seconds until all that is held now is gone at the latest."""
        if not self._held:
            return 0.0
        last = next(reversed(self._held.values()))
        return max(0.0, last.since + self.bounds.seconds - self._clock())

    def names(self) -> str:
        """Return the sites that hold items, the first few by name, with their items."""
        first = islice(self._held.items(), _MOST_NAMED)
        named = [f"{site} ({held.items})" for site, held in first]
        more = len(self._held) - len(named)
        return ", ".join(named) + (f" and {more} more" if more else "")

    def __len__(self) -> int:
        """Return the number of sites with held items."""
        return len(self._held)
