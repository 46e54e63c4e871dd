"""Learning sites in real crawls: what waits comes back once, with the better text."""

from __future__ import annotations

import json
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import processes
import pytest
from mockserver import MockServer
from scrapy import Spider
from scrapy.utils.test import get_crawler
from test_pipeline import Crawl, page
from test_stores import start_redis

from scrapy_boilerplate.learn.learner import SiteLearner
from scrapy_boilerplate.learn.stores import open_store
from scrapy_boilerplate.plugin.extensions import BoilerplateSiteLearning
from scrapy_boilerplate.tools.testing.timing import PATIENCE

RUNNER = Path(__file__).with_name("learning_crawl.py")
WORDS = (
    "river stone market winter garden letter bridge window silver morning people answer music "
    "history village doctor island summer kitchen station paper mountain office teacher number"
).split()
TEASER = "The most read story of this week, which every page of the site repeats in full length."


def sentence(rng: random.Random) -> str:
    return " ".join(rng.choices(WORDS, k=rng.randint(9, 18))).capitalize() + "."


def paragraphs(path: str, count: int = 5) -> list[str]:
    rng = random.Random(path)
    return [" ".join(sentence(rng) for _ in range(3)) for _ in range(count)]


def portal(path: str) -> str | None:
    """Return a page of a portal: an article, or a list of the kind that has none."""
    rng = random.Random(path + "menu")
    head = "<ul class='menu'>" + "".join(f"<li><a href='/m{n}'>Menu {n}</a>" for n in range(8))
    box = f"<div class='most-read'><h3>Most read</h3><p>{TEASER}</p><p>{TEASER[::-1]}</p></div>"
    if path.startswith("/tag/"):
        teasers = (
            f"<div class='teaser'><a href='/{n}'>{sentence(rng)}</a></div>" for n in range(9)
        )
        main = f"<div class='listing'>{''.join(teasers)}</div>"
    elif path.startswith("/a"):
        text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs(path))
        title = f"Title of {path}"
        main = f"<div class='story'><h1 class='headline'>{title}</h1>{text}</div>"
    else:
        return None
    return f"<title>Title of {path}</title>{head}</ul>{main}{box}<div class='footer'>Imprint</div>"


class Result(NamedTuple):
    items: list[dict[str, Any]]
    stats: dict[str, Any]
    seen: list[list[Any]]
    log: str

    def stat(self, name: str) -> Any:
        return self.stats.get(f"boilerplate/sites/{name}", 0)


Run = Callable[..., Result]


@pytest.fixture
def urls() -> Iterator[list[str]]:
    with MockServer(portal) as server:
        yield [server.url(f"/a{number}") for number in range(30)] + [
            server.url(f"/tag/{number}") for number in range(6)
        ]


def command(folder: Path, urls: list[str], name: str, settings: dict[str, Any]) -> list[str]:
    (folder / "urls").write_text("\n".join(urls))
    settings = {"BOILERPLATE_SITE_STORE": str(folder / "sites.sqlite"), **settings}
    runner = [sys.executable, "-W", "error", str(RUNNER)]
    return [*runner, str(folder / "urls"), str(folder / name), json.dumps(settings)]


def run(folder: Path, urls: list[str], name: str = "run", **settings: Any) -> Result:
    done = processes.run(command(folder, urls, name, settings))
    log = (folder / f"{name}.log").read_text() if (folder / f"{name}.log").exists() else ""
    assert done.returncode == 0, done.stderr + log
    return result(folder, name)


def result(folder: Path, name: str) -> Result:
    lines = (folder / f"{name}.jsonl").read_text().splitlines()
    stats = json.loads((folder / f"{name}.json").read_text())
    seen = json.loads((folder / f"{name}.seen").read_text())
    log = (folder / f"{name}.log").read_text()
    return Result([json.loads(line) for line in lines], stats, seen, log)


def wanted(url: str) -> str:
    path = "/" + url.rpartition("/")[2]
    return "\n\n".join([f"Title of {path}", *paragraphs(path)])


def assert_right(result: Result, urls: list[str]) -> None:
    """Each item once, each article clean, each list empty."""
    assert sorted(item["url"] for item in result.items) == sorted(urls)
    for item in result.items:
        assert item["text"] == ("" if "/tag/" in item["url"] else wanted(item["url"])), item["url"]


@pytest.mark.parametrize("reactor", ["asyncio", "select"])
def test_every_item_comes_once_with_the_better_text(
    tmp_path: Path, urls: list[str], reactor: str
) -> None:
    path = "twisted.internet.selectreactor.SelectReactor" if reactor == "select" else None
    settings = {"TWISTED_REACTOR": path} if path else {}
    random.Random(1).shuffle(urls)
    result = run(tmp_path, urls, **settings)
    assert_right(result, urls)
    assert result.stat("held") == result.stat("released") >= 20
    assert result.stats["asked"] <= len(urls)  # no page is extracted again after it has waited
    assert result.stat("frozen") == 1
    assert result.stat("no_article") == 6
    assert result.stat("errors") == result.stat("not_held") == 0
    assert result.stats["item_scraped_count"] == len(urls)
    assert "item_dropped_count" not in result.stats
    assert "is learned from 20 pages: the article is in" in result.log
    assert "ERROR" not in result.log
    # Listeners see a response like the one that the item came from.
    assert sorted(row[0] for row in result.seen) == sorted(urls)
    for url, response_url, status, number, callback, title in result.seen:
        assert (response_url, status, urls[number]) == (url, 200, url)
        assert callback == "parse_article"
        assert title == f"Title of /{url.split('/', 3)[3]}"


def test_a_short_crawl_lets_everything_go_when_it_closes(tmp_path: Path, urls: list[str]) -> None:
    result = run(tmp_path, urls[:12])
    assert_right(result, urls[:12])
    assert (result.stat("held"), result.stat("frozen"), result.stat("learning")) == (12, 0, 1)


def test_the_next_crawl_knows_the_site(tmp_path: Path, urls: list[str]) -> None:
    run(tmp_path, urls, "first")
    (tmp_path / "first.sink").unlink()
    result = run(tmp_path, urls[5:9] + urls[-2:], "second")
    assert_right(result, urls[5:9] + urls[-2:])
    assert result.stat("held") == 0
    assert result.stat("applied") == 6
    assert result.stat("known") == 1
    assert "Sites known from earlier crawls: 1. " in result.log


def test_without_holding_items_go_at_once(tmp_path: Path, urls: list[str]) -> None:
    result = run(tmp_path, urls, BOILERPLATE_SITE_HOLD=False, CONCURRENT_REQUESTS=1)
    assert [item["url"] for item in result.items] == urls
    assert result.stat("held") == 0
    assert TEASER in result.items[0]["text"]
    for item in result.items[20:30]:
        assert item["text"] == wanted(item["url"])


def test_caps_let_items_go(tmp_path: Path, urls: list[str]) -> None:
    for number, cap in enumerate(
        [
            {"PATCH": {"holding.limits.MOST_PAGES": 4}},
            {"PATCH": {"holding.limits.MOST_BYTES": 3000}},
            {"BOILERPLATE_SITE_HOLD_SECONDS": 1, "DOWNLOAD_DELAY": 0.2},
        ]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        result = run(folder, urls[:12], "run", **cap)
        assert sorted(item["url"] for item in result.items) == sorted(urls[:12])
        assert 0 < result.stat("held") < 12, cap


def test_learning_can_be_switched_off(tmp_path: Path, urls: list[str]) -> None:
    result = run(tmp_path, urls[:12], BOILERPLATE_SITES=False)
    assert TEASER in result.items[0]["text"]
    assert not any(name.startswith("boilerplate/sites/") for name in result.stats)
    assert not (tmp_path / "sites.sqlite").exists()


def test_the_projects_own_item_processor_stays_at_work(tmp_path: Path, urls: list[str]) -> None:
    result = run(tmp_path, urls[:12], ITEM_PROCESSOR="learning_crawl.OwnProcessor")
    assert_right(result, urls[:12])
    assert result.stat("held") == result.stats["own/processed"] == 12
    assert (result.stats["own/opened"], result.stats["own/closed"]) == (1, 1)


def test_items_are_not_held_without_our_item_processor(caplog: pytest.LogCaptureFixture) -> None:
    crawl = Crawl({"EXTENSIONS": {BoilerplateSiteLearning: 500}})
    assert "ITEM_PROCESSOR is not" in caplog.text
    (item,) = crawl.scrape(page(), {})
    assert item["text"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"BOILERPLATE_SITE_STORE": "mysql://x"}, "BOILERPLATE_SITE_STORE: Unknown site store"),
        ({"BOILERPLATE_SITE_STORE": "redi://x"}, "'redi'; did you mean 'redis'?"),
        ({"BOILERPLATE_SITE_STORE": "/dev/null/x"}, "_SITE_STORE: Cannot open /dev/null/x"),
        ({"BOILERPLATE_SITE_STORE": "/"}, "BOILERPLATE_SITE_STORE: Cannot open /: "),
        ({"BOILERPLATE_SITE_RULES": "/nowhere.json"}, "_SITE_RULES: cannot read /nowhere.json (No"),
        ({"BOILERPLATE_SITE_KEY": "planet"}, "BOILERPLATE_SITE_KEY must be"),
    ],
)
def test_wrong_settings_are_an_error(
    tmp_path: Path, settings: dict[str, Any], message: str
) -> None:
    crawler = get_crawler(Spider, {"BOILERPLATE_SITE_STORE": str(tmp_path / "x"), **settings})
    with pytest.raises(ValueError, match=re.escape(message)):
        BoilerplateSiteLearning.from_crawler(crawler).open(lambda item, response: None)


def test_such_an_error_stops_the_crawl(tmp_path: Path, urls: list[str]) -> None:
    settings = {"BOILERPLATE_SITE_STORE": "mysql://x"}
    done = processes.run(command(tmp_path, urls[:2], "run", settings))
    log = (tmp_path / "run.log").read_text()
    assert (log + done.stderr).count("Unknown site store 'mysql'; choose one of: sqlite") == 1
    assert "Spider opened" not in log


def test_a_rule_written_by_hand_wins(tmp_path: Path, urls: list[str]) -> None:
    site = urls[0].split("/")[2]
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps([{"site": site, "containers": ["div.most-read"]}]))
    result = run(tmp_path, urls[:3], BOILERPLATE_SITE_RULES=str(rules))
    for item in result.items:
        assert TEASER in item["text"]
        assert wanted(item["url"]) not in item["text"]
    assert result.stat("held") == 0


def test_a_rule_that_matched_nothing_is_named_at_the_end(tmp_path: Path, urls: list[str]) -> None:
    site = urls[0].split("/")[2]
    rule = {
        "site": site,
        "containers": ["div.stroy", "div.story"],
        "drop": ["div.share", ".headline"],
        "cuts": ["//div[@class='related']"],
    }
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps([rule, {"site": "b.example", "containers": ["main"]}]))
    log = run(tmp_path, urls[:3], BOILERPLATE_SITE_RULES=str(rules), LOG_LEVEL="INFO").log
    unmatched = re.findall(r"The rule of (\S+): (\w+) (.+) matched nothing on 3 pages", log)
    assert unmatched == [
        (site, "containers", "'div.stroy'"),
        (site, "cuts", "\"//div[@class='related']\""),
        (site, "drop", "'div.share'"),
    ]
    assert "No page came from these sites, which have rules: b.example\n" in log


HOSTS = [f"127.0.0.{number}" for number in range(1, 51)]


def held_items(job: Path) -> int:
    """Return how many items a crawl with that job directory holds on disk."""
    file = job / "boilerplate" / "held.sqlite"
    if not file.exists():
        return 0
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
        try:
            (number,) = database.execute("SELECT count(*) FROM items").fetchone()
        except sqlite3.OperationalError:  # the file is just being made
            return 0
    return int(number)


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
def test_fifty_hosts_killed_twice_and_resumed_every_item_comes_once(tmp_path: Path) -> None:
    """Items are held, go at the caps, when sites are learned and at the end; kills fall between."""
    job = tmp_path / "job"
    settings = {
        "JOBDIR": str(job),
        # What was learned and not written is lost.
        "PATCH": {"extensions.FLUSH_SECONDS": 3600, "holding.limits.MOST_PAGES": 3},
        "DOWNLOAD_TIMEOUT": 600,
    }
    gate = Gate()
    with MockServer(gate, "0.0.0.0") as server:
        # Half of the hosts have fewer pages than may be held: something is held at any time.
        pages_of = {host: 24 if n < 2 else 6 if n < 25 else 2 for n, host in enumerate(HOSTS)}
        urls = [
            server.url(f"/a{number}", host)
            for number in range(24)
            for host in HOSTS
            if number < pages_of[host]
        ]
        for name, pages in (("killed1", 80), ("killed2", 70)):
            gate.left = pages + 20
            asked = len(server.requests)
            child = subprocess.Popen(command(tmp_path, urls, name, settings))
            wait_until(
                lambda asked=asked, pages=pages: (
                    len(server.requests) >= asked + pages and held_items(job) > 10
                ),
                child,
                tmp_path / f"{name}.log",
            )
            child.send_signal(signal.SIGKILL)
            child.wait()
            # Scrapy's own queue does not survive a kill; the spider knows what is left.
            shutil.rmtree(job / "requests.queue", ignore_errors=True)
            (job / "requests.seen").unlink(missing_ok=True)
        left = held_items(job)
        gate.left = 10_000
        result = run(tmp_path, urls, "last", **settings)
        asked = len(server.requests)
    sinks = [path.read_text() for path in sorted(tmp_path.glob("*.sink"))]
    lines = [line for sink in sinks for line in sink.splitlines(keepends=True)]
    items = [json.loads(line) for line in lines if line.endswith("\n")]
    logs = "".join(path.read_text() for path in tmp_path.glob("*.log"))
    in_doubt = sum(map(int, re.findall(r"(\d+) items were on their way", logs)))
    # An item that was on its way at the instant of a kill may come twice, and is reported.
    assert len(items) - len(urls) <= in_doubt
    assert {url for url, _ in items} == set(urls)
    for url, text in items:
        assert wanted(url) in text
    assert len(urls) <= asked < len(urls) + 2 * 60  # none but those under way is asked for again
    assert result.stat("errors") == 0
    assert result.stat("released") >= left > 10
    # What the killed runs had learned and not written, the pages on disk have taught the last one.
    with closing(open_store(str(tmp_path / "sites.sqlite"))) as store:
        assert len(list(store.sites())) == len(HOSTS)
        assert all(store.load(site) for site in store.sites())


@pytest.fixture(params=["sqlite", "redis"])
def shared_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield str(tmp_path / "shared.sqlite")
    else:
        server = start_redis()
        yield server.address()
        server.stop()


def test_two_workers_with_one_store_learn_one_model(tmp_path: Path, shared_store: str) -> None:
    """Both run at once, and see what the other has learned while they run."""
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
    assert model is not None
    assert model.containers[0].name == "div.story"
    results = [result(tmp_path / str(number), "run") for number in range(2)]
    assert [worker.stats["models"] for worker in results] == [{site: model.to_dict()}] * 2
    assert_right(results[0], urls[:30])
    assert_right(results[1], urls[30:])
    # Alone each would have had to wait for 20 pages of its own.
    assert sum(worker.stat("held") for worker in results) < 40
