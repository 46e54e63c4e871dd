"""Addresses of pages that a feed or a sitemap lists."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from lxml import etree

from scrapy_boilerplate.tools.cli.fetching import fetched
from scrapy_boilerplate.tools.cli.inputs import is_address

MOST_ADDRESSES = 50_000
"""Addresses that are taken of all listings: those of one sitemap, by its protocol."""

_MOST_SITEMAPS = 500
_MOST_LISTING_BYTES = 64 << 20  # of a listing, unpacked
_LINKS = etree.XPath(
    "//*[local-name()='item']/*[local-name()='link']/text()"
    " | //*[local-name()='entry']/*[local-name()='link'][not(@rel) or @rel='alternate']/@href",
    smart_strings=False,
)
_PLACES = etree.XPath("/*/*/*[local-name()='loc']/text()", smart_strings=False)


def feed_addresses(feeds: Iterable[str], fetch: Callable[[str], bytes]) -> Iterator[str]:
    """Yield the addresses in RSS, Atom and JSON feeds. Raises :exc:`ValueError` for others."""
    for url in feeds:
        data = fetch(url)
        if data.lstrip().startswith(b"{"):
            links = _links_of_json(url, data)
        else:
            links = _LINKS(_tree(url, data, {"rss", "rdf", "feed"}))
        yield from _absolute(url, links)


def _links_of_json(url: str, data: bytes) -> list[str]:
    try:
        items = json.loads(data).get("items")
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{url} is not a JSON feed: {error}") from error
    items = items if isinstance(items, list) else []
    links = (each.get("url") for each in items if isinstance(each, dict))
    return [link for link in links if isinstance(link, str)]


def _absolute(url: str, links: Iterable[str]) -> Iterator[str]:
    """Yield links of a listing; those that are no addresses are left out."""
    for link in links:
        with suppress(ValueError):  # such as http://[x
            yield urljoin(url, str(link).strip())


def sitemap_addresses(sitemaps: Iterable[str], fetch: Callable[[str], bytes]) -> Iterator[str]:
    """Yield the addresses in sitemaps, and in those that a sitemap index names."""
    waiting = dict.fromkeys(sitemaps)
    read: set[str] = set()
    while waiting and len(read) < _MOST_SITEMAPS:
        url = next(iter(waiting))
        del waiting[url]
        read.add(url)
        root = _tree(url, fetch(url), {"urlset", "sitemapindex"})
        found = _absolute(url, _PLACES(root))
        if etree.QName(root).localname == "sitemapindex":
            others = (each for each in found if is_address(each) and each not in read)
            room = max(_MOST_SITEMAPS - len(read) - len(waiting), 0)
            waiting.update(dict.fromkeys(islice(others, room)))
        else:
            yield from found


def _tree(url: str, data: bytes, names: set[str]) -> etree._Element:
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, huge_tree=False)
    try:
        root = etree.fromstring(data, parser) if data.strip() else None
    except etree.XMLSyntaxError:
        root = None
    if root is None or etree.QName(root).localname.lower() not in names:
        raise ValueError(f"{url} is not a feed or sitemap: {', '.join(sorted(names))}")
    return root


def fetcher(folder: str, settings: Mapping[str, Any]) -> Callable[[str], bytes]:
    """Return a function that fetches a listing, or raises :exc:`ValueError`."""

    def fetch(url: str) -> bytes:
        (page,) = (each for each in fetched([url], folder, settings, any_type=True) if each)
        if page.error:
            raise ValueError(f"{url}: {page.error}")
        data = Path(page.path).read_bytes()
        if not data.startswith(b"\x1f\x8b"):
            return data
        try:
            with gzip.open(page.path) as file:
                return file.read(_MOST_LISTING_BYTES)
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(f"{url}: {error}") from error

    return fetch
