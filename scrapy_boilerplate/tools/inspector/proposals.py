"""Rules that a click proposes: their selectors, their effect, and the file that they go to."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.answer.overlay import shortened
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.xpaths import smallest_nodes
from scrapy_boilerplate.learn.facts import SiteRule
from scrapy_boilerplate.learn.rule_files import dump_models, load_rules
from scrapy_boilerplate.learn.selectors import compile_selector, find_nodes
from scrapy_boilerplate.learn.site_model import SiteModel
from scrapy_boilerplate.tools.places import whole_file

_LEVELS_UP = 4  # of elements around a block for which selectors are proposed
_STEPS_OF_SELECTOR = 3  # of a selector: an element and those that hold it
_CLASSES_OF_STEP = 3  # of a step
_NAME = re.compile(r"[a-zA-Z_][\w-]*\Z", re.ASCII)
_MANY_DIGITS = re.compile(r"\d{3}")  # a name that is made for one page
_LONGEST_SAMPLE = 80  # characters of a text that changes


def selectors_for(page: Page, start: int, stop: int) -> list[tuple[str, int]]:
    """Return selectors for the element of the text nodes ``[start, stop)``, and those around it.

    Each comes with the number of elements that it selects on the page. First comes the path in the
    site's template, then the element alone.

    >>> page = Page.parse("<div class=story><p>Text<p class=ad>Buy it</div>")
    >>> selectors_for(page, 1, 2)
    [('div.story > p.ad', 1), ('/html/body/div/p[2]', 1), ('div.story', 1), ('/html/body/div', 1)]
    """
    if not 0 <= start < stop <= page.text_at.size:
        raise ValueError("the page does not contain this text")
    element = int(
        smallest_nodes(
            *(np.array([[start, stop]]), page.text_parent, page.parent),
            *(page.first_text, page.last_text, page.is_block),
        )[0]
    )
    at = int(page.text_parent[start]) if element < 0 else element
    found: dict[str, int] = {}
    for _ in range(_LEVELS_UP):
        if page.names[page.tag[at]] in ("html", "body"):
            break
        for selector in _selectors_of(page, at):
            found.setdefault(selector, int(find_nodes(page, selector).size))
        at = int(page.parent[at])
    return [(selector, count) for selector, count in found.items() if count]


def _selectors_of(page: Page, element: int) -> Iterator[str]:
    """Yield the selectors of one element: by names that pages share, then by its id or place."""
    steps: list[str] = []
    at = element
    while at >= 0 and len(steps) < _STEPS_OF_SELECTOR and (step := _step(page, at)):
        steps.append(step)
        at = int(page.parent[at])
    while steps and "." not in steps[-1]:  # the outermost step is one with a class
        steps.pop()
    if steps:
        yield " > ".join(reversed(steps))
    identifier = page.strings[page.id_id[element]]
    if _NAME.match(identifier):
        yield f"{page.names[page.tag[element]]}#{identifier}"
    else:
        yield page.xpath(element)


def _step(page: Page, element: int) -> str:
    """Return an element's name with classes that other pages have, too; "" for html and body."""
    name = page.names[page.tag[element]]
    if name in ("html", "body") or not _NAME.match(name):
        return ""
    classes = page.strings[page.class_id[element]].split()
    good = [each for each in classes if _NAME.match(each) and not _MANY_DIGITS.search(each)]
    return ".".join([name, *good[:_CLASSES_OF_STEP]])


def corrected(model: SiteModel, what: str, selector: str) -> SiteModel:
    """Return *model* with a selector more to ``drop`` or ``keep``; raise :exc:`ValueError`."""
    if what not in ("drop", "keep"):
        raise ValueError(f"{what!r} is neither 'drop' nor 'keep'")
    compile_selector(selector)
    rule, other = model.rule, "keep" if what == "drop" else "drop"
    both = {
        what: tuple(dict.fromkeys([*getattr(rule, what), selector])),
        other: tuple(each for each in getattr(rule, other) if each != selector),
    }
    return replace(model, rule=replace(rule, **both))


def rules_so_far(path: str) -> dict[str, SiteModel]:
    """Read a file of rules, which need not be there; raise :exc:`ValueError`."""
    return load_rules(path) if os.path.exists(path) else {}


def save_rule(path: str, site: str, what: str, selector: str) -> None:
    """Add a selector to a file of rules; raise :exc:`ValueError`."""
    models = rules_so_far(path)
    model = models.get(site) or SiteModel(site, rule=SiteRule())
    models[site] = corrected(model, what, selector)
    text = dump_models(models.values())
    with whole_file(path) as file:
        file.write(f"{text.rstrip()}\n".encode())


def changes(pages: Iterable[tuple[str, Extraction, Extraction]]) -> list[tuple[str, int, int, str]]:
    """Return of each page that changes the name, words before and after, and a line of it."""
    rows = []
    for name, before, after in pages:
        old, new = Counter(_lines(before)), Counter(_lines(after))
        differing = [*(old - new), *(new - old)]
        if differing:
            words = len(before.text.split()), len(after.text.split())
            rows.append((name, *words, shortened(differing[0], _LONGEST_SAMPLE)))
    return rows


def _lines(answer: Extraction) -> list[str]:
    return [line for line in answer.text.splitlines() if line.strip()]
