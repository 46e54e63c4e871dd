"""Notes stay with their marks, and headings with their sections."""

# ruff: noqa: E501  (pages as generators write them)
from __future__ import annotations

import re

import numpy as np
import pytest
from cases import column, named
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate import Page, extract
from scrapy_boilerplate.core.answer import output
from scrapy_boilerplate.core.answer.document import build_document, nodes
from scrapy_boilerplate.core.auto.alike import with_alike, with_callouts
from scrapy_boilerplate.core.auto.block_rules import keep_blocks
from scrapy_boilerplate.core.auto.features import read_features
from scrapy_boilerplate.core.auto.model import load_model
from scrapy_boilerplate.core.auto.sections import without_empty_sections, without_lead_ins

PROSE = (
    "<p>It rained all day in the town, and nobody went out to look at the river, or at us, who "
    "had come a long way to see it rise as it had risen in the spring of the year before.</p>"
)
ONE, TWO = "By the chronicle of the town.", "See the map."
URL = "https://town.example/river"


def page_of(part: str) -> str:
    return f"<title>A river</title><article><h1>A river</h1>{PROSE * 4}{part}</article>"


def marked(*marks: str) -> str:
    return (
        "".join(f"<p>The bridge is old.{mark} It was built of oak.</p>" for mark in marks) + PROSE
    )


def linked(shape: str) -> str:
    """Return marks and notes of a shape, in which {n} is the number and {said} the note."""
    mark, _, rest = shape.partition(" … ")
    around, note, end = rest.split("|")
    numbered = [(n, said) for n, said in enumerate((ONE, TWO), 1)]
    marks = [mark.replace("{n}", str(n)).replace("{said}", said) for n, said in numbered]
    notes = (note.replace("{n}", str(n)).replace("{said}", said) for n, said in numbered)
    return marked(*marks) + around + "".join(notes) + end


@pytest.mark.parametrize("shape", named("note_shapes"))
def test_notes_stay_with_their_marks(shape: str) -> None:
    answer = extract(page_of(linked(shape)), url=URL)
    written = re.sub(r"\[([^\]]+)\]\(https[^)]*\)", r"\1", answer.markdown)
    assert written.endswith(f"\n\n[^1]: {ONE}\n\n[^2]: {TWO}\n")
    assert written.count("The bridge is old.[^1] It was") == 1
    assert written.count("The bridge is old.[^2] It was") == 1
    for made in (answer.text, answer.markdown, answer.html, answer.tei, answer.prevertical):
        assert made.count(ONE) == made.count(TWO) == 1
        assert not re.search(r"Footnotes|Notes|References", made)
    assert answer.html.count("<li id=") == 2


@pytest.mark.parametrize(
    ("end", "kept"),
    [
        ("<p>Call me.", True),
        ("<h2>To end</h2><p>Call me.", True),
        ("<p><a href=/x>Call me.</a>", False),
        ("<aside><p>Call me.</aside>", False),
    ],
)
def test_the_last_line_of_a_short_page_is_like_those_before(end: str, kept: bool) -> None:
    page = Page.parse("<main><h1>A bell</h1><p>The bell is gone.<p>The well still gives." + end)
    keep = np.arange(len(page.blocks)) < 3
    features = read_features(page, load_model().lexicon)
    found = with_alike(page, features, keep, np.full(keep.size, 0.3))
    assert (found[3:] == kept).all()
    assert not with_alike(page, features, keep, np.full(keep.size, 0.2))[-1]


def test_a_short_section_is_like_those_before() -> None:
    texts = "A bell.", "It rang, " + "and rang " * 30 + "and fell.", "Call me."
    page = Page.parse("<main>" + "".join(f"<section><p>{text}</section>" for text in texts))
    features = read_features(page, load_model().lexicon)
    assert with_alike(page, features, np.array([True, True, False]), np.full(3, 0.3)).all()


def test_the_foot_of_a_layout_table_is_like_no_row_of_the_text() -> None:
    rows = "".join(f"<tr><td>{line}" for line in ("A bell", "The bell is gone.", "It was old."))
    layout = f"<table><tr><td><table>{rows}</table><tr><td>Webmaster: call me.</table>"
    page = Page.parse(layout)
    features = read_features(page, load_model().lexicon)
    keep = np.array([*[True] * 3, False])
    assert with_alike(page, features, keep, np.full(4, 0.3)).tolist() == keep.tolist()


@pytest.mark.parametrize(
    ("box", "kept"),
    [
        ("<aside class=starlight-aside--tip><p>Tip</p><p>Hold it.</p></aside>", True),
        ("<div class='admonition note'><p>Note</p><p>Hold it.</p></div>", True),
        ("<div class=note><p>Note</p><p>Hold it.</p></div>", False),
        ("<div class='alert alert-info'><p>Now</p><p><a href=/x>Buy it.</a></p></div>", False),
    ],
)
def test_a_callout_between_kept_texts_is_kept(box: str, kept: bool) -> None:
    page = Page.parse(f"<main><p>It rained.</p>{box}<p>It went on.</main>")
    assert with_callouts(page, np.array([True, False, False, True]))[1:3].tolist() == [kept] * 2
    assert not with_callouts(page, np.array([True, False, False, False]))[1:].any()


def test_a_small_page_with_a_likely_text_is_not_empty() -> None:
    page = Page.parse("<h1>Re: leeks</h1><pre>" + "It must be deep and wide. " * 9)
    features = read_features(page, load_model().lexicon)
    for likely, is_kept in ((0.3, True), (0.2, False)):
        kept = keep_blocks(page, features, np.array([0.1, likely]), thread=None)
        assert kept.keep.any() == is_kept


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        ("<p><b>Read more:</b></p><ul><li><a href=/a>Snow</a></ul>", False),
        ("<p>相关阅读：<p><a href=/a>下雪</a>", False),
        ("<p>The way there:<img src=way.png><p><a href=/a>Snow</a>", True),
        ("<p>What we need<p><a href=/a>Snow</a>", True),
    ],
)
@pytest.mark.parametrize("tail", ["", "<p>It went on."])
def test_a_line_that_announces_links_goes_with_them(lines: str, kept: bool, tail: str) -> None:
    page = Page.parse(f"<p>It rained.{lines}{tail}")
    keep = np.array([True, True, False, True])[: 3 + bool(tail)]
    assert without_lead_ins(page, page.per_block(page.words), keep)[1] == kept


@pytest.mark.parametrize("field", ["<input type=email>", "<textarea></textarea>", ""])
def test_a_heading_of_fields_goes_with_them(field: str) -> None:
    box = f"<div><h3>Our letter</h3><form>{field}<button>Send</button></form></div>"
    page = Page.parse(f"<input><main><p>It rained.</p>{box}<p>It went on.</main>")
    keep = np.array([True, True, False, True])
    assert without_empty_sections(page, keep)[1] == (not field)


@given(
    st.lists(
        st.sampled_from(["See it.", "A chronicle of the town " * 9, "Ibid."]),
        min_size=1,
        max_size=9,
    ),
    st.booleans(),
    st.sampled_from(["ol", "div"]),
)
def test_all_notes_or_none(said: list[str], back: bool, holder: str) -> None:
    marks = [f"<sup><a href='#fn{n}' id='r{n}'>{n}</a></sup>" for n in range(1, len(said) + 1)]
    name = "li" if holder == "ol" else "p"
    lead = "" if holder == "ol" else "<sup>{n}</sup> "
    notes = "".join(
        f"<{name} id='fn{n}'>{lead.format(n=n)}{text}{f' <a href=#r{n}>↩</a>' if back else ''}</{name}>"
        for n, text in enumerate(said, 1)
    )
    answer = extract(page_of(f"{marked(*marks)}<{holder} class='footnotes'>{notes}</{holder}>"))
    kinds = [type(node) for node in answer.document.nodes]
    assert kinds.count(nodes.NoteReference) == kinds.count(nodes.Note) == len(said)


@pytest.mark.parametrize("part", column("no_notes"))
def test_what_is_no_note(part: str) -> None:
    answer = extract(page_of(part + PROSE))
    assert "[^" not in answer.markdown
    assert "doc-endnotes" not in answer.html


def test_a_mark_without_its_note_stays_raised() -> None:
    page = Page.parse("<p>One<sup><a href=#n1>1</a></sup>.</p><ol class=notes><li id=n1>Two.</ol>")
    document = build_document(page, np.array([True, True, True, False]))
    assert output.markdown(document) == "One<sup>1</sup>.\n"
    assert output.html(document) == "<p>One<sup>1</sup>.</p>\n"


# -- headings ----------------------------------------------------------------------------------


@pytest.mark.parametrize("extractor", ["auto", "mss-tuned"])
@pytest.mark.parametrize("heading", column("heading_links"))
def test_a_heading_loses_the_link_to_itself(heading: str, extractor: str) -> None:
    answer = extract(page_of(heading + PROSE * 2), url=URL, extractor=extractor)
    assert "\n\nThe bridge\n\n" in answer.text
    assert "#bridge" not in answer.markdown + answer.html + answer.tei
    assert not answer.links
    assert re.search(r"^## (\*\*)?The(\*\*)? bridge$", answer.markdown, re.MULTILINE)


def test_a_heading_keeps_the_link_to_another_page() -> None:
    part = f"<h2><a href='/bridge'>The bridge</a></h2>{PROSE * 2}"
    assert (
        "## [The bridge](https://town.example/bridge)" in extract(page_of(part), url=URL).markdown
    )


OTHERS = ("Ten bridges you must see", "The best rivers of the north", "Where to sleep in town")
RELATED = "".join(f"<li><a href='/{n}'>{other}</a></li>" for n, other in enumerate(OTHERS))


@pytest.mark.parametrize(
    "part",
    [
        f"<h2>Related</h2><ul>{RELATED}</ul>",
        f"<section><h3>Read more</h3><ul>{RELATED}</ul></section>",
        f"<h2>Related</h2><h3>Of bridges</h3><ul>{RELATED}</ul>",
    ],
)
def test_a_heading_goes_with_its_section(part: str) -> None:
    answer = extract(page_of(part), url=URL)
    for written in (answer.text, answer.markdown, answer.html):
        assert not re.search("Related|Read more|More|Of bridges|Of rivers", written)


def test_a_heading_of_a_picture_stays() -> None:
    part = f"<h2>The map</h2><img src='map.png' alt='A map'><h2>The bridge</h2>{PROSE}"
    assert "## The map" in extract(page_of(part), url=URL).markdown


LISTS = (
    "<h2>Lists</h2><ol>"
    + "<li><p>One two three.</p><p>Four five six seven.</p></li>" * 20
    + "</ol>"
)


@pytest.mark.parametrize("extractor", ["auto", "mss-tuned"])
@given(max_words=st.integers(1, 200))
def test_sections_have_a_bounded_size(extractor: str, max_words: int) -> None:
    """No paragraph here has more than 40 words; together the pieces hold every block once."""
    page = page_of(f"<h2>Rain</h2>{PROSE * 3}<blockquote>{PROSE * 3}</blockquote>{LISTS}")
    answer = extract(page, extractor=extractor, max_words=max_words)
    lines = []
    for section in answer.sections:
        written = output.markdown(section.document)
        content = [each for each in written.splitlines() if not each.startswith("#")]
        words = re.findall(r"[A-Za-z]+", " ".join(content))
        assert len(words) <= max(max_words, 40)
        lines += [re.sub(r"^[>\s\d.]+", "", each) for each in written.splitlines()]
        assert section.headings[0] == "A river"
        assert section.document.xpaths[0]
    whole = [re.sub(r"^[>\s\d.]+", "", each) for each in answer.markdown.splitlines()]
    assert list(filter(None, lines)) == list(filter(None, whole))


def test_a_divided_list_goes_on_counting() -> None:
    answer = extract(page_of(LISTS), extractor="mss-tuned", max_words=14)
    later = [output.markdown(section.document).split(maxsplit=1)[0] for section in answer.sections]
    assert later[-2:] == ["17.", "19."]
