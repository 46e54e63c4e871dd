"""Samples of sites from pages that may crash or hang."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from scrapy_boilerplate.extractors import Extractor
from scrapy_boilerplate.isolation import IsolatedPool, Lost
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.page.budget import MAX_NODES
from scrapy_boilerplate.sites.samples import SiteSamples, sketched
from scrapy_boilerplate.sites.state import SiteState

__all__ = ["PageSampler", "PageSketches"]

_Page = tuple["bytes | str | None", "str | None", "str | None"]  # HTML, address, encoding


class PageSketches:
    """Makes the sketches of pages. A callable that another process can make for itself."""

    def __init__(self, method: Extractor) -> None:
        self._method = method
        method.extract(Page.parse("<p>A page, so that the models are loaded."))

    def __call__(self, page: _Page) -> SiteState | None:
        """Return the sample of one page; ``None`` if there is nothing to learn from it."""
        html, url, encoding = page
        if html is None:
            return None
        read = Page.parse(html, url=url, encoding=encoding, max_nodes=MAX_NODES)
        return sketched(read, self._method.extract(read))


class PageSampler:
    """Samples pages, each read in one of *processes*; those that fail there are left out.

    Close it, or use it in a ``with`` statement.
    """

    def __init__(
        self, method: Extractor, *, processes: int, seconds: float, memory: int | None
    ) -> None:
        self._pool = IsolatedPool(
            PageSketches, method, processes=processes, seconds=seconds, memory=memory
        )

    def __enter__(self) -> PageSampler:
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.close()

    def sample(self, pages: Iterable[_Page], samples: SiteSamples) -> None:
        """Add pages, (HTML, address, encoding that HTTP declares), to *samples*."""
        addresses: deque[str] = deque()

        def wanted() -> Iterator[_Page]:
            for html, url, encoding in pages:
                if url is not None and samples.wants(url):
                    addresses.append(url)
                    yield html, url, encoding

        for state in self._pool.map(wanted()):
            url = addresses.popleft()
            if not isinstance(state, Lost):
                samples.add(url, state)
