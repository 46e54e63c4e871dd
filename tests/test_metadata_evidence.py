"""Which of the dates, names and entities on a page are the page's own."""

from __future__ import annotations

import json
import pickle

import pytest

from scrapy_boilerplate import Page, extract, get_extractor
from scrapy_boilerplate.core.answer.metadata import Metadata, page_metadata, read_metadata

TEXT = (
    "<p>The council met on Tuesday to talk about the bridge that links harbour and market.</p>" * 4
)
URL = "https://town.example/bridge"


def read(html: str, url: str = URL) -> Metadata:
    return read_metadata(Page.parse(html, url=url))


def page(line: str = "", head: str = "", lang: str = "en", foot: str = "") -> str:
    return (
        f"<html lang={lang}><head><title>The bridge</title>{head}</head><body><article>"
        f"<h1>The bridge</h1>{line}{TEXT}</article>{foot}</body></html>"
    )


def json_ld(*values: object) -> str:
    return "".join(f"<script type=application/ld+json>{json.dumps(v)}</script>" for v in values)


# -- what is no date of the page -------------------------------------------------------------


def test_lists_have_no_date_of_their_entries() -> None:
    teaser = (
        "<h2><a href=/{0}>The news of the day {0}</a></h2><time datetime=2025-05-{0}>day</time>"
    )
    teasers = "".join(teaser.format(day) for day in (11, 10))
    found = read(f"<title>News</title><h1>News</h1>{teasers}", "https://town.example/news")
    assert found.date_published == ""
    links = "".join(
        f"<p><time datetime=2025-05-{day}>May {day}</time> <a href=/{day}>News of the day</a></p>"
        for day in (14, 13, 12, 11)
    )
    found = read(f"<title>2025</title><h1>2025</h1>{links}", "https://town.example/2025/")
    assert found.date_published == ""


def test_a_thread_has_the_date_and_the_author_of_its_first_post() -> None:
    post = (
        "<div class=comment><b class=comment-username>{0}</b>"
        "<ul class=comment-date><li title='May {1}, 2025, 9 a.m.'>{1} May</li></ul><p>{2}</p></div>"
    )
    posts = (post.format("ada_b", 4, "How long? " * 30), post.format("bob", 5, "Not long. " * 30))
    found = read(f"<title>How long?</title><h1>How long?</h1><div class=comments>{''.join(posts)}")
    assert (found.date_published, found.authors) == ("2025-05-04T09:00:00", ("ada_b",))


# -- whose entity ----------------------------------------------------------------------------

CLIP = {"@type": "VideoObject", "name": "A clip", "uploadDate": "2015-01-16", "author": "Cy Dahl"}


@pytest.mark.parametrize("kind", "VideoObject AudioObject Clip PodcastEpisode Review".split())
@pytest.mark.parametrize("name", ["A clip", "The bridge"])
def test_what_a_page_embeds_does_not_speak_for_it(kind: str, name: str) -> None:
    head = json_ld({**CLIP, "@type": kind, "name": name, "datePublished": "2015-01-16"})
    head += "<meta property=article:published_time content=2024-05-06>"
    found = read(page("<p>By Ada Berg</p>", head))
    assert (found.date_published, found.authors) == ("2024-05-06", ("Ada Berg",))


def test_the_page_of_a_film_has_its_date() -> None:
    assert read(page(head=json_ld({**CLIP, "name": "The bridge"}))).date_published == "2015-01-16"


@pytest.mark.parametrize("key", ["url", "@id", "mainEntityOfPage"])
def test_the_entity_with_the_address_of_the_page(key: str) -> None:
    other = {"@type": "NewsArticle", "datePublished": "2020-01-01", key: "https://town.example/x"}
    own = {"@type": "Article", "datePublished": "2024-05-06", key: URL.replace("//", "//www.")}
    assert read(page(head=json_ld([[other, own]]))).date_published == "2024-05-06"
    assert read(page(head=json_ld(other))).date_published == ""


def test_many_articles_are_teasers() -> None:
    articles = [{"@type": "Article", "headline": f"No {n}", "datePublished": "2020-01-01"}
                for n in range(4)]  # fmt: skip
    assert read(page(head=json_ld(articles))).date_published == ""


# -- only what is asked for ------------------------------------------------------------------


def test_the_title_reads_no_dates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_metadata, "page_dates", None)
    source = Page.parse(page("<p>4 May 2025</p>", lang="en"), url=URL)
    metadata = get_extractor("mss").extract(source).metadata
    assert (metadata.title, metadata.canonical_url) == ("The bridge", "")
    with pytest.raises(TypeError):
        _ = metadata.date_published


def test_metadata_outlive_their_page() -> None:
    answer = extract(page("<p>By Ada Berg, 4 May 2025</p>"), url=URL)
    assert answer.metadata.title == "The bridge"
    again = pickle.loads(pickle.dumps(answer.metadata))
    assert again == answer.metadata
    assert hash(again) == hash(answer.metadata)
    assert (again.authors, again.date_published) == (("Ada Berg",), "2025-05-04")
    assert "Ada Berg" in repr(again)
    with pytest.raises(AttributeError):
        again.title = ""
    with pytest.raises(TypeError, match="heading"):
        Metadata(heading="")


def test_a_view_of_a_page_has_metadata_of_its_own() -> None:
    source = Page.parse("<title>One</title><h1>One</h1><h2>By Ada Berg</h2><p>Text of the page.")
    answer = get_extractor("mss").extract(source)
    assert answer.metadata.authors == ("Ada Berg",)
    rest = source.restricted(source.text_parent > source.text_parent[1])
    assert rest.notebook == {}


# -- nothing that hurts ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        " JavaScript:alert(1)",
        "java\u200bscript:alert(1)",
        "data:text/html,x",
    ],
)
def test_a_licence_is_no_program(address: str) -> None:
    value = json_ld({"@type": "Article", "license": address})
    for head in (
        value,
        f'<link rel=license href="{address}">',
        f'<meta name=dc.rights content="{address}">',
    ):
        found = read(page(head=head)).license.replace("\u200b", "").lower()
        assert not found.startswith(("javascript:", "data:"))
