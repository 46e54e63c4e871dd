"""Shells complete the command line."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scrapy_boilerplate.tools.cli import main


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("ext", "extract"),
        ("extract --lea", "--learn-sites"),
        ("extract --format pre", "prevertical"),
        ("extract --extractor sco", "scoring"),
        ("inspect pag", "page.html"),
    ],
)
def test_bash_completes(
    typed: str, found: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("shtab")
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["--print-completion", "bash"])
    (tmp_path / "page.html").touch()
    words = ["scrapy-boilerplate", *typed.split()]
    script = (
        f"{capsys.readouterr().out}\nCOMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}\n"
        '_shtab_scrapy_boilerplate; echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash"], input=script, capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout.split() == [found]


def test_without_the_package_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    with pytest.raises(SystemExit, match=r"^2$"):
        main(["--print-completion", "zsh"])
    assert "pip install 'scrapy-boilerplate-removal[completion]'" in capsys.readouterr().err
