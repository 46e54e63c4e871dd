"""A run of the inspector: the page, other pages of its site, and the rules so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scrapy_boilerplate.core.methods import Extractor, get_extractor
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.learn.drift import section_of
from scrapy_boilerplate.learn.keys import KeyFunction, site_key
from scrapy_boilerplate.learn.learner import SiteLearner
from scrapy_boilerplate.learn.memory import StateStore
from scrapy_boilerplate.learn.options import LearningOptions
from scrapy_boilerplate.learn.samples import SAMPLE
from scrapy_boilerplate.learn.site_model import SiteModel
from scrapy_boilerplate.tools.inspector.page_view import Inspected, Known
from scrapy_boilerplate.tools.inspector.proposals import (
    changes,
    corrected,
    rules_so_far,
    save_rule,
    selectors_for,
)
from scrapy_boilerplate.tools.rows import InputPage


class Session:
    """The pages that are inspected, the first of which the user asked for.

    The pages of its site teach the site, unless a *store* knows it. *rules* is the path of the file
    of rules, which need not be there yet.
    """

    def __init__(
        self,
        pages: Sequence[InputPage],
        *,
        method: Extractor | None = None,
        key: str | KeyFunction = "host",
        rules: str = "site-rules.json",
        store: StateStore | None = None,
    ) -> None:
        self._method = method or get_extractor("auto")
        self._key, self._rules_path, self._store = site_key(key), rules, store
        first, *others = pages
        self.site = self._key(first.url or "")
        same: list[InputPage] = []
        elsewhere: list[InputPage] = []
        for page in others:
            (same if self._key(page.url or "") == self.site else elsewhere).append(page)
        self._elsewhere = tuple(page.name for page in elsewhere)
        more = [page for page in same if self.site and page.html != first.html]
        self.pages = [first, *spread(more, SAMPLE - 1)]
        self._others = len(more) + 1
        self._learned = self._learn()

    def _learn(self) -> SiteModel | None:
        learner = SiteLearner(LearningOptions(freeze_pages=SAMPLE), store=self._store)
        if not self.site:
            return None
        model = learner.model(self.site)
        if model is not None or len(self.pages) < 2:
            return model
        learner = SiteLearner(LearningOptions(freeze_pages=SAMPLE), key=self._key)
        for page in map(InputPage.parsed, self.pages):
            learner.observe(page, self._method.extract(page))
        return learner.model(self.site)

    def _known(self) -> Known | None:
        """Return what a crawl would use with the rules as they are in the file now."""
        if not self.site:
            return None
        rule, learned = rules_so_far(self._rules_path).get(self.site), self._learned
        if rule is None:
            return Known(self.site, learned, "learned" if learned is not None else "not known")
        if rule.is_learned:
            return Known(self.site, rule, "manual rule")
        state = "not learned" if learned is None else "learned"
        return Known(self.site, rule.added_to(learned), f"{state}, with a manual rule")

    # -- what is shown ---------------------------------------------------------------------------

    def inspected(self, number: int = 0) -> Inspected:
        page, name = self._read(number), self._page(number).name
        links = [(each.name, f"?page={at}") for at, each in enumerate(self.pages) if at != number]
        site = self._known()
        return Inspected(page, name, self._method, site, self._elsewhere, number, links)

    def _page(self, number: object) -> InputPage:
        if not isinstance(number, int) or not 0 <= number < len(self.pages):
            raise ValueError("this page does not exist")
        return self.pages[number]

    def _read(self, number: object) -> Page:
        """Return a page as it is shown, with the text that the site is known to hide."""
        page, known = self._page(number).parsed(), self._known()
        model = known.model if known is not None else None
        return page if model is None else model.shown(page, self._method)

    # -- rules -----------------------------------------------------------------------------------

    def selectors(self, *, page: int, start: int, stop: int) -> dict[str, Any]:
        return {"selectors": selectors_for(self._read(page), start, stop)}

    def effect(self, *, page: int, what: str, selector: str) -> dict[str, Any]:
        """Return how a rule would change the pages of the site; nothing is saved."""
        model = self._correctable().model or SiteModel(self.site)
        new = corrected(model, what, selector)
        pages = ((each.name, each.parsed()) for each in self.pages)
        rows = changes(
            (name, model.apply(page, self._method), new.apply(page, self._method))
            for name, page in pages
        )
        return {
            "pages": rows,
            "changed": len(rows),
            "total": len(self.pages),
            "of": self._others,
            "file": self._rules_path,
        }

    def save(self, *, page: int, what: str, selector: str) -> dict[str, Any]:
        self._correctable()
        save_rule(self._rules_path, self.site, what, selector)
        return {"message": f"Written to {self._rules_path}; a crawl reads it when it starts."}

    def _correctable(self) -> Known:
        known = self._known()
        if known is None:
            raise ValueError("the site is unknown because the page has no URL; use --url")
        return known


def spread(pages: Sequence[InputPage], most: int) -> list[InputPage]:
    """Return at most so many pages: of each section equally many, since it has a template."""
    sections: dict[int, list[InputPage]] = {}
    for page in pages:
        sections.setdefault(section_of(page.url or page.name), []).append(page)
    found: list[InputPage] = []
    for left, section in zip(
        range(len(sections), 0, -1), sorted(sections.values(), key=len), strict=True
    ):
        share = min(len(section), (most - len(found)) // left)
        found += [section[at * len(section) // share] for at in range(share)]
    return found
