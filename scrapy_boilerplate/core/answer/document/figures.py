"""Figures that stand in what was kept, and their captions, which say little to a method."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

import numpy as np

from scrapy_boilerplate.core.answer.document._images_native import IMAGES
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page._elements_native import holders
from scrapy_boilerplate.core.page.arrays import Bool, Int64, in_spans

_MOST_LINK_SHARE = 0.5  # share of a caption's words in links above which it is a teaser

_AROUND = 0.5  # share of the words around a figure that were kept, from which on it belongs to them

_MOST_OF_FIGURE = 0.5  # share of a figure's words from which on its caption is what it says

_MOST_LEVELS = 1000  # levels above a caption, and above a figure, that are looked at
_LEVELS_OF_FALLBACK = 5  # above an image

_LONGEST_CAPTION = 2000


class Figures(NamedTuple):
    """What the figures in a text add to it."""

    elements: Bool
    """Whether each element holds an image of them."""
    captions: dict[int, str]
    """Captions by the element of the figure."""


def find_figures(page: Page, keep: Bool) -> Figures:
    """Return what the figures in the kept text add to it."""
    # A figure belongs to the text if most words around it were kept, and its caption is no teaser.
    elements = np.zeros(page.tag.size, dtype=bool)
    said: dict[int, str] = {}
    captions = np.flatnonzero(page.filled(("figcaption",)))
    if not captions.size:
        return Figures(elements, said)
    is_image = page.has_tag(IMAGES)
    holds_images = page.count_below(is_image) > is_image
    is_figure = page.has_tag(("figure",))
    figures = _nearest_above(page, captions, is_figure)  # else what holds the caption
    figures = np.where(is_figure[figures], figures, np.maximum(page.parent[captions], 0))
    holds_images[_with_fallbacks(page, figures[~holds_images[figures]])] = True
    belong = holds_images[figures] & _belong(page, keep, captions, figures)
    elements[figures[belong]] = True
    galleries = _nearest_above(page, figures[belong], is_figure)
    elements[galleries[is_figure[galleries]]] = True
    for figure, caption in zip(figures[belong].tolist(), captions[belong].tolist(), strict=True):
        text = page.lay_out(int(page.first_text[caption]), int(page.last_text[caption]))
        if len(text) <= _LONGEST_CAPTION:
            said[figure] = " ".join(text.split())
    return Figures(holds_images & (page.count_above(elements) > 0), said)


def _with_fallbacks(page: Page, figures: Int64) -> list[int]:
    """Return the figures with an image in ``noscript``, which a page does not show."""
    places = {node: at for at, node in page.nodes(np.unique(figures).tolist())}
    found = []
    for image in page.root.iter("img") if places else ():
        above = list(islice(image.iterancestors(), _LEVELS_OF_FALLBACK))
        if any(node.tag == "noscript" for node in above):
            found += [places[node] for node in above if node in places]
    return found


def _belong(page: Page, keep: Bool, captions: Int64, figures: Int64) -> Bool:
    """Tell of each figure whether it stands in kept text, with a caption that was left out."""

    def words_in(elements: Int64, flags: Bool) -> Int64:
        return page.sum_inside(page.words * flags)[elements]

    everywhere = np.ones_like(keep)
    spans = np.stack([page.first_text[figures], page.last_text[figures]], axis=1)
    outside = ~in_spans(spans, keep.size)
    around = _nearest_above(page, figures, page.sum_inside(page.words * outside) > 0)
    said, kept = words_in(captions, everywhere), words_in(around, outside & keep)
    return (
        (words_in(captions, keep) == 0)
        & (words_in(captions, page.in_link) <= _MOST_LINK_SHARE * said)
        & (said >= _MOST_OF_FIGURE * words_in(figures, everywhere))
        & (kept > 0)
        & (kept >= _AROUND * words_in(around, outside))
    )


def _nearest_above(page: Page, elements: Int64, flags: Bool) -> Int64:
    """Return the nearest flagged element above each of *elements*; the root without one."""
    above = np.maximum(page.parent[elements], 0)
    return holders(above, page.parent, flags.view(np.uint8), _MOST_LEVELS)
