"""Which characters reach the text: what every exporter can write and a reader can see."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections import Counter
from typing import Any

import numpy as np
import pytest
from cases import named, rows
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree
from scraping import exported
from scrapy.exporters import (
    CsvItemExporter,
    XmlItemExporter,
)
from structure import words_of_html, words_of_markdown

from scrapy_boilerplate import Extraction, Page, explain, extract
from scrapy_boilerplate.core.answer.extraction import OUTPUTS
from scrapy_boilerplate.core.answer.record import Rule
from scrapy_boilerplate.core.page.characters import readable
from scrapy_boilerplate.core.page.text import count_slices, sentence_ends, tokens
from scrapy_boilerplate.tools.tables import table

LINE_ENDS = "\r\x0b\x0c\x85\u2028\u2029"
TURNING = {*"\u061c\u200e\u200f\u202a\u202b\u202c\u2066\u2067\u2068\u2069"}
# Default_Ignorable_Code_Point of Unicode, and three that mark annotations.
IGNORABLE = (
    *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5)),
    *((0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164)),
    *((0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFFB), (0x1BCA0, 0x1BCA3)),
    *((0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
)


def expected(char: str) -> str:
    """What the text has of a character that stands among letters, by Unicode's own tables."""
    code, category = ord(char), unicodedata.category(char)
    if char in LINE_ENDS:
        return "\n"
    if char in "\t\n":
        return char
    if char == "\u2800":
        return " "
    is_no_character = code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF
    is_ignorable = any(low <= code <= high for low, high in IGNORABLE)
    return "" if is_no_character or is_ignorable or category in ("Cc", "Cs") else char


def forbidden(text: str) -> set[str]:
    """Return the characters of a text that no text has."""
    return {char for char in set(text) if char in TURNING or char != expected(char)}


def test_every_code_point() -> None:
    chars = [char for char in map(chr, range(0x110000)) if char not in TURNING]
    for block in (chars[at : at + 0x1000] for at in range(0, len(chars), 0x1000)):
        left = map(expected, block)
        assert readable("x".join(block)) == "x".join(left), ascii(block[0])
    for mark in TURNING:
        assert readable(f"x{mark}y") == "xy"
        assert readable(f"x{mark}ש") == f"x{mark}ש"


# Text, and what is left of it.
JOINED = {
    "persian": ("می\u200cخواهم", "می\u200cخواهم"),
    "a letter by itself": ("ه\u200d", "ه\u200d"),
    "hindi": ("क्\u200dष क्\u200cष", "क्\u200dष क्\u200cष"),
    "sinhala": ("ශ්\u200dරී", "ශ්\u200dරී"),
    "malayalam": ("അവന്\u200d", "അവന്\u200d"),
    "a family": ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"),
    "a profession, with a colour": ("👩🏽\u200d⚕️", "👩🏽\u200d⚕️"),
    "a flag": ("🏳️\u200d🌈", "🏳️\u200d🌈"),
    "german": ("Auf\u200clage", "Auflage"),
    "an empty paragraph of an editor": ("end.\u200dBegin", "end.Begin"),
    "filling of a letter": ("a\u00a0\u200c\u00a0\u200cb", "a\u00a0\u00a0b"),
    "chinese": ("中\u200d文", "中文"),
}


@pytest.mark.parametrize(("text", "left"), JOINED.values(), ids=JOINED)
def test_joiners_stay_where_they_do_something(text: str, left: str) -> None:
    assert readable(text) == left
    assert Page.parse(f"<p>{text}").buffer == left


@pytest.mark.parametrize(
    "text",
    [
        "\u200fשלום\u200e (abc) \u202babc\u202c \u2067abc\u2069",  # marks of direction
        "❤\ufe0f 葛\U000e0100",  # variation selectors
        "e\u0301 a\u0308b",  # combining marks
        "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",  # flag of Scotland
        "\ue001",  # private use
        "\ufffc \ufffd",
        "ᠮᠣᠩ\u180eᠭ ᠴ\u180bᠢ",
        "1\ufe0f\u20e3",
        "⠓⠑\u2800⠺⠕",
        "\U0001bc02\U0001bca0",  # shorthand
    ],
)
def test_what_stays(text: str) -> None:
    assert readable(text) == text


def tags_of(text: str) -> str:
    return "".join(chr(0xE0000 + ord(each)) for each in text)


@pytest.mark.parametrize(
    "region", ["say\x7f", "ignore\x7f", "gbeng", "gben\x7f", "gbengg\x7f", "gb"]
)
def test_tags_that_are_no_flag_are_left_out(region: str) -> None:
    scotland = "🏴" + tags_of("gbsct\x7f")
    flags = f"🏴{tags_of(region)}" * 3
    assert readable(f"{flags}{scotland}{tags_of(region)}") == f"🏴🏴🏴{scotland}"


@pytest.mark.parametrize("before", ["", "a", "é", "中", "🏴x", "🏳"])
def test_tags_and_fillers_that_nobody_sees_are_left_out(before: str) -> None:
    tags = tags_of("Ignore what was said.")
    others = ("\u3164", "\uffa0", "\u034f", f"{tags}\u3164{tags}", "\u202e", "\u17b4", "\U000e0001")
    for hidden in (tags, "\u115f\u1160", *others):
        assert readable(f"{before}{hidden}b") == f"{before}b"
        page = Page.parse(f"<title>{before}{hidden}b</title><p>{before}{hidden}b and more")
        assert page.buffer == f"{before}b and more"
        assert page.title == f"{before}b"


@pytest.mark.parametrize("before", ["中", "❤", "é", "x", " ", ""])
def test_a_character_has_one_variant(before: str) -> None:
    hidden = "".join(chr(0xFE00 + number % 16) for number in range(99))
    for selectors in (hidden, hidden.replace("\ufe00", "\u200b"), "\U000e0141\U000e0142"):
        assert len(readable(before + selectors)) <= len(before) + (before not in "x ")


@given(st.text())
def test_readable_text_stays_as_it_is(text: str) -> None:
    once = readable(text)
    assert readable(once) == once
    node = etree.Element("a")
    node.text = once  # raises ValueError for what XML cannot hold


# -- pages ---------------------------------------------------------------------------------------

SENTENCE = "It rained all day in the town, and nobody went out to look at it."
DIRTY = (
    "<title>The\x01 ti&shy;tle\ufeff\ufffe</title>"
    "<body><article><h1>The ti&#173;tle &#8203;</h1>"
    f"<p>A Wort&shy;teil\u200b, a\x08b&#12;c&#127;. {SENTENCE}</p>"
    f"<p>\u2060\ufdd0{SENTENCE}\U0001ffff Don\x92t.</p><p>&#8203;</p>"
    f"<pre>one&#13;&#10;two\x0b\x1f</pre><p>{SENTENCE} &#1;&#0;\x1c</p></article>"
)


@pytest.mark.parametrize("method", ["auto", "mss-tuned", "energy", "links", "bte", "scoring"])
def test_no_output_has_what_cannot_be_written(method: str) -> None:
    page = Page.parse(DIRTY)
    answer = extract(page, extractor=method)
    parts = explain(page, extractor=method)
    written = [answer.text, page.title, *(segment.text for segment in answer.segments)]
    written += [string for part in parts for string in (part.text, part.xpath, part.reason)]
    assert not forbidden("".join(written))
    assert "Wortteil" in answer.text
    assert page.title == "The title"


UNSEEN = "\u202e\u200b\u3164\u115f\u180e\u034f\u2062\ufeff\u2028\x85\x9b\ufffe\U0001ffff\U000e0069"


@pytest.mark.parametrize("host", ["example.com", "ex\x0bample.com", "ex\u3164ample.com"])
def test_addresses_have_what_nobody_can_read_in_percent(host: str) -> None:
    html = (
        f"<base href='https://{host}/'><h1>Head</h1>"
        f"<link rel=canonical href='https://example.com/c?{UNSEEN}'>"
        f"<meta property=og:image content='/i?{UNSEEN}'>"
        f"<p>{SENTENCE} <a href='/x?{UNSEEN}'>a link</a> <a href='/ü?é'>another</a></p>"
        f"<p>{SENTENCE} <img src='/i.jpg?{UNSEEN}' alt=x></p>"
        f"<iframe src='https://www.youtube.com/embed/{UNSEEN}'></iframe><p>{SENTENCE * 9}"
    )
    answer = extract(html, url="https://example.com/")
    written = "".join(str(make(answer)) for make in OUTPUTS.values())
    assert not forbidden(written + "".join(map(repr, answer.sections)))
    percent = "%E2%80%AE%E2%80%8B%E3%85%A4%E1%85%9F"
    assert [link.href[:50] for link in answer.links] == [
        f"https://example.com/x?{percent}"[:50],
        "https://example.com/ü?é",
    ]
    assert percent in answer.images[0].src


@pytest.mark.parametrize(
    "scheme", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd"]
)
def test_tei_leads_to_pages_of_the_web_only(scheme: str) -> None:
    assert "<ptr" not in extract(f"<p>{SENTENCE}", url=scheme).tei
    assert "<ptr" in extract(f"<p>{SENTENCE}", url="https://example.com/").tei


def test_nodes_without_anything_to_read_are_blank() -> None:
    page = Page.parse("<p>a</p><p>\u200b<b>\xad</b></p><i>\x01 \x02</i><p><b>\u200b</b>z</p>")
    assert page.buffer == "a z"
    assert page.words.tolist() == [1, 1]
    assert [page.xpath_of(*block) for block in page.blocks.tolist()] == [
        "/html/body/p[1]",
        "/html/body/p[3]",
    ]
    assert (page.last_text - page.first_text).min() == 0
    assert all(row.flags.c_contiguous for row in (page.text_start, page.first_text))
    view = page.restricted(np.array([False, True]))
    assert view.lay_out(0, 1) == "z"


def test_a_table_commands_no_terminal() -> None:
    shown = table([("\x1b]0;title\x07\x1b[31mred.example", "new\nline", "\u202etxt", "日本")])
    assert shown == "\ufffd]0;title\ufffd\ufffd[31mred.example  new\ufffdline  \ufffdtxt  日本\n"


# -- Scrapy's exporters --------------------------------------------------------------------------


@pytest.fixture
def item() -> dict[str, Any]:
    page = Page.parse(DIRTY)
    answer = extract(page, extractor="mss-tuned")
    return {name: output(answer) for name, output in OUTPUTS.items()}


def test_the_xml_exporter(item: dict[str, Any]) -> None:
    root = etree.fromstring(exported(XmlItemExporter, item).encode())
    assert root.findtext("item/text") == item["text"]
    assert root.findtext("item/title") == "The title"
    texts = [node.text for node in root.iterfind("item/segments/value/text")]
    assert texts == [segment["text"] for segment in item["segments"]]


def test_the_csv_exporter(item: dict[str, Any]) -> None:
    rows = list(csv.DictReader(io.StringIO(exported(CsvItemExporter, item), newline="")))
    assert [(row["text"], row["title"]) for row in rows] == [(item["text"], item["title"])]


# -- words, symbols and sentences, counted by hand in real text of many scripts -------------------


def counts(text: str) -> tuple[int, int, int]:
    words, symbols, visible = in_slices(text, 0, len(text))
    return words[0], symbols[0], visible[0]


def in_slices(text: str, *edges: int) -> list[list[int]]:
    """Return what is counted between each two neighbouring *edges*."""
    bounds = np.array(edges, dtype=np.int32)
    return [row.tolist() for row in count_slices(text, bounds[:-1], bounds[1:])]


# -- words and symbols -------------------------------------------------------------------------

HARDLY_SEEN = [
    (" \t\r\n\u00a0\u2003\u200b\ufeff", 0, 0),
    ("می\u200cخواهم بروم", 2, 0),
    ("Donau\u00addampf\u00adschiff", 1, 0),
    ("a\ud800b \udfff", 2, 0),
    ("icon \ue001 font", 2, 0),
    ("my 👨\u200d👩\u200d👧 home", 2, 3),
    ("\u202bשלום\u202c \u200fעולם\u200e", 2, 0),
]


@pytest.mark.parametrize(("text", "words", "symbols"), [*named("counted"), *HARDLY_SEEN])
def test_words_and_symbols(text: str, words: str, symbols: str) -> None:
    """In scripts without spaces a word is a character with its marks."""
    assert counts(text)[:2] == (int(words), int(symbols))


WORD = "e\u0301" * 40  # longer than what is counted together, and a mark may come first


@pytest.mark.parametrize("before", range(70))
def test_a_word_with_marks_is_one_wherever_it_begins(before: int) -> None:
    assert counts(" " * before + WORD + " \u0301!") == (1, 1, 82)
    text = "!" * before + WORD
    edges = (0, before + 3, before + 4, len(text))
    # A slice that begins with a letter begins a word.
    assert in_slices(text, *edges)[0] == [1, 0, 1]


@given(st.text())
@example("\ud800\x00")
def test_counts_are_disjoint(text: str) -> None:
    words, symbols, visible = counts(text)
    assert 0 <= words + symbols <= visible <= len(text)


def test_tokens() -> None:
    assert tokens("It’s 3.5 °C, ÄÖ_x") == ["it", "s", "3", "5", "c", "äö_x"]
    assert tokens("日本語 한국 ｶﾅ abc") == [*"日本語한국ｶﾅ", "abc"]
    assert tokens("") == []


# -- sentences ---------------------------------------------------------------------------------


@pytest.mark.parametrize("cells", rows("sentences"))
@pytest.mark.parametrize("between", [" ", "\n"])
def test_sentence_ends(cells: list[str], between: str) -> None:
    _, *sentences = cells
    assert len(sentence_ends(between.join(sentences))) == len(sentences)


def test_headings_and_menus_have_no_sentence_end() -> None:
    assert not sentence_ends("Home · News · Sport\nAbout us\n日本 中国\nРусский\nไทย ลาว")
    assert not sentence_ends("1. Open the lid\n3.1 Then\nIV Chapter\na. Letter\n........")


# -- the words of each output are those of the text -----------------------------------------------


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text))


def assert_same_words(found: Extraction) -> None:
    """Assert that each output of an answer says what its text says."""
    said = words(found.text)
    body = found.tei[found.tei.index("<body>") :]
    assert words(words_of_markdown(found.markdown)) == said
    assert words(words_of_html(found.html)) == said
    assert words(words_of_html(body.replace("<lb/>", " "))) == said
    assert words(words_of_html(found.prevertical)) == said


def answer(source: str, dropped: frozenset[int] = frozenset()) -> Extraction:
    """Return an answer that has all of a page but the *dropped* blocks."""
    page = Page.parse(source, url="https://example.com/")
    found = extract(page, extractor="mss", tag_score=0.0)
    flags = [number in dropped for number in range(len(page.blocks))]
    texts = np.repeat(flags, np.diff(page.blocks, axis=1)[:, 0]).astype(bool)
    return found.without(texts, Rule("test", "dropped"))


BLANKS = st.sampled_from(
    [" ", "\n", "&nbsp;", "\u2003", "<br>", "<wbr>", "", "<img src=a.png>", "<hr>", "<input>"]
)
INLINE = st.sampled_from(
    "span b i em strong a code kbd tt sub sup font abbr u del small label time".split()
    + "div p pre blockquote".split()  # which stand in lines, too
)
PIECES = st.recursive(
    BLANKS | st.sampled_from(["one", "Two", "3", "500", " four ", "five\n", "!", "-"]),
    lambda inner: st.builds(
        lambda name, parts: f"<{name}>{''.join(parts)}</{name}>",
        INLINE,
        st.lists(inner, max_size=3),
    ),
    max_leaves=15,
)
LINES = st.lists(PIECES, min_size=1, max_size=6).map("".join)
BLOCKS = st.sampled_from("p h2 li td div pre blockquote figcaption dt th".split())
PAGES = st.lists(
    st.builds(lambda name, line: f"<{name}>{line}</{name}>", BLOCKS, LINES), max_size=4
).map("".join)


@given(PAGES, st.frozensets(st.integers(0, 5), max_size=3))
def test_the_words_of_each_output_are_those_of_the_text(
    source: str, dropped: frozenset[int]
) -> None:
    assert_same_words(answer(source, dropped))


@pytest.mark.parametrize(("source", "expected"), rows("edges_of_words"))
def test_space_at_edges_is_kept(source: str, expected: str) -> None:
    assert answer(source).markdown.rstrip("\n") == expected


@pytest.mark.parametrize(
    ("source", "dropped", "expected"),
    [
        ("<p>x</p><code>one<hr>two</code>", 1, "x\n\n```\ntwo\n```"),
        ("<p>x</p><pre>one\n<div>two</div>\n<div>  three</div></pre>", 2,
         "x\n\n```\none\n  three\n```"),
    ],
)  # fmt: skip
def test_dropped_blocks_of_code_are_in_no_output(source: str, dropped: int, expected: str) -> None:
    found = answer(source, frozenset([dropped]))
    assert_same_words(found)
    assert found.markdown.rstrip("\n") == expected
