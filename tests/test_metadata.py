"""What a page says of itself: title, authors, dates and the rest."""

from __future__ import annotations

import html
import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from markup import documents

from scrapy_boilerplate import Page, extract
from scrapy_boilerplate.core.answer.metadata import Metadata, languages, read_metadata
from scrapy_boilerplate.core.answer.metadata.authors import names_in, names_in_line
from scrapy_boilerplate.core.answer.metadata.dates import find_date, read_date, url_date
from scrapy_boilerplate.core.answer.metadata.entities import read_json_ld
from scrapy_boilerplate.tools.testing import assert_linear

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


def test_what_is_not_declared_is_empty() -> None:
    found = read("<link rel=canonical href=''><meta property=og:image content=' '><p>Text.")
    assert found == Metadata(sources={})
    assert (
        read("<base href=/b/><link rel=canonical href=a>").canonical_url
        == "https://example.com/b/a"
    )


PRODUCT = {
    "@type": "Product",
    "name": "A kettle",
    "sku": "K-12",
    "brand": {"@type": "Brand", "name": "Example &amp; Sons"},
    "aggregateRating": {"@type": "AggregateRating", "ratingValue": 4.5, "reviewCount": 12},
    "offers": [
        {
            "@type": "Offer",
            "price": 24.9,
            "priceCurrency": "EUR",
            "availability": "https://schema.org/InStock",
        }
    ],
}
NAMES = ("price", "currency", "availability", "sku", "brand", "rating")


@pytest.mark.parametrize(
    ("page", "values"),
    [
        (json_ld(PRODUCT), ("24.9", "EUR", "InStock", "K-12", "Example & Sons", "4.5")),
        ("<div itemscope itemtype=https://schema.org/Product><h1 itemprop=name>A kettle</h1>"
         "<b itemprop=sku>K-12</b><p itemprop=offers itemscope itemtype=http://schema.org/Offer>"
         "<b itemprop=price>£24.90</b><meta itemprop=priceCurrency content=GBP>"
         "<link itemprop=availability href=http://schema.org/OutOfStock></p></div>", ("24.90",
         "GBP", "OutOfStock", "K-12", "", "")),
        ("<meta property=og:type content=product><meta property=product:price:amount content=9>"
         "<meta property=product:price:currency content=USD>"
         "<meta property=product:availability content='in stock'>", ("9", "USD", "in stock", "",
         "", "")),
        (json_ld({**PRODUCT, "offers": {"@type": "AggregateOffer", "lowPrice": "5"}}), ("5", "",
         "", "K-12", "Example & Sons", "4.5")),
        (json_ld({"@type": "ProductGroup", "name": "A kettle", "hasVariant": [PRODUCT]}), ("24.9",
         "EUR", "InStock", "", "", "")),
        (json_ld({"@type": "ProductGroup", "name": "A kettle", "hasVariant": [{**PRODUCT,
         "url": "/another"}]}), ("",) * 6),
        (json_ld({"@type": "NewsArticle", "headline": "A kettle", "offers": [1]}), ("",) * 6),
        (json_ld({"@type": "Product", "offers": {"price": {"a": []}}, "sku": [[]]}), ("",) * 6),
    ],
)  # fmt: skip
def test_products(page: str, values: tuple[str, ...]) -> None:
    found = read(f"<title>A kettle</title>{page}{TEXT}")
    assert tuple(getattr(found, name) for name in NAMES) == values


# -- title -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "title"),
    [
        ("<title>A title of some length | The Example</title><h1>A title of some length</h1>",
         "A title of some length"),
        ("<title>Repairing old piers - Example.com</title>", "Repairing old piers"),
        ("<title>The Example | Repairing old piers</title><meta property=og:site_name "
         "content='The Example'>", "Repairing old piers"),
        ("<title>Repairing old piers</title><h1>The Example</h1><meta property=og:site_name "
         "content='The Example'>", "Repairing old piers"),
        ("<title>The Example: Repairing old piers</title><meta property=og:site_name "
         "content='The Example'><h2>Repairing old piers</h2>", "Repairing old piers"),
        ("<h1>Repairing <i>old</i> piers</h1>", "Repairing old piers"),
        ("<title>Piers &amp;amp; boats</title>", "Piers & boats"),
        ("", ""),
    ],
)  # fmt: skip
def test_title(head: str, title: str) -> None:
    assert read(head + TEXT, "https://www.example.com/repairing-old-piers").title == title


# -- authors ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "authors", "source"),
    [
        ("<p>By Ada Lovelace</p>", ("Ada Lovelace",), "by-line"),
        ("<p>By <a>Ada Lovelace</a> and <a>Grace Hopper</a> | 4 May 2025", ("Ada Lovelace",
         "Grace Hopper"), "by-line"),
        ("<p>4 May 2025 · Ada Lovelace</p>", ("Ada Lovelace",), "by-line"),
        ("<a rel=author href=/ada>Ada Lovelace</a>", ("Ada Lovelace",), "rel=author"),
        ("<div class=post-author>Ada Lovelace<br>Chief editor</div>", ("Ada Lovelace",), "class"),
        ("<div class=author-bio>Ada Lovelace</div>", (), None),
        ("<p>By clicking here you agree to it.</p>", (), None),
        ("<meta name=author content=admin><p>By Ada Lovelace", ("Ada Lovelace",), "by-line"),
        # A name to log in counts where nobody else is named.
        ("<meta name=author content=alovelace><p>By Ada Lovelace", ("Ada Lovelace",), "by-line"),
        ("<meta name=author content=alovelace>", ("alovelace",), "author"),
        ("<p>Guest post by Ada Lovelace</p>", ("Ada Lovelace",), "by-line"),
        ("<p>Story by: Ada Lovelace / Photos by: Bob Miller</p>", ("Ada Lovelace",), "by-line"),
        ("<p>Rédigé par Ada Lovelace le 4 mai 2025</p>", ("Ada Lovelace",), "by-line"),
        ("<p>Door: Ada Lovelace | 4 mei 2025</p>", ("Ada Lovelace",), "by-line"),
        ("<p>By Ada Lovelace. Translated by Bob Miller</p>", ("Ada Lovelace",), "by-line"),
        ("<p>Created by Ada Lovelace, last modified by Bob Miller on May 4, 2025</p>",
         ("Ada Lovelace",), "by-line"),
        ("<p>Ada Lovelace. Published 4 May 2025</p>", ("Ada Lovelace",), "before date"),
        ("<p>记者 王小明 2025年5月4日 10:15</p>", ("王小明",), "by-line"),
        ("<div vocab=https://schema.org/ typeof=Article><b property=author>Ada Lovelace</b></div>",
         ("Ada Lovelace",), "class"),
        ("<meta name=author content='Ada Lovelace | Sponsored'>", ("Ada Lovelace",), "author"),
        ("<meta name=author content='Ada Lovelace/The Example'>", ("Ada Lovelace",), "author"),
        ("<meta name=author content='Ada Lovelace The Associated Press'>", ("Ada Lovelace",),
         "author"),
        ("<p><a href=/author/ada>Ada Lovelace</a><p>4 May 2025", ("Ada Lovelace",), "link"),
        ("<p><a href=https://www.example.com/staff/12/ada>Ada Lovelace</a>", ("Ada Lovelace",),
         "link"),
        ("<p><a href=https://shop.other.org/author/ada>Buy Books</a>", (), None),
        ("<p><a rel=author>Ada Lovelace</a>, <a rel=author>Grace Hopper</a> and "
         "<a rel=author>Alan Turing</a>", ("Ada Lovelace", "Grace Hopper", "Alan Turing"),
         "rel=author"),
        ("<p>By</p><p>Ada Lovelace</p><p>-", ("Ada Lovelace",), "by-line"),
        (" ".join(f"<a href=/author/{n}>Ada Lovelace {n}</a>," for n in "ABCDEF"), (), None),
        ("<p>By Ada Lovelace, Example environment and harbour reporter", ("Ada Lovelace",),
         "by-line"),
        ("<p>Photos and Story By Ada Lovelace Special Correspondent", ("Ada Lovelace",), "by-line"),
        ("<div class=author>Commentary by</div><div class=author-name>Ada Lovelace",
         ("Ada Lovelace",), "class"),
        ("<a rel=author>Centre for Harbours</a>", ("Centre for Harbours",), "rel=author"),
        ("<aside class=related><a rel=author>Alan Turing</a></aside><p>By Ada Lovelace",
         ("Ada Lovelace",), "by-line"),
        ("<meta name=author content=Example><meta property=og:site_name content=Example>"
         "<p>By Ada Lovelace", ("Ada Lovelace",), "by-line"),
        ("<meta name=author content=Example><meta property=og:site_name content=Example>",
         ("Example",), "author"),
    ],
)  # fmt: skip
def test_authors(line: str, authors: tuple[str, ...], source: str | None) -> None:
    found = read(f"<h1>A title</h1>{line}</p></a></div>{TEXT}")
    assert (found.authors, found.sources.get("authors")) == (authors, source)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Written by: Ada Lovelace", ["Ada Lovelace"]),
        ("Ada Lovelace, PhD", ["Ada Lovelace, PhD"]),
        ("Ada Lovelace; Jean Bartik & Al Turing", ["Ada Lovelace", "Jean Bartik", "Al Turing"]),
        ("https://example.com/ada", []),
        ("", []),
        ("x" * 100, []),
    ],
)  # fmt: skip
def test_names(text: str, names: list[str]) -> None:
    assert names_in(text) == names


@pytest.mark.parametrize(
    ("line", "authors"),
    [
        ("Von Jürgen Müller", ("Jürgen Müller",)),
        ("4. März 2026, von Jürgen Müller und Anna von Stein", ("Jürgen Müller", "Anna von Stein")),
        ("Par Jean Dupont", ("Jean Dupont",)),
        ("Par Jean Dupont – Publié le 4 mars 2026", ("Jean Dupont",)),
        ("Por Juan Pérez", ("Juan Pérez",)),
        ("Di Mario Rossi", ("Mario Rossi",)),
        ("Door Jan de Vries", ("Jan de Vries",)),
        ("Autor: Jan Kowalski", ("Jan Kowalski",)),
        ("Автор: Иван Петров", ("Иван Петров",)),
        ("作者：王小明 来源：新华网", ("王小明",)),
        ("2026年3月4日 10:30 文/王小明", ("王小明",)),
        ("記者王小明／台北報導", ("王小明",)),
        ("بقلم: أحمد علي", ("أحمد علي",)),
        ("Yazar: Ayşe Yılmaz | 4 Mart 2026", ("Ayşe Yılmaz",)),
        ("Von hier aus sieht man das Meer", ()),
        ("Par ailleurs, le port est fermé", ()),
        ("Por fin llegó el verano", ()),
        ("Di Maria lascia il Benfica", ()),
        ("Von Montag an", ()),
        ("文化新闻：王小明", ()),
    ],
)
def test_by_lines_of_other_languages(line: str, authors: tuple[str, ...]) -> None:
    found = read(f"<h1>A title</h1><p>{line}</p>{TEXT}")
    assert found.authors == authors


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


def test_roles_are_no_names() -> None:
    assert names_in_line("Ada Lovelace Senior Editor") == ["Ada Lovelace"]


# -- dates -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2025-09-04", "2025-09-04"),
        ("2025-09-04T10:00:00.123Z", "2025-09-04T10:00:00+00:00"),
        ("2025-09-04 10:00:00 -0500", "2025-09-04T10:00:00-05:00"),
        ("Thu, 04 Sep 2025 10:00:00 GMT", "2025-09-04T10:00:00+00:00"),
        ("September 4th, 2025 at 12:30 am", "2025-09-04T00:30:00"),
        ("4. Sept. 2025", "2025-09-04"),
        ("04.09.2025", "2025-09-04"),
        ("13/09/2025", "2025-09-13"),
        ("2025年9月4日", "2025-09-04"),
        ("20250904", "2025-09-04"),
        ("1756980000", "2025-09-04T10:00:00+00:00"),
        ("1756980000000", "2025-09-04T10:00:00+00:00"),
        ("2025-02-30", ""),
        ("2025-13-01", ""),
        ("2025-09-04T25:00", "2025-09-04"),
        ("9999999999", "2286-11-20T17:46:39+00:00"),
        ("yesterday", ""),
        ("", ""),
    ],
)
def test_dates(text: str, date: str) -> None:
    assert read_date(text) == date


@given(st.text(st.sampled_from("0123456789-/.: TZ+janMayseptofthepm年月日"), max_size=40))
def test_reading_a_date_never_raises(text: str) -> None:
    read_date(text, day_first=True), find_date(text), url_date(text)


@pytest.mark.parametrize(
    ("line", "published", "modified"),
    [
        ("<time datetime=2025-09-04>x</time>", "2025-09-04", ""),
        ("<p>Updated: 5 May 2025</p><p>Published: 4 May 2025</p>", "2025-05-04", "2025-05-05"),
        ("<span class=post-date>May 4, 2025</span>", "2025-05-04", ""),
        ("<p>Posted on 4 May 2025 in News</p>", "2025-05-04", ""),
    ],
)
def test_dates_that_readers_see(line: str, published: str, modified: str) -> None:
    found = read(f"<h1>A title</h1>{line}{TEXT}")
    assert (found.date_published, found.date_modified) == (published, modified)


@pytest.mark.parametrize(
    "line",
    [
        "Published 4 March 2026. Last updated 5 March 2026.",
        "Last updated 5 March 2026. Published 4 March 2026.",
        "Posted on March 4, 2026 | Updated: March 5, 2026",
        "Updated: 2026-03-05 – Published: 2026-03-04",
        "Published: 03/04/2026 10:30 am, updated 03/05/2026 9:00 pm",
        "4 March 2026 · updated 5 March 2026",
        "4 March 2026 (published) – 5 March 2026 (updated)",
        "Posted on <time>4 March 2026</time>, last modified on <time>5 March 2026</time>",
        "<span>Published</span> <span>4 March 2026</span> <span>Updated</span> <span>5.3.2026",
        "发布时间：2026年3月4日 更新时间：2026年3月5日",
        "2026年3月4日 公開／2026年3月5日 更新",
        "Publicado el 4 de marzo de 2026. Actualizado el 5 de marzo de 2026",
        "نُشر في 4 مارس 2026، آخر تحديث 5 مارس 2026",
        "تاريخ النشر: ٤ مارس ٢٠٢٦ | آخر تحديث: ٥ مارس ٢٠٢٦",
        "Publicado em 4 de março de 2026 | Atualizado em 5 de março de 2026",
        "Опубликовано 4 марта 2026 г., обновлено 5 марта 2026 г.",
        "Publié le 4 mars 2026 à 10h30 – Mis à jour le 5 mars 2026 à 9h00",
        "Veröffentlicht am 4. März 2026, aktualisiert am 5. März 2026 um 10:30 Uhr",
        "Pubblicato il 4 marzo 2026 - Ultimo aggiornamento: 5 marzo 2026",
        "Opublikowano: 4 marca 2026, zaktualizowano: 5 marca 2026",
        "Megjelent: 2026. március 4. Frissítve: 2026. március 5.",
        "Yayınlanma: 4 Mart 2026 - Güncelleme: 5 Mart 2026",
    ],
)
def test_published_and_updated_on_one_line(line: str) -> None:
    found = read(f"<h1>A title</h1><p>{line}</p>{TEXT}")
    assert (found.date_published[:10], found.date_modified[:10]) == ("2026-03-04", "2026-03-05")


COMMENTS = "".join(
    f'<li class="comment" id="comment-{n}"><cite>Grace</cite> <time datetime="2026-04-0{n}">April '
    f"{n}</time><p>I was there as a child.</p></li>"
    for n in range(1, 5)
)


@pytest.mark.parametrize(
    "page",
    [
        # The ordinary layout of WordPress.
        '<article class="post hentry"><h1 class="entry-title">A title</h1><div class="entry-meta">'
        f'Posted on 4 March 2026 by Ada</div><div class="entry-content">{TEXT}</div></article>'
        f'<div id="comments"><ol class="comment-list">{COMMENTS}</ol></div>',
        f"<h1>A title</h1><p>4 March 2026</p>{TEXT}<ol class=commentlist>{COMMENTS}</ol>",
        "<aside><h2>News</h2><time datetime=2026-05-01>May 1</time></aside><h1>A title</h1>"
        f"<p>4 March 2026</p>{TEXT}<aside><time datetime=2026-05-02>May 2</time></aside>",
        f"<h1>A title</h1><p>By Ada Lovelace, 4 March 2026</p>{TEXT}<div class=related-posts><p>"
        "<time datetime=2026-05-01>May 1</time> Another</p></div>",
        '<body class="with-sidebar"><h1>A title</h1><span class="date">4 March 2026</span>'
        f"{TEXT}<div class=sidebar><span class=date>5 May 2026</span></div>",
        f"<article><h1>A title</h1>{TEXT}<footer class=entry-footer>Published 4 March 2026</footer>"
        f"</article><ol class=comments>{COMMENTS}</ol>",
    ],
)
def test_the_date_of_the_article_comes_before_those_beside_it(page: str) -> None:
    assert read(page).date_published == "2026-03-04"


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


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("4 mars 2026", "2026-03-04"),
        ("1er août 2026", "2026-08-01"),
        ("4 de diciembre de 2026", "2026-12-04"),
        ("4 мая 2026 г., 10:30", "2026-05-04T10:30:00"),
        ("4 stycznia 2026", "2026-01-04"),
        ("2026. augusztus 4.", "2026-08-04"),
        ("4 Ağustos 2026", "2026-08-04"),
        ("4 أغسطس 2026", "2026-08-04"),
        ("4 كانون الثاني 2026", "2026-01-04"),
        ("4 Δεκεμβρίου 2026, 14:29:20", "2026-12-04T14:29:20"),
        ("chapter 4 2026", ""),
        ("4 Marchioness 2026", ""),
    ],
)
def test_months_of_other_languages(text: str, date: str) -> None:
    assert read_date(text) == date


def test_the_address_has_a_whole_date_or_none() -> None:
    assert url_date("https://example.com/2025/12/a-title") == ""
    assert url_date("https://example.com/2025-12-15+a-title") == "2025-12-15"
    assert url_date("https://example.com/20251215/a") == "2025-12-15"


def test_the_date_in_the_address() -> None:
    assert read(TEXT, "https://example.com/2025/09/04/a").date_published == "2025-09-04"


def test_the_language_tells_the_order_of_day_and_month() -> None:
    dated = "<meta name=date content=3/4/2025>" + TEXT
    assert read(f"<html lang=en-US>{dated}").date_published == "2025-03-04"
    assert read(f"<html lang=fr>{dated}").date_published == "2025-04-03"


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
    detector = pytest.importorskip("pycld2").detect
    monkeypatch.setattr(languages, "_detector", lambda: detector)
    found = read(html)
    assert (found.language, found.sources.get("language", "")) == (language, source)


@given(st.text(min_size=100, alphabet=st.characters(exclude_categories=())))
def test_a_detector_takes_any_text(text: str) -> None:
    pytest.importorskip("pycld2")
    assert isinstance(languages._detected(text), dict)


def test_without_a_detector_the_longest_texts_tell_the_script() -> None:
    menu = "".join(f"<li><a>Menu item number {n}</a>" for n in range(200))
    found = read(f"<html lang=zh><ul>{menu}</ul><p>{'今天整天下雨，没有人出门。' * 9}")
    assert found.language == "zh"


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


def test_forgiven_json_ld() -> None:
    script = '<!-- {"@type": "Article",\n "headline": "A\nB", "author": ["C",], } -->'
    (entity,) = read_json_ld(script)
    assert entity.text("headline") == "A B"


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


def test_trees_of_xml_have_metadata() -> None:
    root = etree.fromstring(
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>A title</title>'
        '<meta name="author" content="Ada Lovelace"/></head><body><p>Text.</p></body></html>'
    )
    assert extract(root).metadata.authors == ("Ada Lovelace",)


@pytest.mark.parametrize(
    ("make", "size"),
    [
        (lambda size: "<meta name=author content=A>" * size, 2000),
        (lambda size: "<div itemscope itemprop=a>" * size + "a", 200),
        (lambda size: "<div itemscope itemtype=Article>" + "<b itemprop=author>A</b>" * size, 2000),
        (lambda size: json_ld([{"@type": "Article", "headline": "A"}] * size), 2000),
        (lambda size: "<h1>A</h1>" * size + "<p>By A</p>" * size, 2000),
        (lambda size: "<p class=author>A b</p>" * size, 2000),
        (lambda size: "<title>" + "a - " * size + "</title>a", 20_000),
        (lambda size: "<time>2025</time>" * size, 3000),
        (lambda size: "<p>" + "1/1/" * size, 20_000),
        (lambda size: "<p>" + "written by " * size, 10_000),
        (lambda size: "<i itemscope><i itemprop=name>" * size + "text " * size, 100),
    ],
    ids="metas items properties objects headings classes title times slashes by nested".split(),
)  # fmt: skip
def test_metadata_takes_linear_time(make, size: int) -> None:
    assert_linear(lambda size: Page.parse(make(size)), read_metadata, size)


# -- on an extraction ------------------------------------------------------------------------


def test_extractions_have_metadata() -> None:
    page = f"<title>A title | Example</title><h1>A title</h1><p>By Ada Lovelace</p>{TEXT}"
    answer = extract(page, url="https://example.com/", extractor="mss-tuned")
    assert answer.title == answer.metadata.title == "A title"
    assert answer.metadata is answer.metadata
    copy = pickle.loads(pickle.dumps(answer))
    assert copy.metadata == answer.metadata
    assert json.loads(json.dumps(answer.to_dict())) == answer.to_dict()
    assert answer.to_dict()["metadata"]["authors"] == ["Ada Lovelace"]


def test_a_page_without_text_has_metadata() -> None:
    answer = extract("<html><head><title>A title</title></head><body></body></html>")
    assert (answer.text, answer.title) == ("", "A title")
