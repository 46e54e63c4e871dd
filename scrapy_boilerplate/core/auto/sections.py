"""Drops headings without their sections."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from scrapy_boilerplate.core.answer.kept_notes import blocks_of_note
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page.arrays import Bool
from scrapy_boilerplate.core.page.tags import HEADINGS

_SHOWN = frozenset("img picture video audio iframe object embed math canvas svg table pre".split())
"""What a section may show that has no words."""


_MOST_SHARE = 0.5
"""Share of the kept text before a heading from which on it stands in the container of the text."""

_WORDS_OF_LINE = 12
"""Words of a line that is a section."""


Outline: TypeAlias = "list[tuple[int, int, int]]"


def sections_of(page: Page) -> Outline:
    """Return headings with text, last first, each with its block and the one after its section.

    What follows a heading goes up to the next one that is not lower. Linear, and read once.
    """
    known: Outline | None = page.notebook.get(__name__)
    if known is None:
        known = page.notebook[__name__] = _outline(page)
    return known


def _outline(page: Page) -> Outline:
    headings = np.flatnonzero(page.has_tag(HEADINGS) & (page.last_text > page.first_text))
    blocks = np.searchsorted(page.blocks[:, 0], page.first_text[headings], side="right") - 1
    levels = [int(page.names[tag][1]) for tag in page.tag[headings].tolist()]
    found: Outline = []
    later: list[tuple[int, int]] = []  # level and block of the headings that follow, none higher
    rows = zip(headings.tolist(), blocks.tolist(), levels, strict=True)
    for heading, block, level in reversed(list(rows)):
        while later and later[-1][0] > level:
            later.pop()
        found.append((heading, block, later[-1][1] if later else len(page.blocks)))
        later.append((level, block))
    return found


def without_empty_sections(page: Page, keep: Bool) -> Bool:
    """Return which blocks are kept without headings of which nothing that follows is kept.

    The heading that the text begins with stays, and those of items and links, which are titles of
    other texts. One right above notes, which outputs have at the end, says nothing. A section of
    one short line in the container of the text, such as a license, is kept with its heading.

    >>> page = Page.parse("<h1>Title</h1><p>Text.</p><h2>Related</h2><p>Other<p>More")
    >>> without_empty_sections(page, np.array([1, 1, 1, 0, 0], dtype=bool)).tolist()
    [True, True, False, False, False]
    """
    outline = sections_of(page)
    starts = page.blocks[:, 0]
    blocks = np.array([block for _, block, _ in outline], dtype=np.int64)
    said = keep.copy()
    said[blocks] = False
    is_note = np.zeros(keep.size, dtype=bool)
    for note in page.notes.notes:
        is_note[blocks_of_note(page, note)] = True
    said &= ~is_note
    following = np.minimum(blocks + 1, keep.size - 1)
    if not (said.any() and (keep[blocks] & ~said[following]).any()):
        return keep
    sums, begins = cumulative(said), int(said.argmax())
    empty = [
        (heading, block, stop)
        for heading, block, stop in outline
        if keep[block]
        and begins < block < stop - 1
        and (sums[stop] == sums[block] or is_note[block + 1])
    ]
    if not empty:
        return keep
    found: Bool = keep.copy()
    is_item = page.count_above(page.has_tag(("li",))) > 0
    words = page.per_block(page.words)
    linked = page.per_block(page.in_link) == page.blocks[:, 1] - page.blocks[:, 0]
    for heading, block, stop in empty:
        if linked[block] or is_item[heading] or _shows(page, heading, block + 1):
            continue
        above = page.parent[heading]
        first, after = np.searchsorted(starts, [page.first_text[above], page.last_text[above]])
        is_line = min(stop, after) == block + 2 and words[block + 1] <= _WORDS_OF_LINE
        if is_line and sums[block] - sums[first] > _MOST_SHARE * sums[-1]:
            found[block + 1] = True
        else:
            found[block] = False
    return found


def _shows(page: Page, heading: int, following: int) -> bool:
    """Tell whether a picture or the like stands between a heading and the block that follows it."""
    stop = int(page.text_at[page.blocks[following, 0]])
    return any(page.names[tag] in _SHOWN for tag in page.tag[page.end[heading] : stop].tolist())
