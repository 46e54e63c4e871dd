"""Pages that a run which was killed has left in the job directory, and that may come again."""

from __future__ import annotations

import json
import zlib
from collections import Counter, defaultdict, deque
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from scrapy.utils.request import fingerprint

from scrapy_boilerplate.plugin.holding.forms import pack_item

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from scrapy_boilerplate.plugin.holding.store import HeldPage


def request_key(crawler: Crawler, request: Request | None) -> str:
    """Return what tells a request from others: its fingerprint, callback and arguments."""
    if request is None:
        return ""
    fingerprinter = crawler.request_fingerprinter
    identity = fingerprinter.fingerprint(request) if fingerprinter else fingerprint(request)
    callback = getattr(request.callback, "__name__", None)
    arguments = json.dumps(request.cb_kwargs, sort_keys=True, default=repr)
    return f"{identity.hex()} {callback} {arguments}"


class Leftovers:
    """Knows the pages of an earlier run by their requests.

    After a kill Scrapy may request a page again although its items are held: it reads its requests
    from disk as they were before. The page that comes again replaces the held one. If an item of
    the held page was sent on in the meantime, one equal item is not sent again.
    """

    def __init__(self, pages: Iterable[HeldPage] = ()) -> None:
        self._by_request: defaultdict[str, deque[HeldPage]] = defaultdict(deque)
        self._untaught: defaultdict[str, list[HeldPage]] = defaultdict(list)
        self._sent: defaultdict[int, Counter[int]] = defaultdict(Counter)
        self._again: WeakKeyDictionary[Response, HeldPage] = WeakKeyDictionary()
        self._numbers = set()
        for page in pages:
            self._numbers.add(page.number)
            self._untaught[page.site].append(page)
            if page.request:
                self._by_request[page.request].append(page)

    def __bool__(self) -> bool:
        """Return whether any page is left that may come again."""
        return bool(self._by_request)

    def __contains__(self, page: int) -> bool:
        """Return whether a page is of an earlier run."""
        return page in self._numbers

    def untaught(self, site: str) -> list[HeldPage]:
        """Return the pages of *site* that this run did not learn from yet, each once."""
        return self._untaught.pop(site, [])

    def again(self, response: Response, crawler: Crawler) -> HeldPage | None:
        """Return the page that comes again with *response*; ``None`` if called before for it."""
        if not self._by_request or response in self._again:
            return None
        request = request_key(crawler, response.request)
        if request not in self._by_request:
            return None
        pages = self._by_request[request]
        page = self._again[response] = pages.popleft()
        if not pages:
            del self._by_request[request]
        return page

    def note(self, page: int, item: str, response: Response) -> None:
        """Note that an item, packed, of a page of an earlier run is sent on."""
        self._sent[page][_digest(item, response)] += 1

    def has_sent(self, item: object, response: Response) -> bool:
        """Return whether an equal item of the same page was sent on already; once for each.

        Raises :exc:`CannotStoreError` for an item that can never have been held.
        """
        page = self._again.get(response)
        sent = self._sent.get(page.number) if page is not None else None
        if not sent:
            return False
        digest = _digest(pack_item(item), response)
        if sent[digest] <= 0:
            return False
        sent[digest] -= 1
        return True


def _digest(item: str, response: Response) -> int:
    return hash((item, zlib.crc32(response.body)))
