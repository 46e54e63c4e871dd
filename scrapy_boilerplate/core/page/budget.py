"""Limits the nodes and attributes of a page: a limit on bytes does not bound their time."""

from __future__ import annotations

import re
from itertools import islice

from scrapy_boilerplate.core.strip.scan import find_surplus

MAX_NODES = 200_000
"""Tags of a page that a crawl reads. Of 5 704 pages the largest has 21 646."""

_TAG = re.compile("<")


def truncate_to_tags(source: str, max_nodes: int | None) -> str:
    """Return *source* up to its first *max_nodes* tags; all of it if it has fewer.

    Each ``<`` counts, because no parser makes more than one element of it. 0 and ``None`` mean no
    limit.

    >>> truncate_to_tags("<p>one<p>two<p>three", 2)
    '<p>one<p>two'
    """
    if not max_nodes or len(source) <= max_nodes or source.count("<") <= max_nodes:
        return source
    return source[: next(islice(_TAG.finditer(source), max_nodes, None)).start()]


_FEW_ATTRIBUTES = 50_000
"""Characters. The attributes of a shorter page take libxml2 at most .4 seconds."""


def drop_excess_attributes(source: str, utf8: bytes | None = None) -> tuple[str, bytes | None]:
    """Return *source* without the attributes that a tag has beyond the first 500, and its UTF-8.

    libxml2 compares each attribute of a tag with all others: 80 000 of them take minutes. The UTF-8
    is ``None`` if it is not known: short sources are not looked at.

    >>> tag = "<p " + " ".join(f"a{i}" for i in range(10_000)) + ">"
    >>> drop_excess_attributes(tag + "text")[0][-11:]
    ' a499 >text'
    """
    if len(source) < _FEW_ATTRIBUTES:
        return source, utf8
    page = source.encode("utf-8", "surrogatepass") if utf8 is None else utf8
    surplus = find_surplus(page)
    if not surplus:
        return source, page
    bounds = [0, *(edge for cut in surplus for edge in cut), len(page)]
    kept = [page[start:end] for start, end in zip(bounds[::2], bounds[1::2], strict=True)]
    page = b"".join(kept)
    return page.decode("utf-8", "surrogatepass"), page
