"""Where the articles of a site end before their container does: learned, and found on a page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page.arrays import Bool, cumulative
from scrapy_boilerplate.learn.facts import CONTENT, EndMarker, SiteFacts
from scrapy_boilerplate.learn.induction.blocks import Blocks
from scrapy_boilerplate.learn.induction.containers import Containers
from scrapy_boilerplate.learn.selectors import find_nodes
from scrapy_boilerplate.learn.template import TemplateView

MOST_END_MARKERS = 4

Ends = dict[tuple[int, ...], dict[int, tuple[float, float]]]
"""Template paths and pairs of them: good and bad words from there on, by page."""


def find_end_markers(blocks: Blocks, containers: Containers, boilerplate: Bool) -> list[EndMarker]:
    """Return template paths, or pairs of neighbouring ones, after which no good text stands.

    Found by greedy cover of the articles, as the containers are.
    """
    articles = containers.articles
    least = max(2.0, 0.25 * len(articles))
    ends = _worth_cutting(blocks, containers, _ends(blocks, containers, boilerplate))
    end_markers: list[EndMarker] = []
    done: set[int] = set()
    while len(end_markers) < MOST_END_MARKERS:
        worth = {
            end: sum(pages[page][1] for page in sorted(pages.keys() - done))
            for end, pages in ends.items()
            if len(pages.keys() - done) >= least
        }
        if not worth:
            break
        best = min(worth, key=lambda end: (-worth[end], len(end), end))
        found = ends[best]
        words = sum(bad for _, bad in found.values()) / len(found)
        end_markers.append(EndMarker(tuple(map(blocks.name, best)), len(found), round(words, 1)))
        done |= found.keys()
    return end_markers


def _ends(blocks: Blocks, containers: Containers, boilerplate: Bool) -> Ends:
    """Return all possible ends.

    Bad is what repeats or points elsewhere, and is not dropped as *boilerplate* anyway.
    """
    good = cumulative(blocks.words * blocks.good)
    is_bad = ~blocks.good & (blocks.is_teaser | blocks.repeated) & ~boilerplate[blocks.path]
    bad = cumulative(blocks.words * is_bad)
    ends: Ends = {}
    for page, (first, last) in containers.articles.items():
        paths = blocks.path[first:last].tolist()
        for at, path in enumerate(paths):
            block = first + at
            if good[block] > good[first]:  # the article has begun
                after = (float(good[last] - good[block]), float(bad[last] - bad[block]))
                ends.setdefault((path,), {}).setdefault(page, after)
                ends.setdefault((paths[at - 1], path), {}).setdefault(page, after)
    return ends


def _worth_cutting(blocks: Blocks, containers: Containers, ends: Ends) -> Ends:
    """Return the ends with names after which stands much that is bad, and next to nothing good."""
    good = blocks.words * blocks.good
    total = sum(float(good[first:last].sum()) for first, last in containers.articles.values())
    return {
        end: pages
        for end, pages in ends.items()
        if all(map(blocks.name, end))
        and sum(bad for _, bad in pages.values())
        > max(10 * sum(good for good, _ in pages.values()), 0.02 * total)
    }


def end_on_page(
    facts: SiteFacts, view: TemplateView, flags: NDArray[np.uint8], first: int, last: int
) -> int:
    """Return the block of a page before which the article ends, in the container's [first, last).

    *flags* are what is known of each block's template path: no article ends before its content
    begins. A person's selectors count as well.
    """
    ends = [last]
    page = view.page
    for selector in facts.rule.end_markers:
        # A marker may hold no text: what starts after it is dropped.
        starts = page.text_at[page.blocks[:, 0]]
        at = np.searchsorted(starts, find_nodes(page, selector), side="right").tolist()
        ends += [block for block in at if first < block < last]
    if facts.end_markers:
        content = np.flatnonzero((flags[first:last] & CONTENT) > 0)
        begun = int(content[0]) + 1 if content.size else 1
        ends.append(
            first + first_end(view.paths[first:last].tolist(), facts.end_marker_paths, begun)
        )
    return min(ends)


def first_end(paths: list[int], markers: Sequence[list[int]], begun: int = 1) -> int:
    """Return where the first of *markers*, consecutive template paths, ends from *begun* on."""
    return next(
        (
            block
            for block in range(begun, len(paths))
            if any(paths[max(0, block - len(each) + 1) : block + 1] == each for each in markers)
        ),
        len(paths),
    )
