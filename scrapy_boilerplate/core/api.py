"""Functions for scripts, notebooks and workers without a crawler."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import IO, TypeAlias

from lxml import etree
from parsel import Selector, SelectorList

from scrapy_boilerplate.core.answer.document.switches import Switches, split
from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.answer.record import Explanations
from scrapy_boilerplate.core.methods import Extractor, get_extractor, switched
from scrapy_boilerplate.core.page import Page, page_of
from scrapy_boilerplate.core.page.responses import Response

Html: TypeAlias = (
    "str | bytes | bytearray | memoryview | os.PathLike[str] | IO[str] | IO[bytes] | Response"
    " | Selector | SelectorList[Selector] | etree._Element | etree._ElementTree | Page"
)
"""HTML in any form: text or bytes, a path or an open file, a response, selectors of parsel or
Scrapy, an lxml tree or element, or a :class:`Page`."""

_URL = re.compile(r"(?:[a-z][a-z0-9+.-]*://|www\.)\S+\Z", re.IGNORECASE)
_PATH = re.compile(
    r"(?:~?/|\.\.?[/\\]|[a-z]:[/\\])\S*\w\.\w{1,5}\Z|\S*\w\.[xs]?html?\Z", re.IGNORECASE
)
_LONGEST_ADDRESS = 4096  # characters


_MOST_HELD = 1_000_000  # characters of text
_last: deque[Page] = deque(maxlen=1)
"""The page that was extracted last, so that ``extract(html).markdown`` does not read it again."""


def to_page(html: Html, *, url: str | None = None, encoding: str | None = None) -> Page:
    """Return *html* as a :class:`Page`.

    A response knows its URL and its encoding. The selectors of a list are read as one page, in
    order. Raises :exc:`TypeError` for a type that is not in :data:`Html`, :exc:`ValueError` for a
    string that is plainly a URL or a path, not markup, and :exc:`OSError` for a file that cannot be
    read.
    """
    for name, value in (("url", url), ("encoding", encoding)):
        if value is not None and not isinstance(value, str):
            raise TypeError(f"{name} must be a string or None, not {type(value).__name__}")
    if isinstance(html, Page):
        return html
    if isinstance(html, str):
        _refuse_address(html)
    if isinstance(html, os.PathLike):
        html = Path(html).read_bytes()
    elif hasattr(html, "read"):
        html = html.read()
    if isinstance(html, (bytearray, memoryview)):
        html = bytes(html)
    if isinstance(html, (bytes, str)):
        return Page.parse(html, url=url, encoding=encoding)
    return _page_of_tree(html, url)


def _page_of_tree(html: object, url: str | None) -> Page:
    """Return the page of HTML that is already parsed."""
    if isinstance(html, SelectorList):
        if len(html) != 1:
            return Page.parse("".join(html.getall()), url=url)
        html = html[0]
    if isinstance(html, Selector):
        return Page.from_selector(html, url=url)
    if isinstance(html, etree._ElementTree):
        html = html.getroot()
        if html is None:  # nothing was parsed
            return Page.not_html(url)
    if isinstance(html, etree._Element):
        return Page(html, url=url)
    if isinstance(html, Response):
        page = page_of(html)
        if url is not None:
            page.url = url
        return page
    raise TypeError(
        f"html must be text, bytes, a path, an open file, a response, a selector, an lxml element "
        f"or a Page, not {type(html).__name__}"
    )


def _refuse_address(text: str) -> None:
    """Raise :exc:`ValueError` for a string that names HTML, such as an address, but is not HTML."""
    if len(text) > _LONGEST_ADDRESS or "<" in text:
        return
    address = text.strip()
    if _URL.match(address):
        raise ValueError(
            f"{address!r} is a URL, not HTML: download it and pass the body or the response"
        )
    if _PATH.match(address):
        raise ValueError(f"{address!r} is a path, not HTML: pass pathlib.Path({address!r})")


def extract(
    html: Html,
    *,
    url: str | None = None,
    encoding: str | None = None,
    extractor: str | Extractor = "auto",
    **options: object,
) -> Extraction:
    """Return the main content of a web page.

    *html* is text, bytes, a :class:`~pathlib.Path`, an open file, a Scrapy response, a selector or
    a list of them, an lxml element, or a :class:`Page`. *url* is the URL of the page. *encoding* is
    what the HTTP header declares for bytes. *extractor* is a registered name, with *options*, or an
    instance. ``tables``, ``images``, ``links``, ``formatting`` and ``comments`` are options for
    every extractor; ``False`` leaves these parts out of all outputs. With ``blocked=False``, pages
    that seem blocked (:attr:`Page.block`) are read like any other.

    Raises :exc:`ValueError` for an unknown name or option, and for a string that is plainly a URL
    or a path. Raises :exc:`TypeError` for another type of *html*. Never raises for bad HTML.

    >>> extract("<nav><a>Home</a> <a>News</a></nav><p>The text that the page is there for.").text
    'The text that the page is there for.'
    """
    method, switches = choose_method(extractor, options)
    page = to_page(html, url=url, encoding=encoding)
    if len(page.buffer) <= _MOST_HELD:
        _last.append(page)
    return method.extract(page).switched(switches)


def choose_method(
    extractor: str | Extractor, options: Mapping[str, object]
) -> tuple[Extractor, Switches]:
    """Return the extractor and the switches that the arguments of :func:`extract` name."""
    wanted, others = split(options)
    switches = Switches.merged([wanted])
    return switched(get_extractor(extractor, **others), switches), switches


def explain(
    html: Html,
    *,
    url: str | None = None,
    encoding: str | None = None,
    extractor: str | Extractor = "auto",
    **options: object,
) -> Explanations:
    """Explain which rule kept or dropped each block of a page.

    Takes the arguments of :func:`extract`.

    >>> [e.kept for e in explain("<ul><li><a>Home</a></ul><p>One two three four five.")]
    [False, True]
    """
    method, switches = choose_method(extractor, options)
    page = to_page(html, url=url, encoding=encoding)
    return method.extract(page).on(page).switched(switches).explain()
