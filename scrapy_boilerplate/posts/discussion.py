"""Whether a page is a thread or has comments, and which they are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.metadata import Metadata
from scrapy_boilerplate.metadata.titles import words_of
from scrapy_boilerplate.page import Page, cumulative
from scrapy_boilerplate.posts.bodies import LONGEST_META
from scrapy_boilerplate.posts.reading import read_posts
from scrapy_boilerplate.posts.units import Marks, Units, find_units, marks_of
from scrapy_boilerplate.posts.values import Post

__all__ = ["Discussion", "find_comments", "is_thread", "read_discussion"]

LEAST_OUTSIDE = 30
"""Words of an article with comments that are no comments."""
LEAST_FIRST = 5
"""Words of a first post that stands before the others."""

_THREAD_TYPES = frozenset("DiscussionForumPosting QAPage Question Conversation".split())
_ADDRESS = re.compile(
    r"\b(?:forums?|threads?|showthread|viewtopic|topics?|boards?|discussions?|discuss|questions|"
    r"community|viewthread|talk)\b|/r/\w+/comments/|/t/"
)
_REPLIES = re.compile(r"comment|repl|answer|respon", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Discussion:
    """What readers wrote on a page: either comments or posts, or nothing."""

    comments: tuple[Post, ...] = ()
    posts: tuple[Post, ...] = ()


def read_discussion(page: Page, metadata: Metadata, keep: NDArray[np.bool_]) -> Discussion:
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
    posts = read_posts(page, units, marks)
    if not is_thread(page, metadata, units, keep):
        return Discussion(comments=posts)
    return Discussion(posts=(*_first_post(page, metadata, units, keep, marks), *posts))


def find_comments(page: Page, keep: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return for each text node whether it stands in a comment on an article.

    *keep* tells for each text node whether it is taken for main content. What the page declares is
    not read, so that this costs little.
    """
    inside = np.zeros(page.text_at.size, dtype=bool)
    units = find_units(page, marks_of(page))
    if units is not None and not is_thread(page, Metadata(), units, keep):
        for start, stop in zip(units.starts.tolist(), units.stops.tolist(), strict=True):
            inside[start:stop] = True
    return inside


def is_thread(page: Page, metadata: Metadata, units: Units, keep: NDArray[np.bool_]) -> bool:
    """Tell whether a page with these units is a thread rather than an article with comments.

    *keep* tells for each text node whether it is main content. A page that has hardly any beside
    the units is there for them.
    """
    if not units.is_comment or metadata.page_type in _THREAD_TYPES:
        return True
    outside = keep.copy()
    for start, stop in zip(units.starts.tolist(), units.stops.tolist(), strict=True):
        outside[start:stop] = False
    if keep.any() and int(page.words[outside].sum()) < LEAST_OUTSIDE:
        return True
    try:
        address = urlsplit(page.url or "")
    except ValueError:  # such as a bracket that is not closed
        return False
    return bool(_ADDRESS.search(f"{address.netloc}{address.path}/".lower()))


def _first_post(
    page: Page, metadata: Metadata, units: Units, keep: NDArray[np.bool_], marks: Marks
) -> tuple[Post, ...]:
    """Return what the units answer, where it is no unit itself."""
    blocks = page.blocks[page.blocks[:, 1] <= units.starts[0]]
    if not _REPLIES.search(units.name) or not len(blocks):
        return ()
    title = words_of(metadata.title)
    kept, dated = cumulative(keep), cumulative(marks.dated)
    texts, nodes = [], []
    for first, stop in blocks[kept[blocks[:, 1]] > kept[blocks[:, 0]]].tolist():
        text = page.lay_out(first, stop)
        is_meta = dated[stop] > dated[first] and len(text.split()) <= LONGEST_META
        if not is_meta and words_of(text) != title:
            texts.append(text)
            nodes += [first, stop - 1]
    if sum(len(text.split()) for text in texts) < LEAST_FIRST:
        return ()
    author = metadata.authors[0] if metadata.authors else ""
    xpath = page.xpath_of(nodes[0], nodes[-1] + 1)
    return (Post(author, metadata.date_published, "\n\n".join(texts).strip(), 0, xpath),)
