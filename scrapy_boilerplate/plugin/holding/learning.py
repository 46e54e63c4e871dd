"""Teaches sites from the pages whose items are held: when they come, and after a kill."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from scrapy_boilerplate.core.page import page_of

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.http import Response

    from scrapy_boilerplate.core.answer.extraction import Extraction
    from scrapy_boilerplate.core.methods import Extractor
    from scrapy_boilerplate.core.page import Page
    from scrapy_boilerplate.plugin.holding.held import Held
    from scrapy_boilerplate.plugin.reports import Reports


class SiteLearning(Protocol):
    """The interface that holding needs of the component that learns the sites."""

    def first_extractor(self, item: object, response: Response) -> Extractor | None:
        """Return the extractor that an item's first field would be filled with, if any would."""

    def learns(self, url: str) -> str | None:
        """Return the site of an address, if that is being learned."""

    def knows(self, site: str) -> bool:
        """Return whether any page of a site that is being learned is known."""

    def wants(self, page: Page) -> bool:
        """Return whether a page has something to teach."""

    def learn(self, page: Page, found: Extraction) -> None:
        """Learn from a page, and from what the method found on it alone."""

    def save(self, site: str) -> None:
        """Write what is known of a site to its store. Never raises."""


class HeldLearning:
    """Passes pages on to *learning*, if there is one. Reports errors: held items go on anyway."""

    def __init__(
        self,
        learning: SiteLearning | None,
        held: Held,
        spider: Spider,
        reports: Reports,
        max_nodes: int,
    ) -> None:
        self._learning = learning
        self._held = held
        self._spider = spider
        self._reports = reports
        self._max_nodes = max_nodes

    def __bool__(self) -> bool:
        """Return whether sites are learned at all."""
        return self._learning is not None

    def stop(self) -> None:
        """Learn nothing more, so that nothing more is held."""
        self._learning = None

    def site(self, url: str) -> str | None:
        """Return the site of an address, if that is being learned."""
        return self._learning.learns(url) if self._learning is not None else None

    def knows(self, site: str) -> bool:
        """Return whether any page of a site that is being learned is known."""
        return self._learning is not None and self._learning.knows(site)

    def extractor(self, item: object, response: Response) -> Extractor | None:
        """Return the extractor that an item's first field would be filled with, if any would."""
        return (
            self._learning.first_extractor(item, response) if self._learning is not None else None
        )

    def learn(self, site: str, number: int, page: Page, extractor: Extractor) -> None:
        """Learn from the page with that number, and keep what *extractor* found on it."""
        if self._learning is None:
            return
        try:
            if self._learning.wants(page):
                found = extractor.extract(page)
                self._learning.learn(page, found)
                self._held.keep(site, number, page, extractor, found)
        except Exception as error:
            self._reports.error(error, "SiteLearning", page.url)

    def catch_up(self, site: str) -> None:
        """Learn from what an earlier run held of a site, which may be missing in its store."""
        if self._learning is None:
            return
        store = self._held.store
        try:
            for left in self._held.leftovers.untaught(site):
                page = page_of(store.response(left.number, self._spider), self._max_nodes)
                found = store.found(left.number, page)
                if found is not None and self.site(page.url or ""):
                    self._learning.learn(page, found)
        except Exception as error:
            self._reports.error(error, "SiteLearning from the pages of an earlier run")

    def finish(self, site: str) -> None:
        """Learn all that is left of a site, and write it to the store."""
        self.catch_up(site)
        if self._learning is not None:
            self._learning.save(site)
