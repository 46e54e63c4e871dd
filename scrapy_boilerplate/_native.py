"""What was compiled, where it was and fits; without it the twins in Python do the same work."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from importlib import import_module
from typing import Any

from lxml import etree

from scrapy_boilerplate import _walk
from scrapy_boilerplate._walk import Walk

__all__ = ["compiled", "compiled_walk", "walk"]

logger = logging.getLogger(__name__)

SWITCH = "SCRAPY_BOILERPLATE_PURE_PYTHON"
"""Environment variable that switches off all that is compiled."""


def compiled(module: str, name: str) -> Any | None:
    """Return an object of a compiled module; ``None`` if it was not built or is switched off.

    What was built of an older version, and lacks the object, counts as not built.
    """
    if os.environ.get(SWITCH):
        return None
    try:
        return getattr(import_module(f"scrapy_boilerplate.{module}"), name)
    except (ImportError, AttributeError) as error:
        logger.debug("Not compiled, its twin in Python is used: %s", error)
        return None


# -- the walk --------------------------------------------------------------------------------

_SAMPLE = "<head><title>t</title></head><p class='c' id='i'>a<b>é</b><!-- -->\u00a0<br>z</p>"


def _agrees(walk: Callable[..., Walk]) -> bool:
    """Tell whether *walk* reads a small tree as the walk in Python does."""
    root = etree.fromstring(_SAMPLE, parser=etree.HTMLParser(encoding="utf-8"))
    return repr(walk(root)) == repr(_walk.walk(root))


def compiled_walk() -> Callable[..., Walk] | None:
    """Return the compiled walk, or ``None`` if there is none or it does not fit this lxml."""
    walk: Callable[..., Walk] | None = compiled("_walk_native", "walk")
    if walk is None:
        return None
    built, here = str(compiled("_walk_native", "COMPILED_AGAINST")), etree.__version__
    if built.split(".")[0] != here.split(".")[0] or not _agrees(walk):
        logger.warning(
            "The compiled walk was built for lxml %s and does not fit lxml %s; using the slower "
            "one in Python. Reinstall scrapy-boilerplate-removal to compile it again.",
            *(built, here),
        )
        return None
    return walk


walk: Callable[..., Walk] = compiled_walk() or _walk.walk
"""The walk that pages are read with."""
