"""Web2Text: two small convolutional networks over the leaves of the collapsed DOM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from scrapy_boilerplate.core.methods.base import NOTHING, Extractor, Verdict
from scrapy_boilerplate.core.methods.web2text.block_features import features
from scrapy_boilerplate.core.methods.web2text.network import choose_labels, load_model
from scrapy_boilerplate.core.page import Page

__all__ = ["Web2Text"]


@dataclass(frozen=True, slots=True)
class Web2Text(Extractor):
    """Web2Text: two small convolutional networks over the leaves of the collapsed DOM.

    The leaves are the page's text nodes. Each has 128 features of its text, its parent,
    grandparent and root, and its tags; each pair of neighbours has 25. One network gives the
    probability ``p_i(l)`` that block *i* is content (``l = 1``) or not, another that of each pair
    of labels of two neighbours. The labels are those that maximise

        ``Σ log p_i(l_i) + λ Σ log p_{i,i+1}(l_i, l_{i+1})``

    found by the Viterbi algorithm; λ is *pairwise_weight*.

    Source: T. Vogels, O.-E. Ganea, C. Eickhoff, *Web2Text: Deep Structured Boilerplate Removal*,
    ECIR 2018. Features, networks and decoding are the source's; the shipped weights were trained on
    other pages, with a running mean of the weights and features hidden at random, and *threshold*,
    which the source does not have (it is ½ there), is the one that does best. Figures and recipes
    are in ``docs/extractors.md``.

    Weaknesses: it knows only its training pages, most of them in English; a text node in the middle
    of a sentence is judged by itself and can be lost; on a page of a few short paragraphs it may
    return nothing, since pages that scripts fill look like that.

    >>> from scrapy_boilerplate import extract
    >>> page = (
    ...     "<ul><li><a>Home</a><li><a>Cats</a></ul><div><p>Cats sleep for up to sixteen hours a "
    ...     "day, and nobody who has lived with one of them will be surprised by that.</p><p>It is "
    ...     "a hunter's habit: a short chase takes much strength, so that the animal saves what it "
    ...     "can in the hours between.</p></div><p>© 2020 <a>Imprint</a></p>"
    ... )
    >>> text = extract(page, extractor="web2text").text
    >>> text[:25], text[-25:]
    ('Cats sleep for up to sixt', 'can in the hours between.')
    """

    name: ClassVar[str] = "web2text"

    pairwise_weight: float = 0.1
    """λ: how much the network of neighbours counts."""
    threshold: float = 0.3
    """Probability from which a block counts as content when it is judged alone; in (0, 1). A lower
    threshold keeps more of the text, and more boilerplate."""

    def __post_init__(self) -> None:
        if not 0 < self.threshold < 1:
            raise ValueError(f"threshold must be between 0 and 1, not {self.threshold}")

    def judge(self, page: Page) -> Verdict:
        """Label the text nodes, and join those of a paragraph that have the same label."""
        if not page.text_at.size:
            return NOTHING
        unary, pairwise = load_model().log_probabilities(*features(page))
        labels = choose_labels(unary, pairwise, self.pairwise_weight, self.threshold)
        probabilities = np.exp(unary[:, 1].astype(np.float64))
        spans = page.cut_blocks(np.flatnonzero(labels[1:] != labels[:-1]) + 1)
        lengths = page.visible + 1  # of characters; there are invisible ones that are no space
        totals = np.add.reduceat(lengths, spans[:, 0])
        scores = np.add.reduceat(probabilities * lengths, spans[:, 0]) / totals
        keep = labels[spans[:, 0]]

        def reason(number: int) -> str:
            label = "content" if keep[number] else "boilerplate"
            return f"{label}; by itself content with probability {scores[number]:.2f}"

        return Verdict(spans, keep, scores, reason)
