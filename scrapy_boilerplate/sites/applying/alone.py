"""What the single-page method finds on a whole page."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from scrapy_boilerplate.extraction import Extraction
from scrapy_boilerplate.extractors import Extractor
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.sites.arrays import Bools, Ints, in_spans
from scrapy_boilerplate.sites.template import TemplateView

__all__ = ["SURE", "Alone"]

SURE = 0.8
"""Confidence from which on a method's answer is believed against what the site's pages say."""


class Alone:
    """What the single-page method finds on a whole page; asked for only when it matters."""

    def __init__(self, page: Page, extractor: Extractor, known: Extraction | None) -> None:
        self._page = page
        self._extractor = extractor
        self._known = known

    @cached_property
    def extraction(self) -> Extraction:
        """Its answer."""
        return self._known or self._extractor.extract(self._page)

    @cached_property
    def kept(self) -> Bools:
        """Whether it kept each text node."""
        return in_spans((segment.span for segment in self.extraction.main), self._page.text_at.size)

    @property
    def confidence(self) -> float:
        """How sure it is of its answer; 0 if it does not say."""
        return self.extraction.confidence or 0.0

    @property
    def is_sure(self) -> bool:
        """Whether its answer is believed against what the site's pages say."""
        return self.confidence >= SURE

    @cached_property
    def sure_blocks(self) -> Bools:
        """Whether it kept each block and is sure of its answer."""
        if not self.is_sure:
            return np.zeros(len(self._page.blocks), dtype=bool)
        kept = self._kept_words
        sure: Bools = (kept > 0) & (2 * kept >= self._page.per_block(self._page.words))
        return sure

    @cached_property
    def _kept_words(self) -> Ints:
        """How many words of each block it kept."""
        return self._page.per_block(self._page.words * self.kept)

    def own_words(self, view: TemplateView) -> Ints:
        """Return for each block how many of its words were kept, if it points nowhere else."""
        words: Ints = self._kept_words * ~view.is_teaser
        return words
