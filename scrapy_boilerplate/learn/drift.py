"""Watches a learned site as long as it is crawled: new templates, and whether the model fits."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, NamedTuple

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.learn.applying.matching import read_page
from scrapy_boilerplate.learn.applying.single_page import SinglePageResult
from scrapy_boilerplate.learn.facts import SiteFacts
from scrapy_boilerplate.learn.model import SiteModel
from scrapy_boilerplate.learn.model_cache import ModelCache
from scrapy_boilerplate.learn.options import LearningOptions
from scrapy_boilerplate.learn.sketch import draw, page_id
from scrapy_boilerplate.learn.state import SiteState
from scrapy_boilerplate.learn.template import view_of

Event = Literal["frozen", "extended", "relearning"]
"""The effect of an observed page: the site is now learned, its model has got further templates, or
it is out of date."""

PATIENCE = 2
"""Learning waits for more pages until so many times the remembered ones were seen."""

_MOST_MISSING = 0.4  # share of the pages that may lack the container, on any site
_MOST_DOUBLINGS = 6  # of the pages between two checks, for a site that is learned in vain
_DRIFT_PENALTY = 1000  # added by a page that loses most of what the method found on it
_ALLOWED = 250  # taken off by each page, and more where that was usual while the site was learned
_MOST_ALLOWED = 600  # so that no more than 20 such pages in a row are needed
_MOST_DRIFT = 8000  # from which on a site is learned again


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
    place, evidence = read_page(facts, page, alone)
    if place is None:
        return ModelComparison(False, not alone.looks_like_list(facts.min_words))
    if evidence is None or evidence.place.kind in ("archive", "list"):
        return ModelComparison(False, False, place.facts)
    return ModelComparison(2 * int(own[evidence.in_article].sum()) < total, False, place.facts)


def remember(state: SiteState, page: Page, extraction: Extraction) -> None:
    """Remember a page and which of its text a method kept."""
    drawn = draw(view_of(page), extraction.main_spans, state.names)
    state.add(page_id(page.url, page.buffer), *drawn)


def _expected(model: SiteModel) -> int:
    """Return what a page takes off the drift of a model."""
    return min(_ALLOWED + round(_DRIFT_PENALTY * model.elsewhere), _MOST_ALLOWED)


class DriftMonitor:
    """Compares each page of a learned site with the model of the site."""

    def __init__(self, options: LearningOptions, models: ModelCache, worker: int) -> None:
        self._options, self._models, self._worker = options, models, worker

    def see(self, site: str, state: SiteState, page: Page, extraction: Extraction) -> Event | None:
        """Compare a page with the model of its site.

        Strangers teach further templates. A site whose pages lose what the method found on them,
        or lack the container, is learned again; so is one from which nothing could be learned. Each
        failure doubles the pages until the next attempt.
        """
        model = self._models.get(site, state)
        seen = compare(model, page, extraction)
        added = _DRIFT_PENALTY * seen.is_lost - _expected(model)
        pages, misses = state.watch(self._worker, missed=seen.is_stranger, drift=added)
        if state.drift(self._worker) >= _MOST_DRIFT:
            return self._restart(site, state)
        if self._teaches(site, state, seen):
            remember(state, page, extraction)
            if self._extend(site, state):
                return "extended"
        return self._check(site, state, pages, misses)

    def _teaches(self, site: str, state: SiteState, seen: ModelComparison) -> bool:
        """Return whether a page has no template, or one that more pages may change."""
        unsettled = self._models.unsettled(site, state)
        return seen.is_stranger or any(seen.template is each for each in unsettled)

    def _check(self, site: str, state: SiteState, pages: int, misses: int) -> Event | None:
        """Check from time to time how many pages lack the container."""
        if pages < self._options.drift_pages << min(state.restarts, _MOST_DOUBLINGS):
            return None
        model = self._models.get(site, state)
        most = min(model.missing + self._options.drift_share, _MOST_MISSING)
        if model.useful and misses <= most * pages:
            state.passed()
            return None
        return self._restart(site, state)

    def _restart(self, site: str, state: SiteState) -> Event:
        state.restart()
        self._models.drop(site)
        return "relearning"

    def _extend(self, site: str, state: SiteState) -> bool:
        """Let the strangers become part of the model when there are enough; tell whether they did.

        Strangers that have nothing in common are forgotten in the end, to make room for others.
        """
        most = self._options.freeze_pages
        if len(state.sketches) < most:
            return False
        is_stale = state.distinct >= PATIENCE * most
        if not is_stale and not self._models.unsettled(site, state):
            return False
        model, covered = state.extended(site, self._options)
        if not covered:
            state.forget_strangers()
            return False
        state.extend(replace(model, strangers=0), covered)
        return True
