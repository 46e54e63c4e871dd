"""Finds the page that an item came from: spider middlewares are told, item pipelines are not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary, WeakValueDictionary, ref

from scrapy_boilerplate.core.page import Page

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from scrapy_boilerplate.core.answer.extraction import Extraction
    from scrapy_boilerplate.core.methods import Extractor


class Known(NamedTuple):
    """The held page of an item, and its site's model."""

    found: Callable[[Page, Extractor], Extraction | None]
    """Returns what a method found on the page when that came; ``None`` if it was not asked."""

    page: Page | None = None
    """The page as it was read then, if that is kept."""


class Reading(NamedTuple):
    """A page and what was extracted from it so far."""

    page: Page
    extractions: list[tuple[tuple[Extractor, bool], Extraction | None]]
    """What was found, by extractor and whether in the whole page; ``None`` if it has failed."""

    known: Known | None = None
    """What is known of the page from when it was held; ``None`` for a page that was not."""


class Origin:
    """A response, and what its items share."""

    def __init__(self, response: Response) -> None:
        self._response = ref(response)
        self.reading: Reading | None = None
        """The response's page, once an item has needed it."""
        self.known: Known | None = None
        """See :attr:`Reading.known`."""
        self.items: dict[int, tuple[object, int]] = {}
        """Items on their way to the pipeline by their identity, and how often each was yielded.
        They are kept here, so that no other object can get the same identity meanwhile."""

    @property
    def response(self) -> Response | None:
        """The response, or ``None`` if all its items are done."""
        return self._response()


class _Journey(NamedTuple):
    """An item on its way through the item pipelines, even if they replace it."""

    origin: ref[Origin] | None = None
    held: int | None = None  # its number, if it was held


_journey: ContextVar[_Journey] = ContextVar("boilerplate_journey", default=_Journey())  # noqa: B039
"""The item that is on its way in this context."""


class Origins:
    """Remembers the response of each item of one crawl until the pipeline asks for it.

    This keeps no response alive: when Scrapy frees it, what was remembered goes too.
    """

    def __init__(self) -> None:
        # The response owns its origin, which owns the items: no entry can outlive the response.
        self._by_response: WeakKeyDictionary[Response, Origin] = WeakKeyDictionary()
        self._by_item: WeakValueDictionary[int, Origin] = WeakValueDictionary()

    def __len__(self) -> int:
        """Return how many responses are remembered."""
        return len(self._by_response)

    def remember(self, item: object, response: Response, known: Known | None = None) -> None:
        """Note that *item* came from *response*; see :attr:`Reading.known`."""
        origin = self.of(response)
        if known is not None:
            origin.known = known
        times = origin.items.get(id(item), (item, 0))[1]
        origin.items[id(item)] = (item, times + 1)
        self._by_item[id(item)] = origin

    def of(self, response: Response) -> Origin:
        """Return what the items of *response* share."""
        origin = self._by_response.get(response)
        if origin is None:
            origin = self._by_response[response] = Origin(response)
        return origin

    @contextmanager
    def following(self, item: object) -> Iterator[None]:
        """Follow *item* through the item pipelines, also if a pipeline replaces it."""
        origin = self._take(item)
        here = ref(origin) if origin is not None else None
        token = _journey.set(_Journey(here, _journey.get().held))
        try:
            yield
        finally:
            _journey.reset(token)

    def take(self, item: object) -> Origin | None:
        """Return where *item* came from and forget it; ``None`` if that is not known."""
        followed = _journey.get().origin
        return self._take(item) or (followed() if followed is not None else None)

    def _take(self, item: object) -> Origin | None:
        origin = self._by_item.get(id(item))
        if origin is None:
            return None
        times = origin.items[id(item)][1]
        if times > 1:
            origin.items[id(item)] = (item, times - 1)
        else:
            del origin.items[id(item)], self._by_item[id(item)]
        return origin


_ORIGINS: WeakKeyDictionary[Crawler, Origins] = WeakKeyDictionary()


def origins_of(crawler: Crawler) -> Origins:
    """Return what the components of a crawl share."""
    return _ORIGINS.setdefault(crawler, Origins())


@contextmanager
def sending(number: int) -> Iterator[None]:
    """Say that the item which is sent to the item pipelines here was held under that number."""
    token = _journey.set(_Journey(held=number))
    try:
        yield
    finally:
        _journey.reset(token)


def sent() -> int | None:
    """Return the number under which the item that is on its way here was held, if it was."""
    return _journey.get().held
