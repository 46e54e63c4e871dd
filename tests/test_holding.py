"""Holding items never loses one, never doubles one, and never changes how a crawl ends."""

from __future__ import annotations

import gc
import json
import random
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from itertools import count
from pathlib import Path
from sys import getallocatedblocks
from time import monotonic, sleep

import processes
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mockserver import MockServer, Reply
from scrapy import Request, Spider
from scrapy.http import HtmlResponse
from scrapy.settings import Settings
from test_site_learning import (
    TEASER,
    Gate,
    Result,
    assert_right,
    command,
    held_items,
    portal,
    run,
    wait_until,
)
from test_site_learning import urls as urls  # a fixture

from scrapy_boilerplate import Addon
from scrapy_boilerplate.plugin.holding import limits as holding_limits
from scrapy_boilerplate.plugin.holding.limits import CloseLimits, FirstPageLimit, HeldSites
from scrapy_boilerplate.plugin.holding.store import HeldPage, HeldStore

LOOKED_AT = FirstPageLimit.LOOKED_AT

ALL_HELD = {
    "PATCH": {"holding.limits.MOST_PAGES": 1000},
    "BOILERPLATE_SITE_FREEZE_PAGES": 1000,
}


def addresses(result: Result) -> list[str]:
    return sorted(item["url"] for item in result.items)


# -- the crawl's own limits --------------------------------------------------------------------


def test_a_limit_on_items_is_not_overshot(tmp_path: Path) -> None:
    asked = count(1)

    def page(path: str) -> str | None:
        if next(asked) > 5:
            sleep(2)  # else Scrapy itself overshoots the limit while the last items are read
        return portal(path)

    with MockServer(page) as server:
        urls = [server.url(f"/a{number}") for number in range(30)]
        settings = {"CLOSESPIDER_ITEMCOUNT": 5, "CONCURRENT_REQUESTS": 1, **ALL_HELD}
        result = run(tmp_path, urls, **settings)
    assert result.stats["finish_reason"] == "closespider_itemcount"
    assert 5 <= len(result.items) <= 6  # the sixth is under way when the crawl is closed
    assert result.stat("held") == 4


def test_items_under_way_beside_the_last_one_are_not_held(tmp_path: Path, urls: list[str]) -> None:
    result = run(tmp_path, urls, CLOSESPIDER_ITEMCOUNT=5, **ALL_HELD)
    assert result.stats["finish_reason"] == "closespider_itemcount"
    assert result.stat("held") == 0  # so the crawl ends as it does without the plugin


def test_a_limit_on_pages_without_items_is_not_tripped(tmp_path: Path, urls: list[str]) -> None:
    # With a delay, since older versions of Scrapy trip it themselves on a fast server.
    settings = {"CLOSESPIDER_PAGECOUNT_NO_ITEM": 12, "DOWNLOAD_DELAY": 0.05, **ALL_HELD}
    result = run(tmp_path, urls, CONCURRENT_REQUESTS=1, **settings)
    assert result.stats["finish_reason"] == "finished"
    assert addresses(result) == sorted(urls)
    assert result.stat("held") > 0


def test_a_limit_on_seconds_without_items_is_not_tripped(tmp_path: Path, urls: list[str]) -> None:
    result = run(tmp_path, urls[:18], CLOSESPIDER_TIMEOUT_NO_ITEM=3, DOWNLOAD_DELAY=0.3, **ALL_HELD)
    assert result.stats["finish_reason"] == "finished"
    assert addresses(result) == sorted(urls[:18])
    assert result.stat("held") > 0


@pytest.mark.parametrize(
    ("limit", "reason"),
    [({"PAGECOUNT": 10}, "closespider_pagecount"), ({"TIMEOUT": 2}, "closespider_timeout")],
)
def test_what_is_held_when_a_crawl_is_closed_arrives(
    tmp_path: Path, urls: list[str], limit: dict[str, int], reason: str
) -> None:
    settings = {f"CLOSESPIDER_{name}": value for name, value in limit.items()}
    result = run(tmp_path, urls * 20, **settings, DOWNLOAD_DELAY=0.1, **ALL_HELD)
    assert result.stats["finish_reason"] == reason
    assert len(result.items) == result.stat("held") == result.stat("released") > 0


class Clock:
    """Time that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@given(
    gaps=st.lists(st.floats(0.01, 9.0), min_size=1, max_size=40),
    limit=st.integers(1, 20),
    phase=st.floats(0.0, 0.9),
)
def test_every_period_that_had_an_item_has_one_with_holding(
    gaps: list[float], limit: int, phase: float
) -> None:
    """Scrapy asks every *limit* seconds whether there was an item since it asked last."""
    clock = Clock()
    settings = Settings({"CLOSESPIDER_TIMEOUT_NO_ITEM": limit})
    limits = CloseLimits(settings, clock)
    times = [sum(gaps[: n + 1]) for n in range(len(gaps))]
    tick = min(1.0, limit / 4)
    events = [(time, "item") for time in times]
    events += [((n + phase) * tick, "tick") for n in range(int((times[-1] + limit) / tick) + 2)]
    held: list[float] = []
    scraped: list[float] = []

    def arrive(count: int, at: float) -> None:
        for _ in range(count):
            scraped.append(at)
            limits.scraped()

    for time, what in sorted(events):
        clock.now = 1000.0 + time
        if what == "item":
            if limits.is_due(len(held) + 1):
                arrive(len(held) + 1, time)
                held.clear()
            else:
                held.append(time)
        elif held and limits.is_due(len(held)):
            arrive(len(held), time)
            held.clear()
    for period in range(int(times[-1] // limit)):

        def has_one(times: list[float], period: int = period) -> bool:
            return any(period * limit <= time < (period + 1) * limit for time in times)

        assert has_one(scraped) or not has_one(times)


# -- what is said ------------------------------------------------------------------------------


def test_who_sees_no_items_finds_the_reason(tmp_path: Path, urls: list[str]) -> None:
    result = run(
        tmp_path,
        urls[:12],
        LOGSTATS_INTERVAL=0.5,
        DOWNLOAD_DELAY=0.3,
        PERIODIC_LOG_STATS={"include": ["boilerplate/sites/holding/"]},
        EXTENSIONS={"scrapy.extensions.periodic_log.PeriodicLog": 0},
        **ALL_HELD,
    )
    site = urls[0].split("/")[2]
    # The last page may be under way, and with the twelfth all go.
    lines = re.findall(r"INFO: (Crawled (?:[2-9]|1[01]) pages .* scraped 0 items.*)", result.log)
    assert lines
    for line in lines:
        assert re.search(
            r"; [1-9]\d* items are held until their sites are learned, at the latest until "
            rf"\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d: {re.escape(site)} \([1-9]\d*\)$",
            line,
        )
    assert "Holding the items of each new site until it is learned" in result.log
    assert re.search(r'"boilerplate/sites/holding/items": [1-9]', result.log)
    assert f'"boilerplate/sites/holding/sites": "{site} (' in result.log
    assert re.search(r'"boilerplate/sites/holding/until": "\d{4}-', result.log)
    assert result.stat("holding/items") == 0
    assert result.stats["boilerplate/sites/holding/until"] is None


# -- killed and resumed ------------------------------------------------------------------------


def sunk(folder: Path) -> Counter[str]:
    """Return how often each address has arrived, in all runs."""
    sinks = [path.read_text() for path in folder.glob("*.sink")]
    return Counter(re.findall(r'^\["([^"]+)"', "".join(sinks), re.MULTILINE))


def forget_requests(job: Path) -> None:
    """Let the spider begin anew; what Scrapy has of its queue after a kill is a matter of luck."""
    shutil.rmtree(job / "requests.queue", ignore_errors=True)
    (job / "requests.seen").unlink(missing_ok=True)


def test_stopped_twice_by_force_nothing_is_lost_and_nothing_comes_twice(tmp_path: Path) -> None:
    """Two Ctrl-C: Scrapy forgets which pages it has asked for, and asks for them again."""
    job = tmp_path / "job"
    settings = {"JOBDIR": str(job), "FRONTIER": False, "DOWNLOAD_TIMEOUT": 600, **ALL_HELD}
    gate = Gate()
    with MockServer(gate) as server:
        urls = [server.url(f"/a{number}") for number in range(60)]
        for name, pages in (("first", 25), ("second", 45)):
            gate.left = pages
            child = subprocess.Popen(command(tmp_path, urls, name, settings))
            log = tmp_path / f"{name}.log"
            wait_until(lambda pages=pages: held_items(job) >= pages, child, log)
            child.send_signal(signal.SIGINT)
            wait_until(lambda log=log: "Received SIGINT" in log.read_text(), child, log)
            child.send_signal(signal.SIGINT)
            child.wait()
            forget_requests(job)
        gate.left = 1000
        asked = len(server.requests)
        result = run(tmp_path, urls, "last", **settings)
        assert len(server.requests) - asked == len(urls)  # all of them were asked for again
    assert sunk(tmp_path) == Counter(urls)
    assert result.stat("held") == result.stat("released") == len(urls)
    assert f"An earlier run left 45 held items, by site: {urls[0].split('/')[2]} (45)" in result.log


@pytest.mark.parametrize("off", ["BOILERPLATE_SITE_HOLD", "BOILERPLATE_SITES"])
def test_what_is_left_goes_first_when_holding_is_switched_off(tmp_path: Path, off: str) -> None:
    job = tmp_path / "job"
    settings = {"JOBDIR": str(job), "DOWNLOAD_TIMEOUT": 600, **ALL_HELD}
    gate = Gate()
    with MockServer(gate) as server:
        urls = [server.url(f"/a{number}") for number in range(30)]
        gate.left = 12
        child = subprocess.Popen(command(tmp_path, urls, "killed", settings))
        wait_until(lambda: held_items(job) == 12, child, tmp_path / "killed.log")
        child.kill()
        child.wait()
        forget_requests(job)
        gate.left = 1000
        result = run(tmp_path, urls, "last", **{**settings, off: False, "FRONTIER": False})
    assert sunk(tmp_path) == Counter(urls)  # those that came again were not sent twice
    assert result.stat("released") + result.stat("repeated") >= 12
    assert held_items(job) == 0


def test_what_is_left_is_named_when_the_plugin_is_switched_off(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = {"JOBDIR": str(tmp_path), "BOILERPLATE_ENABLED": False}
    store = HeldStore(str(tmp_path))
    Addon().update_settings(Settings(settings))
    assert not caplog.messages
    page = HtmlResponse("https://a.example/", request=Request("https://a.example/"))
    store.add("a.example", "", page, {"url": "a"}, Spider("name"))
    store.close()
    Addon().update_settings(Settings(settings))
    (message,) = caplog.messages
    assert message.startswith(f"An earlier run left 1 held items in {tmp_path}")


# -- what fails --------------------------------------------------------------------------------


def noisy(path: str) -> str | None:
    """Return a page of the portal that does not get smaller when it is compressed."""
    page = portal(path)
    noise = random.Random(path).randbytes(8000).hex()
    return page and page.replace("<ul", f"<!-- {noise} --><ul", 1)


def assert_all_arrive(tmp_path: Path, result: Result, urls: list[str]) -> None:
    assert addresses(result) == sorted(urls)
    assert result.stats["finish_reason"] == "finished"
    assert (tmp_path / "run.closed").exists()


def test_a_full_disk_loses_no_item(tmp_path: Path) -> None:
    with MockServer(noisy) as server:
        urls = [server.url(f"/a{number}") for number in range(60)]
        result = run(tmp_path, urls, FILE_SIZE=150_000, LOG_LEVEL="ERROR", **ALL_HELD)
    assert_all_arrive(tmp_path, result, urls)
    assert 0 < result.stat("held") < 60
    assert "Writing to the file of held items failed" in result.log


METHODS = ["add", "keep_answer", "mark", "remove"]


@pytest.mark.parametrize("method", METHODS)
def test_whatever_fails_in_the_store_every_item_arrives_once(
    tmp_path: Path, urls: list[str], method: str
) -> None:
    result = run(tmp_path, urls, BREAK=method, PATCH={"holding.store.MEMORY_BYTES": 0})
    assert_all_arrive(tmp_path, result, urls)
    assert result.stat("errors") > 0
    assert "disk I/O error" in result.log


def test_items_that_will_come_again_are_said_loudly(tmp_path: Path, urls: list[str]) -> None:
    result = run(tmp_path, urls, BREAK="_remove_arrived", JOBDIR=str(tmp_path))
    assert_all_arrive(tmp_path, result, urls)
    again = result.stat("not_removed")
    assert again == result.stat("held") > 0
    assert f"{again} held items have arrived but could not be removed" in result.log


@pytest.mark.parametrize("method", ["item", "response", "pages"])
def test_what_cannot_be_read_is_said_and_the_crawl_ends(
    tmp_path: Path, urls: list[str], method: str
) -> None:
    result = run(tmp_path, urls, BREAK=method, PATCH={"holding.store.MEMORY_BYTES": 0})
    assert result.stats["finish_reason"] == "finished"
    assert (tmp_path / "run.closed").exists()
    assert len(result.items) + result.stat("unreadable") == len(urls)
    assert "disk I/O error" in result.log


@pytest.mark.parametrize("kind", ["cancelled", "exit"])
def test_a_pipeline_that_stops_its_coroutine_stops_no_other_item(
    tmp_path: Path, urls: list[str], kind: str
) -> None:
    result = run(tmp_path, urls, PIPELINE="Raising", RAISE=kind)
    survivors = [url for number, url in enumerate(urls) if number % 3]
    assert_all_arrive(tmp_path, result, survivors)


def test_held_items_go_on_as_many_at_a_time_as_scrapy_allows(
    tmp_path: Path, urls: list[str]
) -> None:
    result = run(tmp_path, urls[:30], PIPELINE="Together", TOGETHER=30, **ALL_HELD)
    assert_all_arrive(tmp_path, result, urls[:30])
    assert result.stat("released") == 30


def test_a_broken_file_of_held_items_is_set_aside(tmp_path: Path, urls: list[str]) -> None:
    file = tmp_path / "job" / "boilerplate" / "held.sqlite"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"no database" * 1000)
    result = run(tmp_path, urls, JOBDIR=str(tmp_path / "job"))
    assert_right(result, urls)
    assert result.stat("held") > 0
    assert "Cannot read the items that an earlier run held: file is not a database" in result.log
    assert file.with_name("held.sqlite.broken-1").read_bytes().startswith(b"no database")


def test_a_folder_in_which_nothing_can_be_written_stops_no_crawl(
    tmp_path: Path, urls: list[str]
) -> None:
    (tmp_path / "job" / "boilerplate" / "held.sqlite").mkdir(parents=True)
    result = run(tmp_path, urls[:12], JOBDIR=str(tmp_path / "job"), FRONTIER=False)
    assert addresses(result) == sorted(urls[:12])
    assert "Items are not held but go on at once" in result.log


def test_files_that_are_removed_in_mid_crawl_lose_no_item(tmp_path: Path, urls: list[str]) -> None:
    job = str(tmp_path / "job")
    result = run(tmp_path, urls, JOBDIR=job, REMOVE_FILES_AT=9, CONCURRENT_REQUESTS=1)
    assert_all_arrive(tmp_path, result, urls)
    assert result.stat("held") == result.stat("released") > 0


def test_files_that_become_read_only_in_mid_crawl_lose_no_item(
    tmp_path: Path, urls: list[str]
) -> None:
    job = str(tmp_path / "job")
    result = run(tmp_path, urls, JOBDIR=job, READ_ONLY_AT=9, CONCURRENT_REQUESTS=1)
    assert_all_arrive(tmp_path, result, urls)
    assert result.stat("held") == result.stat("released") == result.stat("not_removed") == 9
    assert "attempt to write a readonly database" in result.log
    assert "9 held items have arrived but could not be removed" in result.log
    assert result.stat("not_saved") == 1


def test_time_is_read_from_a_clock_that_never_jumps() -> None:
    """Setting the system's clock neither sends items on nor holds them for longer."""
    for timed in (HeldSites, CloseLimits):
        assert timed.__init__.__defaults__ == (monotonic,)


def test_an_item_that_comes_after_the_others_of_its_page_have_gone_arrives(tmp_path: Path) -> None:
    """Another page of the site is held by then."""
    script = """
import asyncio, sys
import scrapy
from scrapy.crawler import AsyncCrawlerProcess
from scrapy_boilerplate.plugin.state import CrawlState

class Sites(scrapy.Spider):
    name = "sites"
    custom_settings = {"FEEDS": {"items.json": {"format": "json"}}}

    async def start(self):
        self.gone, self.other = asyncio.Event(), asyncio.Event()
        for url in sys.argv[1:]:
            yield scrapy.Request(url)

    async def parse(self, response):
        if response.url == sys.argv[1]:
            yield {"url": response.url, "number": 1}
            held = CrawlState.of(self.crawler).held_items
            held.release(response.url.split("/")[2], for_good=False)  # as a limit of the crawl does
            self.gone.set()
            await self.other.wait()
            yield {"url": response.url, "number": 2}
        else:
            await self.gone.wait()
            yield {"url": response.url}
            yield {"url": response.url, "number": 2}
            self.other.set()

process = AsyncCrawlerProcess({"ADDONS": {"scrapy_boilerplate.Addon": 500}})
process.crawl(Sites)
process.start()
"""
    (tmp_path / "late.py").write_text(script)
    with MockServer(portal) as server:
        command = [sys.executable, "late.py", server.url("/a1"), server.url("/a2")]
        processes.run(command, cwd=tmp_path, check=True)
    rows = json.loads((tmp_path / "items.json").read_text())
    assert sorted((row["url"][-1], row.get("number", 0)) for row in rows) == [
        ("1", 1),
        ("1", 2),
        ("2", 0),
        ("2", 2),
    ]


TWO_CRAWLS = """
import json, sys
from pathlib import Path
import scrapy
from scrapy.crawler import AsyncCrawlerProcess, AsyncCrawlerRunner
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.reactor import install_reactor

class Sites(scrapy.Spider):
    def parse(self, response):
        yield {"url": response.url}

    def closed(self, reason):
        stats = self.crawler.stats.get_stats()
        Path(f"{self.name}.stats").write_text(json.dumps(stats, default=str))

how, address, stores = sys.argv[1:]
crawls = []
for name, store in (("one", "one"), ("other", "one" if stores == "shared" else "other")):
    settings = {
        "ADDONS": {"scrapy_boilerplate.Addon": 500},
        "BOILERPLATE_EXTRACTOR": "mss-tuned",
        "BOILERPLATE_SITE_STORE": f"{store}.sqlite",
        "BOILERPLATE_SITES": stores == "shared" or name == "one",
        "FEEDS": {f"{name}.json": {"format": "json"}},
        "JOBDIR": f"job-{name}",
    }
    spider = type(name, (Sites,), {"name": name, "custom_settings": settings})
    crawls.append((spider, [f"{address}/a{number}" for number in range(24)]))
if how == "at once":
    process = AsyncCrawlerProcess()
    for spider, urls in crawls:
        process.crawl(spider, start_urls=urls)
    process.start()
else:
    install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
    from twisted.internet.task import react

    async def one_after_the_other():
        for spider, urls in crawls:
            await AsyncCrawlerRunner().crawl(spider, start_urls=urls)

    react(lambda _: deferred_from_coro(one_after_the_other()))
"""


@pytest.mark.parametrize("stores", ["own", "shared"])
@pytest.mark.parametrize("how", ["at once", "one after the other"])
def test_two_crawls_in_one_process_share_nothing_but_a_store(
    tmp_path: Path, how: str, stores: str
) -> None:
    (tmp_path / "two.py").write_text(TWO_CRAWLS)
    with MockServer(portal) as server:
        command = [sys.executable, "two.py", how, server.url("").rstrip("/"), stores]
        done = processes.run(command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "ERROR" not in done.stderr
    stats = {}
    for name in ("one", "other"):
        rows = json.loads((tmp_path / f"{name}.json").read_text())
        assert len({row["url"] for row in rows}) == len(rows) == 24
        is_learned = stores == "shared" or name == "one"
        assert any(TEASER in row["text"] for row in rows) is not is_learned
        stats[name] = json.loads((tmp_path / f"{name}.stats").read_text())
        assert stats[name]["boilerplate/pages"] == 24
        if is_learned:
            held = stats[name].get("boilerplate/sites/held", 0)
            assert stats[name].get("boilerplate/sites/released", 0) == held
    assert stats["one"]["boilerplate/sites/held"] > 0
    if stores == "own":
        assert not any(each.startswith("boilerplate/sites/") for each in stats["other"])
        assert not (tmp_path / "other.sqlite").exists()
    elif how == "one after the other":
        assert stats["other"]["boilerplate/sites/known"] == 1
        assert "boilerplate/sites/held" not in stats["other"]


def test_a_page_whose_tree_cannot_be_made_gives_its_items_once(tmp_path: Path) -> None:
    def broken(path: str) -> Reply:
        sentence = b"It rained all day, and nobody went out to look at it. "
        return Reply(b"\\ud800 <p>" + 9 * sentence, "text/html; charset=unicode_escape")

    with MockServer(broken) as server:
        urls = [server.url(f"/a{number}") for number in range(5)]
        result = run(tmp_path, urls)
    assert addresses(result) == sorted(urls)
    assert result.stat("errors") == 0
    assert all("nobody went out" in item["text"] for item in result.items)


# -- bounds ------------------------------------------------------------------------------------


def test_the_bytes_of_items_count(tmp_path: Path, urls: list[str]) -> None:
    result = run(
        *(tmp_path, urls),
        PATCH={"holding.limits.MOST_BYTES": 200_000},
        PADDING=60_000,
        CONCURRENT_REQUESTS=1,
    )
    assert addresses(result) == sorted(urls)
    assert 0 < result.stat("held") <= 3


def held(number: int, site: str, items: int) -> HeldPage:
    return HeldPage(number, site, "", list(range(items)), 0)


def test_held_sites_count_pages_and_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holding_limits, "MOST_PAGES", 2)
    clock = Clock()
    sites = HeldSites(60, clock)
    sites.add(held(1, "a", items=2))
    clock.now += 30
    first, second = held(2, "b", items=1), held(3, "b", items=2)
    sites.add(first)
    sites.add(second)
    assert sites.is_full("b")
    assert (sites.items, list(sites), sites.seconds_left) == (5, ["a", "b"], 60)
    assert sites.names() == "a (2), b (3)"
    clock.now += 30
    assert sites.overdue() == ["a"]
    assert len(sites.take("a")) == 1
    assert not sites.is_open("a")
    sites.discard(first)
    assert sites.pages("b") == [second]
    sites.discard(second)
    assert sites.is_open("b")
    assert (sites.items, list(sites), sites.names()) == (0, [], "")


def test_a_hundred_thousand_hosts_leave_little_each() -> None:
    def meet(hosts: range) -> int:
        for number in hosts:
            page = held(number, f"host-{number}.example", items=1)
            sites.add(page)
            assert len(sites.take(page.site)) == 1
        gc.collect()
        return getallocatedblocks()

    sites = HeldSites(60)
    early = meet(range(20_000))
    assert meet(range(20_000, 100_000)) < early + 8_000
    assert not sites.is_open("host-99999.example")


@pytest.mark.parametrize(("pages", "seconds"), [(0, 60), (5, 0)])
def test_a_bound_of_nothing_holds_nothing(
    monkeypatch: pytest.MonkeyPatch, pages: int, seconds: int
) -> None:
    monkeypatch.setattr(holding_limits, "MOST_PAGES", pages)
    assert not HeldSites(seconds).is_open("a")


# -- a broad crawl -----------------------------------------------------------------------------


def test_first_pages_wait_again_when_sites_have_second_ones() -> None:
    first_pages = FirstPageLimit()
    for number in range(LOOKED_AT + LOOKED_AT // 2):
        first_pages.went(in_vain=number >= LOOKED_AT // 2)
    assert [first_pages.should_wait() for _ in range(100)].count(True) == 10
    for _ in range(LOOKED_AT // 10 + 1):
        first_pages.went(in_vain=False)
    assert all(first_pages.should_wait() for _ in range(100))


def test_in_a_broad_crawl_first_pages_go_at_once_and_later_ones_wait(tmp_path: Path) -> None:
    # Only one page may wait, so that all wait in vain; each folder is a site.
    # What needs no text says nothing of how many first pages wait.
    settings = {"BOILERPLATE_SITE_KEY": "path", "NOTES": True}
    settings["PATCH"] = {"holding.limits.MOST_PAGES": 1}
    with MockServer(lambda path: portal(path[:3])) as server:
        urls = [server.url(f"/a{number}/x") for number in range(LOOKED_AT + 60)]
        later = [server.url(f"/a{number}/y") for number in range(LOOKED_AT, LOOKED_AT + 60)]
        result = run(tmp_path, urls + later, CONCURRENT_REQUESTS=1, **settings)
    articles = [item for item in result.items if "text" in item]
    assert sorted(item["url"] for item in articles) == sorted(urls + later)
    assert len(result.items) == 2 * len(articles)
    assert all(item["text"] for item in articles)
    assert result.stat("not_waited") == 54  # one in ten waits in any case
    assert result.stat("held") == LOOKED_AT + 6 + 54
    assert result.log.count("go on at once from now on") == 1
    assert result.stat("errors") == 0
