"""What a page says of itself: title, authors, dates and the rest."""

from __future__ import annotations

import html
import json

import pytest
from cases import rows
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from markup import documents

from scrapy_boilerplate import Page, extract
from scrapy_boilerplate.core.answer.metadata import Metadata, languages, read_metadata
from scrapy_boilerplate.core.answer.metadata.dates import find_date, read_date, url_date
from scrapy_boilerplate.core.answer.metadata.entities import read_json_ld

TEXT = "<p>The harbour was built in 1874, when the fishermen asked for a safe place.</p>" * 5


@pytest.fixture(autouse=True)
def without_detector(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read languages as without the extra, whatever is installed."""
    monkeypatch.setattr(languages, "_detector", lambda: None)


def read(html: str, url: str | None = "https://example.com/news/a-title") -> Metadata:
    return read_metadata(Page.parse(html, url=url))


def json_ld(value: object) -> str:
    return f"<script type=application/ld+json>{json.dumps(value)}</script>"


ARTICLE = {
    "@context": "https://schema.org",
    "@type": "NewsArticle",
    "headline": "A title",
    "author": [{"@type": "Person", "name": "Ada Lovelace"}, "Grace Hopper"],
    "datePublished": "2025-09-04T10:00:00+0200",
    "dateModified": "2025-09-05",
    "image": {"@type": "ImageObject", "url": "/a.jpg"},
    "articleSection": "Harbours",
    "keywords": "boats, piers",
    "publisher": {"@type": "Organization", "name": "The Example"},
    "license": "https://creativecommons.org/licenses/by/4.0/",
    "inLanguage": "en-GB",
}
CRUMBS = {
    "@type": "BreadcrumbList",
    "itemListElement": [
        {"@type": "ListItem", "position": 2, "item": {"@id": "/news", "name": "News"}},
        {"@type": "ListItem", "position": 1, "name": "Home"},
    ],
}


def test_json_ld() -> None:
    found = read(
        "<title>A title | The Example</title><meta name=description content='Of boats.'>"
        "<link rel=canonical href=/a>" + json_ld({"@graph": [ARTICLE, CRUMBS]}) + TEXT
    )
    names = "authors date_published date_modified image section tags breadcrumbs page_type license"
    sources = dict.fromkeys(names.split(), "json-ld")
    assert found == Metadata(
        title="A title",
        confidence=found.confidence,
        authors=("Ada Lovelace", "Grace Hopper"),
        date_published="2025-09-04T10:00:00+02:00",
        date_modified="2025-09-05",
        date_published_raw="2025-09-04T10:00:00+0200",
        date_modified_raw="2025-09-05",
        language="en-GB",
        description="Of boats.",
        canonical_url="https://example.com/a",
        site_name="The Example",
        image="https://example.com/a.jpg",
        tags=("boats", "piers"),
        section="Harbours",
        breadcrumbs=("Home", "News"),
        page_type="NewsArticle",
        license="https://creativecommons.org/licenses/by/4.0/",
        sources={
            **sources,
            "title": "headline",
            "language": "structured data",
            "description": "description",
            "canonical_url": "canonical",
            "site_name": "structured data",
        },
    )


def test_what_json_does_not_have_is_nothing() -> None:
    for author in ("NaN", "Infinity", '{"name": NaN}', "[-Infinity]"):
        source = f'{{"@type": "NewsArticle", "author": {author}, "headline": NaN}}'
        found = read(f"<title>A</title><script type=application/ld+json>{source}</script>" + TEXT)
        assert (found.authors, found.title) == ((), "A")


@pytest.mark.parametrize(
    "name", ["<b>Bob Miller</b", "<b>Bob</b> Miller", "Bob Miller<br", "Bob <i>Miller"]
)
def test_no_markup_stands_in_a_name(name: str) -> None:
    found = read(json_ld({"@type": "NewsArticle", "author": {"name": name}}) + TEXT)
    assert found.authors == ("Bob Miller",)
    attribute = html.escape(name, quote=True)
    assert read(f'<meta name=author content="{attribute}">' + TEXT).authors == ("Bob Miller",)


def test_nothing_turns_the_order_of_letters_around() -> None:
    found = read(
        "<title>A \u2066title\u2069</title>"
        + json_ld({"@type": "NewsArticle", "author": {"name": "Bob \u202erelliM"}})
        + TEXT
    )
    assert (found.title, found.authors) == ("A title", ("Bob relliM",))
    marks = read("<title>\u200fאבג title</title>" + TEXT).title
    assert "אבג" in marks


def test_references_are_followed() -> None:
    graph = [
        {"@type": "Article", "headline": "A title", "author": {"@id": "#ada"}},
        {"@type": "Person", "@id": "#ada", "name": "Ada Lovelace"},
    ]
    assert read(json_ld({"@graph": graph}) + TEXT).authors == ("Ada Lovelace",)


def test_microdata() -> None:
    found = read(
        "<div itemscope itemtype=https://schema.org/BlogPosting><h1 itemprop=headline>A title</h1>"
        "<span itemprop=author itemscope itemtype=http://schema.org/Person>"
        "<b itemprop=name>Ada Lovelace</b></span>"
        "<time itemprop=datePublished datetime=2025-09-04>Thursday</time>"
        f"<img itemprop=image src=a.png>{TEXT}</div>"
    )
    assert (found.title, found.authors, found.date_published) == (
        "A title", ("Ada Lovelace",), "2025-09-04",
    )  # fmt: skip
    assert found.image == "https://example.com/news/a.png"
    assert found.sources["authors"] == found.sources["date_published"] == "microdata"


def test_meta_elements() -> None:
    found = read(
        "<meta property=og:title content='A title'><meta property=og:site_name content=Example>"
        "<meta property=article:published_time content=2025-09-04T10:00:00Z>"
        "<meta name=author content='Ada Lovelace and Grace Hopper'>"
        "<meta property=article:tag content=boats><meta property=article:tag content=piers>"
        "<meta property=og:image content=/a.png><meta property=og:type content=article>"
        "<meta property=og:locale content=de_AT>" + TEXT
    )
    assert found.authors == ("Ada Lovelace", "Grace Hopper")
    assert found.date_published == "2025-09-04T10:00:00+00:00"
    assert found.tags == ("boats", "piers")
    assert found.language == "de-AT"
    assert (found.site_name, found.page_type) == ("Example", "article")


def test_the_site_is_named_by_its_link_to_the_front_page() -> None:
    page = "<title>A title – The Example</title><a href=/ rel=home>The Example</a>" + TEXT
    assert read(page).site_name == "The Example"
    publisher = '{"@type":"Article","headline":"A title","publisher":{"name":"The Post"}}'
    script = f'<script type=application/ld+json>[{{"@type":"Organization","name":"X"}},{publisher}]'
    assert read(f"<title>A title</title>{script}</script>{TEXT}").site_name == "The Post"


def test_what_is_not_declared_is_empty() -> None:
    found = read("<link rel=canonical href=''><meta property=og:image content=' '><p>Text.")
    assert found == Metadata(sources={})
    assert (
        read("<base href=/b/><link rel=canonical href=a>").canonical_url
        == "https://example.com/b/a"
    )


# -- tables ----------------------------------------------------------------------------------


@pytest.mark.parametrize("cells", rows("products"))
def test_products(cells: list[str]) -> None:
    page, *values = cells
    found = read(f"<title>A kettle</title>{page}{TEXT}")
    names = ("price", "currency", "availability", "sku", "brand", "rating")
    assert [getattr(found, name) for name in names] == values


@pytest.mark.parametrize(("page", "title"), rows("titles"))
def test_title(page: str, title: str) -> None:
    text = "" if "</p>" in page else TEXT
    assert read(page + text, "https://www.example.com/repairing-old-piers").title == title


@pytest.mark.parametrize(("line", "authors", "source"), rows("authors"))
def test_authors(line: str, authors: str, source: str) -> None:
    found = read(f"<h1>A title</h1>{line}</p></a></div>{TEXT}")
    assert ("|".join(found.authors), found.sources.get("authors", "")) == (authors, source)


@pytest.mark.parametrize(("text", "date"), rows("dates"))
def test_dates(text: str, date: str) -> None:
    assert read_date(text) == date


@pytest.mark.parametrize(("language", "page", "published", "modified"), rows("page_dates"))
def test_dates_of_a_page(language: str, page: str, published: str, modified: str) -> None:
    if "<h1" not in page:
        body = page if "{text}" in page else f"{page}{{text}}"
        page = f"<html lang={language}><title>The bridge</title><article><h1>The bridge</h1>{body}"
    found = read(page.replace("{text}", TEXT))
    assert (found.date_published, found.date_modified) == (published, modified)


@pytest.mark.parametrize(
    ("path", "date"),
    [
        ("2025/09/04/a", "2025-09-04"),
        ("2025-12-15+a-title", "2025-12-15"),
        ("20251215/a", "2025-12-15"),
        *((path, "") for path in ("2025/12/a-title", "2023/11/11-rules-for-tea/", "20231111-tea/")),
    ],
)
def test_the_address_has_a_whole_date_or_none(path: str, date: str) -> None:
    assert read(TEXT, f"https://example.com/{path}").date_published == date


@pytest.mark.parametrize(("query", "date"), [("?p=7", "2025-05-04"), ("", "")])
def test_a_front_page_has_no_query(query: str, date: str) -> None:
    page = f"<title>A pier</title><h1>A pier</h1><p>Posted on May 4, 2025{TEXT}"
    assert read(page, f"https://example.com/{query}").date_published == date


def test_the_language_of_the_page_decides_what_a_preposition_is() -> None:
    page = f"<h1>A title</h1><p>Von Trapp Family</p>{TEXT}"
    assert read(f"<html lang=en>{page}").authors == ()


def test_more_evidence_makes_an_answer_surer() -> None:
    line = "<p>4 September 2025"
    alone, twice = (
        read_metadata(Page.parse(f"<title>A pier</title><h1>A pier</h1>{line}{TEXT}", url=url))
        for url in ("https://example.com/pier", "https://example.com/2025/09/04/pier")
    )
    assert alone.confidence.keys() == {"title", "date_published"}
    assert 0.5 < alone.confidence["date_published"] < twice.confidence["date_published"] < 1
    unsure = read("<title>A pier - Harbours - The Example</title>" + TEXT)
    assert unsure.confidence["title"] < alone.confidence["title"]


# -- dates -----------------------------------------------------------------------------------


@given(st.text(st.sampled_from("0123456789-/.: TZ+janMayseptofthepm年月日"), max_size=40))
def test_reading_a_date_never_raises(text: str) -> None:
    read_date(text, day_first=True), find_date(text), url_date(text)


@pytest.mark.parametrize(
    "make",
    [
        "<h2><a href=/{n}>Title {n}</a></h2><time datetime=2026-03-0{n}>March {n}</time>",
        "<article><h2><a href=/{n}>Title {n}</a></h2><p class=date>March {n}, 2026</p></article>",
        "<h3>Title {n}</h3><div>{n} March 2026</div><p>What the text is about, in some words.</p>",
    ],
)
@pytest.mark.parametrize("head", ["<title>The Example</title>", "<h1>The Example</h1>"])
def test_a_front_page_has_no_date_of_its_teasers(head: str, make: str) -> None:
    page = head + "".join(make.format(n=n) for n in range(1, 7))
    found = read(page, "https://example.com/")
    assert (found.date_published, found.date_modified) == ("", "")


# -- language --------------------------------------------------------------------------------
HUNGARIAN = f"<p>{'Egész nap esett az eső a városban. ' * 5}</p>"


@pytest.mark.parametrize(
    ("html", "language", "source"),
    [
        ("<html lang=en-us><p>Some text", "en-US", "html lang"),
        ("<html lang=en><p>Привет, это текст", "", ""),
        ("<html lang=ru><p>Привет, это текст", "ru", "html lang"),
        ("<html lang=en><p>これは日本語のテキストです", "ja", "script"),
        ("<html lang=zh-Hant-TW><p>這是中文", "zh-Hant-TW", "html lang"),
        ("<html lang=und><meta http-equiv=content-language content='de, en'><p>Text", "de",
         "content-language"),
        ("<p>Text", "", ""),
    ],
)  # fmt: skip
def test_language(html: str, language: str, source: str) -> None:
    found = read(html)
    assert (found.language, found.sources.get("language", "")) == (language, source)


ENGLISH = (
    "<p>It rained all day in the town, and nobody went out to look at the river or at us.</p>" * 3
)


@pytest.mark.parametrize(
    ("html", "language", "source"),
    [
        (f"<html lang=en-GB>{ENGLISH}", "en-GB", "html lang"),
        (f"<html lang=de>{ENGLISH}", "en", "text"),
        (ENGLISH, "en", "text"),
        (f"<html lang=hu>{'<a>Menu</a> ' * 60}{HUNGARIAN}", "hu", "html lang"),
        ("<html lang=de><p>It rained.", "de", "html lang"),
        ("<p>It rained.", "", ""),
        (f"{HUNGARIAN}<pre>{'for each in items: print(each) ' * 50}", "hu", "text"),
        (f"<html lang=hu>{ENGLISH}{HUNGARIAN}", "hu", "html lang"),
        (f"{ENGLISH}\x80\ufdd0\ufffe", "en", "text"),
    ],
)  # fmt: skip
def test_the_language_of_the_text(
    html: str, language: str, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    detector = pytest.importorskip("pycld2")
    monkeypatch.setattr(languages, "_detector", lambda: detector)
    found = read(html)
    assert (found.language, found.sources.get("language", "")) == (language, source)


# -- bad input -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "script",
    [
        "", "{", "null", "[]", "[[]]", "1", '"a"', "{}", '{"@type": 1, "author": null}',
        '{"@graph": 1}', '{"@graph": [1, "a", null]}', "[" * 100_000, '{"a":' * 100_000,
        '{"@type": "Article", "author": {"name": {"name": ["x"]}}}',
        '{"@type": ["Article", null], "headline": ["A"], "datePublished": {"@value": 1}}',
        '{"@type": "Article", "image": [[["a"]]], "keywords": [{}], "license": {}}',
        '{"@type": "BreadcrumbList", "itemListElement": [1, {"position": "x"}, {"item": []}]}',
        '{"@type": "Article", "headline": "\\ud800", "author": "A\\u0000B \\ud800"}',
        '{"@type": "Article", "url": "http://[", "image": "http://[", "mainEntity": 3}',
    ],
)  # fmt: skip
def test_bad_json_ld(script: str) -> None:
    found = read(f"<script type=application/ld+json>{script}</script>{TEXT}", "http://[")
    json.dumps(found.to_dict()).encode()
    "".join(found.authors).encode()


@pytest.mark.parametrize(
    "script",
    [
        '<!-- {"@type": "Article",\n "headline": "A\nB", "author": ["C",], } -->',
        '<!-- [x] -->{"@type": "Article", "headline": "A B"};',
        '//<![CDATA[\n[{"headline": /* it */ "A B", // a title\n "author": {"name": 1}}]//]]>',
        '{"headline": "A B"} {"@type": "WebSite"}',
        '{"headline": {"@list": [{"@value": "A B", "@language": "en"}]}}',
    ],
)
def test_forgiven_json_ld(script: str) -> None:
    assert read_json_ld(script)[0].text("headline") == "A B"


@given(documents)
def test_any_page(html: str) -> None:
    page = Page.parse(html, url="https://example.com/")
    before = etree.tostring(page.root)
    found = read_metadata(page)
    assert etree.tostring(page.root) == before
    assert read_metadata(page) == found
    assert set(found.sources) == {
        name
        for name, value in found.to_dict().items()
        if value and name not in ("sources", "confidence")
    }


# -- on an extraction ------------------------------------------------------------------------


def test_a_writer_near_the_title_comes_before_one_of_the_site_whom_no_reader_sees() -> None:
    html = (
        "<title>Spring cleaning</title><meta name=author content='Marta Lindqvist'>"
        "<h1>Spring cleaning</h1><ul><li>News<li>3 minutes<li>Spring<li class=author>Jonas Reuter"
        "</ul>" + "<p>We swept the shop, all of it, and threw away three barrels of shavings." * 3
    )
    assert extract(html).metadata.authors == ("Jonas Reuter",)


@pytest.mark.parametrize("name", ["author-content-item-tips", "author-card"])
def test_one_word_above_the_title_is_no_author(name: str) -> None:
    tags = "<li><a href=/t>city</a>" * 14
    html = (
        f"<div class=panel><div class={name}>Tags</div><ul>{tags}</ul></div>"
        "<h1>Spring cleaning</h1><p>We swept the shop, all of it, and threw away three barrels."
    )
    assert not extract(html).metadata.authors


def test_links_declare_tags_and_a_license() -> None:
    links = "<a rel=tag href=/t/1>old</a>, <a rel='Tag' href=/t/2>piers</a>, <a rel=tag href=/t>"
    category = "<a rel='category tag' href=/c>Harbour</a>"
    html = f"<h1>Spring</h1><p>{links}{category}<a rel=license href=https://a.example/by>CC</a>"
    metadata = extract(html).metadata
    assert (metadata.tags, metadata.sources["tags"]) == (("old", "piers"), "rel=tag")
    assert metadata.license == "https://a.example/by"
