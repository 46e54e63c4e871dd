"""The examples in docstrings are run: those of the package and of its benchmarks."""

from __future__ import annotations

import ast
import doctest
import pkgutil
import re
from importlib import import_module
from pathlib import Path

import pytest

import benchmarks
import scrapy_boilerplate
from scrapy_boilerplate import extractor_names, get_extractor

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


def test_all_modules_are_found() -> None:
    expected = {"scrapy_boilerplate.core.page.text", "scrapy_boilerplate.core.methods.mss"}
    expected |= {"scrapy_boilerplate.core.methods.web2text.block_features", "benchmarks.gate"}
    assert expected <= set(MODULES)


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
    sources = [*package.rglob("*.py"), *package.rglob("*.pyi")]
    text = "".join(path.read_text(encoding="utf-8") for path in sources)
    names = set(re.findall(r":[a-z]+:`~?(scrapy_boilerplate[\w.]+)`", text))
    assert len(names) > 10
    for name in names:
        pkgutil.resolve_name(name)
