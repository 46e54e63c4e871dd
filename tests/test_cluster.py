"""Four crawls with one queue and one store of sites in Redis, of which two are killed."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest
from storing import free_port

pytest.importorskip("scrapy_redis", reason="scrapy-redis is not installed")
if shutil.which("redis-server") is None:
    pytest.skip("there is no redis-server on this machine", allow_module_level=True)

from cluster import PROCESSES, ClusterCrawl, PersistentRedis

from scrapy_boilerplate.learn import LearningOptions, SiteState
from scrapy_boilerplate.learn.options import FREEZE_PAGES
from scrapy_boilerplate.learn.stores import open_store
from scrapy_boilerplate.tools.testing.timing import PATIENCE

pytestmark = pytest.mark.slow

HOSTS, ARTICLES = 50, 24
LEAST_PAGES = 8
"""Pages of a site of which something is learned."""


def test_killed_processes_and_a_restart_of_redis(tmp_path: Path) -> None:
    (tmp_path / "redis").mkdir()
    redis = PersistentRedis(tmp_path / "redis", free_port())
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
        redis.kill()


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
