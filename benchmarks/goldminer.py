"""The GoldMiner algorithm as it was published, beside which benchmarks show our learner."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.answer.record import Segment
from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.core.methods.base import no_text
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Int
from scrapy_boilerplate.learn.template import view_of

MIN_CHARACTERS = 300
"""Visible characters of good paragraphs that a page needs to vote; the authors' value."""

LONGEST_END = 5  # most tags of an end point; the authors' value


@dataclass(frozen=True, slots=True)
class GoldMinerModel:
    """The container of a site's articles, and where they end inside it."""

    container: str  # the opening tag, with the attributes class and id
    end: tuple[str, ...] = ()
    """Sequence of opening tags before which the article ends; empty if it ends with the
    container."""

    def apply(
        self, page: Page, extractor: Extractor, single: Extraction | None = None
    ) -> Extraction:
        """Return what *extractor* finds in the container up to the end point.

        A page without the container has no text. The first of several containers counts. *single*,
        the extractor's answer on the whole page, is not used here.
        """
        tags = _opening_tags(page)
        start = next((e for e, tag in enumerate(tags) if tag == self.container), None)
        keep = np.zeros(page.text_at.size, dtype=bool)
        if start is not None:
            stop = int(page.last_text[start])
            end = _first(tags, self.end, start + 1, int(page.end[start]))
            if end is not None:
                stop = int(page.first_text[end])
            keep[page.first_text[start] : stop] = True
        if not keep.any():
            return no_text(page, "empty", extractor.name)
        part = extractor.extract(page.restricted(keep))
        return _to_original(part, np.flatnonzero(keep)).on(page)


@dataclass(frozen=True, slots=True, eq=False)
class _Observed:
    """A page of the sample: its elements, and its good paragraphs."""

    tags: list[str]
    parent: Int
    end: Int
    elements: list[int]
    texts: list[int]
    sizes: list[int]


class GoldMiner:
    """Learns of a site the element that holds the article, and where the article ends.

    1. A single-page method runs on each page of the sample. 2. A paragraph that also occurs on
    other pages of it is bad. 3. The tag, with its attributes, of the nearest common ancestor of a
    page's other good paragraphs is the page's vote; pages with fewer than 300 characters of them
    do not vote. 4. The most frequent vote wins. 5. Inside the container the best end point is
    searched, a sequence of up to five tags: the one that on most pages occurs first right after the
    last good paragraph; there is none if for half of the pages it is not right. 6. From then on,
    for the pages of the sample too, only the part so cut out goes to the single-page method, and
    pages without the container have no text.

    Source: I. Endrédy, A. Novák, *More Effective Boilerplate Removal – the GoldMiner Algorithm*,
    2013. Attributes are ``class`` and ``id``, and paragraphs the page's blocks. All pages are of
    one site.
    """

    def __init__(self) -> None:
        self._pages: list[_Observed] = []

    def observe(self, page: Page, extraction: Extraction) -> None:
        """Add a page, and what the single-page method found on it, to the sample."""
        if not page.text_at.size:
            return
        view = view_of(page)
        kept = view.kept(extraction)[1]
        good = np.flatnonzero((kept > 0) & (2 * kept >= view.words))
        self._pages.append(
            _Observed(
                _opening_tags(page),
                page.parent,
                page.end,
                view.holders[good].tolist(),
                view.texts(good).tolist(),
                page.per_block(page.visible)[good].tolist(),
            )
        )

    def model(self, site: str = "site") -> GoldMinerModel | None:
        """Return what was learned; ``None`` if no page had a vote."""
        return _learn(self._pages)


def _opening_tags(page: Page) -> list[str]:
    @cache
    def written(tag: int, class_id: int, id_id: int) -> str:
        values = {"id": page.strings[id_id], "class": page.strings[class_id]}
        attributes = (f' {name}="{value}"' for name, value in values.items() if value)
        return f"<{page.names[tag]}{''.join(attributes)}>"

    return list(map(written, page.tag.tolist(), page.class_id.tolist(), page.id_id.tolist()))


def _first(tags: list[str], sequence: tuple[str, ...], start: int, stop: int) -> int | None:
    """Return where *sequence* first stands in the elements ``[start, stop)``."""
    if not sequence:
        return None
    for at in range(start, stop - len(sequence) + 1):
        if tags[at] == sequence[0] and tuple(tags[at : at + len(sequence)]) == sequence:
            return at
    return None


def _learn(pages: list[_Observed]) -> GoldMinerModel | None:
    times = Counter(text for page in pages for text in set(page.texts))
    found: list[tuple[_Observed, int, int]] = []
    for page in pages:
        rows = zip(page.elements, page.texts, page.sizes, strict=True)
        good = [(element, size) for element, text, size in rows if times[text] == 1]
        if sum(size for _, size in good) >= MIN_CHARACTERS:
            elements = [element for element, _ in good]
            found.append((page, _common_ancestor(page, elements), elements[-1]))
    votes = Counter(page.tags[ancestor] for page, ancestor, _ in found)
    if not votes:
        return None
    container = min(votes, key=lambda tag: (-votes[tag], tag))
    voters = [row for row in found if row[0].tags[row[1]] == container]
    return GoldMinerModel(container, _best_end(voters))


def _common_ancestor(page: _Observed, elements: list[int]) -> int:
    """Return the nearest element that holds all of *elements* and is not one of them."""
    common, last = int(page.parent[min(elements)]), max(elements)
    while common > 0 and page.end[common] <= last:
        common = int(page.parent[common])
    return max(common, 0)


def _best_end(voters: list[tuple[_Observed, int, int]]) -> tuple[str, ...]:
    """Return the tags that on most pages stand first right after the last good paragraph."""
    candidates: Counter[tuple[str, ...]] = Counter()
    for page, container, last in voters:
        after, stop = int(page.end[last]), int(page.end[container])
        for length in range(1, min(LONGEST_END, stop - after) + 1):
            candidates[tuple(page.tags[after : after + length])] += 1
    best: tuple[int, tuple[str, ...]] = (len(voters) // 2, ())
    for sequence, count in sorted(candidates.items(), key=lambda row: (len(row[0]), row[0])):
        if count > best[0]:
            right = sum(
                _first(page.tags, sequence, container + 1, int(page.end[container]))
                == int(page.end[last])
                for page, container, last in voters
            )
            best = max(best, (right, sequence), key=lambda pair: pair[0])
    return best[1]


def _to_original(extraction: Extraction, texts: Int) -> Extraction:
    """Return an extraction of the text nodes *texts* of a page with the page's spans."""

    def moved(segment: Segment) -> Segment:
        start, stop = segment.span
        return replace(segment, span=(int(texts[start]), int(texts[stop - 1]) + 1))

    segments, main = (tuple(map(moved, each)) for each in (extraction.segments, extraction.main))
    return extraction.replace(segments=segments, main=main)
