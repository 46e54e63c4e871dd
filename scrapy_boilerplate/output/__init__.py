"""What a document can be written as: a small pure function each."""

from __future__ import annotations

from scrapy_boilerplate.output.html import html
from scrapy_boilerplate.output.markdown import markdown
from scrapy_boilerplate.output.prevertical import TextBlock, prevertical
from scrapy_boilerplate.output.tei import tei, tei_corpus_start

__all__ = ["TextBlock", "html", "markdown", "prevertical", "tei", "tei_corpus_start"]
