"""Finds posts that only the signature below each tells, as on talk pages of wikis."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np

from scrapy_boilerplate.core.answer.posts.unit_signs import PostEvidence
from scrapy_boilerplate.core.answer.posts.units import Units

SIGNED = "post above a signature"
"""Name of posts that have no element of their own."""
MOST_SIGNING, MOST_BEHIND = 8, 3
"""Text nodes of a signature, and words behind it, as of a button."""

_WHEN = re.compile(
    r"\d{1,2}[:.]\d\d(?![\d.:]).{0,30}\b(?:19|20)\d\d\b\W{0,3}(?:\(?[A-Z]{2,5}\)?)?\W*\Z|"
    r"\b(?:19|20)\d\d\b.{0,12}\d{1,2}[:.]\d\d(?::\d\d)?\W{0,3}(?:\(?[A-Z]{2,5}\)?)?\W*\Z"
)
_DASH = re.compile(r"(?:--|[–—])\s*\Z")


def find_signed(evidence: PostEvidence) -> Units | None:
    """Return texts that each end with a link to who wrote it and the time, if they are several.

    Before the link is a dash, or behind it another link, as that to the writer's talk page.
    """
    page = evidence.page
    signatures: list[tuple[int, int]] = []
    ends: list[int] = []
    for node in evidence.dated.nonzero()[0].tolist():
        first, stop = page.blocks[evidence.block_of[node]].tolist()
        if evidence.words[stop] - evidence.words[node + 1] > MOST_BEHIND:
            continue
        if not _WHEN.search(page.text(node)):
            continue
        start = _begin_of(evidence, first, node)
        if start is not None:
            signatures.append((start, node))
            ends.append(stop)
    if len(ends) < 2:
        return None
    begins = [
        max(start, _after_heading(evidence, start, stop)) for start, stop in pairwise([0, *ends])
    ]
    elements = page.text_parent[[node for _, node in signatures]]
    starts, stops = np.array([begins, ends], dtype=np.int64)
    return Units(elements, starts, stops, SIGNED, signatures=signatures)


def _begin_of(evidence: PostEvidence, first: int, node: int) -> int | None:
    """Return where the signature begins that ends with *node*, in the block from *first* on."""
    page, start, links = evidence.page, node, 0
    for at in range(node - 1, max(first, node - MOST_SIGNING) - 1, -1):
        if page.in_link[at]:
            start, links = at, links + 1
            continue
        text = page.text(at)
        links += bool(links and _DASH.search(text))
        if any(map(str.isalnum, text)):
            break
    return start if links > 1 else None


def _after_heading(evidence: PostEvidence, start: int, stop: int) -> int:
    """Return where the text behind the last heading begins."""
    heads = evidence.headings[start:stop].nonzero()[0]
    return start + int(heads[-1]) + 1 if heads.size else start
