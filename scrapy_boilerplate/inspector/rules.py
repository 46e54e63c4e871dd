"""Rules that a click proposes: their selectors, their effect, and the file that they go to."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from scrapy_boilerplate.extraction import Extraction
from scrapy_boilerplate.overlay import shortened
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.page.xpaths import smallest_nodes
from scrapy_boilerplate.sites.facts import SiteRule
from scrapy_boilerplate.sites.model import SiteModel
from scrapy_boilerplate.sites.rules import dump_models, load_rules
from scrapy_boilerplate.sites.selectors import compile_selector, find_nodes

__all__ = ["Change", "What", "change_of", "corrected", "save_rule", "selectors_for"]

What = Literal["drop", "keep"]
"""What a rule says of an element: it is never kept, or always."""

_LEVELS = 4  # of elements around a block for which selectors are proposed
_STEPS = 3  # of a selector: an element and those that hold it
_NAME = re.compile(r"[a-zA-Z_][\w-]*\Z", re.ASCII)
_MANY_DIGITS = re.compile(r"\d{3}")  # a name that is made for one page
_SAMPLE = 80  # characters of a text that changes


class Change(NamedTuple):
    """How a rule changes one page."""

    before: int
    """Words that are kept without it …"""
    after: int
    """… and with it."""
    sample: str
    """The beginning of a text that it drops or keeps; empty if nothing changes."""


def selectors_for(page: Page, start: int, stop: int) -> list[tuple[str, int]]:
    """Return selectors for the element of the text nodes ``[start, stop)``, and those around it.

    Each comes with the number of elements that it selects on the page. First comes the path in the
    site's template, then the element alone.

    >>> page = Page.parse("<div class=story><p>Text<p class=ad>Buy it</div>")
    >>> selectors_for(page, 1, 2)
    [('div.story > p.ad', 1), ('/html/body/div/p[2]', 1), ('div.story', 1), ('/html/body/div', 1)]
    """
    if not 0 <= start < stop <= page.text_at.size:
        raise ValueError("the page has no such text")
    element = int(
        smallest_nodes(
            *(np.array([[start, stop]]), page.text_parent, page.parent),
            *(page.first_text, page.last_text, page.is_block),
        )[0]
    )
    at = int(page.text_parent[start]) if element < 0 else element
    found: dict[str, int] = {}
    for _ in range(_LEVELS):
        if page.names[page.tag[at]] in ("html", "body"):
            break
        for selector in _selectors_of(page, at):
            found.setdefault(selector, int(find_nodes(page, selector).size))
        at = int(page.parent[at])
    return [(selector, count) for selector, count in found.items() if count]


def _selectors_of(page: Page, element: int) -> Iterator[str]:
    """Yield the selectors of one element: by names that pages share, by its id, by its place."""
    steps: list[str] = []
    at = element
    while at >= 0 and len(steps) < _STEPS:
        name = page.names[page.tag[at]]
        if not _NAME.match(name) or name in ("html", "body"):
            break
        classes = page.strings[page.class_id[at]].split()
        good = [each for each in classes if _NAME.match(each) and not _MANY_DIGITS.search(each)]
        steps.append(".".join([name, *good[:3]]))
        if good:
            break
        at = int(page.parent[at])
    if "." in "".join(steps):
        named = [number for number, step in enumerate(steps) if "." in step]
        yield " > ".join(reversed(_with_holder(page, element, steps[: named[-1] + 1])))
    identifier = page.strings[page.id_id[element]]
    if _NAME.match(identifier):
        yield f"{page.names[page.tag[element]]}#{identifier}"
    else:
        yield page.xpath(element)


def _with_holder(page: Page, element: int, steps: list[str]) -> list[str]:
    """Return *steps* with one more for the element that holds them, if it has a class."""
    at = element
    for _ in steps:
        at = int(page.parent[at])
    if at < 0 or len(steps) >= _STEPS:
        return steps
    name = page.names[page.tag[at]]
    classes = page.strings[page.class_id[at]].split()
    good = [each for each in classes if _NAME.match(each) and not _MANY_DIGITS.search(each)]
    return [*steps, ".".join([name, *good[:3]])] if good and _NAME.match(name) else steps


def corrected(model: SiteModel, what: What, selector: str) -> SiteModel:
    """Return *model* with one more selector of what is never or always kept.

    Raises :exc:`ValueError` for a selector that cannot be read.
    """
    compile_selector(selector)
    other: What = "keep" if what == "drop" else "drop"
    rule = model.rule
    return replace(
        model,
        rule=replace(
            rule,
            **{
                what: tuple(dict.fromkeys([*getattr(rule, what), selector])),
                other: tuple(each for each in getattr(rule, other) if each != selector),
            },
        ),
    )


def change_of(before: Extraction, after: Extraction) -> Change:
    """Return how two answers for one page differ."""
    old, new = Counter(_texts(before)), Counter(_texts(after))
    differing = [*(old - new), *(new - old)]
    sample = shortened(differing[0], _SAMPLE) if differing else ""
    return Change(len(before.text.split()), len(after.text.split()), sample)


def _texts(answer: Extraction) -> list[str]:
    return [line for line in answer.text.splitlines() if line.strip()]


def save_rule(path: str, site: str, what: What, selector: str) -> None:
    """Add a selector to the rule of a site in a file of rules, which need not be there yet.

    The file is replaced as a whole, so that nobody reads half of it. Comments in a YAML file are
    lost. Raises :exc:`ValueError` for a file that holds no rules.
    """
    models = load_rules(path) if os.path.exists(path) else {}
    model = models.get(site) or SiteModel(site, rule=SiteRule())
    models[site] = corrected(model, what, selector)
    format = "yaml" if path.endswith((".yaml", ".yml")) else "json"
    text = dump_models(models.values(), format)
    beside = Path(f"{path}.new")
    beside.write_text(text if text.endswith("\n") else f"{text}\n", encoding="utf-8")
    beside.replace(path)


def changes(
    pages: Sequence[tuple[str, Extraction, Extraction]],
) -> list[tuple[str, int, int, str]]:
    """Return a row for each page that changes: its name, words before and after, a sample."""
    rows = ((name, change_of(before, after)) for name, before, after in pages)
    return [(name, *change) for name, change in rows if change.sample]
