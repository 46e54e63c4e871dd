"""Crawls of a local site whose articles have several pages: no item is lost, doubled or mixed."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path
from random import Random
from signal import SIGKILL, SIGTERM
from threading import Event
from time import monotonic, sleep
from typing import Any

import processes
import pytest
import scrapy
from mockserver import REACTORS, MockServer, Reply
from processes import Crawled
from scrapy.http import HtmlResponse

from scrapy_boilerplate.plugin.next_pages import request_like
from scrapy_boilerplate.tools.testing.timing import PATIENCE

FAULTS = {11: "status 404", 12: "status 500", 13: "same", 14: "other", 15: "back", 16: "robots"}
HANGING = 17


def pages_of(article: int) -> int:
    return 1 + article % 7


class Site:
    """Articles on 1 to 7 pages; the page after the first few of some cannot be had."""

    def __init__(self, *, hangs: bool = False, ends: bool = True) -> None:
        self.let_go = Event()
        self.hangs = hangs
        self.ends = ends

    def fault(self, article: int) -> str:
        if self.hangs and article == HANGING:
            return "hangs"
        return FAULTS.get(article % 20, "")

    def __call__(self, path: str) -> str | Reply | None:
        if path == "/robots.txt":
            cut = (n for n in range(500) if self.fault(n) == "robots")
            rules = (f"Disallow: /story-{n}.html?page={self.whole(n) + 1}\n" for n in cut)
            return Reply("User-agent: *\n" + "".join(rules), "text/plain")
        found = re.fullmatch(r"/story-(\d+)\.html(?:\?page=(\d+))?", path)
        if found is None:
            return None
        article, number = int(found[1]), int(found[2] or 1)
        if number > 1 and number == self.whole(article) + 1:
            fault = self.fault(article)
            if fault.startswith("status"):
                return Reply("<p>Sorry", status=int(fault[-3:]))
            if fault == "same":
                return self.page(article, number - 1, number + 1)
            if fault == "other":
                return self.page(article + 1000, 1, 2)
            if fault == "back":
                return Reply("", status=302, headers={"Location": f"/story-{article}.html"})
            if fault == "hangs":
                self.let_go.wait(PATIENCE)
                return None
        is_last = self.ends and number == pages_of(article) and not self.fault(article)
        return self.page(article, number, 0 if is_last else number + 1)

    def whole(self, article: int) -> int:
        """Return how many pages an item can get."""
        return max(1, pages_of(article) - 1) if self.fault(article) else pages_of(article)

    def is_cut(self, article: int) -> bool:
        """Return whether a page is missing, and not only another text."""
        return self.fault(article) not in ("", "same", "other", "back")

    def page(self, article: int, number: int, following: int) -> str:
        text = "".join(
            f"<p>Marker {article}.{number}.{part}: on day {article * 31 + number} of the year "
            f"{1000 + article * 7 + part} there were {article * 13 + part} people at the river "
            f"number {article + number * 17}, and each of them had a story to tell of it.</p>"
            for part in range(4)
        )
        link = f"<a href='story-{article}.html?page={following}'>Next page</a>" if following else ""
        words = ("".join(Random(article * 9 + n).choices("abcdefghij", k=8)) for n in range(3))
        title = f"On {' '.join(words)}"
        return (
            f"<title>{title}</title><ul>{'<li><a href=/a>Menu</a>' * 5}</ul><div id=article>"
            f"<h1>{title}</h1><p>Lead {article}: this is what the story numbered {article} tells "
            f"about the people there, in some words that stand on each page.</p>{text}</div>"
            f"<p class=pager>{link}</p>"
        )


def command(server: MockServer, articles: int, folder: Path, settings: Any = None) -> list[str]:
    arguments = {"url": server.url(""), "articles": articles}
    return processes.spider("articles", arguments, folder / "crawl", settings)


def crawl(server: MockServer, articles: int, folder: Path, settings: Any = None) -> Crawled:
    done = processes.run(command(server, articles, folder, settings))
    assert done.returncode == 0, done.stderr
    return processes.crawled(folder / "crawl")


def markers(text: str) -> list[tuple[int, int, int]]:
    found = re.findall(r"Marker (\d+)\.(\d+)\.(\d+):", text)
    return [(int(article), int(page), int(part)) for article, page, part in found]


def article_of(item: dict[str, Any]) -> int:
    return int(item["url"].rpartition("-")[2].removesuffix(".html"))


def all_markers(article: int, pages: int) -> list[tuple[int, int, int]]:
    return [(article, page, part) for page in range(1, pages + 1) for part in range(4)]


def check(site: Site, result: Crawled, articles: int) -> None:
    wanted = {(number, part): 1 for number in range(articles) for part in ("a", "b")}
    assert Counter((article_of(item), item["part"]) for item in result.items) == wanted
    for item in result.items:
        article = article_of(item)
        assert markers(item["text"]) == all_markers(article, site.whole(article)), item
        assert item["text"].count("Lead") <= 1, item
        assert item["truncated"] == site.is_cut(article), item
    assert "ERROR" not in result.log


@pytest.mark.slow
def test_no_item_is_lost_or_doubled_under_faults(tmp_path: Path) -> None:
    site = Site(hangs=True)
    with MockServer(site) as server:
        result = crawl(server, 200, tmp_path)
        site.let_go.set()
    check(site, result, 200)
    asked = Counter(path for path in server.requests if "page=" in path)
    assert set(asked.values()) == {1}  # once for both items
    cut = sum(site.is_cut(article) for article in range(200))
    stats = {
        name: result.stats[f"boilerplate/pages/{name}"] for name in ("joined", "failed", "other")
    }
    assert stats["failed"] == cut
    assert stats["joined"] == sum(site.whole(article) - 1 for article in range(200))
    assert stats["other"] == sum(site.fault(n) in ("same", "other") for n in range(200))
    assert "lacks the page" in result.log


@pytest.mark.parametrize("reactor", REACTORS)
def test_every_reactor_follows(reactor: str, tmp_path: Path) -> None:
    site = Site()
    with MockServer(site) as server:
        result = crawl(server, 20, tmp_path, {**REACTORS[reactor], "BOILERPLATE_SITES": False})
    check(site, result, 20)


def test_an_item_gets_twenty_pages_at_most(tmp_path: Path) -> None:
    with MockServer(Site(ends=False)) as server:
        result = crawl(server, 1, tmp_path)
    for item in result.items:
        assert markers(item["text"]) == all_markers(0, 20)
        assert item["truncated"]
    assert len(result.items) == 2
    assert len(server.requests) == 1 + 20  # with robots.txt


def test_an_item_is_whole_after_a_kill_while_its_pages_were_fetched(tmp_path: Path) -> None:
    """The spider asks again for pages without an item; Scrapy may have noted them as seen."""
    site = Site(hangs=True)
    settings = {"JOBDIR": str(tmp_path / "job"), "DOWNLOAD_TIMEOUT": PATIENCE}
    last = f"/story-{HANGING}.html?page={site.whole(HANGING) + 1}"
    with MockServer(site) as server:
        killed = subprocess.Popen(command(server, HANGING + 1, tmp_path, settings))
        ends = monotonic() + PATIENCE
        while last not in server.requests and monotonic() < ends and killed.poll() is None:
            sleep(0.05)
        killed.kill()
        assert killed.wait() == -SIGKILL
        site.let_go.set()
        site.hangs = False
        result = crawl(server, HANGING + 1, tmp_path, {**settings, "ASKS_AGAIN": True})
    items = [item for item in result.items if article_of(item) == HANGING]
    assert sorted(item["part"] for item in items) == ["a", "b"]
    for item in items:
        assert markers(item["text"]) == all_markers(HANGING, pages_of(HANGING))


def test_a_stop_waits_for_no_page_and_asks_for_none_again(tmp_path: Path) -> None:
    site = Site(hangs=True)
    last = f"/story-{HANGING}.html?page={site.whole(HANGING) + 1}"

    def serve(path: str) -> str | Reply | None:
        return site(path) or (Reply("", status=503) if path == last else None)

    settings = {"DOWNLOAD_TIMEOUT": PATIENCE, "RETRY_ENABLED": True, "LOG_FILE": None}
    with MockServer(serve) as server, (tmp_path / "log").open("w+") as log:
        run = subprocess.Popen(command(server, HANGING + 1, tmp_path, settings), stderr=log)
        ends = monotonic() + PATIENCE
        while last not in server.requests and monotonic() < ends:
            sleep(0.05)
        run.send_signal(SIGTERM)
        while "the spider is closing" not in (tmp_path / "log").read_text():
            assert monotonic() < ends
            sleep(0.05)
        site.let_go.set()
        assert run.wait(PATIENCE) == 0
    items = [
        item for item in processes.crawled(tmp_path / "crawl").items if article_of(item) == HANGING
    ]
    assert sorted(item["part"] for item in items) == ["a", "b"]
    for item in items:
        assert item["truncated"]
        assert markers(item["text"]) == all_markers(HANGING, site.whole(HANGING))
    assert server.requests.count(last) == 1


@pytest.mark.parametrize("way", ["link", "redirection", "refresh"])
def test_a_page_leads_to_no_other_server(way: str, tmp_path: Path) -> None:
    """The canonical address and all links are the page's own choice: it could name any server."""
    story = Site()

    def inner(path: str) -> str | Reply | None:
        return story(path)

    def outer(path: str) -> str | Reply | None:
        if "page=2" in path and way == "redirection":
            return Reply("", status=302, headers={"Location": other.url(path)})
        if "page=2" in path:
            return f"<meta http-equiv=refresh content='0; url={other.url(path)}'>"
        text = story(path)
        if way != "link" or not isinstance(text, str):
            return text
        text = text.replace("story-", other.url("/story-"))
        return f"<link rel=canonical href='{other.url(path)}'>{text}"

    with MockServer(inner) as other, MockServer(outer) as server:
        result = crawl(server, 2, tmp_path)
    assert other.requests == []
    for item in result.items:
        assert markers(item["text"]) == all_markers(article_of(item), 1)
    # A link there is no next page; what redirects there was one.
    truncated = [item["truncated"] for item in result.items if article_of(item) == 1]
    assert truncated == [way != "link"] * 2
    assert ("leads to another server" in result.log) == (way == "redirection")


def test_further_pages_are_as_deep_as_their_links(tmp_path: Path) -> None:
    with MockServer(Site()) as server:
        result = crawl(server, 7, tmp_path, {"DEPTH_LIMIT": 2})
    for item in result.items:
        pages = min(3, pages_of(article_of(item)))
        assert markers(item["text"]) == all_markers(article_of(item), pages)
        assert item["truncated"] == (pages < pages_of(article_of(item)))


def test_a_request_for_a_further_page_is_like_the_first() -> None:
    headers = {"Authorization": "secret", "Cookie": "a=1", "X-Own": "1", "Referer": "https://x.y/"}
    meta = {"proxy": "http://p", "redirect_times": 2, "boilerplate": {"pages": True}, "depth": 1}
    request = scrapy.Request("https://example.com/a", headers=headers, meta=meta, priority=3)
    first = HtmlResponse(request.url, request=request)
    new = request_like(first, "https://example.com/a?page=2", depth=2)
    assert new.meta == {
        "proxy": "http://p",
        "boilerplate": {"pages": True},
        "depth": 2,
        "dont_redirect": True,
    }
    assert new.headers.to_unicode_dict() == {
        "Authorization": "secret",
        "X-Own": "1",
        "Referer": "https://example.com/a",
    }
    assert new.priority == 3
    other = HtmlResponse("https://other.example/a", request=request)  # as a rendering service gives
    assert not request_like(other, "https://other.example/a?page=2", depth=2).headers
