"""Web archives in, rows out: WARC and WACZ files on one machine. Needs the extra ``warc``."""

from __future__ import annotations

from scrapy_boilerplate.tools.warc.archive_rows import ArchiveReport, extract_archives
from scrapy_boilerplate.tools.warc.archived_pages import ArchiveError, PageReader, archive_pages
from scrapy_boilerplate.tools.warc.index import Selection
from scrapy_boilerplate.tools.warc.learning import learn_archives

__all__ = [
    "ArchiveError",
    "ArchiveReport",
    "PageReader",
    "Selection",
    "archive_pages",
    "extract_archives",
    "learn_archives",
]
