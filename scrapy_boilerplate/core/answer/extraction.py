"""The answer of an extractor: a value that outlives its page."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from html import escape
from operator import attrgetter
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.answer import output
from scrapy_boilerplate.core.answer.document import (
    Document,
    Switches,
    build_document,
    data_tables,
    from_text,
    parts,
)
from scrapy_boilerplate.core.answer.metadata import Metadata, metadata_of
from scrapy_boilerplate.core.answer.metadata.page_metadata import VALUES
from scrapy_boilerplate.core.answer.next_page import is_list, next_page
from scrapy_boilerplate.core.answer.overlay import Marked, shortened, small_overlay
from scrapy_boilerplate.core.answer.posts import Discussion, Post, find_comments, read_discussion
from scrapy_boilerplate.core.answer.record import Explanations, Record, Rule, Segment
from scrapy_boilerplate.core.caching import cached_property
from scrapy_boilerplate.core.names import unknown
from scrapy_boilerplate.core.page import Page, PageReference
from scrapy_boilerplate.core.page.arrays import Bool, Int64, in_spans
from scrapy_boilerplate.core.page.unseen import texts_unseen

Kind = Literal[
    "article", "thread", "product", "documentation", "list", "empty", "blocked", "not_html"
]
"""The kind of a page: a single text, a thread, a product, documentation, a list of texts, a page
without text, a page shown in place of the requested one (a challenge, a login or consent wall, a
parked domain), or something other than HTML."""

_NO_TABLES = Rule("tables", "left out by the option tables=False")
_NO_HIDDEN = Rule("hidden", "left out by the option hidden='drop'")
_NO_COMMENTS = Rule("comments", "left out by the option comments=False")

GIVEN = ("text", "kind", "confidence", "extractor", "truncated", "garbled", "source")
"""What an extractor finds on a page, apart from segments; outputs are made from it."""
_KEPT = (*GIVEN, "record", "block_scores", "finds_threads")
_MADE = ("segments", "main", "url", "metadata", "discussion", "document", "next_page")
"""What is made from the page before an answer goes without it."""


# -- what an output is -----------------------------------------------------------------------------

T = TypeVar("T")
Form: TypeAlias = "str | float | bool | list[Any] | dict[str, Any] | None"
"""What a feed exporter can write, and JSON can hold."""


def plain(value: Any) -> Form:
    """Return a value in JSON types: tuples as lists, what they hold as dicts."""
    if isinstance(value, tuple):
        return [part if isinstance(part, str) else _row(part) for part in value]
    return value.to_dict() if hasattr(value, "to_dict") else value


def _row(part: Any) -> dict[str, Any]:  # `asdict` would copy what it holds
    return {each.name: getattr(part, each.name) for each in fields(part)}


class Output(cached_property[T]):
    """An output of an answer, made once by *make* from *parts* of it, or from the answer itself.

    It is a field of items, a key of ``Extraction.to_dict()`` and, with a *suffix*, a format of the
    command line, whose files' names end so. *form* makes the value that feed exporters write from
    the answer; by default it is :func:`plain`. The docstring is that of *make*.
    """

    def __init__(
        self,
        make: Callable[..., T],
        *parts: str,
        form: Callable[[Any], Form] | None = None,
        suffix: str = "",
    ) -> None:
        super().__init__(make)
        self.suffix = suffix
        self._form = form
        if parts:
            self.func = lambda answer: make(*(getattr(answer, part) for part in parts))

    def form_of(self, answer: object) -> Form:
        """Return the output of *answer* as feed exporters write it."""
        if self._form is not None:
            return self._form(answer)
        return plain(getattr(answer, self.attrname or ""))


# -- outputs of a few lines ------------------------------------------------------------------------

_HEADING = re.compile(r"/h[1-6](?:\[\d+\])?(?:/text\(\)\[\d+\])?\Z")


def _title(metadata: Metadata) -> str:
    """The title of the page, without the name of its site; empty if it has none."""
    return metadata.title


def _segments(both: Sequence[tuple[Segment, ...]]) -> tuple[Segment, ...]:
    """The segments that the extractor found, in document order.

    ``energy`` and ``links`` give the whole partition of the page into coherent texts, the other
    extractors the paragraphs of the main content.
    """
    return both[0]


def _segment_rows(answer: Extraction) -> list[Form]:
    """Return the segments as dicts, which say whether each is part of the text."""
    main = {segment.span for segment in answer.main}
    return [
        {
            "text": segment.text,
            "role": segment.role,
            "main": segment.span in main,
            "score": segment.score,
            "xpath": segment.xpath,
        }
        for segment in answer.segments
    ]


def _prevertical(main: Sequence[Segment], metadata: Metadata, url: str) -> str:
    """The main content as prevertical text, the input of corpus tools."""
    attributes = {
        "title": metadata.title,
        "url": metadata.canonical_url or url,
        "author": "; ".join(metadata.authors),
        "date": metadata.date_published,
        "lang": metadata.language,
    }
    blocks, stop = [], 0
    for segment in main:
        is_heading = segment.role == "title" or bool(_HEADING.search(segment.xpath))
        is_after_gap = segment.span[0] > stop
        for text in segment.text.split("\n\n"):
            blocks.append(output.TextBlock(text, is_heading, is_after_gap))
            is_after_gap = False
        stop = segment.span[1]
    return output.prevertical(blocks, attributes)


def _tei(document: Document, metadata: Metadata, url: str) -> str:
    """The main content and the metadata as a ``TEI`` element, TEI P5."""
    return output.tei(document, {**metadata.to_dict(), "url": url})


def _section_rows(answer: Extraction) -> list[Form]:
    """Return the parts between headings, each with its headings and its Markdown."""
    return [
        {
            "headings": list(section.headings),
            "markdown": output.markdown(section.document),
            "xpath": section.document.find_xpaths([0])[0],
        }
        for section in answer.sections
    ]


def _comments(discussion: Discussion) -> tuple[Post, ...]:
    """The comments on an article; empty on a thread."""
    return discussion.comments


def _posts(discussion: Discussion) -> tuple[Post, ...]:
    """The posts of a thread, including the first; empty on other pages."""
    return discussion.posts


# -- the answer ------------------------------------------------------------------------------------


_USUAL = Switches()


class Extraction:
    """The answer of an extractor for one page.

    Outputs such as :attr:`markdown` are made on first use, from the page, which is read from its
    source again if necessary. Several fields and items share an answer, so it is immutable;
    :meth:`replace` returns a changed copy.
    """

    text: str
    """The main content, laid out for a reader; empty if the page has none."""

    kind: Kind
    """The kind of the page."""

    confidence: float | None
    """Expected word F1 of :attr:`text`, in [0, 1]; ``None`` if that is not estimated."""

    extractor: str
    """Registered name of the extractor."""

    truncated: bool
    """Whether a part of the page is missing because the parser dropped it or the page is too
    large."""

    garbled: bool
    """Whether the page was decoded wrongly; :attr:`confidence` is then at most 0.5."""

    source: str
    """Place of a text that the page does not show: an element, and the path in its JSON
    (``#__NEXT_DATA__: props.pageProps.post.body``). Empty for visible text."""

    record: Record | None
    """Which rule decided each span of the page; ``None`` for an answer without a page."""

    block_scores: NDArray[np.float32] | None
    """Probability that each block of the page is content, from extractors that weigh further
    evidence (:meth:`~scrapy_boilerplate.core.methods.base.Extractor.weigh`); else ``None``."""

    finds_threads: bool
    """Whether the extractor detects threads, so that no page of another kind is one."""

    _page: PageReference | None
    _switches: Switches
    _site_parts: frozenset[int]
    """What is learned of the titles of the page's site."""
    _whole: Extraction | None
    """The answer that this is a part of; what the page says of itself is read once for both."""
    _by_switches: dict[Switches, Extraction]

    def __init__(
        self,
        text: str,
        segments: tuple[Segment, ...] = (),
        main: tuple[Segment, ...] = (),
        kind: Kind = "empty",
        confidence: float | None = None,
        extractor: str = "",
        truncated: bool = False,
        garbled: bool = False,
        source: str = "",
        *,
        page: PageReference | None = None,
        record: Record | None = None,
        block_scores: NDArray[np.float32] | None = None,
        finds_threads: bool = False,
    ) -> None:
        vars(self).update(
            text=text,
            kind=kind,
            confidence=confidence,
            extractor=extractor,
            truncated=truncated,
            garbled=garbled,
            source=source,
            record=record,
            block_scores=block_scores,
            finds_threads=finds_threads,
            _page=page,
            _switches=_USUAL,
            _site_parts=frozenset(),
            _whole=None,
            _by_switches={},
        )
        if record is None:
            vars(self).update(segments=segments, main=main)

    def __setattr__(self, name: str, value: object) -> None:
        """Raise :exc:`AttributeError`: an answer is shared."""
        raise AttributeError(f"an Extraction can't be changed; use replace({name}=…)")

    def __eq__(self, other: object) -> bool:
        """Return whether text, segments, kind and the like are equal."""
        if not isinstance(other, Extraction):
            return NotImplemented
        return all(getattr(self, n) == getattr(other, n) for n in (*GIVEN, "segments", "main"))

    def __hash__(self) -> int:
        """Return a hash of the text, the kind and the extractor."""
        return hash((self.text, self.kind, self.extractor))

    # -- segments, made when somebody asks for them ------------------------------------------

    @cached_property
    def _both(self) -> tuple[tuple[Segment, ...], tuple[Segment, ...]]:
        assert self.record is not None  # else both were given
        return self.record.segments()

    @cached_property
    def main(self) -> tuple[Segment, ...]:
        """The segments that make up :attr:`text`."""
        return self._both[1]

    @property
    def main_spans(self) -> Int64:
        """The spans of :attr:`main` as rows of (start, stop); no segments are made for them."""
        if self.record is not None:
            return self.record.main_spans
        return np.array([segment.span for segment in self.main], np.int64).reshape(-1, 2)

    def kept(self, page: Page) -> Bool:
        """Return which text nodes of *page* are main content."""
        size = page.text_at.size
        if self.record is not None and len(self.record.spans) and self.record.spans[-1, 1] == size:
            return self.record.keep.repeat(self.record.spans[:, 1] - self.record.spans[:, 0])
        return in_spans(self.main_spans, size)

    def explain(self) -> Explanations:
        """Return which rule kept or dropped each block of the page, and why.

        Raises :exc:`ValueError` for an answer without its page: one that was pickled or joined.

        >>> from scrapy_boilerplate import extract
        >>> page = "<ul><li><a>Home</a></ul><p>A sentence of several words."
        >>> [(each.kept, each.rule) for each in extract(page, extractor="mss").explain()]
        [(False, 'mss'), (True, 'mss')]
        """
        if self._page is None:
            raise ValueError(
                "only an answer with its page can explain; this one was pickled or joined"
            )
        return self.recorded(self._page()).explain()

    def recorded(self, page: Page) -> Record:
        """Return the :attr:`record`, or one of what is kept of *page* if there is none."""
        if self.record is not None:
            return self.record
        return Record.of_kept(page, self.extractor, self.kept(page))

    # -- as a person sees it -----------------------------------------------------------------

    def __repr__(self) -> str:
        """Return what the answer is and how its text begins."""
        sure = "" if self.confidence is None else f", confidence {self.confidence:.2f}"
        words, begin = len(self.text.split()), shortened(self.text, 60)
        return f"<Extraction by {self.extractor}: {self.kind}, {words} words{sure}: {begin!r}>"

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

    # -- what outputs are made from ----------------------------------------------------------

    @property
    def page(self) -> Page | None:
        """The page, read again if its tree was freed; ``None`` if the answer was pickled."""
        return None if self._page is None else self._page()

    @property
    def is_one_text(self) -> bool:
        """Whether the page has one main text, rather than a list of texts or none."""
        return self.kind in ("article", "thread", "product", "documentation")

    @cached_property
    def url(self) -> str:
        """The URL of the page; empty if unknown."""
        return self._whole.url if self._whole else (self._page and self._page.url) or ""

    @cached_property
    def document(self) -> Document:
        """The main content with its structure: headings, lists, tables, code, images, links."""
        page = self.page
        if page is None or not (self._page and self._page.is_same):  # only the text is known
            return from_text(self.text)
        return build_document(page, self.kept(page), self._switches)

    @property
    def _max_words(self) -> int | None:
        return self._switches.max_words

    @cached_property
    def discussion(self) -> Discussion:
        """The comments on an article or the posts of a thread."""
        drops = self._switches.hidden == "drop"
        if self._whole is not None and not drops:
            return self._whole.discussion
        if self._page is None:
            return Discussion()
        page = self._page()
        keep = self.kept(page) if self._page.is_same else np.ones(page.text_at.size, dtype=bool)
        is_thread = self.kind == "thread" or (False if self.finds_threads else None)
        if drops:
            seen = ~texts_unseen(page)
            page, keep = page.restricted(seen), keep[seen]
        return read_discussion(page, self.metadata, keep, is_thread)

    # -- outputs: docs/extending.md says how to add one --------------------------------------

    title = Output(_title, "metadata")
    segments = Output(_segments, "_both", form=_segment_rows)
    markdown = Output(output.markdown, "document", suffix=".md")
    html = Output(output.html, "document", suffix=".html")
    prevertical = Output(_prevertical, "main", "metadata", "url", suffix=".vert")
    tei = Output(_tei, "document", "metadata", "url", suffix=".xml")
    images = Output(parts.images, "document")
    links = Output(parts.links, "document")
    embeds = Output(parts.embeds, "document")
    tables = Output(parts.tables, "document")
    sections = Output(parts.sections, "document", "_max_words", form=_section_rows)
    comments = Output(_comments, "discussion")
    posts = Output(_posts, "discussion")

    @Output
    def metadata(self) -> Metadata:
        """Metadata of the page: title, authors, dates, language and the like."""
        if self._whole is not None:
            return self._whole.metadata
        return Metadata() if self._page is None else metadata_of(self._page, self._site_parts)

    @Output
    def next_page(self) -> str:
        """The URL of the next page of the same article or thread; empty on the last page."""
        if self._page is None or self.kind not in ("article", "thread", "documentation"):
            return ""
        is_thread = self.kind == "thread"
        address = next_page(self._page(), is_thread=is_thread)
        return "" if address and not is_thread and is_list(self.metadata) else address

    def to_dict(self) -> dict[str, Any]:
        """Return all values and outputs as a dict that JSON can represent: tuples are lists."""
        given = {name: getattr(self, name) for name in GIVEN}
        return {**given, **{name: each.form_of(self) for name, each in MADE_OUTPUTS.items()}}

    # -- other answers for the same page -----------------------------------------------------

    def replace(self, **values: Any) -> Extraction:
        """Return the same answer with other values of its parameters.

        >>> Extraction("One two", kind="article").replace(kind="list").kind
        'list'
        """
        given = {name: vars(self)[name] for name in _KEPT} | {"page": self._page}
        if self.record is None or not values.keys().isdisjoint(("segments", "main")):
            given |= {"segments": self.segments, "main": self.main, "record": None}
        changed = Extraction(**given | values)
        whole = self if self._page is None else None  # what is known cannot be read again
        vars(changed).update(_switches=self._switches, _site_parts=self._site_parts, _whole=whole)
        return changed

    def on(self, page: Page, site_parts: frozenset[int] | None = None) -> Extraction:
        """Return the same answer with *page*, from which its outputs are made.

        *site_parts* are what was learned about the titles of its site. An answer with another
        :attr:`source` is returned unchanged.
        """
        if self._page is not None and self.source != page.source:
            return self
        reference, record = self._page, self.record
        if reference is None or not reference.holds(page):
            reference = PageReference(page)
            record = record and record._replace(page=reference)
        elif site_parts is None:
            return self
        moved = self.replace(page=reference, record=record)
        vars(moved)["_whole"] = None
        if site_parts is not None:
            vars(moved)["_site_parts"] = site_parts
        return moved

    def switched(self, switches: Switches) -> Extraction:
        """Return the same answer with the parts that *switches* name left out of every output."""
        if switches == self._switches or self._page is None:
            return self
        if switches in self._by_switches:
            return self._by_switches[switches]
        page, answer = self._page(), self
        if not self._page.is_same:
            return self
        if switches.comments is False and not self.posts:
            answer = answer.without(find_comments(page, self.kept(page)), _NO_COMMENTS)
        if not switches.tables:
            answer = answer.without(page.texts_inside(data_tables(page)), _NO_TABLES)
        if switches.hidden == "drop":
            answer = answer.without(texts_unseen(page), _NO_HIDDEN)
        switched = answer._part()
        vars(switched)["_switches"] = switches
        return self._by_switches.setdefault(switches, switched)

    def without(self, dropped: Bool, rule: Rule) -> Extraction:
        """Return the same answer without the text nodes that *rule* dropped."""
        assert self._page is not None
        page = self._page()
        keep = self.kept(page) if self._page.is_same else dropped & False
        if not (keep & dropped).any():
            return self
        decided = (keep & dropped).view(np.uint8)
        record = self.recorded(page).decided(page, keep & ~dropped, [rule], decided)
        spans = record.main_spans
        return self._part(
            text=page.join(spans, page.lay_out_all(spans)),
            kind=self.kind if len(spans) else "empty",
            record=record,
        )

    def _part(self, **values: Any) -> Extraction:
        """Return a part of this answer; what the page says of itself is that of the whole."""
        part = self.replace(**values)
        vars(part)["_whole"] = self._whole or self
        return part

    def without_page(self, **made: object) -> Extraction:
        """Return the same answer without its page, with outputs that are *made* already."""
        alone = self.replace(page=None, record=None, block_scores=None)
        vars(alone).update({"segments": self.segments, "main": self.main, "_whole": None, **made})
        return alone

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: all but the page. What is made of it replaces it."""
        made = {name: getattr(self, name) for name in _MADE}
        alone = self.without_page(**made)
        vars(alone)["block_scores"] = self.block_scores
        return vars(alone)


MADE_OUTPUTS: Mapping[str, Output[Any]] = {
    name: each for name, each in vars(Extraction).items() if isinstance(each, Output)
}
"""The outputs by name."""


def _value(name: str) -> Callable[[Extraction], Form]:
    return lambda answer: plain(getattr(answer.metadata, name))


OUTPUTS: Mapping[str, Callable[[Extraction], Form]] = {
    "text": attrgetter("text"),
    **{name: output.form_of for name, output in MADE_OUTPUTS.items()},
    **{name: _value(name) for name in VALUES if name != "title"},
    **{name: attrgetter(name) for name in GIVEN if name != "text"},
}
"""What a field can be filled with, by name: a function that makes it from an answer."""


def check_output(name: object) -> str:
    """Return *name*, or raise :exc:`ValueError` with the nearest output or all of them."""
    if not isinstance(name, str) or name not in OUTPUTS:
        raise ValueError(unknown("output", name, OUTPUTS))
    return name
