"""Limits the nodes and attributes of a page: a limit on bytes does not bound their time."""

from __future__ import annotations

import re
from itertools import islice

from scrapy_boilerplate.core.strip.stripping import find_surplus

MAX_NODES = 200_000
"""Tags of a page that a crawl reads. Of 6 734 pages the largest has 21 646."""
DENSE, A_TAG = MAX_NODES // 7, 96
"""Tags that a crawl reads of any page, and characters for each further one. A tag takes up to
2.3 kB, so this bounds memory to 64 MB and 24 times the page; real pages have five times fewer."""

_TAG = re.compile("<")


def truncate_to_tags(source: str, max_nodes: int | None) -> str:
    """Return *source* up to its first *max_nodes* tags; all of it if it has fewer.

    Of a long page of hardly more than tags, a seventh as many are read. Each ``<`` counts, because
    no parser makes more than one element of it. 0 and ``None`` mean no limit.

    >>> truncate_to_tags("<p>one<p>two<p>three", 2)
    '<p>one<p>two'
    """
    if not max_nodes:
        return source
    most = min(max_nodes, max(DENSE, max_nodes // 7) + len(source) // A_TAG)
    if len(source) <= most or source.count("<") <= most:
        return source
    return source[: next(islice(_TAG.finditer(source), most, None)).start()]


_FEW_ATTRIBUTES = 50_000
"""Bytes. The attributes of a shorter page take libxml2 at most .4 seconds."""


def drop_excess_attributes(source: str, utf8: bytes | None = None) -> tuple[str, bytes]:
    """Return *source* without the attributes that a tag has beyond the first 500, and its UTF-8."""
    page = source.encode("utf-8", "surrogatepass") if utf8 is None else utf8
    surplus = find_surplus(page) if len(page) >= _FEW_ATTRIBUTES else ()
    if not surplus:
        return source, page
    bounds = [0, *(edge for cut in surplus for edge in cut), len(page)]
    kept = [page[start:end] for start, end in zip(bounds[::2], bounds[1::2], strict=True)]
    page = b"".join(kept)
    return page.decode("utf-8", "surrogatepass"), page
