"""Runs the commands of the tables in ``docs/tables/benchmarks.md`` and writes what they print.

    python -m benchmarks.report                  # all of them
    python -m benchmarks.report cost structure   # those whose headings begin so

Each table stands between ``<!-- begin -->`` and ``<!-- end -->`` below the command that prints it,
and is written as soon as it is measured.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import commands

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "tables" / "benchmarks.md"

# Each part ends at a mark that is not in it: no backtracking over the page.
_SECTION = re.compile(
    r"^## (?P<title>.+)\n\n<!-- begin -->\n\n    python (?P<command>.+)\n\n"
    r"(?P<table>[^<]*)\n\n<!-- end -->$",
    re.MULTILINE,
)


class Section(NamedTuple):
    """A table of the page."""

    title: str
    command: str  # the arguments of Python that print it
    table: str

    def replaced(self, page: str, table: str) -> str:
        head = f"    python {self.command}\n\n"
        return page.replace(f"{head}{self.table}", f"{head}{table}")


def sections(page: str) -> list[Section]:
    r"""Return the tables of a page.

    >>> text = "## Cost\n\n<!-- begin -->\n\n    python -m speed\n\nold\n\n<!-- end -->\n"
    >>> (found,) = sections(text)
    >>> found
    Section(title='Cost', command='-m speed', table='old')
    >>> found.replaced(text, "new") == text.replace("old", "new")
    True
    """
    return [Section(*match.groups()) for match in _SECTION.finditer(page)]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = commands.command(__doc__)
    parser.add_argument("titles", nargs="*", help="how the headings of tables begin")
    wanted = tuple(title.lower() for title in parser.parse_args(arguments).titles) or ("",)
    for section in sections(PAGE.read_text(encoding="utf-8")):
        if not section.title.lower().startswith(wanted):
            continue
        print(f"python {section.command}", flush=True)
        command = [sys.executable, *shlex.split(section.command)]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(section.replaced(page, done.stdout.strip()), encoding="utf-8")


if __name__ == "__main__":
    main()
