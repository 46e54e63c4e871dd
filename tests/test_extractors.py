"""Every registered extractor runs through the whole contract, and on real pages."""

from __future__ import annotations

import ast
import gzip
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from contract import ExtractorContract, check

import scrapy_boilerplate
from scrapy_boilerplate import Extractor, Page, extractor_names, get_extractor

ROOT = Path(__file__).parent.parent
EXAMPLE_PAGES = sorted((ROOT / "example_project" / "sites").rglob("*.html"))


class TestRegistered(ExtractorContract):
    @pytest.fixture(scope="class", params=extractor_names())
    @classmethod
    def method(cls, request: Any) -> Extractor:
        try:
            return get_extractor(request.param)
        except ImportError as error:  # a method may need an extra
            pytest.skip(str(error))

    @pytest.mark.parametrize("path", EXAMPLE_PAGES[::16], ids=lambda path: path.stem)
    def test_shipped_pages(self, method: Extractor, path: Path) -> None:
        check(method, Page.parse(path.read_bytes()))

    def test_real_pages(self, method: Extractor, shared_data: Path) -> None:
        paths = sorted((shared_data / "wcxb-dev" / "html").glob("*.html.gz"))[::40]
        assert len(paths) > 30
        for path in paths:
            check(method, Page.parse(gzip.decompress(path.read_bytes())))


class TestEnergyOfKnownWords(ExtractorContract):
    extractor = "energy"
    options = {"metric": "dictionary", "dictionary": ["it", "in", "the", "and"], "p": 1}  # noqa: RUF012


class TestEnergyByFormula(ExtractorContract):
    extractor = "energy"
    options = {"metric": "characters", "dissipation": "formula", "p": 10}  # noqa: RUF012


def test_there_are_example_pages() -> None:
    assert len(EXAMPLE_PAGES) >= 30


def test_names_are_listed_when_one_is_wrong() -> None:
    with pytest.raises(ValueError, match="Unknown extractor 'no-such'") as error:
        get_extractor("no-such")
    for name in extractor_names():
        assert name in str(error.value)


def test_package_uses_no_pickle() -> None:
    package = Path(scrapy_boilerplate.__file__).parent
    for path in package.rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        assert "allow_pickle=True" not in source
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                names = [getattr(node, "module", None), *(alias.name for alias in node.names)]
                assert not {"pickle", "cPickle", "dill", "joblib", "shelve"} & set(names), path
    assert not [path for path in package.rglob("*") if path.suffix in (".pkl", ".pickle")]


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """Another package, installed as pip does it, made of what the docs show."""
    text = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    files = re.findall(r"`([\w./-]+)`[^\n]*:\n+```\w*\n(.*?)```", text, re.DOTALL)
    for name, content in files:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    assert {name for name, _ in files} == {"longest.py", "entry_points.txt", "test_longest.py"}
    information = tmp_path / "longest-1.0.dist-info"
    information.mkdir()
    (tmp_path / "entry_points.txt").rename(information / "entry_points.txt")
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: longest\nVersion: 1.0\n")
    return tmp_path


def run(plugin: Path, *arguments: str) -> str:
    paths = [str(plugin), str(ROOT), str(ROOT / "tests")]
    code = f"import sys; sys.path[:0] = {paths!r}\n"
    done = subprocess.run(
        [sys.executable, "-c", code + arguments[0], *arguments[1:]],
        capture_output=True,
        text=True,
        cwd=plugin,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_another_package_adds_a_method(plugin: Path) -> None:
    printed = run(
        plugin,
        "from scrapy_boilerplate import extract, extractor_names\n"
        "print(extractor_names()[-1])\n"
        "print(extract('<p>One<p>Two three', extractor='longest').text)\n"
        "print(extract('<p>One<p>Two three', extractor='longest', least=99).kind)\n",
    )
    assert printed.splitlines() == ["longest", "Two three", "empty"]


def test_its_method_runs_the_contract(plugin: Path) -> None:
    code = "import pytest; sys.exit(pytest.main(sys.argv[1:]))"
    assert " passed" in run(plugin, code, "-q", "-p", "no:cacheprovider", "test_longest.py")


def test_built_in_names_cannot_be_taken(plugin: Path) -> None:
    entries = plugin / "longest-1.0.dist-info" / "entry_points.txt"
    entries.write_text(entries.read_text().replace("longest =", "mss ="))
    code = "from scrapy_boilerplate import get_extractor; print(get_extractor('mss'))"
    assert run(plugin, code).startswith("MSS(")
