"""The adapter agrees with the justext package, in linear time and for every script."""

from __future__ import annotations

import sys
from pathlib import Path

import justext
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from justext.core import PathInfo, classify_paragraphs, revise_paragraph_classification
from justext.paragraph import Paragraph

from scrapy_boilerplate import Page, explain, extract, get_extractor
from scrapy_boilerplate.core import methods
from scrapy_boilerplate.core.methods.justext import language_of

EXAMPLES = sorted(Path(__file__).parent.parent.glob("example_project/sites/**/*.html"))

ENGLISH = (
    "It was the best of times, it was the worst of times, it was the age of wisdom, and so it "
    "was the age of foolishness for all of us who were in it, or who had heard of it from others. "
    "There was a king with a large jaw and a queen with a plain face on the throne of the country."
)
GERMAN = (
    "Es war eine der besten und eine der schlechtesten Zeiten, und wir hatten alles vor uns, aber "
    "auch nichts mehr, denn es ging mit uns allen in den Himmel oder auch in die andere Richtung. "
    "Das war so, wie es auch heute noch ist, und nicht anders, als man es von dort aus sehen kann."
)
CHINESE = "那是最美好的时代，那是最糟糕的时代；那是智慧的年头，那是愚昧的年头；那是信仰的时期。" * 3
JAPANESE = (
    "それはすべての時代のなかで最もよい時代であり、また最も悪い時代でもあったと言われている。" * 3
)
THAI = "มันเป็นช่วงเวลาที่ดีที่สุด มันเป็นช่วงเวลาที่เลวร้ายที่สุด มันเป็นยุคแห่งปัญญา มันเป็นยุคแห่งความโง่เขลา " * 3
KOREAN = (
    "최고의 시절이자 최악의 시절이었고 지혜의 시대이자 어리석음의 시대였으며 믿음의 세기였다. " * 4
)


def kept_by_package(page: Page) -> list[bool]:
    """Return which blocks of a page the package keeps, by its own paragraphs of them."""
    paragraphs = []
    for block, (start, stop) in enumerate(page.blocks.tolist()):
        paragraph = Paragraph(PathInfo())
        paragraph.append_text(page.lay_out(start, stop))
        sizes = (page.text_stop - page.text_start) * page.in_link
        paragraph.chars_count_in_links = int(page.per_block(sizes)[block])
        above = [int(page.text_parent[start])]
        while above[-1] > 0:
            above.append(int(page.parent[above[-1]]))
        names = [page.names[page.tag[each]] for each in above]
        is_form = not {"button", "input", "select", "textarea"}.isdisjoint(names)
        paragraph.dom_path = "select" if is_form else ".".join(names[::-1])
        paragraphs.append(paragraph)
    classify_paragraphs(paragraphs, justext.get_stoplist("English"))
    revise_paragraph_classification(paragraphs)
    return [not paragraph.is_boilerplate for paragraph in paragraphs]


def kept_by_us(page: Page) -> list[bool]:
    if not page.text_at.size:
        return []
    method = get_extractor("justext", language="English", east_asian_length=1)
    return method.judge(page).keep.tolist()


# -- the same as the package -----------------------------------------------------------------


@pytest.mark.parametrize("path", EXAMPLES[::4], ids=lambda path: path.name)
def test_keeps_what_the_package_keeps_on_example_pages(path: Path) -> None:
    page = Page.parse(path.read_bytes())
    assert kept_by_us(page) == kept_by_package(page)


TEXTS = st.sampled_from(
    [
        "Some words",
        "and it was the one of them.",
        " © 2020",
        f"{ENGLISH} ",
        ENGLISH[:90],
        "It is not for the\n\t many or ",
        "&nbsp;Price:&nbsp;5",
        "Lorem ipsum dolor sit amet consectetur adipiscing elit sed eiusmod tempor incididunt",
        " ",
        "<br>",
        "<br> <br/>",
        "<br><i></i><br>",
        "<!-- note -->",
        "<button>Send it to the one</button>",
        "<script>x</script>",
    ]
)
ELEMENTS = "div p li td h2 h3 form span a b em select textarea pre section table".split()


@st.composite
def elements(draw: st.DrawFn, inside: st.SearchStrategy[str]) -> str:
    name = draw(st.sampled_from(ELEMENTS))
    return f"<{name}>{''.join(draw(st.lists(inside, max_size=4)))}</{name}>"


PAGES = st.lists(st.recursive(TEXTS, elements, max_leaves=12), min_size=1, max_size=6)


@settings(max_examples=100, deadline=None)
@given(PAGES)
def test_keeps_what_the_package_keeps_on_generated_pages(parts: list[str]) -> None:
    page = Page.parse(f"<html><body>{''.join(parts)}</body></html>")
    assert kept_by_us(page) == kept_by_package(page)


# -- options ---------------------------------------------------------------------------------


def test_the_language_given_goes_before_the_page_s() -> None:
    html = f"<html lang=de><p>{GERMAN}</p></html>"
    for language, kept in [(None, True), ("de", True), ("any", True), ("English", False)]:
        assert bool(extract(html, extractor="justext", language=language).text) is kept


def test_the_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "justext.core", None)
    monkeypatch.delitem(sys.modules, "scrapy_boilerplate.core.methods.justext")
    methods._factory.cache_clear()
    with pytest.raises(ImportError, match=r"pip install 'scrapy-boilerplate-removal\[justext\]'"):
        get_extractor("justext")


# -- languages -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("declared", "text", "language"),
    [
        ("en", ENGLISH, "English"),
        ("de-AT", GERMAN, "German"),
        (None, ENGLISH, "English"),
        (None, GERMAN, "German"),
        ("en-US", GERMAN, "German"),  # the theme's language, not the text's
        ("da", "Godt", "Danish"),
        (None, "Zzz", "any"),
        ("zh", CHINESE, "any"),
        ("en", JAPANESE, "any"),
        (None, THAI, "any"),
        ("ko", KOREAN, "Korean"),
        ("tlh", "tlhIngan Hol", "any"),
    ],
)
def test_the_language_is_the_page_s(declared: str | None, text: str, language: str) -> None:
    attribute = f" lang={declared}" if declared else ""
    assert language_of(Page.parse(f"<html{attribute}><p>{text}</p></html>")) == language


@pytest.mark.parametrize("text", [CHINESE, JAPANESE, THAI, KOREAN, GERMAN, ENGLISH])
def test_pages_of_every_script_keep_their_text(text: str) -> None:
    menu = "<ul>" + "<li><a href=/>首页 Menu เมนู</a></li>" * 4 + "</ul>"
    html = f"<html>{menu}<div><p>{text}</p><p>{text[:60]}</p><p>{text}</p></div>{menu}</html>"
    kept = extract(html, extractor="justext").text
    assert kept.split("\n\n") == [" ".join(t.split()) for t in (text, text[:60], text)]


# -- the contract's own ----------------------------------------------------------------------


def test_reasons_name_both_classes() -> None:
    html = f"<h1>Two cities</h1><p>{ENGLISH}</p><form><select><option>A<option>B</select></form>"
    heading, text, form, _ = explain(html, extractor="justext", language="en")
    assert heading.reason.startswith(
        "justext: good among its neighbours, short alone: heading of length 10"
    )
    assert text.reason.startswith(
        "justext: good among its neighbours, good alone: paragraph of length 2"
    )
    assert "English stop words" in text.reason
    assert not form.kept
    assert form.reason == "justext: bad: text of a form"
