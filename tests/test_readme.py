"""What the README shows is true."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ELSEWHERE = {"extending", "recipes"}
"""What tests/test_extractors.py installs, and what tests/test_recipes.py runs."""
EXAMPLES = [
    page
    for page in sorted((ROOT / "docs").glob("*.md"))
    if ">>> " in page.read_text() and page.stem not in ELSEWHERE
]


def test_the_examples_print_what_they_say() -> None:
    result = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert result.attempted >= 3
    assert result.failed == 0


@pytest.mark.parametrize("page", EXAMPLES, ids=lambda page: page.stem)
def test_the_examples_of_the_docs_print_what_they_say(page: Path) -> None:
    result = doctest.testfile(str(page), module_relative=False)
    assert result.attempted > 0
    assert result.failed == 0


def test_the_first_block_is_two_commands() -> None:
    block = re.search(r"^```\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)
    assert block is not None
    demo, tests = block[1].splitlines()
    assert demo.endswith(".venv/bin/python example_project/demo.py")
    assert tests.endswith(".venv/bin/python -m pytest -n auto --dist loadfile")


def test_every_link_leads_somewhere() -> None:
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
