"""Take scripts and styles out of HTML responses before the spider gets them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy.http import HtmlResponse
from scrapy.http.request import NO_CALLBACK

from scrapy_boilerplate.checks import check
from scrapy_boilerplate.choices import KEY, read_strip
from scrapy_boilerplate.settings import read
from scrapy_boilerplate.stripping import strip_elements

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

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
        self._elements: list[str] = read(settings, "BOILERPLATE_STRIP_ELEMENTS")
        self._keep_types: list[str] = read(settings, "BOILERPLATE_STRIP_KEEP_TYPES")
        self._max_body: int = read(settings, "BOILERPLATE_MAX_BODY")
        self._logged: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return the middleware, unless ``BOILERPLATE_ENABLED`` is false.

        Raises :exc:`ConfigurationError`, which stops the crawl, for any mistake.
        """
        check(crawler)
        return cls(crawler)

    def process_response(self, request: Request, response: Response) -> Response:
        """Return *response* without scripts and styles, or as it is if there are none."""
        try:
            if isinstance(response, HtmlResponse) and self._is_wanted(request, response):
                return self._stripped(response)
        except Exception as error:
            self._report(error, response.url)
        return response

    def _is_wanted(self, request: Request, response: HtmlResponse) -> bool:
        if 0 < self._max_body < len(response.body):
            return False
        if b"xhtml" in (response.headers.get(b"Content-Type") or b"").lower():
            return False
        choice = read_strip(request.meta.get(KEY))
        if choice is None:
            choice = read_strip(getattr(self.crawler.spider, KEY, None))
        if choice is None:
            choice = self._strip and request.callback is not NO_CALLBACK
        return choice

    def _stripped(self, response: HtmlResponse) -> HtmlResponse:
        encoding = response.encoding
        body = strip_elements(
            response.body, encoding, elements=self._elements, keep_types=self._keep_types
        )
        self._count("responses")
        self._count("bytes_in", len(response.body))
        self._count("bytes_removed", len(response.body) - len(body))
        if body is response.body:
            return response
        # The encoding is fixed, since what is left of the body could be taken for another one.
        return response.replace(body=body, encoding=encoding)

    def _count(self, name: str, by: int = 1) -> None:
        self.crawler.stats.inc_value(f"boilerplate/strip/{name}", by)

    def _report(self, error: Exception, url: str) -> None:
        """Count an error, and log the first of its kind with its page and traceback."""
        self._count("errors")
        kind = type(error).__name__
        if kind not in self._logged:
            self._logged.add(kind)
            logger.error(
                "Stripping failed on %s: %s: %s (the response goes on as it is; further errors of "
                "this kind are only counted)",
                *(url, kind, error),
                exc_info=error,
            )
