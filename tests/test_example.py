"""The example project, run as the README says: its feeds hold the right text."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from statistics import mean
from urllib.parse import urlsplit

import pytest
from parsel import Selector

from scrapy_boilerplate.page.text import tokens

ROOT = Path(__file__).parent.parent
OUTPUT = ROOT / "example_project" / "output"
SITES = ROOT / "example_project" / "sites"


@pytest.fixture(scope="module")
def printed() -> str:
    for feed in OUTPUT.glob("*"):
        feed.unlink()
    demo = [sys.executable, str(ROOT / "example_project" / "demo.py")]
    done = subprocess.run(demo, capture_output=True, text=True, timeout=240, cwd=ROOT.parent)
    assert done.returncode == 0, done.stderr
    assert "ERROR" not in done.stderr
    return done.stdout


def read_feed(name: str) -> list[dict]:
    with (OUTPUT / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def word_f1(text: str, gold: str) -> float:
    found, wanted = Counter(tokens(text)), Counter(tokens(gold))
    shared = (found & wanted).total()
    return 2 * shared / max(found.total() + wanted.total(), 1)


def test_the_report_says_what_a_person_wants_to_see(printed: str) -> None:
    assert "Pages crawled:      44 of two weblogs" in printed
    for heading in ("Articles found:", "Text removed:", "Before, http", "After", "Feeds:"):
        assert heading in printed
    for feed in ("articles", "headlines", "portal-single", "portal-learned"):
        assert str(OUTPUT / f"{feed}.jsonl") in printed
        assert str(OUTPUT / f"{feed}.csv") in printed


def test_the_feed_holds_the_right_text_of_every_article(printed: str) -> None:
    texts = {urlsplit(item["url"]).path: item["text"] for item in read_feed("articles.jsonl")}
    golds = (ROOT / "tests/fixtures/example_gold.jsonl").read_text(encoding="utf-8").splitlines()
    scores = {}
    for gold in map(json.loads, golds):
        if gold["kind"] == "article":
            path = "/" + gold["path"].partition("/")[2].removesuffix("index.html")
            scores[path] = word_f1(texts[path], gold["text"])
    assert len(scores) == 41
    assert mean(scores.values()) > 0.95
    assert min(scores.values()) > 0.3


def test_csv_and_json_lines_hold_the_same_items(printed: str) -> None:
    with (OUTPUT / "articles.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["url"]: row["text"] for row in csv.DictReader(file)}
    assert rows == {item["url"]: item["text"] for item in read_feed("articles.jsonl")}


def test_listing_pages_give_their_headlines(printed: str) -> None:
    pages = {urlsplit(item["url"]).path: item for item in read_feed("headlines.jsonl")}
    assert sorted(pages) == ["/", "/posts/page/14/", "/posts/page/2/", "/posts/page/8/"]
    listing = pages["/posts/page/2/"]
    teasers = [segment["text"] for segment in listing["teasers"]]
    # Two of the headlines that the page lists, each the beginning of a coherent text of its own.
    for headline in (
        "Apache Flink Kubernetes Operator 1.6.1 Release Announcement",
        "Announcing the Release of Apache Flink 1.18",
    ):
        assert any(teaser.startswith(headline) for teaser in teasers), headline
    assert listing["title"]


def test_learning_the_portal_leaves_nothing_but_articles(printed: str) -> None:
    single, learned = read_feed("portal-single.jsonl"), read_feed("portal-learned.jsonl")
    assert len(single) == len(learned) == 29  # 23 articles, 5 tag pages, the front page
    assert sum("More on this" in item["text"] for item in single) >= 3
    assert any(item["text"] for item in single if "/tag/" in item["url"])
    for item in learned:
        path = urlsplit(item["url"]).path
        if path.startswith("/tag/"):
            assert item["text"] == "", path
        elif path != "/":
            page = Selector(text=(SITES / "portal" / path[1:]).read_text(encoding="utf-8"))
            story = page.css("h1.headline, div.body p").xpath("string()").getall()
            assert item["text"].split() == " ".join(story).split(), path
