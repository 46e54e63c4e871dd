"""A portal whose pages repeat a box, and crawls of it in processes of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import processes
from generated_sites import Site

SITE = Site()
TEASER = SITE.headlines[0]


def portal(path: str) -> str | None:
    """Return a page of a portal: an article, or a list of the kind that has none."""
    if path.startswith("/tag/"):
        return SITE.tag_page(int(path.removeprefix("/tag/"))).html
    if path.startswith("/a"):
        return SITE.article(int(path.removeprefix("/a")), comments=0).html
    return None


class Result(processes.Crawled):
    """What a crawl has left."""

    def stat(self, name: str) -> Any:
        return self.stats.get(f"boilerplate/sites/{name}", 0)


Run = Callable[..., Result]


def command(folder: Path, urls: list[str], name: str, settings: dict[str, Any]) -> list[str]:
    (folder / "urls").write_text("\n".join(urls))
    settings = {"BOILERPLATE_SITE_STORE": str(folder / "sites.sqlite"), **settings}
    return processes.spider("sites", {"urls": str(folder / "urls")}, folder / name, settings)


def run(folder: Path, urls: list[str], name: str = "run", **settings: Any) -> Result:
    done = processes.run(command(folder, urls, name, settings))
    found = result(folder, name)
    assert done.returncode == 0, done.stderr + found.log
    return found


def result(folder: Path, name: str) -> Result:
    return Result(*processes.crawled(folder / name))


def wanted(url: str) -> str:
    return SITE.article(int(url.rpartition("/a")[2]), comments=0).gold


def assert_right(result: Result, urls: list[str], since: int = 0) -> None:
    """Each item once; from number *since* on each article clean, each list empty."""
    assert sorted(item["url"] for item in result.items) == sorted(urls)
    for item in result.items[since:]:
        assert item["text"] == ("" if "/tag/" in item["url"] else wanted(item["url"])), item["url"]
