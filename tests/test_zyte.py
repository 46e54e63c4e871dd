"""Articles of zyte-common-items in a crawl."""

from __future__ import annotations

import attrs
import pytest
from itemadapter import ItemAdapter
from scraping import Crawl, page

zyte = pytest.importorskip("zyte_common_items")

HTML = (
    "<html lang=en><title>On piers | Example</title><link rel=canonical href=/piers>"
    "<meta name=description content='Of wood.'><meta property=og:image content=/a.png>"
    '<script type=application/ld+json>{"@type": "BreadcrumbList", "itemListElement": '
    '[{"position": 1, "name": "Home"}]}</script><h1>On piers</h1>'
    "<p>By Ada Lovelace, 4 May 2025</p>"
    + "<p>Piers are made of wood, which comes from the hills nearby by boat.</p>" * 4
    + "<figure><img src=/b.png></figure><p>It is cut in winter, when the boats are idle.</p>"
)


def test_an_article_is_filled_by_the_names_of_its_fields() -> None:
    (item,) = Crawl().scrape(page(HTML), zyte.Article(url="https://example.com/page"))
    assert type(item) is zyte.Article
    assert (item.headline, item.description, item.inLanguage) == ("On piers", "Of wood.", "en")
    assert "Piers are made of wood" in item.articleBody
    assert "<p>" in item.articleBodyHtml
    assert item.authors == [zyte.Author(name="Ada Lovelace")]
    assert (item.datePublished, item.datePublishedRaw) == ("2025-05-04", "4 May 2025")
    assert item.canonicalUrl == "https://example.com/piers"
    assert item.breadcrumbs == [zyte.Breadcrumb(name="Home")]
    assert item.mainImage == zyte.Image(url="https://example.com/a.png")
    assert item.dateModified is item.videos is item.metadata is None
    assert ItemAdapter(item).asdict()["authors"][0]["name"] == "Ada Lovelace"


def test_what_the_callback_filled_stays() -> None:
    (item,) = Crawl().scrape(page(HTML), zyte.Article(url="https://a.b/", headline="Mine"))
    assert item.headline == "Mine"
    assert item.description == "Of wood."


def test_a_derived_class_and_one_that_opts_out() -> None:
    @attrs.define(kw_only=True)
    class Mine(zyte.Article):  # type: ignore[name-defined]
        text: str | None = attrs.field(default=None, metadata={"boilerplate": "markdown"})
        headline: str | None = attrs.field(default=None, metadata={"boilerplate": False})

    (item,) = Crawl().scrape(page(HTML), Mine(url="https://a.b/"))  # type: ignore[call-arg]
    assert item.headline is None
    assert item.text == item.text.strip() + "\n"
    assert item.description == "Of wood."


def test_other_items_are_left_alone() -> None:
    (item,) = Crawl().scrape(page(HTML), zyte.JobPosting(url="https://a.b/"))
    assert item == zyte.JobPosting(url="https://a.b/")


def test_a_product_has_its_offer() -> None:
    offer = (
        '<script type=application/ld+json>{"@type": "Product", "name": "A pier", "sku": "P1",'
        '"brand": {"name": "Berg"}, "aggregateRating": {"ratingValue": 4.5}, "offers": {"@type":'
        '"Offer", "price": 24.9, "priceCurrency": "EUR", "availability": "InStock"}}</script>'
    )
    html = HTML.replace("</title>", f"</title>{offer}").replace("On piers", "A pier")
    (item,) = Crawl().scrape(page(html), zyte.Product(url="https://a.b/"))
    assert (item.name, item.price, item.currency) == ("A pier", "24.9", "EUR")
    assert (item.availability, item.sku) == ("InStock", "P1")
    assert item.brand == zyte.Brand(name="Berg")
    assert item.aggregateRating == zyte.AggregateRating(ratingValue=4.5)
    assert (item.description, item.variants) == ("Of wood.", None)


def test_a_thread_gets_its_posts() -> None:
    posts = "".join(
        f"<div class=post id=post-{n}><b class=author>Ada</b> <time>2025-09-0{n}</time>"
        f"<div class=body><p>I have seen {n} piers on the northern coast, all of wood.</div></div>"
        for n in (1, 2, 3)
    )
    html = f"<title>Which piers? | Example</title><h1>Which piers?</h1><div id=posts>{posts}</div>"
    (item,) = Crawl().scrape(page(html), zyte.ForumThread(url="https://example.com/page"))
    assert item.topic == zyte.Topic(name="Which piers?")
    assert [post.datePublished for post in item.posts] == [f"2025-09-0{n}" for n in (1, 2, 3)]
    assert item.posts[1].text == "I have seen 2 piers on the northern coast, all of wood."
    assert item.posts[1].url == "https://example.com/page"
    assert item.threadId is None
