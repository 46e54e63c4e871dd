"""Memory by shape: no page, as a crawl reads it, takes more than 24 times its size and 64 MB."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.limits import SHAPES

SHARE, SPARE = 24, 64 << 20
"""Bytes for each byte of a page, and for all of them."""
WORST = ("paragraphs in quotes", "headings", "one wide row", "formatting opened again")

READ = """
import gc, os, resource, sys
from benchmarks.limits import CHOICES, SHAPES, Everything, chosen, drawn, measured, next_page
from scrapy_boilerplate import Page, get_extractor
from scrapy_boilerplate.core.answer.fields import OUTPUTS
from scrapy_boilerplate.core.page.budget import MAX_NODES

def status(name):
    lines = dict(line.split(":", 1) for line in open("/proc/self/status"))
    return int(lines[name].split()[0]) * 1024

def read(html):
    return Page.parse(html, url="https://a.example/b", max_nodes=MAX_NODES)

def make_all(html, extractor):
    page = read(html)
    answer = extractor.extract(page)
    for output in OUTPUTS.values():
        output(answer)
    return answer.explain(), next_page(page)

size, share, spare = map(int, sys.argv[1:4])
for name in ("links", "deep comments"):  # loads what is loaded when it is first used
    measured(name, 30_000, choices=list(CHOICES))
for name in sys.argv[4:]:
    html = SHAPES[name](size)
    most = share * len(html.encode()) + spare
    runs = {each: lambda each=each: chosen(read(html), each) for each in drawn(name)}
    runs.pop("compare", None)  # which holds ten answers
    runs["auto"] = lambda: make_all(html, get_extractor("auto"))
    runs["all blocks"] = lambda: make_all(html, Everything())
    for run, make in runs.items():
        gc.collect()
        if not (child := os.fork()):
            before = status("VmHWM")
            resource.setrlimit(resource.RLIMIT_AS, (status("VmSize") + most, -1))
            make()
            if (taken := status("VmHWM") - before) > most:
                print(taken >> 20, "MB of", most >> 20, end=" ")
            sys.stdout.flush()
            os._exit(taken > most)
        if os.waitpid(child, 0)[1]:
            print(f"{name}, {run}", flush=True)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
@pytest.mark.parametrize(
    ("size", "shapes"),
    [
        pytest.param(150_000, WORST, id="worst"),
        pytest.param(300_000, SHAPES, id="all", marks=pytest.mark.slow),
        pytest.param(1_500_000, WORST, id="large", marks=pytest.mark.slow),
    ],
)
def test_memory_is_in_proportion_to_the_page(size: int, shapes: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", READ, *map(str, (size, SHARE, SPARE)), *shapes],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert not done.stdout, done.stdout + done.stderr
