"""The decorator with which a callback chooses its extractor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import isroutine
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

    *choice* is what a request or a spider may say: a name, an instance, a dict, or ``False``, which
    leaves the items alone. Without a dict, options and *fields* (item fields to outputs) can be
    keyword arguments; options without a name are for the extractor of the spider or the settings.
    All is checked before the crawl begins. Raises :exc:`TypeError` for keyword arguments together
    with a dict or a bool, and where the decorator is written without parentheses.

    The callback is marked, not wrapped, so any kind of callback will do. Other decorators around it
    must use :func:`functools.wraps`.

    >>> @extract_with("mss", tag_score=-1)
    ... def parse(response):
    ...     yield {"url": response.url}
    >>> parse.boilerplate
    {'extractor': 'mss', 'tag_score': -1}
    """
    if isroutine(choice) or isinstance(choice, (classmethod, staticmethod)):
        raise TypeError('write @extract_with("mss") or @extract_with(…), not @extract_with')
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
