"""Stores that keep learned sites between runs and share them between workers."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from scrapy_boilerplate.core.names import unknown
from scrapy_boilerplate.learn.forms import count_of
from scrapy_boilerplate.learn.learner import SiteLearner
from scrapy_boilerplate.learn.options import FREEZE_PAGES, LearningOptions
from scrapy_boilerplate.learn.site_model import SiteModel, StateError
from scrapy_boilerplate.learn.site_state import SiteState

__all__ = ["SiteStore", "StoreError", "open_store"]

Answer = TypeVar("Answer")
Changes = dict[str, Any]  # new values of a site by table; None to remove what is there

STATES, FORGOTTEN = "states", "forgotten"  # tables: states, generations of forgotten sites
SCHEMES = ("sqlite", "redis", "rediss", "unix")  # of addresses; all but the first are of Redis

MOST_STORE_BYTES = 1 << 30  # default for the most bytes that a store takes

# One class and one fixed mark each, the first one from the start: no backtracking.
_CREDENTIALS = re.compile(r"\A([A-Za-z+]*:?/*)(?=[^@]*@).*@", re.DOTALL)
_SECRET = re.compile(r"([?&][^=&]*(?:pass|user|auth|token|secret|key)[^=&]*=)[^&]*", re.IGNORECASE)


class StoreError(Exception):
    """A store cannot be opened, read or written."""


def shown_address(address: str) -> str:
    """Return an address without user, password and secret options, also if it is mistyped.

    >>> shown_address("redis://:secret@host:6379/0"), shown_address("redis:/me:se/cret@host")
    ('redis://***@host:6379/0', 'redis:/***@host')
    >>> shown_address("redis://host/0?password=secret&db=1"), shown_address("sites.sqlite")
    ('redis://host/0?password=***&db=1', 'sites.sqlite')
    """
    return _SECRET.sub(r"\1***", _CREDENTIALS.sub(r"\1***@", address))


class SiteStore(ABC):
    """Keeps the learner's state of each site.

    Every failure raises :exc:`StoreError`. *pages* is the most pages remembered of a site. A
    damaged state counts as none. A forgotten site keeps a new generation number, so that workers
    that still know the site can tell that their state is out of date.
    """

    def __init__(self, pages: int = FREEZE_PAGES, max_bytes: int = MOST_STORE_BYTES) -> None:
        self._pages, self._max_bytes = pages, max_bytes

    @staticmethod
    def open(address: str | Path, pages: int = FREEZE_PAGES) -> SiteStore:
        """Open the store that a crawl has written: a file, or ``redis://host:port/database``.

        *pages* is the crawl's ``BOILERPLATE_SITE_FREEZE_PAGES``. Use the store in a ``with``
        statement, or close it. Raises :exc:`StoreError` if there is no such file.
        """
        file = str(address).removeprefix("sqlite://")
        if "://" not in file and not Path(file).exists():
            raise StoreError(f"no site store at {shown_address(file)}")
        return open_store(str(address), pages)

    def __enter__(self) -> SiteStore:
        """Return the store, which is closed at the end of the ``with`` statement."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the store."""
        self.close()

    def model(self, site: str) -> SiteModel | None:
        """Return what a crawl would apply to the pages of *site*, such as a host without ``www.``

        ``None`` if nothing is known of it, or nothing could be learned.
        """
        options = LearningOptions(freeze_pages=self._pages)
        return SiteLearner(options, store=self).model(site)

    def load(self, site: str) -> bytes | None:
        """Return the state of *site*; an empty one if it was forgotten, ``None`` if not known."""
        state = self._known(site)
        return state.to_bytes() if state is not None else None

    def _known(self, site: str) -> SiteState | None:
        known = self._get(STATES, site)
        if isinstance(known, bytes):  # a peer may have written anything
            with suppress(StateError):
                return SiteState.from_bytes(known, self._pages)
        generation = 0
        with suppress(ValueError):
            generation = count_of(self._get(FORGOTTEN, site) or 0)
        return SiteState(self._pages, generation) if generation else None

    def save(self, site: str, state: bytes) -> bytes:
        """Merge *state* with what is there of *site*; return what all workers together know."""
        return self.save_all({site: state})[site]

    def save_all(self, states: Mapping[str, bytes]) -> dict[str, bytes]:
        """Save the states of some sites, all of them or none; return what is there now."""

        def merge(site: str) -> tuple[bytes, Changes]:
            state, known = states[site], self._known(site)
            if known is None:
                return state, {STATES: state}
            before = known.to_bytes()
            known.merge(SiteState.from_bytes(state, self._pages))
            union = known.to_bytes()
            return union, {STATES: union} if union != before else {}

        return self._change(merge, *states)

    def sites(self) -> Iterator[str]:
        """Yield the sites that have a state, sorted."""
        return iter(sorted(self._sites()))

    def forget(self, site: str) -> bool:
        """Remove the state of *site*, in workers with their next save; tell if there was any."""

        def remove(site: str) -> tuple[bool, Changes]:
            if self._get(STATES, site) is None:
                return False, {}
            known = self._known(site)
            generation = known.generation + 1 if known is not None else 1
            return True, {STATES: None, FORGOTTEN: generation}

        return self._change(remove, site)[site]

    def writable(self) -> SiteStore:
        """Return this store; of a file that cannot be written, a copy in memory."""
        return self

    @abstractmethod
    def _get(self, table: str, site: str) -> Any:
        """Return what is there of *site* in a table; ``None`` if nothing is."""

    @abstractmethod
    def _sites(self) -> Iterable[str]:
        """Return the sites that have a state."""

    @abstractmethod
    def _change(
        self, decide: Callable[[str], tuple[Answer, Changes]], *sites: str
    ) -> dict[str, Answer]:
        """Make the changes that *decide* returns for each site at once; return its answers."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection."""


def open_store(
    address: str, pages: int = FREEZE_PAGES, max_bytes: int = MOST_STORE_BYTES
) -> SiteStore:
    """Open the store at *address*: a file's path for SQLite, or ``redis://host:port/database``.

    If the store takes more than *max_bytes*, it drops the states that were written longest ago.
    Raises :exc:`StoreError`, which says what to do, if it cannot be opened.
    """
    scheme = address.partition("://")[0] if "://" in address else "sqlite"
    if scheme == "sqlite" and re.match(r"(?:rediss?|unix):", address):  # one slash too few
        scheme = ""
    if scheme not in SCHEMES:  # the rest of the address may hold a password
        raise StoreError(
            f"{unknown('site store', shown_address(scheme), SCHEMES)}; use the path of a file, "
            "or redis://host:port/database"
        )
    if scheme != "sqlite":
        from scrapy_boilerplate.learn.stores.redis import RedisStore

        return RedisStore(address, pages, max_bytes)
    from scrapy_boilerplate.learn.stores.sqlite import SQLiteStore

    return SQLiteStore(address.removeprefix("sqlite://"), pages, max_bytes)
