"""Reads the addresses that stand on pages, of which some are none."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from scrapy_boilerplate.core.caching import remember
from scrapy_boilerplate.core.page.characters import readable

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
    """Return the absolute address of *value*; an empty one where that cannot be told."""
    if _WHOLE.fullmatch(value):
        return value
    if _ON_HOST.fullmatch(value) and (origin := _origin(base)):
        return origin + value
    try:
        return _readable_address(urljoin(base, value))
    except ValueError:  # such as a bracket that is not closed
        return ""


def web_address(base: str, value: str) -> str:
    """Return the absolute address of *value*; an empty one for what is none of the web."""
    address = joined(base, value.strip())
    return address if parts_of(address).scheme in ("http", "https") else ""


def _readable_address(address: str) -> str:
    """Return an address with what nobody can read in percent, as browsers send it; no such host."""
    if readable(address) == address:
        return address
    if (host := parts_of(address).netloc) != readable(host):
        return ""
    return "".join(
        each if readable(f"x{each}x") == f"x{each}x" else quote(each, errors="replace")
        for each in address
    )


def parts_of(address: str) -> SplitResult:
    """Divide an address into its parts; all are empty where that cannot be told."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")
