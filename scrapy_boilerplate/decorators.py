"""A callback's own choice of an extractor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from scrapy_boilerplate.extractors import Extractor

__all__ = ["extract_with"]

_Callback = TypeVar("_Callback", bound=Callable[..., object])


def extract_with(
    choice: str | Extractor | Mapping[str, object] | bool | None = None,
    /,
    *,
    fields: Mapping[str, str] | None = None,
    **options: object,
) -> Callable[[_Callback], _Callback]:
    """Say how the items of a Scrapy callback get their text.

    *choice* is what a request and a spider take: a registered extractor's name, an instance, a dict
    with ``extractor``, its options and ``fields``, or ``False``, which leaves the items alone.
    Options and *fields*, which maps item fields to outputs, may also be keyword arguments, without
    a dict. Options without a name go to the extractor of the spider or the settings. Names and
    options are checked before the crawl begins. Raises :exc:`TypeError` for keyword arguments
    beside a dict or a bool.

    The callback itself is not wrapped, only marked, so every kind of callback works: a function or
    a method, a generator, a coroutine, an asynchronous generator. A decorator above or below must
    use :func:`functools.wraps`, as decorators should.

    >>> @extract_with("mss", tag_score=-1)
    ... def parse(response):
    ...     yield {"url": response.url}
    >>> parse.boilerplate
    {'extractor': 'mss', 'tag_score': -1}
    """
    said: dict[str, object] = dict(options)
    if fields is not None:
        said["fields"] = dict(fields)
    if isinstance(choice, (bool, Mapping)):
        if said:
            raise TypeError(f"extract_with({choice!r}) takes nothing else")
    else:
        choice = said if choice is None else {"extractor": choice, **said}

    def mark(callback: _Callback) -> _Callback:
        function = getattr(callback, "__func__", callback)  # of a class or static method
        setattr(function, "boilerplate", choice)  # noqa: B010 - no type knows of it
        return callback

    return mark
