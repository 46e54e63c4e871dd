"""Maximum subsequence segmentation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from scrapy_boilerplate.core.methods._runs import fixed_values, judge_run
from scrapy_boilerplate.core.methods._token_values import learned_values
from scrapy_boilerplate.core.methods.base import NOTHING, Extractor, Verdict
from scrapy_boilerplate.core.page import Page


@dataclass(frozen=True, slots=True)
class MSS(Extractor):
    """Maximum subsequence segmentation: the run of tokens with the largest sum.

    Each tag of the page, opening or closing, is worth *tag_score*; each text between two tags is
    worth *word_score* for each of its words and *symbol_score* for each of its symbols (visible
    characters outside words). The article is the contiguous run of tokens with the largest sum,
    found in one linear pass; of equal sums the first. The paragraphs of the run are its segments.

    Source: J. Pasternack, D. Roth, *Extracting Article Text from the Web with Maximum Subsequence
    Segmentation*, WWW 2009, baseline 2. Void elements (``br``, ``img``) count as one tag.

    With ``scores="learned"``, the next step of the same paper, a token is worth the probability
    that it belongs to the article, less one half, from a logistic regression over the text nodes
    around it (length, links, tags). The pass is the same, and the other options have no effect.

    Weaknesses: one contiguous run cannot leave out a box in the middle of an article, and with the
    source's constants a densely marked-up article is cut short; the preset ``mss-tuned`` has the
    constants that did best on the development pages.

    >>> from scrapy_boilerplate import extract
    >>> extract("<ul><li><a>Home</a></ul><p>One two three four five six.", extractor="mss").text
    'One two three four five six.'
    """

    name: ClassVar[str] = "mss"

    tag_score: float = -3.25
    """Value of a tag; below 0."""
    word_score: float = 1.0
    """Value of a word."""
    symbol_score: float = 1.0
    """Value of a visible character outside words."""
    scores: Literal["fixed", "learned"] = "fixed"
    """Whether tokens have the values above or learned ones."""

    def __post_init__(self) -> None:
        if self.scores not in ("fixed", "learned"):
            raise ValueError(f"scores must be 'fixed' or 'learned', not {self.scores!r}")

    def judge(self, page: Page) -> Verdict:
        """Find the best run and split it into paragraphs."""
        if not page.text_at.size:
            return NOTHING
        if self.scores == "learned":
            return judge_run(page, *learned_values(page))
        worth = (self.word_score, self.symbol_score, self.tag_score)
        return judge_run(page, *fixed_values(page, *worth))


@dataclass(frozen=True, slots=True)
class TunedMSS(MSS):
    """Maximum subsequence segmentation with the constants that did best on the development pages.

    Source: J. Pasternack, D. Roth, as for :class:`MSS`; the constants are this package's.

    Weaknesses: those of :class:`MSS`; it keeps more of a densely marked-up article, and more of
    what surrounds it.

    >>> from scrapy_boilerplate import extract
    >>> html = "<ul><li><a>Home</a></ul><p>One two three four <b>five six"
    >>> [extract(html, extractor=name).text for name in ("mss", "mss-tuned")]
    ['One two three four', 'One two three four five six']
    """

    name: ClassVar[str] = "mss-tuned"

    tag_score: float = -1.0
    symbol_score: float = 2.0


@dataclass(frozen=True, slots=True)
class LearnedMSS(MSS):
    """Maximum subsequence segmentation with learned values of tokens.

    Source: J. Pasternack, D. Roth, as for :class:`MSS`, the supervised variant of the same paper.

    Weaknesses: those of :class:`MSS`, except that the constants have no effect.

    >>> from scrapy_boilerplate import extract
    >>> html = "<p>It rained, and it went on raining.</p>" * 9
    >>> extract(html, extractor="mss-learned").text[:18]
    'It rained, and it '
    """

    name: ClassVar[str] = "mss-learned"

    scores: Literal["fixed", "learned"] = "learned"
