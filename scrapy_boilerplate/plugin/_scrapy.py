"""The undocumented parts of Scrapy that we use. All of them are here; test_scrapy.py lists them.

If Scrapy has moved something, a function does without it where that is safe.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response


async def run_pipelines(crawler: Crawler, item: object, response: Response) -> None:
    """Send an item through the item pipelines as if a callback had yielded it.

    Scrapy calls the pipelines, sends the signals and logs; ``Scraper.start_itemproc_async``.
    """
    await crawler.engine.scraper.start_itemproc_async(item, response=response)


def wake_closing_scraper(crawler: Crawler) -> None:
    """Let a scraper that is closing see that an item is done.

    It waits until nothing is under way, but looks for that only when a response is done: an item
    that we have sent may have been the last thing that it waited for.
    """
    scraper = crawler.engine.scraper
    closing = scraper.slot.closing if scraper.slot is not None else None
    if closing is not None and not closing.called:
        scraper._check_if_closing()


def wake_engine(crawler: Crawler) -> None:
    """Let the engine look for work, or for the end of the crawl, now and not in five seconds."""
    slot = getattr(crawler.engine, "_slot", None)
    if slot is not None:
        slot.nextcall.schedule()
