"""A web page as flat arrays: read once, then every method is arithmetic on arrays."""

from __future__ import annotations

from collections.abc import Callable, Collection
from copy import copy
from functools import partial
from typing import Any
from weakref import ref

import numpy as np
from lxml import etree
from parsel import Selector

from scrapy_boilerplate.core.caching import cached_property
from scrapy_boilerplate.core.page._declared_native import declarations
from scrapy_boilerplate.core.page.addresses import joined, parts_of
from scrapy_boilerplate.core.page.arrays import Bool, cumulative
from scrapy_boilerplate.core.page.blocked import Block, find_block
from scrapy_boilerplate.core.page.budget import MAX_NODES, Source, read_source, truncate_to_tags
from scrapy_boilerplate.core.page.characters import readable_walk
from scrapy_boilerplate.core.page.decoding import decode, is_garbled, is_markup
from scrapy_boilerplate.core.page.lenient import attribute_of
from scrapy_boilerplate.core.page.paragraphs import Paragraphs, Read
from scrapy_boilerplate.core.page.screen_only import find_screen_only
from scrapy_boilerplate.core.page.sources import (
    Hidden,
    HiddenText,
    find_hidden,
    hidden_texts,
    may_hide_text,
    show,
)
from scrapy_boilerplate.core.page.trees import (
    is_cut_short,
    parse_source,
    read_tree,
    reparse_if_text_lost,
)
from scrapy_boilerplate.core.page.walk import START, Walk, keep_texts

_LONGEST_BASE = 4096  # characters


class Page(Paragraphs):
    """The visible text of a web page and the elements that hold it, as flat arrays.

    Elements and text nodes are numbered in document order. The page leaves out blank text nodes,
    comments and what a browser with scripts does not show as text: the head, ``script``, ``style``,
    ``noscript`` (except on a page without other text), ``template`` and the like. The tree is read
    once, in a time linear in its nodes, and is never changed. A *block* is a run of text nodes that
    neither a block-level element nor two line breaks interrupt: a paragraph, a heading, a list
    item, a cell.

    Use :meth:`parse` for bytes or text, :meth:`from_selector` for a response's selector, or pass
    the root element of an lxml tree.

    >>> page = Page.parse("<p>One <a href='/'>link</a>.</p><ul><li>Item</li></ul>")
    >>> [page.lay_out(start, stop) for start, stop in page.blocks]
    ['One link.', 'Item']
    >>> page.words.tolist(), page.in_link.tolist()
    ([1, 1, 0, 1], [False, True, False, False])
    """

    def __init__(
        self, root: etree._Element, *, url: str | None = None, source: Source | None = None
    ) -> None:
        self.url = url
        """Address of the page, if known."""
        self.is_html = True
        """Whether the page holds markup. An image or JSON does not."""
        self.status: int | None = None
        """HTTP status of the response that it came with, if known."""
        self.reparsed = False
        """Whether the page was parsed again because the parser had dropped a part of it."""
        self.truncated = is_cut_short(root)
        """Whether a part of the page is missing because the parser dropped it or the page is too
        large."""
        self.over_budget = False
        """Whether only the beginning of the page was read because it has too many nodes."""
        self.read_again: Callable[[], Page] | None = None
        """Function that reads the page from its source again; ``None`` if it was made from a
        tree."""
        found = read_tree(root)
        whole = None if source is None else reparse_if_text_lost(source, found, self.truncated)
        if whole is not None:
            self.reparsed, self.truncated = True, is_cut_short(whole)
            root, found = whole, read_tree(whole)
        self.garbled = is_garbled(found.buffer)
        """Whether the page was decoded wrongly, judged by its characters."""
        self._take(root, found)
        self.source = ""
        """Where the text was found that the visible tree lacks; empty for almost all pages."""
        if may_hide_text(found) and (hidden := find_hidden(root, found, self.addresses)):
            self._show(hidden)

    def _take(self, root: etree._Element, found: Walk) -> None:
        super().__init__(root, readable_walk(found))
        self.screen_only = find_screen_only(self)
        """Elements of the page that are for the screen only; their text does not count."""
        if self.screen_only.size:
            inside = np.zeros(self.tag.size, dtype=bool)
            inside[self.screen_only] = True
            self._leave(~self.texts_inside(inside))

    def _show(self, hidden: Hidden) -> None:
        """Read the tree that shows a *hidden* text in place of the page's own."""
        for name in _COMPUTED & vars(self).keys():
            del vars(self)[name]
        self._take(hidden.root, read_tree(hidden.root, hidden.shows))
        self.source = hidden.source

    def hidden(self, phrases: Collection[str] = ()) -> list[HiddenText]:
        """Return the texts that scripts and templates hold, whatever the page shows.

        Scripts without any of the *phrases* are left out, if there are any.
        """
        return hidden_texts(self.root, phrases)

    def showing(self, text: HiddenText) -> Page:
        """Return this page with a hidden *text*, which it shows first."""
        shown = copy(self)
        shown._show(show(self.root, text))
        if self.read_again is not None:
            again = self.read_again
            shown.read_again = lambda: again().showing(text)
        return shown

    @cached_property
    def addresses(self) -> list[str]:
        """The page's address; where it is not known, those that the page declares.

        >>> Page.parse("<link rel=canonical href='https://a.example/b'><p>Text").addresses
        ['https://a.example/b']
        """
        if self.url:
            return [self.url]
        return [*filter(None, map(self.declared_address, ("canonical", "og:url")))]

    def declared_address(self, relation: str) -> str:
        """Return the first address that a ``link`` with this relation has; empty without one."""
        for names, address in self.links:
            if relation in names and relation in names.split() and (said := address.strip()):
                return said
        return ""

    @property
    def links(self) -> list[tuple[str, str]]:
        """The relations and the address of each ``link``, and so of ``og:url``."""
        return self.metas[2]

    @property
    def telling(self) -> dict[int, tuple[str, str]]:
        """Relation and address, by number, of links to authors, tags and licenses."""
        found: dict[int, tuple[str, str]] = self.declarations[2]
        return found

    @cached_property
    def declarations(self) -> tuple[Any, ...]:
        """What elements of the tree declare; see ``_declared_native``."""
        return declarations(self.root)

    @property
    def base_url(self) -> str:
        """The address that relative ones start from: that of the first ``base``, or the page's.

        >>> Page.parse("<base href=/c/><p>Text", url="https://a.example/b").base_url
        'https://a.example/c/'
        """
        url = self.url or ""
        url = url if len(url) <= _LONGEST_BASE else ""  # each link would take its length
        return (joined(url, self._base) if self._base else joined("", url)) or url

    @cached_property
    def _base(self) -> str:
        """What the first ``base`` element of some length says; empty if there is none."""
        bases = self.root.iter("{*}base") if self.may_have("base") else ()
        declared = next(filter(None, ((attribute_of(n, "href") or "").strip() for n in bases)), "")
        is_place = parts_of(declared).scheme in ("", "http", "https", "ftp", "file")
        return declared if is_place and len(declared) <= _LONGEST_BASE else ""

    @cached_property
    def notebook(self) -> dict[str, Any]:
        """What others note of this page while it is there; views of it begin an own one."""
        return {}

    @cached_property
    def block(self) -> Block | None:
        """What stands in place of the page's own text, ``None`` for nearly all pages."""
        return find_block(self, self.status) if self.is_html else None

    def unblocked(self) -> Page:
        """Return this page, of which nobody asks whether it is blocked."""
        page = copy(self)
        page.block, page.notebook = None, {}
        return page

    # -- constructors ------------------------------------------------------------------------

    @classmethod
    def parse(
        cls,
        html: bytes | str,
        *,
        url: str | None = None,
        encoding: str | None = None,
        max_nodes: int | None = MAX_NODES,
    ) -> Page:
        """Read bytes or text.

        The encoding of bytes comes from the first of these that is there: a byte order mark;
        *encoding*, which the HTTP header declares; UTF-8, if they are that but for few bytes;
        ``meta``; windows-1252 for western text; a guess by ``charset_normalizer``, which newer
        versions of Scrapy bring.

        Of a page with more than *max_nodes* tags the beginning is read; with ``None`` all of it.

        >>> Page.parse('<meta charset="gbk"><p>né'.encode()).buffer
        'né'
        """
        source, is_whole = _source_of(html, encoding, max_nodes)
        if source is None:
            page = cls.not_html(url)
        else:
            page = cls(parse_source(source), url=url, source=source)
            page.over_budget = not is_whole
            page.truncated |= page.over_budget
        page.read_again = partial(cls.parse, html, url=url, encoding=encoding, max_nodes=max_nodes)
        return page

    @classmethod
    def from_selector(
        cls, selector: Selector, *, url: str | None = None, source: str | Source | None = None
    ) -> Page:
        """Read the tree that *selector* has already parsed.

        *source* is the text that the selector was made from. With it, the page notices what the
        parser dropped, and reads that from the source.
        """
        root = selector.root
        is_page = isinstance(root, etree._Element)
        if isinstance(source, str):
            is_page = is_page and is_markup(source)
            source = read_source(source)
        if not is_page:
            return cls.not_html(url)
        return cls(root, url=url, source=source)

    @classmethod
    def not_html(cls, url: str | None = None) -> Page:
        """Return the page of something other than HTML: an image, JSON, plain text."""
        page = cls(etree.Element("html"), url=url)
        page.is_html = False
        return page

    def _leave(self, keep: Bool) -> None:
        starts, stops = self.text_start[~keep].tolist(), self.text_stop[~keep].tolist()
        texts = self.text_rows.copy()
        sizes = (self.text_stop - self.text_start) * ~keep
        texts[START : START + 2] -= cumulative(sizes)[:-1].astype(np.int32)
        pieces = map(slice, [0, *stops], [*starts, None])
        self.buffer = "".join([self.buffer[piece] for piece in pieces])
        self._set_rows(*keep_texts(self.element_rows, texts, keep))

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
        vars(view).update((n, v) for n, v in vars(self).items() if n not in _COMPUTED)
        view._leave(keep)
        return view


def _source_of(
    html: bytes | str, encoding: str | None, max_nodes: int | None
) -> tuple[Source | None, bool]:
    """Return what to parse, ``None`` if it is no markup, and whether it is all of *html*."""
    # Nothing else holds the decoded text, which would be there beside the tree.
    if isinstance(html, bytes):
        text, utf8 = decode(bytes(html), encoding)
    else:  # a subclass, such as the strings of lxml, is no argument for compiled code
        text, utf8 = str.__str__(html), None
    if not is_markup(text):
        return None, True
    beginning = truncate_to_tags(text, max_nodes)
    is_whole = beginning is text
    return read_source(beginning, utf8 if is_whole else None), is_whole


_COMPUTED = frozenset(
    name
    for base in Page.__mro__
    for name, value in vars(base).items()
    if isinstance(value, (cached_property, Read))
)


class PageReference:
    """Returns a page. Does not hold its tree if that can be read from the source again.

    A page made from a given tree is kept, because that tree cannot be read again.
    """

    __slots__ = ("_held", "_page", "_read_again", "_text", "is_same", "url")

    def __init__(self, page: Page) -> None:
        self._read_again = page.read_again
        self._held = page if self._read_again is None else None
        self._page = ref(page)
        again = self._read_again
        from_source = isinstance(again, partial) and again.func == Page.parse
        # What tells whether it changed; a tree that is kept is not read again, a source is a value.
        self._text = None if again is None or from_source else hash(page.buffer)
        self.url = page.url
        """Address of the page, ``None`` if it is not known."""
        self.is_same = True
        """Whether the page has the text that it had at first. It may not if it was read again and
        somebody had changed the tree of its response before."""

    @property
    def is_at_hand(self) -> bool:
        """Whether the page need not be read again."""
        return (self._held or self._page()) is not None

    def holds(self, page: Page) -> bool:
        """Return whether this very *page* is at hand."""
        return page is (self._held or self._page())

    def __call__(self) -> Page:
        page = self._held or self._page()
        if page is None:
            assert self._read_again is not None
            page = self._read_again()
            self._page = ref(page)
            self.is_same = self._text is None or hash(page.buffer) == self._text
        return page
