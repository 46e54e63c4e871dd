"""Web archives in, rows out: WARC and WACZ files on one machine. Needs the extra ``warc``."""

from __future__ import annotations

from scrapy_boilerplate.tools.warc.extraction import ArchiveReport, extract_archives
from scrapy_boilerplate.tools.warc.index import Selection
from scrapy_boilerplate.tools.warc.learning import learn_archives
from scrapy_boilerplate.tools.warc.pages import ArchiveError, PageReader, archive_pages

__all__ = [
    "ArchiveError",
    "ArchiveReport",
    "PageReader",
    "Selection",
    "archive_pages",
    "extract_archives",
    "learn_archives",
]
