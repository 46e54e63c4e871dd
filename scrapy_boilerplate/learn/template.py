"""A page as the site learner sees it: blocks, their places, and what a method alone finds."""

from __future__ import annotations

import re
from array import array
from typing import Any
from weakref import WeakKeyDictionary, ref
from zlib import crc32

import numpy as np

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.caching import cached_property
from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page._elements_native import holders
from scrapy_boilerplate.core.page.arrays import Bool, Int, Int64, in_spans
from scrapy_boilerplate.core.page.tags import HEADINGS
from scrapy_boilerplate.learn.paths import Hashes
from scrapy_boilerplate.learn.selectors import find_nodes
from scrapy_boilerplate.learn.site_elements import NamedElements

_INLINE_DEPTH, _BOX_DEPTH = 16, 4  # elements around a text, around a headline, looked through
_LINKS_OF_HEADLINE = 2  # that to the text, and one to its section
USUAL_BLOCK = 15  # words from which on a block is a text rather than a label
_LEAST_TITLE = 4  # characters
_LONGEST_DATE = 30  # characters of it: two numbers or more, and at most a word
_TWO_NUMBERS, _LETTERS = re.compile(r"\d\D+\d"), re.compile(r"[^\W\d_]+")
_PART_OF_TITLE = 0.25  # of the title's characters that a block has which says a good part of it
_GIVEN_UP = 0.1  # confidence below which hardly any of the answer is content
SURE, FAIRLY_SURE = 0.9, 0.75  # that a page has a text of its own, that most of it was found


class TemplateView:
    """The blocks of a page, in document order, and their places on all pages: template paths."""

    def __init__(self, page: Page) -> None:
        self._page = ref(page)  # weak, since views are kept as long as their pages live
        self._kept: tuple[Bool, Bool, Int] | None = None
        # The last reading by a site's facts, the last page shown in place of this one, and what
        # each was made from; nothing in them holds the page.
        self.read: tuple[Any, ...] = ()
        self.shown: tuple[Any, Page | None] = None, None

    @property
    def page(self) -> Page:
        """The page. The caller must keep a reference to it."""
        page = self._page()
        if page is None:
            raise ReferenceError("the page of this view no longer exists")
        return page

    # -- texts -------------------------------------------------------------------------------

    def texts(self, blocks: Int) -> Hashes:
        """Return the hashes of the texts of blocks."""
        texts = [
            text.strip().encode("utf-8", "surrogatepass") for text in self.page.written(blocks)
        ]
        return np.array(array("L", map(crc32, texts)), dtype=np.uint32)

    @cached_property
    def words(self) -> Int:
        """Number of words of each block."""
        return self.page.per_block(self.page.words)

    @cached_property
    def words_before(self) -> Int:
        """Number of words before each block, and of all of them."""
        return cumulative(self.words)

    def kept(self, answer: Extraction) -> tuple[Bool, Int]:
        """Return which text nodes an *answer* keeps, and how many words of each block."""
        page, record = self.page, answer.recorded(self.page)
        if self._kept is None or self._kept[0] is not record.keep:  # asked several times
            kept = answer.kept(page)
            self._kept = record.keep, kept, page.per_block(page.words * kept)
        return self._kept[1:]

    @cached_property
    def matches_title(self) -> Bool:
        """Whether each block says what the document's title says, or a good part of it."""
        found = np.zeros(len(self.page.blocks), dtype=bool)
        letters, visible = len("".join(self._title.split())), self._visible
        fits = ((visible <= letters) & (visible >= _PART_OF_TITLE * letters)).nonzero()[0]
        if len(self._title) >= _LEAST_TITLE:
            found[fits] = self._are_in_title(self.page.written(fits))
        return found

    def opens_with_title(self, block: int) -> bool:
        """Return whether the first line of a block says a good part of the document's title."""
        if self.matches_title[block]:
            return True
        line = self.page.lay_out(*self.page.blocks[block].tolist()).partition("\n")[0]
        is_part = len(line) >= max(_LEAST_TITLE, _PART_OF_TITLE * len(self._title))
        return is_part and self._are_in_title([line])[0]

    @cached_property
    def _title(self) -> str:
        return self.page.title.casefold()

    def _are_in_title(self, texts: list[str]) -> list[bool]:
        title = self._title
        return [
            bool(first := text.split(None, 1))
            and first[0].casefold() in title  # which few begin with
            and " ".join(text.casefold().split()) in title
            for text in texts
        ]

    @cached_property
    def _visible(self) -> Int:
        """Number of visible characters of each block."""
        return self.page.per_block(self.page.visible)

    @cached_property
    def _unlinked(self) -> Int:
        """Number of visible characters of each block outside of links."""
        return self.page.per_block(self.page.visible * ~self.page.in_link)

    @cached_property
    def is_linked(self) -> Bool:
        """Whether all of each block is a link elsewhere, but for a date beside it."""
        unlinked: Bool = self._unlinked == 0
        return (unlinked | self._has_date_beside_link) & ~self.matches_title

    @property
    def _has_date_beside_link(self) -> Bool:
        page, outside = self.page, self._unlinked
        found = np.zeros(outside.size, dtype=bool)
        is_short = (outside > 0) & (outside <= _LONGEST_DATE) & (outside < self._visible)
        if not is_short.any():
            return found
        rows = is_short.nonzero()[0]
        for block, text in zip(rows.tolist(), self.page.written(rows), strict=True):
            if not _TWO_NUMBERS.search(text):
                continue
            start, stop = page.blocks[block].tolist()
            texts = start + (~page.in_link[start:stop]).nonzero()[0]
            text = " ".join(page.texts(texts))
            found[block] = bool(_TWO_NUMBERS.search(text)) and len(_LETTERS.findall(text)) < 2
        return found

    @cached_property
    def is_teaser(self) -> Bool:
        """Whether each block points elsewhere: it is a link, or a heading above it is one."""
        # An article element whose first heading is a link points elsewhere as a whole.
        # Below a heading of several links, a row of buttons or tabs, text that is no link itself
        # points nowhere; nor below one that repeats the document's title, or links to its own page.
        page, is_linked, unlinked = self.page, self.is_linked, self._unlinked
        is_heading = self._in_heading[page.blocks[:, 0]]
        if not (is_linked & is_heading).any():
            return is_linked
        first = page.first_text[self._links]
        links = page.per_block(np.bincount(first, minlength=page.text_at.size))
        above = cumulative(is_heading)[1:]
        rows = is_heading.nonzero()[0]
        headings = rows[above - 1]  # of the page's last one where none is above
        counts = (links <= _LINKS_OF_HEADLINE)[headings] | (2 * unlinked < self._visible)
        below = (above > 0) & is_linked[headings] & counts
        far = below & (self.words >= USUAL_BLOCK)
        if far.any():
            below[far] = ~self._is_after_box(headings[far], far.nonzero()[0])
        articles = page.filled(("article",)).nonzero()[0]
        if articles.size:
            spans = self.block_ranges(articles)
            begins = np.append(rows, is_heading.size - 1)[(above - is_heading)[spans[:, 0]]]
            below |= in_spans(spans[(begins < spans[:, 1]) & below[begins]], below.size)
        if 4 * unlinked[below].sum() > unlinked.sum():  # a list, or headings with anchors
            below &= ~(is_heading & self._links_to_itself)[headings]
        return is_linked | below

    def _is_after_box(self, headings: Int, blocks: Int) -> Bool:
        """Return which *blocks* stand after the box that holds their heading and a text."""
        # In an article, such a box points to another one.
        parent, own = self.page.parent, self.words[headings]
        at = np.maximum(parent[self.holders[headings]], 0)
        for _ in range(_BOX_DEPTH):
            first, after = self.page.blocks_in(at)
            is_bare = self.words_before[after] - self.words_before[first] - own < USUAL_BLOCK
            if not is_bare.any():
                break
            at = np.where(is_bare, np.maximum(parent[at], 0), at)
        is_after: Bool = ~is_bare & (blocks >= after)
        return is_after

    @cached_property
    def _in_heading(self) -> Bool:
        """Whether each text node stands in a heading."""
        return self.page.texts_inside(self.page.has_tag(HEADINGS))

    @cached_property
    def _links(self) -> Int:
        """Links with text."""
        return self.page.filled(("a",)).nonzero()[0]

    @cached_property
    def _links_to_itself(self) -> Bool:
        """Whether the text of each block begins in a link to a place of its own page."""
        page, links = self.page, self._links
        nodes = page.nodes(links[self._in_heading[page.first_text[links]]].tolist())
        is_own = np.zeros(page.tag.size, dtype=bool)
        is_own[[at for at, node in nodes if (node.get("href") or "#").startswith("#")]] = True
        return page.blocks_inside(is_own)

    # -- template paths ----------------------------------------------------------------------

    @cached_property
    def elements(self) -> NamedElements:
        """The page's elements by the names that they have on all pages of the site."""
        return NamedElements(self.page)

    @cached_property
    def holders(self) -> Int64:
        """Block-level element that holds each block."""
        page = self.page
        at = page.text_parent[page.blocks[:, 0]]
        return holders(at, page.parent, page.is_block.view(np.uint8), _INLINE_DEPTH)

    @cached_property
    def paths(self) -> Hashes:
        """Hash of each block's template path."""
        return self.elements.path_hashes(self.holders)

    @cached_property
    def path_set(self) -> frozenset[int]:
        """The hashes of all template paths."""
        return frozenset(self.paths.tolist())

    def path_names(self, blocks: Int) -> list[str]:
        """Return the template path of each block as labels joined by ``" > "``."""
        return self.elements.path_names(self.holders[blocks])

    # -- containers --------------------------------------------------------------------------

    def block_ranges(self, elements: Int) -> Int64:
        """Return rows of (first, after the last) block that start inside each element."""
        return np.column_stack(self.page.blocks_in(elements))

    def find(self, selector: str) -> Int:
        """Return the elements of a selector, a learned one or one of a person."""
        found = self.elements.find(selector)
        return find_nodes(self.page, selector) if found is None else found


_views: WeakKeyDictionary[Page, TemplateView] = WeakKeyDictionary()


def view_of(page: Page) -> TemplateView:
    """Return the view of *page*, made once."""
    view = _views.get(page)
    if view is None:
        view = _views[page] = TemplateView(page)
    return view


class SinglePageResult:
    """The single-page method's answer on a whole page; the method only runs when it is needed."""

    def __init__(self, page: Page, extractor: Extractor | None, known: Extraction | None) -> None:
        self._page = page
        self._extractor = extractor
        self._known = known

    @cached_property
    def extraction(self) -> Extraction:
        """Its answer; an empty one if there is neither an answer nor a method."""
        if self._known is None and self._extractor is not None:
            return self._extractor.extract(self._page)
        return self._known or Extraction("")

    @cached_property
    def kept(self) -> Bool:
        """Whether it kept each text node."""
        return view_of(self._page).kept(self.extraction)[0]

    @property
    def is_sure(self) -> bool:
        """Whether it is sure that the page is there for one text, which mostly is its own."""
        answer = self.extraction
        is_sure = answer.is_one_text and (answer.confidence or 0.0) >= SURE
        return is_sure and int(self.own_words.sum()) > self.pointing_words

    @property
    def is_guess(self) -> bool:
        """Whether it kept a text and does not say how sure it is."""
        return self.extraction.confidence is None and bool(self.kept.any())

    @cached_property
    def kept_blocks(self) -> Bool:
        """Whether it kept any text of each block, words or not."""
        return self._page.per_block(self.kept) > 0

    @cached_property
    def kept_words(self) -> Int:
        """How many words of each block it kept."""
        return view_of(self._page).kept(self.extraction)[1]

    @cached_property
    def own_words(self) -> Int:
        """How many words of each block it kept; 0 for blocks that point to other pages."""
        return self.kept_words * ~view_of(self._page).is_teaser

    @cached_property
    def pointing_words(self) -> int:
        """How many words it kept that point to other pages."""
        return int(self.kept_words.sum() - self.own_words.sum())

    def has_text(self, min_words: int) -> bool:
        """Return whether it found so many words, and fewer that point to other pages."""
        return int(self.own_words.sum()) >= max(min_words, self.pointing_words)

    @property
    def is_list(self) -> bool:
        """Whether it says so and points elsewhere: mostly, or at all if it has probabilities."""
        least = 0 if self.extraction.confidence is not None else int(self.own_words.sum())
        return self.extraction.kind == "list" and self.pointing_words > least

    def looks_like_list(self, min_words: int) -> bool:
        """Return whether the answer is hardly any text, mostly points elsewhere, or is a list."""
        return self.is_list or self.is_given_up or not self.has_text(min_words)

    def is_stub(self, min_words: int) -> bool:
        """Return whether the page neither has a text nor points elsewhere."""
        is_bare = self.is_given_up or int(self.kept_words.sum()) < min_words
        return is_bare and not view_of(self._page).is_teaser.any()

    @property
    def is_given_up(self) -> bool:
        """Whether it says itself that hardly any of its answer is content."""
        confidence = self.extraction.confidence
        return confidence is not None and confidence < _GIVEN_UP
