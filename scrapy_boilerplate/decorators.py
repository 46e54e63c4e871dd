"""A callback's own choice of an extractor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from scrapy_boilerplate.extractors import Extractor

__all__ = ["extract_with"]

_Callback = TypeVar("_Callback", bound=Callable[..., Any])


def extract_with(
    extractor: str | Extractor | bool | None = None,
    /,
    *,
    fields: Mapping[str, str] | None = None,
    **options: Any,
) -> Callable[[_Callback], _Callback]:
    """Say how the items of a Scrapy callback get their text.

    *extractor* is a registered name, with *options*, or an instance; ``False`` leaves the items
    alone; without it the options go to the extractor of the spider or the settings. *fields* maps
    item fields to outputs. Names and options are checked when the spider opens.

    The callback itself is not wrapped, only marked, so every kind of callback works: a function or
    a method, a generator, a coroutine, an asynchronous generator. A decorator above or below must
    use :func:`functools.wraps`, as decorators should.

    >>> @extract_with("mss", tag_score=-1)
    ... def parse(response):
    ...     yield {"url": response.url}
    >>> parse.boilerplate
    {'extractor': 'mss', 'tag_score': -1}
    """
    choice: dict[str, Any] | bool = dict(options)
    if isinstance(extractor, bool):
        if options or fields is not None:
            raise TypeError("extract_with(True) and extract_with(False) take nothing else")
        choice = extractor
    else:
        if extractor is not None:
            choice = {"extractor": extractor, **options}
        if fields is not None:
            choice = {**choice, "fields": dict(fields)}  # type: ignore[dict-item]

    def mark(callback: _Callback) -> _Callback:
        function: Any = getattr(callback, "__func__", callback)  # of a class or static method
        function.boilerplate = choice
        return callback

    return mark
