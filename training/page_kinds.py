"""The forests that tell kinds of pages: what they are trained on, and what each page counts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import lightgbm
import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.auto.declarations import ADDRESS, MARKUP
from scrapy_boilerplate.core.auto.features import FEATURES
from scrapy_boilerplate.core.auto.forest import Forest
from scrapy_boilerplate.core.auto.kinds import KINDS, MEASURES, PageKind
from scrapy_boilerplate.core.auto.model import all_names
from training.examples import Example
from training.forests import PAGE_TREES, even_forest, forest_of

LISTS = ("listing", "collection", "index")  # page types that are lists of texts

DOCUMENTATION = (
    *("hexo-docs-ru", "hexo-docs-ko", "libreoffice-help-hu", "aptitude-ru", "flink-zh"),
    *("debian-handbook-fr", "debian-handbook-pl", "debian-handbook-ar"),
)
"""Sites of ``sites`` whose articles are documentation, as its README says."""

TREES = PAGE_TREES | {"num_leaves": 8}

PAGE_NAMES = tuple(name for name in FEATURES if name.startswith("page_"))
"""The features that all blocks of a page share."""
OF_PAGE = ("runs", "longest_run", "expected", "most", "mean", "likely", "doubt")
OF_ANSWER = (*MARKUP, *OF_PAGE, *MEASURES)
COLUMNS: dict[PageKind, Sequence[str]] = {
    "list": OF_ANSWER,
    "product": OF_ANSWER,
    "documentation": [name for name in PAGE_NAMES if name not in ADDRESS],
}
"""What each forest sees. Measures of the whole page mislead where lists are told on other sets;
documentation is told by nothing else. The address is left out: a page is of the same kind with it
and without."""

ARTICLES_OF_OTHER_SETS: dict[PageKind, float] = {"list": 0.3, "product": 0.5, "documentation": 0.5}
BESIDE_INDEX, MADE_LIST, MADE_ARTICLE = 3.0, 0.4, 0.6
"""How much a page counts where lists are told: an article beside index pages of its site, a made
list, and an article with a list made below it."""


BEFORE: dict[str, tuple[Sequence[str], Sequence[str]]] = {
    "list": (LISTS, PAGE_NAMES),
    "thread": (("forum",), [name for name in PAGE_NAMES if name != "page_attribute_sum"]),
}
"""What is told of a page before its blocks are judged: the page types that it is, and the columns
that tell it, the first ones of ``all_names``."""


def train_before(
    told: str, pages: Sequence[Any], parts: Sequence[NDArray[Any]], rounds: int, seed: int
) -> Forest:
    """Train a forest that tells a page before its blocks are judged, on sets with page types.

    *parts* has the features of the blocks of each page. Sets of nothing but articles count less
    where lists are told, articles beside index pages of their site more.
    """
    types, names = BEFORE[told]
    known = [number for number, page in enumerate(pages) if page.kind != "page"]
    if not known:
        return even_forest()
    is_it = np.array([float(pages[number].kind in types) for number in known])
    weights = np.ones(len(known))
    if told == "list":
        with_index = {page.source for page in pages if page.kind == "index"}
        weights = np.array([_weight_before(pages[number], with_index) for number in known])
    facts = np.array([parts[number][0] for number in known])
    return _grow(facts, names, is_it, weights, rounds, PAGE_TREES | {"seed": seed})


def _weight_before(page: Example, with_index: Collection[str]) -> float:
    if page.kind != "article" or page.at_home:
        return 1.0
    return 3.0 if page.source in with_index else 0.3


def _grow(
    facts: NDArray[Any],
    names: Sequence[str],
    is_it: NDArray[Any],
    weights: NDArray[Any],
    rounds: int,
    trees: dict[str, Any],
) -> Forest:
    """Grow a forest on the columns of these *names*."""
    columns = [all_names().index(name) for name in names]
    counted = np.flatnonzero(weights)
    seen = facts[counted][:, columns]
    data = lightgbm.Dataset(seen, is_it[counted], weight=weights[counted], params=trees)
    forest = forest_of(lightgbm.train(trees, data, rounds))
    return forest._replace(feature=np.array(columns, dtype=np.int32)[forest.feature])


def kind_of_page(page: Example) -> str:
    """Return the page type of a page: documentation of ``sites``, too."""
    is_documentation = page.kind == "article" and page.site in DOCUMENTATION
    return "documentation" if is_documentation else page.kind


def train_kinds(
    pages: Sequence[Example], rows: Sequence[NDArray[Any]], rounds: int, seed: int
) -> tuple[Forest, ...]:
    """Train a forest for each of the kinds; *rows* has the columns of ``all_names`` by page."""
    known = [number for number, page in enumerate(pages) if page.kind != "page"]
    if not known:
        return (even_forest(),) * len(KINDS)
    chosen, facts = [pages[number] for number in known], np.array([rows[n] for n in known])
    return tuple(_train(kind, chosen, facts, rounds, seed) for kind in KINDS)


def _train(
    kind: PageKind, pages: Sequence[Example], facts: NDArray[Any], rounds: int, seed: int
) -> Forest:
    wanted = LISTS if kind == "list" else (kind,)
    with_index = {page.source for page in pages if page.kind == "index" and not page.made}
    is_it = np.array([float(kind_of_page(page) in wanted) for page in pages])
    weights = np.array([_weight(kind, page, with_index) for page in pages])
    return _grow(facts, COLUMNS[kind], is_it, weights, rounds, TREES | {"seed": seed})


def _weight(kind: PageKind, page: Example, with_index: Collection[str]) -> float:
    """Return how much a page counts where pages of a *kind* are told."""
    if page.made:
        made = MADE_LIST if page.kind == "index" else MADE_ARTICLE
        return made if kind == "list" else 0.0
    if page.at_home or kind_of_page(page) in (kind, "index"):
        return 1.0
    if kind == "list" and page.source in with_index:
        return BESIDE_INDEX
    return ARTICLES_OF_OTHER_SETS[kind]
