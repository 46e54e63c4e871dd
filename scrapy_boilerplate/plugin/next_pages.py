"""Fetches the further pages of an article, for items that ask for all of them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeAlias
from urllib.parse import urljoin, urlsplit

from itemadapter import ItemAdapter
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.asyncio import create_looping_call
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred, DeferredList, FirstError
from w3lib.url import safe_url_string

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.answer.joining import is_continuation
from scrapy_boilerplate.plugin._scrapy import is_closing, note_as_seen
from scrapy_boilerplate.plugin.page_reader import ItemPages
from scrapy_boilerplate.plugin.records import FurtherPages, PageRecord
from scrapy_boilerplate.plugin.reports import Reports

Find: TypeAlias = Callable[[PageRecord], Extraction | None]

logger = logging.getLogger(__name__)

MOST_JOINED = 20  # pages of one item

# Keys of `meta` that do not hold for another page
_OF_ONE_REQUEST = (
    *("redirect_times", "redirect_ttl", "redirect_urls", "redirect_reasons", "retry_times"),
    *("download_latency", "is_start_request", "rule", "link_text", "playwright_page"),
)

# Those that middlewares set again, or that belong to a form.
_COMPUTED_HEADERS = ("Cookie", "Content-Type", "Content-Length")

_LOOK_SECONDS = 0.5  # how often it looks whether the spider closes


class _MissingPageError(Exception):
    """The reason why a page cannot be had, in words."""


class _IsClosing:
    """A flag that is true while the spider closes."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    def __bool__(self) -> bool:
        return is_closing(self._crawler)


class NextPages:
    """Fetches the pages of an article one after another, by the engine of the crawl."""

    def __init__(self, crawler: Crawler, pages: ItemPages, reports: Reports) -> None:
        self._crawler = crawler
        self._pages = pages
        self._reports = reports
        settings = crawler.settings
        self._max_depth = settings.getint("DEPTH_LIMIT")
        self._max_redirects = (
            settings.getint("REDIRECT_MAX_TIMES") if settings.getbool("REDIRECT_ENABLED") else 0
        )

    async def follow(self, record: PageRecord, response: Response, find: Find) -> None:
        """Fetch the further pages of a response's page, once for all its items."""
        further = record.further
        if further is None:
            further = record.further = FurtherPages()
            try:
                await self._follow(further, record, response, find)
            except Exception as error:
                further.is_cut = True
                self._reports.error(error, "Following the pages of an article", response.url)
            finally:
                waiting, further.waiting = further.waiting or [], None
                for each in waiting:
                    each.callback(None)
        elif further.waiting is not None:
            further.waiting.append(Deferred())
            await maybe_deferred_to_future(further.waiting[-1])

    async def _follow(
        self, further: FurtherPages, record: PageRecord, response: Response, find: Find
    ) -> None:
        first = find(record)
        answers = [first] if first is not None else []
        seen, depth = {response.url}, int(response.meta.get("depth", 0))
        while answers and (url := answers[-1].next_page) and url not in seen:
            seen.add(url)
            try:
                if len(answers) == MOST_JOINED:
                    raise _MissingPageError(f"an item has at most {MOST_JOINED} pages")
                new = await self._fetch(url, response, depth + len(answers))
                if new.url in seen - {url}:  # a redirection may lead back
                    return None
                seen.add(new.url)
                new_record = PageRecord(teaches=False, kept_response=new)  # only first pages teach
                found = self._read(new_record, new, find)
            except _MissingPageError as error:
                return self._miss(further, url, str(error))
            if not is_continuation(answers, found):
                return self._reports.count("pages/other")
            further.records.append(new_record)
            answers.append(found)
            self._reports.count("pages/joined")
        return None

    def _read(self, record: PageRecord, response: Response, find: Find) -> Extraction:
        """Return what is found on a further page, or raise :exc:`_MissingPageError`."""
        read = self._pages.read(ItemAdapter({}), record, response)
        found = find(read) if read is not None else None
        if found is None or found.kind in ("blocked", "empty", "not_html"):
            raise _MissingPageError(f"its kind is {found.kind}" if found else "it was not read")
        return found

    async def _fetch(self, url: str, before: Response, depth: int) -> Response:
        """Return the response of a further page, or raise :exc:`_MissingPageError`."""
        assert self._crawler.engine is not None
        if 0 < self._max_depth < depth:
            raise _MissingPageError(f"DEPTH_LIMIT is {self._max_depth}")
        for _ in range(1 + self._max_redirects):
            if is_closing(self._crawler):
                raise _MissingPageError("the spider is closing")
            # A page chooses the address, and a server may redirect it: never to another server.
            if _server(url) != _server(before.url):
                raise _MissingPageError("it leads to another server")
            request = request_like(before, url, depth)
            request.meta.setdefault("dont_retry", _IsClosing(self._crawler))
            try:
                response = await self._download(request)
            except _MissingPageError:
                raise
            except Exception as error:  # of any downloader middleware
                raise _MissingPageError(f"{type(error).__name__}: {error}") from error
            location = response.headers.get("Location") if 300 <= response.status < 400 else None
            if location is None:
                break
            url = urljoin(url, safe_url_string(location))
        if not 200 <= response.status < 300:
            raise _MissingPageError(f"HTTP status {response.status}")
        if _server(response.url) != _server(before.url):  # a browser follows by itself
            raise _MissingPageError("it leads to another server")
        note_as_seen(self._crawler, request)
        return response

    async def _download(self, request: Request) -> Response:
        """Return the response of *request*, or raise :exc:`_MissingPageError` at the stop."""
        assert self._crawler.engine is not None
        closing: Deferred[Response] = Deferred()

        def look() -> None:
            if is_closing(self._crawler) and not closing.called:
                closing.errback(_MissingPageError("the spider is closing"))

        clock = create_looping_call(look)
        clock.start(_LOOK_SECONDS, now=False)
        found = deferred_from_coro(self._crawler.engine.download_async(request))
        either = DeferredList([found, closing], True, True, consumeErrors=True)
        try:
            response, _ = await maybe_deferred_to_future(either)
        except FirstError as error:
            error.subFailure.raiseException()
        finally:
            clock.stop()
        return response

    def _miss(self, further: FurtherPages, url: str, reason: str) -> None:
        further.is_cut = True
        self._reports.count("pages/failed")
        first = self._reports.first_time("missing page", reason.partition(":")[0])
        logger.log(
            logging.WARNING if first else logging.DEBUG,
            "An item lacks the page %s of its article and all later pages: %s "
            "(further missing pages are only counted, or logged with level DEBUG)",
            *(url, reason),
        )


def request_like(before: Response, url: str, depth: int) -> Request:
    """Return a request like that for the page *before*; no component makes anything of its page."""
    assert before.request is not None
    meta = {key: each for key, each in before.request.meta.items() if key not in _OF_ONE_REQUEST}
    meta |= {"depth": depth, "dont_redirect": True}
    headers = before.request.headers.copy()
    for name in _COMPUTED_HEADERS:
        headers.pop(name, None)
    if _server(before.request.url) != _server(before.url):
        headers.clear()  # which this server has not got before
    elif "Referer" in headers:
        headers["Referer"] = before.url
    return Request(url, NO_CALLBACK, headers=headers, meta=meta, priority=before.request.priority)


def _server(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname, port
