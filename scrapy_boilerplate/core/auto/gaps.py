"""Keeps what stands between the kept parts of a document: lists, and sections of its outline."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.core.auto.contents import has_code, is_named
from scrapy_boilerplate.core.auto.sections import sections_of
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page.addresses import joined, parts_of
from scrapy_boilerplate.core.page.arrays import Bool, Float, Int64
from scrapy_boilerplate.core.page.lenient import attribute_of
from scrapy_boilerplate.core.page.tags import HEADINGS, LISTS

_APART = frozenset("img picture svg video iframe form button input select nav time article".split())
"""What stands in no list and no section that is added …"""
_APART_FROM_LISTS = _APART | HEADINGS | {"table", "label"}

_LIKELY, _MOST_LINKS = 0.15, 0.25
"""Mean probability from which on a list is kept, and its greatest share of linked words."""
_LEVELS = 12
"""Elements around an item that may be its list."""

_MOST_WORDS, _MOST_OWN = 200, 1
"""Words of a section that is kept, and its links to other pages of the host."""


def with_lists(page: Page, keep: Bool, content: Float) -> Bool:
    """Return which blocks are kept with the lists between those that *keep* flags.

    *content* is the probability of each block. A list stands whole, alone or with paragraphs,
    between two kept texts of the element around it, which are no items. Linear.

    >>> page = Page.parse("<div><p>To paint:<ul><li>oak<li>pine</ul><p>Let it dry.</div>")
    >>> with_lists(page, np.array([True, False, False, True]), np.full(4, 0.3)).tolist()
    [True, True, True, True]
    """
    starts, kept = page.blocks[:, 0], np.flatnonzero(keep)
    if "li" not in page.tag_names or kept[-1] - kept[0] < kept.size:
        return keep  # which has no gap
    is_item = page.texts_inside(page.has_tag(("li",)))[starts]
    if not (is_item & ~keep)[kept[0] : kept[-1]].any():
        return keep
    may = ~keep & (is_item | page.texts_inside(page.has_tag(("p",)))[starts])
    items, others = cumulative(may & is_item), cumulative(~may)
    words, linked = (page.per_block(each) for each in (page.words, page.words * page.in_link))
    found: Bool = keep.copy()
    for begin, end in zip((kept[:-1] + 1).tolist(), kept[1:].tolist(), strict=True):
        gap = slice(begin, end)
        if (
            not (is_item[begin - 1] or is_item[end])
            and items[begin] < items[end]
            and others[begin] == others[end]
            and linked[gap].sum() <= _MOST_LINKS * words[gap].sum()
            and content[gap].mean() >= _LIKELY
            and _tags(page, _elements(page, begin - 1, end)).isdisjoint(_APART_FROM_LISTS)
        ):
            item = int(starts[begin + int(is_item[gap].argmax())])
            found[gap] = _is_between(page, item, int(starts[begin]), int(starts[end]))
    return found


def _is_between(page: Page, item: int, start: int, stop: int) -> bool:
    """Tell whether the list around the text node *item* stands right in an element, or in one right
    in it, that also holds the texts before *start* and from *stop* on.
    """
    element, outer = int(page.text_parent[item]), [0]
    for _ in range(_LEVELS):
        if page.first_text[element] < start or page.last_text[element] > stop:
            break
        around = int(page.parent[element])
        if page.names[page.tag[element]] in LISTS:
            outer = [around, int(page.parent[around])]
        element = around
    return bool(((page.first_text[outer] < start) & (page.last_text[outer] > stop)).any())


def with_sections(page: Page, keep: Bool) -> Bool:
    """Return which blocks are kept with the dropped sections of a document that has code.

    Such a section has an anchor, others at its place in the outline are kept, and it leads to
    hardly any page of its own host, as related pages would. Linear.
    """
    if not has_code(page, keep):
        return keep
    words = page.per_block(page.words)
    kept = cumulative(words * keep)
    if not _may_have_dropped(page, keep, kept):
        return keep
    number, size = cumulative(keep), cumulative(words)
    sections = _sections(page)
    _, first, stop, start, end, *_ = sections
    may = (
        (first + 1 < stop)
        & (number[stop] == number[first + 1])
        & (size[stop] - size[first] <= _MOST_WORDS)
        & (2 * (kept[end] - kept[start]) >= kept[-1])
    )
    if not may.any():
        return keep
    begun = keep[first] & (number[stop] > number[first + 1]) & np.append(keep, False)[first + 1]
    places = {(holder, tag) for *_, holder, tag in sections[:, begun].T.tolist()}
    found: Bool = keep.copy()
    for heading, begin, after, *_, holder, tag in sections[:, may].T.tolist():
        inside = _elements(page, begin, after)
        if (
            (holder, tag) in places
            and _has_anchor(page, heading)
            and _tags(page, inside).isdisjoint(_APART)
            and not is_named(page, int(page.end[heading]), inside.stop)
            and _links_to_host(page, inside) <= _MOST_OWN
        ):
            found[begin:after] = True
    return found


def _may_have_dropped(page: Page, keep: Bool, kept: Int64) -> bool:
    """Tell at little cost whether a dropped text follows a heading that stands with half of the
    kept text: with the word in its middle. *kept* are the sums of kept words.
    """
    starts = page.blocks[:, 0]
    middle = starts[max(int(kept.searchsorted(kept[-1] / 2)) - 1, 0)]
    headings = page.has_tag(HEADINGS).nonzero()[0]
    outer = np.maximum(page.parent[np.maximum(page.parent[headings], 0)], 0)
    inside = headings[(page.first_text[outer] <= middle) & (page.last_text[outer] > middle)]
    following = starts.searchsorted(page.first_text[inside], side="right")
    return not keep[following[following < keep.size]].all()


def _sections(page: Page) -> Int64:
    """Return the sections of a page: what follows a heading, or an element that begins with it.

    The rows are the heading, its block and the one after its section, the blocks of the element
    that holds it beside others, that element, and the tag of the heading.
    """
    starts = page.blocks[:, 0]
    heading, first, stop = np.array(sections_of(page), dtype=np.int64).reshape(-1, 3).T
    around = np.maximum(page.parent[heading], 0)
    begins = page.first_text[around] == page.first_text[heading]
    holder = np.where(begins, np.maximum(page.parent[around], 0), around)
    texts = page.first_text[holder], page.last_text[holder], page.last_text[around]
    start, end, last = map(starts.searchsorted, texts)
    # An element may be around the heading only.
    after = np.minimum(stop, np.where(last > first + 1, last, end))
    return np.stack([heading, first, after, start, end, holder, page.tag[heading]])


def _has_anchor(page: Page, heading: int) -> bool:
    """Tell whether a heading, something in it or what begins with it has an id."""
    elements = [int(page.parent[heading]), *range(heading, int(page.end[heading]))]
    return any(page.strings[number] for number in page.id_id[elements].tolist())


def _elements(page: Page, first: int, stop: int) -> slice:
    """Return the elements between the first text of a block and the last before another."""
    texts = page.blocks[first, 0], page.blocks[stop - 1, 1] - 1
    return slice(*page.text_at[[*texts]].tolist())


def _tags(page: Page, elements: slice) -> set[str]:
    return {page.names[tag] for tag in set(page.tag[elements].tolist())}


def _links_to_host(page: Page, inside: slice) -> int:
    """Return how many links among some elements lead to other pages of the page's host."""
    links = np.flatnonzero(page.has_tag(("a",))[inside] & (page.fragment[inside] < 2))
    address = page.addresses[0] if page.addresses else ""
    hosts = {"", parts_of(address).netloc}
    hrefs = (attribute_of(node, "href") for _, node in page.nodes((links + inside.start).tolist()))
    return sum(parts_of(joined(page.base_url, href)).netloc in hosts for href in hrefs if href)
