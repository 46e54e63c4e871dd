"""The states of sites in memory: bounded, and exchanged with a store."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Protocol

from scrapy_boilerplate.sites.state import SiteState

__all__ = ["SiteMemory", "StateStore"]


class StateStore(Protocol):
    """Keeps serialised states of sites between runs, or between workers."""

    def load(self, site: str) -> bytes | None:
        """Return the state of *site*, if there is one."""

    def save(self, site: str, state: bytes) -> bytes:
        """Keep the state of *site*, merged with what is there already (:func:`merge_states`).

        Returns what is there now.
        """


class SiteMemory:
    """The states of many sites, by key.

    There are at most *max_sites*, of *max_bytes* in all. When there are more, those that were not
    used for the longest time leave; the *store*, if there is one, has them still. *replaced* is
    called with the key of a site whose state was replaced or left.
    """

    def __init__(
        self,
        pages: int,
        *,
        store: StateStore | None,
        max_sites: int,
        max_bytes: int,
        replaced: Callable[[str], None],
    ) -> None:
        self._pages = pages
        self.store = store
        self.max_sites = max_sites
        self.max_bytes = max_bytes
        self.evicted = 0
        """Sites that had to leave."""
        self.size = 0
        """Bytes that the states take, about."""
        self._replaced = replaced
        self._states: OrderedDict[str, SiteState] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._unsaved: set[str] = set()

    def __iter__(self) -> Iterator[str]:
        """Iterate over the sites, those not used for the longest time first."""
        return iter(list(self._states))

    def __len__(self) -> int:
        """Return the number of sites."""
        return len(self._states)

    def peek(self, site: str) -> SiteState | None:
        """Return the state of *site* if it is in memory."""
        return self._states.get(site)

    def get(self, site: str) -> SiteState | None:
        """Return the state of *site*, from the store if need be."""
        if site not in self._states:
            stored = self.store.load(site) if self.store is not None else None
            if stored is None:
                return None
            self._states[site] = SiteState.from_bytes(stored, self._pages)
            self._weigh(site)
            self._evict()
        return self._states.get(site)

    def get_or_new(self, site: str) -> SiteState:
        """Return the state of *site*, an empty one if it is not known."""
        state = self.get(site)
        if state is None:
            state = self._states[site] = SiteState(self._pages)
        return state

    def use(self, site: str) -> None:
        """Note that *site* was used just now."""
        self._states.move_to_end(site)

    def changed(self, site: str) -> None:
        """Note that the state of *site* has changed."""
        self._unsaved.add(site)
        self.use(site)
        self._weigh(site)
        self._evict()

    def merge(self, site: str, state: SiteState) -> None:
        """Merge a state into that of *site*."""
        self.get_or_new(site).merge(state)
        self._replaced(site)
        self.changed(site)

    def forget(self, site: str) -> None:
        """Let go of the state of *site*."""
        self._states.pop(site, None)
        self._unsaved.discard(site)
        self.size -= self._sizes.pop(site, 0)
        self._replaced(site)

    def flush(self) -> list[str]:
        """Save every state that has changed to the store, and take over what is there now.

        Returns the sites that others have frozen meanwhile.
        """
        if self.store is None:
            self._unsaved.clear()
            return []
        return [site for site in sorted(self._unsaved) if self._exchange(site, self.store)]

    def _exchange(self, site: str, store: StateStore) -> bool:
        """Save a state, take over the union; return whether the site is frozen only by that."""
        state = self._states[site]
        mine = state.to_bytes()
        union = store.save(site, mine)
        self._unsaved.discard(site)
        if union == mine:
            return False
        self._states[site] = SiteState.from_bytes(union, self._pages)
        self._replaced(site)
        self._weigh(site)
        return bool(self._states[site].frozen) and not state.frozen

    def _weigh(self, site: str) -> None:
        size = self._states[site].size
        self.size += size - self._sizes.get(site, 0)
        self._sizes[site] = size

    def _evict(self) -> None:
        while len(self._states) > 1 and (
            len(self._states) > self.max_sites or self.size > self.max_bytes
        ):
            oldest = next(iter(self._states))
            if self.store is not None and oldest in self._unsaved:
                self.store.save(oldest, self._states[oldest].to_bytes())
            self.forget(oldest)
            self.evicted += 1
