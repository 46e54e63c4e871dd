"""The answer of an extractor: frozen values that outlive their page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from html import escape
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.answer.document import (
    Document,
    Switches,
    build_document,
    data_tables,
    from_text,
    parts,
)
from scrapy_boilerplate.core.answer.metadata import Metadata, read_metadata
from scrapy_boilerplate.core.answer.next_page import is_list, next_page
from scrapy_boilerplate.core.answer.output import TextBlock, html, markdown, prevertical, tei
from scrapy_boilerplate.core.answer.overlay import Marked, shortened, small_overlay
from scrapy_boilerplate.core.answer.posts import Discussion, Post, find_comments, read_discussion
from scrapy_boilerplate.core.page import Page, PageReference
from scrapy_boilerplate.core.page.arrays import in_spans
from scrapy_boilerplate.core.page.layout import Layout

T = TypeVar("T")

_LATER = ("segments", "main")
_TOLD = ("metadata", "_discussion", "_url")

_HEADING = re.compile(r"/h[1-6](?:\[\d+\])?(?:/text\(\)\[\d+\])?\Z")

Kind = Literal[
    "article", "thread", "product", "documentation", "list", "empty", "blocked", "not_html"
]
"""The kind of a page: one text, what several wrote in turn, what is for sale, documentation, a list
of texts, a page without text, what stands in place of a page (a challenge, a wall of logins or
consent, a parked domain), or not a page at all."""

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
"""The role of a segment on its page. Methods that cannot tell say ``body`` or ``boilerplate``."""


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


class SegmentsLater(NamedTuple):
    """The parts that segments are made from when somebody asks for them."""

    page: PageReference
    spans: NDArray[np.int64]
    """Text nodes of each, as rows of (start, stop)."""
    elements: NDArray[np.int64] | None
    """The element of each, as :attr:`~scrapy_boilerplate.core.methods.Verdict.elements`."""
    layout: Layout
    roles: Callable[[], list[Role]]
    scores: NDArray[np.floating]
    main: NDArray[np.bool_]
    """Which of them make up the text."""
    others: bool
    """Whether those that do not are segments, too."""

    def make(self) -> tuple[tuple[Segment, ...], tuple[Segment, ...]]:
        """Return all segments, and those of the main content."""
        page = self.page()
        rows = np.flatnonzero(self.main | self.others)
        main, spans, given = self.main[rows], self.spans[rows], self.roles()
        texts = self.layout.lay_out_all(spans)
        if self.page.is_same:
            elements = None if self.elements is None else self.elements[rows]
            xpaths = page.xpaths_of(spans, elements)
        else:  # its tree was changed, and is gone: no path leads to the nodes
            xpaths = ["/*"] * len(texts)
        roles = [given[row] for row in rows.tolist()]
        scores = self.scores[rows].astype(np.float64).tolist()
        segments = tuple(map(Segment, texts, xpaths, roles, scores, map(tuple, spans.tolist())))
        if main.all():
            return segments, segments
        return segments, tuple(segments[number] for number in np.flatnonzero(main).tolist())


Row: TypeAlias = "dict[str, object]"
"""A part of the main content as a plain dict, which every feed exporter can write."""


def plain(value: Any) -> Any:
    """Return a value of an answer as one that feed exporters can write: tuples are lists."""
    if isinstance(value, tuple):
        return [part if isinstance(part, str) else asdict(part) for part in value]
    return value.to_dict() if isinstance(value, Metadata) else value


@dataclass(frozen=True, slots=True)
class Extraction:
    """The answer of an extractor for one page."""

    text: str
    """The main content, laid out for a reader; empty if the page has none."""

    segments: tuple[Segment, ...] = ()
    """What the method found, in document order. ``energy`` and ``links`` give the whole partition
    of the page into coherent texts, the other methods the paragraphs of the main content."""

    main: tuple[Segment, ...] = ()
    """The segments that make up :attr:`text`."""

    kind: Kind = "empty"
    """The kind of the page."""

    confidence: float | None = None
    """Expected word F1 of :attr:`text`, in [0, 1]; ``None`` where the method cannot tell."""

    extractor: str = ""
    """Registered name of the method."""

    truncated: bool = False
    """Whether a part of the page is missing because the parser dropped it or the page is too
    large."""

    garbled: bool = False
    """Whether the page was decoded wrongly; :attr:`confidence` is then at most 0.5."""

    source: str = ""
    """Where the text was found that the page does not show: an element, and the path in its JSON
    (``#__NEXT_DATA__: props.pageProps.post.body``). Empty for text that is visible."""

    _page: PageReference | None = field(default=None, repr=False, compare=False, kw_only=True)
    _switches: Switches = field(default=Switches(), repr=False, compare=False, kw_only=True)
    _made: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Outputs made so far, so that each is made once."""
    _told: dict[str, Any] = field(default_factory=dict, repr=False, compare=False, kw_only=True)
    """What the page says of itself, which answers with other switches share."""
    _site_parts: frozenset[int] = field(
        default=frozenset(), repr=False, compare=False, kw_only=True
    )
    """What is learned of the titles of the page's site."""
    _block_scores: NDArray[np.float32] | None = field(
        default=None, repr=False, compare=False, kw_only=True
    )
    _later: SegmentsLater | None = field(default=None, init=False, repr=False, compare=False)
    """What :attr:`segments` and :attr:`main` are made from, until somebody asks for them."""

    # -- segments, made when they are asked for ----------------------------------------------

    def with_segments_later(self, later: SegmentsLater) -> Extraction:
        """Return this answer, new and without segments, with those that *later* makes."""
        for name in _LATER:
            object.__delattr__(self, name)
        object.__setattr__(self, "_later", later)
        return self

    if not TYPE_CHECKING:  # type checkers must know that there are no other attributes

        def __getattr__(self, name: str) -> tuple[Segment, ...]:
            """Make the segments; Python calls this where an attribute is not set."""
            if name not in _LATER:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            later = self._later
            if later is not None:  # else another thread has just made them
                for each, made in zip(_LATER, later.make(), strict=True):
                    object.__setattr__(self, each, made)
                object.__setattr__(self, "_later", None)
            made_now: tuple[Segment, ...] = object.__getattribute__(self, name)
            return made_now

    @property
    def segments_later(self) -> SegmentsLater | None:
        """The parts that the segments will be made from; ``None`` if they are there."""
        return self._later

    @property
    def block_scores(self) -> NDArray[np.float32] | None:
        """Probability of each block of the page that it is content; ``None`` without any.

        They are of methods that weigh evidence of others
        (:meth:`~scrapy_boilerplate.core.methods.base.Extractor.weigh`).
        """
        return self._block_scores

    @property
    def main_spans(self) -> NDArray[np.int64]:
        """The spans of :attr:`main` as rows of (start, stop); no segments are made for them."""
        later = self._later
        if later is None:
            return np.array([segment.span for segment in self.main], np.int64).reshape(-1, 2)
        return later.spans[later.main]

    # -- as a person sees it -----------------------------------------------------------------

    def __repr__(self) -> str:
        """Return what the answer is and how its text begins."""
        sure = "" if self.confidence is None else f", confidence {self.confidence:.2f}"
        return (
            f"<Extraction by {self.extractor}: {self.kind}, {len(self.text.split())} words{sure}: "
            f"{shortened(self.text, 60)!r}>"
        )

    def _repr_html_(self) -> str:
        """Return the page with the main content marked, for notebooks."""
        if self._page is None:
            return f"<pre>{escape(self.text)}</pre>"
        kept = {segment.span for segment in self.main}
        marked = [
            Marked(*each.span, each.span in kept, each.role, f"{each.role}, score {each.score:.2f}")
            for each in self.segments
        ]
        return small_overlay(self._page(), marked, repr(self)[1:-1])

    # -- outputs, each made when it is asked for ---------------------------------------------

    @property
    def document(self) -> Document:
        """The main content with its structure: headings, lists, tables, code, images, links."""
        return self._make("document", self._build)

    @property
    def markdown(self) -> str:
        """The main content as Markdown: CommonMark with GFM tables."""
        return self._make("markdown", lambda: markdown(self.document))

    @property
    def html(self) -> str:
        """The main content as semantic HTML5, without classes, styles or scripts."""
        return self._make("html", lambda: html(self.document))

    @property
    def prevertical(self) -> str:
        """The main content as prevertical text: what corpus tools read."""
        return self._make("prevertical", self._write_prevertical)

    @property
    def tei(self) -> str:
        """The main content and the metadata as a ``TEI`` element, TEI P5."""
        return self._make(
            "tei", lambda: tei(self.document, {**self.metadata.to_dict(), "url": self._url})
        )

    @property
    def images(self) -> tuple[parts.ImagePart, ...]:
        """The images of the main content."""
        return self._make("images", lambda: parts.images(self.document))

    @property
    def links(self) -> tuple[parts.LinkPart, ...]:
        """The links of the main content."""
        return self._make("links", lambda: parts.links(self.document))

    @property
    def embeds(self) -> tuple[parts.EmbedPart, ...]:
        """The videos, sounds and maps that the main content shows."""
        return self._make("embeds", lambda: parts.embeds(self.document))

    @property
    def tables(self) -> tuple[parts.TablePart, ...]:
        """The tables of the main content."""
        return self._make("tables", lambda: parts.tables(self.document))

    @property
    def sections(self) -> tuple[parts.Section, ...]:
        """The main content, divided at its headings."""
        return self._make("sections", lambda: parts.sections(self.document))

    @property
    def metadata(self) -> Metadata:
        """Metadata of the page: title, authors, dates, language and the like."""
        return self._make("metadata", self._read_metadata, self._told)

    @property
    def is_one_text(self) -> bool:
        """Whether the page is there for one text, and neither a list of texts nor without any."""
        return self.kind in ("article", "thread", "product", "documentation")

    @property
    def next_page(self) -> str:
        """The address of the next page of the same article or thread; empty if it ends here."""
        return self._make("next_page", self._find_next_page)

    @property
    def title(self) -> str:
        """The title of the page, without the name of its site; empty if it has none."""
        return self.metadata.title

    @property
    def comments(self) -> tuple[Post, ...]:
        """The comments on an article; empty on a thread."""
        return self._discussion.comments

    @property
    def posts(self) -> tuple[Post, ...]:
        """The posts of a thread, the first one included; empty on a page that is none."""
        return self._discussion.posts

    @property
    def _discussion(self) -> Discussion:
        return self._make("discussion", self._read_discussion, self._told)

    def _make(self, name: str, make: Callable[[], T], known: dict[str, Any] | None = None) -> T:
        known = self._made if known is None else known
        if name not in known:
            known[name] = make()
        made: T = known[name]
        return made

    def _build(self) -> Document:
        if self._page is None:  # of a method that gives no more than text
            return from_text(self.text)
        page = self._page()
        if not self._page.is_same:  # its tree was changed, and is gone
            return from_text(self.text)
        return build_document(page, self.kept(page), self._switches)

    @property
    def _url(self) -> str:
        """The address of the page, empty if it is not known."""
        return self._make("url", lambda: (self._page and self._page.url) or "", self._told)

    def _write_prevertical(self) -> str:
        metadata = self.metadata
        attributes = {
            "title": metadata.title,
            "url": metadata.canonical_url or self._url,
            "author": "; ".join(metadata.authors),
            "date": metadata.date_published,
            "lang": metadata.language,
        }
        blocks, stop = [], 0
        for segment in self.main:
            is_heading = segment.role == "title" or bool(_HEADING.search(segment.xpath))
            is_after_gap = segment.span[0] > stop
            for text in segment.text.split("\n\n"):
                blocks.append(TextBlock(text, is_heading, is_after_gap))
                is_after_gap = False
            stop = segment.span[1]
        return prevertical(blocks, attributes)

    @property
    def page(self) -> Page | None:
        """The page, read again if its tree was freed; ``None`` if the answer was pickled."""
        return None if self._page is None else self._page()

    def kept(self, page: Page) -> NDArray[np.bool_]:
        """Return which text nodes of *page* are main content."""
        return in_spans(self.main_spans, page.text_at.size)

    def _read_metadata(self) -> Metadata:
        return Metadata() if self._page is None else read_metadata(self._page(), self._site_parts)

    def _find_next_page(self) -> str:
        if self._page is None or self.kind not in ("article", "thread", "documentation"):
            return ""
        is_thread = self.kind == "thread"
        address = next_page(self._page(), is_thread=is_thread)
        return "" if address and not is_thread and is_list(self.metadata) else address

    def _read_discussion(self) -> Discussion:
        if self._page is None:
            return Discussion()
        page = self._page()
        keep = self.kept(page) if self._page.is_same else np.ones(page.text_at.size, dtype=bool)
        is_thread = self.kind == "thread" if self.extractor == "auto" else None
        return read_discussion(page, self.metadata, keep, is_thread)

    def to_dict(self) -> dict[str, Any]:
        """Return all that is known as a plain dict, which JSON can hold: tuples are lists."""
        names = (
            "text title markdown html prevertical tei kind confidence extractor source truncated "
            "garbled next_page images links embeds tables comments posts metadata"
        )
        made = {name: plain(getattr(self, name)) for name in names.split()}
        return {**made, "segments": self.segment_rows()}

    def segment_rows(self) -> list[Row]:
        """Return the segments as plain dicts, each with whether it is a part of the text."""
        main = {segment.span for segment in self.main}
        return [
            {
                "text": segment.text,
                "role": segment.role,
                "main": segment.span in main,
                "score": segment.score,
                "xpath": segment.xpath,
            }
            for segment in self.segments
        ]

    def on(self, page: Page, site_parts: frozenset[int] | None = None) -> Extraction:
        """Return the same answer with *page*, from which its outputs are made.

        *site_parts* are what is learned of the titles of its site; without them those known stay.
        The answer of a page that shows more stays with that.
        """
        if self._page is not None and self.source != page.source:
            return self
        if site_parts is None and self._page is not None and self._page.holds(page):
            return self
        new: dict[str, Any] = {"_page": PageReference(page), "_told": {}}
        if site_parts is not None:
            new["_site_parts"] = site_parts
        later = self._later
        if later is None:
            return replace(self, **new)
        later = later._replace(page=new["_page"])
        return replace(self, segments=(), main=(), **new).with_segments_later(later)

    def switched(self, switches: Switches) -> Extraction:
        """Return the same answer with the parts that *switches* name left out of every output."""
        if switches == self._switches or self._page is None:
            return self
        return self._make(repr(switches), lambda: self._switched(switches))

    def _switched(self, switches: Switches) -> Extraction:
        assert self._page is not None
        page = self._page()
        if not self._page.is_same:
            return self
        keep = self.kept(page)
        dropped = np.zeros(keep.size, dtype=bool)
        if not switches.tables:
            dropped |= page.texts_inside(data_tables(page))
        if switches.comments is False and not self.posts:
            dropped |= find_comments(page, keep)
        return replace(self.without(dropped), _switches=switches)

    def without(self, dropped: NDArray[np.bool_]) -> Extraction:
        """Return the same answer without the text nodes of its page that *dropped* flags."""
        assert self._page is not None
        page = self._page()
        if not self._page.is_same or not (self.kept(page) & dropped).any():
            return self
        parts = {segment.span: _parts(page, segment, ~dropped) for segment in self.main}
        main = [part for segment in self.main for part in parts[segment.span]]
        rows = [part for each in self.segments for part in parts.get(each.span, (each,))]
        spans = np.array([segment.span for segment in main], dtype=np.int64).reshape(-1, 2)
        return replace(
            self,
            text=page.join(spans, [segment.text for segment in main]),
            main=tuple(main),
            segments=tuple(rows),
            kind=self.kind if main else "empty",
        )

    @property
    def told(self) -> dict[str, Any]:
        """What the page says of itself: metadata, discussion and address."""
        return {name.lstrip("_"): getattr(self, name) for name in _TOLD}

    def with_outputs(self, made: Mapping[str, Any]) -> Extraction:
        """Set outputs that are known; return the answer, which must be new."""
        self._made.update(made)
        return self

    def __reduce__(self) -> tuple[Any, ...]:  # Python 3.10 has its own __getstate__ here
        """Return what is pickled: all but the page. What is made of it replaces it."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        values["_told"] = self.told
        values["_made"] = {"document": self.document, "next_page": self.next_page}
        values["_page"] = values["_later"] = None
        return object.__new__, (type(self),), list(values.values())


def _parts(page: Page, segment: Segment, keep: NDArray[np.bool_]) -> tuple[Segment, ...]:
    """Return what is left of a segment where *keep* flags text nodes."""
    start, stop = segment.span
    kept = keep[start:stop]
    if kept.all():
        return (segment,)
    edges = np.flatnonzero(np.diff(kept.astype(np.int8), prepend=0, append=0)) + start
    spans = edges.reshape(-1, 2)
    texts, xpaths = page.lay_out_all(spans), page.xpaths_of(spans)
    return tuple(
        replace(segment, text=text, xpath=xpath, span=(first, after))
        for text, xpath, (first, after) in zip(texts, xpaths, spans.tolist(), strict=True)
        if text.strip()
    )


@dataclass(frozen=True, slots=True)
class Explanation:
    """The reason why one block of a page was kept or dropped."""

    text: str
    """The block's text, white space collapsed."""

    xpath: str
    """The node that the block came from."""

    kept: bool
    """Whether the block is part of the extraction's text."""

    score: float
    """The method's own measure."""

    reason: str
    """The rule, factor or value that decided, in words."""

    def __repr__(self) -> str:
        """Return what was decided and why, and how the block begins."""
        word = "kept" if self.kept else "dropped"
        return f"<{word}, score {self.score:.2f}: {shortened(self.text, 40)!r}; {self.reason}>"


class Explanations(tuple[Explanation, ...]):
    """The explanations of a page's blocks, in document order; a tuple that a notebook shows."""

    _page: PageReference
    _spans: NDArray[np.int64]

    @classmethod
    def of(
        cls, page: Page, spans: NDArray[np.int64], explanations: Iterable[Explanation]
    ) -> Explanations:
        """Return the *explanations* of the *spans* of *page*."""
        made = cls(explanations)
        made._page, made._spans = PageReference(page), spans
        return made

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
            for (start, stop), each in zip(self._spans.tolist(), self, strict=True)
        ]
        return small_overlay(self._page(), marked, repr(self)[1:-1])
