"""Pages made from labelled articles: ``training.made_pages``."""

from dataclasses import replace
from random import Random

import pytest
from lxml import html as lxml_html

from benchmarks.data import LabelledPage
from scrapy_boilerplate.core.page.text import tokens
from training.made_pages import beginning_of, cut_short, list_of, title_of, with_list_below
from training.mutants import CHANGES, mutant

RAIN = "It rained all day in the town, and nobody went out who did not have to go out. " * 2
WIND = "The wind blew all night over the hills, and the people heard it in all of their sleep."


def article(number: int, text: str = f"{RAIN}\n{WIND}") -> LabelledPage:
    paragraphs = "".join(f"<p>{line}</p>" for line in text.split("\n"))
    html = (
        f"<title>Rain {number} - The Paper</title><meta property=og:type content=article>"
        "<meta property='article:author' content=Ada>"
        "<ul><li><a href=/>Home</a><li><a href=/news>News</a></ul>"
        f"<main><div class=post id=post-{number}><h1>Rain {number}</h1>{paragraphs}</div></main>"
    )
    gold = f"Rain {number}\n{text}"
    return LabelledPage(
        str(number), html.encode(), gold, f"http://a.b/2020/{number}", "a.b", "article"
    )


OTHERS = [article(number) for number in range(1, 5)]


@pytest.mark.parametrize("seed", range(6))
def test_an_index_page_has_a_linked_title_for_each_of_its_units(seed: int) -> None:
    made = list_of(article(0), OTHERS, Random(seed))
    assert (made.kind, made.id, made.group) == ("index", "list of 0", "a.b")
    assert made.url.startswith("http://a.b/")
    assert made.url != article(0).url
    root = lxml_html.fromstring(made.html.decode())
    posts = root.cssselect("div.post")
    assert 3 <= len(posts) <= 20
    shown = "".join(text for post in posts for text in post.itertext())
    assert "".join(made.gold.split()) == "".join(shown.split())
    titles = [post.cssselect("h1 a, h2 a, h3 a")[0].text for post in posts]
    assert all(title.startswith(("Rain ", "It rained")) for title in titles)
    assert not any(post.get("id") for post in posts)
    assert root.cssselect("meta")[0].get("content") == "website"
    assert len(root.cssselect("meta")) == 1
    assert "Home" in root.text_content()


@pytest.mark.parametrize(
    ("text", "beginning"),
    [
        ("The ferry sails twice.", "The ferry"),
        ("渡し船は夏に出ます。", "渡し"),
        ("渡轮每天开两次。", "渡轮"),
        ("배는 여름에 간다.", "배는 여름에"),
    ],
)
def test_a_text_is_cut_by_words_or_by_characters_where_none_divides_them(
    text: str, beginning: str
) -> None:
    assert beginning_of(text, 2) == beginning
    assert title_of(replace(article(1), gold=text * 9)) != text * 9


def test_a_list_below_an_article_leaves_it_as_it_is() -> None:
    made = with_list_below(article(0), OTHERS, Random(0))
    assert (made.kind, made.gold, made.url) == ("article", article(0).gold, article(0).url)
    root = lxml_html.fromstring(made.html)
    first, *rest = root.cssselect("div.post")
    assert "".join(first.itertext()) == f"Rain 0{RAIN}{WIND}"
    assert len(rest) >= 3
    assert all(unit.getparent().getprevious() is first for unit in rest)


def test_a_short_article_is_the_beginning_of_one_in_its_page_or_alone() -> None:
    lines = [f"{RAIN}{number} {WIND}".strip() for number in range(5)]
    whole = article(0, "\n".join(lines))
    with_pages, lengths = set(), set()
    for seed in range(12):
        made = cut_short(whole, OTHERS, Random(seed))
        assert made.kind == "page"
        root = lxml_html.fromstring(made.html)
        shown = [" ".join(p.text_content().split()) for p in root.iter("p")]
        assert shown == [" ".join(line.split()) for line in lines[: len(shown)]]
        in_page = "Home" in root.text_content()
        title = ["Rain 0"] if in_page else []
        assert [" ".join(line.split()) for line in made.gold.split("\n")] == title + shown
        with_pages.add(in_page)
        lengths.add(len(shown))
    assert with_pages == {True, False}
    assert lengths == {1, 2, 3}


def test_what_stands_below_an_article_stays_when_it_is_cut() -> None:
    cut_parts = set()
    for seed in range(12):
        html = article(0).html.replace(b"</p><p>", b"</p><h2>Part</h2><p>")
        html = html.replace(b"</p></div>", b"</p><div>Share</div></div><p>Below")
        made = cut_short(replace(article(0), html=html), OTHERS, Random(seed))
        text = lxml_html.fromstring(made.html).text_content()
        if "Home" in text:
            assert "Share" in text
            assert text.endswith("Below")
            assert ("Part" in text) == (WIND in text)
            cut_parts.add("Part" not in text)
    assert cut_parts == {True, False}


def test_the_same_seed_makes_the_same_page() -> None:
    one, other = (list_of(article(0), OTHERS, Random(3)) for _ in range(2))
    assert one == other


def test_no_page_is_made_where_the_article_is_not_found() -> None:
    lost = LabelledPage("0", b"<p>Something else.", article(0).gold, None, "a.b", "article")
    assert list_of(lost, OTHERS, Random(0)) is None
    assert with_list_below(lost, OTHERS, Random(0)) is None
    assert cut_short(lost, OTHERS, Random(0)) is None


def test_control_characters_of_gold_texts_are_left_out() -> None:
    dirty = [article(1, f"{RAIN}\x0c\x00\n{WIND}")]
    made = list_of(article(0), dirty, Random(0))
    assert b"\x00" not in made.html


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_of_the_template_leaves_the_text(name: str) -> None:
    before = article(0)
    before = replace(before, html=before.html.replace(b"<h1>", b"<div><p>Today</p></div><h1>"))
    for seed in range(8):
        made = mutant(before, OTHERS, Random(seed), [name])
        assert (made.gold, made.group, made.kind) == (before.gold, "a.b", "article")
        root = lxml_html.fromstring(made.html.decode())
        shown = tokens(" ".join(root.itertext()))
        wanted = iter(shown)
        assert all(word in wanted for word in tokens(before.gold))  # in order
        assert (made.url != before.url) == (name == "address")
        if name != "address":
            assert made.html != mutant(before, OTHERS, Random(seed), ["address"]).html


def test_a_page_without_its_article_has_no_mutant() -> None:
    assert mutant(replace(article(0), gold="Other words."), OTHERS, Random(0)) is None
