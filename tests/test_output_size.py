"""No output is much larger than its page, whatever the page looks like."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks.limits import SHAPES, Everything, parsed
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
        rows = value if isinstance(value, list) and name == "segments" else []
        if size(value) > 8 * len(html) + 64_000 + 250 * len(rows):  # each row names its keys
            large[name] = size(value)
    assert not large, len(html)
