"""The command line, ``scrapy-boilerplate``: sources → pages → rows → sink."""

from __future__ import annotations

from scrapy_boilerplate.tools.cli.main import main

__all__ = ["main"]
