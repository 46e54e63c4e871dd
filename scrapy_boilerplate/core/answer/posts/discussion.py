"""Reads the comments on an article or the posts of a thread."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.core.answer.metadata import Metadata
from scrapy_boilerplate.core.answer.metadata.declared import words_of
from scrapy_boilerplate.core.answer.posts.bodies import LONGEST_META
from scrapy_boilerplate.core.answer.posts.threads import REPLIES, USUAL, find_thread
from scrapy_boilerplate.core.answer.posts.unit_signs import PostEvidence
from scrapy_boilerplate.core.answer.posts.units import DIVIDED, Units, find_units
from scrapy_boilerplate.core.answer.posts.values import Post, read_posts, said_before, written_in
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page.arrays import Bool, in_spans
from scrapy_boilerplate.core.page.tags import HEADINGS, PREFORMATTED

LEAST_BESIDE = 30  # words of an article with comments that are no comments
LEAST_WRITTEN = 0.25
"""Share of the main content in posts that must be found in what was written in them."""
LEAST_FIRST = 5  # words of a first post that stands before the others
_SHOWN = frozenset("figure picture video audio iframe".split())


@dataclass(frozen=True, slots=True)
class Discussion:
    """The readers' texts of a page: either comments or posts, or nothing."""

    comments: tuple[Post, ...] = ()
    posts: tuple[Post, ...] = ()


def read_discussion(
    page: Page, metadata: Metadata, keep: Bool, is_thread: bool | None = None
) -> Discussion:
    """Return the comments of an article or the posts of a thread.

    *keep* tells for each text node whether it is main content: what stands of it before the answers
    to a question is its first post. *is_thread* is what a method has told of the page. Never raises
    for any page; takes linear time.

    >>> page = Page.parse("<p>An article." + " It has words." * 12 + "<div id=comments>" + "".join(
    ...     f"<div class=comment id=comment-{n}><cite>Ada</cite> <time>2025-09-0{n}</time>"
    ...     f"<p>I agree.</p></div>" for n in (1, 2)) + "</div>")
    >>> found = read_discussion(page, Metadata(), np.ones(page.text_at.size, dtype=bool))
    >>> [(each.author, each.date, each.text) for each in found.comments]
    [('Ada', '2025-09-01', 'I agree.'), ('Ada', '2025-09-02', 'I agree.')]
    """
    if not page.text_at.size:
        return Discussion()
    evidence = PostEvidence.of(page)
    units = None
    if is_thread is not False:
        units = find_thread(evidence, keep, is_thread=bool(is_thread))
    if units is not None:
        first = _first_post(evidence, metadata, units, keep)
        return Discussion(posts=(*first, *read_posts(evidence, units, metadata)))
    units = _comments(evidence)
    if units is None:
        return Discussion()
    return Discussion(comments=read_posts(evidence, units, metadata))


def _comments(evidence: PostEvidence) -> Units | None:
    notebook = evidence.page.notebook
    if __name__ not in notebook:
        notebook[__name__] = next(iter(find_units(evidence, only_comments=True)), None)
    return notebook[__name__]


def find_comments(page: Page, keep: Bool) -> Bool:
    """Return for each text node whether it stands in a comment on an article."""
    # What only lines divide is content in CleanEval; dropping it cost .007.
    units = _comments(PostEvidence.of(page))
    if units is not None and units.name != DIVIDED:
        inside = units.inside(page.text_at.size)
        if page.words[keep & ~inside].sum() >= LEAST_BESIDE:
            return inside
    return np.zeros(page.text_at.size, dtype=bool)


def are_comments_alone(page: Page, keep: Bool) -> bool:
    """Tell whether all that *keep* flags stands in comments, but for headings and hardly a word.

    They may be on a picture or a video, or on a text above them that is not kept.
    """
    if not page.tag_names.isdisjoint(_SHOWN):
        return False
    evidence = PostEvidence.of(page)
    units = _comments(evidence)
    if units is None or units.name == DIVIDED:
        return False
    outside = keep & ~units.inside(keep.size) & ~evidence.headings
    is_bare = evidence.running[units.starts[0]] < LEAST_BESIDE
    return bool(is_bare and page.words[outside].sum() < LEAST_FIRST)


def find_posts(page: Page, keep: Bool, whole_page: float = USUAL) -> Bool | None:
    """Return for each text node whether it is written in a post of a thread, or is its title."""
    # Of what stands before the posts, the question that they answer is kept.
    evidence = PostEvidence.of(page)
    units = find_thread(evidence, keep, whole_page)
    if units is None:
        return None
    first = in_spans(list(_first_blocks(evidence, units, keep)), keep.size)
    written, kept = written_in(evidence, units), keep & units.inside(keep.size)
    if page.words[written].sum() < LEAST_WRITTEN * page.words[kept].sum():
        written = kept  # what looked like the body of a post was none
    before, heads = np.arange(keep.size) < units.starts[0], _in_title(page) & keep
    if units.signatures:  # below the headings of topics, which are no units
        heads = evidence.headings & (keep | ~before)
        before = np.arange(keep.size) < units.stops[-1]
    return first | (before & heads) | written


def _in_title(page: Page) -> Bool:
    return page.texts_inside(page.has_tag(("h1",)))


def _first_blocks(evidence: PostEvidence, units: Units, keep: Bool) -> Iterator[tuple[int, int]]:
    """Yield the kept blocks before units that answer to them, less title, labels and dates."""
    # Labels, as of a tracker's fields, stand before the first block that is none.
    if not REPLIES.search(units.name):
        return
    page, dated = evidence.page, evidence.dates
    blocks = page.blocks[page.blocks[:, 1] <= units.starts[0]]
    kept = cumulative(keep & ~_in_title(page))
    code = cumulative(page.texts_inside(page.has_tag(PREFORMATTED)))
    rows = blocks[kept[blocks[:, 1]] > kept[blocks[:, 0]]].tolist()
    headed = page.texts_inside(page.has_tag((*HEADINGS, "fieldset")))
    while rows and headed[rows[-1][0]]:  # of the answers, or a form
        rows.pop()
    begin = _begin_beside(evidence, units, rows)
    is_said = False
    for first, stop in rows:
        text = page.lay_out(first, stop).strip()
        is_short = len(text.split()) <= LONGEST_META
        is_label = is_short and (text[-1:].isalnum() or text[-1:] == ":")
        is_said |= first >= begin and (not is_label or code[stop] > code[first])
        if is_said and not (is_short and dated[stop] > dated[first]):
            yield first, stop


def _begin_beside(evidence: PostEvidence, units: Units, rows: list[list[int]]) -> int:
    """Return where the smallest element begins that holds units and text of *rows* before them."""
    # A sidebar may stand before both.
    page, words = evidence.page, evidence.words
    sizes = ((words[stop] - words[first], first) for first, stop in reversed(rows))
    last = next((first for size, first in sizes if size > LONGEST_META), 0)
    above = int(units.elements[0])
    while above > 0 and page.first_text[above] > last:
        above = int(page.parent[above])
    return int(page.first_text[above])


def _first_post(
    evidence: PostEvidence, metadata: Metadata, units: Units, keep: Bool
) -> tuple[Post, ...]:
    """Return what the units answer, where it is no unit itself."""
    page, title = evidence.page, words_of(metadata.title)
    texts, nodes = [], []
    for first, stop in _first_blocks(evidence, units, keep):
        text = page.lay_out(first, stop)
        if words_of(text) != title:
            texts.append(text)
            nodes += [first, stop - 1]
    if sum(len(text.split()) for text in texts) < LEAST_FIRST:
        return ()
    author, date = said_before(evidence, int(units.starts[0]), metadata)
    author = metadata.authors[0] if metadata.authors else author
    xpath = page.xpath_of(nodes[0], nodes[-1] + 1)
    return (Post(author, metadata.date_published or date, "\n\n".join(texts).strip(), 0, xpath),)
