"""What is known of the page of each response, and the response of each item."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary, WeakValueDictionary, ref

from itemadapter import ItemAdapter
from scrapy.http import Response, TextResponse

from scrapy_boilerplate.core.page import Page

if TYPE_CHECKING:
    from twisted.internet.defer import Deferred

    from scrapy_boilerplate.core.answer.extraction import Extraction
    from scrapy_boilerplate.core.methods import Extractor

ADDRESS_FIELDS = ("url", "link", "uri", "page_url", "source_url")
"""Fields that may hold the address of an item's page; the first one that does decides."""

MOST_ADDRESSES = 10_000
"""Addresses of responses that are remembered: those fetched last."""


@dataclass(slots=True)
class FurtherPages:
    """The further pages of an article that begins on the page of a response."""

    records: list[PageRecord] = field(default_factory=list)
    """The pages, in order; they keep their responses alive."""
    is_cut: bool = False
    """Whether a page is missing: it failed, the crawl ended, or there are too many."""
    joined: dict[int, Extraction] = field(default_factory=dict)
    """The answers for all pages, by the identity of that for the first."""
    waiting: list[Deferred[None]] | None = field(default_factory=list)
    """Items that wait for the pages; ``None`` when all are there."""


class _Yielded(NamedTuple):
    """An item on its way to the pipeline, kept so that no other object gets its identity."""

    item: object
    times: int
    """How often it was yielded."""
    is_elsewhere: bool
    """Whether it has the address of another response than its callback's."""
    elsewhere: Response | None
    """That response; ``None`` if it is gone."""


@dataclass(slots=True, eq=False, repr=False)
class PageRecord:
    """A page, what was found on it, and the items of its callback on their way to the pipeline."""

    read: Page | None = None
    """The page, once an item has needed it."""
    answers: list[tuple[tuple[Extractor, bool], Extraction | None]] = field(default_factory=list)
    """What was found, by extractor and whether in the whole page; ``None`` if it has failed."""
    teaches: bool = True
    """Whether the site may learn from the page."""
    is_fragment: bool = False
    """Whether it is a part of a page, to which the site's model does not apply."""
    further: FurtherPages | None = None
    """The further pages of its article, if an item asks for them."""
    kept_response: Response | None = None
    """The response of a further page, which no item keeps alive."""
    items: dict[int, _Yielded] = field(default_factory=dict)
    """Items by their identity."""

    @property
    def page(self) -> Page:
        """The page, which was read."""
        assert self.read is not None
        return self.read


class Records:
    """Finds the response of an item, and the record of a response.

    Keeps no response alive: when Scrapy frees it, its record and the items in that go, too.
    """

    def __init__(self) -> None:
        # The response owns its record, which owns the items: no entry can outlive the response.
        self._by_response: WeakKeyDictionary[Response, PageRecord] = WeakKeyDictionary()
        self._by_item: WeakValueDictionary[int, Response] = WeakValueDictionary()
        self._by_address: OrderedDict[str, ref[Response]] = OrderedDict()

    def of(self, response: Response) -> PageRecord:
        """Return the record of a response."""
        record = self._by_response.get(response)
        if record is None:
            record = self._by_response[response] = PageRecord()
        return record

    def fetched(self, response: Response) -> None:
        """Note the addresses of a response that the crawl has fetched."""
        if not isinstance(response, TextResponse):
            return
        weak: ref[Response] = ref(response)
        for address in addresses_of(response):
            self._by_address[address] = weak
            self._by_address.move_to_end(address)
        while len(self._by_address) > MOST_ADDRESSES:
            self._by_address.popitem(last=False)

    def was_fetched(self, address: str | None) -> bool:
        """Return whether the crawl has fetched an address lately."""
        return address in self._by_address

    # -- items -------------------------------------------------------------------------------

    def remember(self, item: object, response: Response) -> None:
        """Note that the callback of *response* has yielded *item*.

        Raises whatever the item raises when it is asked for its address; it is noted then.
        """
        items = self.of(response).items
        known = items.get(id(item))
        times = 1 if known is None else known.times + 1
        items[id(item)] = _Yielded(item, times, False, None)
        self._by_item[id(item)] = response
        address = address_of(item)
        if self.was_fetched(address):
            other = self._at(address)
            if other is not response and address not in addresses_of(response):
                items[id(item)] = _Yielded(item, times, True, other)

    def take(self, item: object) -> Response | None:
        """Return the response that an item is about, and forget the item.

        It is the one whose address the item has, if the crawl has fetched that, else the
        callback's; ``None`` if there is none, or if it is gone.
        """
        callback = self._by_item.get(id(item))
        if callback is None:  # of no callback, or in place of an item of one
            return self._at(address_of(item))
        items = self.of(callback).items
        known = items[id(item)]
        if known.times > 1:
            items[id(item)] = known._replace(times=known.times - 1)
        else:
            del items[id(item)], self._by_item[id(item)]
        return known.elsewhere if known.is_elsewhere else callback

    def _at(self, address: str | None) -> Response | None:
        known = None if address is None else self._by_address.get(address)
        return None if known is None else known()


def addresses_of(response: Response) -> set[str]:
    """Return the addresses of a response, before and after redirections, without fragments."""
    found = [response.url]
    if response.request is not None:
        found += [response.request.url, *response.request.meta.get("redirect_urls", ())]
    return {str(each).partition("#")[0] for each in found}


def address_of(item: object) -> str | None:
    """Return the address of its page that an item holds, without a fragment."""
    if not ItemAdapter.is_item(item):
        return None
    adapter = ItemAdapter(item)
    for name in ADDRESS_FIELDS:
        value = value_of(adapter, name)
        if isinstance(value, str) and value:
            return value.partition("#")[0]
    return None


def value_of(adapter: ItemAdapter, name: str) -> object:
    """Return a field's value; ``None`` without a value or without that field."""
    try:
        return adapter[name]
    except (KeyError, AttributeError):  # the latter where a class leaves a field without a value
        return None
