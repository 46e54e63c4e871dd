"""Pages made from labelled articles: ``training.made_pages``."""

from random import Random

import pytest
from lxml import html as lxml_html

from benchmarks.data import LabelledPage
from training.made_pages import list_of, with_list_below

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
    assert made is not None
    assert (made.kind, made.id, made.group) == ("index", "list of 0", "a.b")
    assert made.url is not None
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


def test_a_list_below_an_article_leaves_it_as_it_is() -> None:
    made = with_list_below(article(0), OTHERS, Random(0))
    assert made is not None
    assert (made.kind, made.gold, made.url) == ("article", article(0).gold, article(0).url)
    root = lxml_html.fromstring(made.html)
    first, *rest = root.cssselect("div.post")
    assert "".join(first.itertext()) == f"Rain 0{RAIN}{WIND}"
    assert len(rest) >= 3
    assert all(unit.getparent().getprevious() is first for unit in rest)


def test_the_same_seed_makes_the_same_page() -> None:
    one, other = (list_of(article(0), OTHERS, Random(3)) for _ in range(2))
    assert one == other


def test_no_page_is_made_where_the_article_is_not_found() -> None:
    lost = LabelledPage("0", b"<p>Something else.", article(0).gold, None, "a.b", "article")
    assert list_of(lost, OTHERS, Random(0)) is None
    assert with_list_below(lost, OTHERS, Random(0)) is None


def test_control_characters_of_gold_texts_are_left_out() -> None:
    dirty = [article(1, f"{RAIN}\x0c\x00\n{WIND}")]
    made = list_of(article(0), dirty, Random(0))
    assert made is not None
    assert b"\x00" not in made.html
