"""The record of an answer: which spans of a page are kept, and which rule decided each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.answer.overlay import Marked, shortened, small_overlay
from scrapy_boilerplate.core.page import Page, PageReference
from scrapy_boilerplate.core.page.arrays import Bool, Int64, cumulative, in_spans
from scrapy_boilerplate.core.page.layout import Layout
from scrapy_boilerplate.core.page.unseen import spans_unseen
from scrapy_boilerplate.core.page.xpaths import smallest_nodes

Role = Literal[
    "title",
    "body",
    "teaser",
    "comment",
    "list",
    "table",
    "code",
    "caption",
    "navigation",
    "boilerplate",
]
"""The role of a segment on its page. Methods that do not detect roles use ``body`` and
``boilerplate``."""


@dataclass(frozen=True, slots=True)
class Segment:
    """One coherent piece of a page's text and the node that it came from."""

    text: str
    """The laid-out text: paragraphs are separated by a blank line, lines by a line break."""

    xpath: str
    """Absolute XPath of the element or text node, resolvable by lxml on :attr:`Page.root`. It has
    at most about a thousand characters: for a deeper element it gives the element's number in the
    tree."""

    role: Role = "body"
    """The role of the segment on its page."""

    score: float = 0.0
    """The method's own measure. Compare it only within one page and method."""

    span: tuple[int, int] = (0, 0)
    """Half-open range of the :class:`~scrapy_boilerplate.Page`'s text nodes."""

    hidden: bool = False
    """Whether a browser hides a part of it, judging by attributes."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A step that keeps or drops blocks after a method has scored them."""

    name: str
    """One or two words; the method's name if the method itself decides."""
    reason: str
    """The reason, in words; empty for the method itself, which explains each span."""


class Record(NamedTuple):
    """The spans of a page, whether each is kept, and the rule that decided.

    The spans are disjoint and ascending, and hold every text node of the page.
    """

    page: PageReference
    layout: Layout
    spans: Int64
    """Text nodes of each, as rows of (start, stop)."""
    keep: Bool
    scores: NDArray[np.floating]
    roles: Callable[[], Sequence[Role]]
    """Function that returns the role of each span."""
    rules: tuple[Rule, ...]
    """The method, and the rules that came after it, in order."""
    rule: NDArray[np.uint8]
    """Number in :attr:`rules` of the last one that decided each span; 0 is the method."""
    of: Int64
    """Number of the method's span that each span is, or is part of."""
    reason: Callable[[int], str]
    """Function that returns the method's reason for keeping or dropping one of its own spans."""
    elements: Int64 | None = None
    """The element of each span, as :attr:`~scrapy_boilerplate.core.methods.Verdict.elements`."""
    partitions: bool = False
    """Whether dropped spans are segments, too."""

    @classmethod
    def of_kept(cls, page: Page, method: str, keep: Bool) -> Record:
        """Return the record of an answer that only tells which text nodes it keeps."""
        spans = page.cut_blocks(np.flatnonzero(np.diff(keep)) + 1)
        kept = keep[spans[:, 0]]
        return cls(
            PageReference(page),
            page.layout,
            spans,
            kept,
            np.zeros(len(spans)),
            lambda: ["body" if each else "boilerplate" for each in kept.tolist()],
            (Rule(method, ""),),
            np.zeros(len(spans), np.uint8),
            np.arange(len(spans)),
            lambda number: "kept" if kept[number] else "dropped",
        )

    @property
    def main_spans(self) -> Int64:
        """The spans that are kept."""
        return self.spans[self.keep]

    # -- deciding --------------------------------------------------------------------------------

    def decided(
        self,
        page: Page,
        keep: Bool,
        rules: Sequence[Rule],
        rule: NDArray[np.uint8],
        title: tuple[int, int] | None = None,
    ) -> Record:
        """Return the record after more *rules*, which keep the text nodes that *keep* flags.

        *rule* is for each text node the number in *rules* of the one that decided it, plus 1; 0
        where the rules before did. *title* is the span of the page's title, where a rule knows it.
        A span stays whole if all of it is kept and was, or if all is dropped by one rule. Else each
        block of it is cut where the flags change.
        """
        spans, partitions = self.spans, self.partitions
        before = cumulative(keep)
        kept, sizes = before[spans[:, 1]] - before[spans[:, 0]], spans[:, 1] - spans[:, 0]
        changes = cumulative(rule[1:] != rule[:-1])
        by_one = changes[spans[:, 1] - 1] == changes[spans[:, 0]]
        whole = (kept == sizes) & (self.keep | partitions) | (kept == 0) & (by_one | partitions)
        found, of, elements = spans, np.arange(len(spans)), self.elements
        if not whole.all():
            found, of = spans[whole], whole.nonzero()[0]
            rest = ~in_spans(found, keep.size)
            edges = (np.diff(keep) != 0) | (np.diff(rest) != 0) | (np.diff(rule) != 0)
            pieces = page.cut_blocks(np.flatnonzero(edges) + 1)
            pieces = pieces[rest[pieces[:, 0]]]
            owner = np.searchsorted(spans[:, 0], pieces[:, 0], side="right") - 1
            found, of = np.concatenate([found, pieces]), np.concatenate([of, owner])
            order = np.argsort(found[:, 0], kind="stable")
            found, of, is_piece = found[order], of[order], order >= whole.sum()
            if elements is not None:
                nodes = (page.text_parent, page.parent, page.first_text, page.last_text)
                smallest = smallest_nodes(found, *nodes, page.is_block)
                elements = np.where(is_piece, smallest, elements[of])
        starts = found[:, 0]
        titles = np.zeros(len(found), dtype=bool)
        if title is not None:
            titles = (starts >= title[0]) & (found[:, 1] <= title[1])
        now, given, kept_before = keep[starts], self.roles, self.keep[of]
        decided = rule[starts]
        return self._replace(
            spans=found,
            keep=now,
            scores=self.scores[of],
            roles=lambda: _roles(given(), of, titles, kept_before, now),
            rules=(*self.rules, *rules),
            rule=np.where(decided, decided + len(self.rules) - 1, self.rule[of]).astype(np.uint8),
            of=self.of[of],
            elements=elements,
        )

    # -- telling ---------------------------------------------------------------------------------

    def segments(self) -> tuple[tuple[Segment, ...], tuple[Segment, ...]]:
        """Return all segments, and those of the main content."""
        rows = np.flatnonzero(self.keep | self.partitions)
        roles, texts = self.roles(), self.layout.lay_out_all(self.spans[rows])
        segments = tuple(
            map(
                Segment,
                texts,
                self.xpaths(rows),
                [roles[row] for row in rows.tolist()],
                self.scores[rows].astype(np.float64).tolist(),
                map(tuple, self.spans[rows].tolist()),
                self.hidden(rows),
            )
        )
        main = self.keep[rows]
        if main.all():
            return segments, segments
        return segments, tuple(segments[number] for number in np.flatnonzero(main).tolist())

    def xpaths(self, rows: Int64) -> list[str]:
        """Return the XPath of these spans."""
        page = self.page()
        if not self.page.is_same:  # its tree was changed, and is gone: no path leads to the nodes
            return ["/*"] * len(rows)
        elements = None if self.elements is None else self.elements[rows]
        return page.xpaths_of(self.spans[rows], elements)

    def hidden(self, rows: Int64) -> list[bool]:
        """Return whether a browser hides a part of these spans."""
        page = self.page()
        return spans_unseen(page, self.spans[rows]) if self.page.is_same else [False] * rows.size

    def explain(self) -> Explanations:
        """Return the rule that decided each span, and its reason."""
        rows = np.arange(len(self.spans))
        texts, xpaths = self.layout.lay_out_all(self.spans), self.xpaths(rows)
        names = [rule.name for rule in self.rules]
        hidden = self.hidden(rows)
        explanations = Explanations(
            Explanation(
                text=" ".join(texts[number].split()),
                xpath=xpaths[number],
                kept=bool(self.keep[number]),
                score=float(self.scores[number]),
                rule=names[self.rule[number]],
                reason=self._why(number) + ("; a browser hides it" if hidden[number] else ""),
            )
            for number in rows.tolist()
        )
        explanations.record = self
        return explanations

    def _why(self, number: int) -> str:
        """Return the rule that decided a span, and what the method said of it."""
        rule, words = self.rules[self.rule[number]], self.reason(int(self.of[number]))
        own = f"{self.rules[0].name}: {words}" if words else self.rules[0].name
        return f"{rule.name}: {rule.reason} ({own})" if self.rule[number] else own


def _roles(
    given: Sequence[Role], of: Int64, titles: Bool, kept_before: Bool, kept: Bool
) -> list[Role]:
    """Return the roles of new spans, by what was *given* to those that they are *of*."""
    found = [given[row] for row in of.tolist()]
    for number in np.flatnonzero(kept != kept_before).tolist():
        if not kept[number]:
            found[number] = "boilerplate"
        elif found[number] in ("boilerplate", "navigation"):
            found[number] = "body"
    for number in np.flatnonzero(titles & kept).tolist():
        found[number] = "title"
    return found


# -- explanations ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Explanation:
    """The reason why one block of a page was kept or dropped."""

    text: str
    """The block's text, with white space collapsed."""

    xpath: str
    """The node that the block came from."""

    kept: bool
    """Whether the block is part of the extraction's text."""

    score: float
    """The method's own measure."""

    rule: str
    """Name of the rule that decided, or of the method."""

    reason: str
    """The rule that decided and its reason, in words, with the method's own reason."""

    def __repr__(self) -> str:
        """Return what was decided and why, and how the block begins."""
        word = "kept" if self.kept else "dropped"
        return f"<{word}, score {self.score:.2f}: {shortened(self.text, 40)!r}; {self.reason}>"


class Explanations(tuple[Explanation, ...]):
    """The explanations of a page's blocks, in document order; a tuple that notebooks render."""

    record: Record

    def __repr__(self) -> str:
        """Return how many blocks there are, and how many of them were kept."""
        kept = sum(each.kept for each in self)
        return f"<Explanations of {len(self)} blocks, {kept} of them kept>"

    def __reduce__(self) -> tuple[type[tuple[Explanation, ...]], tuple[list[Explanation]]]:
        """Return what is pickled: a plain tuple, without the page."""
        return tuple, (list(self),)

    def _repr_html_(self) -> str:
        """Return the page with its blocks marked, for notebooks: score and reason on hovering."""
        marked = [
            Marked(start, stop, each.kept, note=f"score {each.score:.2f}: {each.reason}")
            for (start, stop), each in zip(self.record.spans.tolist(), self, strict=True)
        ]
        return small_overlay(self.record.page(), marked, repr(self)[1:-1])
