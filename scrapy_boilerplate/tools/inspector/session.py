"""A run of the inspector: the page, what is known of its site, and the rules so far."""

from __future__ import annotations

import os
from typing import Any, get_args

from scrapy_boilerplate.core.methods import Extractor, get_extractor
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.learn.keys import KeyFunction, site_key
from scrapy_boilerplate.learn.rule_files import load_rules
from scrapy_boilerplate.learn.site_model import SiteModel
from scrapy_boilerplate.learn.stores import SiteStore
from scrapy_boilerplate.tools.inspector.page_view import Inspected, Known
from scrapy_boilerplate.tools.inspector.proposals import (
    What,
    changed_line,
    corrected,
    save_rule,
    selectors_for,
)


class Session:
    """A page that is inspected, and the *name* that its user gave it.

    *store* may know its site. *rules* is the path of the file of rules, which need not be there
    yet.
    """

    def __init__(
        self,
        page: Page,
        name: str,
        *,
        method: Extractor | None = None,
        key: str | KeyFunction = "host",
        rules: str = "site-rules.json",
        store: SiteStore | None = None,
    ) -> None:
        self._page, self._name, self._rules_path = page, name, rules
        self._method = method or get_extractor("auto")
        self.site = site_key(key)(page.url or "")
        self._learned = store.model(self.site) if store is not None and self.site else None

    def _known(self) -> Known | None:
        """Return what a crawl would use with the rules as they are in the file now."""
        if not self.site:
            return None
        rules = load_rules(self._rules_path) if os.path.exists(self._rules_path) else {}
        rule, learned = rules.get(self.site), self._learned
        if rule is None:
            return Known(self.site, learned, "learned" if learned is not None else "not known")
        if rule.is_learned:
            return Known(self.site, rule, "by hand")
        state = "not learned" if learned is None else "learned"
        return Known(self.site, rule.added_to(learned), f"{state}, corrected by hand")

    def inspected(self) -> Inspected:
        """Return what is shown."""
        return Inspected(self._shown(), self._name, self._method, self._known())

    def _shown(self) -> Page:
        """Return the page with the text that the site is known to hide."""
        known = self._known()
        model = known.model if known is not None else None
        return self._page if model is None else model.shown(self._page, self._method)

    # -- rules -----------------------------------------------------------------------------------

    def selectors(self, *, start: int, stop: int) -> dict[str, Any]:
        """Return selectors for a block."""
        return {"selectors": selectors_for(self._shown(), start, stop)}

    def effect(self, *, what: str, selector: str) -> dict[str, Any]:
        """Return how a rule would change the answer; nothing is saved."""
        model = self._correctable(what).model or SiteModel(self.site)
        new = corrected(model, _what(what), selector)
        before, after = (each.apply(self._page, self._method) for each in (model, new))
        return {
            "words": [len(each.text.split()) for each in (before, after)],
            "line": changed_line(before, after),
            "file": self._rules_path,
        }

    def save(self, *, what: str, selector: str) -> dict[str, Any]:
        """Write a rule to the file of rules."""
        self._correctable(what)
        save_rule(self._rules_path, self.site, _what(what), selector)
        return {"message": f"Written to {self._rules_path}; a crawl reads it when it starts."}

    def _correctable(self, what: str) -> Known:
        _what(what)
        known = self._known()
        if known is None:
            raise ValueError("the site is unknown because the page has no URL; use --url")
        return known


def _what(what: str) -> What:
    if what not in get_args(What):
        raise ValueError(f"{what!r} is neither 'drop' nor 'keep'")
    return what  # type: ignore[return-value]
