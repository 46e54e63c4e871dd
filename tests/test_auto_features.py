"""What the model looks at besides the blocks: metadata, copies of texts, words of classes."""

from __future__ import annotations

import gzip
import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate import Page, extract
from scrapy_boilerplate.core.auto._copies_native import COPIES, copies
from scrapy_boilerplate.core.auto.declarations import ADDRESS, MARKUP, UNKNOWN, metadata_features
from scrapy_boilerplate.core.auto.lexicon import NAMED, Lexicon
from scrapy_boilerplate.core.page.arrays import Float32
from scrapy_boilerplate.core.page.text import class_table
from training.lexicon import attribute_words

FIXTURES = Path(__file__).parent / "fixtures" / "gate"


def test_what_is_missing_is_unknown() -> None:
    assert metadata_features(Page.parse("<p>One.")) == UNKNOWN
    known = metadata_features(Page.parse("<p>One.", url="http://example.com/"))
    assert {name for name, value in known.items() if value == -1} == set(MARKUP)


@pytest.mark.parametrize(
    "declared", ["<link rel=canonical href={}>", "<meta property=og:url content={}>"]
)
def test_the_address_that_a_page_declares_speaks_where_none_is_given(declared: str) -> None:
    url = "https://a.example/forum/a-storm-at-sea.html"
    html = f"<head>{declared.format(url)}</head><p>Text"
    known, told = (metadata_features(Page.parse(html, url=given)) for given in (url, None))
    assert known == told
    assert told["page_path_forum"] == 1
    assert metadata_features(Page.parse(html, url="https://b.example/"))["page_path_forum"] == 0


ODD = ("", "x", "http://[", "mailto:a@b.c", "\0", "//", "/a/b", "http://[c", "javascript:x")


@pytest.mark.parametrize("url", ODD)
def test_no_address(url: str) -> None:
    head = f"<head><link rel=canonical href='{url}'></head><p>Text"
    for page in (Page.parse("<p>One.", url=url), Page.parse(head)):
        assert all(metadata_features(page)[name] == UNKNOWN[name] for name in ADDRESS)


@pytest.mark.parametrize(
    ("addresses", "told"),
    [
        ("http://a.b/?p=1 http://a.b/shop-of-rome/x http://a.b/docs.html http://a.b/p/x", ""),
        ("http://blog.a.b/x http://a.b/news/x http://a.b/2024/05/x http://a.b/docs", ""),
        ("http://a.b/Tag/x http://a.b/en/category/x/", "page_path_list"),
        ("http://shop.a.b/x http://store.a.b/x", "page_host_product"),
        ("http://docs.a.b/wiki/x", "page_host_documentation page_path_documentation"),
        ("http://a.b/c-d/threads/x http://a.b/topic/?id=3", "page_path_forum"),
    ],
)
def test_folders_and_the_host_tell_the_kind_of_an_address(addresses: str, told: str) -> None:
    for url in ("http://a.b", "http://a.b/", "http://blog.a.b/"):  # front pages
        assert metadata_features(Page.parse("<p>One.", url=url))["page_address"] == 0
    for url in addresses.split():
        facts = metadata_features(Page.parse("<p>One.", url=url))
        assert facts["page_address"] == (1 if told else 2), url
        assert {name for name in ADDRESS[:-1] if facts[name]} == {*told.split()}, url


ADDRESSES = (
    *("https://a.example/2019/04/a-storm-at-sea.html", "http://b.example/news/?p=4711", None),
    *("https://c.example/how-to-shop-for-the-best-guide-to-forums", "https://www.d.example/n/12"),
)


@pytest.mark.parametrize("file", sorted(FIXTURES.rglob("*.html.gz")), ids=lambda file: file.name)
def test_no_text_changes_with_its_address(file: Path) -> None:
    html = gzip.decompress(file.read_bytes())
    html = re.sub(rb"(?i)<(?:link|meta|base)\b[^>]*\bhttps?:[^>]*>", b"", html)
    assert len({extract(html, url=url).text for url in ADDRESSES}) == 1


@pytest.mark.parametrize("place", ["head", "body"])
def test_markup(place: str) -> None:
    html = f"""<html><{place}><meta property=og:type content=Product><meta name=Description
        content="Six cats."><script type="application/ld+json">{{"@graph": [{{"@type": "Offer"}},
        {{"@type": ["BlogPosting", "x"]}}]</script><script>"@type": "Recipe"</script></{place}>"""
    facts = metadata_features(Page.parse(html))
    assert facts["page_metas"] == 2
    assert facts["page_open_graph"] == 3
    assert facts["page_description"] == len("Six cats.")
    assert facts["page_schema_product"] == facts["page_schema_article"] == 1
    assert facts["page_schema_recipe"] == 0


# -- which texts stand on a page more than once ----------------------------------------------------


def copies_of(page: Page) -> Float32:
    first, after = page.blocks.T
    return copies(page.buffer, class_table(), page.text_start[first], page.text_stop[after - 1])


def found(html: str) -> dict[str, list[float]]:
    rows = copies_of(Page.parse(html)).astype(np.float64).round(4).tolist()
    return dict(zip(COPIES, rows, strict=True))


def logs(*counts: int) -> list[float]:
    return [round(math.log1p(count), 4) for count in counts]


def test_equal_texts() -> None:
    of = found("<p>Read more<p>Else<p>Read <b>more</b><p>Read\n more ")
    assert of["copies_before"] == logs(0, 0, 1, 2)
    assert of["copies_after"] == logs(2, 0, 1, 0)
    assert of["since_copy"] == [-1, -1, 2, 1]
    assert of["until_copy"] == [2, -1, 1, -1]


@pytest.mark.parametrize(
    ("first", "second", "shares"),
    [
        ("How do I join two roads?", "He asked: How do I join two roads?", (3 / 5, 3 / 3)),
        ("a b c d e", "a b c x e", (0, 0)),
        ("ab c d e f", "a bc d e f", (0, 0)),
        ("a b c", "a b c", (-1, -1)),
        ("日本語の本", "英日本語の", (1 / 2, 1 / 2)),
        ("a b c d. a b c d.", "x y z w", (0, 0)),
    ],
)
def test_phrases(first: str, second: str, shares: tuple[float, float]) -> None:
    of = found(f"<p>{first}<p>{second}")
    assert of["phrases_before"][1] == pytest.approx(shares[0], abs=1e-4)
    assert of["phrases_after"][0] == pytest.approx(shares[1], abs=1e-4)


def test_texts_that_are_equal_as_polynomials_are_no_copies() -> None:
    """The sequence of Thue and Morse: any two polynomials of these texts are equal modulo 2⁶⁴."""
    one = "".join("ab"[number.bit_count() & 1] for number in range(1 << 12))
    other = one.translate({97: 98, 98: 97})
    of = found(f"<p>{one}<p>{other}")
    assert of["copies_after"] == logs(0, 0)
    words = f"one two three {one}", f"one two three {other}"
    assert found("<p>{}<p>{}".format(*words))["phrases_after"][0] == 0


# -- what the words of classes and ids say ---------------------------------------------------------


LEXICON = Lexicon({"post": 1.0, "ad": -2.0, "abab": 0.5, "bb": -0.25, "aababbabab": 4.0})


def test_what_attributes_say() -> None:
    least, most, mean, named, first = LEXICON.meanings(["AdPost main-menu", "", "menu"]).tolist()
    assert least == [-2.0, 0.0, 0.0]
    assert most == [1.0, 0.0, 0.0]
    assert mean == [-0.25, 0.0, 0.0]
    assert [name for bit, name in enumerate(NAMED) if int(named[2]) >> bit & 1] == ["navigation"]
    assert len(set(first)) == 3


@given(st.lists(st.sampled_from([*"Ab-_ 7é", "post", "Ad", "BODY"])).map("".join))
def test_words_are_those_that_training_counts(string: str) -> None:
    known = {word: float(place + 1) for place, word in enumerate(sorted(attribute_words(string)))}
    _, most, mean, *_ = Lexicon(known).meanings([string])[:, 0].tolist()
    found = [known[word] for word in attribute_words(string)]
    assert most == max(found, default=0.0)
    assert mean == sum(found) / max(len(found), 1)
