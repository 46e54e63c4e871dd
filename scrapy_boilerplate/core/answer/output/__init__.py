"""Writes a document in each format, by a pure function each; ``extraction`` lists the outputs."""

from __future__ import annotations

from scrapy_boilerplate.core.answer.output.html import html
from scrapy_boilerplate.core.answer.output.markdown import markdown
from scrapy_boilerplate.core.answer.output.prevertical import TextBlock, prevertical
from scrapy_boilerplate.core.answer.output.tei import tei, tei_corpus_start

__all__ = ["TextBlock", "html", "markdown", "prevertical", "tei", "tei_corpus_start"]
