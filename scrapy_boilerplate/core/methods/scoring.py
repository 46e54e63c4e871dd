"""Block scoring: layout elements by six factors."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import reduce
from typing import ClassVar, NamedTuple

import numpy as np

from scrapy_boilerplate.core.answer.extraction import Kind
from scrapy_boilerplate.core.methods._kind import Patterns, list_probability, measure_page
from scrapy_boilerplate.core.methods.base import NOTHING, Extractor, Verdict
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page._elements_native import nearest, number_keys
from scrapy_boilerplate.core.page.arrays import Float, Int64
from scrapy_boilerplate.core.page.text import sentence_ends

_LAYOUT = frozenset(
    "body div section article main aside header footer nav td th center form fieldset details "
    "dialog search".split()
)
_MARKUP = frozenset(
    "ul ol li dl dt dd br hr span b strong i em u s small font sup sub img input button select "
    "label table tbody thead tr".split()
)

RIVAL = 0.05
"""Share of the best score from which on a layout element rivals the best, for the page's kind."""


class Candidates(NamedTuple):
    """The layout elements of a page that have text of their own, measured; in document order."""

    elements: Int64  # index of each candidate's element
    owner: Int64  # candidate that each of the page's blocks belongs to
    # The x of each factor, as the table in :class:`Scoring` has them.
    repeats: Float
    links: Float
    markup: Float
    sentences: Float
    equals: Float
    length: Float

    @classmethod
    def of(cls, page: Page, patterns: Patterns) -> Candidates:
        """Measure the candidates of a page that holds text."""
        layout = nearest(page.has_tag(_LAYOUT).view(np.uint8), page.parent)
        owners = layout[page.text_parent[page.blocks[:, 0]]]
        elements, owner = np.unique(owners, return_inverse=True)
        counts = (page.per_block(each) for each in (page.visible, page.visible * page.in_link))
        visible, linked = (np.bincount(owner, count) for count in counts)
        markup = np.bincount(layout, page.has_tag(_MARKUP))[elements]
        doublings = np.log2(patterns.repeats)
        ended = np.bincount(page.end, doublings)[:-1]  # of what is closed where each element begins
        repeats = cumulative(doublings - ended)[1:][elements].clip(0)
        length = visible.clip(1)  # a text of invisible characters only is one long
        group = number_keys(length)
        ends = np.bincount(owner[_blocks_of_ends(page)], minlength=elements.size)
        return cls(
            elements=elements,
            owner=owner,
            repeats=repeats,
            links=linked / length,
            markup=100 * markup / length,
            sentences=ends.astype(np.float64),
            equals=(np.bincount(group)[group] - 1) / (1 + length / 100),
            length=length,
        )


@dataclass(frozen=True, slots=True)
class Scoring(Extractor):
    r"""Block scoring: the layout element with the best product of six factors.

    Candidates are the layout elements (``div``, ``section``, ``td``, …) with text of their own,
    outside nested layout elements. Paragraphs, lists and inline markup belong to their layout
    element. Each factor lies between 0 and 1 and has one constant, the value at which it is ½; a
    candidate's score is their product:

    ============= =========================== ======================================================
    factor        formula                     x is the candidate's
    ============= =========================== ======================================================
    repeats       1 / (1 + x / half_repeats)  Σ log₂ n over it and its ancestors: n elements of the
                                              page share its tag, ``class`` and ``id`` without
                                              their digits
    links         1 / (1 + x / half_links)    characters in links ÷ characters
    markup        1 / (1 + x / half_markup)   markup elements for every 100 characters
    sentences     x / (x + half_sentences)    number of sentence ends, plus 1
    equals        1 / (1 + x / half_equals)   n / (1 + characters ÷ 100): n other candidates have as
                                              many characters
    length        x / (x + half_length)       number of visible characters
    ============= =========================== ======================================================

    The best candidate is the article. All others with more than *expand* times its score are kept
    too, since most pages today wrap parts of an article in elements of their own. The source keeps
    the best one alone: set ``expand=1`` for that.

    Source: a Habr article on how services like Pocket and Readability distinguish an article from
    the rest. It gives no formulas; these, their constants and *expand* were fitted on labelled
    pages (``python -m training.scoring``; figures in ``docs/extractors.md``).

    ``kind`` is ``list`` for pages that list articles, according to a linear model of the same
    measures.

    Weaknesses: an element is kept or dropped as a whole, so text directly beside the paragraphs in
    one element, as on a page of 1998, is kept with them; text in elements of a few words, as
    products and teasers have, is lost.

    >>> from scrapy_boilerplate import extract
    >>> page = "<div><a>Home</a></div><div><p>One sentence. Another one.</p><p>A third.</p></div>"
    >>> extract(page, extractor="scoring").text
    'One sentence. Another one.\n\nA third.'
    """

    name: ClassVar[str] = "scoring"

    expand: float = 0.05
    """Share of the best score above which other candidates are kept; 1 keeps the best alone."""
    list_probability: float = 0.5
    """Probability from which a page counts as a list of articles."""
    half_repeats: float = 100.0
    """Repetitions, in doublings, at which their factor is ½."""
    half_links: float = 0.5
    """Share of linked characters at which the factor is ½."""
    half_markup: float = 3.6
    """Markup elements for every 100 characters at which the factor is ½."""
    half_sentences: float = 360.0
    """Sentence ends at which the factor is ½."""
    half_equals: float = 20.0
    """Candidates of the same length at which the factor is ½."""
    half_length: float = 350.0
    """Characters at which the factor is ½."""

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name.startswith("half_") and not getattr(self, field.name) > 0:
                raise ValueError(f"{field.name} must be above 0")

    def factors(self, candidates: Candidates) -> dict[str, Float]:
        """Return the six factors of each candidate, by name."""
        sentences = 1 + candidates.sentences
        return {
            "repeats": 1 / (1 + candidates.repeats / self.half_repeats),
            "links": 1 / (1 + candidates.links / self.half_links),
            "markup": 1 / (1 + candidates.markup / self.half_markup),
            "sentences": sentences / (sentences + self.half_sentences),
            "equals": 1 / (1 + candidates.equals / self.half_equals),
            "length": candidates.length / (candidates.length + self.half_length),
        }

    def judge(self, page: Page) -> Verdict:
        """Score the page's layout elements and keep the best."""
        if not page.text_at.size:
            return NOTHING
        patterns = Patterns.of(page)
        candidates = Candidates.of(page, patterns)
        factors = self.factors(candidates)
        scores = reduce(np.multiply, factors.values())
        best = int(scores.argmax())
        kept = scores > self.expand * scores[best]
        kept[best] = True
        owner = candidates.owner

        def reason(block: int) -> str:
            number = owner[block]
            share = scores[number] / scores[best]
            place = "the best" if number == best else f"{share:.1%} of the best"
            parts = ", ".join(f"{name} {value[number]:.3f}" for name, value in factors.items())
            return f"{place} of {scores.size} layout elements: {parts}"

        measures = measure_page(
            page,
            patterns,
            length=candidates.length[best],
            sentences=candidates.sentences[best],
            rivals=int((scores > RIVAL * scores[best]).sum()),
        )
        is_list = list_probability(measures) >= self.list_probability
        kind: Kind = "list" if is_list else "article"
        return Verdict(page.blocks, kept[owner], scores[owner], reason, kind=kind)


def _blocks_of_ends(page: Page) -> Int64:
    """Return the block of each sentence end."""
    starts = page.text_start[page.blocks[:, 0]]
    stops = page.text_stop[page.blocks[:, 1] - 1]
    text = page.buffer.replace("\n", " ").replace("\r", " ")
    spans = zip(starts.tolist(), stops.tolist(), strict=True)
    ends = sentence_ends("\n".join([text[start:stop] for start, stop in spans]))
    line_ends = np.cumsum(stops - starts + 1) - 1
    return np.searchsorted(line_ends, np.array(ends, dtype=np.int64))
