"""Tests for extractors: one class that tests what every method promises.

To test your own method, write a subclass of one line, which pytest runs:

    class TestLongest(ExtractorContract):
        extractor = "longest"

With :class:`unittest.TestCase` as a second base, :mod:`unittest` runs it too. Neither is needed to
import this package.
"""

from __future__ import annotations

import sys

if sys.modules.get("pytest"):  # so that a failing assertion shows its values, as in a test's file
    sys.modules["pytest"].register_assert_rewrite(f"{__name__}.promises")

from scrapy_boilerplate.tools.testing.pages import ARTICLE, CRAFTED, GROWING
from scrapy_boilerplate.tools.testing.promises import ExtractorContract, check_page
from scrapy_boilerplate.tools.testing.timing import assert_linear

__all__ = ["ARTICLE", "CRAFTED", "GROWING", "ExtractorContract", "assert_linear", "check_page"]
