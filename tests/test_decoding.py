"""From bytes to text: which encoding decides, and what is noticed where none was right."""

from __future__ import annotations

import pytest
from cases import rows
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from parsel import Selector
from scraping import Crawl
from scrapy.http import HtmlResponse
from w3lib.encoding import html_to_unicode, http_content_type_encoding

from scrapy_boilerplate import Page, extract
from scrapy_boilerplate.core.page import page_of
from scrapy_boilerplate.core.page.decoding import is_garbled

CHINESE = "新华社北京电，今天下午两点，记者从有关部门获悉，这项工程将于明年春天正式开工。"
TAIWANESE = "中央社台北電，今天下午兩點，記者從有關部門獲悉，這項工程將於明年春天正式開工。"
JAPANESE = "昨日の午後、東京で新しい図書館が開館し、多くの人が訪れました。"
KOREAN = "어제 오후 서울에서 새로운 도서관이 문을 열어 많은 사람들이 찾았습니다."
RUSSIAN = "Вчера днём в городе открылась новая библиотека, и туда пришло много людей."
GREEK = "Χθες το απόγευμα άνοιξε στην πόλη η νέα βιβλιοθήκη και ήρθε πολύς κόσμος."
CZECH = "Včera odpoledne byla ve městě otevřena nová knihovna a přišlo mnoho lidí."
GERMAN = "Gestern wurde in der Stadt die neue Bücherei eröffnet, und viele Gäste fühlten sich wohl."
ARABIC = "افتتحت أمس بعد الظهر المكتبة الجديدة في المدينة وحضر عدد كبير من الناس."
TURKISH = "Dün öğleden sonra şehirde yeni kütüphane açıldı ve çok sayıda kişi geldi."

WRITTEN = {
    "gb18030": CHINESE, "gbk": CHINESE, "gb2312": CHINESE, "big5": TAIWANESE, "shift_jis": JAPANESE,
    "euc-jp": JAPANESE, "iso-2022-jp": JAPANESE, "euc-kr": KOREAN, "windows-1250": CZECH,
    "iso-8859-2": CZECH, "windows-1251": RUSSIAN, "koi8-r": RUSSIAN, "windows-1252": GERMAN,
    "windows-1253": GREEK, "windows-1254": TURKISH, "windows-1256": ARABIC,
}  # fmt: skip


def page(text: str, declared: str = "") -> str:
    meta = f'<meta charset="{declared}">' if declared else ""
    return f"<html><head>{meta}<title>t</title></head><body><p>{text}</p></body></html>"


# -- which encoding decides ----------------------------------------------------------------------


@pytest.mark.parametrize("declared", WRITTEN)
def test_what_a_page_declares_is_believed_of_other_bytes(declared: str) -> None:
    text = WRITTEN[declared]
    read = Page.parse(page(text, declared).encode(declared))
    assert read.buffer == text
    assert not read.garbled


@pytest.mark.parametrize("declared", WRITTEN)
def test_utf8_is_read_as_such_whatever_the_page_declares(declared: str) -> None:
    text = WRITTEN[declared]
    old = f'<meta http-equiv="Content-Type" content="text/html; charset={declared}">'
    for html in (page(text, declared), page(text + old), f'<?xml encoding="{declared}"?><p>{text}'):
        read = Page.parse(html.encode())
        assert read.buffer == text
        assert not read.garbled


@pytest.mark.parametrize("declared", WRITTEN)
def test_http_decides_before_the_bytes(declared: str) -> None:
    body = page(WRITTEN[declared], "utf-8").encode(declared)
    assert Page.parse(body, encoding=declared).buffer == WRITTEN[declared]
    body = page("né").encode()
    assert Page.parse(body, encoding="windows-1252").buffer == "nÃ©"
    assert Page.parse(body, encoding="no-such-encoding").buffer == "né"


@pytest.mark.parametrize("declared", ["", "windows-1252", "gbk", "utf-8"])
@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_mark_of_byte_order_decides_before_all(codec: str, declared: str) -> None:
    for text in (CHINESE, RUSSIAN, "plain"):
        body = page(text, declared).encode(codec)
        for http in (None, "windows-1252", "gbk"):
            assert Page.parse(body, encoding=http).buffer == text


@pytest.mark.parametrize("declared", ["", "utf-16", "utf-8"])
@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark(codec: str, declared: str) -> None:
    for text in (CHINESE, RUSSIAN, "plain"):
        for html in (page(text, declared), "\r\n " + page(text, declared)):
            assert Page.parse(html.encode(codec)).buffer == text
            assert Page.parse(html.encode(codec), encoding=codec).buffer == text


@pytest.mark.parametrize("declared", ["utf-16", "utf-16le", "utf-32", "cp500", "utf-7"])
def test_a_declaration_that_could_not_have_been_read_is_none(declared: str) -> None:
    assert Page.parse(page(GERMAN, declared).encode("cp1252")).buffer == GERMAN
    assert Page.parse(page("plain", declared).encode()).buffer == "plain"


def test_a_dump_may_end_within_a_character() -> None:
    body = page(CHINESE, "gbk").encode()
    whole = body.index(b"</p>")
    for cut in range(1, 4):
        read = Page.parse(body[: whole - cut]).buffer
        assert CHINESE.startswith(read)
        assert len(read) >= len(CHINESE) - 2
    assert Page.parse(page("caf", "windows-1252").encode()[:-14] + b"\xe9").buffer == "café"


def test_ascii_is_read_as_declared() -> None:
    body = page(JAPANESE, "iso-2022-jp").encode("iso-2022-jp")
    assert body.isascii()
    assert Page.parse(body).buffer == JAPANESE


UNDECLARED = [(codec, text) for codec, text in rows("encodings")]
"""Encodings, and some fifty words or less that are written in them."""
WESTERN = [text for codec, text in UNDECLARED if codec == "cp1252"]
OTHER = [
    *(each for each in UNDECLARED if each[0] != "cp1252"),
    *((codec, text) for codec, text in WRITTEN.items() if codec != "iso-2022-jp"),
    ("iso8859-5", RUSSIAN),
    ("cp866", RUSSIAN),
    ("iso8859-7", GREEK),
]


@pytest.mark.parametrize("declared", ["", "utf-8"])
@pytest.mark.parametrize("text", WESTERN)
def test_undeclared_western_text_is_windows_1252(text: str, declared: str) -> None:
    for part in (text, text[: text.index(".")], f"{text} " * 20):
        read = Page.parse(page(part, declared).encode("cp1252"))
        assert read.buffer.split() == part.split()
        assert not read.garbled


@pytest.mark.parametrize(("codec", "text"), OTHER)
def test_undeclared_text_of_other_scripts_and_languages_is_guessed(codec: str, text: str) -> None:
    for times in (1, 5):
        assert Page.parse(page(text * times).encode(codec)).buffer == text * times


@pytest.mark.parametrize("declared", ["", "windows-1252", "gbk"])
@pytest.mark.parametrize("text", [WESTERN[1], CHINESE, RUSSIAN])
def test_utf8_with_few_damaged_bytes_is_utf8(text: str, declared: str) -> None:
    body = page(f"{text} " * 20, declared).encode().replace(b"</p>", b" a bad \xe9 byte</p>")
    read = Page.parse(body)
    assert read.buffer.startswith(text)
    assert read.buffer.endswith("a bad \ufffd byte")
    assert not read.garbled
    response = HtmlResponse(
        "https://example.com/a", body=body, headers={"Content-Type": "text/html"}
    )
    assert page_of(response).buffer == read.buffer


# -- what was decoded wrongly --------------------------------------------------------------------

EASTERN = (CHINESE, TAIWANESE, JAPANESE, KOREAN)
MISREAD = [  # texts, what they are written as, what they are read as
    *((tuple(WRITTEN.values()), "utf-8", codec) for codec in ("latin-1", "cp1252", "cp1251")),
    ((*EASTERN, RUSSIAN, GREEK, ARABIC, CZECH), "utf-8", "gb18030"),
    *((EASTERN[:3], "gb18030", codec) for codec in ("utf-8", "cp1252", "latin-1")),
    *(((RUSSIAN,), codec, "utf-8") for codec in ("cp1251", "koi8-r")),
    *(((RUSSIAN,), codec, "cp1252") for codec in ("cp1251", "koi8-r")),
    ((GERMAN,), "cp1252", "utf-8"),
    ((CZECH,), "cp1250", "utf-8"),
    ((JAPANESE,), "shift_jis", "utf-8"),
]


@pytest.mark.parametrize(("texts", "written", "read"), MISREAD)
def test_a_page_that_was_decoded_wrongly_is_flagged(
    texts: tuple[str, ...], written: str, read: str
) -> None:
    for text in texts:
        html = page(f"{text} " * 20).encode(written).decode(read, "replace")
        assert Page.parse(html).garbled, text
        assert extract(html, extractor="mss").garbled, text


def test_right_pages_are_not_flagged() -> None:
    for text in [*WRITTEN.values(), "Café, naïve – “quoted” … © 2026 é’s «\u00a0été\u00a0»", "Ã"]:
        assert not Page.parse(page(text)).garbled, text
        assert not Page.parse(page(f"{text} and a few more words " * 20)).garbled, text
    assert not is_garbled("word " * 1000 + "Ã© Ã¤ Ã¶ \ufffd\ufffd \x92")
    assert not Page.parse("").garbled


ARTICLE = "".join(f"<p>{GERMAN} Und noch ein Satz, der Nummer {i} trägt.</p>" for i in range(12))


def test_nobody_is_confident_of_a_garbled_page() -> None:
    right = extract(page(ARTICLE).encode())
    wrong = extract(page(ARTICLE).encode("cp1252"), encoding="utf-8")
    assert right.confidence is not None
    assert wrong.confidence is not None
    assert wrong.confidence <= 0.5 < 0.8 < right.confidence
    assert (right.garbled, wrong.garbled) == (False, True)


# -- in a crawl ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "header", "stats"),
    [
        (page(CHINESE * 5, "gbk").encode(), "text/html", {"encoding_disagrees": 1}),
        (page(CHINESE * 5, "gbk").encode(), "text/html; charset=utf-8", {}),
        (page(CHINESE * 5, "utf-8").encode(), "text/html; charset=gbk", {"garbled": 1}),
        (page(CHINESE * 5, "utf-8").encode(), "text/html", {}),
        (page(CHINESE * 5, "gbk").encode("gbk"), "text/html", {}),
        (page("né", "windows-1252").encode(), "text/html", {"encoding_disagrees": 1}),
        (page(CHINESE * 5, "gbk").encode("utf-8-sig"), "text/html", {}),
    ],
)
def test_a_crawl_reads_a_page_as_the_library_does_and_counts_what_scrapy_misreads(
    body: bytes, header: str, stats: dict[str, int]
) -> None:
    crawl = Crawl({"BOILERPLATE_FIELDS": {"text": "text", "garbled": "garbled"}})
    response = HtmlResponse("https://example.com/a", body=body, headers={"Content-Type": header})
    first, second = crawl.scrape(response, {}, {})
    counted = {name: crawl.stats.get(name) for name in ("garbled", "encoding_disagrees")}
    assert {name: count for name, count in counted.items() if count} == stats
    assert first == second
    assert first["garbled"] == ("garbled" in stats)
    declared = http_content_type_encoding(header)
    assert first["text"] == extract(body, encoding=declared).text
    assert response.text == html_to_unicode(header, body)[1]  # what the spider sees stays
    again = page_of(response).read_again
    assert again().buffer == page_of(response).buffer


@given(
    before=st.text("\x1c\x85\xa0\u3000\ufeff \né", max_size=3),
    text=st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    after=st.text("\x1f\x85\xa0\u2028\0 \té", max_size=3),
)
def test_bytes_make_the_tree_that_their_text_makes(before: str, text: str, after: str) -> None:
    html = f"{before}<p>né {text}</p>{after}"
    bytes_ = html.encode()
    expected = etree.tostring(Selector(text=html.removeprefix("\ufeff"), type="html").root)
    assert etree.tostring(Page.parse(bytes_).root) == expected
    assert etree.tostring(Page.parse(bytes_, encoding="utf-8").root) == expected
