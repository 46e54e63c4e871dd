"""The project as a whole: examples in docstrings, names, what it uses of Scrapy, its files."""

from __future__ import annotations

import ast
import doctest
import inspect
import pkgutil
import re
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from scrapy.commands.parse import Command as ParseCommand
from scrapy.core.engine import ExecutionEngine
from scrapy.core.engine import _Slot as EngineSlot
from scrapy.core.scheduler import Scheduler

import benchmarks
import scrapy_boilerplate
from scrapy_boilerplate import Page, extractor_names, get_extractor

OF_EXTRAS = {"scrapy_boilerplate.tools.spark", "scrapy_boilerplate.tools.warc"}
"""Packages that need an extra to be imported."""


def cannot_import(name: str) -> None:
    if name not in OF_EXTRAS:
        pytest.fail(name)


def modules_of(package: object) -> list[str]:
    name, path = package.__name__, package.__path__  # type: ignore[attr-defined]
    found = pkgutil.walk_packages(path, f"{name}.", onerror=cannot_import)
    return [name, *(module.name for module in found)]


MODULES = [*modules_of(scrapy_boilerplate), *modules_of(benchmarks)]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    try:
        module = import_module(name)
    except ModuleNotFoundError as error:  # of an extra
        pytest.skip(str(error))
    assert not doctest.testmod(module, verbose=False).failed


def test_the_package_has_few_public_names() -> None:
    """All parts count, also those whose engines are not installed: their files are read."""
    files = Path(scrapy_boilerplate.__file__).parent.rglob("*.py")
    lists = [
        each.value
        for file in files
        for each in ast.parse(file.read_bytes()).body
        if isinstance(each, ast.Assign) and "__all__" in map(ast.unparse, each.targets)
    ]
    assert lists
    assert sum(len(ast.literal_eval(names)) for names in lists) < 250


@pytest.mark.parametrize("name", extractor_names())
def test_every_method_tells_what_it_is(name: str) -> None:
    try:
        kind = type(get_extractor(name))
    except ImportError as error:  # a method may need an extra
        pytest.skip(str(error))
    text = kind.__doc__ or ""
    for part in ("Source: ", "Weaknesses: ", ">>> "):
        assert part in text, f"the docstring of {kind.__name__} has no {part!r}"


def test_what_docstrings_refer_to_is_there() -> None:
    package = Path(scrapy_boilerplate.__file__).parent / "core"
    text = "".join(path.read_text(encoding="utf-8") for path in package.rglob("*.py"))
    names = set(re.findall(r":[a-z]+:`~?(scrapy_boilerplate[\w.]+)`", text))
    assert names
    for name in names:
        pkgutil.resolve_name(name)


# -- a module is found by its name in one guess ----------------------------------------------------


def test_names_of_modules_are_unique() -> None:
    package = Path(scrapy_boilerplate.__file__).parent
    counts = Counter(path.stem for path in package.rglob("*.py*") if path.suffix in (".py", ".pyx"))
    shared = {name for name, count in counts.items() if count > 1} - {"__init__", "__main__"}
    assert shared == set()


# -- what we use of Scrapy that it does not document -----------------------------------------------


PACKAGE = Path(scrapy_boilerplate.__file__).parent


@pytest.mark.parametrize(
    ("owner", "name", "use"),
    [
        (ExecutionEngine, "download_async", "NextPages fetches further pages"),
        (ParseCommand, "items", "fill_for_parse_command finds what is shown"),
        (ExecutionEngine, "_slot", "is_closing and note_as_seen"),
        (EngineSlot, "closing", "is_closing"),
        (EngineSlot, "scheduler", "note_as_seen"),
        (Scheduler, "df", "note_as_seen"),
    ],
)
def test_what_we_use_is_there(owner: type, name: str, use: str) -> None:
    is_there = hasattr(owner, name) or f"self.{name}" in inspect.getsource(owner)
    assert is_there, f"Scrapy has moved {owner.__name__}.{name}: {use}"


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


# -- the files around a release say the same -------------------------------------------------------


yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parent.parent
FILES = [
    *ROOT.glob(".github/**/*.yml"),
    *(ROOT / name for name in (".pre-commit-config.yaml", ".readthedocs.yaml", "CITATION.cff")),
]


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def project() -> str:
    return (ROOT / "pyproject.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_file_can_be_read(path: Path) -> None:
    assert yaml.safe_load(path.read_text(encoding="utf-8"))


def test_each_python_is_promised_tested_and_built() -> None:
    promised = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', project())
    assert read(".github/workflows/ci.yml")["jobs"]["python"]["strategy"]["matrix"]["python"] == (
        promised
    )
    build = re.search(r'^build = "(.*)"$', project(), re.M)
    assert build is not None
    wheels = [f"cp{version.replace('.', '')}-*" for version in promised]
    assert build[1].split() == [*wheels, "cp314t-*"]


def test_the_oldest_scrapy_is_tested() -> None:
    (oldest,) = re.findall(r'"scrapy>=(2\.\d+)"', project())
    jobs = read(".github/workflows/ci.yml")["jobs"]
    versions = jobs["scrapy"]["strategy"]["matrix"]["scrapy"]
    assert versions[0] == f"~={oldest}.0"
    assert versions[-1] == "main"
    assert f"scrapy=={oldest}.0" in (ROOT / "tests" / "constraints-oldest.txt").read_text()


@pytest.mark.parametrize("name", [".ci/sanitize", ".github/workflows/ci.yml"])
def test_the_tests_that_are_named_exist(name: str) -> None:
    named = re.findall(r"tests/test_\w+\*?\.py", (ROOT / name).read_text(encoding="utf-8"))
    assert named
    for pattern in named:
        assert list(ROOT.glob(pattern)), pattern


def test_the_hooks_have_the_linter_of_the_checks() -> None:
    (pinned,) = re.findall(r'"(ruff==[\d.]+)"', project())
    (hooks,) = (each["hooks"] for each in read(".pre-commit-config.yaml")["repos"])
    assert {name for hook in hooks for name in hook["additional_dependencies"]} == {pinned}


# -- the table of docs/policy.md says what the code does ------------------------------------------

POLICY = Path(__file__).parent.parent / "docs" / "policy.md"
ROWS = re.findall(r"^\| (.+?) \| `(.+?)` \| (yes|no) \|$", POLICY.read_text("utf-8"), re.MULTILINE)


def test_every_row_is_read() -> None:
    first_table = POLICY.read_text("utf-8").partition("\n## ")[0]
    rows = [line for line in first_table.splitlines() if line.startswith("| ")]
    assert len(ROWS) == len(rows) - 1 > 30


@pytest.mark.parametrize(("what", "example", "counts"), ROWS, ids=[row[0] for row in ROWS])
def test_policy(what: str, example: str, counts: str) -> None:
    page = Page.parse(example)
    assert page.is_html
    assert ("visible" in page.buffer) == (counts == "yes")


FORUM = "<body><div><script>app()</script></div><noscript><p>{}</p><style>no</style></noscript>{}"


@pytest.mark.parametrize(
    ("inside", "outside", "counts"),
    [
        (1000, 0, True),
        (999, 0, False),
        (2000, 100, True),
        (5000, 400, True),
        (3000, 1500, True),
        (3000, 1501, False),
        (50_000, 501, True),
    ],
)
def test_noscript_with_most_of_the_text_counts(inside: int, outside: int, counts: bool) -> None:
    page = Page.parse(FORUM.format("x" * inside, "y" * outside))
    assert page.buffer.count("x") == inside * counts
    assert page.buffer.count("y") == outside
    assert "no" not in page.buffer
    if counts:
        assert page.xpath_of(0, 1) == "/html/body/noscript/p"
