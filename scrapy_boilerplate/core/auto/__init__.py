"""A learned model over a page's blocks: the most accurate method, at the price of a parse."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar
from zipfile import BadZipFile

import numpy as np

from scrapy_boilerplate.core.answer.extraction import Kind
from scrapy_boilerplate.core.answer.record import Role
from scrapy_boilerplate.core.auto._features_native import ABOVE, LEAST_OVERLAP
from scrapy_boilerplate.core.auto.answers import BETA, FEW_WORDS, weigh_evidence
from scrapy_boilerplate.core.auto.block_rules import COMMENT, RULES, Favor, Kept, keep_blocks
from scrapy_boilerplate.core.auto.features import bits_in, read_features
from scrapy_boilerplate.core.auto.kinds import KINDS, PageKind, kind_of
from scrapy_boilerplate.core.auto.model import Model, load_model
from scrapy_boilerplate.core.methods.base import NOTHING, Extractor, Verdict, Weighed
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Bool, Float, Float32, Int

__all__ = ["Auto"]

SHORT, LINKED = 100, 1 / 3
"""Words of a page below which it is no documentation, and a list only if this share are links."""
MOST_OF_SHELL = 0.5
"""Highest confidence that a page has no content that scripts may have yet to fill."""


@dataclass(frozen=True, slots=True)
class Auto(Extractor):
    """A learned model over a page's blocks.

    Boosted trees give each block (paragraph, heading, item, cell) the probability that it is
    content, from its text, the elements above it, what repeats on the page, and a lexicon of the
    words of classes and ids. Kept are the blocks that together have the highest
    expected F1; none, where the page most likely has no content. ``confidence`` is that expected
    F1, calibrated on pages that the model was not trained on; a segment's score is the block's
    probability.

    *favor* moves along the curve of precision and recall: the blocks kept are those of the highest
    expected F with β = ½, 1 or 2.

    Source: this package; ``docs/auto.md`` says what the model was trained on and what it reaches.
    The blocks of highest expected F1 are found as by Z. C. Lipton, C. Elkan, B. Narayanaswamy,
    *Optimal Thresholding of Classifiers to Maximize F1 Measure*, 2014.

    Comments below an article are left out where they are found; the model alone often keeps them,
    because in a forum they are the content. Of what is surely a thread, its title and what is
    written in its posts are kept.

    Weaknesses: on pages of products and collections it is not much surer than a human reader which
    cards count; it costs more than the methods that are one rule.

    >>> from scrapy_boilerplate import extract
    >>> html = "<ul><li><a>Home</a><li><a>News</a></ul><h1>A cat</h1>" + "<p>It sat, and sat. " * 9
    >>> extract(html, extractor="auto").text[-16:]
    'It sat, and sat.'
    """

    name: ClassVar[str] = "auto"
    weighs: ClassVar[bool] = True
    finds_threads: ClassVar[bool] = True

    favor: Favor = "balanced"
    """Which error is worse: boilerplate in the text or content that is lost."""
    comments: bool = False
    """Whether the text of an article includes the comments of its readers, where they are found."""
    model: str | None = None
    """Path of a model that ``training.auto`` has written. Default: the package's own model."""

    def __post_init__(self) -> None:
        if self.favor not in BETA:
            raise ValueError(f"favor must be one of {', '.join(BETA)}, not {self.favor!r}")
        if self.model is not None:
            try:
                load_model(Path(self.model))
            except (OSError, KeyError, ValueError, BadZipFile) as error:
                raise ValueError(f"model {self.model!r} cannot be read: {error}") from error

    def judge(self, page: Page) -> Verdict:
        """Judge each block by itself, then choose those that go together."""
        if not page.text_at.size:
            return NOTHING
        model = self._model
        features = read_features(page, model.lexicon)
        content, kinds, thread = model.judge(features, _possible_kinds(page, features.total))
        kept = keep_blocks(
            *(page, features, content, self.favor),
            comments=self.comments,
            thread=thread,
            kinds=kinds,
        )
        told: Kind | None = "thread" if kept.is_thread else kind_of(kinds)
        kind: Kind = "article" if kept.is_mail else told or "article"
        bound = f"kept from {kept.least:.2f}" if kept.least <= 1 else "the page has no content"

        return Verdict(
            page.blocks,
            kept.keep,
            content,
            lambda block: f"content with probability {content[block]:.2f}, {bound}",
            # Not of all features, which take much more memory.
            roles=partial(
                _roles,
                *(features.words, features.bits, features.named, features.title_overlap),
                kept.keep,
            ),
            kind=kind if np.count_nonzero(kept.keep) else "empty",
            confidence=_confidence(features.total, kept, model.calibrated(kept.expected)),
            rules=RULES,
            rule=kept.rule,
        )

    def weigh(self, page: Page, scores: Float, kept: Bool, evidence: Float) -> Weighed:
        """Choose the blocks once more, by probabilities to whose log-odds *evidence* is added."""
        words = page.per_block(page.words)
        choice = weigh_evidence(scores, words, kept, evidence, BETA[self.favor])
        return Weighed(choice.keep, self._model.calibrated(choice.expected))

    @property
    def _model(self) -> Model:
        return load_model(self.model and Path(self.model))


def _confidence(words: int, kept: Kept, reached: float) -> float:
    """Return how sure the answer is; a page of few words that has no content may be a shell."""
    is_shell = words < FEW_WORDS and not kept.keep.any()
    return min(reached, MOST_OF_SHELL) if is_shell else reached


def _possible_kinds(page: Page, words: int) -> tuple[PageKind, ...]:
    """Return what a page with so many *words*, and so many of them links, may be."""
    if words >= SHORT:
        return tuple(KINDS)
    is_list = words >= FEW_WORDS and page.words[page.in_link].sum() >= LINKED * words
    return ("product", "list") if is_list else ("product",)


# -- roles -----------------------------------------------------------------------------------

_BY_GROUP: tuple[tuple[Role, int], ...] = (
    # Later ones are more special.
    ("list", bits_in(ABOVE, "item definitions")),
    ("table", bits_in(ABOVE, "cell")),
    ("caption", bits_in(ABOVE, "figure")),
    ("code", bits_in(ABOVE, "code")),
)
_OTHERS: tuple[Role, ...] = ("body", "comment", "title", "boilerplate", "navigation")
_ROLES = (*(role for role, _ in _BY_GROUP), *_OTHERS)
_BODY, _COMMENTS, _TITLE, _BOILERPLATE, _MENU = map(_ROLES.index, _OTHERS)
_NAVIGATION, _HEADING, _H1 = (bits_in(ABOVE, name) for name in ("nav", "heading", "h1"))


def _roles(words: Float, bits: Int, named: Int, title_overlap: Float32, keep: Bool) -> list[Role]:
    """Say what each block is, by the elements that hold it."""
    comments = named & COMMENT > 0
    roles = np.full(keep.size, _BODY)  # places in _ROLES, which are faster than names
    for number, (_, groups) in enumerate(_BY_GROUP):
        roles[bits & groups > 0] = number
    if words[keep & comments].sum() < words[keep].sum() / 2:  # else it is a forum
        roles[comments] = _COMMENTS
    named_as_title = (bits & _H1 > 0) | (title_overlap > LEAST_OVERLAP)
    title = ((bits & _HEADING > 0) & keep & named_as_title).nonzero()[0]
    if title.size:
        roles[title[0]] = _TITLE
    roles[~keep] = _BOILERPLATE
    roles[~keep & (bits & _NAVIGATION > 0)] = _MENU
    return [_ROLES[role] for role in roles.tolist()]
