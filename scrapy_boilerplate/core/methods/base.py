"""The base of all extractors: a verdict on a page's spans of text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.answer.extraction import Extraction, Kind
from scrapy_boilerplate.core.answer.kept_notes import NOTES, texts_with_notes
from scrapy_boilerplate.core.answer.record import Explanations, Record, Role, Rule
from scrapy_boilerplate.core.page import Page, PageReference
from scrapy_boilerplate.core.page.arrays import Bool, Float, Int64, in_spans, spans_from
from scrapy_boilerplate.core.page.layout import runs_of

_MOST_OF_GARBLED = 0.5  # highest confidence for a page that was decoded wrongly


class Verdict(NamedTuple):
    """An extractor's judgement of each span of a page's text.

    The spans are disjoint, ascending, and together hold every text node of the page.
    """

    spans: Int64
    """Rows of (start, stop): half-open ranges of text nodes."""

    keep: Bool
    """Whether each span is main content."""

    scores: Float
    """The extractor's measure of each span."""

    reason: Callable[[int], str]
    """Function that explains in words how the extractor judged the i-th span; called on demand."""

    roles: Sequence[Role] | Callable[[], Sequence[Role]] | None = None
    """Role of each span, or what works them out on demand. Default: ``body`` for kept spans and
    ``boilerplate`` for the rest."""

    elements: Int64 | None = None
    """The element whose text each span is, −1 for a single text node. Default: the smallest node
    that holds the span."""

    kind: Kind | None = None
    """Kind of the page. Default: ``article`` if anything is kept, else ``empty``."""

    confidence: float | None = None
    """Expected word F1 of the kept text."""

    rules: Sequence[Rule] = ()
    """The rules that changed what the extractor kept, in order."""

    rule: NDArray[np.uint8] | None = None
    """Number of the last of them that changed each span, plus 1; 0 for none. Default: none."""


NOTHING = Verdict(np.empty((0, 2), np.int64), np.empty(0, np.bool_), np.empty(0), str)
"""The verdict on a page without text."""


class Weighed(NamedTuple):
    """An extractor's choice of a page's blocks in view of further evidence."""

    keep: Bool
    """Whether each block is kept."""
    confidence: float | None
    """Expected word F1 of these blocks."""


class Extractor(ABC):
    """Finds the main content of a page.

    Subclasses implement :meth:`judge`. They are frozen dataclasses. Their fields are the options,
    and the defaults are the values of its source. They are pure: same page, same answer.
    """

    name: ClassVar[str]
    """Name under which the extractor is registered."""

    partitions: ClassVar[bool] = False
    """Whether to report every span as a coherent text, not only the main content."""

    weighs: ClassVar[bool] = False
    """Whether the extractor judges whole blocks, its scores are probabilities of content, and
    :meth:`weigh` takes further evidence into account."""

    @abstractmethod
    def judge(self, page: Page) -> Verdict:
        """Judge every text node of *page*."""

    def weigh(self, page: Page, scores: Float, kept: Bool, evidence: Float) -> Weighed:
        """Choose the blocks of *page* to keep, given *evidence*: log-odds of content.

        *scores* are the probabilities that the extractor gave the blocks, *kept* those it kept.
        """
        raise NotImplementedError(f"{self.name} does not support evidence")

    finds_threads: ClassVar[bool] = False
    """Whether the extractor gives every thread the kind ``thread``."""

    def extract(self, page: Page) -> Extraction:
        """Return the main content of *page*. Never raises for any page."""
        if page.block is not None:
            return no_text(page, "blocked", self.name, page.block.reason)
        if not page.text_at.size:
            return no_text(page, "empty" if page.is_html else "not_html", self.name)
        return _assemble(page, self.judge(page), self)

    def explain(self, page: Page) -> Explanations:
        """Explain which rule kept or dropped each span of *page*.

        >>> from scrapy_boilerplate import Page, get_extractor
        >>> page = Page.parse("<ul><li><a>Home</a></ul><p>A sentence of several words.")
        >>> [(e.kept, e.xpath) for e in get_extractor("mss").explain(page)]
        [(False, '/html/body/ul/li'), (True, '/html/body/p')]
        """
        return self.extract(page).explain()


@dataclass(frozen=True)
class Unblocked(Extractor):
    """An extractor that reads pages that seem blocked like any other."""

    extractor: Extractor

    def __post_init__(self) -> None:
        """Take the extractor's name and what it can do."""
        names = ("name", "partitions", "weighs", "finds_threads")
        vars(self).update({name: getattr(self.extractor, name) for name in names})

    def extract(self, page: Page) -> Extraction:
        """Return what the extractor finds on *page*."""
        return self.extractor.extract(page.unblocked())

    def judge(self, page: Page) -> Verdict:
        """Judge as the extractor does."""
        return self.extractor.judge(page)

    def weigh(self, page: Page, scores: Float, kept: Bool, evidence: Float) -> Weighed:
        """Weigh as the extractor does."""
        return self.extractor.weigh(page, scores, kept, evidence)


def no_text(page: Page, kind: Kind, extractor: str, reason: str = "") -> Extraction:
    """Return the answer of the named *extractor* if it finds nothing on *page*.

    *reason* says why all of it is dropped, if the extractor was not asked.
    """
    record = Record.of_kept(page, extractor, np.zeros(page.text_at.size, dtype=bool))
    if reason:
        record = record.decided(
            page,
            np.zeros(page.text_at.size, dtype=bool),
            [Rule(kind, reason)],
            np.ones(page.text_at.size, np.uint8),
        )
    return Extraction(
        "",
        kind=kind,
        extractor=extractor,
        truncated=page.truncated,
        garbled=page.garbled,
        source=page.source,
        page=record.page,
        record=record,
    )


def _assemble(page: Page, verdict: Verdict, extractor: Extractor) -> Extraction:
    """Lay out what was judged. Segments, with their roles and XPaths, are made on first use."""
    spans, keep, roles = verdict.spans, verdict.keep, verdict.roles
    runs = runs_of(spans, keep.view(np.uint8))
    rule = np.zeros(len(spans), np.uint8) if verdict.rule is None else verdict.rule

    def roles_of() -> Sequence[Role]:
        if roles is None:
            return ["body" if kept else "boilerplate" for kept in keep.tolist()]
        return roles() if callable(roles) else roles

    record = Record(
        PageReference(page),
        page.layout,
        spans,
        keep,
        verdict.scores,
        roles_of,
        (Rule(extractor.name, ""), *verdict.rules),
        rule,
        np.arange(len(spans)),
        verdict.reason,
        verdict.elements,
        extractor.partitions,
    )
    if len(runs) and page.notes.notes and NOTES.name not in [each.name for each in verdict.rules]:
        kept = in_spans(spans[keep], page.text_at.size)
        noted = texts_with_notes(page, kept)
        if noted is not kept:
            record = record.decided(page, noted, [NOTES], (noted & ~kept).astype(np.uint8))
            runs = runs_of(record.spans, record.keep.view(np.uint8))
    confidence = verdict.confidence
    if confidence is not None and page.garbled:  # its words are wrong
        confidence = min(confidence, _MOST_OF_GARBLED)
    return Extraction(
        text=page.join(runs, page.lay_out_all(runs)),
        kind=verdict.kind or ("article" if len(runs) else "empty"),
        confidence=confidence,
        extractor=extractor.name,
        truncated=page.truncated,
        garbled=page.garbled,
        source=page.source,
        page=record.page,
        record=record,
        block_scores=verdict.scores.astype(np.float32) if extractor.weighs else None,
        finds_threads=extractor.finds_threads,
    )


def partition(page: Page, coherent: Bool) -> tuple[Int64, Int64]:
    """Return the spans of the outermost *coherent* elements and of all texts outside of them.

    With them come the elements, −1 for a text outside.
    """
    around = page.outermost(coherent)
    opens = np.ones(around.size, dtype=bool)
    opens[1:] = (around[1:] != around[:-1]) | (around[1:] < 0)
    spans = spans_from(opens)
    return spans, around[spans[:, 0]].astype(np.int64)


def read_arrays(name: str, path: Path | None = None) -> dict[str, NDArray[np.number]]:
    """Return the arrays of the package's model of this *name*, or of the file at *path*."""
    source = path or files("scrapy_boilerplate.core").joinpath(f"models/{name}.npz")
    with source.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        return {key: arrays[key] for key in arrays.files}
