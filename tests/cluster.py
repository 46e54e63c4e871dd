"""Crawls of several processes with one queue and one store of sites in Redis."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from generated_sites import Site
from mockserver import MockServer

HERE = Path(__file__).parent
PROCESSES = 4


class PersistentRedis:
    """A Redis server that writes every command to disk, and can be started again."""

    def __init__(self, folder: Path, port: int) -> None:
        self._folder, self.port = folder, port
        self.start()

    def start(self) -> None:
        import redis

        binary = shutil.which("redis-server")
        assert binary is not None
        options = f"--port {self.port} --bind 127.0.0.1 --appendonly yes --appendfsync always"
        self._process = subprocess.Popen(
            [binary, *options.split(), "--dir", str(self._folder)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.client = redis.Redis(port=self.port)
        for _ in range(600):
            try:
                self.client.ping()
            except redis.RedisError:  # noqa: PERF203 - it loads what it has written
                time.sleep(0.05)
            else:
                return
        raise RuntimeError("redis-server does not answer")

    def kill(self) -> None:
        self.client.close()
        self._process.kill()
        self._process.wait()


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
        urls = [self._server.url(f"/{host}/", host) for host in self.sites]
        crawl = {"urls": urls, "settings": self._settings}
        (self.folder / "crawl.json").write_text(json.dumps(crawl))
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
        command = [sys.executable, str(HERE / "cluster_crawl.py"), str(self.folder), name]
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
        return Counter(json.loads(line)[0] for line in self._lines("written"))

    def _lines(self, kind: str) -> Iterator[str]:
        for path in self.folder.glob(f"*.{kind}"):
            yield from path.read_text().splitlines()
