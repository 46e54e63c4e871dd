"""A person's corrections: text that is always or never content, wherever it stands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.answer.extraction import Extraction, Kind, Role
from scrapy_boilerplate.core.methods.base import Verdict
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.learn.facts import SiteRule
from scrapy_boilerplate.learn.selectors import find_nodes

_DROP, _KEEP = 1, 2


class Corrections:
    """Text nodes of a page that a rule keeps or drops.

    Of elements inside one another the inner one counts; an element that is both is dropped.
    """

    def __init__(self, page: Page, rule: SiteRule) -> None:
        self._page, self._rule = page, rule
        self._said = np.zeros(page.text_at.size, dtype=np.int8)
        elements = {}
        for what, selectors in ((_KEEP, rule.keep), (_DROP, rule.drop)):
            for selector in selectors:
                elements.update(dict.fromkeys(find_nodes(page, selector).tolist(), what))
        for element, what in sorted(elements.items()):  # outer elements come first
            self._said[page.first_text[element] : page.last_text[element]] = what

    def change(self, answer: Extraction) -> bool:
        """Return whether anything that an answer keeps or drops is not as the rule says."""
        kept = answer.kept(self._page)
        return bool(((self._said == _DROP) & kept).any() or ((self._said == _KEEP) & ~kept).any())

    def of(self, verdict: Verdict) -> Verdict:
        """Return a verdict as the rule has it; spans are split where that is needed."""
        said = self._said
        if not said.any():
            return verdict
        opens = np.zeros(said.size, dtype=bool)
        opens[verdict.spans[:, 0]] = True
        opens[1:] |= said[1:] != said[:-1]
        starts = np.flatnonzero(opens)
        spans = np.stack([starts, np.append(starts[1:], said.size)], axis=1)
        inner = np.searchsorted(verdict.spans[:, 0], starts, side="right") - 1
        ruled = said[starts]
        keep = np.where(ruled == 0, verdict.keep[inner], ruled == _KEEP)
        return replace(
            verdict,
            spans=spans,
            keep=keep,
            scores=verdict.scores[inner],
            reason=lambda number: self._reason(int(ruled[number])) or verdict.reason(inner[number]),
            roles=_roles(verdict, inner, keep),
            elements=None,
            kind="empty" if not keep.any() else _kind(verdict),
        )

    def _reason(self, said: int) -> str:
        if not said:
            return ""
        selectors = self._rule.keep if said == _KEEP else self._rule.drop
        what = "always kept" if said == _KEEP else "never kept"
        return f"{what} by the site's rule ({', '.join(selectors)})"


def _roles(verdict: Verdict, inner: NDArray[np.int64], keep: NDArray[np.bool_]) -> list[Role]:
    """Return the roles of the new spans: boilerplate exactly where nothing is kept."""
    roles: list[Role] = []
    for number, kept in zip(inner.tolist(), keep.tolist(), strict=True):
        role: Role = "body" if verdict.roles is None else verdict.roles[number]
        if kept == bool(verdict.keep[number]) and verdict.roles is not None:
            roles.append(role)
        elif kept:
            roles.append("body" if role in ("boilerplate", "navigation") else role)
        else:
            roles.append("boilerplate")
    return roles


def _kind(verdict: Verdict) -> Kind:
    return "article" if verdict.kind in (None, "empty", "not_html") else verdict.kind
