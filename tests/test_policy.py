"""The table of docs/policy.md says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scrapy_boilerplate import Page

POLICY = Path(__file__).parent.parent / "docs" / "policy.md"
ROWS = re.findall(r"^\| (.+?) \| `(.+?)` \| (yes|no) \|$", POLICY.read_text("utf-8"), re.MULTILINE)


def test_every_row_is_read() -> None:
    first_table = POLICY.read_text("utf-8").partition("\n## ")[0]
    rows = [line for line in first_table.splitlines() if line.startswith("| ")]
    assert len(ROWS) == len(rows) - 1 > 30


@pytest.mark.parametrize(("what", "example", "counts"), ROWS, ids=[row[0] for row in ROWS])
def test_policy(what: str, example: str, counts: str) -> None:
    page = Page.parse(example)
    assert page.is_html
    assert ("visible" in page.buffer) == (counts == "yes")


FORUM = "<body><div><script>app()</script></div><noscript><p>{}</p><style>no</style></noscript>{}"


@pytest.mark.parametrize(
    ("inside", "outside", "counts"),
    [
        (1000, 0, True),
        (999, 0, False),
        (2000, 100, True),
        (5000, 400, True),
        (3000, 1500, True),
        (3000, 1501, False),
        (50_000, 501, True),
    ],
)
def test_noscript_with_most_of_the_text_counts(inside: int, outside: int, counts: bool) -> None:
    page = Page.parse(FORUM.format("x" * inside, "y" * outside))
    assert page.buffer.count("x") == inside * counts
    assert page.buffer.count("y") == outside
    assert "no" not in page.buffer
    if counts:
        assert page.xpath_of(0, 1) == "/html/body/noscript/p"
