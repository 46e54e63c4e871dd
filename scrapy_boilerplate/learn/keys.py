"""Site keys, made from addresses: pages with the same key are one site."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import TypeVar
from urllib.parse import urlsplit

import tldextract

Found = TypeVar("Found")

KeyFunction = Callable[[str], str]  # makes the key of a site from the address of a page


def host(url: str) -> str:
    """Return the host of *url* without ``www.``, with its port if it names one; empty if none."""
    try:
        parts = urlsplit(url.strip())
        name, port = parts.hostname or "", parts.port
    except ValueError:  # not an address
        return ""
    name = name.rstrip(".").removeprefix("www.")
    return f"{name}:{port}" if name and port not in (None, 80, 443) else name


def registered_domain(url: str) -> str:
    """Return the registered domain of *url*, or its host if there is none; fetch nothing.

    >>> registered_domain("https://blog.example.co.uk/1")
    'example.co.uk'
    """
    name = host(url)
    return _suffixes()(name.partition(":")[0]).top_domain_under_public_suffix or name


def host_and_path(segments: int = 1) -> KeyFunction:
    """Return a function that makes keys from the host and the first *segments* of the path.

    The last segment is the page's own and does not count.

    >>> host_and_path(1)("https://example.com/sport/2024/match.html")
    'example.com/sport'
    """
    if segments < 1:
        raise ValueError(f"segments must be 1 or more, not {segments}")

    def key(url: str) -> str:
        name = host(url)
        path = urlsplit(url.strip()).path.split("/")[1:-1] if name else []
        return "/".join([name, *[part for part in path if part][:segments]])

    return key


_NAMED = {"host": host, "domain": registered_domain, "path": host_and_path()}


def site_key(by: str | KeyFunction = "host") -> KeyFunction:
    """Return the key function named *by*, or *by* itself if it is a function.

    ``host`` is without ``www.``, ``domain`` the registered domain, ``path`` the host and the first
    segment of the path. Raises :exc:`ValueError` for another name.
    """
    if callable(by):
        return by
    if by not in _NAMED:
        raise ValueError(f"Unknown site key {by!r}; choose one of: {', '.join(_NAMED)}")
    return _NAMED[by]


def parents(site: str) -> Iterator[str]:
    """Yield the parent keys of *site*, nearest first, up to its registered domain."""
    while "/" in site:
        site = site.rpartition("/")[0]
        yield site
    if site.count(".") < 2:  # which has none; reading the list of suffixes takes its time
        return
    top = _suffixes()(site).top_domain_under_public_suffix
    while top and site != top and site.endswith(top):
        site = site.partition(".")[2]
        yield site


def own_or_parents(site: str, find: Callable[[str], Found | None]) -> Found | None:
    """Return what *find* has for *site*, else for its nearest parent; no site has no parent."""
    if not site:
        return None
    found = find(site)
    return found if found is not None else next(filter(None, map(find, parents(site))), None)


@cache
def _suffixes() -> tldextract.TLDExtract:
    # A company's customers have nothing in common: alice.github.io is a domain of its own.
    return tldextract.TLDExtract(
        suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True
    )
