"""The report of a crawl: what was found on each site, what was learned, which pages to look at."""

from __future__ import annotations

from scrapy_boilerplate.tools.report.crawl_figures import (
    CrawlFigures,
    Learned,
    Lookout,
    SiteFigures,
)
from scrapy_boilerplate.tools.report.summary import report_line, report_text
from scrapy_boilerplate.tools.report.web_page import report_html

__all__ = [
    "CrawlFigures",
    "Learned",
    "Lookout",
    "SiteFigures",
    "report_html",
    "report_line",
    "report_text",
]
