"""The choice to hold a site's first page: in a broad crawl hardly any has a second one."""

from __future__ import annotations

from collections import deque

LOOKED_AT = 200
"""Sites that are looked back at."""
_IN_VAIN = 0.9
"""Share of them whose first page has waited in vain, from which on others do not wait."""
_SAMPLE = 10
"""One site in so many waits in any case, which shows whether that is still so."""


class FirstPages:
    """Counts the sites of which no second page came while the first one waited.

    >>> first_pages = FirstPages()
    >>> for number in range(LOOKED_AT):
    ...     first_pages.waits(f"{number}.example")
    ...     first_pages.goes(f"{number}.example", pages=1)
    >>> [first_pages.should_wait() for _ in range(10)].count(True)
    1
    """

    def __init__(self) -> None:
        self._in_vain: deque[bool] = deque(maxlen=LOOKED_AT)
        self._waiting: set[str] = set()
        self._passed = 0

    def waits(self, site: str) -> None:
        """Note that the first page of a site waits."""
        self._waiting.add(site)

    def goes(self, site: str, pages: int) -> None:
        """Note that the items of a site go on, and of how many pages they are."""
        if site in self._waiting:
            self._waiting.remove(site)
            self._in_vain.append(pages == 1)

    @property
    def wait_in_vain(self) -> bool:
        """Whether nearly all first pages of late have waited in vain."""
        return len(self._in_vain) == LOOKED_AT and sum(self._in_vain) >= _IN_VAIN * LOOKED_AT

    def should_wait(self) -> bool:
        """Return whether the first page of another site should wait."""
        if not self.wait_in_vain:
            return True
        self._passed += 1
        return self._passed % _SAMPLE == 0
