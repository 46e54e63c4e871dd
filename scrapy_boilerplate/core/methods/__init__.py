"""The methods, one file each, and the registry that finds them by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass, replace
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import NamedTuple

from scrapy_boilerplate.core.answer.document.switches import SWITCHES, Switches
from scrapy_boilerplate.core.methods.base import Extractor, Unblocked, Verdict
from scrapy_boilerplate.core.names import ENTRY_POINT_GROUP, unknown

__all__ = ["Extractor", "Verdict", "extractor_names", "get_extractor", "switched"]

# Name: module, relative to this one, and class. A method is one line here. So is a preset: a class
# with other defaults.
_BUILTIN: dict[str, str] = {
    "mss": "mss:MSS",
    "mss-tuned": "mss:TunedMSS",
    "mss-learned": "mss:LearnedMSS",
    "energy": "energy:Energy",
    "links": "links:Links",
    "bte": "bte:BTE",
    "justext": "justext:JusText",
    "scoring": "scoring:Scoring",
    "web2text": "web2text:Web2Text",
    "auto": ".auto:Auto",
}


_ELSEWHERE = {
    "output_format": "an extraction has all outputs: .text, .markdown, .html, .tei, .to_dict()",
    "with_metadata": "an extraction has .metadata",
    "only_with_metadata": "an extraction has .metadata",
    "target_language": "an extraction has .metadata.language",
    "favor_precision": "use favor='precision'",
    "favor_recall": "use favor='recall'",
    "deduplicate": "rows have a text_digest",
    **{f"include_{name}": f"use {name}=" for name in SWITCHES},
}
"""What users of trafilatura may look for, and where it is."""


class _Factory(NamedTuple):
    build: Callable[..., Extractor]
    options: Mapping[str, object]  # name: default
    takes_any: bool  # whether it accepts any option name


@cache
def _installed() -> dict[str, EntryPoint]:
    """Methods of other packages. They cannot take a built-in name."""
    found = {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP)}
    return {name: point for name, point in found.items() if name not in _BUILTIN}


def extractor_names() -> list[str]:
    """Return the names that :func:`get_extractor` accepts, built-in ones first.

    >>> extractor_names()[0]
    'mss'
    """
    return [*_BUILTIN, *sorted(_installed())]


@cache
def _factory(name: str) -> _Factory:
    if name in _BUILTIN:
        module, _, attribute = _BUILTIN[name].partition(":")
        build = getattr(import_module(f".{module}", __name__), attribute)
    elif name in _installed():
        build = _installed()[name].load()
    else:
        raise ValueError(unknown("extractor", name, extractor_names()))
    parameters = inspect.signature(build).parameters.values()
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
    defaults = {parameter.name: parameter.default for parameter in parameters}
    return _Factory(build, defaults, takes_any)


_LARGEST_INTEGER = 1 << 31
"""No number that is an option is as large; arithmetic on it cannot overflow."""


def _check(name: str, value: object, default: object) -> None:
    """Raise :exc:`ValueError` if *value* is of another type than an option's *default*."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    is_bounded = is_number and -_LARGEST_INTEGER < value < _LARGEST_INTEGER  # type: ignore[operator]
    if isinstance(default, bool):
        wanted, fits = "True or False", isinstance(value, bool)
    elif isinstance(default, int):
        wanted, fits = "a whole number", is_bounded and isinstance(value, int)
    elif isinstance(default, float):
        wanted, fits = "a number", is_bounded
    elif isinstance(default, str):
        wanted, fits = "a string", isinstance(value, str)
    elif default is None:
        wanted, fits = "a string or None", value is None or isinstance(value, str)
    else:
        return
    if not fits:
        raise ValueError(f"{name!r} must be {wanted}, not {value!r}")


def get_extractor(extractor: str | Extractor, **options: object) -> Extractor:
    """Return the extractor with this name and these options. Returns an instance unchanged.

    Raises :exc:`ValueError` for an unknown name or option. The message gives the nearest known one,
    or all of them.

    >>> get_extractor("mss", tag_score=-1.5)
    MSS(tag_score=-1.5, word_score=1.0, symbol_score=1.0, scores='fixed')
    >>> get_extractor("mss-tuned").name
    'mss-tuned'
    """
    if not isinstance(extractor, str):
        if not callable(getattr(extractor, "extract", None)):
            raise ValueError(f"{extractor!r} is neither the name of an extractor nor an Extractor")
        if options:
            raise ValueError("options need the name of an extractor, not an Extractor")
        return extractor
    factory = _factory(extractor)
    wrong = [] if factory.takes_any else [name for name in options if name not in factory.options]
    if wrong:
        what = f"option of extractor {extractor}:"
        known = dict.fromkeys([*factory.options, *SWITCHES])
        hints = (_ELSEWHERE.get(name) for name in wrong)
        messages = (
            f"Unknown {what} {name!r}; {hint}" if hint else unknown(what, name, known)
            for name, hint in zip(wrong, hints, strict=True)
        )
        raise ValueError("; ".join(messages))
    for name, value in options.items():
        _check(name, value, factory.options.get(name, inspect.Parameter.empty))
    return factory.build(**options)


def switched(extractor: Extractor, switches: Switches) -> Extractor:
    """Return *extractor* with those of the *switches* that are options of methods.

    >>> switched(get_extractor("auto"), Switches(comments=True)).comments
    True
    """
    has_comments = is_dataclass(extractor) and hasattr(extractor, "comments")
    if switches.comments is not None and has_comments:
        extractor = replace(extractor, comments=switches.comments)  # type: ignore[type-var]
    if not switches.blocked and isinstance(extractor, Extractor):
        return Unblocked(extractor)
    return extractor
