"""A module is found by its name in one guess."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import scrapy_boilerplate


def test_names_of_modules_are_unique() -> None:
    package = Path(scrapy_boilerplate.__file__).parent
    counts = Counter(path.stem for path in package.rglob("*.py*") if path.suffix in (".py", ".pyx"))
    shared = {name for name, count in counts.items() if count > 1} - {"__init__", "__main__"}
    assert shared == set()
