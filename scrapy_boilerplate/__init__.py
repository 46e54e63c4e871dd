"""Scrapy plugin that fills items with the main text of their pages, and learns each site."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy_boilerplate.core.answer.extraction import Extraction
    from scrapy_boilerplate.core.answer.record import Explanation, Segment
    from scrapy_boilerplate.core.api import explain, extract
    from scrapy_boilerplate.core.compare import Comparison, compare
    from scrapy_boilerplate.core.methods import Extractor, Verdict, extractor_names, get_extractor
    from scrapy_boilerplate.core.page import Page
    from scrapy_boilerplate.plugin.decorators import extract_with
    from scrapy_boilerplate.tools.report.extension import Addon

__version__ = "1.0.0rc1"

__all__ = [
    "Addon",
    "Comparison",
    "Explanation",
    "Extraction",
    "Extractor",
    "Page",
    "Segment",
    "Verdict",
    "compare",
    "explain",
    "extract",
    "extract_with",
    "extractor_names",
    "get_extractor",
]

_HOMES = {
    "core.answer.extraction": ("Extraction",),
    "core.answer.record": ("Explanation", "Segment"),
    "core.api": ("explain", "extract"),
    "core.compare": ("Comparison", "compare"),
    "core.methods": ("Extractor", "Verdict", "extractor_names", "get_extractor"),
    "core.page": ("Page",),
    "tools.report.extension": ("Addon",),
    "plugin.decorators": ("extract_with",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used."""
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
