"""Sets constants of the plugin in a crawl of its own: its settings name them as ``PATCH``."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def patch_constants(settings: dict[str, Any]) -> None:
    """Set what ``PATCH`` names: ``{"extensions.FLUSH_SECONDS": 3}``; each must be there."""
    for path, value in settings.get("PATCH", {}).items():
        module, _, name = path.rpartition(".")
        owner = import_module(f"scrapy_boilerplate.plugin.{module}")
        assert hasattr(owner, name), path
        setattr(owner, name, value)
