"""The markup of many generators, of code and of callouts, and the Markdown that is right of each."""

# ruff: noqa: E501  (pages as generators write them)
from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from cases import named, page_of, rows
from markdown_it import MarkdownIt

from scrapy_boilerplate import Page, extract
from scrapy_boilerplate.core.answer.document import build_document, nodes

FILE = Path(__file__).parent / "fixtures" / "markup.txt"
CASES = [each.partition("\n") for each in FILE.read_text("utf-8").strip()[3:].split("\n\n## ")]
PROSE = "<p>The mill on the upper stream was built by three brothers, who ground rye for all.</p>"
ADDRESS = "https://valley.example/posts/mill"


@pytest.mark.parametrize("case", [case for _, _, case in CASES], ids=[name for name, *_ in CASES])
def test_markup_of_generators(case: str) -> None:
    html, _, wanted = case.partition("\n-----\n")
    page = f"<h1>The mill</h1>{PROSE}{html}"
    found = extract(page, url=ADDRESS, extractor="mss", tag_score=0.0).markdown
    assert found.partition("for all.\n\n")[2].strip() == wanted.strip()


def test_what_is_broken_inside_ends_with_the_block_around_it() -> None:
    menu = "<ul>" + "<li><a href=/b><div><loading='lazy' src=/b.png></div></a>" * 300 + "</ul>"
    page = f"<pre><div>make</div></pre>{menu}<h2>The wheel</h2>{PROSE * 3}"
    assert "## The wheel\n" in extract(page, extractor="mss", tag_score=0.0).markdown


@pytest.mark.parametrize("extractor", ["mss", "mss-tuned", "energy", "links", "scoring", "auto"])
def test_all_methods_keep_the_notes_of_what_they_keep(extractor: str) -> None:
    marked = PROSE.replace("all.", "all.<sup id=r><a href=#n>1</a></sup>")
    text = PROSE * 3 + marked + PROSE * 3
    note = "<div class=footnotes><ol><li id=n>Aye. <a href=#r>↩</a></ol></div>"
    found = extract(f"<article><h1>The mill</h1>{text}</article>{note}", extractor=extractor)
    assert "[^1]: Aye." in found.markdown
    assert "Aye." in found.text


# -- code: as it was typed, in one block, with its language ------------------------------------

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


# -- callouts: each is a quotation that begins with its kind and its own title -------------------

SAID = "The pier is slippery when it rains, so hold the rope."
BODY = f"<p>{SAID}</p>"


@pytest.mark.parametrize(("part", "mark"), named("callouts"))
def test_a_callout_says_its_kind(part: str, mark: str) -> None:
    """*mark* is what stands in the mark of the quotation, nothing where there is none."""
    answer = extract(page_of(part.replace("{}", BODY).replace("{said}", SAID)))
    if not mark:
        assert "[!" not in answer.markdown
        return
    (found,) = [node for node in answer.document.nodes if isinstance(node, nodes.Callout)]
    kind, _, title = mark.partition("] ")
    assert (found.kind, found.title) == (kind.lower(), title)
    assert f"\n> [!{mark if title else mark + ']'}\n> {SAID}\n" in answer.markdown
    heading = f"<p><strong>{title}</strong></p>\n" if title else ""
    begin = f'<aside role="note" data-callout="{kind.lower()}">\n{heading}'
    assert f"{begin}<p>{SAID}</p>\n</aside>" in answer.html
    assert f'<note type="callout" rend="{kind.lower()}">' in answer.tei


def test_blocks_of_a_callout() -> None:
    inside = "<ol start='2'><li>Hold the rope of the pier.</li></ol><pre>ls</pre>"
    part = f"<div class='alert alert-info'>{inside}</div>"
    expected = "> [!INFO]\n>\n> 2. Hold the rope of the pier.\n>\n> ```\n> ls\n> ```\n"
    assert expected in extract(page_of(part)).markdown


def test_a_callout_in_a_cell_is_text() -> None:
    cell = "<td><div class='admonition tip'><p class='admonition-title'>Mind it</p><p>Hold it.</p></div></td>"
    part = f"<table><tr><th>Pier</th><th>Rope</th></tr><tr><td>Old pier</td>{cell}</tr></table>"
    assert "| Old pier | Mind it<br>Hold it. |" in extract(page_of(part)).markdown


@pytest.mark.parametrize("rest", ["<br>{}", "</p><p>{}", "\n{}"])
def test_a_mark_that_nothing_made_a_callout_of(rest: str) -> None:
    part = f"<blockquote><p>[!TIP]{rest.format(SAID)}</p></blockquote>"
    answer = extract(page_of(part))
    assert f"\n> [!TIP]\n> {SAID}\n" in answer.markdown
    assert answer.html.count("[!TIP]") == 0


def test_a_title_that_is_dropped_is_not_said() -> None:
    title = "<p class='admonition-title'>Mind the step</p>"
    page = Page.parse(f"<div class='admonition tip'>{title}<p>{SAID}</p></div>")
    for keep, said in (([True, True], "Mind the step"), ([False, True], "")):
        assert build_document(page, np.array(keep)).nodes[0] == nodes.Callout("tip", said)
