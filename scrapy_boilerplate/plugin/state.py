"""The shared state of one crawl, and a record of each response's page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import ContextVar, Token
from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, WeakValueDictionary, ref

from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.plugin.choices import Chooser

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from scrapy_boilerplate.core.answer.extraction import Extraction
    from scrapy_boilerplate.core.methods import Extractor
    from scrapy_boilerplate.plugin.extensions import BoilerplateSiteLearning
    from scrapy_boilerplate.plugin.holding.held_items import HeldItems
    from scrapy_boilerplate.plugin.holding.store import HeldAnswer, HeldPage
    from scrapy_boilerplate.plugin.next_pages import FurtherPages


class PageRecord:
    """A page, what was found on it, and its items on their way to the pipeline."""

    def __init__(self, response: Response | None = None) -> None:
        self._response = ref(response) if response is not None else None
        self.read: Page | None = None
        """The page, once an item has needed it."""
        self.answers: list[tuple[tuple[Extractor, bool], Extraction | None]] = []
        """What was found, by extractor and whether in the whole page; ``None`` if it has failed."""
        self.held_answer: HeldAnswer | None = None
        """What is kept of the page since it was held."""
        self.is_taught = False
        """Whether the site has learned from the page, or should not."""
        self.held: HeldPage | None = None
        """Where items of the page wait, or have waited."""
        self.goes_at_once = False
        """Whether it is the first page of a site and does not wait."""
        self.came_before: HeldPage | None = None
        """What an earlier run has left of the same request."""
        self.further: FurtherPages | None = None
        """The further pages of its article, if an item asks for them."""
        self.kept_response: Response | None = None
        """The response of a further page, which no item keeps alive."""
        self.items: dict[int, tuple[object, int]] = {}
        """Items by their identity, and how often each was yielded. They are kept here, so that no
        other object can get the same identity meanwhile."""

    @property
    def response(self) -> Response | None:
        """The response; ``None`` if all its items are done, or if an item holds its own page."""
        return self._response() if self._response is not None else None

    @property
    def page(self) -> Page:
        """The page, which was read."""
        assert self.read is not None
        return self.read

    def free_tree(self) -> None:
        """Free the tree of a page over budget, once no item is on its way to it.

        The spider's own selectors do not use that tree, and many responses can be alive at once. An
        item that comes later reads it again.
        """
        page = self.read
        if page is None or self.items or not page.over_budget or page.read_again is None:
            return
        light = self.read = page.without_tree()
        light.read_again = page.read_again
        self.answers = [(by, found and found.on(light)) for by, found in self.answers]


class _Followed:
    """An item that is in the item pipelines, even if they replace it; the context they run in."""

    def __init__(
        self, record: ref[PageRecord] | None = None, held: tuple[HeldPage, int] | None = None
    ) -> None:
        self.record = record
        self.held = held  # its page and number, if it was held

    def __enter__(self) -> None:
        self._token: Token[_Followed] = _followed.set(self)

    def __exit__(self, *error: object) -> None:
        _followed.reset(self._token)


_followed: ContextVar[_Followed] = ContextVar("boilerplate_item", default=_Followed())  # noqa: B039


class CrawlState:
    """The state that the components of one crawl share; the crawler owns it.

    Remembers the response of each item until the pipeline asks for it. This keeps no response
    alive: when Scrapy frees it, its record goes too.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = ref(crawler)
        self.is_checked = False
        """Whether the settings were found to be right."""
        self.can_hold = False
        """Whether the item processor is ours, without which nothing may be held."""
        self.learning: BoilerplateSiteLearning | None = None
        """The component that learns sites, if items should wait for it."""
        self.held_items: HeldItems | None = None
        """Holds items until their site is learned, once the pipelines are open."""
        self.fill: Callable[[object, Response], Awaitable[object]] | None = None
        """Fills an item of a response, once the pipeline is open."""
        # The response owns its record, which owns the items: no entry can outlive the response.
        self._by_response: WeakKeyDictionary[Response, PageRecord] = WeakKeyDictionary()
        self._by_item: WeakValueDictionary[int, PageRecord] = WeakValueDictionary()

    @classmethod
    def of(cls, crawler: Crawler) -> CrawlState:
        """Return the state of a crawl."""
        own = vars(crawler)
        if "_boilerplate" not in own:
            own["_boilerplate"] = cls(crawler)
        state: CrawlState = own["_boilerplate"]
        return state

    def __len__(self) -> int:
        """Return how many responses are remembered."""
        return len(self._by_response)

    @cached_property
    def chooser(self) -> Chooser:
        """The choices of what items get, once the spider is there."""
        crawler = self._crawler()
        assert crawler is not None
        return Chooser(crawler.settings, crawler.spider)

    def record(self, response: Response) -> PageRecord:
        """Return the record of a response."""
        record = self._by_response.get(response)
        if record is None:
            record = self._by_response[response] = PageRecord(response)
        return record

    def remember(self, item: object, response: Response) -> PageRecord:
        """Note that *item* came from *response*; return its record."""
        record = self.record(response)
        times = record.items.get(id(item), (item, 0))[1]
        record.items[id(item)] = (item, times + 1)
        self._by_item[id(item)] = record
        return record

    def following(self, item: object) -> _Followed:
        """Follow *item* through the item pipelines, also if a pipeline replaces it."""
        record = self._take(item)
        here = ref(record) if record is not None else None
        return _Followed(here, _followed.get().held)

    def take(self, item: object) -> PageRecord | None:
        """Return the record of an item's page and forget the item; ``None`` without a page."""
        followed = _followed.get().record
        return self._take(item) or (followed() if followed is not None else None)

    def _take(self, item: object) -> PageRecord | None:
        record = self._by_item.get(id(item))
        if record is None:
            return None
        times = record.items[id(item)][1]
        if times > 1:
            record.items[id(item)] = (item, times - 1)
        else:
            del record.items[id(item)], self._by_item[id(item)]
        return record


def sending(page: HeldPage, number: int) -> _Followed:
    """Say that the item which is sent to the item pipelines here was held, and where."""
    return _Followed(held=(page, number))


def sent() -> tuple[HeldPage, int] | None:
    """Return page and number of the item that is in the item pipelines here, if it was held."""
    return _followed.get().held
