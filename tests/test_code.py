"""Code: as it was typed, in one block, with its language, and without what stands beside it."""

from __future__ import annotations

import re

import pytest
from cases import named, page_of, rows
from markdown_it import MarkdownIt

from scrapy_boilerplate import extract

LINES = "let a = 1\nlet b = 2"


def blocks_of(markdown: str) -> list[tuple[str, str]]:
    """Return language and text of each block of code, as CommonMark reads them."""
    tokens = MarkdownIt("commonmark").parse(markdown)
    found = (token for token in tokens if token.type in ("fence", "code_block"))
    return [(token.info.strip(), token.content.rstrip("\n")) for token in found]


@pytest.mark.parametrize(("language", "part"), named("code_blocks"))
def test_blocks_of_code(language: str, part: str) -> None:
    answer = extract(page_of(part.replace("{}", LINES)))
    assert blocks_of(answer.markdown) == [(language, LINES)]
    assert "Copy" not in answer.markdown
    assert "boats.js" not in answer.text
    assert re.search(r"let a = 1\s+let b = 2", answer.text)


@pytest.mark.parametrize(("part", "expected"), rows("code_in_sentences"))
def test_code_in_a_sentence(part: str, expected: str) -> None:
    assert expected in extract(page_of(part)).markdown


def test_blocks_beside_each_other_stay_apart() -> None:
    one = "<div class='language-js'><span class='lang'>js</span><pre><code>{}</code></pre></div>"
    answer = extract(page_of(one.format("let a = 1") + one.format("let b = 2")))
    assert blocks_of(answer.markdown) == [("js", "let a = 1"), ("js", "let b = 2")]
