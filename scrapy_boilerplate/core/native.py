"""Loads compiled code. Without it the twins in Python do the same work."""

from __future__ import annotations

import logging
import os
import secrets
from importlib import import_module
from typing import Any, TypeVar

__all__ = ["SECRET", "load_native", "native_or"]

T = TypeVar("T")

logger = logging.getLogger(__name__)

SWITCH = "SCRAPY_BOILERPLATE_PURE_PYTHON"
"""Environment variable that switches off all compiled code."""

SECRET = (secrets.randbits(64), secrets.randbits(64))
"""Numbers of this process that decide where keys stand in a table; no answer depends on them."""


def load_native(module: str, name: str) -> Any | None:
    """Return an object of a compiled module; ``None`` if it was not built or is switched off.

    *module* is the dotted name below ``scrapy_boilerplate``. An object that an older build lacks
    counts as not built.
    """
    if os.environ.get(SWITCH):
        return None
    try:
        return getattr(import_module(f"scrapy_boilerplate.{module}"), name)
    except (ImportError, AttributeError) as error:
        logger.debug("Not compiled; using the same code in Python: %s", error)
        return None


def native_or(twin: T, module: str, name: str) -> T:
    """Return an object of a compiled module, or else its *twin* in Python.

    The arguments are those of :func:`load_native`. The compiled object has the type of the twin.
    """
    found: T | None = load_native(module, name)
    return twin if found is None else found
