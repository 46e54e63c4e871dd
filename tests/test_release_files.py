"""The files around a release say the same: versions of Python and Scrapy, number of the version."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

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
