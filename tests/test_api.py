"""What ``extract`` takes: whatever holds HTML, and nothing that only says where some is."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import scrapy
from cases import column
from lxml import etree
from parsel import Selector
from scrapy.http import HtmlResponse, JsonResponse, Response, TextResponse, XmlResponse

from scrapy_boilerplate import Extraction, Page, compare, explain, extract

TEXT = "Žluťoučký kůň goes home in the evening, and sleeps."
HTML = f"<!DOCTYPE html><title>T</title><ul><li><a href='/'>Home</a></ul><div><p>{TEXT}</p></div>"
URL = "https://example.com/page"


def response(cls: type[Any] = HtmlResponse, body: str = HTML, **kwargs: Any) -> Any:
    if cls is not Response:
        kwargs["encoding"] = "utf-8"
    return cls(URL, body=body.encode(), **kwargs)


FORMS: dict[str, Callable[[Path], Any]] = {
    "str": lambda path: HTML,
    "bytes": lambda path: HTML.encode(),
    "bytearray": lambda path: bytearray(HTML.encode()),
    "memoryview": lambda path: memoryview(HTML.encode()),
    "path": lambda path: path,
    "file of bytes": lambda path: path.open("rb"),
    "file of text": lambda path: path.open(encoding="utf-8"),
    "BytesIO": lambda path: io.BytesIO(HTML.encode()),
    "StringIO": lambda path: io.StringIO(HTML),
    "response": lambda path: response(),
    "text response": lambda path: response(TextResponse),
    "selector": lambda path: Selector(HTML),
    "selector of Scrapy": lambda path: response().selector,
    "selectors": lambda path: response().css("body"),
    "several selectors": lambda path: Selector(HTML).css("ul, div"),
    "element": lambda path: etree.HTML(HTML),
    "tree": lambda path: etree.HTML(HTML).getroottree(),
    "page": lambda path: Page.parse(HTML),
}


@pytest.mark.parametrize("form", FORMS)
def test_whatever_holds_html_is_taken(form: str, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(HTML, encoding="utf-8")
    html = FORMS[form](path)
    try:
        assert extract(html, extractor="mss").text == TEXT
    finally:
        if hasattr(html, "close"):
            html.close()


def test_a_response_knows_its_address_and_its_encoding() -> None:
    seen = []

    class Looking:
        name = "looking"

        def extract(self, page: Page) -> Extraction:
            seen.append((page.url, page.buffer.strip()))
            return Extraction("")

    other = HtmlResponse(URL, body="<p>kůň".encode("cp1250"), encoding="cp1250")
    extract(other, extractor=Looking())
    extract(other, url="https://other.example/", extractor=Looking())
    assert seen == [(URL, "kůň"), ("https://other.example/", "kůň")]


def test_a_part_of_a_page_is_read_by_itself() -> None:
    listed = response().css("ul")
    assert Page.parse(HTML).title == "T"
    assert extract(listed, extractor="bte").text == "Home"
    assert extract(Selector(HTML).css("nothing")).kind == "empty"


@pytest.mark.parametrize(
    "html", [None, 3, ["<p>"], {"html": "<p>"}, object()], ids=lambda html: type(html).__name__
)
def test_other_types_are_refused(html: Any) -> None:
    with pytest.raises(TypeError, match=rf"an open file, .* not {type(html).__name__}$"):
        extract(html)


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        extract(tmp_path / "gone.html")


ADDRESSES = (
    *("https://example.com/a?b=c", "HTTP://example.com", "  https://example.com/a\n"),
    *("www.example.com/page", "ftp://example.com/a.html", "file:///home/me/a.html"),
)
PATHS = (
    *("page.html", "pages/page.htm", "/var/www/pages/index.php", "./page.txt", "../page.xhtml"),
    *("~/page.html", "C:\\pages\\page.html", "c:/pages/page.html"),
)


@pytest.mark.parametrize("text", [*ADDRESSES, *PATHS])
def test_an_address_or_a_path_is_refused_with_the_mend(text: str) -> None:
    mend = "is a path, not HTML: pass pathlib.Path("
    mend = mend if text in PATHS else "is a URL, not HTML: download it and pass"
    with pytest.raises(ValueError, match=re.escape(mend)):
        extract(text)


@pytest.mark.parametrize("text", column("text_that_is_read"))
def test_other_text_is_read(text: str) -> None:
    extract(text)


def test_what_a_file_holds_is_no_address(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(URL)
    assert extract(path).text == ""
    assert extract(URL.encode()).text == ""
    assert extract(io.StringIO(URL)).text == ""


# -- responses of other classes ------------------------------------------------------------------


class Rendered(TextResponse):
    """What a browser or an API answers with, as their plugins have it."""


FEED = "<feed xmlns='a'><entry><title>A title</title><content>Some words.</content></entry></feed>"
XHTML = f"<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC 'x'><html><body><p>{TEXT}</p></body></html>"


@pytest.mark.parametrize(
    ("cls", "body", "content_type"),
    [
        (Rendered, f"<p>{TEXT}", "text/html; charset=utf-8"),
        (Rendered, f"<p>{TEXT}", "application/xhtml+xml"),
        (TextResponse, HTML, "text/plain"),
        (TextResponse, HTML, None),
        (TextResponse, f"\ufeff \n<html><body><p>{TEXT}", None),
        (TextResponse, f"<!-- a comment --><HTML lang=en><p>{TEXT}", None),
        (Rendered, f"<head></head><p>{TEXT}", "application/octet-stream"),
        (TextResponse, f"<body class=a><p>{TEXT}", None),
        (XmlResponse, XHTML, "application/xml"),
        (JsonResponse, HTML, "application/json"),
    ],
)
def test_a_text_response_that_holds_html_is_read(
    cls: type[Any], body: str, content_type: str | None
) -> None:
    headers = {"Content-Type": content_type} if content_type else {}
    mine = response(cls, body, headers=headers)
    assert extract(mine, extractor="mss").text == TEXT


@pytest.mark.parametrize(
    ("cls", "body", "content_type"),
    [
        (TextResponse, "# Title\n\nText with <b>some</b> markup", "text/markdown"),
        (TextResponse, "<div align=center>A readme file</div>", "text/plain"),
        (TextResponse, "The words <html> and <body>", "text/plain"),
        (TextResponse, "<htmlish>text</htmlish>", None),
        (XmlResponse, "<?xml version='1.0'?><rss><p>Text</p></rss>", "application/xml"),
        (HtmlResponse, f"<?xml version='1.0'?>\n<!-- a --><!-- b -->{FEED}", None),
        (HtmlResponse, f"<!DOCTYPE rss><rss version='2.0'>{FEED}</rss>", None),
        (HtmlResponse, "<urlset><url><loc>https://a.example/</loc></url></urlset>", None),
        (HtmlResponse, '{"html": "<p>JSON served as HTML"}', None),
        (HtmlResponse, "%PDF-1.4 binary \xff\x00 served as HTML", None),
        (JsonResponse, '{"html": "<html><p>Text"}', "application/json"),
        (JsonResponse, '{"html": "<html><p>Text"}', "text/html"),
        (TextResponse, "", None),
        (Response, HTML, "text/html"),
    ],
)
def test_a_response_that_holds_no_html_is_not_read(
    cls: type[Any], body: str, content_type: str | None
) -> None:
    headers = {"Content-Type": content_type} if content_type else {}
    assert extract(response(cls, body, headers=headers)).kind == "not_html"


def test_utf_16_is_seen_by_its_first_bytes() -> None:
    mine = TextResponse(URL, body=HTML.encode("utf-16"), encoding="utf-16")
    assert extract(mine, extractor="mss").text == TEXT


def test_the_beginning_is_looked_at_in_linear_time() -> None:
    for start in ("<!--", "<?xml ", " ", "<!-- a -->", "<!--" * 300):
        assert extract(response(TextResponse, start * 100_000)).kind == "not_html"


# -- names of presets ----------------------------------------------------------------------------


def test_requests_of_scrapy_are_no_pages() -> None:
    with pytest.raises(TypeError, match="not Request"):
        extract(scrapy.Request(URL))


@pytest.mark.parametrize("url", [None, "https://a.example/b"])
def test_strings_of_other_libraries_are_strings(url: str | None) -> None:
    class Text(str):
        __slots__ = ()

    class Data(bytes):
        pass

    html = "<h1>Rain</h1><p>It rained all day in the town, and nobody went out."
    whole = extract(html, url=url).text
    smart = etree.fromstring("<a/>").xpath("string($html)", html=html, smart_strings=True)
    for text in (Text(html), smart, Data(html.encode()), html.encode()):
        assert extract(text, url=url and Text(url)).text == whole


@pytest.mark.parametrize("name", ["url", "encoding"])
@pytest.mark.parametrize("value", [b"http://a.example/", 5, object()])
def test_an_address_or_encoding_of_another_type_is_an_error(name: str, value: Any) -> None:
    for function in (extract, explain, compare):
        with pytest.raises(TypeError, match=f"{name} must be a string"):
            function("<p>Some text", **{name: value})
