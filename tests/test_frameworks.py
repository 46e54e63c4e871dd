"""Pages that real frameworks built; ``fixtures/frameworks/README.md`` says how."""

from __future__ import annotations

from pathlib import Path

import pytest

from scrapy_boilerplate import extract

PAGES = Path(__file__).parent / "fixtures" / "frameworks"
SOURCES = {
    "next-static": "",
    "next-client": "#__NEXT_DATA__: props.pageProps.post.body",
    "next-stream": "__next_f: *.*.d.r.*.children.*.*.post.html",
    "nuxt-static": "",
    "nuxt-client": "#__NUXT_DATA__: *",
    "sveltekit-static": "",
    "sveltekit-client": "application/json: body.html",
    "astro-static": "",
    "astro-client": "template",
    "blogger-static": "",
    "blogger-client": "script#post-template",
}
BEGINNINGS = (
    "In the winter of 1874",
    "The granite came",
    "Work went on",
    "When the last block",
    "Today the wall is listed",
)


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
