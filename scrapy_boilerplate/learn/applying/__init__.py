"""Applies a site's model to a page: finds the part that is the article."""

from __future__ import annotations

from scrapy_boilerplate.learn.applying.extractor import InSite
from scrapy_boilerplate.learn.applying.locating import Place, locate
from scrapy_boilerplate.learn.applying.watching import ModelComparison, compare

__all__ = ["InSite", "ModelComparison", "Place", "compare", "locate"]
