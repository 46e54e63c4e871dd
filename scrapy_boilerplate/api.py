"""The functions for a plain script, a notebook or a worker without a crawler."""

from __future__ import annotations

from typing import Any

from lxml import etree
from parsel import Selector

from scrapy_boilerplate.extraction import Explanation, Extraction
from scrapy_boilerplate.extractors import Extractor, get_extractor
from scrapy_boilerplate.page import Page

__all__ = ["explain", "extract", "to_page"]


def to_page(html: Any, *, url: str | None = None, encoding: str | None = None) -> Page:
    """Return *html* as a :class:`Page`: bytes, text, an lxml element, a parsel selector or a page.

    Raises :exc:`TypeError` for anything else.
    """
    if isinstance(html, Page):
        return html
    if isinstance(html, (bytes, bytearray, memoryview, str)):
        return Page.parse(
            html if isinstance(html, str) else bytes(html), url=url, encoding=encoding
        )
    if isinstance(html, Selector):
        return Page.from_selector(html, url=url)
    if isinstance(html, etree._ElementTree):
        html = html.getroot()
    if isinstance(html, etree._Element):
        return Page(html, url=url)
    raise TypeError(
        f"html must be bytes, str, an lxml element, a parsel Selector or a Page, "
        f"not {type(html).__name__}"
    )


def extract(
    html: Any,
    *,
    url: str | None = None,
    encoding: str | None = None,
    extractor: str | Extractor = "auto",
    **options: Any,
) -> Extraction:
    """Return the main content of a web page.

    *html* is bytes, text, an lxml element, a parsel selector or a :class:`Page`; *encoding* is what
    the HTTP header declares for bytes. *extractor* is a registered name, with *options*, or an
    instance. Raises :exc:`ValueError` for an unknown name or option and :exc:`TypeError` for
    another type of *html*; never raises for bad HTML.

    >>> extract("<nav><a>Home</a> <a>News</a></nav><p>The text that the page is there for.").text
    'The text that the page is there for.'
    """
    method = get_extractor(extractor, **options)
    return method.extract(to_page(html, url=url, encoding=encoding))


def explain(
    html: Any,
    *,
    url: str | None = None,
    encoding: str | None = None,
    extractor: str | Extractor = "auto",
    **options: Any,
) -> tuple[Explanation, ...]:
    """Say for each block of a page why it was kept or dropped; parameters as for :func:`extract`.

    >>> [e.kept for e in explain("<ul><li><a>Home</a></ul><p>One two three four five.")]
    [False, True]
    """
    method = get_extractor(extractor, **options)
    return method.explain(to_page(html, url=url, encoding=encoding))
