"""What extraction costs in instructions of the processor, which do not hang on the machine's load.

    python -m benchmarks.instructions             # check: fails if a method became 5 % dearer
    python -m benchmarks.instructions --record    # record what is counted now

Valgrind's callgrind counts the instructions of each step on a few pages of the repository, and on
a tiny one, where the fixed cost of a call is what matters. ``pipeline`` is what an item costs in a
crawl besides reading and extracting its page, ``learning`` what a page costs the learner, ``row``
what a page of an archive costs from bytes to text, Markdown and metadata. Counts of
our steps differ by less than .5 % between runs; those of lxml's parse by 7 %, since libxml2 mixes
the keys of its tables with a random number. So counts are compared as they are, and parses are
printed for the reader only. Recorded counts stand in ``instructions.json`` beside the versions that
they hold for. With another Python, numpy or lxml the same code takes other counts: then nothing is
compared, and the command says so.

A count says nothing of waits for memory, which ``benchmarks.speed`` measures in time.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import version
from itertools import product
from pathlib import Path
from platform import machine, python_version_tuple
from statistics import geometric_mean
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
from parsel import Selector
from scrapy import Request, Spider
from scrapy.core.spidermw import SpiderMiddlewareManager
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from benchmarks.commands import command
from benchmarks.tables import table
from scrapy_boilerplate import Page, extractor_names, get_extractor
from scrapy_boilerplate.core.methods import Extractor, Verdict
from scrapy_boilerplate.core.page.budget import read_source
from scrapy_boilerplate.core.page.decoding import decode
from scrapy_boilerplate.learn import SiteLearner
from scrapy_boilerplate.plugin.crawl import CrawlState
from scrapy_boilerplate.plugin.pipelines import BoilerplatePipeline
from scrapy_boilerplate.plugin.spidermiddlewares import BoilerplateSpiderMiddleware
from scrapy_boilerplate.tools.rows import InputPage, PageRows

RECORDED = Path(__file__).with_name("instructions.json")
ROOT = Path(__file__).parent.parent
PAGES = (
    "tests/fixtures/gate/libreoffice-help-hu/pages/0099.html.gz",
    "tests/fixtures/gate/flink-zh/pages/0019.html.gz",
    "example_project/sites/portal/improved-api-tokens-for-crates-io.html",
    "example_project/sites/rust-blog/2022/09/22/Rust-1.64.0.html",
    "example_project/sites/flink-blog/2023/05/25/apache-flink-1.16.2-release-announcement/index.html",
)
TINY = "<ul><li><a href=/>Home</a></ul><h1>Title</h1><p>A sentence of a few words.</p>"
MARGIN = 0.05  # by how much a step may become dearer

PARSE, WALK, PIPELINE, LEARNING, ROW = "lxml parse", "walk", "pipeline", "learning", "row"
ADDRESS = "https://host.example/page"

Counts = dict[str, list[int]]
"""Instructions of each step, page by page; the last page is the tiny one."""

Thousands = dict[str, dict[str, float]]
"""Thousands of instructions by step: on a ``page``, the geometric mean, and on the ``tiny`` one."""


# -- steps of a crawl ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Nothing(Extractor):
    """Keeps nothing, at no cost."""

    name: ClassVar[str] = "nothing"

    def judge(self, page: Page) -> Verdict:
        spans = np.array([[0, page.text_at.size]], dtype=np.int64)
        return Verdict(spans, np.zeros(1, dtype=bool), np.zeros(1), str)


class _Pages(Spider):
    name = "pages"

    def parse(self, response: Any) -> None:
        """Yield nothing."""


class _Crawl:
    """The plugin's components in a crawl without an engine, with an extractor at no cost."""

    def __init__(self) -> None:
        own = {
            "BOILERPLATE_EXTRACTOR": Nothing(),
            "ITEM_PIPELINES": {BoilerplatePipeline: BoilerplatePipeline.ORDER},
            "SPIDER_MIDDLEWARES": {BoilerplateSpiderMiddleware: BoilerplateSpiderMiddleware.ORDER},
        }
        crawler = get_crawler(_Pages, own)
        crawler.spider = crawler._create_spider()
        middlewares = SpiderMiddlewareManager.from_crawler(crawler)
        scraper = SimpleNamespace(spidermw=middlewares)
        crawler.engine = SimpleNamespace(scraper=scraper)  # type: ignore[assignment]
        self.spider = crawler.spider
        self._records = CrawlState.of(crawler).records
        self._middleware = next(
            each for each in middlewares.middlewares if type(each) is BoilerplateSpiderMiddleware
        )
        self._pipeline = BoilerplatePipeline.from_crawler(crawler)
        self._pipeline.open_spider()

    def item(self, text: str) -> Callable[[], object]:
        """Return the way of a page's only item through the plugin; the page has been read."""
        request = Request(ADDRESS, callback=self.spider.parse)
        response = HtmlResponse(ADDRESS, body=text.encode(), encoding="utf-8", request=request)
        page = Page.parse(text, url=ADDRESS)
        page.lay_out_all(page.blocks[:0])  # any method counts and lays out …
        page.visible.sum()  # … what it keeps
        self._records.fetched(response)
        self._records.of(response).read = page
        return partial(self._send, {"url": ADDRESS}, response)

    def _send(self, item: object, response: HtmlResponse) -> object:
        self._middleware.get_processed_item(item, response)
        return self._pipeline.process_item(item)


@cache
def _crawl() -> _Crawl:
    return _Crawl()


def crawl_steps(text: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the calls to count on one page.

    ``pipeline``: an item's way through spider middleware and pipeline without reading and
    extracting its page. ``learning``: a page is learned from.
    """
    yield PIPELINE, _crawl().item(text)
    page = Page.from_selector(Selector(text=text, type="html"), url=ADDRESS, source=text)
    found = get_extractor("mss").extract(page)
    yield LEARNING, partial(SiteLearner().observe, page, found)


# -- inside valgrind -------------------------------------------------------------------------


def _steps(text: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the calls to count on one page, and do off the count what they need."""
    yield PARSE, partial(Selector, text=text, type="html")
    selector = Selector(text=text, type="html")
    utf8 = text.encode()  # as it comes: nothing is encoded for the walk

    def page() -> Page:
        return Page.from_selector(selector, source=read_source(text, utf8))

    yield WALK, page
    for name in extractor_names():
        yield name, partial(lambda name, page: get_extractor(name).extract(page).text, name, page())
    yield from crawl_steps(text)
    yield ROW, partial(_rows(), InputPage(text.encode(), ADDRESS))


_rows = cache(PageRows)


def _texts() -> list[str]:
    texts = [TINY]
    for name in reversed(PAGES):
        body = (ROOT / name).read_bytes()
        body = gzip.decompress(body) if name.endswith(".gz") else body
        texts.insert(0, decode(body, "utf-8")[0])
    return texts


def steps() -> list[str]:
    """Return the names of all steps, in the order in which they are done."""
    return [PARSE, WALK, *extractor_names(), PIPELINE, LEARNING, ROW]


def _run_steps(numbers: Sequence[int]) -> None:
    """Do each step between two calls of ``getpgid``, at which callgrind writes its counts."""
    gc.disable()
    known = _texts()
    texts = [known[number] for number in numbers]
    # Whatever is loaded, cached or specialised by the interpreter is so before the count.
    for text in (*[TINY] * 6, *texts):
        for _, call in _steps(text):
            call()
    for text in texts:
        for _, call in _steps(text):
            os.getpgid(0)
            call()
            os.getpgid(0)


# -- around it -------------------------------------------------------------------------------


PARTS = (0, 3, 5), (1, 2, 4)
"""Numbers of the pages that are counted together; the last one is the tiny page."""


def count() -> Counts:
    """Return the instructions of each step; takes a minute or two on two processors."""
    with ThreadPoolExecutor(len(PARTS)) as threads:
        counted = dict(pair for part in threads.map(_counted, PARTS) for pair in part)
    return {name: [counted[page, name] for page in range(len(PAGES) + 1)] for name in steps()}


def _counted(numbers: Sequence[int]) -> list[tuple[tuple[int, str], int]]:
    """Return the instructions of some pages by their number and the step."""
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "counts"
        command = [
            *("valgrind", "--tool=callgrind", "--dump-before=getpgid"),
            *(f"--callgrind-out-file={profile}", sys.executable, "-m"),
            *("benchmarks.instructions", "--inside", *map(str, numbers)),
        ]
        environment = {**os.environ, "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}
        run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
        if run.returncode:
            raise RuntimeError(f"valgrind failed:\n{run.stderr[-2000:]}")
        done = enumerate(product(numbers, steps()), 1)
        return [(step, _total(Path(f"{profile}.{2 * number}"))) for number, step in done]


def _total(profile: Path) -> int:
    found = re.search(r"^totals: (\d+)", profile.read_text(), re.MULTILINE)
    assert found is not None, "callgrind wrote no total"
    return int(found[1])


def thousands(counts: Counts) -> Thousands:
    """Return what each step costs, in thousands of instructions.

    >>> thousands({"mss": [500_000, 2_000_000, 26_000]})
    {'mss': {'page': 1000.0, 'tiny': 26.0}}
    """
    return {
        name: {"page": round(geometric_mean(pages) / 1000, 1), "tiny": round(tiny / 1000, 1)}
        for name, (*pages, tiny) in counts.items()
    }


def dearer(found: Thousands, recorded: Thousands) -> list[str]:
    """Say which steps take more instructions than was recorded, by more than the margin.

    >>> dearer({"mss": {"page": 400.0, "tiny": 90.0}}, {"mss": {"page": 300.0, "tiny": 90.0}})
    ['mss: 300.0 thousand instructions a page were recorded, it takes 400.0']
    """
    problems = []
    where = {"page": "a page", "tiny": "on the tiny page"}
    for name in sorted(found.keys() - {PARSE}):
        for page, count in found[name].items():
            before = recorded.get(name, {}).get(page, 0.0)
            if count > before * (1 + MARGIN):
                problems.append(
                    f"{name}: {before} thousand instructions {where[page]} were recorded, "
                    f"it takes {count}"
                )
    return problems


def _versions() -> dict[str, str]:
    libraries = {name: version(name) for name in ("numpy", "lxml", "parsel")}
    python = ".".join(python_version_tuple()[:2])
    return {"machine": machine(), "python": python, **libraries}


def _printed(counts: Thousands, recorded: Thousands) -> str:
    rows = []
    for name, values in counts.items():
        row = [name, f"{values['page'] / counts[PARSE]['page']:.2f}"]
        for page, count in values.items():
            before = recorded.get(name, {}).get(page)
            row += [f"{count:.1f}", f"{count / before - 1:+.1%}" if before else "–"]
        rows.append(row)
    header = ["thousands of instructions", "in parses", "a page", "change", "tiny page", "change"]
    return table(header, rows)


def main() -> int:
    parser = command(__doc__)
    parser.add_argument("--record", action="store_true", help="record what is counted now")
    parser.add_argument("--inside", type=int, nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        _run_steps(arguments.inside)
        return 0
    if shutil.which("valgrind") is None:
        print("skipped: no valgrind, which counts the instructions")
        return 0
    found, here = thousands(count()), _versions()
    recorded = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    print(_printed(found, recorded.get("counts", {})))
    if arguments.record:
        RECORDED.write_text(json.dumps({"versions": here, "counts": found}, indent=1) + "\n")
        return 0
    if here != recorded.get("versions"):
        print(f"not compared: these are counts of {here}, recorded are {recorded.get('versions')}")
        return 0
    problems = dearer(found, recorded["counts"])
    print("\n".join(problems) or "no step became dearer")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
