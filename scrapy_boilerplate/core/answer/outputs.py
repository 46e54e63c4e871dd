"""What an output of an answer is: made once, when somebody asks. ``Extraction`` lists them all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, TypeAlias, TypeVar

from scrapy_boilerplate.core.caching import cached_property

T = TypeVar("T")

Form: TypeAlias = "str | float | bool | list[Any] | dict[str, Any] | None"
"""What a feed exporter can write, and JSON can hold."""


def plain(value: Any) -> Form:
    """Return a value in JSON types: tuples as lists, what they hold as dicts."""
    if isinstance(value, tuple):
        return [part if isinstance(part, str) else asdict(part) for part in value]
    return value.to_dict() if hasattr(value, "to_dict") else value


class Output(cached_property[T]):
    """An output of an answer, made once by *make* from *parts* of it, or from the answer itself.

    It is a field of items, a key of ``Extraction.to_dict()`` and, with a *suffix*, a format of the
    command line, whose files' names end so. *form* makes the value that feed exporters write from
    the answer; by default it is :func:`plain`. The docstring is that of *make*.
    """

    def __init__(
        self,
        make: Callable[..., T],
        *parts: str,
        form: Callable[[Any], Form] | None = None,
        suffix: str = "",
    ) -> None:
        super().__init__(make)
        self.suffix = suffix
        self._form = form
        if parts:
            self.func = lambda answer: make(*(getattr(answer, part) for part in parts))

    def form_of(self, answer: object) -> Form:
        """Return the output of *answer* as feed exporters write it."""
        if self._form is not None:
            return self._form(answer)
        return plain(getattr(answer, self.attrname or ""))
