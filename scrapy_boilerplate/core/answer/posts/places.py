"""Finds where in each unit its text stands: at the same place in nearly all of them."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.core.answer.posts.owners import Owners
from scrapy_boilerplate.core.answer.posts.units import Units
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Int
from scrapy_boilerplate.core.page.elements import number_keys
from scrapy_boilerplate.core.page.tables import ranks

LEAST_UNITS = 3
"""Units in which places can be compared."""
LEAST_COMMON, LEAST_HELD = 0.75, 0.5
"""Share of units that have a place, and of the words around it that stand there."""
MOST_STEPS = 16
"""Elements from a unit down to its text."""

_BOXES = "div section article main td tr tbody table dd form blockquote".split()


def text_places(page: Page, units: Units, owners: Owners, words: Int) -> Int:
    """Return for each unit the element that holds its text, which may be the unit itself.

    *words* tells how many words of each text node count. The element is reached from the unit by
    the same steps as in other units: down to the box that holds most of what is around it, and so
    on. Linear in the page.
    """
    at = units.elements.astype(np.int64)
    if at.size < LEAST_UNITS:
        return at
    boxes = np.flatnonzero(owners.inside_units & page.has_tag(_BOXES))
    owner = owners.of_text[page.first_text[boxes]]
    held = owners.sums(words, owner, page.first_text[boxes], page.last_text[boxes])
    kind = _kind_among_siblings(page)[boxes]
    around = owners.sums(words, np.arange(at.size), units.starts, units.stops).sum()
    for _ in range(MOST_STEPS):
        below = np.flatnonzero(page.parent[boxes] == at[owner])
        if not below.size:
            break
        group = number_keys(kind[below])
        total = np.bincount(group, held[below])
        total[np.bincount(group) < LEAST_COMMON * at.size] = 0
        best = int(total.argmax())
        if total[best] < max(1, LEAST_HELD * around):
            break
        chosen, around = below[group == best], total[best]
        at[owner[chosen]] = boxes[chosen]
    return at


def _kind_among_siblings(page: Page) -> Int:
    """Return a number for the tag of each element and its place among siblings of that tag."""
    siblings = (page.parent + 1).astype(np.int64) * len(page.names) + page.tag
    return ranks(siblings) * len(page.names) + page.tag
