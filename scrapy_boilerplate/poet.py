"""A provider of scrapy-poet: callbacks and page objects ask for :class:`Extraction` by its type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from scrapy.http import Response
from scrapy_poet.page_input_providers import PageObjectInputProvider

from scrapy_boilerplate.api import extract
from scrapy_boilerplate.extraction import Extraction
from scrapy_boilerplate.settings import read

__all__ = ["ExtractionProvider"]


class ExtractionProvider(PageObjectInputProvider):
    """Provides the extraction of the response, by the project's extractor and its options.

    Enable it with ``SCRAPY_POET_PROVIDERS = {"scrapy_boilerplate.poet.ExtractionProvider": 500}``.
    """

    provided_classes = {Extraction}  # noqa: RUF012 -- as the base class declares it
    name = "scrapy_boilerplate"

    async def __call__(
        self, to_provide: set[Callable[..., Any]], response: Response
    ) -> Sequence[Extraction]:
        """Return the extraction of *response*."""
        settings = self.injector.crawler.settings
        extractor = read(settings, "BOILERPLATE_EXTRACTOR")
        options = read(settings, "BOILERPLATE_OPTIONS") or {}
        return [extract(response, extractor=extractor, **options)]
