"""Memory by shape: no page takes more than 24 times its size, and 64 MB."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SHARE, SPARE = 24, 64 << 20
"""Bytes for each byte of a page, and for all of them."""

READ = """
import os, resource, sys
from benchmarks.limits import SHAPES, STEPS, measured
size, names = int(sys.argv[1]), sys.argv[2:] or list(SHAPES)
measured("links", 3000)  # loads what is loaded when it is first used
for name in names:
    page = SHAPES[name](size).encode()
    child = os.fork()
    if not child:
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        most = used + %d * len(page) + %d
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        try:
            measured(name, size)
        except MemoryError:
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        print(name)
"""
TWO = ["entities and values", "keys and groups", "captions and images", "images and candidates",
       "one long link around paragraphs", "deep cells"]  # fmt: skip


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux")
def test_memory_is_in_proportion_to_the_page() -> None:
    code = READ % (SHARE, SPARE)
    done = subprocess.run(
        [sys.executable, "-c", code, "30000", *TWO],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert not done.stdout
