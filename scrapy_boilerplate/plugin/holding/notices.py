"""Tells the log and the statistics what is held, so that users know where the items are."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy import Spider

    from scrapy_boilerplate.plugin.holding.policy import HoldingPolicy
    from scrapy_boilerplate.plugin.reports import Reports

logger = logging.getLogger(__name__)

_LOGSTATS = logging.getLogger("scrapy.extensions.logstats")
"""Says each minute how many pages were crawled and how many items scraped."""


class Notices:
    """Shows the counts of *policy*."""

    def __init__(self, policy: HoldingPolicy, reports: Reports, spider: Spider) -> None:
        self._policy = policy
        self._spider = spider
        self._reports = reports
        self._is_first = True

    def left(self, in_doubt: int) -> None:
        """Log what an earlier run left, and how many of its items were on their way."""
        if self._policy.items:
            what = (self._policy.items, len(self._policy), self._policy.names())
            logger.info("An earlier run left %d held items of %d sites: %s", *what)
        if in_doubt:
            self._reports.count("in_doubt", in_doubt)
            logger.warning(
                "%d items were on their way when the last run was killed; they are sent again",
                in_doubt,
            )
        self.show()

    def show(self) -> None:
        """Update the statistics; log a line when the first item of the crawl is held."""
        policy = self._policy
        self._reports.set("holding/items", policy.items)
        self._reports.set("holding/sites", policy.names() if policy.items else "")
        self._reports.set("holding/until", self._until() if policy.items else None)
        if policy.items and self._is_first:
            self._is_first = False
            logger.info(
                "Holding the items of each new site until it is learned, for at most %d pages and "
                "%g seconds. BOILERPLATE_SITE_HOLD = False sends them on at once",
                *(policy.bounds.pages, policy.bounds.seconds),
            )

    def goes_at_once(self) -> None:
        """Count an item of a first page that does not wait; log a line about the first one."""
        self._reports.count("not_waited")
        if self._reports.is_new("first pages go at once"):
            logger.info(
                "Hardly any site had a second page while its first one waited: the items of a new "
                "site's first page go on at once from now on, later ones wait"
            )

    def not_removed(self, number: int) -> None:
        """Log how many items have arrived and still stand in the file."""
        if number:
            self._reports.count("not_removed", number)
            logger.error(
                "%d held items have arrived but could not be removed from the file of held items, "
                "so a run with the same JOBDIR sends them again. To prevent that, make room on the "
                "disk and delete boilerplate/held.sqlite there",
                number,
            )

    def start(self) -> None:
        """Add what is held to Scrapy's line about its progress."""
        _LOGSTATS.addFilter(self)

    def stop(self) -> None:
        """Stop adding to Scrapy's lines."""
        _LOGSTATS.removeFilter(self)

    def filter(self, record: logging.LogRecord) -> bool:
        """Complete a line of Scrapy's, if it is of this crawl and anything is held."""
        if self._policy.items and getattr(record, "spider", None) is self._spider:
            until = f"{self._until().astimezone():%Y-%m-%d %H:%M:%S}"
            held = (
                f"; {self._policy.items} items are held until their sites are learned, "
                f"at the latest until {until}: {self._policy.names()}"
            )
            record.msg = f"{record.msg}{held.replace('%', '%%')}"
        return True

    def _until(self) -> datetime:
        now = datetime.now(tz=timezone.utc)
        return (now + timedelta(seconds=self._policy.seconds_left)).replace(microsecond=0)
