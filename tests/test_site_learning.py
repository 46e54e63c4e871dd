"""Learning sites in real crawls: each page is judged by the pages of its site before it."""

from __future__ import annotations

import json
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from errno import EROFS
from pathlib import Path
from typing import Any
from unittest import mock

import processes
import pytest
from mockserver import MockServer
from portal import TEASER, assert_right, command, portal, result, run, wanted
from scraping import Crawl
from storing import SITE, state

from scrapy_boilerplate.learn.keys import host
from scrapy_boilerplate.learn.learner import SiteLearner
from scrapy_boilerplate.learn.stores import SiteStore, StoreError, open_store
from scrapy_boilerplate.tools.testing.timing import PATIENCE


@pytest.mark.parametrize("reactor", ["asyncio", "select"])
def test_every_item_goes_at_once_with_what_its_site_has_taught(
    tmp_path: Path, urls: list[str], reactor: str
) -> None:
    path = "twisted.internet.selectreactor.SelectReactor" if reactor == "select" else None
    settings = {"TWISTED_REACTOR": path} if path else {}
    random.Random(1).shuffle(urls)
    result = run(tmp_path, urls, CONCURRENT_REQUESTS=1, **settings)
    assert [item["url"] for item in result.items] == urls  # none waits for another
    assert_right(result, urls, since=20)
    texts = [item["text"] for item in result.items if "/tag/" not in item["url"]]
    assert TEASER in texts[0]
    assert not any(TEASER in text for text in texts[3:])
    assert result.stats["asked"] <= len(urls)  # no page is extracted twice
    assert result.stat("frozen") == 1
    assert result.stat("errors") == 0
    assert result.stats["item_scraped_count"] == len(urls)
    assert "is learned from 20 pages: the article is in" in result.log
    assert "ERROR" not in result.log


def test_the_next_crawl_knows_the_site(tmp_path: Path, urls: list[str]) -> None:
    run(tmp_path, urls, "first")
    (tmp_path / "first.sink").unlink()
    result = run(tmp_path, urls[5:9] + urls[-2:], "second")
    assert_right(result, urls[5:9] + urls[-2:])
    assert result.stat("applied") == 6
    assert result.stat("known") == 1
    assert "Sites known from earlier crawls: 1 (" in result.log


@pytest.mark.parametrize("jobdir", [None, "."])
def test_a_crawl_whose_default_store_cannot_be_created_learns_for_itself(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, jobdir: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    refuse = mock.Mock(side_effect=OSError(EROFS, "Read-only file system"))  # a whole project
    monkeypatch.setattr("scrapy_boilerplate.plugin.settings.data_path", refuse)
    Path("boilerplate" if jobdir else ".scrapy").touch()
    Crawl({"ADDONS": {"scrapy_boilerplate.Addon": 500}, "JOBDIR": jobdir})
    assert "forgets what it learns" in caplog.text


def test_a_crawl_uses_a_store_that_can_only_be_read(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "sites.sqlite"
    with closing(open_store(str(path))) as store:
        store.save(SITE, state(range(25)))
    before = path.read_bytes()
    refuse = mock.Mock(side_effect=OSError(EROFS, "Read-only file system"))
    monkeypatch.setattr("scrapy_boilerplate.learn.stores.sqlite.os.open", refuse)
    settings = {"BOILERPLATE_SITE_STORE": str(path), "BOILERPLATE_REPORT": False}
    crawl = Crawl({"ADDONS": {"scrapy_boilerplate.Addon": 500}, **settings})
    assert "can only be read (BOILERPLATE_SITE_STORE). This crawl forgets" in caplog.text
    assert crawl.stats["sites/known"] == 1
    with SiteStore.open(path) as store, pytest.raises(StoreError, match="readonly"):
        store.forget(SITE)
    with closing(open_store(str(path)).writable()) as store:
        assert store.forget(SITE)
    assert path.read_bytes() == before


def test_what_an_early_version_held_is_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "boilerplate"
    folder.mkdir()
    for count in (0, 1):
        Crawl({"JOBDIR": str(tmp_path)})
        assert caplog.text.count(f"{folder / 'held.sqlite'} contains items") == count
        (folder / "held.sqlite").touch()


def test_a_manual_rule_wins_and_what_matched_nothing_is_named_at_the_end(
    tmp_path: Path, urls: list[str]
) -> None:
    site = urls[0].split("/")[2]
    rule = {
        "site": site,
        "containers": ["div.stroy", "div.mostread"],
        "drop": ["div.share", ".headline"],
        "end_markers": ["//div[@class='related']"],
    }
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps([rule, {"site": "b.example", "containers": ["main"]}]))
    found = run(tmp_path, urls[:3], BOILERPLATE_SITE_RULES=str(rules), LOG_LEVEL="INFO")
    for item in found.items:
        assert TEASER in item["text"]
        assert wanted(item["url"]) not in item["text"]
    unmatched = re.findall(r"Rule of (\S+): (\w+) (.+) matched nothing on 3 pages", found.log)
    assert unmatched == [
        (site, "containers", "'div.stroy'"),
        (site, "drop", "'div.share'"),
        (site, "end_markers", "\"//div[@class='related']\""),
    ]
    assert "These sites have rules, but no page was crawled: b.example\n" in found.log


HOSTS = [f"127.0.0.{number}" for number in range(1, 51)]


class Gate:
    """Serves the portal, so many pages a run; the crawl waits for the others until it is killed."""

    def __init__(self) -> None:
        self.left = 0
        self.lock = threading.Lock()

    def __call__(self, path: str) -> str | None:
        with self.lock:
            self.left -= 1
            closed = self.left < 0
        if closed:
            threading.Event().wait(300)
        return portal(path)


def wait_until(condition: Callable[[], bool], child: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(24_000):
        if condition():
            return
        assert child.poll() is None, log.read_text()
        time.sleep(0.005)
    raise AssertionError(f"it never happened: {log.read_text()}")


@pytest.mark.skipif(sys.platform != "linux", reason="only there is all of 127.0.0.0/8 this machine")
def test_fifty_hosts_killed_twice_and_resumed_give_every_item_once(tmp_path: Path) -> None:
    """As without the plugin: a page whose item has arrived is not lost, no page is asked for twice.

    Scrapy's own queue does not survive a kill, so the spider knows what is left. What was stored
    stays stored; a host of which all pages came just before a kill may be in no store, since an
    older Scrapy asks the first hosts for all their pages before it asks others.
    """
    store = str(tmp_path / "sites.sqlite")
    kept: set[str] = set()
    settings = {"PATCH": {"extensions.FLUSH_SECONDS": 0}, "DOWNLOAD_TIMEOUT": 600}
    gate = Gate()
    with MockServer(gate, "0.0.0.0") as server:
        urls = [server.url(f"/a{number}", name) for number in range(6) for name in HOSTS]
        for name in ("killed1", "killed2"):
            gate.left = 100
            child = subprocess.Popen(command(tmp_path, urls, name, settings))
            sink, log = tmp_path / f"{name}.sink", tmp_path / f"{name}.log"
            wait_until(lambda sink=sink: sink.exists() and len(lines(sink)) >= 80, child, log)
            child.send_signal(signal.SIGKILL)
            child.wait()
            kept |= stored_sites(store) if Path(store).exists() else set()
        gate.left = 10_000
        result = run(tmp_path, urls, "last", **settings)
    arrived = [json.loads(line) for path in tmp_path.glob("*.sink") for line in lines(path)]
    assert sorted(url for url, _ in arrived) == sorted(urls)
    for url, text in arrived:
        assert wanted(url) in text
    assert result.stat("errors") == 0
    last = {host(json.loads(line)[0]) for line in lines(tmp_path / "last.sink")}
    assert stored_sites(store) == kept | last


def stored_sites(address: str) -> set[str]:
    """Return the sites of a store, each of which must have a state."""
    with closing(open_store(address)) as store:
        assert all(store.load(site) for site in store.sites())
        return {*store.sites()}


def lines(path: Path) -> list[str]:
    """Return the whole lines of a file, which a kill may have cut."""
    return [line for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]


def test_two_workers_with_one_store_learn_one_model(tmp_path: Path) -> None:
    """Both run at once, and see what the other has learned while they run."""
    shared_store = str(tmp_path / "shared.sqlite")  # in Redis: tests/test_cluster.py
    together = threading.Barrier(2, timeout=PATIENCE)

    def pages(path: str) -> str | None:
        if path in ("/a0", "/a30"):
            together.wait()
        return portal(path)

    settings = {
        "BOILERPLATE_SITE_STORE": shared_store,
        "PATCH": {"extensions.FLUSH_SECONDS": 0},
        "DOWNLOAD_DELAY": 0.15,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
    }
    children = []
    with MockServer(pages) as server:
        urls = [server.url(f"/a{number}") for number in range(60)]
        for number, part in enumerate((urls[:30], urls[30:])):
            folder = tmp_path / str(number)
            folder.mkdir()
            children.append(subprocess.Popen(command(folder, part, "run", settings)))
        assert [child.wait(timeout=PATIENCE) for child in children] == [0, 0]
    with closing(open_store(shared_store)) as store:
        (site,) = store.sites()
        learner = SiteLearner(store=store)
        model = learner.model(site)
        assert learner.is_frozen(site)
    assert model.containers[0].name == "div.story"
    results = [result(tmp_path / str(number), "run") for number in range(2)]
    assert [worker.stats["models"] for worker in results] == [{site: model.to_dict()}] * 2
    # Alone each would have to meet 20 pages of its own before the site is learned.
    assert_right(results[0], urls[:30], since=12)
    assert_right(results[1], urls[30:], since=12)


TWO_CRAWLS = """
import json, sys
from pathlib import Path
import scrapy
from scrapy.crawler import AsyncCrawlerProcess

class Sites(scrapy.Spider):
    def parse(self, response):
        yield {"url": response.url}

    def closed(self, reason):
        stats = self.crawler.stats.get_stats()
        Path(f"{self.name}.stats").write_text(json.dumps(stats, default=str))

process = AsyncCrawlerProcess()
for name in ("one", "other"):
    settings = {
        "ADDONS": {"scrapy_boilerplate.Addon": 500},
        "BOILERPLATE_EXTRACTOR": "mss-tuned",
        "BOILERPLATE_SITE_STORE": f"{name}.sqlite",
        "BOILERPLATE_SITES": name == "one",
        "CONCURRENT_REQUESTS": 1,
        "FEEDS": {f"{name}.json": {"format": "json"}},
        "LOG_LEVEL": "ERROR",
    }
    spider = type(name, (Sites,), {"name": name, "custom_settings": settings})
    process.crawl(spider, start_urls=[f"{sys.argv[1]}/a{number}" for number in range(24)])
process.start()
"""


def test_two_crawls_in_one_process_share_nothing(tmp_path: Path) -> None:
    (tmp_path / "two.py").write_text(TWO_CRAWLS)
    with MockServer(portal) as server:
        done = processes.run([sys.executable, "two.py", server.url("")], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "ERROR" not in done.stderr
    for name, is_learned in (("one", True), ("other", False)):
        rows = json.loads((tmp_path / f"{name}.json").read_text())
        assert len({row["url"] for row in rows}) == len(rows) == 24
        assert any(TEASER in row["text"] for row in rows[5:]) is not is_learned
        stats = json.loads((tmp_path / f"{name}.stats").read_text())
        assert stats["boilerplate/pages"] == 24
        assert any(each.startswith("boilerplate/sites/") for each in stats) is is_learned
        assert (tmp_path / f"{name}.sqlite").exists() is is_learned
