"""Keeps sections of a document beside kept ones, drops headings and labels of what is not kept."""

from __future__ import annotations

import re

import numpy as np

from scrapy_boilerplate.core.answer.kept_notes import blocks_of_note
from scrapy_boilerplate.core.auto._features_native import (
    LEAST_BESIDE,
    LEAST_REFERRED,
    MOST_OF_LEAD_IN,
)
from scrapy_boilerplate.core.auto.contents import has_code
from scrapy_boilerplate.core.auto.wholes import COLONS
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page.addresses import parts_of
from scrapy_boilerplate.core.page.arrays import Bool, Float, Int64
from scrapy_boilerplate.core.page.lenient import attribute_of
from scrapy_boilerplate.core.page.tags import HEADINGS, ITEMS

_SHOWN = frozenset("img picture video audio iframe object embed math canvas svg table pre".split())
"""What a section may show that has no words."""
APART = frozenset("img picture svg video iframe form button input select nav time article".split())
"""What stands in no section that is added, and in no list."""
MOST_WORDS, MOST_LINKED = 200, 0.5
"""Words of a section that is added, and the share of them that may be linked."""
LINKED = 0.9  # share of a block's words in links from which on it is only links
_RELATED = re.compile(
    # What announces other texts, beside "see also", which authors of manuals write.
    r"(?i)\W*(?:you (?:may|might) (?:also )?(?:like|enjoy|be interested in)|read (?:also|next)|"
    r"related(?: (?:articles?|posts?|stories|news|content|reading|coverage))?|"
    r"more (?:from|in|on) .{1,40}|most (?:read|popular|viewed)|"
    r"recommended(?: (?:for you|reading|articles|stories))?|"
    r"(?:popular|recent|latest) (?:posts|articles|stories|news)|ähnliche (?:artikel|beiträge)|"
    r"mehr zum thema|lesen sie auch|weitere (?:artikel|themen)|(?:à )?lire aussi|"
    r"sur le même sujet|(?:artículos|noticias) relacionad[ao]s|lea también|leggi anche|"
    r"articoli correlati|leia também|читайте также|по теме|czytaj także|zobacz także|lees ook|"
    r"相关(?:阅读|文章|新闻)|関連記事)\W*"
)
_PARAGRAPHS_A_REFERENCE = 2  # for each line that names another text
_REFERENCE = re.compile(r"\W*([^\W\d]+(?:\s+[^\W\d]+){0,3})\s?[:：]\s*\S.*[^.:：。]", re.DOTALL)
_MOST_OF_LINKED_LABEL = 2  # words; titles have colons, too
_PAGE = re.compile(r".+?(?<!\.\w\w)(?<!\.\w\w\w)|.+\.(?:php|asp|jsp|htm|cfm)")
"""A path that is not of a file."""
_BELOW_H1 = HEADINGS - {"h1"}
_LEVELS = 4
"""Elements around a heading that may begin with it."""


def _outline(page: Page) -> list[tuple[int, int, int]]:
    """Return headings with text, last first, each with its block and the one after its section.

    What follows a heading goes up to the next one that is not lower.
    """
    headings = page.filled(HEADINGS).nonzero()[0]
    blocks = page.block_of(page.first_text[headings])
    levels = [int(page.names[tag][1]) for tag in page.tag[headings].tolist()]
    found: list[tuple[int, int, int]] = []
    later: list[tuple[int, int]] = []  # level and block of the headings that follow, none higher
    rows = zip(headings.tolist(), blocks.tolist(), levels, strict=True)
    for heading, block, level in reversed(list(rows)):
        while later and later[-1][0] > level:
            later.pop()
        found.append((heading, block, later[-1][1] if later else len(page.blocks)))
        later.append((level, block))
    return found


def with_sections(page: Page, keep: Bool, *, is_manual: bool = False) -> Bool:
    """Return which blocks are kept with the dropped sections of a manual, or one that has code.

    Such a section is short and hardly linked, and others at its place in the outline are kept.
    """
    if not (is_manual or has_code(page, keep)):
        return keep
    words = page.per_block(page.words)
    kept, number = cumulative(words * keep), cumulative(keep)
    if not _may_have_dropped(page, kept, number, words):
        return keep
    linked, size = cumulative(page.linked), cumulative(words)
    outline = _outline(page)
    likely: list[tuple[int, int, tuple[int, int]]] = []
    for heading, first, stop in outline:
        if first + 1 >= stop or number[first + 2] > number[first + 1]:
            continue
        stop, (begin, end), place = _section(page, heading, first, stop)
        if (
            first + 1 < stop
            and number[stop] == number[first + 1]
            and size[stop] - size[first] <= MOST_WORDS
            and linked[stop] - linked[first] <= MOST_LINKED * (size[stop] - size[first])
            and 2 * (kept[end] - kept[begin]) >= kept[-1]
        ):
            likely.append((first, stop, place))
    if not likely:
        return keep
    places: set[tuple[int, int]] = set()
    for heading, first, stop in outline:
        if keep[first]:
            stop, _, place = _section(page, heading, first, stop)
            if number[stop] > number[first + 1]:
                places.add(place)
    is_item, found = page.blocks_inside(page.has_tag(ITEMS)), keep.copy()
    for first, stop, place in likely:
        if place in places and tags_between(page, first, stop).isdisjoint(APART):
            is_link = page.linked[first:stop] >= words[first:stop]  # to the next page
            is_text = ~is_link | is_item[first:stop]
            found[first:stop] = is_text | (not is_text[1:].any())
    return found


def _section(
    page: Page, heading: int, first: int, stop: int
) -> tuple[int, tuple[int, int], tuple[int, int]]:
    """Return where the section of a heading ends, the blocks of what holds it, and its place.

    The heading is in the block *first*, and what follows goes up to *stop* at most. The place is
    what holds the section, and the tag of the heading.
    """
    *beginning, around = _above(page, heading)
    # An element that begins with the heading is the section, or is around the heading only.
    for last in page.blocks_in(beginning)[1].tolist():
        stop = min(stop, last) if last > first + 1 else stop
    begin, end = map(int, page.blocks_in(around))
    return min(stop, end), (begin, end), (around, int(page.tag[heading]))


def _above(page: Page, heading: int) -> list[int]:
    """Return the elements that begin with a heading, inner ones first, and the one around them."""
    parents, first_texts = page.parent.data, page.first_text.data
    found = [max(parents[heading], 0)]
    while found[-1] and len(found) <= _LEVELS and first_texts[found[-1]] == first_texts[heading]:
        found.append(parents[found[-1]])
    return found


def _may_have_dropped(page: Page, kept: Int64, number: Int64, words: Int64) -> bool:
    """Return whether nothing between a heading beside the middle of the text and the next is kept.

    *kept* and *number* are the sums of kept words and blocks. Few pages have one, and this costs
    little. What begins with links is a menu, but for a link alone.
    """
    starts, headings = page.block_starts, page.has_tag(_BELOW_H1).nonzero()[0]
    following = np.minimum(page.block_of(page.first_text[headings]) + 1, words.size - 1)
    before_next = np.append(following[1:] - 1, words.size).clip(following + 1)
    at = (number[before_next] == number[following]).nonzero()[0]
    if not at.size:
        return False
    is_linked = page.linked[following[at]] > MOST_LINKED * words[following[at]]
    may_be = ~is_linked | (page.linked[following[at]] <= words[following[at] - 1])
    if not may_be.any():
        return False
    at, is_linked = at[may_be], is_linked[may_be]
    middle = int(starts[max(int(kept.searchsorted(kept[-1] / 2)) - 1, 0)])
    first_texts, last_texts = page.first_text.data, page.last_text.data
    rows = headings[at], following[at] + 1, before_next[at], is_linked
    for heading, second, stop, is_link in zip(*(row.tolist() for row in rows), strict=True):
        around = _above(page, heading)[-1]
        if first_texts[around] <= middle < last_texts[around]:
            end = min(stop, int(starts.searchsorted(last_texts[around])))
            if not is_link or end == second:
                return True
    return False


def tags_between(page: Page, first: int, stop: int) -> set[str]:
    """Return the tags between the first text of a block and the last before another."""
    texts = page.blocks[first, 0], page.blocks[stop - 1, 1] - 1
    return _tags(page, slice(*page.text_at[[*texts]].tolist()))


def _tags(page: Page, elements: slice) -> set[str]:
    return {page.names[tag] for tag in set(page.tag[elements].tolist())}


def without_empty_sections(page: Page, keep: Bool) -> Bool:
    """Return which blocks are kept without headings of which nothing that follows is kept.

    The heading that the text begins with stays, and those of items and links, which are titles of
    other texts. One right above notes, which outputs have at the end, says nothing.

    >>> page = Page.parse("<h1>Title</h1><p>Text.</p><h2>Related</h2><p>Other<p>More")
    >>> without_empty_sections(page, np.array([1, 1, 1, 0, 0], dtype=bool)).tolist()
    [True, True, False, False, False]
    """
    outline = _outline(page)
    blocks = np.array([block for _, block, _ in outline], dtype=np.int64)
    said = keep.copy()
    said[blocks] = False
    is_note = np.zeros(keep.size, dtype=bool)
    for note in page.notes.notes.keys() - page.notes.in_place:
        is_note[blocks_of_note(page, note)] = True
    said &= ~is_note
    following = np.minimum(blocks + 1, keep.size - 1)
    if not (said.any() and (keep[blocks] & ~said[following]).any()):
        return keep
    sums, begins = cumulative(said), int(said.argmax())
    has_fields = "input" in page.tag_names
    empty = [
        (heading, block)
        for heading, block, stop in outline
        if keep[block]
        and begins < block < stop - 1
        and (
            sums[stop] == sums[block]
            or is_note[block + 1]
            or (has_fields and _asks(page, heading, keep))
        )
    ]
    if not empty:
        return keep
    found: Bool = keep.copy()
    is_item = page.count_above(page.has_tag(("li",))) > 0
    linked = page.per_block(page.in_link) == page.blocks[:, 1] - page.blocks[:, 0]
    for heading, block in empty:
        after = int(page.end[heading])
        if not (linked[block] or is_item[heading] or _shows(page, after, block + 1)):
            found[block] = False
    return found


def without_lead_ins(page: Page, words: Float, keep: Bool) -> Bool:
    """Return which blocks are kept without short lines that announce what is dropped.

    >>> page = Page.parse("<p>It rained.<p>See also:<p><a href=/a>Snow</a><p><a href=/b>Ice</a>")
    >>> without_lead_ins(page, np.array([2.0, 2, 1, 1]), np.array([True, True, False, False]))
    array([ True, False, False, False])
    """
    last = keep.size - 1 - int(keep[::-1].argmax())
    may_be = keep[:-1] & ~keep[1:] & (words[:-1] <= MOST_OF_LEAD_IN)
    rows = may_be.nonzero()[0]
    rows = rows[(page.linked[rows + 1] >= MOST_LINKED * words[rows + 1]) | (rows == last)]
    empty = [
        block
        for block, text in zip(rows.tolist(), page.written(rows), strict=True)
        if text.rstrip().endswith(COLONS)
        and not _shows(page, int(page.text_at[page.blocks[block, 1] - 1]), block + 1)
    ]
    if not empty:
        return keep
    found: Bool = keep.copy()
    found[empty] = False
    return found


def without_related(page: Page, words: Float, keep: Bool) -> Bool:
    """Return which blocks are kept without links to other texts, and their label, at the end.

    >>> page = Page.parse("<p>It rained.<h2>Related posts</h2><p><a href=/a>All about the snow</a>")
    >>> without_related(page, np.array([9.0, 2, 4]), np.ones(3, dtype=bool)).tolist()
    [True, False, False]
    """
    kept = keep.nonzero()[0]
    label = kept[(page.linked[kept] < LINKED * words[kept]).nonzero()[0][-1:]]
    if not label.size or words[label[0]] > MOST_OF_LEAD_IN or label[0] in (0, keep.size - 1):
        return keep
    following = int(label[0]) + 1
    is_label = _RELATED.fullmatch(page.written(label)[0].strip())
    if not is_label or page.linked[following] < LINKED * words[following]:
        return keep
    found: Bool = keep.copy()
    found[label[0] :] = False
    return found if 2 * words[found].sum() >= words[keep].sum() else keep


def without_references(page: Page, words: Float, keep: Bool) -> Bool:
    """Return which blocks are kept without lines between paragraphs that name a text to read, too.

    Such a line is a label with a colon and the linked title of a page of the host that the page
    declares, whatever address it was fetched from.

    >>> said = "It rained on that day, and for all of the next week."
    >>> page = Page.parse(f"<p>{said}<p>Read also: <a href=/b>All about the snow</a><p>{said}")
    >>> without_references(page, np.array([11.0, 6, 11]), np.ones(3, dtype=bool)).tolist()
    [True, False, True]
    """
    own = words - page.linked
    is_prose = keep & (own >= LEAST_BESIDE) & (own > page.linked)
    may_be = keep & (page.linked >= LEAST_REFERRED) & (own <= MOST_OF_LEAD_IN)
    beside = is_prose | may_be
    may_be[[0, -1]] = False
    may_be[1:-1] &= beside[:-2] & beside[2:]
    rows = may_be.nonzero()[0]
    if not 0 < _PARAGRAPHS_A_REFERENCE * rows.size <= np.count_nonzero(is_prose):
        return keep
    named = [
        block
        for block, text in zip(rows.tolist(), page.written(rows), strict=True)
        if (said := _REFERENCE.fullmatch(text.strip()))
        and (own[block] or len(said[1].split()) <= _MOST_OF_LINKED_LABEL)
    ]
    found = _leading_to_pages(page, named)
    if not found:
        return keep
    keep = keep.copy()
    keep[found] = False
    return keep


def _leading_to_pages(page: Page, blocks: list[int]) -> list[int]:
    """Return which blocks end in links alone, the first to a page of the declared host."""
    links: dict[int, int] = {}
    for block in blocks:
        first, stop = page.blocks[block].tolist()
        begin = first + int(page.in_link[first:stop].argmax())
        if not (page.words[begin:stop] * ~page.in_link[begin:stop]).any():
            links[block] = int(page.text_parent[begin])
            while page.names[page.tag[links[block]]] != "a":
                links[block] = int(page.parent[links[block]])
    declared = (page.declared_address(name) for name in ("canonical", "og:url"))
    hosts = {"", *(parts_of(address).netloc for address in declared)}
    nodes = page.nodes([*{*links.values()}])
    to_pages = {link for link, node in nodes if _is_of_page(attribute_of(node, "href"), hosts)}
    return [block for block, link in links.items() if link in to_pages]


def _is_of_page(address: str | None, hosts: set[str]) -> bool:
    """Tell whether an address is that of a page, not a file, of one of *hosts*."""
    to = parts_of(address or "")
    is_near = to.netloc in hosts and to.scheme in ("", "http", "https")
    return is_near and bool(_PAGE.fullmatch(to.path))


def _asks(page: Page, heading: int, keep: Bool) -> bool:
    """Tell whether a box that begins with a heading has fields to fill, and no other kept text."""
    element = max(int(page.parent[heading]), 0)
    if page.first_text[element] != page.first_text[heading]:
        return False
    first, stop = page.blocks_in(element)
    return np.count_nonzero(keep[first:stop]) == 1 and not _tags(
        page, slice(element, int(page.end[element]))
    ).isdisjoint(("input", "textarea"))


def _shows(page: Page, element: int, following: int) -> bool:
    """Tell whether a picture or the like stands from an *element* up to the block *following*."""
    stop = int(page.text_at[page.blocks[following, 0]])
    return not _tags(page, slice(element, stop)).isdisjoint(_SHOWN)
