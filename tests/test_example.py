"""The demo of the example project: what it prints, and the text in its feeds."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from io import BytesIO, TextIOWrapper
from pathlib import Path
from statistics import mean
from typing import Any
from urllib.parse import urlsplit

import processes
import pytest
from parsel import Selector

from scrapy_boilerplate.core.page.text import tokens

ROOT = Path(__file__).parent.parent
OUTPUT = ROOT / "example_project" / "output"
SITES = ROOT / "example_project" / "sites"


@pytest.fixture(scope="module")
def printed() -> Iterator[str]:
    """What the demo prints, whose crawls run in processes that need not import Scrapy first."""

    def scrapy(*arguments: str) -> str:
        words = [sys.executable, "-m", "scrapy", *arguments]
        done = processes.run(words, cwd=ROOT / "example_project")
        assert done.returncode == 0, done.stderr
        assert "ERROR" not in done.stderr
        return done.stdout

    for feed in OUTPUT.glob("*"):
        feed.unlink()
    with pytest.MonkeyPatch.context() as patch, TextIOWrapper(BytesIO(), "utf-8") as out:
        patch.syspath_prepend(ROOT / "example_project")
        import demo

        patch.chdir(ROOT.parent)
        patch.setattr(demo, "scrapy", scrapy)
        patch.setattr(sys, "argv", ["demo.py"])
        patch.setattr(sys, "stdout", out)
        demo.main()
        out.seek(0)
        yield out.read()


def read_feed(name: str) -> list[dict[str, Any]]:
    with (OUTPUT / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def word_f1(text: str, gold: str) -> float:
    found, wanted = Counter(tokens(text)), Counter(tokens(gold))
    shared = (found & wanted).total()
    return 2 * shared / max(found.total() + wanted.total(), 1)


def test_the_report_says_what_a_person_wants_to_see(printed: str) -> None:
    for step in (
        r"\d{3,4} words on the page, \d{3} in the text, 9\d% sure",
        r"4 of 4 crawls are done",
        r"44 pages of two weblogs: 41 articles",
        r"[23]\d% of their text removed: menus, boxes, footers",
        r"3 lists of links, read by another extractor: \d{3} teasers",
        r"28 pages of a portal: 5 lists taken for articles, learned 0",
        r"127\.0\.0\.1:\d+ +learned +20 +div\.body",
        r"docs/tutorial\.md",
    ):
        assert re.search(step, printed), step
    for feed in ("articles", "headlines", "portal-single", "portal-learned"):
        assert str((OUTPUT / f"{feed}.jsonl").relative_to(ROOT.parent)) in printed
        assert (OUTPUT / f"{feed}.csv").exists()


def test_the_report_fits_a_terminal(printed: str) -> None:
    assert max(map(len, printed.splitlines())) <= 80


def test_the_first_thing_to_see_is_a_page_before_and_after(printed: str) -> None:
    page = printed.partition("Three small sites")[0]
    assert page.startswith("One page of a weblog")
    assert re.search(r"^  \| Stateful Functions 3\.3\.0 Release Announcement$", page, re.M)
    assert len(re.findall(r"^  \| ", page, re.M)) >= 5
    assert re.search(r"^  - Downloads$", page, re.M)


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
    assert sum(bool(item["text"]) for item in single) > sum(bool(item["text"]) for item in learned)
    assert any(item["text"] for item in single if "/tag/" in item["url"])
    for item in learned:
        path = urlsplit(item["url"]).path
        if path.startswith("/tag/"):
            assert item["text"] == "", path
        elif path != "/":
            page = Selector(text=(SITES / "portal" / path[1:]).read_text(encoding="utf-8"))
            story = page.css("h1.headline, div.body p").xpath("string()").getall()
            assert item["text"].split() == " ".join(story).split(), path


# -- the made portal ------------------------------------------------------------------------------


def test_the_generator_writes_the_portal_that_is_here(tmp_path: Path) -> None:
    maker = [sys.executable, str(SITES / "make_portal.py"), str(tmp_path)]
    subprocess.run(maker, check=True)
    portal = SITES / "portal"
    made = {path.relative_to(tmp_path): path.read_text() for path in tmp_path.rglob("*.html")}
    assert made == {path.relative_to(portal): path.read_text() for path in portal.rglob("*.html")}
