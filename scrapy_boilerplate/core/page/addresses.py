"""Reads the addresses that stand on pages, of which some are none."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urljoin, urlsplit

from scrapy_boilerplate.core.caching import remember

_PATH = r"/(?!/)(?:[\w/~%+:@!$&'()*,=-]|(?<!/)\.)*"
_REST = r"(?:\?[\w/~%+:@!$&'()*,=.-]+)?(?:#[\w/~%+:@!$&'()*,=.-]+)?"
_WHOLE = re.compile(rf"https?://[A-Za-z\d.-]+(?::\d+)?(?:{_PATH})?{_REST}", re.ASCII)
_ON_HOST = re.compile(_PATH + _REST, re.ASCII)
"""Addresses of which a join changes nothing but what it adds."""


@remember(1 << 18)
def _origin(base: str) -> str:
    """Return the beginning of an address up to its path; empty where it is not one of the web."""
    parts = parts_of(base)
    is_web = parts.scheme in ("http", "https") and parts.netloc
    return f"{parts.scheme}://{parts.netloc}" if is_web else ""


def joined(base: str, value: str) -> str:
    """Return the absolute address of *value* on a page; an empty one where that cannot be told.

    >>> joined("https://a.example/b", "c"), joined("https://a.example/b", "http://[c")
    ('https://a.example/c', '')
    """
    if _WHOLE.fullmatch(value):
        return value
    if _ON_HOST.fullmatch(value) and (origin := _origin(base)):
        return origin + value
    try:
        return urljoin(base, value)
    except ValueError:  # such as a bracket that is not closed
        return ""


def parts_of(address: str) -> SplitResult:
    """Divide an address into its parts; all are empty where that cannot be told.

    >>> parts_of("https://a.example/b").path, parts_of("http://[c").path
    ('/b', '')
    """
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")
