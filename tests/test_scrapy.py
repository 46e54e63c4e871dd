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
from scrapy.core.scraper import Scraper, Slot
from scrapy.utils.reactor import CallLaterOnce

import scrapy_boilerplate

PACKAGE = Path(scrapy_boilerplate.__file__).parent


@pytest.mark.parametrize(
    ("owner", "name", "use"),
    [
        (Scraper, "start_itemproc_async", "run_pipelines sends held items"),
        (Scraper, "_check_if_closing", "wake_closing_scraper lets a crawl end"),
        (CallLaterOnce, "schedule", "wake_engine ends an idle crawl at once"),
        (ExecutionEngine, "download_async", "NextPages fetches further pages"),
        (ParseCommand, "items", "fill_for_parse_command finds what is shown"),
    ],
)
def test_the_methods_are_there(owner: type, name: str, use: str) -> None:
    assert hasattr(owner, name), f"Scrapy has moved {owner.__name__}.{name}: {use}"


@pytest.mark.parametrize(
    ("owner", "names", "use"),
    [
        (Slot, ["closing"], "wake_closing_scraper"),
        (Scraper, ["slot"], "wake_closing_scraper"),
        (ExecutionEngine, ["scraper", "_slot"], "wake_engine"),
        (EngineSlot, ["closing", "scheduler"], "is_closing and note_as_seen"),
        (Scheduler, ["df"], "note_as_seen"),
    ],
)
def test_the_attributes_are_there(owner: type, names: list[str], use: str) -> None:
    code = inspect.getsource(owner)
    for name in names:
        assert f"self.{name}" in code, f"Scrapy has moved {owner.__name__}.{name}: see {use}"


def test_the_parameters_are_as_we_give_them() -> None:
    parameters = inspect.signature(Scraper.start_itemproc_async).parameters
    assert list(parameters) == ["self", "item", "response"]


PRIVATE = {"itemproc", "slot", "_slot", "_check_if_closing", "start_itemproc_async", "nextcall"}


def uses_of_private_names() -> Iterator[str]:
    for path in PACKAGE.rglob("*.py"):
        if path.name == "_scrapy.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and node.attr in PRIVATE:
                yield f"{path.relative_to(PACKAGE)}:{node.lineno} {node.attr}"


def test_they_are_used_in_one_place_only() -> None:
    assert list(uses_of_private_names()) == []
