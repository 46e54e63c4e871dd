"""How much of the Markdown that pages were built from comes out again, ours beside another tool.

    python -m benchmarks.markdown --data ../shared/data/made --every 3
    python -m benchmarks.markdown --rendered .venv/lib/python3.13/site-packages

Sites of real generators were built from Markdown, so what is right is known: the words of each
heading and each item, the cells of each row, the characters of each block of code, the words and
the address of each link. Links within a page do not count, nor does the title. *Precision* is the
share of the parts of all answers that are right, *recall* the share of what is right that the
answers have.

``--rendered`` takes the Markdown files of a folder, and the descriptions of packages installed in
it, from 100 words on, each as two renderers write it, between a menu and a footer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from email import message_from_bytes
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import mistune

from benchmarks.commands import a_folder, command, in_processes
from benchmarks.data import LabelledPage, gunzip, rows
from benchmarks.structure import TOOLS, render
from benchmarks.structure_parts import parts_of_answer
from benchmarks.tables import share, table
from scrapy_boilerplate.core.page.text import tokens

KINDS = ("headings", "items", "cells", "code", "links")
_RENDERERS: tuple[Callable[[str], object], ...] = (
    render,
    mistune.create_markdown(escape=False, plugins=["table", "strikethrough"]),
)
_PAGE = (
    "<!DOCTYPE html><title>{name}</title><body><header><nav><ul><li><a href=/>Home</a><li><a "
    "href=/docs>Docs</a></ul></nav></header><main><article>{body}</article></main><footer><p>© The "
    "authors. <a href=/terms>Terms</a></footer>"
)
_LEAST_WORDS = 100

Counts = Counter[tuple[object, ...]]


class Built(NamedTuple):
    """A page, and the Markdown that it was built from."""

    page: LabelledPage
    title: tuple[str, ...]
    markdown: str


def read_built(folder: Path, every: int = 1) -> Iterator[Built]:
    """Yield the articles and documentation of sites that real software built."""
    for path in sorted(folder.glob("*/pages.jsonl")):
        for number, row in enumerate(rows(path)):
            if number % every or not row["gold_markdown"] or row["kind"] in ("index", "thread"):
                continue
            name, html = f"{row['site']}/{number}", gunzip(path.parent / row["file"])
            page = LabelledPage(name, html, row["gold_text"], row["url"], row["site"], row["kind"])
            yield Built(page, tuple(tokens(row["title"] or "")), row["gold_markdown"])


def read_rendered(folder: Path) -> Iterator[Built]:
    """Yield the Markdown files below *folder*, and descriptions of packages, as pages."""
    for path in sorted([*folder.rglob("*.md"), *folder.rglob("*.dist-info/METADATA")]):
        markdown = (
            _described(path) if path.name == "METADATA" else path.read_text("utf-8", "replace")
        )
        if len(markdown.split()) < _LEAST_WORDS:
            continue
        for renderer in _RENDERERS:
            html = _PAGE.format(name=path.parent.name, body=renderer(markdown)).encode()
            page = LabelledPage(str(path), html, "", "https://docs.example/a", "", "article")
            yield Built(page, (), markdown)


def _described(path: Path) -> str:
    """Return the description of an installed package if it is Markdown."""
    metadata = message_from_bytes(path.read_bytes())
    described = metadata.get_payload(decode=True)
    is_markdown = "markdown" in (metadata["Description-Content-Type"] or "")
    return described.decode("utf-8", "replace") if is_markdown and type(described) is bytes else ""


def parts_of(markdown: str, built: Built) -> dict[str, Counts]:
    """Return the parts of Markdown by kind, without numbers, levels and places."""
    found = parts_of_answer(render(markdown), built.page.url)
    here = f"{built.page.url}#"
    return {
        "headings": Counter(words for _, words in found["headings"].elements()),  # type: ignore[misc]
        "items": Counter(words for words, *_ in found["items"].elements()),  # type: ignore[misc]
        "cells": found["cells"],
        "code": found["code"],
        "links": Counter(
            link for link in found["links"].elements() if not str(link[1]).startswith(here)
        ),
    }


def compare(built: Built, markdown: str) -> dict[str, tuple[int, int, int]]:
    r"""Return for each kind how many parts are right, answered and wanted.

    >>> page = LabelledPage("a", b"", "", "https://a.example/", "a", "article")
    >>> built = Built(page, ("title",), "## One\n\n## Two\n")
    >>> compare(built, "# Title\n\n## One\n")["headings"]
    (1, 1, 2)
    """
    wanted, found = parts_of(built.markdown, built), parts_of(markdown, built)
    if built.title not in wanted["headings"]:
        del found["headings"][built.title]
    return {
        kind: ((wanted[kind] & found[kind]).total(), found[kind].total(), wanted[kind].total())
        for kind in KINDS
    }


def measure(
    pages: Sequence[Built], tool: str, processes: int = 1
) -> dict[str, tuple[float, float]]:
    """Return precision and recall of each kind."""

    def compared(built: Built) -> dict[str, tuple[int, int, int]]:
        return compare(built, TOOLS[tool](built.page, None)["markdown"])

    sums = {kind: [0, 0, 0] for kind in KINDS}
    for found in in_processes(compared, pages, processes):
        for kind, counts in found.items():
            sums[kind] = [a + b for a, b in zip(sums[kind], counts, strict=True)]
    return {
        kind: (right / max(found, 1), right / max(wanted, 1))
        for kind, (right, found, wanted) in sums.items()
    }


def main() -> None:
    parser = command(__doc__)
    add = parser.add_argument
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--data", type=a_folder, help="sites that were built from Markdown")
    group.add_argument("--rendered", type=a_folder, help="Markdown files or packages")
    add("--every", type=int, default=1, help="take each such page of a site (default: all)")
    arguments = parser.parse_args()
    if arguments.data:
        pages = list(read_built(arguments.data, arguments.every))
    else:
        pages = list(read_rendered(arguments.rendered))
    cells = []
    for tool in filter(find_spec, TOOLS):
        found = measure(pages, tool)
        cells.append([tool, *(f"{share(p)} / {share(r)}" for p, r in found.values())])
    print(f"{len(pages)} pages, precision / recall\n")
    print(table(["", *KINDS], cells))


if __name__ == "__main__":
    main()
