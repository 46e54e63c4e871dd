"""Memory by shape: what a page takes is in proportion to its size and its tags."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SHARE, TAG, SPARE = 24, 2500, 16 << 20
"""Bytes for each byte of a page, for each of its tags, and for all of them."""

READ = """
import gc, os, resource, sys
from benchmarks.limits import CHOICES, SHAPES, chosen, drawn, measured, parsed

def status(name):
    lines = dict(line.split(":", 1) for line in open("/proc/self/status"))
    return int(lines[name].split()[0]) * 1024

size, share, tag, spare = map(int, sys.argv[1:])
for name in ("links", "deep comments"):  # loads what is loaded when it is first used
    measured(name, 30_000, choices=list(CHOICES))
for name, shape in SHAPES.items():
    html = shape(size)
    most = share * len(html.encode()) + tag * html.count("<") + spare
    gc.collect()
    child = os.fork()
    if not child:
        most_of_all = status("VmSize") + (1 << 30)
        resource.setrlimit(resource.RLIMIT_AS, (most_of_all, most_of_all))
        before = status("VmHWM")
        try:
            measured(name, size)
            for choice in {*drawn(name)} - {"compare"}:  # which holds ten answers
                chosen(parsed(html), choice)
        except MemoryError:
            os._exit(1)
        os._exit(status("VmHWM") - before > most)
    if os.waitpid(child, 0)[1]:
        print(name)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
def test_memory_is_in_proportion_to_the_page() -> None:
    done = subprocess.run(
        [sys.executable, "-c", READ, *map(str, (40_000, SHARE, TAG, SPARE))],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert not done.stdout
