"""The methods, a file each, and the registry that finds them by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from scrapy_boilerplate.extractors.base import Extractor, Verdict

__all__ = ["Extractor", "Verdict", "extractor_names", "get_extractor"]

ENTRY_POINT_GROUP = "scrapy_boilerplate.extractors"

# Name: class, options that differ from the class's defaults. A method is one line here.
_BUILTIN: dict[str, tuple[str, dict[str, Any]]] = {
    "mss": ("mss:MSS", {}),
    "mss-tuned": ("mss:MSS", {"tag_score": -1.0, "symbol_score": 2.0}),
    "mss-learned": ("mss:MSS", {"scores": "learned"}),
    "energy": ("energy:Energy", {}),
    "links": ("links:Links", {}),
    "bte": ("bte:BTE", {}),
    "justext": ("justext:JusText", {}),
    "scoring": ("scoring:Scoring", {}),
    "web2text": ("web2text:Web2Text", {}),
    "auto": ("auto:Auto", {}),
}


@cache
def _installed() -> dict[str, Any]:
    """Methods of other packages; a built-in name cannot be taken."""
    found = {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP)}
    return {name: point for name, point in found.items() if name not in _BUILTIN}


def extractor_names() -> list[str]:
    """Return the names that :func:`get_extractor` knows, built-in ones first.

    >>> extractor_names()[0]
    'mss'
    """
    return [*_BUILTIN, *sorted(_installed())]


def _load(name: str) -> tuple[Callable[..., Extractor], dict[str, Any]]:
    if name in _BUILTIN:
        path, preset = _BUILTIN[name]
        module, _, attribute = path.partition(":")
        return getattr(import_module(f"{__name__}.{module}"), attribute), preset
    if name in _installed():
        return _installed()[name].load(), {}
    raise ValueError(f"Unknown extractor {name!r}; choose one of: {', '.join(extractor_names())}")


def get_extractor(extractor: str | Extractor, **options: Any) -> Extractor:
    """Return the extractor of that name with these options; an instance is returned as it is.

    Raises :exc:`ValueError` for an unknown name or option, with the list of the right ones.

    >>> get_extractor("mss", tag_score=-1.5)
    MSS(tag_score=-1.5, word_score=1.0, symbol_score=1.0, scores='fixed')
    """
    if not isinstance(extractor, str):
        if not callable(getattr(extractor, "extract", None)):
            raise ValueError(f"{extractor!r} is neither an extractor's name nor an extractor")
        if options:
            raise ValueError("Options belong to an extractor's name, not to an instance")
        return extractor
    factory, preset = _load(extractor)
    known = inspect.signature(factory).parameters
    open_ended = any(p.kind is p.VAR_KEYWORD for p in known.values())
    unknown = [] if open_ended else [option for option in options if option not in known]
    if unknown:
        raise ValueError(
            f"Extractor {extractor!r} has no option {', '.join(map(repr, unknown))}; "
            f"it has: {', '.join(known) or 'none'}"
        )
    return factory(**{**preset, **options})
