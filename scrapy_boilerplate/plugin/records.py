"""What is known of the page of each response, and the response of each item."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import NamedTuple
from weakref import WeakKeyDictionary, WeakValueDictionary, ref

from itemadapter import ItemAdapter
from scrapy.http import Response, TextResponse
from twisted.internet.defer import Deferred

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.core.page import Page

# Those that may hold the address of an item's page; the first one that does decides.
ADDRESS_FIELDS = ("url", "link", "uri", "page_url", "source_url")

MOST_ADDRESSES = 10_000  # that are remembered: those fetched last


@dataclass(slots=True)
class FurtherPages:
    # In order; they keep their responses alive
    records: list[PageRecord] = field(default_factory=list)
    is_cut: bool = False  # a page failed, the crawl ended, or there are too many
    # By the identity of the answer for the first page
    joined: dict[int, Extraction] = field(default_factory=dict)
    # Items; None when all pages are there
    waiting: list[Deferred[None]] | None = field(default_factory=list)


class _Yielded(NamedTuple):
    """An item on its way, kept so that no other object gets its identity."""

    item: object
    times: int  # how often it was yielded
    is_elsewhere: bool  # it has the address of another response than its callback's …
    elsewhere: Response | None  # … namely this; None if that is gone


@dataclass(slots=True, eq=False, repr=False)
class PageRecord:
    """A page, what was found on it, and the items of its callback on their way to the pipeline."""

    read: Page | None = None  # once an item has needed it
    # By extractor and whether in the whole page; None if it has failed
    answers: list[tuple[tuple[Extractor, bool], Extraction | None]] = field(default_factory=list)
    teaches: bool = True  # the site may learn from it
    is_fragment: bool = False  # a part, to which the site's model does not apply
    further: FurtherPages | None = None  # if an item asks for them
    kept_response: Response | None = None  # of a further page, which no item keeps alive
    items: dict[int, _Yielded] = field(default_factory=dict)  # by identity

    @property
    def page(self) -> Page:
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
        return address in self._by_address

    # -- items -------------------------------------------------------------------------------

    def remember(self, item: object, response: Response) -> None:
        """Note an item of a callback; it may raise anything when it is asked for its address."""
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
        """Return the response of the item's address, else of its callback; forget the item."""
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
