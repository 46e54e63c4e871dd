"""What we use of Scrapy that it does not document: a new version that moves it fails here first."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest
from scrapy.commands.parse import Command as ParseCommand
from scrapy.core.engine import ExecutionEngine
from scrapy.core.engine import _Slot as EngineSlot
from scrapy.core.scheduler import Scheduler

import scrapy_boilerplate

PACKAGE = Path(scrapy_boilerplate.__file__).parent


@pytest.mark.parametrize(
    ("owner", "name", "use"),
    [
        (ExecutionEngine, "download_async", "NextPages fetches further pages"),
        (ParseCommand, "items", "fill_for_parse_command finds what is shown"),
    ],
)
def test_the_methods_are_there(owner: type, name: str, use: str) -> None:
    assert hasattr(owner, name), f"Scrapy has moved {owner.__name__}.{name}: {use}"


@pytest.mark.parametrize(
    ("owner", "names", "use"),
    [
        (ExecutionEngine, ["_slot"], "is_closing and note_as_seen"),
        (EngineSlot, ["closing", "scheduler"], "is_closing and note_as_seen"),
        (Scheduler, ["df"], "note_as_seen"),
    ],
)
def test_the_attributes_are_there(owner: type, names: list[str], use: str) -> None:
    code = inspect.getsource(owner)
    for name in names:
        assert f"self.{name}" in code, f"Scrapy has moved {owner.__name__}.{name}: see {use}"


PRIVATE = {"itemproc", "slot", "_slot", "scraper", "nextcall"}


def uses_of_private_names() -> Iterator[str]:
    for path in PACKAGE.rglob("*.py"):
        if path.name == "_scrapy.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and node.attr in PRIVATE:
                yield f"{path.relative_to(PACKAGE)}:{node.lineno} {node.attr}"


def test_they_are_used_in_one_place_only() -> None:
    assert list(uses_of_private_names()) == []
