"""Small pages in the markup of many generators, and the Markdown that is right of each."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import rows

from scrapy_boilerplate import extract

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


def letter(said: str, name: str = "mord") -> str:
    return f"<span class='{name}'>{said}</span>"


@pytest.mark.parametrize(("drawn", "tex"), rows("katex"))
def test_what_katex_has_drawn_is_tex(drawn: str, tex: str) -> None:
    formula = f"<span class='katex'><span class='katex-html'>{letter(drawn, 'base')}</span></span>"
    found = extract(f"{PROSE}<p>So {formula} it is.", extractor="mss", tag_score=0.0)
    assert f"So ${tex}$ it is." in found.markdown


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
