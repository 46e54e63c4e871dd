"""Remembers which response an item came from, since item pipelines are not told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, WeakValueDictionary, ref

from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from scrapy_boilerplate.checks import check

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

    from scrapy_boilerplate.extensions import BoilerplateSiteLearning
    from scrapy_boilerplate.pipelines import Reading

__all__ = ["BoilerplateSpiderMiddleware", "Origin"]


class Origin:
    """A response, and what its items share."""

    def __init__(self, response: Response) -> None:
        self._response = ref(response)
        self.reading: Reading | None = None
        """The response's page, once an item has needed it."""
        self.items: dict[int, tuple[Any, int]] = {}
        """Items on their way to the pipeline by their identity, and how often each was yielded.
        They are held, so that no other object can get the same identity meanwhile."""

    @property
    def response(self) -> Response | None:
        """The response, or ``None`` if all its items are done."""
        return self._response()


_following: ContextVar[ref[Origin] | None] = ContextVar("boilerplate_following", default=None)
"""Where the item came from that is on its way through the item pipelines in this context."""


class BoilerplateSpiderMiddleware(BaseSpiderMiddleware):
    """Remembers the response of each item until :class:`BoilerplatePipeline` asks for it.

    Nothing keeps a response alive here: when Scrapy lets go of it, what was remembered goes too,
    taken or not.
    """

    ORDER = 10
    """Next to the engine, so that it sees the items as the other middlewares have left them."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        # The response owns its origin, which owns the items: no entry can outlive the response.
        self._origins: WeakKeyDictionary[Response, Origin] = WeakKeyDictionary()
        self._by_item: WeakValueDictionary[int, Origin] = WeakValueDictionary()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return the middleware, unless ``BOILERPLATE_ENABLED`` is false."""
        check(crawler)
        return cls(crawler)

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        """Remember an item that a callback has yielded; items of ``start()`` have no response.

        An item that shall wait for its site to be learned goes to the extension, for now.
        """
        if response is None:
            return item
        if self._learning is not None and self._learning.hold(item, response):
            return None
        self.remember(item, response)
        return item

    @cached_property
    def _learning(self) -> BoilerplateSiteLearning | None:
        # Imported late, since the extension imports this module; asked for late, since extensions
        # can be asked for only once the spider is open.
        from scrapy_boilerplate.extensions import BoilerplateSiteLearning

        return self.crawler.get_extension(BoilerplateSiteLearning)

    def remember(self, item: Any, response: Response) -> None:
        """Note that *item* came from *response*."""
        origin = self._origins.get(response)
        if origin is None:
            origin = self._origins[response] = Origin(response)
        times = origin.items.get(id(item), (item, 0))[1]
        origin.items[id(item)] = (item, times + 1)
        self._by_item[id(item)] = origin

    @contextmanager
    def following(self, item: Any) -> Iterator[None]:
        """Follow *item* through the item pipelines: whatever a pipeline makes of it, it is that."""
        origin = self._take(item)
        token = _following.set(ref(origin) if origin is not None else None)
        try:
            yield
        finally:
            _following.reset(token)

    def take(self, item: Any) -> Origin | None:
        """Return where *item* came from and forget it; ``None`` if nobody knows."""
        followed = _following.get()
        return self._take(item) or (followed() if followed is not None else None)

    def _take(self, item: Any) -> Origin | None:
        origin = self._by_item.get(id(item))
        if origin is None:
            return None
        times = origin.items[id(item)][1]
        if times > 1:
            origin.items[id(item)] = (item, times - 1)
        else:
            del origin.items[id(item)], self._by_item[id(item)]
        return origin
