"""Work (in calls, not in time), memory and outputs are in proportion to the page."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from cProfile import Profile
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from benchmarks.limits import CHOICES, SHAPES, Everything, exponent, measured, parsed
from scrapy_boilerplate import extract
from scrapy_boilerplate.core.answer.extraction import OUTPUTS
from scrapy_boilerplate.tools.testing import timing

SIZES = (5_000, 10_000, 20_000)
FEW, BOUND = 0.5, 1.2
"""Calls a character that are no growth, and the power of the size with which all may grow."""
FAST = ("deep links to pages",)


def calls_of(make: Callable[[], object]) -> int:
    """Return how many functions are called, those of C too."""
    with Profile() as profile:
        make()
    return sum(each.callcount for each in profile.getstats())


@pytest.mark.parametrize(
    "shape", [pytest.param(each, marks=() if each in FAST else pytest.mark.slow) for each in SHAPES]
)
def test_calls_grow_with_the_page(shape: str) -> None:
    calls = [measured(shape, size, calls_of, [*CHOICES]) for size in SIZES]
    grown = {step: growth([each[step] for each in calls]) for step in calls[0]}
    assert max(grown.values()) < BOUND, {step: each for step, each in grown.items() if each > 1}


def growth(calls: list[float]) -> float:
    """Return with which power of the size calls grow, but for steps that are taken once.

    Such a step is where a page gets too deep for a parser, or a path as long as it may be.
    """
    counted = [(size, each + FEW * size) for size, each in zip(SIZES, calls, strict=True)]
    return min(exponent(*zip(*pair, strict=True)) for pair in pairwise(counted))


# -- memory by shape -------------------------------------------------------------------------------


SHARE, SPARE = 24, 64 << 20  # bytes for each byte of a page, and for all of them
WORST = ("paragraphs in quotes", "headings", "one wide row", "formatting opened again")

READ = """
import gc, os, resource, sys
from benchmarks.limits import CHOICES, SHAPES, Everything, chosen, drawn, measured, next_page
from scrapy_boilerplate import Page, get_extractor
from scrapy_boilerplate.core.answer.extraction import OUTPUTS
from scrapy_boilerplate.core.page.budget import MAX_NODES

def status(name):
    lines = dict(line.split(":", 1) for line in open("/proc/self/status"))
    return int(lines[name].split()[0]) * 1024

def read(html):
    return Page.parse(html, url="https://a.example/b", max_nodes=MAX_NODES)

def make_all(html):
    page = read(html)
    answer = Everything().extract(page)
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
    runs["auto"] = lambda: get_extractor("auto").extract(read(html)).explain()
    runs["all blocks"] = lambda: make_all(html)
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
        pytest.param(150_000, WORST[1:3], id="worst"),
        *(
            pytest.param(300_000, [*SHAPES][part::8], id=f"all, {part}", marks=pytest.mark.slow)
            for part in range(8)
        ),
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


# -- no output is much larger than its page, whatever the page looks like --------------------------


SIZE = 30_000


def size(value: Any) -> int:
    return len(value if isinstance(value, str) else json.dumps(value, default=repr))


@pytest.mark.parametrize("shape", SHAPES)
def test_no_output_is_much_larger_than_its_page(shape: str) -> None:
    html = SHAPES[shape](SIZE)
    page = parsed(html)
    extraction = Everything().extract(page)
    large = {}
    for name, output in OUTPUTS.items():
        value = output(extraction)
        if size(value) > most(name, value, html):
            large[name] = size(value)
    assert not large, len(html)


def most(name: str, value: Any, html: str) -> int:
    """Return how large an output may be; each row of some names its keys."""
    return 8 * len(html) + 64_000 + 250 * len(value if name in ("segments", "sections") else "")


def test_many_sections_are_not_much_larger_than_their_page() -> None:
    html = "".join(f"<nav>* _{number}" for number in range(10_000)) + "<p>One two three four."
    answer = extract(html, extractor=Everything(), max_words=1)
    sections = OUTPUTS["sections"](answer)
    assert size(sections) <= most("sections", sections, html)


# -- the judge of linear time is right on a machine that is busy, and is not fooled by it ----------


@pytest.mark.parametrize("disturbed", [0, 0.3, 0.6])
def test_linear_passes_and_quadratic_does_not(disturbed: float) -> None:
    rng = random.Random(1)

    def delay() -> float:
        return rng.uniform(1, 2.5) if rng.random() < disturbed else 1

    for _ in range(200):
        assert timing.growth(lambda size: size / 1000 * delay(), 1000, 4, limit=8) < 8
        assert timing.growth(lambda size: size * size / 1e6 * delay(), 1000, 4, limit=8) >= 8
