"""The downloader middleware that strips scripts and styles from HTML responses."""

from __future__ import annotations

import logging
import re

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.response import get_base_url

from scrapy_boilerplate.core.strip import strip_elements
from scrapy_boilerplate.plugin.choices import KEY, read_strip
from scrapy_boilerplate.plugin.crawl import Component
from scrapy_boilerplate.plugin.reports import Reports
from scrapy_boilerplate.plugin.settings import read

__all__ = ["BoilerplateDownloaderMiddleware"]

logger = logging.getLogger(__name__)


_BASE = re.compile(rb"<base\s", re.IGNORECASE)


class BoilerplateDownloaderMiddleware(Component):
    """Strips the content of ``script`` and ``style`` elements from HTML responses, if asked.

    :func:`~scrapy_boilerplate.core.strip.strip_elements` says what goes. The tree has the same
    elements as before, with the same attributes; the response has the same encoding. The key
    ``strip`` of the request wins over the spider's, and that over ``BOILERPLATE_STRIP``.

    What no spider reads stays as it was sent, unless the request asks: answers to requests with the
    callback :func:`~scrapy.http.request.NO_CALLBACK`, such as the media pipelines', and those that
    ``scrapy shell``, ``fetch``, ``view`` and ``parse`` send. So do XHTML that is served as XHTML,
    because other rules apply to it, and bodies larger than ``BOILERPLATE_MAX_BODY``.
    """

    ORDER = 75
    """The last one before the spider. All other middlewares see what the server sent: those that
    detect bans, redirections by ``meta`` and retries. It gets the body after decompression (590),
    and the HTTP cache (900) keeps whole pages, so that a change of settings needs no new crawl."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._strip: bool = read(crawler.settings, "BOILERPLATE_STRIP")
        self._max_body: int = read(crawler.settings, "BOILERPLATE_MAX_BODY")
        self._reports = Reports(
            crawler, "boilerplate/strip", logger, "the response is left as it is"
        )

    def process_response(self, request: Request, response: Response) -> Response:
        """Return *response* without scripts and styles, or as it is if there are none."""
        try:
            if (
                isinstance(response, HtmlResponse)
                and self._choice(request)
                and self._is_readable(response)
            ):
                return self._stripped(response)
        except Exception as error:
            self._reports.error(error, "Stripping", response.url)
        return response

    def _is_readable(self, response: HtmlResponse) -> bool:
        if 0 < self._max_body < len(response.body):
            return False
        return b"xhtml" not in (response.headers.get(b"Content-Type") or b"").lower()

    def _choice(self, request: Request) -> bool:
        """Return the choice of the request, else of the spider, else of the setting."""
        choice = read_strip(request.meta.get(KEY))
        if choice is not None:
            return choice
        if _wants_page_as_sent(request):
            return False
        choice = read_strip(getattr(self.crawler.spider, KEY, None))
        return self._strip if choice is None else choice

    def _stripped(self, response: HtmlResponse) -> HtmlResponse:
        encoding = response.encoding
        body = strip_elements(response.body, encoding)
        # Fix the encoding: the rest of the body could look like another one.
        result = response.replace(body=body, encoding=encoding)
        if b"Content-Length" in result.headers:
            result.headers[b"Content-Length"] = str(len(body))
        if _BASE.search(body) and get_base_url(result) != get_base_url(response):
            result = response  # Scrapy looks for the base among the first characters only
        self._reports.count("responses")
        self._reports.count("bytes_in", len(response.body))
        self._reports.count("bytes_removed", len(response.body) - len(result.body))
        return response if result.body is response.body else result


def _wants_page_as_sent(request: Request) -> bool:
    """Return whether the answer goes to a component, or to one of Scrapy's commands."""
    if request.callback is NO_CALLBACK:
        return True
    # The module that its code stands in, whatever it wraps. The shell waits for a deferred.
    module = str(getattr(request.callback, "__globals__", {}).get("__name__"))
    return module.startswith(("scrapy.commands.", "twisted.internet."))
