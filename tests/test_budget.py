"""A limit on nodes: what a page may cost, whatever its bytes unpack to."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from cases import column
from scraping import Crawl, page

from scrapy_boilerplate import Page, extract, extractor_names, get_extractor
from scrapy_boilerplate.core.page.budget import (
    MAX_NODES,
    read_source,
    truncate_to_tags,
)
from scrapy_boilerplate.core.page.trees import MAX_FORMATTING

MANY = "<p>One two three four five six seven. " * 5000


@pytest.mark.parametrize(
    ("source", "limit", "expected"),
    [
        ("<p>a<p>b<p>c", 2, "<p>a<p>b"),
        ("<p>a<p>b<p>c", 3, "<p>a<p>b<p>c"),
        ("<p>a<p>b<p>c", 0, "<p>a<p>b<p>c"),
        ("<p>a<p>b<p>c", None, "<p>a<p>b<p>c"),
        ("a < b < c", 1, "a < b "),
        ("", 1, ""),
    ],
)
def test_beginning(source: str, limit: int | None, expected: str) -> None:
    assert truncate_to_tags(source, limit) == expected


def test_without_a_number_the_limit_is_that_of_a_crawl() -> None:
    dense = "<p>x" * 60_000
    for found in (Page.parse(dense), Page.parse(dense.encode()), extract(dense, extractor="bte")):
        assert found.truncated
    assert Page.parse(dense).tag.size == Page.parse(dense, max_nodes=MAX_NODES).tag.size < 40_000
    for whole in (Page.parse(dense, max_nodes=None), Page.parse(dense[:100_000])):
        assert (whole.over_budget, whole.truncated) == (False, False)
    with pytest.raises(ValueError, match="max_nodes must be None or a whole number, 0 or more"):
        Page.parse(dense, max_nodes=-1)


@pytest.mark.parametrize("name", extractor_names())
def test_every_method_answers_for_the_beginning(name: str) -> None:
    text = "This is a paragraph with some words, and it says something about the page. "
    whole = Page.parse(f"<p>{text}" * 300)
    part = Page.parse(f"<p>{text}" * 300, max_nodes=100)
    assert (whole.over_budget, part.over_budget) == (False, True)
    assert len(part.tag) <= 102
    answer = get_extractor(name).extract(part)
    assert answer.truncated
    assert answer == get_extractor(name).extract(part)
    assert all(part.root.xpath(segment.xpath) for segment in answer.segments)
    assert Page.parse("<p>a" * 100, max_nodes=100).truncated is False


def test_in_a_crawl(caplog: pytest.LogCaptureFixture) -> None:
    crawl = Crawl({"BOILERPLATE_MAX_NODES": 1000, "BOILERPLATE_EXTRACTOR": "bte"})
    fields: Any = {"text": "text", "truncated": "truncated"}
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            response = page(MANY, boilerplate={"fields": fields})
            (item,) = crawl.scrape(response, {})
            assert item["truncated"]
            assert item["text"].count("seven") == 1000
            assert response._cached_selector is None  # it was not parsed in whole
        (item,) = crawl.scrape(page(MANY[: len(MANY) // 5], boilerplate={"fields": fields}), {})
        assert not item["truncated"]
    stats = crawl.crawler.stats.get_stats()
    assert stats["boilerplate/over_budget"] == 2
    assert stats["boilerplate/pages"] == 3
    assert "boilerplate/truncated" not in stats
    assert caplog.text.count("has more tags than BOILERPLATE_MAX_NODES = 1000 allows") == 1


@pytest.mark.parametrize("open_tags", [10, 100, 240])
def test_the_second_opinion_makes_no_more_nodes_than_a_few_for_each_tag(open_tags: int) -> None:
    """An HTML5 parser opens unclosed formatting elements again in every paragraph."""
    formatting = "".join(f"<b id={number}>" for number in range(open_tags))
    source = f"<p>{formatting}" + "<p>x" * 2000 + "<div>" * 3000 + "deep"
    found = Page.parse(source)
    assert found.reparsed
    assert found.buffer.count("x") == 2000
    assert "deep" in found.buffer
    assert len(found.tag) <= (MAX_FORMATTING + 1) * source.count("<")


# -- attributes --------------------------------------------------------------------------------


def tag(attributes: int) -> str:
    return f"<p {' '.join(f'a{i}={i}' for i in range(attributes))}>"


def test_attributes_beyond_500_are_cut() -> None:
    assert read_source(tag(10_000) + "text").text == tag(500)[:-1] + " >text"
    assert read_source(f"<b>{tag(10_000)}<i>").text == f"<b>{tag(500)[:-1]} ><i>"
    assert read_source(tag(10_000)[:-1] + " />").text == tag(500)[:-1] + " />"


@pytest.mark.parametrize("source", column("before_attributes"))
def test_attributes_are_cut_wherever_a_parser_may_see_a_tag(source: str) -> None:
    found = read_source(source.format(tag(10_000)))
    assert len(found.utf8) < 10_000


@pytest.mark.parametrize("doubt", ["<![CDATA[ > <a b=' ]]>", "<desc><![CDATA[>]]><a b=' ]]>"])
@pytest.mark.parametrize("name", ["svg", "math"])
def test_no_second_parser_reads_attributes_that_may_not_be_cut(name: str, doubt: str) -> None:
    start = "<blockquote><div>A</blockquote>"
    assert read_source(start + "B" * 60_000).loses_end_tags
    assert not read_source(f"{start}<{name}>{doubt}{tag(10_000)}").loses_end_tags


@pytest.mark.parametrize(
    "source",
    [
        tag(500) * 100,
        f"<script>if (a{tag(10_000)}</script>",
        f"<!-- {tag(10_000)} -->",
        f"<p title='{tag(10_000)}'>",
        "< a b c" * 10_000,
    ],
)
def test_what_is_no_tag_of_many_attributes_stays(source: str) -> None:
    assert len(source) > 50_000
    assert not read_source(source).is_cut


@pytest.mark.parametrize("damage", [b"", b"\xff", b"\xed\xa0\x80"])
def test_a_response_with_many_attributes_is_not_parsed_in_whole(damage: bytes) -> None:
    crawl = Crawl({"BOILERPLATE_EXTRACTOR": "bte"})
    response = page(tag(80_000) + MANY)
    response = response.replace(body=response.body + damage)
    (item,) = crawl.scrape(response, {})
    assert item["text"].count("seven") == 5000
    assert response._cached_selector is None
