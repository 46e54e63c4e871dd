"""Node energy: a page as coherent texts."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import ClassVar, Literal, get_args

import numpy as np

from scrapy_boilerplate.core.methods.base import NOTHING, Extractor, Verdict, partition
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page._elements_native import is_coherent
from scrapy_boilerplate.core.page.arrays import Int64
from scrapy_boilerplate.core.page.text import IDEOGRAPH, SPACE, SYMBOL, classify, code_points

Metric = Literal["characters", "words", "dictionary"]
Dissipation = Literal["prose", "formula"]


@dataclass(frozen=True, slots=True)
class Energy(Extractor):
    r"""Node energy: partition the page into coherent texts; the greatest is the main text.

    A coherent text is, for example, a title with its teaser, a menu entry, an article or a comment.
    The energy of a text node is what *metric* counts in it; that of an element is the sum of its
    children's, each of which loses a part on the way up::

        E(v) = m(v)                      for a text node
        E(v) = Σ share · E(w)            over the children w of an element

    From the root downwards, an element none of whose children has more energy than itself is
    coherent, with all its content; otherwise each child is examined by itself. A single text node
    can be coherent. Every text node belongs to exactly one coherent node, and coherent nodes are
    never nested: ``segments`` are the whole partition.

    Source: K. Dorosz, *Ekstrakcja spójnych tekstów z Internetu na potrzeby algorytmów
    lingwistycznych*, AGH Kraków. It contradicts itself on the share that is passed on, with *k*
    the height of the tree and *p* a constant: its formula has ``p / k``, while its prose says that
    the loss is fast in low trees and slow in tall ones, which is ``1 − p / k``. Measured on all
    1 253 development pages, the best *p* of the prose (6, word F1 .764) is level with that of the
    formula (11, .761; the difference is .003 ± .004). The prose is the default: on another set it
    is ahead by .027 ± .005, it is behind on none by more than the error allows, and a *p* that is
    too small fails softly, towards the whole page (.717 at 1) instead of single text nodes (.297).
    The default *p* of 4 (.756) is the best over four sets; see ``docs/extractors.md``.

    What the source leaves open is read as follows. Children that each stay just under their parent
    make one text with it: demanding a margin did worse. A text node beside elements is a child like
    any other, so text around a more energetic element becomes texts of their own. The main text is
    the coherent text with the most energy of its own, that is the sum of what its text nodes have
    before anything is lost, the first of equal ones. Taking the dissipated energy is the same for a
    small *p* and worse for a large one; adding the sibling texts, or all texts of a third of its
    energy, did no better. If nothing on the page has energy, there is no main text. A share is kept
    between 0 and 1: in a tree of at most *p* levels the prose keeps nothing above the text nodes,
    so the root is coherent and the page is one text.

    Weaknesses: which of two nested containers is the article depends on one constant for the whole
    page; an article whose longest paragraph outweighs the rest is cut down to that paragraph.

    >>> from scrapy_boilerplate import extract
    >>> page = "<ul><li>Home<li>News</ul><div><p>One two three four.<p>Five six seven.</div>"
    >>> extraction = extract(page, extractor="energy", p=1)
    >>> [segment.xpath for segment in extraction.segments], extraction.text
    (['/html/body/ul', '/html/body/div'], 'One two three four.\n\nFive six seven.')
    """

    name: ClassVar[str] = "energy"
    partitions: ClassVar[bool] = True

    metric: Metric = "words"
    """What gives energy to a text node: ``characters`` that are not white space, ``words``, or the
    words of a ``dictionary``."""
    p: float = 4.0
    """The constant of the share; above 0. With ``prose`` a larger *p* makes smaller texts."""
    dissipation: Dissipation = "prose"
    """The share of its energy that a node passes on: ``prose`` is 1 − p/k, ``formula`` is p/k."""
    dictionary: Collection[str] = field(default=frozenset(), repr=False)
    """Words for the metric ``dictionary``, in any case: a lexicon or a stop list. In scripts
    without spaces between words, single characters."""

    def __post_init__(self) -> None:
        for option, kind in (("metric", Metric), ("dissipation", Dissipation)):
            value, choices = getattr(self, option), get_args(kind)
            if value not in choices:
                raise ValueError(f"{option} must be one of {', '.join(choices)}, not {value!r}")
        if not self.p > 0:
            raise ValueError(f"p must be above 0, not {self.p!r}")
        words = self.dictionary
        is_collection = isinstance(words, Collection) and not isinstance(words, str)
        if not is_collection or not all(isinstance(word, str) for word in words):
            raise ValueError(f"dictionary must be a collection of words, not {words!r}")
        if self.metric == "dictionary" and not self.dictionary:
            raise ValueError("The metric 'dictionary' needs a dictionary")
        object.__setattr__(self, "dictionary", frozenset(map(str.lower, self.dictionary)))

    def judge(self, page: Page) -> Verdict:
        """Find the coherent nodes; the main text is the one with the most energy of its own."""
        if not page.text_at.size:
            return NOTHING
        mass = self._mass(page)
        coherent = is_coherent(mass, page.text_parent, page.parent, self._share(page))
        spans, elements = partition(page, coherent)
        own = np.add.reduceat(mass, spans[:, 0])
        best = int(np.argmax(own))
        keep = np.zeros(own.size, dtype=bool)
        keep[best] = own[best] > 0

        def reason(number: int) -> str:
            if keep[number]:
                return f"of all coherent texts the one with the most energy ({own[number]})"
            return f"coherent, with an energy of {own[number]}; the main text has {own[best]}"

        return Verdict(spans, keep, own.astype(np.float64), reason, elements=elements)

    def _mass(self, page: Page) -> Int64:
        if self.metric == "characters":
            return page.visible
        if self.metric == "words":
            return page.words
        return _known_words(page, self.dictionary)

    def _share(self, page: Page) -> float:
        height = max(int(page.depth.max()), int(page.depth[page.text_parent].max()) + 1)
        share = self.p / height
        if self.dissipation == "prose":
            share = 1 - share
        return min(max(share, 0.0), 1.0)


def _known_words(page: Page, dictionary: Collection[str]) -> Int64:
    """Count the words of each text node that are in *dictionary*."""
    codes = code_points(page.buffer).copy()
    classes = classify(codes)
    codes[(classes == SPACE) | (classes == SYMBOL)] = ord(" ")
    counts = np.zeros(page.text_at.size, dtype=np.int64)
    spans = zip(page.text_start.tolist(), page.text_stop.tolist(), strict=True)
    for number, (start, stop) in enumerate(spans):
        alone = np.flatnonzero(classes[start:stop] == IDEOGRAPH)  # each is a word
        apart = np.insert(codes[start:stop], np.union1d(alone, alone + 1), ord(" "))
        words = apart.tobytes().decode("utf-32-le", "surrogatepass").lower().split()
        counts[number] = sum(map(dictionary.__contains__, words))
    return counts
