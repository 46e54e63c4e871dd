"""Reads the addresses that stand on pages, of which some are none."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from scrapy_boilerplate.core.caching import remember
from scrapy_boilerplate.core.page.characters import readable

# What may be missing is an empty alternative: half the time of a group that is optional.
_PART = r"[A-Za-z0-9_/~%+:@!$&'()*,=.-]"
_REST = rf"(?:\?{_PART}+(?:#{_PART}+|)|#{_PART}+|)"
_WHOLE = re.compile(rf"https?://[A-Za-z0-9.-]+(?::[0-9]+|)(?:/(?!/){_PART}*|){_REST}")
_ON_HOST = re.compile(rf"/(?!/){_PART}*{_REST}", re.ASCII)
_IN_FOLDER = re.compile(rf"\w[A-Za-z0-9_~%+@!$&'()*,=.-]*(?:/{_PART}*|){_REST}", re.ASCII)
_ON_PAGE = re.compile(rf"#{_PART}+", re.ASCII)
"""Addresses of which a join changes nothing but what it adds, without ``/.``."""


@remember(1 << 18, answer=300)
def _beginnings(base: str) -> tuple[str, str, str]:
    """Return an address up to its path, its file and its fragment; empty where a join is more."""
    parts = parts_of(base)
    is_web = parts.scheme in ("http", "https") and parts.netloc
    origin = f"{parts.scheme}://{parts.netloc}" if is_web else ""
    if not origin or not _WHOLE.fullmatch(base) or "/." in base:
        return origin, "", ""
    folder = f"{origin}{parts.path.rpartition('/')[0]}/"
    return origin, "" if "//" in parts.path else folder, base.partition("#")[0]


def _soon_joined(base: str, value: str) -> str:
    """Return the address of the web that a usual *value* is; an empty one for others."""
    if "/." not in value:
        if _WHOLE.fullmatch(value):
            return value
        origin, folder, page = _beginnings(base)
        if origin and _ON_HOST.fullmatch(value):
            return origin + value
        if folder and "//" not in value and _IN_FOLDER.fullmatch(value):
            return folder + value
        if page and _ON_PAGE.fullmatch(value):
            return page + value
    return ""


def joined(base: str, value: str) -> str:
    """Return the absolute address of *value*; an empty one where that cannot be told."""
    if soon := _soon_joined(base, value):
        return soon
    try:
        return _readable_address(urljoin(base, value))
    except ValueError:  # such as a bracket that is not closed
        return ""


def web_address(base: str, value: str) -> str:
    """Return the absolute address of *value*; an empty one for what is none of the web."""
    value = value.strip()
    if soon := _soon_joined(base, value):
        return soon
    address = joined(base, value)
    return address if parts_of(address).scheme in ("http", "https") else ""


def _readable_address(address: str) -> str:
    """Return an address with what nobody can read in percent, as browsers send it; no such host."""
    address = address.replace(" ", "%20")
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
