"""Shows what each method keeps of one page: a table for the documentation, or for a page of yours.

    python -m benchmarks.compare_page example_project/sites/portal/all-hands.html

A row is a paragraph of the page, or several in a row that all methods treat alike; a column is a
method: ● keeps all of it, ◐ a part. Below stand the page's kind and the mean agreement with the
other methods (word F1), and with ``--gold`` word F1 with the text that a person marked.
"""

from __future__ import annotations

import argparse
import json
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.metrics import word_score
from benchmarks.tables import share, table
from scrapy_boilerplate import Extraction, Page, compare, extractor_names

__all__ = ["marks", "page_table"]

SHOWN = 44
"""Characters of a paragraph that are shown."""


def marks(page: Page, extraction: Extraction) -> list[str]:
    """Return for each block of *page* whether *extraction* keeps all of it, a part or nothing.

    >>> page = Page.parse("<ul><li><a>Home</a></ul><p>One two three four five six.")
    >>> marks(page, compare(page, ["mss"])["mss"])
    [' ', '●']
    """
    kept = np.zeros(page.text_at.size, dtype=bool)
    for segment in extraction.main:
        kept[slice(*segment.span)] = True
    shares = page.per_block(kept) / np.diff(page.blocks, axis=1)[:, 0]
    return ["●" if value == 1 else "◐" if value else " " for value in shares.tolist()]


def _shortened(text: str) -> str:
    text = " ".join(text.split()).replace("|", "¦")
    return text if len(text) <= SHOWN else text[: SHOWN - 1].rstrip() + "…"


def _label(page: Page, blocks: NDArray[Any]) -> str:
    first, last = (_shortened(page.lay_out(*page.blocks[n].tolist())) for n in blocks[[0, -1]])
    if len(blocks) == 1:
        return first
    between = f" … {len(blocks) - 2} more … " if len(blocks) > 2 else " / "
    return first + between + last


def page_table(page: Page, names: list[str], gold: str | None = None) -> str:
    """Return a Markdown table of what the methods of these *names* keep of *page*.

    >>> page = Page.parse("<ul><li><a>Home</a><li>News</ul><p>One two <b>three</b> four five six.")
    >>> print(page_table(page, ["mss", "bte"], "One two three four five six."))
    | paragraph                    |   `mss` |   `bte` |
    | :--------------------------- | ------: | ------: |
    | Home / News                  |         |         |
    | One two three four five six. |       ◐ |       ● |
    | *kind*                       | article | article |
    | *agreement with the others*  |    .667 |    .667 |
    | *word F1*                    |    .667 |   1.000 |
    """
    found = compare(page, names)
    columns = [marks(page, extraction) for extraction in found.extractions]
    rows = []
    numbered = enumerate(zip(*columns, strict=True))
    for kept, numbers in groupby(numbered, key=lambda item: item[1]):
        blocks = np.array([number for number, _ in numbers])
        rows.append([_label(page, blocks), *kept])
    rows.append(["*kind*", *(extraction.kind for extraction in found.extractions)])
    rows.append(["*agreement with the others*", *map(share, found.mean_agreement)])
    if gold is not None:
        scores = (word_score(extraction.text, gold).f1 for extraction in found.extractions)
        rows.append(["*word F1*", *map(share, scores)])
    return table(["paragraph", *(f"`{name}`" for name in names)], rows)


def _gold(file: Path, page: Path) -> str:
    """Return the gold text of *page* from a file with a line of JSON a page."""
    labels = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    texts = [label["text"] for label in labels if page.as_posix().endswith(label["path"])]
    if not texts:
        raise SystemExit(f"{file} has no text of {page}")
    return str(texts[0])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.compare_page", description=__doc__.partition("\n")[0]
    )
    add = parser.add_argument
    add("page", type=Path, help="file of a page")
    add("--extractors", help="names of extractors, with commas between (default: all)")
    add("--gold", type=Path, help="file with a line of JSON a page: path and text")
    arguments = parser.parse_args()
    names = arguments.extractors.split(",") if arguments.extractors else extractor_names()
    gold = _gold(arguments.gold, arguments.page) if arguments.gold else None
    print(page_table(Page.parse(arguments.page.read_bytes()), names, gold))


if __name__ == "__main__":
    main()
