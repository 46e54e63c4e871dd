"""A web page as flat arrays: read once, then every method is arithmetic on arrays."""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from lxml import etree
from numpy.typing import NDArray
from parsel import Selector
from w3lib.encoding import html_body_declared_encoding, html_to_unicode, resolve_encoding

from scrapy_boilerplate import html5
from scrapy_boilerplate._native import walk
from scrapy_boilerplate._walk import ELEMENT_ROWS, INVISIBLE, KNOWN_TAGS, TEXT_ROWS, Walk
from scrapy_boilerplate.text import TextStats, measure

try:
    import charset_normalizer
except ImportError:  # older versions of Scrapy do without, and read Windows-1252
    charset_normalizer = None  # type: ignore[assignment]

__all__ = ["Page"]

Bool = NDArray[np.bool_]
Int = NDArray[Any]

NO_BREAK, CELL, LINE, PARAGRAPH = range(4)
"""What separates a text node from the one before it, weakest first."""

SEPARATORS = (" ", "\t", "\n", "\n\n")
"""How each of them is written."""

_TABLE = frozenset(["table"])
_ROW = frozenset("tr caption thead tbody tfoot".split())
_CELL = frozenset("td th".split())
_LIST = frozenset("ul ol dl menu dir".split())
_ITEM = frozenset("li dt dd".split())
_PARAGRAPH = frozenset(
    "html body div p h1 h2 h3 h4 h5 h6 pre blockquote section article main aside header footer nav "
    "form fieldset legend figure figcaption hr center address details summary dialog hgroup search "
    "noscript optgroup option select textarea frameset frame listing xmp plaintext marquee".split()
)
BLOCK_LEVEL = _TABLE | _ROW | _CELL | _LIST | _ITEM | _PARAGRAPH
"""Elements that start a new block of text."""

PREFORMATTED = frozenset("pre listing xmp plaintext".split())
"""Elements whose white space is kept."""

_MARKUP = re.compile(r"<[a-zA-Z/!?]")
_END_OF_HTML = re.compile(r"</html(?![^\s/>])", re.IGNORECASE)
_END_TAG = re.compile(r"</(?:html|body)(?![^\s/>])", re.IGNORECASE)  # fixed words: no backtracking
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_XPATH_NAME = re.compile(r"[A-Za-z_][\w.-]*\Z", re.ASCII)
# Each step begins with a slash, which no class before it holds: no backtracking.
_PLAIN_XPATH = re.compile(r"(?:/(?:[A-Za-z_][\w.-]*|\*)(?:\[\d+\])?)+\Z", re.ASCII)
_CONTROL = re.compile(r"[\x01-\x08\x0b\x0e-\x1f]")  # a tenth of any compressed data
_NO_WEB_ENCODINGS = frozenset(
    "base64 bz2 hex idna mbcs oem punycode quopri raw-unicode-escape rot-13 undefined "
    "unicode-escape uu zlib".split()
)
"""Python's codecs that are no character encodings, or take quadratic time, or warn."""

_STOPS = frozenset(
    getattr(etree.ErrorTypes, name, None)  # an older lxml does not know the first one
    for name in "ERR_RESOURCE_LIMIT ERR_NO_MEMORY ERR_INTERNAL_ERROR ERR_DOCUMENT_END".split()
)
"""Errors at which libxml2 stops reading: a limit, or text after the end of an XML document."""

_NEXT_TO_NO_TEXT, _LEAST_NOSCRIPT_TEXT = 500, 1000
"""Characters. "Please enable JavaScript" is no text of a page: it is shorter."""

_REMEMBERED_XPATH = 2_000
"""Characters of an XPath below which that of a child is kept: a deep tree must fit in memory."""

_LEAST_DEPTH_LIMIT = 250
"""libxml2 stops at 256 levels, with ``huge_tree`` at 2 048; a few are not in the tree."""


class Page:
    """The visible text of a web page and the elements that hold it, as flat arrays.

    Elements and text nodes are numbered in document order. Left out are blank text nodes, comments
    and what no browser with scripts shows as text: the head, ``script``, ``style``, ``noscript``
    (but on a page that has no other text), ``template`` and the like. The tree is read once, in a
    time linear in its nodes, and is never changed. A *block* is a run of text nodes that no
    block-level element interrupts, nor two line breaks: a paragraph, a heading, a list item, a
    cell.

    Use :meth:`parse` for bytes or text, :meth:`from_selector` for a response's selector, or pass
    the root element of an lxml tree.

    >>> page = Page.parse("<p>One <a href='/'>link</a>.</p><ul><li>Item</li></ul>")
    >>> [page.lay_out(start, stop) for start, stop in page.blocks]
    ['One link.', 'Item']
    >>> page.words.tolist(), page.in_link.tolist()
    ([1, 1, 0, 1], [False, True, False, False])
    """

    def __init__(self, root: Any, *, url: str | None = None, source: str | None = None) -> None:
        self.url = url
        """Address of the page, if known."""
        self.is_html = True
        """Whether the page holds markup at all; an image or JSON does not."""
        self.reparsed = False
        """Whether the page was parsed once more, since the parser had dropped a part of it."""
        self.truncated = _is_cut_short(root)
        """Whether the parser dropped a part of the page, which is missing here."""
        self.root = root
        """Root element of the tree that was read; the XPath of every segment resolves on it."""
        self._walk = _read(root)
        whole = None if source is None else self._second_opinion(_encodable(source))
        if whole is not None:
            self.reparsed = True
            self.root, self._walk = whole, _read(whole)
            self.truncated = _is_cut_short(whole)
        read: Walk = self._walk
        self.names = read.names
        """Tag names by tag id, lower case, without namespace; several ids may share one."""
        self.strings = read.strings
        """Values of ``class`` and ``id`` attributes by string id; the first one is empty."""
        self.buffer = read.buffer
        """All visible text, white space included."""
        # For each element …
        self.tag: Int
        """Tag id of each element."""
        self.parent: Int
        """Index of each element's parent; −1 for the root."""
        self.depth: Int
        """Number of each element's ancestors."""
        self.end: Int
        """Index after the last descendant of each element."""
        self.first_text: Int
        """Index of the first text node inside each element, or after it if it has none."""
        self.last_text: Int
        """Index after the last text node inside each element."""
        self.class_id: Int
        """String id of each element's ``class``."""
        self.id_id: Int
        """String id of each element's ``id``."""
        self.position: Int
        """Position of each element among all child elements of its parent, from 1."""
        for name, row in zip(ELEMENT_ROWS, read.elements, strict=True):
            setattr(self, name, row)
        # … and for each text node.
        self.text_parent: Int
        """Element that holds each text node."""
        self.text_at: Int
        """Number of elements that start before each text node."""
        self.text_start: Int
        """Offset in the buffer of each text node's first character."""
        self.text_stop: Int
        """Offset in the buffer after each text node's last character."""
        self.text_ordinal: Int
        """Position of each text node among all those of its parent, from 1 as in XPath."""
        for name, row in zip(TEXT_ROWS, read.texts, strict=True):
            setattr(self, name, row)

    # -- constructors ------------------------------------------------------------------------

    @classmethod
    def parse(
        cls, html: bytes | str, *, url: str | None = None, encoding: str | None = None
    ) -> Page:
        """Read bytes or text; bytes are decoded as Scrapy does.

        That is by BOM, *encoding* (what the HTTP header declares) or ``meta``; else as UTF-8 if
        they are, or as ``charset_normalizer`` guesses, which newer versions of Scrapy bring.
        """
        if isinstance(html, bytes):
            html = _decode(html, encoding)
        html = _encodable(html)
        if not _is_markup(html):
            return cls.not_html(url)
        return cls.from_selector(Selector(text=html, type="html"), url=url, source=html)

    @classmethod
    def from_selector(
        cls, selector: Selector, *, url: str | None = None, source: str | None = None
    ) -> Page:
        """Read the tree that *selector* has parsed already.

        *source* is the text that the selector was made from; with it, what the parser dropped is
        noticed and read from there.
        """
        root = selector.root
        if not isinstance(root, etree._Element) or (source is not None and not _is_markup(source)):
            return cls.not_html(url)
        return cls(root, url=url, source=source)

    @classmethod
    def not_html(cls, url: str | None = None) -> Page:
        """Return the page of what is no HTML: an image, JSON, plain text."""
        page = cls(etree.Element("html"), url=url)
        page.is_html = False
        return page

    def _second_opinion(self, source: str) -> Any:
        """Return the root of a tree with more text from the same *source*, ``None`` if none has.

        libxml2 stops at about 2 000 levels, and it drops what stands after ``</html>``.
        """
        known = _visible_size(self._walk)
        if self.truncated:
            root = html5.parse(source)
            return root if _text_size(root) >= known else None
        end = _END_OF_HTML.search(source)
        rest = source[end.end() :].partition(">")[2] if end else ""
        if not rest or rest.isspace() or not _text_size(_parse_on(rest)):
            return None
        root = _parse_on(source)  # the end tag may have stood in a script or a comment
        return root if _text_size(root) > known else None

    # -- elements ----------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """The document's title, white space collapsed; empty if it has none."""
        return " ".join(self._walk.title.split())

    @property
    def language(self) -> str | None:
        """The language that the root element declares, as it stands there; ``None`` without one."""
        declared = (self.root.get(name) for name in ("lang", "xml:lang", _XML_LANG))
        return next((value.strip() for value in declared if value and value.strip()), None)

    def has_tag(self, names: Iterable[str]) -> Bool:
        """Return for each element whether its tag is one of *names*."""
        wanted = frozenset(names)
        flags = _known_tags_in(wanted)
        others = [name in wanted for name in self.names[flags.size :]]
        return (np.append(flags, others) if others else flags)[self.tag]

    def count_above(self, flags: Bool) -> Int:
        """Return for each element how many of it and its ancestors are flagged."""
        steps = np.zeros(self.tag.size + 1, dtype=np.int64)
        steps[:-1] = flags
        steps -= np.bincount(self.end[flags], minlength=steps.size)
        return np.cumsum(steps[:-1])

    @cached_property
    def is_block(self) -> Bool:
        """Whether each element is block-level."""
        return self.has_tag(BLOCK_LEVEL)

    @cached_property
    def in_link(self) -> Bool:
        """Whether each text node stands inside an ``a`` element."""
        return (self.count_above(self.has_tag(("a",))) > 0)[self.text_parent]

    # -- views -------------------------------------------------------------------------------

    def restricted(self, keep: Bool) -> Page:
        """Return a view of this page that holds only the flagged text nodes.

        Its elements, tree and XPaths are this page's. The i-th text node of the view is the i-th
        flagged one, so ``numpy.flatnonzero(keep)`` maps the view's spans back.

        >>> page = Page.parse("<p>One.</p><p>Two.</p><p>Three.</p>")
        >>> view = page.restricted(np.array([True, False, True]))
        >>> [view.lay_out(start, stop) for start, stop in view.blocks]
        ['One.', 'Three.']
        """
        view = Page.__new__(Page)
        computed = {n for n, value in vars(Page).items() if isinstance(value, cached_property)}
        view.__dict__.update((n, v) for n, v in vars(self).items() if n not in computed)
        kept = np.flatnonzero(keep)
        seen = np.zeros(keep.size + 1, dtype=np.int64)
        np.cumsum(keep, out=seen[1:])
        view.first_text, view.last_text = seen[self.first_text], seen[self.last_text]
        for name in TEXT_ROWS:
            setattr(view, name, getattr(self, name)[kept])
        # Runs of neighbours keep the white space before and between them.
        opens = np.ones(kept.size, dtype=bool)
        opens[1:] = np.diff(kept) > 1
        run_start = np.append(0, self.text_stop)[kept[opens]]
        run_stop = self.text_stop[kept[np.append(opens[1:], True)[: kept.size]]]
        view.buffer = "".join(
            self.buffer[start:stop]
            for start, stop in zip(run_start.tolist(), run_stop.tolist(), strict=True)
        )
        offsets = np.append(0, np.cumsum(run_stop - run_start))[:-1]
        shift = (offsets - run_start)[np.cumsum(opens) - 1]
        view.text_start, view.text_stop = view.text_start + shift, view.text_stop + shift
        # What was computed of the elements, or of each text node by itself, is still true.
        for name in ("is_block", "_ranks", "_root_xpath"):
            if name in vars(self):
                vars(view)[name] = vars(self)[name]
        for name in ("words", "symbols", "visible"):
            vars(view)[name] = getattr(self, name)[kept]
        # Text nodes are separated by the strongest break of those that stood between them.
        if kept.size:
            gaps = np.append(0, kept[:-1] + 1)
            vars(view)["_boundaries"] = tuple(
                np.maximum.reduceat(row[: kept[-1] + 1], gaps) for row in self._boundaries
            )
        return view

    # -- text --------------------------------------------------------------------------------

    @cached_property
    def stats(self) -> TextStats:
        """Cumulative counts of words and symbols over :attr:`buffer`."""
        return measure(self.buffer, self.text_start)

    def _per_text(self, counts: Int) -> Int:
        return (counts[self.text_stop] - counts[self.text_start]).astype(np.int64)

    @cached_property
    def words(self) -> Int:
        """Number of words of each text node."""
        return self._per_text(self.stats.words)

    @cached_property
    def symbols(self) -> Int:
        """Number of visible characters outside words of each text node."""
        return self._per_text(self.stats.symbols)

    @cached_property
    def visible(self) -> Int:
        """Number of characters of each text node that are not white space."""
        return self._per_text(self.stats.visible)

    # -- blocks ------------------------------------------------------------------------------

    @cached_property
    def _boundaries(self) -> tuple[NDArray[np.uint8], Bool]:
        """For each text node what separates it from the one before; whether it opens a block."""
        size = self.text_at.size
        breaks = np.zeros(size, dtype=np.uint8)
        starts_block = np.zeros(size, dtype=bool)
        if not size:
            return breaks, starts_block
        starts_block[0] = True
        breaks[0] = PARAGRAPH
        crossing = _Crossing(self)
        line_breaks = crossing.opened(["br"])
        tables, in_table = crossing.crossed(_TABLE), crossing.stays_inside(_TABLE)
        lists, in_list = crossing.crossed(_LIST), crossing.stays_inside(_LIST)
        rows, cells, items = (crossing.crossed(names) for names in (_ROW, _CELL, _ITEM))
        crossed = crossing.crossed(BLOCK_LEVEL)
        inside = breaks[1:]  # a later rule is stronger than an earlier one
        inside[line_breaks > 0] = LINE
        inside[(line_breaks > 1) | crossed] = PARAGRAPH
        inside[items & in_list] = LINE
        inside[lists & ~in_list] = PARAGRAPH
        inside[cells & in_table] = CELL
        inside[rows & in_table] = LINE
        inside[tables] = PARAGRAPH
        starts_block[1:] = crossed | (line_breaks > 1)
        return breaks, starts_block

    @cached_property
    def blocks(self) -> Int:
        """Text nodes of each block, as rows of (start, stop); together they hold all of them."""
        starts = np.flatnonzero(self._boundaries[1])
        return np.stack([starts, np.append(starts[1:], self.text_at.size)[: starts.size]], axis=1)

    def per_block(self, values: Int) -> Int:
        """Sum what is counted a text node by block."""
        counts = np.zeros(values.size + 1, dtype=np.int64)
        np.cumsum(values, out=counts[1:])
        return counts[self.blocks[:, 1]] - counts[self.blocks[:, 0]]

    # -- layout ------------------------------------------------------------------------------

    @cached_property
    def _preformatted(self) -> Bool:
        return (self.count_above(self.has_tag(PREFORMATTED)) > 0)[self.text_parent]

    @cached_property
    def _layout(self) -> tuple[list[int], list[int], list[int], list[int], list[bool]]:
        """Text nodes with a break before them; each one's break, offsets, whether preformatted."""
        breaks = self._boundaries[0]
        rows = (np.flatnonzero(breaks), breaks, self.text_start, self.text_stop)
        cuts, kinds, starts, stops = (row.tolist() for row in rows)  # lists are faster one by one
        return cuts, kinds, starts, stops, self._preformatted.tolist()

    def lay_out(self, start: int, stop: int) -> str:
        """Return the text nodes ``[start, stop)`` as a reader expects them.

        Paragraphs are separated by a blank line, list items, table rows and ``br`` by a line break,
        cells by a tab; white space is collapsed but for preformatted text. Nothing is added.
        """
        if start >= stop:
            return ""
        cuts, kinds, starts, stops, preformatted = self._layout
        inner = cuts[bisect_right(cuts, start) : bisect_left(cuts, stop)]
        pieces = []
        for first, after in pairwise([start, *inner, stop]):
            if first > start:
                pieces.append(SEPARATORS[kinds[first]])
            text = self.buffer[starts[first] : stops[after - 1]]
            pieces.append(text.strip("\r\n") if preformatted[first] else " ".join(text.split()))
        return "".join(pieces)

    def join(self, spans: Iterable[tuple[int, int]], texts: Iterable[str]) -> str:
        """Join the laid-out *texts* of disjoint, ascending *spans* of text nodes.

        Wherever the page is cut into spans, all of them joined are what :meth:`lay_out` returns.
        """
        pieces: list[str] = []
        previous = 0
        for (start, stop), text in zip(spans, texts, strict=True):
            if start >= stop:
                continue
            if pieces:
                pieces.append(self._separator(previous, start))
            pieces.append(text)
            previous = stop
        return "".join(pieces)

    def _separator(self, stop: int, start: int) -> str:
        """Return what stands between two pieces: one ends before *stop*, one begins at *start*."""
        strongest = self._boundaries[0][stop : start + 1].max()
        if strongest or start > stop:
            return SEPARATORS[strongest]
        before = self.buffer[self.text_start[stop - 1] : self.text_stop[stop - 1]]
        between = self.buffer[self.text_stop[stop - 1] : self.text_start[start]]
        after = self.buffer[self.text_start[start] : self.text_stop[start]]
        if self._preformatted[start]:
            line_end, line_start = before.rstrip("\r\n"), after.lstrip("\r\n")
            return before[len(line_end) :] + between + after[: len(after) - len(line_start)]
        return " " if between or before[-1].isspace() or after[0].isspace() else ""

    # -- nodes -------------------------------------------------------------------------------

    @cached_property
    def _ranks(self) -> list[int]:
        """Position of each element among the siblings of its name; 0 for the only one."""
        order = np.lexsort((np.arange(self.tag.size), self.tag, self.parent))
        tag, parent = self.tag[order], self.parent[order]
        new = np.ones(order.size, dtype=bool)
        new[1:] = (tag[1:] != tag[:-1]) | (parent[1:] != parent[:-1])
        group = np.cumsum(new) - 1
        rank = np.empty(order.size, dtype=np.int64)
        rank[order] = np.arange(order.size) - np.flatnonzero(new)[group] + 1
        rank[order[np.bincount(group)[group] == 1]] = 0
        ranks: list[int] = rank.tolist()
        return ranks

    @cached_property
    def _node_tests(self) -> list[str]:
        """Tag name of each element; empty for one of a namespace, or that XPath cannot spell."""
        names = self._walk.qualified_names
        tests = [name if _XPATH_NAME.match(name) else "" for name in names]
        return [tests[tag] for tag in self.tag.tolist()]

    def _step(self, element: int) -> str:
        """Return the last step of an element's XPath."""
        name, rank = self._node_tests[element], self._ranks[element]
        if not name:
            return f"*[{self.position[element]}]"
        return f"{name}[{rank}]" if rank else name

    @cached_property
    def _root_xpath(self) -> str:
        path: str = self.root.getroottree().getpath(self.root)
        if _PLAIN_XPATH.match(path):
            return path
        nodes = [self.root, *self.root.iterancestors()]
        steps = [
            f"*[{1 + sum(1 for _ in node.itersiblings('*', preceding=True))}]" for node in nodes
        ]
        return "/" + "/".join(reversed(steps))

    @cached_property
    def _trail(self) -> dict[int, str]:
        """The element asked for last and its ancestors, root first, each with its last step."""
        return {0: self._root_xpath}

    def xpath(self, element: int) -> str:
        """Return the absolute XPath of an element."""
        # Neighbours share most of the way. The paths of all ancestors, kept by themselves, would
        # take memory as the square of the depth.
        trail, missing = self._trail, []
        while element not in trail:
            missing.append(element)
            element = int(self.parent[element])
        while next(reversed(trail)) != element:
            trail.popitem()
        for below in reversed(missing):
            trail[below] = self._step(below)
        return "/".join(trail.values())

    def text_xpath(self, text: int) -> str:
        """Return the absolute XPath of a text node."""
        return f"{self.xpath(int(self.text_parent[text]))}/text()[{self.text_ordinal[text]}]"

    def xpath_of(self, start: int, stop: int) -> str:
        """Return the XPath of the smallest node that holds the text nodes ``[start, stop)``."""
        element = int(self.text_parent[start])
        while self.first_text[element] > start or self.last_text[element] < stop:
            element = int(self.parent[element])
        exact = self.last_text[element] - self.first_text[element] == stop - start
        if not exact and stop - start == 1:
            return self.text_xpath(start)
        while exact and not self.is_block[element] and element:
            above = int(self.parent[element])
            if self.last_text[above] - self.first_text[above] != stop - start:
                break
            element = above
        return self.xpath(element)


@lru_cache(maxsize=256)
def _known_tags_in(names: frozenset[str]) -> Bool:
    return np.array([name in names for name in KNOWN_TAGS], dtype=bool)


class _Crossing:
    """What opens and closes between neighbouring text nodes."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def opened(self, names: Iterable[str]) -> Int:
        """Return for each pair of neighbours how many such elements start between them."""
        flags = self._page.has_tag(names)
        seen = np.zeros(flags.size + 1, dtype=np.int64)
        np.cumsum(flags, out=seen[1:])
        return np.diff(seen[self._page.text_at])

    def _depth(self, names: Iterable[str]) -> Int:
        return self._page.count_above(self._page.has_tag(names))[self._page.text_parent]

    def crossed(self, names: Iterable[str]) -> Bool:
        """Return for each pair whether such an element starts or ends between them."""
        either: Bool = (self.opened(names) > 0) | (np.diff(self._depth(names)) != 0)
        return either

    def stays_inside(self, names: Iterable[str]) -> Bool:
        """Return for each pair whether one such element holds both."""
        depth = self._depth(names)
        closed = self.opened(names) - np.diff(depth)
        inside: Bool = depth[:-1] > closed
        return inside


def _read(root: Any) -> Walk:
    """Walk a tree; ``noscript`` counts as visible on a page that has next to no text without it.

    So do forums serve their pages to crawlers, which are browsers without scripts.
    """
    read = walk(root)
    if _length(read) > _NEXT_TO_NO_TEXT or next(root.iter("{*}noscript"), None) is None:
        return read
    without_scripts: Walk = walk(root, INVISIBLE - {"noscript"})
    least = max(_LEAST_NOSCRIPT_TEXT, 10 * _length(read))
    return without_scripts if _length(without_scripts) >= least else read


def _length(read: Walk) -> int:
    """Return the number of characters in text nodes that are not blank."""
    columns = dict(zip(TEXT_ROWS, read.texts, strict=True))
    return int((columns["text_stop"] - columns["text_start"]).sum())


def _is_cut_short(root: Any) -> bool:
    """Tell whether the parser of a tree stopped before the end of its input.

    A parser that read another document since has forgotten; what it says must fit the tree, which
    then ends where the parser stopped.
    """
    tree = root.getroottree()
    if tree.parser is None:
        return False
    stops = [entry for entry in tree.parser.error_log if entry.type in _STOPS]
    if not stops:
        return False
    last, depth = tree.getroot(), 0
    while len(last):
        last, depth = last[-1], depth + 1
    if "depth" in stops[0].message:
        return depth >= _LEAST_DEPTH_LIMIT
    return bool(stops[0].line >= (last.sourceline or 0))


def _parse_on(source: str) -> Any:
    """Return the root of the tree of *source* that does not end at ``</body>`` or ``</html>``."""
    return Selector(text=_END_TAG.sub("</img", source), type="html").root


def _text_size(root: Any) -> int:
    return _visible_size(walk(root))


def _visible_size(read: Walk) -> int:
    return sum(map(len, read.buffer.split()))


def _encodable(text: str) -> str:
    """Replace lone surrogates, which no parser takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _decode(html: bytes, encoding: str | None) -> str:
    """Decode as Scrapy does, but for what Python knows and no browser: a page may declare that."""
    declared = (encoding and resolve_encoding(encoding)) or html_body_declared_encoding(html)
    if declared and declared.replace("_", "-") in _NO_WEB_ENCODINGS:
        return html.decode(_guess_encoding(html), "replace")
    content_type = f"text/html; charset={encoding}" if encoding else None
    return html_to_unicode(content_type, html, auto_detect_fun=_guess_encoding)[1]


def _guess_encoding(html: bytes) -> str:
    try:
        html.decode("utf-8")
    except UnicodeDecodeError:
        if charset_normalizer is None:
            return "cp1252"
        best = charset_normalizer.from_bytes(html).best()
        return (best and resolve_encoding(best.encoding)) or "cp1252"
    return "utf-8"


def _is_markup(text: str) -> bool:
    """Tell HTML from images, archives, JSON and plain text that are served as HTML."""
    if _MARKUP.search(text) is None:
        return not text.strip("\ufeff\0 \t\r\n")  # an empty page is a page
    beginning = text[:1024].lstrip("\ufeff\0 \t\r\n")
    if beginning.startswith("%PDF-"):
        return False
    if len(_CONTROL.findall(beginning)) > max(8, len(beginning) // 32):
        return False
    if beginning.startswith(("{", "[")):
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            return True
        return False
    return True
