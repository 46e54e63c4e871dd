"""The tutorial, followed word by word in an empty folder."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import processes
import pytest

from scrapy_boilerplate.tools.testing.timing import PATIENCE

ROOT = Path(__file__).parent.parent
TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
STEP = re.compile(
    r"^`(?P<file>[\w/.]+)`(?P<end>, at the end)?:\n\n```python\n(?P<code>.*?)^```"
    r"|^```console\n(?P<console>.*?)^```",
    re.M | re.S,
)

DELAY = "DOWNLOAD_DELAY = 0.1"  # what would take most of the time of the test


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The blog of the example project, served on a free port."""
    monkeypatch.syspath_prepend(str(ROOT / "example_project"))
    import server

    with server.serve(server.SITES / "rust-blog") as found:
        yield found.rstrip("/")


def commands(console: str) -> Iterator[tuple[str, str]]:
    """Yield each command with the output that the page shows."""
    for part in re.split(r"^\$ ", console, flags=re.M)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def shows(wanted: str, output: str) -> bool:
    """Tell whether the output is the wanted one, in which ``…`` stands for anything."""
    pattern = ".*".join(map(re.escape, re.split(r"\s*…\s*", wanted.strip())))
    return re.fullmatch(pattern, output.strip(), re.S) is not None


def perform(command: str, folder: Path, environment: dict[str, str]) -> str:
    """Return what a command of a terminal shows."""
    if command.startswith("scrapy "):
        words = [sys.executable, "-m", *shlex.split(command)]
        return processes.run(words, cwd=folder, env=environment, together=True).stdout
    done = subprocess.run(
        ["bash", "-c", f"{command} 2>&1"],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        timeout=PATIENCE,
    )
    return done.stdout


def test_every_step(tmp_path: Path, address: str) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    folder, ran = tmp_path, 0
    assert DELAY in TUTORIAL
    text = TUTORIAL.replace(DELAY, "DOWNLOAD_DELAY = 0")
    for step in STEP.finditer(text.replace("http://127.0.0.1:8002", address)):
        if step["file"]:
            with (folder / step["file"]).open("a" if step["end"] else "w") as file:
                file.write(step["code"])
            continue
        for command, wanted in commands(step["console"]):
            if command.startswith("cd "):
                folder /= command.removeprefix("cd ")
                continue
            shown = perform(command, folder, environment)
            host = address.removeprefix("http://")
            wanted = wanted.replace("127.0.0.1:8002", host)
            if command.startswith("scrapy boilerplate-sites"):  # columns as wide as the port
                wanted, shown = (" ".join(text.split()) for text in (wanted, shown))
            assert shows(wanted, shown), f"{command}\n{shown}"
            assert " ERROR: " not in shown, shown
            ran += 1
    assert ran >= 9
