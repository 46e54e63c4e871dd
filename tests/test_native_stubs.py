"""The ``.pyi`` beside each compiled module says what stands in it, no more and no less."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import scrapy_boilerplate

ROOT = Path(scrapy_boilerplate.__file__).parent
SOURCES = sorted(ROOT.rglob("*_native.pyx"))
CLASS_OR_DEF = re.compile(r"^cdef class (\w+)|^( *)def (\w+)\((.*?)\):$", re.MULTILINE | re.DOTALL)

Signatures = dict[str, list[str]]

needs_sources = pytest.mark.skipif(not SOURCES, reason="installed without the sources")
each_module = pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)


def module_name(source: Path) -> str:
    """Return the name of a compiled module below the package, as `load_native` takes it."""
    return ".".join(source.relative_to(ROOT).with_suffix("").parts)


def is_public(name: str) -> bool:
    return not any(part.startswith("_") for part in name.split(".") if part != "__init__")


def parameters(text: str) -> list[str]:
    """Return the names in the parameters of a ``.pyx``, such as ``const double[:, ::1] x = 1``."""
    names = re.sub(r"\[[^\]]*\]|=[^,]*| not None", "", text).split(",")
    return [name.split()[-1] for name in names if name.strip()]


def in_source(source: Path) -> Signatures:
    """Return the parameters of each public function and method of a ``.pyx``."""
    found, owner = {}, ""
    for match in CLASS_OR_DEF.finditer(source.read_text(encoding="utf-8")):
        if match[1]:
            owner = f"{match[1]}."
        else:
            found[(owner if match[2] else "") + match[3]] = parameters(match[4])
    return {name: names for name, names in found.items() if is_public(name)}


def in_stub(source: Path) -> Signatures:
    """Return the parameters of each function and method of a ``.pyi``, but for properties."""
    return {
        owner + node.name: [argument.arg for argument in node.args.args]
        for owner, node in functions(source)
        if not node.decorator_list
    }


def functions(source: Path) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield each function of a ``.pyi`` with the prefix that its class gives it."""
    for node in stub_of(source).body:
        if isinstance(node, ast.FunctionDef):
            yield "", node
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef):
                    yield f"{node.name}.", inner


def stub_of(source: Path) -> ast.Module:
    return ast.parse(source.with_suffix(".pyi").read_text(encoding="utf-8"))


def stub_names(source: Path) -> set[str]:
    """Return what a ``.pyi`` declares: functions, classes, constants, methods and properties."""
    top = {
        node.target.id if isinstance(node, ast.AnnAssign) else node.name
        for node in stub_of(source).body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef))
        or (isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name))
    }
    return top | {owner + node.name for owner, node in functions(source)}


def compiled_names(name: str) -> set[str]:
    """Return what a compiled module itself has to offer; what it imports is not of its own."""
    module = import_module(f"scrapy_boilerplate.{name}")
    found = set()
    for own, value in vars(module).items():
        if getattr(value, "__module__", None) == module.__name__:
            found.add(own)
            if isinstance(value, type):
                found |= {f"{own}.{member}" for member in vars(value)}
    return set(filter(is_public, found))


@needs_sources
@each_module
def test_a_stub_has_the_parameters_of_its_source(source: Path) -> None:
    assert in_source(source)
    assert in_stub(source) == in_source(source)


@needs_sources
@each_module
def test_a_stub_names_what_was_compiled(source: Path) -> None:
    name, stub = module_name(source), stub_names(source)
    constants = {name for name in stub if name.isupper()}
    assert stub - constants == compiled_names(name)


@needs_sources
@each_module
def test_each_function_says_what_it_does_and_what_it_returns(source: Path) -> None:
    for owner, node in functions(source):
        assert node.returns is not None, f"{owner}{node.name}"
        assert node.name == "__init__" or ast.get_docstring(node), f"{owner}{node.name}"
