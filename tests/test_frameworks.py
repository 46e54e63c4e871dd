"""Pages that real frameworks built; ``fixtures/frameworks/README.md`` says how."""

from __future__ import annotations

import pytest
from frameworks import BEGINNINGS, PAGES, SOURCES

from scrapy_boilerplate import extract


@pytest.mark.parametrize("name", SOURCES)
def test_the_article_is_found(name: str) -> None:
    answer = extract((PAGES / f"{name}.html").read_bytes())
    assert answer.source == SOURCES[name]
    assert all(answer.text.count(each) == 1 for each in BEGINNINGS)
    assert "Imprint" not in answer.text
    assert "Home" not in answer.text
    assert answer.title.endswith("How the harbour wall was built")  # one page tells no site's name


def test_every_page_is_read() -> None:
    assert {path.stem for path in PAGES.glob("*.html")} == SOURCES.keys()
