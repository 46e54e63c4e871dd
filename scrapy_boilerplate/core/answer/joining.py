"""Joins the answers for the pages of one article or thread into one answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.answer.document.nodes import Document, Node, Note, NoteReference
from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.answer.posts import Discussion, Post
from scrapy_boilerplate.core.answer.record import Rule, Segment
from scrapy_boilerplate.core.page.arrays import in_spans

LEAST_NEW = 0.1
"""Share of a page's words that no page before had, without which it only repeats them."""
LEAST_SHARED = 0.6
"""Share of the shorter title's words that the titles of an article's pages have in common."""

_WORD = re.compile(r"\w+")
_LETTERS = re.compile(r"[^\W\d_]+")
_OF_PAGES = re.compile(r"page|seite|pagina|página|strona|of|von|de|z|第|页|頁|ページ|next|weiter")
"""Words around the number of a page."""

_REPEATED = Rule("repeats", "on the pages before, too")


def is_continuation(answers: Sequence[Extraction], new: Extraction) -> bool:
    """Return whether *new* is a further page of the text whose pages so far are *answers*."""
    # A link to the next page may lead to another article, an empty page or the same page again.
    first = answers[0]
    address = first.metadata.canonical_url
    one, other = set(_title_key(first.title)), set(_title_key(new.title))
    are_alike = len(one & other) >= LEAST_SHARED * min(len(one), len(other))
    if not are_alike and address != (new.metadata.canonical_url or None):
        return False
    seen = {key for answer in answers for key in _keys(answer)}
    keys = _keys(new)
    return sum(len(key) for key in keys if key not in seen) > LEAST_NEW * sum(map(len, keys))


def join(answers: Sequence[Extraction], *, is_cut: bool = False) -> Extraction:
    """Return one answer for the pages of a text, in their order; *is_cut*: some are missing."""
    parts = [answers[0]]
    seen = {*_keys(answers[0])}
    for answer in answers[1:]:
        parts.append(_without_repeats(answer, answers[0].title, seen))
        seen.update(_keys(answer))
    weights = [len(part.text) for part in parts]
    known = [part.confidence for part in parts if part.confidence is not None]
    is_known = len(known) == len(parts) and any(weights)
    segments, main = _segments(parts)
    joined = parts[0].replace(
        text="\n\n".join(filter(None, (part.text for part in parts))),
        segments=segments,
        main=main,
        confidence=float(np.average(known, weights=weights)) if is_known else parts[0].confidence,
        truncated=is_cut or any(part.truncated for part in parts),
        garbled=any(part.garbled for part in parts),
    )
    return joined.without_page(
        url=parts[0].url,
        metadata=parts[0].metadata,
        discussion=_discussion(parts),
        document=_document(parts),
        next_page=answers[-1].next_page,
    )


# -- what is repeated ------------------------------------------------------------------------------


def _key(text: str) -> tuple[str, ...]:
    """Return the words of a block, by which it is known again."""
    return tuple(_WORD.findall(text.casefold()))


def _title_key(text: str) -> tuple[str, ...]:
    """Return the words of a title, without numbers and words that say which page this is."""
    words = _LETTERS.findall(text.casefold())
    return tuple(word for word in words if not _OF_PAGES.fullmatch(word))


def _blocks(answer: Extraction) -> tuple[NDArray[np.int64], list[str]]:
    """Return the kept blocks of an answer's page, as rows of (start, stop), and their texts."""
    page = answer.page
    if page is None:
        return np.empty((0, 2), np.int64), answer.text.split("\n\n")
    blocks = page.blocks[answer.kept(page)[page.blocks[:, 0]]]
    return blocks, page.lay_out_all(blocks)


def _keys(answer: Extraction) -> list[tuple[str, ...]]:
    return list(map(_key, _blocks(answer)[1]))


def _without_repeats(answer: Extraction, title: str, seen: set[tuple[str, ...]]) -> Extraction:
    """Return an answer without what its page begins and ends with and pages before have *seen*."""
    blocks, texts = _blocks(answer)
    page = answer.page
    if page is None:
        return answer
    titles = (_title_key(title), ())
    repeated = np.array([_key(t) in seen or _title_key(t) in titles for t in texts], dtype=bool)
    new = np.flatnonzero(~repeated)
    if new.size:
        repeated[new[0] : new[-1]] = False
    return answer.without(in_spans(blocks[repeated], page.text_at.size), _REPEATED)


# -- what is joined --------------------------------------------------------------------------------


def _segments(parts: Sequence[Extraction]) -> tuple[tuple[Segment, ...], tuple[Segment, ...]]:
    """Return all segments and the main ones, with spans as if all pages were one."""
    segments: list[Segment] = []
    main: list[Segment] = []
    before = 0
    for part in parts:
        moved = [
            replace(each, span=(each.span[0] + before, each.span[1] + before))
            for each in part.segments
        ]
        chosen = {segment.span for segment in part.main}
        segments += moved
        main += [m for m, each in zip(moved, part.segments, strict=True) if each.span in chosen]
        before += part.page.text_at.size if part.page is not None else 0
    return tuple(segments), tuple(main)


def _discussion(parts: Sequence[Extraction]) -> Discussion:
    """Return the comments and posts of all pages, each once."""
    found: list[tuple[Post, ...]] = []
    for posts in ([p.comments for p in parts], [p.posts for p in parts]):
        each = {(post.author, post.date, post.text): post for page in posts for post in page}
        found.append(tuple(each.values()))
    return Discussion(*found)


def _document(parts: Sequence[Extraction]) -> Document:
    """Return the documents of all pages as one, with all notes at its end."""
    nodes: list[Node] = []
    ends: list[int] = []
    ranges: list[tuple[Document, int, int]] = []
    numbers = [0]
    for part in parts:
        notes = (n.number for n in part.document.nodes if isinstance(n, (Note, NoteReference)))
        numbers.append(numbers[-1] + max(notes, default=0))
    for is_note in (False, True):
        for part, before in zip(parts, numbers, strict=False):
            document = part.document
            for start in document.children():
                if isinstance(document.nodes[start], Note) != is_note:
                    continue
                end = document.ends[start]
                shift = len(nodes) - start
                nodes += (_renumbered(node, before) for node in document.nodes[start:end])
                ends += (each + shift for each in document.ends[start:end])
                ranges.append((document, start, end))

    def find_xpaths(indices: Sequence[int]) -> list[str]:
        paths = [path for each, start, end in ranges for path in each.xpaths[start:end]]
        return [paths[index] for index in indices]

    return Document(tuple(nodes), tuple(ends), find_xpaths)


def _renumbered(node: Node, before: int) -> Node:
    """Return a node whose number counts the notes of pages before."""
    if isinstance(node, (Note, NoteReference)):
        return replace(node, number=node.number + before)
    return node
