"""Limits the nodes and attributes of a page: a limit on bytes does not bound their time."""

from __future__ import annotations

import re
from itertools import islice
from typing import NamedTuple

from scrapy_boilerplate.core.page.decoding import utf8_of
from scrapy_boilerplate.core.strip._scan_native import read_ends
from scrapy_boilerplate.core.strip.stripping import find_surplus

MAX_NODES = 200_000  # tags of a page that a crawl reads. Of 6 734 pages the largest has 21 646.
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
    if not isinstance(max_nodes, int) or max_nodes < 0:
        raise ValueError(f"max_nodes must be None or a whole number, 0 or more, not {max_nodes!r}")
    most = min(max_nodes, max(DENSE, max_nodes // 7) + len(source) // A_TAG)
    if len(source) <= most or source.count("<") <= most:
        return source
    return source[: next(islice(_TAG.finditer(source), most, None)).start()]


_FEW_ATTRIBUTES = 50_000  # bytes. The attributes of a shorter page take libxml2 at most .4 seconds.


class Source(NamedTuple):
    """What a page is parsed from: without its text, which may take more than the tree."""

    utf8: bytes
    """Perhaps as it came, with bytes that are none."""
    end: int
    """Where ``</html`` stands in it, −1 without one."""
    loses_end_tags: bool
    """Whether libxml2 passes over an end tag at which the HTML standard surely ends an element."""
    is_cut: bool
    """Whether attributes were cut from it."""

    @property
    def text(self) -> str:
        """What it says, which every parser takes."""
        return self.utf8.decode("utf-8", "replace")


def read_source(text: str, utf8: bytes | None = None) -> Source:
    """Return the source of a page, without the attributes that a tag has beyond the first 500."""
    if utf8 is None:
        utf8 = utf8_of(text)
    end, loses_end_tags, may_be_crowded = read_ends(utf8)
    surplus: list[tuple[int, int]] = []
    if may_be_crowded and len(utf8) >= _FEW_ATTRIBUTES:
        surplus, is_sure = find_surplus(utf8)
        if surplus:
            kept, at = [], 0
            for start, stop in sorted(surplus):
                kept.append(utf8[at:start])
                at = max(at, stop)
            utf8 = b"".join((*kept, utf8[at:]))
            end, loses_end_tags, _ = read_ends(utf8)
        # Else a parser of the standard may find a tag whose attributes were not cut.
        loses_end_tags &= is_sure
    return Source(utf8, end, loses_end_tags, bool(surplus))
