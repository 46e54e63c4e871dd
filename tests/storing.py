"""A site's pages, what is learned of them, and servers to keep it."""

from __future__ import annotations

import itertools
import shutil
import socket
import sqlite3
import subprocess
import tempfile
import time
from contextlib import closing
from functools import cache
from pathlib import Path

import pytest
from generated_sites import Site

from scrapy_boilerplate import Page, get_extractor
from scrapy_boilerplate.learn import LearningOptions, SiteLearner
from scrapy_boilerplate.learn.stores import SiteStore

SITE = "a.example"
METHOD = get_extractor("mss")


def page(number: int, site: str = SITE) -> Page:
    return Site(site).article(number, comments=0).page()


def learner(
    numbers: range, store: SiteStore | None = None, site: str = SITE, freeze_pages: int = 20
) -> SiteLearner:
    learner = SiteLearner(LearningOptions(freeze_pages=freeze_pages), store=store)
    for number in numbers:
        shown = page(number, site)
        learner.observe(shown, METHOD.extract(shown))
    return learner


@cache
def states(numbers: range) -> list[bytes]:
    """Return what is known of the site after each of these pages."""
    worker = learner(numbers[:0])
    found = []
    for shown in map(page, numbers):
        worker.observe(shown, METHOD.extract(shown))
        found.append(worker.state(SITE) or b"")
    return found


def state(numbers: range) -> bytes:
    return states(numbers)[-1]


class Redis:
    """A Redis server of our own; in a *folder* it writes all to disk, and can be started again."""

    def __init__(self, port: int | None = None, folder: Path | None = None) -> None:
        self.port = port or free_port()
        self._temporary = tempfile.TemporaryDirectory()
        kept = "--appendonly yes --appendfsync always" if folder else "--save  --appendonly no"
        options = f"--databases 200 --port {self.port} --bind 127.0.0.1 {kept}"
        self._options = [*options.split(" "), "--dir", str(folder or self._temporary.name)]
        self._databases = itertools.count()
        self.start()

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        import redis

        binary, nothing = shutil.which("redis-server"), subprocess.DEVNULL
        assert binary is not None
        command = [binary, *self._options]
        self.process = subprocess.Popen(command, stdout=nothing, stderr=nothing)
        with redis.Redis(port=self.port) as client:
            for _ in range(2000):
                try:
                    client.ping()
                except redis.RedisError:  # noqa: PERF203 - it starts, or loads what it has written
                    time.sleep(0.05)
                else:
                    return
        self.stop()
        raise RuntimeError("redis-server does not answer")

    def address(self) -> str:
        """Return the address of a database that nobody has used."""
        return f"redis://127.0.0.1:{self.port}/{next(self._databases)}"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        self.kill()
        self._temporary.cleanup()


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def start_redis(port: int | None = None) -> Redis:
    pytest.importorskip("redis", reason="the redis package is not installed")
    if shutil.which("redis-server") is None:
        pytest.skip("there is no redis-server on this machine")
    return Redis(port)


def write_raw(address: str, table: str, site: str | bytes, value: object) -> None:
    """Write past the store what a damaged file holds, or a peer that does not keep to our forms."""
    if "://" in address:
        import redis

        with redis.Redis.from_url(address) as client:
            client.hset(f"scrapy_boilerplate:1:{table}", site, value)
    else:
        with closing(sqlite3.connect(address)) as database, database:
            database.execute(f"INSERT OR REPLACE INTO {table} VALUES (?, ?)", (site, value))
