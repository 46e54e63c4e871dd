"""What a document can be written as: a small pure function each."""

from __future__ import annotations

from scrapy_boilerplate.output.html import html
from scrapy_boilerplate.output.markdown import markdown
from scrapy_boilerplate.output.prevertical import TextBlock, prevertical

__all__ = ["TextBlock", "html", "markdown", "prevertical"]
