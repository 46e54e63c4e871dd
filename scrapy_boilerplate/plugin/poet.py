"""Providers of scrapy-poet: callbacks and page objects ask for what a page says by its type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from scrapy.http import Request, Response
from scrapy_poet.page_input_providers import PageObjectInputProvider

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.caching import cached_property
from scrapy_boilerplate.plugin.pipelines import BoilerplatePipeline
from scrapy_boilerplate.plugin.zyte import fields_of, is_shipped

__all__ = ["ExtractionProvider", "ItemProvider"]


class _Provider(PageObjectInputProvider):
    """Extracts as the item pipeline does: with the spider's choices and the models of its sites."""

    @cached_property
    def _pipeline(self) -> BoilerplatePipeline:
        crawler = self.injector.crawler
        return crawler.get_item_pipeline(BoilerplatePipeline) or BoilerplatePipeline(crawler)


def _answering(request: Request, response: Response) -> Response:
    """Return *response* with its request, which Scrapy's engine notes after this."""
    if response.request is None:
        response.request = request
    return response


class ExtractionProvider(_Provider):
    """Provides the extraction of the response.

    Enable it with ``SCRAPY_POET_PROVIDERS = {"scrapy_boilerplate.plugin.poet.ExtractionProvider":
    500}``.
    """

    provided_classes = {Extraction}  # noqa: RUF012 -- as the base class declares it
    name = "scrapy_boilerplate"

    async def __call__(
        self, to_provide: set[Callable[..., Any]], request: Request, response: Response
    ) -> Sequence[Extraction]:
        return [await self._pipeline.extraction(_answering(request, response))]


class ItemProvider(_Provider):
    """Provides items of zyte-common-items, filled by the names of their fields.

    It takes the place of page objects that give the same items. Enable it with
    ``SCRAPY_POET_PROVIDERS = {"scrapy_boilerplate.plugin.poet.ItemProvider": 501}``.
    """

    name = "scrapy_boilerplate_items"

    def is_provided(self, type_: Callable[..., Any]) -> bool:
        return isinstance(type_, type) and is_shipped(type_) and bool(fields_of(type_))

    async def __call__(
        self, to_provide: set[Callable[..., Any]], request: Request, response: Response
    ) -> Sequence[Any]:
        response = _answering(request, response)
        return [
            await self._pipeline.fill(item_class(url=response.url), response)
            for item_class in to_provide
        ]
