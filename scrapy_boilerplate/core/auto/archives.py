"""Finds the text of a mail in an archive: what stands between two rules below its header."""

from __future__ import annotations

import re

import numpy as np

from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Bool

_MOST_RULES, _MOST_OF_HEADER, _LONG = 8, 60, 20
"""Rules that are looked at, text nodes of a header, and words of a block of running text."""
_HEADER = re.compile(
    # Labelled lines in any order, or the sender above the time.
    r"(?mi)^(?:(?:from|von|de|da|van|от)\s?:\s\S.*(?:\n.*){,8}?\n(?:date|datum|data|fecha|дата)\s?:\s[^\d\n]*\d|"
    r"(?:date|datum|data|fecha|дата)\s?:\s[^\d\n]*\d.*(?:\n.*){,8}?\n(?:from|von|de|da|van|от)\s?:\s\S|"
    r"\S.{,60}\s\S{1,60}(?:@|\s\w{1,3}\s)[\w-]+\.\w.{,60}\n.{,40}\d\d:\d\d.{,20}$)"
)


def mail_blocks(page: Page, keep: Bool) -> Bool | None:
    """Return which blocks are a mail's text, ``None`` where the page is none of a mail alone."""
    if "hr" not in page.tag_names:
        return None
    size = page.text_at.size
    edges = sorted({0, *page.first_text[page.has_tag(("hr",))][:_MOST_RULES].tolist()})
    for at, edge in enumerate(edges[1:], 1):
        start = max(edges[at - 1], edge - _MOST_OF_HEADER)
        above = page.buffer[page.text_start[start] : page.text_stop[edge - 1]]
        if above.count(":") > 1 and edge < size and _HEADER.search(page.lay_out(start, edge)):
            break
    else:
        return None
    span = edge, edges[at + 1] if at + 1 < len(edges) else size
    begin, end = page.block_starts.searchsorted(span)
    others = keep & (page.per_block(page.words * ~page.in_link) >= _LONG)
    header = _HEADER.match(last := page.lay_out(*page.blocks[begin - 1]))
    if header and "\n\n" in last[header.end() :]:  # then the text stands there, too
        begin, end = begin - 1, begin
        others[end:] = False  # how to reply, and what others replied
    others[begin:end] = False
    found = np.zeros_like(keep)
    found[begin:end] = True
    return None if others.any() else found
