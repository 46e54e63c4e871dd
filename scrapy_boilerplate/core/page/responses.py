"""Responses as pages: which of them hold HTML, and which tree the spider reads."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from functools import partial
from typing import Protocol, TypeGuard, runtime_checkable

from parsel import Selector
from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding

from scrapy_boilerplate.core.page.budget import MAX_NODES, read_source, truncate_to_tags
from scrapy_boilerplate.core.page.decoding import is_markup, is_mostly_utf8, utf8
from scrapy_boilerplate.core.page.page import Page


@runtime_checkable
class Response(Protocol):
    """The interface of every kind of response."""

    @property
    def url(self) -> str:
        """The address that it came from."""

    @property
    def body(self) -> bytes:
        """The bytes that came, decompressed."""

    @property
    def status(self) -> int:
        """The HTTP status."""


class _TextResponse(Response, Protocol):
    @property
    def text(self) -> str: ...

    @property
    def encoding(self) -> str: ...

    @property
    def selector(self) -> Selector: ...


_LOOK_AT = 1024  # bytes
_NOT_TEXT = b"\xef\xbb\xbf\xff\xfe\0"  # byte order marks, and every other byte of UTF-16
# Each part begins with fixed characters that the one before it cannot match: no backtracking.
_BEGINNING = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)?<(?:!doctype\s+html|html|head|body)[\s>]",
    re.IGNORECASE | re.DOTALL,
)


def holds_html(response: Response) -> TypeGuard[_TextResponse]:
    """Return whether a response holds HTML: by its class, else by its header or its first bytes.

    Answers of browsers and APIs often come as another kind of text response than Scrapy's
    ``HtmlResponse``. A response that is not text holds no HTML.
    """
    # By name, because this module does not import Scrapy.
    if any(kind.__name__ == "HtmlResponse" for kind in type(response).__mro__):
        return True
    if not hasattr(type(response), "selector"):
        return False
    if "html" in _content_type(response):
        return True
    return begins_like_html(response.body)


def begins_like_html(body: bytes) -> bool:
    """Return whether the first bytes begin a page: a doctype, ``html``, ``head`` or ``body``."""
    return _BEGINNING.match(body[:_LOOK_AT].translate(None, _NOT_TEXT)) is not None


def page_of(response: Response, max_nodes: int | None = MAX_NODES) -> Page:
    """Return the page of a response, from the tree that the spider's selectors use if there is one.

    A page that Scrapy misreads has a tree of its own, and so has one with more than *max_nodes*
    tags, or too many attributes in one: making the spider's tree would cost more than reading it.
    """
    if not holds_html(response):
        return Page.not_html(response.url)
    if is_misread(response):
        page = Page.parse(response.body, url=response.url, encoding="utf-8", max_nodes=max_nodes)
    else:
        page = _page_of_text(response, max_nodes)
    page.status = response.status
    return page


def _page_of_text(response: _TextResponse, max_nodes: int | None) -> Page:
    text, url, encoding = response.text, response.url, response.encoding
    selector = None
    if truncate_to_tags(text, max_nodes) is text and is_markup(text):
        body = response.body.removeprefix(BOM_UTF8)
        source = read_source(text, body if encoding == "utf-8" else None)
        selector = None if source.is_cut else _selector_of(response)
    if selector is None or selector.type != "html":  # other selectors read XML or JSON
        return Page.parse(text, url=url, max_nodes=max_nodes)
    page = Page.from_selector(selector, url=url, source=source)
    page.read_again = partial(_read_again, response.body, encoding, url)
    return page


def is_misread(response: Response) -> bool:
    """Return whether a response is UTF-8 that Scrapy reads otherwise, by ``meta`` or for bad bytes.

    Converted pages keep their old ``meta``. What HTTP declares is believed.
    """
    if not holds_html(response) or response.encoding == "utf-8":
        return False
    body = response.body
    return (
        http_content_type_encoding(_content_type(response)) is None
        and html_body_declared_encoding(body) in (None, response.encoding)
        and (is_mostly_utf8(body) if utf8(body) is None else body[-1] < 0x80)  # else it is cut off
    )


def _read_again(body: bytes, encoding: str, url: str) -> Page:
    """Return the page of a response that is gone, whose tree somebody may have changed."""
    return Page.parse(body, url=url, encoding=encoding, max_nodes=None)


def _selector_of(response: _TextResponse) -> Selector | None:
    try:
        return response.selector
    except UnicodeEncodeError:  # lone surrogates, which parsel cannot hand to lxml
        return None


def _content_type(response: Response) -> str:
    """Return the header, in lower case; empty without one."""
    headers = getattr(response, "headers", None) or {}
    value: str | bytes = headers.get("Content-Type") or ""
    return (value if isinstance(value, str) else value.decode("latin-1")).lower()
