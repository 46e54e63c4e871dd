"""Learning sites from a dump: a bounded sample of each site's pages, in any order."""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Iterator, Mapping
from gzip import GzipFile
from tempfile import TemporaryFile
from typing import Any

from tqdm import tqdm

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.methods import Extractor, get_extractor
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.learn.fingerprints import can_teach, page_id
from scrapy_boilerplate.learn.keys import KeyFunction, site_key
from scrapy_boilerplate.learn.options import FREEZE_PAGES, LearningOptions
from scrapy_boilerplate.learn.site_model import SiteModel, ruled_model
from scrapy_boilerplate.learn.site_state import SiteState

SAMPLE = 100  # pages of a site from which a dump is learned


class SiteSamples:
    """The fingerprints of a sample of each site's pages.

    Of each site the pages with the smallest ids, hashes of addresses, are remembered: a random
    sample, whatever the order or division of the pages, of bounded memory. Most other pages need
    not even be read (:meth:`wants`). Pages without an address belong to no site.
    """

    def __init__(
        self,
        options: LearningOptions | None = None,
        *,
        key: str | KeyFunction = "host",
        rules: Mapping[str, SiteModel] | None = None,
    ) -> None:
        self.options = options or LearningOptions(freeze_pages=SAMPLE)
        self.key = site_key(key)
        self._rules = dict(rules or {})
        self._states: dict[str, SiteState] = {}
        self._models: dict[str, SiteModel] = {}

    def wants(self, url: str | None) -> bool:
        """Return whether the page at *url* would be remembered if it has text."""
        site = self.key(url or "")
        state = self._states.get(site)
        if not site or state is None or len(state.fingerprints) < state.most:
            return bool(site)
        return page_id(url, "") <= max(state.fingerprints)

    def observe(self, page: Page, extraction: Extraction) -> None:
        """Sample a page, and what the single-page method found on it."""
        if self.wants(page.url):
            self.add(page.url or "", sample_of(page, extraction))

    def add(self, url: str, state: SiteState | None) -> None:
        """Add the page at *url*, as :func:`sample_of` has it."""
        if state is not None:
            self.merge(self.key(url), state)

    def merge(self, site: str, state: SiteState) -> None:
        """Add the sample of a site from another part of the dump."""
        self._states.setdefault(site, SiteState(self.options.freeze_pages)).merge(state)
        self._models.pop(site, None)

    def states(self) -> Iterator[tuple[str, SiteState]]:
        """Yield each site and its sample."""
        yield from self._states.items()

    @property
    def size(self) -> int:
        """Approximate bytes of memory."""
        return sum(state.size for state in self._states.values())

    def model(self, site: str) -> SiteModel | None:
        """Return what is learned of *site*, or of its parent domain, with the rule for it."""
        return ruled_model(site, self._useful, self._rules)

    def learned(self, site: str) -> SiteModel | None:
        """Return what the sample of *site* itself teaches; ``None`` without one."""
        if site in self._states and site not in self._models:
            self._models[site] = self._states[site].learn(site, self.options)
        return self._models.get(site)

    def _useful(self, site: str) -> SiteModel | None:
        model = self.learned(site)
        return model if model is not None and model.useful else None


def sample_of(page: Page, extraction: Extraction) -> SiteState | None:
    """Return the sample of a single page; ``None`` for one that can teach nothing."""
    state = SiteState()
    if can_teach(page, extraction):
        state.observe(page, extraction)
    return state if state.fingerprints else None


def storable(state: SiteState, model: SiteModel) -> SiteState:
    """Return the state as crawls keep it: learned, if there are enough pages for a crawl."""
    if len(state.fingerprints) < FREEZE_PAGES:
        return state
    learned = SiteState()
    learned.freeze(model)
    return learned


# -- a whole dump --------------------------------------------------------------------------------

_Page = tuple[str, "bytes | str"]


def extract_site(
    pages: Iterable[_Page],
    *,
    extractor: str | Extractor = "auto",
    learning: LearningOptions | None = None,
    key: str | KeyFunction = "host",
    rules: Mapping[str, SiteModel] | None = None,
    progress: bool = False,
    **options: Any,
) -> Iterator[tuple[str, Extraction]]:
    """Yield (address, extraction) for each (address, html) of *pages*, in their order.

    First learns each site from a sample of its pages, which does not depend on their order, then
    applies the models to all pages, one by one. Goes through *pages* twice if that is possible; an
    iterator, which can be read only once, is written compressed to a temporary file in between. So
    memory does not grow with the number of pages. *extractor* and *options* are the single-page
    method as for :func:`~scrapy_boilerplate.extract`. *learning* says when a model is used, *key*
    what counts as one site. *rules* are a person's, and add to that. *progress* shows on standard
    error how many pages were learned from and extracted, and the rate. Raises :exc:`ValueError` for
    an unknown extractor.

    >>> page = "<div class=post><p>{} has a text of its own.</div><p>Most read: rain in the north."
    >>> dump = [(f"https://a.example/{n}", page.format(n)) for n in ("One", "Two", "Three")]
    >>> short = LearningOptions(min_words=5)
    >>> [answer.text for _, answer in extract_site(dump, extractor="mss", learning=short)]
    ['One has a text of its own.', 'Two has a text of its own.', 'Three has a text of its own.']
    """
    method = get_extractor(extractor, **options)
    samples = SiteSamples(learning, key=key, rules=rules)
    with TemporaryFile() as file:
        is_once, number = iter(pages) is pages, 0
        with GzipFile(fileobj=file, mode="wb", compresslevel=1) as written:
            for url, html in tqdm(pages, "learn", unit=" pages", disable=not progress):
                if samples.wants(url):
                    page = Page.parse(html, url=url)
                    samples.observe(page, method.extract(page))
                number += 1
                if is_once:
                    plain = str(html) if isinstance(html, str) else bytes(html)
                    marshal.dump((str(url), plain), written)
        file.seek(0)
        written = GzipFile(fileobj=file)
        again = (marshal.load(written) for _ in range(number)) if is_once else iter(pages)
        for url, html in tqdm(again, "extract", number, unit=" pages", disable=not progress):
            page = Page.parse(html, url=url)
            model = samples.model(samples.key(url))
            yield url, model.apply(page, method) if model else method.extract(page)
