"""A dump of pages: learn its sites from all of them, then extract all of them."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sized
from gzip import GzipFile
from tempfile import TemporaryFile
from typing import Any, TypeVar

from tqdm import tqdm

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.methods import Extractor, get_extractor
from scrapy_boilerplate.core.names import unknown
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.learn.goldminer import GoldMiner
from scrapy_boilerplate.learn.keys import KeyFunction
from scrapy_boilerplate.learn.model import SiteModel
from scrapy_boilerplate.learn.options import LearningOptions
from scrapy_boilerplate.learn.samples import SiteSamples

LEARNERS = ("sites", "goldminer")
"""Names of the learners of a dump."""

T = TypeVar("T")
_Page = tuple[str, "bytes | str"]


def extract_site(
    pages: Iterable[_Page],
    *,
    extractor: str | Extractor = "auto",
    learning: LearningOptions | None = None,
    key: str | KeyFunction = "host",
    rules: Mapping[str, SiteModel] | None = None,
    learner: str = "sites",
    progress: bool = False,
    **options: Any,
) -> Iterator[tuple[str, Extraction]]:
    """Yield (address, extraction) for each (address, html) of *pages*, in their order.

    First learns each site from a sample of its pages, which does not depend on their order, then
    applies the models to all pages, one by one. Goes through *pages* twice if that is possible; an
    iterator, which can be read only once, is written compressed to a temporary file in between. So
    memory does not grow with the number of pages. *extractor* and
    *options* are the single-page method as for :func:`~scrapy_boilerplate.extract`. *learning* says
    when a model is used, *key* what counts as one site. *rules* are models written by hand.
    *learner* is ``sites``, ours, or ``goldminer``, the algorithm as it was published
    (:class:`GoldMiner`), which knows neither *learning* nor *rules*. *progress* shows on standard
    error how many pages were learned from and extracted, and the rate. Raises :exc:`ValueError` for
    an unknown learner or extractor.

    >>> page = "<div class=post><p>{} has a text of its own.</div><p>Most read: rain in the north."
    >>> dump = [(f"https://a.example/{n}", page.format(n)) for n in ("One", "Two", "Three")]
    >>> short = LearningOptions(min_words=5)
    >>> [answer.text for _, answer in extract_site(dump, extractor="mss", learning=short)]
    ['One has a text of its own.', 'Two has a text of its own.', 'Three has a text of its own.']
    """
    if options.pop("faithful", False):
        warnings.warn("faithful=True is now learner='goldminer'", DeprecationWarning, stacklevel=2)
        learner = "goldminer"
    method = get_extractor(extractor, **options)
    if learner not in LEARNERS:
        raise ValueError(unknown("learner", learner, LEARNERS))
    learns: SiteSamples | GoldMiner
    learns = (
        GoldMiner(key=key)
        if learner == "goldminer"
        else SiteSamples(learning, key=key, rules=rules)
    )
    with TemporaryFile() as file:
        is_once = iter(pages) is pages
        number = 0
        with GzipFile(fileobj=file, mode="wb", compresslevel=1) as written:
            for url, html in _shown(pages, "learn", progress):
                _learn_from(learns, method, url, html)
                number += 1
                if is_once:
                    pickle.dump((url, html), written)
        file.seek(0)
        again = _read(GzipFile(fileobj=file), number) if is_once else iter(pages)
        for url, html in _shown(again, "extract", progress, number):
            page = Page.parse(html, url=url)
            model = learns.model(learns.key(url))
            yield url, model.apply(page, method) if model else method.extract(page)


def _shown(items: Iterable[T], what: str, progress: bool, total: int | None = None) -> Iterator[T]:
    if not progress:
        return iter(items)
    if total is None and isinstance(items, Sized):
        total = len(items)
    return iter(tqdm(items, desc=what, total=total, unit=" pages"))


def _learn_from(
    learner: SiteSamples | GoldMiner, method: Extractor, url: str, html: bytes | str
) -> None:
    if isinstance(learner, GoldMiner) or learner.wants(url):
        page = Page.parse(html, url=url)
        learner.observe(page, method.extract(page))


def _read(file: GzipFile, number: int) -> Iterator[_Page]:
    """Yield the pages that were written to our own file."""
    for _ in range(number):
        yield pickle.load(file)
