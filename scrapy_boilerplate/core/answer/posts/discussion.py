"""Tells threads and pages with comments, and finds their posts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

import numpy as np

from scrapy_boilerplate.core.answer.metadata import Metadata
from scrapy_boilerplate.core.answer.metadata.declared import words_of
from scrapy_boilerplate.core.answer.posts.bodies import LONGEST_META
from scrapy_boilerplate.core.answer.posts.reading import read_posts, written_in
from scrapy_boilerplate.core.answer.posts.units import Marks, Units, find_units, marks_of
from scrapy_boilerplate.core.answer.posts.values import Post
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page.arrays import Bool

LEAST_OUTSIDE = 30
"""Words of an article with comments that are no comments."""
LEAST_FIRST = 5
"""Words of a first post that stands before the others."""
LEAST_POSTS, LEAST_OF_THREAD, LEAST_OF_PAGE = 2, 0.6, 0.3
"""Posts of a thread, and their share of the words of the main content, or of the page without its
links, from which on it is sure."""

_THREAD_TYPES = frozenset("DiscussionForumPosting QAPage Conversation".split())
_ADDRESS = re.compile(
    r"\b(?:forums?|threads?|showthread|showtopic|viewtopic|viewthread|topics?|boards?|discussions?|"
    r"discuss|questions|community|talk)\b|/r/\w+/comments/|/t/"
)
_REPLIES = re.compile(r"comment|repl|answer|respon", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Discussion:
    """The readers' texts of a page: either comments or posts, or nothing."""

    comments: tuple[Post, ...] = ()
    posts: tuple[Post, ...] = ()


def read_discussion(page: Page, metadata: Metadata, keep: Bool) -> Discussion:
    """Return the comments of an article or the posts of a thread.

    *keep* tells for each text node whether it is main content: what stands of it before the answers
    to a question is its first post. Never raises for any page; takes linear time.

    >>> page = Page.parse("<p>An article." + " It has words." * 12 + "<div id=comments>" + "".join(
    ...     f"<div class=comment id=comment-{n}><cite>Ada</cite> <time>2025-09-0{n}</time>"
    ...     f"<p>I agree.</p></div>" for n in (1, 2)) + "</div>")
    >>> found = read_discussion(page, Metadata(), np.ones(page.text_at.size, dtype=bool))
    >>> [(each.author, each.date, each.text) for each in found.comments]
    [('Ada', '2025-09-01', 'I agree.'), ('Ada', '2025-09-02', 'I agree.')]
    """
    if not page.text_at.size:
        return Discussion()
    marks = marks_of(page)
    units = find_units(page, marks)
    if units is None:
        return Discussion()
    if is_thread(page, metadata, units, keep):
        first = _first_post(page, metadata, units, keep, marks)
        return Discussion(posts=(*first, *read_posts(page, units, marks)))
    if units.is_comment:
        return Discussion(comments=read_posts(page, units, marks))
    return Discussion()


def find_comments(page: Page, keep: Bool) -> Bool:
    """Return for each text node whether it stands in a comment on an article.

    *keep* tells for each text node whether it is taken for main content. What the page declares is
    not read, so that this costs little.
    """
    units = find_units(page, marks_of(page))
    if units is None or not units.is_comment or is_thread(page, Metadata(), units, keep):
        return np.zeros(page.text_at.size, dtype=bool)
    return _inside(units, page.text_at.size)


def find_posts(page: Page, keep: Bool) -> Bool | None:
    """Return for each text node whether it is written in a post of a thread, or is its title.

    ``None`` where it is not sure that the page is a thread: its address must say so, and the posts
    must hold most of the main content, which *keep* flags, or much of the page: what was taken for
    main content may be none.
    """
    if not has_address_of_thread(page):
        return None
    marks = marks_of(page)
    units = find_units(page, marks)
    if units is None or units.elements.size < LEAST_POSTS:
        return None
    inside = _inside(units, page.text_at.size)
    first = np.zeros_like(keep)
    for start, stop in _first_blocks(page, units, keep, marks):
        first[start:stop] = True
    if not (
        _share(page, inside | first, keep) >= LEAST_OF_THREAD
        or (not units.is_comment and _share(page, inside & ~page.in_link) >= LEAST_OF_PAGE)
    ):
        return None
    before = np.arange(keep.size) < units.starts[0]
    written: Bool = first | (keep & before & _in_title(page)) | written_in(page, units, marks)
    return written


def is_thread(page: Page, metadata: Metadata, units: Units, keep: Bool) -> bool:
    """Return whether a page with these units is a thread rather than an article.

    *keep* tells for each text node whether it is main content. A page that has hardly any beside
    comments is there for them; one of posts holds most of it in them, if it does not say that it is
    a thread.
    """
    if metadata.page_type in _THREAD_TYPES or has_address_of_thread(page):
        return True
    inside = _inside(units, page.text_at.size)
    outside = int(page.words[keep & ~inside].sum())
    if units.is_comment:
        return bool(keep.any()) and outside < LEAST_OUTSIDE
    return int(page.words[keep & inside].sum()) > outside


def has_address_of_thread(page: Page) -> bool:
    """Return whether the address of a page is one that forums have."""
    try:
        address = urlsplit(page.url or "")
    except ValueError:  # such as a bracket that is not closed
        return False
    return bool(_ADDRESS.search(f"{address.netloc}{address.path}/".lower()))


def _inside(units: Units, texts: int) -> Bool:
    """Return for each text node whether it stands in a unit."""
    steps = np.zeros(texts + 1, dtype=np.int64)
    np.add.at(steps, units.starts, 1)
    np.subtract.at(steps, units.stops, 1)
    inside: Bool = steps.cumsum()[:-1] > 0
    return inside


def _share(page: Page, part: Bool, whole: Bool | None = None) -> float:
    """Return the share of the words of a *whole*, or of the page, that stand in a *part* of it."""
    words = page.words if whole is None else page.words * whole
    return float((words * part).sum() / max(1, words.sum()))


def _in_title(page: Page) -> Bool:
    """Return for each text node whether it stands in an ``h1``."""
    inside: Bool = page.texts_inside(page.has_tag(("h1",)))
    return inside


def _first_blocks(page: Page, units: Units, keep: Bool, marks: Marks) -> Iterator[tuple[int, int]]:
    """Yield the kept blocks before units that answer to them, without title and lines of a date."""
    if not _REPLIES.search(units.name):
        return
    blocks = page.blocks[page.blocks[:, 1] <= units.starts[0]]
    kept, dated = cumulative(keep & ~_in_title(page)), cumulative(marks.dated)
    for first, stop in blocks[kept[blocks[:, 1]] > kept[blocks[:, 0]]].tolist():
        is_short = len(page.lay_out(first, stop).split()) <= LONGEST_META
        if not (is_short and dated[stop] > dated[first]):
            yield first, stop


def _first_post(
    page: Page, metadata: Metadata, units: Units, keep: Bool, marks: Marks
) -> tuple[Post, ...]:
    """Return what the units answer, where it is no unit itself."""
    title = words_of(metadata.title)
    texts, nodes = [], []
    for first, stop in _first_blocks(page, units, keep, marks):
        text = page.lay_out(first, stop)
        if words_of(text) != title:
            texts.append(text)
            nodes += [first, stop - 1]
    if sum(len(text.split()) for text in texts) < LEAST_FIRST:
        return ()
    author = metadata.authors[0] if metadata.authors else ""
    xpath = page.xpath_of(nodes[0], nodes[-1] + 1)
    return (Post(author, metadata.date_published, "\n\n".join(texts).strip(), 0, xpath),)
