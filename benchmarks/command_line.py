"""Our command line beside trafilatura's: the same files, each with two processes.

    python -m benchmarks.command_line --data ../shared/data/wcxb-dev --files 2000

The pages of the set are written to a folder, again from the first on if there are too few. Both
commands write a file a page; they run in turn. Seconds are of the clock.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from benchmarks.data import read
from benchmarks.tables import table

__all__ = ["Run", "commands", "measure"]


class Run(NamedTuple):
    """One run of a command."""

    seconds: float
    files: int
    """Files that were written."""


def commands(peer: str, jobs: int) -> dict[str, list[str]]:
    """Return the commands by name; ``{in}`` and ``{out}`` stand for the folders."""
    ours = [sys.executable, "-m", "scrapy_boilerplate", "extract", "{in}", "-j", str(jobs)]
    theirs = [peer, "--input-dir", "{in}", "--output-dir", "{out}", "--parallel", str(jobs)]
    return {
        f"`scrapy-boilerplate extract pages -j {jobs} -o out/`": [*ours, "-q", "-o", "{out}"],
        f"`trafilatura --input-dir pages --output-dir out --parallel {jobs}`": theirs,
    }


def measure(command: Sequence[str], pages: Path) -> Run:
    """Run a command on the files in *pages*."""
    with tempfile.TemporaryDirectory() as out:
        named = [part.replace("{in}", str(pages)).replace("{out}", out) for part in command]
        began = monotonic()
        subprocess.run(named, check=True, stderr=subprocess.DEVNULL)
        seconds = monotonic() - began
        return Run(seconds, sum(path.is_file() for path in Path(out).rglob("*")))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--peer", default="trafilatura", help="path of trafilatura's command")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pages = Path(folder)
        found = [page.html for page in read(args.data)]
        for number, html in enumerate(islice(cycle(found), args.files)):
            (pages / f"{number:05}.html").write_bytes(html)
        runs: dict[str, list[Run]] = {name: [] for name in commands(args.peer, args.jobs)}
        for _ in range(args.runs):
            for name, command in commands(args.peer, args.jobs).items():
                runs[name].append(measure(command, pages))
    rows = [
        [name, ", ".join(f"{run.seconds:.0f}" for run in made), str(made[-1].files)]
        for name, made in runs.items()
    ]
    print(table(["command", "seconds", "files written"], rows))


if __name__ == "__main__":
    main()
