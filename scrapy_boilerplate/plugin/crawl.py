"""The state of one crawl that the plugin's components share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response

from scrapy_boilerplate.plugin.choices import Chooser
from scrapy_boilerplate.plugin.errors import ConfigurationError, stop
from scrapy_boilerplate.plugin.records import Records
from scrapy_boilerplate.plugin.settings import mistakes, read_valid, wrong_places

if TYPE_CHECKING:
    from typing_extensions import Self


class CrawlState:
    """What the components of one crawl share; the crawler owns it."""

    def __init__(self, crawler: Crawler) -> None:
        self.chooser = Chooser(crawler.settings, crawler.spider)
        self.records = Records()
        # Set once the pipeline is open
        self.fill: Callable[[object, Response], Awaitable[object]] | None = None
        self._is_checked = False
        crawler.signals.connect(self.records.fetched, signal=signals.response_received)

    @classmethod
    def of(cls, crawler: Crawler) -> CrawlState:
        own = vars(crawler)
        if "_boilerplate" not in own:
            own["_boilerplate"] = cls(crawler)
        return own["_boilerplate"]

    @classmethod
    def check(cls, crawler: Crawler) -> None:
        """Check all, once a crawl; raise ``NotConfigured`` or an error with every mistake."""
        if not read_valid(crawler.settings, "BOILERPLATE_ENABLED"):
            raise NotConfigured
        state = cls.of(crawler)
        if state._is_checked:
            return
        try:
            settings = crawler.settings
            stop([*mistakes(settings), *state.chooser.mistakes(), *wrong_places(settings)])
        except ConfigurationError:
            crawler.spider = None  # or a crawl of Scrapy 2.14 that did not begin has exit status 0
            raise
        state._is_checked = True


class Component:
    """A component of the plugin, which shares the state of its crawl with the others."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._state = CrawlState.of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return the component for a crawl, which it checks as :meth:`CrawlState.check` does."""
        CrawlState.check(crawler)
        return cls(crawler)
