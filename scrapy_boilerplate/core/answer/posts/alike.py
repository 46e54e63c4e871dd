"""Tells units of one make without any name: by the tags that lead down to their first text."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.core.answer.posts.evidence import PostEvidence
from scrapy_boilerplate.core.answer.posts.units import Units
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Bool, Int
from scrapy_boilerplate.core.page.elements import number_keys

MOST_STEPS = 16
"""Elements from a unit down to its first text that are looked at."""

_FACTOR = 1_000_003  # of a hash


def begin_as_most(page: Page, elements: Int) -> Bool:
    """Return for each of *elements* whether the way to its first text is that of most of them.

    >>> page = Page.parse("<ul><li><b>Ada</b><li><b>Bob</b><li>Cyn</ul>")
    >>> begin_as_most(page, np.flatnonzero(page.has_tag(("li",)))).tolist()
    [True, True, False]
    """
    begins = _beginnings(page, elements)
    found: Bool = begins == np.bincount(begins).argmax()
    return found


def with_first(evidence: PostEvidence, units: Units) -> Units:
    """Return *units* with the only one before them if it is like them: answers with a question."""
    page, own, dates = evidence.page, units.elements, evidence.dates
    beside = (page.parent == page.parent[own[0]]) & (page.tag == page.tag[own[0]])
    before = np.flatnonzero(beside[: own[0]] & (page.last_text > page.first_text)[: own[0]])
    if before.size != 1 or not beside[own].all():
        return units
    every = np.append(before, own)
    first, *others = _beginnings(page, every).tolist()
    found = Units.of(page, every, units.name)
    is_dated = dates[found.stops[0]] > dates[found.starts[0]]
    return found if is_dated and first in others else units


def with_answers(page: Page, units: Units) -> Units:
    """Return *units* with those like most of them that stand in them, as answers may."""
    is_own = np.zeros(page.tag.size, dtype=bool)
    is_own[units.elements] = True
    inside = (page.count_above(is_own) > 0) & (page.tag == page.tag[units.elements[0]])
    every = np.flatnonzero(inside & (page.last_text > page.first_text))
    begins, is_unit = _beginnings(page, every), is_own[every]
    every = every[is_unit | (begins == np.bincount(begins[is_unit]).argmax())]
    return Units.of(page, every, units.name)


def _beginnings(page: Page, elements: Int) -> Int:
    """Return a number for each of *elements*: for the tags from it down to its first text."""
    at = page.text_parent[page.first_text[elements]].astype(np.int64)
    keys = np.zeros(at.size, dtype=np.int64)
    for _ in range(MOST_STEPS):
        below = np.flatnonzero(at > elements)
        keys[below] = keys[below] * _FACTOR + page.tag[at[below]] + 1
        at[below] = page.parent[at[below]]
    return number_keys(keys)
