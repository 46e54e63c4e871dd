"""The decorator with which a callback chooses its extractor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from scrapy_boilerplate.core.methods import Extractor

_Callback = TypeVar("_Callback", bound=Callable[..., object])


def extract_with(
    choice: str | Extractor | Mapping[str, object] | bool | None = None,
    /,
    *,
    fields: Mapping[str, str] | None = None,
    **options: object,
) -> Callable[[_Callback], _Callback]:
    """Choose how the items of a Scrapy callback get their text.

    *choice* has the same form as for a request or a spider: a registered extractor's name, an
    instance, a dict with ``extractor``, its options and ``fields``, or ``False``, which leaves the
    items alone. Without a dict, options and *fields* (item fields to outputs) can be keyword
    arguments. Options without a name apply to the extractor of the spider or the settings. Names
    and options are checked before the crawl begins. Raises :exc:`TypeError` for keyword arguments
    together with a dict or a bool.

    The decorator marks the callback and does not wrap it, so every kind of callback works: a
    function or method, a generator, a coroutine, an asynchronous generator. Other decorators around
    it must use :func:`functools.wraps`.

    >>> @extract_with("mss", tag_score=-1)
    ... def parse(response):
    ...     yield {"url": response.url}
    >>> parse.boilerplate
    {'extractor': 'mss', 'tag_score': -1}
    """
    given = {**options, **({} if fields is None else {"fields": dict(fields)})}
    if isinstance(choice, (bool, Mapping)):
        if given:
            raise TypeError(f"extract_with({choice!r}) takes no other arguments")
    else:
        choice = given if choice is None else {"extractor": choice, **given}

    def mark(callback: _Callback) -> _Callback:
        function = getattr(callback, "__func__", callback)  # of a class or static method
        setattr(function, "boilerplate", choice)  # noqa: B010 - no type knows of it
        return callback

    return mark
