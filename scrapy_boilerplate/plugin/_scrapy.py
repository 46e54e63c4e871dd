"""The undocumented parts of Scrapy that we use. All of them are here; test_project.py lists them.

If Scrapy has moved something, a function does without it where that is safe.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from types import FunctionType
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import Deferred

_PARSE = "scrapy.commands.parse"


def is_closing(crawler: Crawler) -> bool:
    """Return whether the spider closes, so that the engine should be asked for nothing more."""
    slot = getattr(crawler.engine, "_slot", None)
    return slot is None or slot.closing is not None


def note_as_seen(crawler: Crawler, request: Request) -> None:
    """Let the filter of duplicates drop later requests of the spider for the same page."""
    slot = getattr(crawler.engine, "_slot", None)
    duplicates = getattr(getattr(slot, "scheduler", None), "df", None)
    if duplicates is not None:
        duplicates.request_seen(request)


def is_of_parse_command(response: Response) -> bool:
    """Return whether ``scrapy parse`` has asked for *response*."""
    callback = getattr(response.request, "callback", None)
    return isinstance(callback, FunctionType) and callback.__globals__.get("__name__") == _PARSE


def fill_for_parse_command(
    response: Response, fill: Callable[[Any, Response], Awaitable[object]], done: set[int]
) -> None:
    """Call *fill* with each item that ``scrapy parse`` will show, once: *done* has their ids."""
    from scrapy.commands.parse import Command

    assert response.request is not None
    callback: Any = response.request.callback
    depth = response.meta["_depth"]

    def filling(response: Response, **arguments: object) -> Deferred[Any]:
        async def fill_new(result: object) -> object:
            new = [item for item in Command.items.get(depth, ()) if id(item) not in done]
            done.update(map(id, new))
            for item in new:
                await fill(item, response)
            return result

        found: Deferred[Any] = callback(response, **arguments)
        return found.addCallback(lambda result: deferred_from_coro(fill_new(result)))

    response.request.callback = filling
