"""Real crawls of a local server, in a process of their own, where warnings are errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import processes
import pytest
from mockserver import REACTORS, MockServer, Reply
from processes import Crawled


def crawl(name: str, url: str, folder: Path, settings: Any = None) -> Crawled:
    output = folder / "crawl"
    command = processes.spider(name, {"url": url}, output, settings)
    return processes.crawled(output, processes.run(command))


def article(path: str) -> str:
    """Return a page whose main content is one paragraph."""
    links = "".join(f"<li><a href='/{n}'>Menu {n}</a>" for n in range(5))
    return f"<title>Title of {path}</title><ul>{links}</ul><p>{text(path)}</p>"


def text(path: str) -> str:
    return f"This is the page {path}, and these words are what it is there for."


def everything(path: str) -> Reply | str | None:
    if path == "/redirect":
        return Reply("", status=302, headers={"Location": "/target"})
    if path == "/json":
        return Reply('{"a": "<p>b"}', "application/json")
    if path == "/missing":
        return Reply(article(path), status=404)
    return article(path)


@pytest.mark.parametrize("reactor", REACTORS)
def test_items_of_every_type_from_every_kind_of_callback(reactor: str, tmp_path: Path) -> None:
    with MockServer(everything) as server:
        result = crawl("everything", server.url(""), tmp_path, REACTORS[reactor])
    assert result.status == 0, result.errors
    items = {item.pop("name"): item for item in result.items}
    headline = {"headline": "Title of /types"}
    tuned = {"text": text("/one?1")}
    assert items == {
        "start": {},
        **{
            f"{kind}Item": {"text": text("/types"), **headline}
            for kind in ("Scrapy", "Dataclass", "Attrs", "Pydantic")
        },
        "dict": {"text": text("/types")},
        "filled": {"text": "mine"},
        **{f"async {n}": {"text": text("/async")} for n in range(3)},
        **{f"list {n}": {"text": text("/list")} for n in range(2)},
        "target": {"text": text("/target")},
        "json": {},
        "chosen": {"text": text("/chosen"), "kind": "article"},
        "meta 0": {},
        "meta 1": tuned,
        "meta 2": {"text": text("/one?2")},
        "meta 3": {"text": text("/one?3")},
        "form": {"text": text("/one?q=form")},
        "failed with response": {"text": text("/missing")},
        "failed": {},
    }
    stats = {k.removeprefix("boilerplate/"): v for k, v in result.stats.items()}
    assert stats["item_scraped_count"] == 22
    assert stats["item_dropped_count"] == 1
    assert stats["pages"] == 11
    assert stats["extractions"] == 11
    assert (stats["extractor/auto"], stats["extractor/mss"]) == (8, 2)
    assert stats["extractor/mss-tuned"] == 1
    assert (stats["kind/article"], stats["kind/not_html"]) == (10, 1)
    assert (stats["errors"], stats["errors/choice"]) == (1, 1)
    assert (stats["skipped/off"], stats["skipped/filled"], stats["skipped/no_page"]) == (1, 1, 2)
    assert stats["skipped/not_asked"] == 1
    assert stats["items"] == 17
    assert 0 < stats["seconds"] < 60
    assert stats["alive"] == 0
    assert result.log.count("Unknown extractor 'no-such-name'; choose one of: mss") == 1
    assert "Traceback" not in result.log


def test_memory_is_flat_and_every_page_has_its_items(tmp_path: Path) -> None:
    pages = 120

    def many(path: str) -> str | None:
        number = int(path.rpartition("/")[2])
        links = "".join(f"<a href='/page/{(number * 7 + n) % pages}'>x</a>" for n in range(1, 9))
        return article(path) + links

    with MockServer(many) as server:
        result = crawl("many", server.url(""), tmp_path, {"ROBOTSTXT_OBEY": False})
    assert result.status == 0, result.errors
    texts = {(item["url"].rpartition("/")[2], item["part"]): item["text"] for item in result.items}
    found = {number for number, _ in texts}
    assert len(found) > pages / 2
    assert len(texts) == len(result.items) == 2 * len(found)
    assert all(value.startswith(text(f"/page/{key[0]}")) for key, value in texts.items())
    assert all(texts[number, "a"] == texts[number, "b"] for number in found)
    assert result.stats["boilerplate/pages"] == len(found)
    assert result.stats["most_alive"] < 60
    assert result.stats["alive"] == 0
