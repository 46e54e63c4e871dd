"""A dump of pages: learn its sites from all of them, then extract all of them."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scrapy_boilerplate.extraction import Extraction
from scrapy_boilerplate.extractors import Extractor, get_extractor
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.sites.goldminer import GoldMiner
from scrapy_boilerplate.sites.keys import KeyFunction
from scrapy_boilerplate.sites.model import SiteModel
from scrapy_boilerplate.sites.options import LearningOptions
from scrapy_boilerplate.sites.samples import SiteSamples

__all__ = ["extract_site"]


def extract_site(
    pages: Iterable[tuple[str, bytes | str]],
    *,
    extractor: str | Extractor = "auto",
    learning: LearningOptions | None = None,
    key: str | KeyFunction = "host",
    rules: Mapping[str, SiteModel] | None = None,
    faithful: bool = False,
    **options: Any,
) -> Iterator[tuple[str, Extraction]]:
    """Yield (address, extraction) for each (address, html) of *pages*, in their order.

    First learns each site from a sample of its pages, which does not depend on their order, then
    applies the models to all pages. Keeps the pages compressed in between. *extractor* and
    *options* are the single-page method as for :func:`~scrapy_boilerplate.extract`. *learning* says
    when a model is used, *key* what counts as one site. *rules* are models written by hand.
    *faithful* uses the source's algorithm as it was published.

    >>> page = "<div class=post><p>{} has a text of its own.</div><p>Most read: rain in the north."
    >>> dump = [(f"https://a.example/{n}", page.format(n)) for n in ("One", "Two", "Three")]
    >>> short = LearningOptions(min_words=5)
    >>> [answer.text for _, answer in extract_site(dump, extractor="mss", learning=short)]
    ['One has a text of its own.', 'Two has a text of its own.', 'Three has a text of its own.']
    """
    method = get_extractor(extractor, **options)
    learner: SiteSamples | GoldMiner
    learner = GoldMiner(key=key) if faithful else SiteSamples(learning, key=key, rules=rules)
    kept = [_learned_from(learner, method, url, html) for url, html in pages]
    for url, packed, is_text in kept:
        data = zlib.decompress(packed)
        page = Page.parse(data.decode() if is_text else data, url=url)
        model = learner.model(learner.key(url))
        yield url, model.apply(page, method) if model else method.extract(page)


def _learned_from(
    learner: SiteSamples | GoldMiner, method: Extractor, url: str, html: bytes | str
) -> tuple[str, bytes, bool]:
    """Learn from a page; return its address, the page compressed, and whether it was text."""
    if isinstance(learner, GoldMiner) or learner.wants(url):
        page = Page.parse(html, url=url)
        learner.observe(page, method.extract(page))
    data = html.encode("utf-8", "replace") if isinstance(html, str) else bytes(html)
    return url, zlib.compress(data, 1), isinstance(html, str)
