"""What stands deep and is many takes no more time than what stands flat: counted, not timed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.limits import SHAPES, Everything, parsed
from scrapy_boilerplate.core.answer.next_page import next_page

OF_TWO = ("deep cells", "deep links to pages", "links to pages in links")
SMALL, LARGE = 10_000, 40_000


def calls_of(make: Callable[[], Any]) -> int:
    """Return how many functions are called, those of C too."""
    count = 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        make()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("shape", OF_TWO)
def test_calls_grow_with_the_page(shape: str) -> None:
    small, large = (calls(SHAPES[shape](size)) for size in (SMALL, LARGE))
    grown = {name: large[name] / (small[name] + 500) for name in large}
    assert max(grown.values()) < 2 * LARGE / SMALL, grown


def calls(html: str) -> dict[str, int]:
    """Return how many calls some outputs of a page take."""
    page = parsed(html)
    answer = Everything().extract(page)
    return {
        "document": calls_of(lambda: answer.document),
        "links": calls_of(lambda: answer.links),
        "pages": calls_of(lambda: next_page(page)),
    }
