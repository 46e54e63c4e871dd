"""Feeds and sitemaps that were made to keep a run from ending, and near digests that share much."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from scrapy_boilerplate.tools import dedup
from scrapy_boilerplate.tools.cli.listings import feed_addresses, sitemap_addresses

URL = "https://host.example/list"
BOMB = "".join(f"<!ENTITY e{i} '{f'&e{i - 1};' * 10}'>" for i in range(1, 10))


def given(asked: list[str], text: str) -> Callable[[str], bytes]:
    """Return what answers each address with *text*, and notes it."""

    def fetch(url: str) -> bytes:
        asked.append(url)
        return text.encode()

    return fetch


@pytest.mark.parametrize(
    ("place", "asked"),
    [
        (URL, 1),  # a circle
        ("file:///etc/passwd", 1),
        ("http://[x/", 1),
        ("/{}", 500),
    ],
)
def test_sitemaps_that_name_others(place: str, asked: int) -> None:
    places = "".join(f"<sitemap><loc>{place.format(i)}</loc></sitemap>" for i in range(700))
    addresses: list[str] = []
    index = f"<sitemapindex>{places}</sitemapindex>"
    assert list(sitemap_addresses([URL], given(addresses, index))) == []
    assert len(addresses) == len(set(addresses)) == asked


@pytest.mark.parametrize(
    ("feed", "found"),
    [
        ('{"items": [{"url": null}, {"url": "/a"}, {}, 5]}', ["https://host.example/a"]),
        ('{"items": 5}', []),
        (f"<!DOCTYPE rss [<!ENTITY e0 'ha'>{BOMB}]><rss><item><link>&e9;</link></item></rss>", []),
        ("<rss><item><link>http://[x/</link></item></rss>", []),
    ],
)
def test_feeds_with_less_than_addresses(feed: str, found: list[str]) -> None:
    assert list(feed_addresses([URL], given([], feed))) == found


@pytest.mark.parametrize("feed", ['{"items": ' + "[" * 100_000, "\0", "<html/>", '{"items"'])
def test_no_feed(feed: str) -> None:
    with pytest.raises(ValueError, match=URL):
        list(feed_addresses([URL], given([], feed)))


def test_digests_with_one_quarter_are_compared_up_to_a_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dedup, "MOST_ALIKE", 1)
    seen = dedup.Deduplicator("near")
    digests = ["0000111122223333", "0000fffffffffff8", "0000ffffffffffff"]
    assert [seen.add(each) for each in digests] == [False, False, True]  # by another quarter
    kept = dedup.Deduplicator("exact")
    assert [kept.add(each) for each in digests * 2] == [False] * 3 + [True] * 3
