"""Gathers the report while a crawl runs: a line in the log, a file at the end; the add-on."""

from __future__ import annotations

import json
import logging
import os
import re
from datetime import datetime, timezone
from pathlib import Path

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings
from scrapy.utils.asyncio import AsyncioLoopingCall, create_looping_call
from scrapy.utils.job import job_dir
from twisted.internet.task import LoopingCall

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.names import why
from scrapy_boilerplate.learn.drift import SiteChange
from scrapy_boilerplate.learn.keys import site_key
from scrapy_boilerplate.learn.learner import SiteLearner
from scrapy_boilerplate.learn.site_model import SiteModel
from scrapy_boilerplate.plugin import addon
from scrapy_boilerplate.plugin.crawl import Component
from scrapy_boilerplate.plugin.extensions import BoilerplateSiteLearning
from scrapy_boilerplate.plugin.reports import Reports
from scrapy_boilerplate.plugin.settings import data_folder, read
from scrapy_boilerplate.plugin.signals import boilerplate_site_changed, page_extracted
from scrapy_boilerplate.tools.report.crawl_figures import CrawlFigures
from scrapy_boilerplate.tools.report.summary import report_line

__all__ = ["BoilerplateReport"]

logger = logging.getLogger(__name__)


def report_path(settings: BaseSettings, spider: str) -> Path:
    """Return the file of a spider's report: ``BOILERPLATE_REPORT`` or its default."""
    value: bool | str = read(settings, "BOILERPLATE_REPORT")
    if isinstance(value, str):
        return Path(value)
    name = "" if job_dir(settings) else "-" + re.sub(r"[^\w.-]", "_", spider)
    return data_folder(settings) / f"report{name}.json"


def newest_report(settings: BaseSettings) -> Path | None:
    path = report_path(settings, "*")
    is_named = isinstance(read(settings, "BOILERPLATE_REPORT"), str) or job_dir(settings)
    found = [path] if is_named else path.parent.glob("report-*.json")
    existing = [each for each in found if each.exists()]
    return max(existing, key=lambda each: each.stat().st_mtime, default=None)


def read_report(path: Path) -> CrawlFigures:
    """Read a report; raise :exc:`ValueError` or :exc:`OSError` if that is not possible."""
    try:
        return CrawlFigures.from_dict(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not a report of a crawl ({error})") from error


def write_report(figures: CrawlFigures, path: Path) -> None:
    """Write a report in place of the one that is there, in one step; only its owner may read it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.new-{os.getpid()}")
    new.touch(mode=0o600)
    new.write_text(json.dumps(figures.to_dict(), ensure_ascii=False), encoding="utf-8")
    new.replace(path)


class BoilerplateReport(Component):
    """Counts what was found on each site; logs a line each ``LOGSTATS_INTERVAL`` seconds.

    The figures are written then, too, and when the spider closes. A run with a job directory goes
    on with the figures of the run before; any other crawl begins anew.
    """

    ORDER = 510

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if not read(crawler.settings, "BOILERPLATE_REPORT"):
            raise NotConfigured
        name = crawler.spider.name if crawler.spider is not None else ""
        self._path = report_path(crawler.settings, name)
        self.figures = CrawlFigures(name, _now())
        self._key = site_key(read(crawler.settings, "BOILERPLATE_SITE_KEY"))
        self._reports = Reports(crawler, "boilerplate", logger, "the page counts for no site")
        self._seconds = crawler.settings.getfloat("LOGSTATS_INTERVAL")
        self._clock: AsyncioLoopingCall | LoopingCall | None = None
        self._pages = self._told = 0
        self._has_failed = False
        for receiver, signal in (
            (self._opened, signals.spider_opened),
            (self._closed, signals.spider_closed),
            (self.add, page_extracted),
            (self.event, boilerplate_site_changed),
        ):
            crawler.signals.connect(receiver, signal=signal)

    # -- what the plugin's signals tell ------------------------------------------------------

    def add(
        self,
        url: str,
        extraction: Extraction,
        alone: Extraction | None = None,
        model: SiteModel | None = None,
    ) -> None:
        self._pages += 1
        self.figures.add(self._site_of(url), url, extraction, alone, model)

    def event(self, url: str, event: str, change: SiteChange | None = None) -> None:
        self.figures.event(self._site_of(url), url, event, change)

    def _site_of(self, url: str) -> str:
        try:
            return str(self._key(url) or "")
        except Exception as error:  # of a user's function
            self._reports.error(error, "BOILERPLATE_SITE_KEY", url)
            return ""

    # -- the crawl ---------------------------------------------------------------------------

    def _opened(self) -> None:
        if job_dir(self.crawler.settings) is not None and self._path.exists():
            try:
                self.figures = read_report(self._path)
                self.figures.finished = None
            except (ValueError, OSError) as error:
                logger.warning(
                    "The report of the previous run cannot be read and is ignored: %s", error
                )
        if self._seconds > 0:
            self._clock = create_looping_call(self._tick)
            self._clock.start(self._seconds, now=False)

    def _tick(self) -> None:
        if self._pages > self._told:
            self._told = self._pages
            self._write()

    def _closed(self, spider: Spider, reason: str) -> None:
        if self._clock is not None:
            self._clock.stop()
        if not self._pages:
            return
        self.figures.finished = reason
        self._write()
        if not self._has_failed:
            logger.info("Run `scrapy boilerplate-report %s` for the whole report", self._path)

    def _write(self) -> None:
        self.figures.updated = _now()
        is_open = self.crawler.extensions is not None
        learning = self.crawler.get_extension(BoilerplateSiteLearning) if is_open else None
        learner: SiteLearner | None = getattr(learning, "learner", None)
        if learner is not None:
            for site, figures in self.figures.sites.items():
                figures.state = _state(learner, site, figures.state)
        try:
            write_report(self.figures, self._path)
        except OSError as error:
            if not self._has_failed:
                logger.error("The report cannot be written: %s", why(error, named=True))
            self._has_failed = True
        logger.info("Report: %s", report_line(self.figures))


def _state(learner: SiteLearner, site: str, before: str) -> str:
    state = learner.memory.peek(site)
    if state is None:
        return before
    return "learned" if state.frozen else "learning"


def _now() -> str:
    return datetime.now(tz=timezone.utc).isoformat(timespec="seconds")


class Addon(addon.Addon):
    """Enables the plugin's components and the report.

    A component that the project's settings already list keeps its order there, or stays off with
    ``None``. The add-on changes nothing with ``BOILERPLATE_ENABLED = False``.
    """

    COMPONENTS = (*addon.Addon.COMPONENTS, ("EXTENSIONS", BoilerplateReport))
