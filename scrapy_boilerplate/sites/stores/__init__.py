"""Where what was learned of sites is kept between runs, and shared by workers: a file a store."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator

from scrapy_boilerplate.sites.learning import LOCK_PAGES
from scrapy_boilerplate.sites.model import SiteModel, StateError
from scrapy_boilerplate.sites.state import SiteState, merge_states

__all__ = ["SiteStore", "StoreError", "open_store"]


class StoreError(Exception):
    """A store cannot be opened, read or written."""


class SiteStore(ABC):
    """Keeps two things of each site: the state of the learner, and a person's rule.

    Whatever fails raises :exc:`StoreError`. *pages* is the most that is remembered of a site. A
    state that is damaged counts as none: the site is learnt anew, and the next one replaces it.
    """

    def __init__(self, pages: int = LOCK_PAGES) -> None:
        self._pages = pages

    def _merged(self, known: bytes | None, state: bytes) -> bytes:
        """Return what to write: both states' union, or the new one if the known is damaged."""
        if known is None:
            return state
        try:
            return merge_states(known, state, self._pages)
        except StateError:
            return state

    def load(self, site: str) -> bytes | None:
        """Return the state of *site*, if there is one that is whole."""
        state = self._state(site)
        try:
            if state is not None:
                SiteState.from_bytes(state, self._pages)
            return state
        except StateError:
            return None

    @abstractmethod
    def _state(self, site: str) -> bytes | None:
        """Return the bytes that are there of *site*."""

    @abstractmethod
    def save(self, site: str, state: bytes) -> None:
        """Merge *state* with what is there of *site*, so that no other worker's part is lost."""

    @abstractmethod
    def sites(self) -> Iterator[str]:
        """Yield the sites that have a state, sorted."""

    @abstractmethod
    def forget(self, site: str) -> bool:
        """Remove state and rule of *site*; return whether there was any."""

    @abstractmethod
    def rules(self) -> dict[str, SiteModel]:
        """Return the rules that were written by hand, by site."""

    def _read_rules(self, rows: Iterable[tuple[str, str | bytes]]) -> dict[str, SiteModel]:
        try:
            return {site: SiteModel.from_dict(json.loads(form)) for site, form in rows}
        except ValueError as error:
            raise StoreError(f"The site store holds a damaged rule: {error}") from error

    @abstractmethod
    def save_rule(self, rule: SiteModel) -> None:
        """Keep a rule in place of what there is."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the connection."""


def open_store(address: str, pages: int = LOCK_PAGES) -> SiteStore:
    """Open the store at *address*: a file's path for SQLite, or ``redis://host:port/database``.

    Raises :exc:`StoreError`, with what to do, if that cannot be.
    """
    scheme = address.partition("://")[0] if "://" in address else "sqlite"
    if scheme in ("redis", "rediss", "unix"):
        from scrapy_boilerplate.sites.stores.redis import RedisStore

        return RedisStore(address, pages)
    if scheme != "sqlite":
        raise StoreError(
            f"Unknown site store {address!r}; give a file's path, or redis://host:port/database"
        )
    from scrapy_boilerplate.sites.stores.sqlite import SQLiteStore

    return SQLiteStore(address.removeprefix("sqlite://"), pages)
