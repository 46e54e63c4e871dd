"""Take scripts and styles out of HTML responses before the spider gets them."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse
from scrapy.http.request import NO_CALLBACK

from scrapy_boilerplate.choices import KEY, STRIP
from scrapy_boilerplate.reports import Reports
from scrapy_boilerplate.settings import read
from scrapy_boilerplate.stripping import check_elements, strip_elements

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    # typing.Self requires Python 3.11
    from typing_extensions import Self

__all__ = ["BoilerplateDownloaderMiddleware"]

logger = logging.getLogger(__name__)


class BoilerplateDownloaderMiddleware:
    """Cuts ``script`` and ``style`` elements out of the bodies of HTML responses.

    See :func:`~scrapy_boilerplate.stripping.strip_elements` for what is cut. The text of the
    response stays the same otherwise, and so does its encoding. JSON-LD stays.

    Left alone are responses that are not :class:`~scrapy.http.HtmlResponse`; XHTML that is served
    as such, since other rules hold there; bodies larger than ``BOILERPLATE_MAX_BODY``; and those to
    requests with the callback :func:`~scrapy.http.request.NO_CALLBACK`, which are the media
    pipelines' and other components': a file on disk shall be what the server sent.

    A request says no with ``meta={"boilerplate": {"strip": False}}`` or ``{"boilerplate": False}``,
    a spider with an attribute ``boilerplate`` of the same form; ``{"strip": True}`` says yes. The
    request has the first word, then the spider, then the setting ``BOILERPLATE_STRIP``.

    An error leaves the response as it is. It is counted, and logged the first time.
    """

    ORDER = 75
    """The last one before the spider. All other middlewares see what the server sent: those that
    detect bans, redirections by ``meta`` and retries. It gets the body after decompression (590),
    and the HTTP cache (900) keeps whole pages, so that a change of settings needs no new crawl."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self.crawler = crawler
        self._strip: bool = read(settings, "BOILERPLATE_STRIP")
        self._elements = _read_names(settings, "BOILERPLATE_STRIP_ELEMENTS")
        self._keep_types = _read_names(settings, "BOILERPLATE_STRIP_KEEP_TYPES")
        self._max_body: int = read(settings, "BOILERPLATE_MAX_BODY")
        self._reports = Reports(
            crawler, "boilerplate/strip", logger, "the response goes on as it is"
        )
        try:
            check_elements(self._elements)
        except ValueError as error:
            raise ValueError(f"BOILERPLATE_STRIP_ELEMENTS: {error}") from None
        _read_choice(getattr(crawler.spider, KEY, None), "the spider's attribute")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return the middleware, unless ``BOILERPLATE_ENABLED`` is false.

        Raises :exc:`ValueError`, which stops the crawl, for a setting that makes no sense.
        """
        if not read(crawler.settings, "BOILERPLATE_ENABLED"):
            raise NotConfigured
        return cls(crawler)

    def process_response(self, request: Request, response: Response) -> Response:
        """Return *response* without scripts and styles, or as it is if there are none."""
        try:
            if isinstance(response, HtmlResponse) and self._is_wanted(request, response):
                return self._stripped(response)
        except Exception as error:
            self._reports.error(error, "Stripping", response.url)
        return response

    def _is_wanted(self, request: Request, response: HtmlResponse) -> bool:
        if 0 < self._max_body < len(response.body):
            return False
        if b"xhtml" in (response.headers.get(b"Content-Type") or b"").lower():
            return False
        choice = _read_choice(request.meta.get(KEY), "request meta")
        if choice is None:
            choice = _read_choice(getattr(self.crawler.spider, KEY, None), "the spider's attribute")
        if choice is None:
            choice = self._strip and request.callback is not NO_CALLBACK
        return choice

    def _stripped(self, response: HtmlResponse) -> HtmlResponse:
        encoding = response.encoding
        body = strip_elements(
            response.body, encoding, elements=self._elements, keep_types=self._keep_types
        )
        self._reports.count("responses")
        self._reports.count("bytes_in", len(response.body))
        self._reports.count("bytes_removed", len(response.body) - len(body))
        if body is response.body:
            return response
        # The encoding is fixed, since what is left of the body could be taken for another one.
        return response.replace(body=body, encoding=encoding)


def _read_choice(value: Any, place: str) -> bool | None:
    """Return what a request or a spider says about stripping; ``None`` if it says nothing."""
    if value is False:
        return False
    if not isinstance(value, Mapping) or STRIP not in value:
        return None
    strip = value[STRIP]
    if not isinstance(strip, bool):
        raise ValueError(f"{STRIP!r} in {place} {KEY!r} must be True or False, not {strip!r}")
    return strip


def _read_names(settings: BaseSettings, name: str) -> list[str]:
    names = read(settings, name)
    if not all(isinstance(part, str) and part.strip() for part in names):
        raise ValueError(f"{name} must hold names, not {settings[name]!r}")
    return [part.strip() for part in names]
