"""The answer of the single-page method on a whole page."""

from __future__ import annotations

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.caching import cached_property
from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Bool, Int
from scrapy_boilerplate.learn.template import view_of

SURE, FAIRLY_SURE = 0.9, 0.75
"""Confidence from which on the method is believed that a page has a text of its own, and that it
has found most of it."""


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
        return self.extraction.kept(self._page)

    @property
    def is_sure(self) -> bool:
        """Whether it is sure that the page is there for one text, which mostly is its own."""
        answer = self.extraction
        is_sure = answer.is_one_text and (answer.confidence or 0.0) >= SURE
        return is_sure and int(self.own_words.sum()) > self.pointing_words

    @property
    def is_fairly_sure(self) -> bool:
        """Whether it is sure enough to have found most of the text."""
        return (self.extraction.confidence or 0.0) >= FAIRLY_SURE

    @cached_property
    def kept_blocks(self) -> Bool:
        """Whether it kept any text of each block, words or not."""
        kept: Bool = self._page.per_block(self.kept) > 0
        return kept

    @cached_property
    def kept_words(self) -> Int:
        """How many words of each block it kept."""
        return view_of(self._page).kept_words(self.extraction)

    @cached_property
    def own_words(self) -> Int:
        """How many words of each block it kept; 0 for blocks that point to other pages."""
        words: Int = self.kept_words * ~view_of(self._page).is_teaser
        return words

    @cached_property
    def pointing_words(self) -> int:
        """How many words it kept that point to other pages."""
        return int(self.kept_words.sum() - self.own_words.sum())

    def has_text(self, min_words: int) -> bool:
        """Return whether it found so many words, and fewer that point to other pages."""
        return int(self.own_words.sum()) >= max(min_words, self.pointing_words)

    @property
    def is_list(self) -> bool:
        """Whether it says so, and has probabilities or an answer that mostly points elsewhere."""
        is_believed = self.extraction.confidence is not None
        is_believed = is_believed or self.pointing_words > int(self.own_words.sum())
        return self.extraction.kind == "list" and is_believed

    def looks_like_list(self, min_words: int) -> bool:
        """Return whether the answer is hardly any text, mostly points elsewhere, or is a list."""
        return self.is_list or not self.has_text(min_words)
