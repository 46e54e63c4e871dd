"""Four crawls with one queue and one store of sites in Redis, of which two are killed."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import processes
import pytest
from generated_sites import Site
from mockserver import MockServer
from storing import Redis

from scrapy_boilerplate.learn import LearningOptions, SiteState
from scrapy_boilerplate.learn.options import FREEZE_PAGES
from scrapy_boilerplate.learn.stores import open_store
from scrapy_boilerplate.tools.testing.timing import PATIENCE

PROCESSES = 4


class ClusterCrawl:
    """Crawls *hosts* sites of *articles* pages each, all served by this machine."""

    def __init__(
        self,
        folder: Path,
        queue: str,
        store: str,
        hosts: int,
        articles: int,
        settings: dict[str, Any],
    ) -> None:
        self.folder, self.articles = folder, articles
        self.sites = [f"127.0.0.{number + 2}" for number in range(hosts)]
        self._made = {host: Site(host, seed) for seed, host in enumerate(self.sites)}
        self._settings = {"REDIS_URL": queue, "BOILERPLATE_SITE_STORE": store, **settings}
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> ClusterCrawl:
        self._server = MockServer(self._page, "0.0.0.0")
        self._server.__enter__()
        self._urls = [self._server.url(f"/{host}/", host) for host in self.sites]
        return self

    def __exit__(self, *error: object) -> None:
        for name in list(self._running):
            self.kill(name)
        self._server.__exit__(None, None, None)

    def _page(self, path: str) -> str | None:
        """Return the article or the index of a host, which the path names first."""
        time.sleep(0.01)
        _, host, *rest = path.split("/")
        if rest == [""]:
            links = (f"<li class=next><a href=article/{n}>{n}</a>" for n in range(self.articles))
            return f"<title>All</title><ul>{''.join(links)}</ul>"
        return self._made[host].article(int(rest[1])).html

    def start(self, name: str) -> None:
        """Start a process, or start it again."""
        settings = {**self._settings, "JOBDIR": str(self.folder / f"{name}.job")}
        words = processes.spider("shared", {"urls": self._urls}, self.folder / name, settings)
        command = [words[0], *words[3:]]  # another package may warn
        self._running[name] = subprocess.Popen(command, cwd=self.folder)

    def kill(self, name: str) -> None:
        process = self._running.pop(name)
        process.kill()
        process.wait()

    def wait(self, seconds: float) -> None:
        """Wait until all processes have ended."""
        end = time.monotonic() + seconds
        for name, process in self._running.items():
            assert process.wait(max(1, end - time.monotonic())) == 0, self.log(name)

    def wait_for(self, count: int, seconds: float) -> None:
        """Wait until *count* pages were delivered to callbacks."""
        end = time.monotonic() + seconds
        while sum(self.delivered().values()) < count:
            assert time.monotonic() < end, "too few pages"
            time.sleep(0.05)

    def log(self, name: str) -> str:
        path = self.folder / f"{name}.log"
        return path.read_text() if path.exists() else ""

    def delivered(self) -> Counter[str]:
        """Return how often each page came to a callback that has returned its item."""
        return Counter(self._lines("delivered"))

    def asked(self) -> Counter[str]:
        """Return how often each page came to a callback."""
        return Counter(self._lines("asked"))

    def written(self) -> Counter[str]:
        """Return how often each page was written."""
        return Counter(json.loads(line)[0] for line in self._lines("sink"))

    def _lines(self, kind: str) -> Iterator[str]:
        for path in self.folder.glob(f"*.{kind}"):
            yield from path.read_text().splitlines()


# -- four crawls with one queue and one store of sites in Redis, of which two are killed -----------


pytest.importorskip("scrapy_redis", reason="scrapy-redis is not installed")
if shutil.which("redis-server") is None:
    pytest.skip("there is no redis-server on this machine", allow_module_level=True)


pytestmark = pytest.mark.slow

HOSTS, ARTICLES = 50, 24
LEAST_PAGES = 8
"""Pages of a site of which something is learned."""


def test_killed_processes_and_a_restart_of_redis(tmp_path: Path) -> None:
    (tmp_path / "redis").mkdir()
    redis = Redis(folder=tmp_path / "redis")
    queue, store = (f"redis://127.0.0.1:{redis.port}/{number}" for number in (0, 1))
    try:
        settings = {"PATCH": {"extensions.FLUSH_SECONDS": 1}}
        with ClusterCrawl(tmp_path, queue, store, HOSTS, ARTICLES, settings) as crawl:
            for number in range(PROCESSES):
                crawl.start(f"p{number}")
            crawl.wait_for(450, PATIENCE)
            for name in ("p0", "p1"):
                crawl.kill(name)
            crawl.wait_for(600, PATIENCE)
            redis.kill()
            redis.start()
            for name in ("p0", "p1"):
                crawl.start(name)
            crawl.wait(PATIENCE)
            check(crawl, store)
    finally:
        redis.stop()


def check(crawl: ClusterCrawl, store: str) -> None:
    asked, delivered, written = crawl.asked(), crawl.delivered(), crawl.written()
    articles = {url for url in delivered if "/article/" in url}
    assert set(written) <= set(asked)  # nothing is added
    assert len(articles - set(written)) <= 2 * 16  # what was in the killed ones is lost …
    twice = {url for url, count in written.items() if count > asked[url]}
    assert len(twice) <= 2 * 16  # … or comes twice, as without the plugin
    print(f"{len(articles)} of {HOSTS * ARTICLES} articles were delivered, {len(twice)} came twice")
    # scrapy-redis loses what a killed process has asked for, with a front page all of its links.
    assert len(articles) > HOSTS * ARTICLES - 2 * 8 * ARTICLES
    opened = open_store(store)
    states = {site: opened.load(site) for site in opened.sites()}
    opened.close()
    pages_of = Counter(url.split("/")[2] for url in written)
    # A site is missing only if its front page was among what the killed processes had asked for.
    assert len(states) >= HOSTS - 2 * 8
    learned = missing = 0
    for site, pages in pages_of.items():
        data = states.get(site)
        state = SiteState.from_bytes(data) if data else SiteState()
        learned += bool(state.frozen)
        known = FREEZE_PAGES if state.frozen else len(state.fingerprints)
        missing += max(0, min(pages, FREEZE_PAGES) - known)
        assert known < LEAST_PAGES or state.learn(site, LearningOptions()).useful
    # What each process has seen is there, but for what the killed ones and Redis had not yet
    # stored: a second of it, in which some sites may have had most of their pages.
    assert missing < HOSTS * ARTICLES / 4
    print(f"{learned} of {HOSTS} sites have a model, the others nearly enough pages")
