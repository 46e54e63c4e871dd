"""A portal whose pages repeat a box, and crawls of it in processes of their own."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import processes

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
    path = "/" + url.rpartition("/")[2]
    return "\n\n".join([f"Title of {path}", *paragraphs(path)])


def assert_right(result: Result, urls: list[str], since: int = 0) -> None:
    """Each item once; from number *since* on each article clean, each list empty."""
    assert sorted(item["url"] for item in result.items) == sorted(urls)
    for item in result.items[since:]:
        assert item["text"] == ("" if "/tag/" in item["url"] else wanted(item["url"])), item["url"]
