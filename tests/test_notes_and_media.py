"""Footnotes, formulas, quotations, ruby, images and embedded media in Markdown and HTML."""

from __future__ import annotations

import numpy as np
import pytest
from cases import rows
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from scrapy_boilerplate import Extraction, Page, extract
from scrapy_boilerplate.core.answer import output
from scrapy_boilerplate.core.answer.document import build_document
from scrapy_boilerplate.core.answer.document.formulas import read_formula

TEXT = "<h1>A title</h1>" + "<p>The harbour was built in 1874, when fishermen asked for it.</p>" * 3


def read(html: str, **options: bool) -> Extraction:
    return extract(
        TEXT + html, url="https://example.com/a", extractor="mss", tag_score=0.0, **options
    )


def markdown(html: str, **options: bool) -> str:
    return read(html, **options).markdown.rpartition("asked for it.\n\n")[2].strip()


def written_html(html: str) -> str:
    return read(html).html.rpartition("asked for it.</p>\n")[2].strip()


# -- notes -----------------------------------------------------------------------------------

NOTES = dict(rows("notes"))  # a note and its mark, by what writes them


@pytest.mark.parametrize("make", NOTES)
def test_notes_are_joined_with_their_references(make: str) -> None:
    assert markdown(NOTES[make]) == "It is old.[^1]\n\n[^1]: See the archive."
    assert written_html(NOTES[make]) == (
        '<p>It is old.<sup><a href="#note-1" role="doc-noteref">1</a></sup></p>\n'
        '<section role="doc-endnotes">\n<ol>\n<li id="note-1">See the archive.</li>\n</ol>\n'
        "</section>"
    )
    assert '<note place="end" n="1">' in read(NOTES[make]).tei


def latexml(mark: str, text: str, kind: str = "footnote") -> str:
    said = f"<span class=ltx_note_type>{kind}: </span>" if kind != "footnote" else ""
    sup = f"<sup class=ltx_note_mark>{mark}</sup>"
    return (
        f'<span class="ltx_note ltx_role_{kind}">{sup}<span class=ltx_note_outer>'
        f"<span class=ltx_note_content>{sup}{said}<span class='ltx_tag ltx_tag_note'>{mark}</span>"
        f"{text}</span></span></span>"
    )


def test_notes_in_a_sentence_stand_after_the_text() -> None:
    page = (
        f"<p>One{latexml('1', '<em>Two</em> <sup>1</sup>.')} is <cite>[<a href=#b>3</a>]</cite> "
        f"{latexml('†', 'Both.', 'thanks')} and two{latexml('1', '', 'footnotemark')}, "
        f"not three{latexml('9', '', 'footnotemark')}.</p><h2>Books{latexml('2', 'Old.')}</h2>"
        "<ul><li id=b><span class=ltx_tag>[3]</span> <span class=ltx_bibblock>A book.</span></ul>"
        f"<table><tr><th>a<th>b<tr><td>c{latexml('3', '<i>In</i> a table.')}<td>d</table><p>Last."
    )
    assert markdown(page) == (
        "One[^1] is *\\[[3](https://example.com/a#b)\\]* [^2] and two[^1], not three<sup>9</sup>."
        "\n\n## Books[^3]\n\n- \\[3\\] A book.\n\n| a | b |\n| --- | --- |\n| c[^4] | d |\n\nLast."
        "\n\n[^1]: *Two* <sup>1</sup>.\n\n[^2]: Both.\n\n[^3]: Old.\n\n[^4]: *In* a table."
    )
    assert written_html(page).count("<section") == 1


def test_notes_in_a_sentence_follow_linked_ones() -> None:
    aside = "<label>⊕</label>\n<input type=checkbox>\n<span class=marginnote>Beside.</span>"
    written = markdown(f"<p>One{aside}.</p>{NOTES['wikipedia']}<p>Last{aside}.</p>")
    assert written == (
        "One [^2].\n\nIt is old.[^1]\n\n[^1]: See the archive.\n\nLast [^3].\n\n"
        "[^2]: Beside.\n\n[^3]: Beside."
    )


def test_a_note_that_is_referred_to_twice_stands_once() -> None:
    page = (
        '<p>One<sup id="r0"><a href="#n">[1]</a></sup> and two<sup id="r1"><a href="#n">[1]</a>'
        '</sup>.</p><ol class="references"><li id="n"><span>^ <a href="#r0"><sup><i><b>a</b></i>'
        '</sup></a> <a href="#r1"><sup>b</sup></a></span> <span>See the <a href="/b">archive</a>.'
        '</span><p>It is in the town.</p></li><li id="m">Another.</li></ol>'
    )
    assert markdown(page) == (
        "One[^1] and two[^1].\n\n[^1]: See the [archive](https://example.com/b).\n\n"
        "    It is in the town.\n\n2. Another."
    )


def test_several_references_in_one_sup_are_raised_once() -> None:
    notes = "<ol><li id=n1>One.<li id=n2>Two.<li id=n3>Three.</ol>"
    marks = "<a href=#n1>1</a>,<a href=#n2>2</a>–<a href=#n3>3</a>"
    found = read(f"<p>It is old.<sup>{marks}</sup></p>{notes}")
    assert "It is old.[^1],[^2]–[^3]\n" in found.markdown
    assert found.html.count("<sup>") == 3
    assert "<sup>see [^1],[^2]–[^3]</sup>" in markdown(f"<p>It<sup>see {marks}</sup></p>{notes}")


def test_a_reference_whose_note_was_left_out_is_what_the_page_shows() -> None:
    page = Page.parse(f"{TEXT}{NOTES['wikipedia']}")
    keep = np.ones(page.text_at.size, dtype=bool)
    keep[-2:] = False
    document = build_document(page, keep)
    assert output.markdown(document).endswith("It is old.\\[2\\]\n")
    assert output.html(document).endswith("<p>It is old.[2]</p>\n")


# -- formulas --------------------------------------------------------------------------------


@pytest.mark.parametrize(("page", "written"), rows("formulas_of_tex"))
def test_formulas_stay_tex(page: str, written: str) -> None:
    assert markdown(page) == written


@pytest.mark.parametrize(("mathml", "tex"), rows("mathml"))
def test_mathml_without_tex_is_converted(mathml: str, tex: str) -> None:
    assert read_formula(etree.fromstring(f"<math>{mathml}</math>")) == tex


def test_a_broken_tag_in_mathml_is_harmless() -> None:
    (node,) = Page.parse("<p><math><math<object><mi>a</mi></math>").root.iter("math")
    assert read_formula(node) == "a"


@given(st.text(st.sampled_from("\\$&%#_{}^~<>`*[](){}!x|\n∑α "), max_size=12))
def test_no_text_in_mathml_becomes_markup(text: str) -> None:
    root = etree.Element("math")
    for name in ("mi", "mo", "mtext"):
        etree.SubElement(root, name).text = text
    page = f"<p>So {etree.tostring(root, encoding='unicode')} is it, and no more.</p>"
    assert "<" not in markdown(page).replace("\\<", "")


# -- quotations, ruby, small letters ---------------------------------------------------------


def test_a_quotation_keeps_who_said_it() -> None:
    text = f"<p>{'It rained all day in the town, and nobody went out to see the river. ' * 6}"
    said = "<p>To be or not to be, that is the question for all of us who are here."
    quotation = f"<blockquote>{said}<footer>— <cite>Hamlet</cite></footer></blockquote>"
    assert "> — *Hamlet*\n" in extract(f"<h1>A</h1>{text}{quotation}{text}").markdown


@pytest.mark.parametrize(("html", "tex"), rows("formulas_drawn"))
def test_formulas_that_no_script_of_the_page_draws(html: str, tex: str) -> None:
    assert markdown(f"<p>It is {html} or so.</p>") == f"It is {tex} or so."


# -- images and media ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "srcset",
    [
        "/a.webp 400w, /b.webp 1200w",
        "/a.webp 400w,/b.webp 1200w",
        "/b.webp 2x,/a.webp 1x,",
        "/a.webp, /b.webp 2x",
        "/b.webp 900w 600h,/a.webp",
    ],
)
def test_the_largest_source_of_a_picture_is_shown(srcset: str) -> None:
    picture = f"<picture><source srcset='{srcset}'><img src=/a.jpg alt=View></picture>"
    shown = markdown(f"<p>A view {picture} of it.</p>")
    assert shown == "A view ![View](https://example.com/b.webp) of it."


@pytest.mark.parametrize(
    ("name", "said"),
    [("twitter-tweet", "Post: Ada May 1"), ("toot-embed", "Post: Ada May 1"), ("pull-quote", "")],
)
def test_embedded_posts_keep_who_wrote_them_and_when(name: str, said: str) -> None:
    below = '&mdash; Ada <a href="https://social.example/1">May 1</a>'
    page = Page.parse(f"{TEXT}<blockquote class={name}><p>It is old.</p>{below}</blockquote>")
    link = f"\n\n[{said}](https://social.example/1)" if said else ""
    for words in ("", "\n\n> It is old."):
        kept = np.array([*[True] * 4, bool(words), False, False])
        assert output.markdown(build_document(page, kept)).endswith(f"it.{words}{link}\n")
    everything = output.markdown(build_document(page, np.ones(7, dtype=bool)))
    assert everything.count("May 1") == 1


def test_embedded_media_are_a_line_each() -> None:
    page = (
        '<p>It is old.</p><figure><div><iframe src="https://v.example/embed/1" title="The [port]">'
        '</iframe></div></figure><p>See it: <audio controls><source src="/a.mp3"></audio></p>'
        '<iframe src="https://ads.example/frame?1"></iframe>'
        '<iframe src="https://www.google.com/maps/embed?pb=1"></iframe><p>It is large.</p>'
    )
    assert markdown(page) == (
        "It is old.\n\n[Video: The \\[port\\]](https://v.example/embed/1)\n\nSee it:\n\n"
        "[Audio](https://example.com/a.mp3)\n\n[Map](https://www.google.com/maps/embed?pb=1)\n\n"
        "It is large."
    )
    found = read(page)
    assert [(each.text, each.src) for each in found.embeds] == [
        ("Video: The [port]", "https://v.example/embed/1"),
        ("Audio", "https://example.com/a.mp3"),
        ("Map", "https://www.google.com/maps/embed?pb=1"),
    ]
    assert found.links == ()
    assert read(page).to_dict()["embeds"][1]["text"] == "Audio"


@pytest.mark.parametrize(("player", "written"), rows("players"))
def test_players_of_videos_are_embedded(player: str, written: str) -> None:
    found = read(f"<p>It is old.</p>{player}<p>It is large.</p>")
    assert [f"[{each.text}]({each.src})" for each in found.embeds] == [written] * bool(written)
    assert "It is old." in found.markdown


def test_a_video_stays_without_its_caption() -> None:
    frame = "<figure><div><iframe src=https://v.example/embed/1></iframe></div>"
    page = Page.parse(f"{TEXT}{frame}<figcaption>By the port</figcaption></figure><p>It is large.")
    keep = np.ones(page.text_at.size, dtype=bool)
    keep[-2] = False
    document = build_document(page, keep)
    assert output.markdown(document).endswith(
        "asked for it.\n\n[Video](https://v.example/embed/1)\n\nIt is large.\n"
    )


# -- bad input -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "page",
    [
        *(f"<p>It rained{mark} all day.<br>" for mark in ("<sup>1</sup>", "<sup>*</sup>", " [1]")),
        "<p>It is old.<sup>1</sup> It rained.<sup>2</sup><p>1 In 1874.<br>2 All day.<br>",
    ],
)
def test_a_break_at_the_end_of_the_page_begins_no_note(page: str) -> None:
    assert "all day." in extract(page, extractor="mss").text.lower()


@pytest.mark.parametrize("method", ["auto", "mss", "links"])
@pytest.mark.parametrize(
    "note",
    [
        "<label for=s1></label><input type=checkbox id=s1><span class=sidenote>By ship</span>",
        "<sup>4</sup><span class=modern-footnotes-footnote__note>By ship</span>",
        "<sup><a href='#n1'>1</a></sup><small class=footnote>By ship</small>",
    ],
)
def test_a_note_in_the_place_of_its_mark_joins_no_word(note: str, method: str) -> None:
    text = "It rained all day in the town, and nobody went out to see the ships. " * 6
    page = (
        f"<h1>A town in rain</h1><p>{text}<h2>Farewell</h2><p>They left{note}in the morning. {text}"
    )
    answer = extract(page, extractor=method)
    assert " By ship in the morning" in answer.text
    assert "## Farewell" in answer.markdown
