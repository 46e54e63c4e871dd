"""The report of a crawl: what was found on each site, what was learned, which pages to look at."""

from __future__ import annotations

from scrapy_boilerplate.tools.report.figures import CrawlFigures, Learned, Lookout, SiteFigures
from scrapy_boilerplate.tools.report.html import report_html
from scrapy_boilerplate.tools.report.text import report_line, report_text

__all__ = [
    "CrawlFigures",
    "Learned",
    "Lookout",
    "SiteFigures",
    "report_html",
    "report_line",
    "report_text",
]
