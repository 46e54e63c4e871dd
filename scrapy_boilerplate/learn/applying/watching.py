"""Compares the answers with and without a site's model, to notice when the site changes."""

from __future__ import annotations

from typing import NamedTuple

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.learn.applying.reading import read_page
from scrapy_boilerplate.learn.applying.single_page import SinglePageResult
from scrapy_boilerplate.learn.facts import SiteFacts


class ModelComparison(NamedTuple):
    """The differences between a site's model and the single-page method on a page."""

    is_lost: bool
    """Whether the model drops most of the text that the method found."""
    is_stranger: bool
    """Whether the page has enough text but none of the site's templates."""
    template: SiteFacts | None = None
    """The template that the page has."""


def compare(facts: SiteFacts, page: Page, extraction: Extraction) -> ModelComparison:
    """Compare what is known of a site with the method's *extraction* of one of its pages."""
    alone = SinglePageResult(page, None, extraction)
    own = alone.own_words
    total = int(own.sum())
    if not facts.useful or total < facts.min_words:
        return ModelComparison(False, False)
    place, part = read_page(facts, page, alone)
    if place is None:
        return ModelComparison(False, not alone.looks_like_list(facts.min_words))
    if part is None or part.place.kind in ("archive", "list"):
        return ModelComparison(False, False, place.facts)
    return ModelComparison(2 * int(own[part.inside].sum()) < total, False, place.facts)
