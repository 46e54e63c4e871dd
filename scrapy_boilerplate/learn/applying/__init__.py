"""Applies a site's model to a page: what it says of each block, weighed against the method."""

from __future__ import annotations

from scrapy_boilerplate.learn.applying.extractor import InSite

__all__ = ["InSite"]
