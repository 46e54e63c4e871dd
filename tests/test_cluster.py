"""Four crawls with one queue and one store of sites in Redis, of which two are killed."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections import Counter
from functools import cache
from pathlib import Path

import processes
import pytest
from generated_sites import Site
from mockserver import MockServer
from storing import Redis

from scrapy_boilerplate.learn import LearningOptions, SiteState
from scrapy_boilerplate.learn.options import FREEZE_PAGES
from scrapy_boilerplate.learn.stores import open_store
from scrapy_boilerplate.tools.testing.timing import PATIENCE

pytest.importorskip("scrapy_redis", reason="scrapy-redis is not installed")
if shutil.which("redis-server") is None:
    pytest.skip("there is no redis-server on this machine", allow_module_level=True)

pytestmark = pytest.mark.slow

HOSTS, ARTICLES = 50, 24
PATCH = {"extensions.FLUSH_SECONDS": 1}
LEAST_PAGES = 8  # of a site of which something is learned

site = cache(Site)


def portal(path: str) -> str:
    """Return the article or the index of a host, which the path names first."""
    time.sleep(0.01)
    _, host, *rest = path.split("/")
    if rest == [""]:
        links = (f"<li class=next><a href=article/{n}>{n}</a>" for n in range(ARTICLES))
        return f"<title>All</title><ul>{''.join(links)}</ul>"
    return site(host, int(host.rpartition(".")[2])).article(int(rest[1])).html


def counted(folder: Path, kind: str) -> Counter[str]:
    """Return how often each page was ``asked`` for by a callback, or ``delivered`` to it."""
    texts = (path.read_text() for path in folder.glob(f"*.{kind}"))
    return Counter(line for text in texts for line in text.splitlines())


def wait_for(folder: Path, count: int) -> None:
    """Wait until *count* pages were delivered to callbacks."""
    end = time.monotonic() + PATIENCE
    while counted(folder, "delivered").total() < count:
        assert time.monotonic() < end, "too few pages"
        time.sleep(0.05)


def test_killed_processes_and_a_restart_of_redis(tmp_path: Path) -> None:
    (tmp_path / "redis").mkdir()
    redis = Redis(folder=tmp_path / "redis")
    queue, store = (f"redis://127.0.0.1:{redis.port}/{number}" for number in (0, 1))
    running: dict[str, subprocess.Popen[bytes]] = {}
    names = ("p0", "p1", "p2", "p3")

    def start(name: str) -> None:
        settings: dict[str, object] = {
            "REDIS_URL": queue,
            "BOILERPLATE_SITE_STORE": store,
            "PATCH": PATCH,
        }
        settings["JOBDIR"] = f"{tmp_path}/{name}.job"
        words = processes.spider("shared", {"urls": urls}, tmp_path / name, settings)
        command = [words[0], *words[3:]]  # another package may warn
        running[name] = subprocess.Popen(command, cwd=tmp_path)

    def kill(name: str) -> None:
        running[name].kill()
        running[name].wait()

    with MockServer(portal, "0.0.0.0") as server:
        hosts = [f"127.0.0.{number + 2}" for number in range(HOSTS)]
        urls = [server.url(f"/{host}/", host) for host in hosts]
        try:
            for name in names:
                start(name)
            wait_for(tmp_path, 450)
            for name in names[:2]:
                kill(name)
            wait_for(tmp_path, 600)
            redis.kill()
            redis.start()
            for name in names[:2]:
                start(name)
            for name, process in running.items():
                assert process.wait(PATIENCE) == 0, (tmp_path / f"{name}.log").read_text()
            check(tmp_path, store)
        finally:
            for name in running:
                kill(name)
            redis.stop()


def check(folder: Path, store: str) -> None:
    asked, delivered = counted(folder, "asked"), counted(folder, "delivered")
    written = Counter(json.loads(line)[0] for line in counted(folder, "sink").elements())
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
