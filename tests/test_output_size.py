"""No output is much larger than its page, whatever the page looks like."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks.limits import SHAPES, Everything, parsed
from scrapy_boilerplate import extract
from scrapy_boilerplate.core.answer.fields import OUTPUTS

SIZE = 30_000


def size(value: Any) -> int:
    return len(value if isinstance(value, str) else json.dumps(value, default=repr))


@pytest.mark.parametrize("shape", SHAPES)
def test_no_output_is_much_larger_than_its_page(shape: str) -> None:
    html = SHAPES[shape](SIZE)
    page = parsed(html)
    extraction = Everything().extract(page)
    large = {}
    for name, output in OUTPUTS.items():
        value = output(extraction)
        if size(value) > most(name, value, html):
            large[name] = size(value)
    assert not large, len(html)


def most(name: str, value: Any, html: str) -> int:
    """Return how large an output may be; each row of some names its keys."""
    return 8 * len(html) + 64_000 + 250 * len(value if name in ("segments", "sections") else "")


def test_many_sections_are_not_much_larger_than_their_page() -> None:
    html = "".join(f"<nav>* _{number}" for number in range(10_000)) + "<p>One two three four."
    answer = extract(html, extractor=Everything(), max_words=1)
    sections = OUTPUTS["sections"](answer)
    assert size(sections) <= most("sections", sections, html)
