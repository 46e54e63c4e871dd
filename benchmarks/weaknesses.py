"""Word F1 on pages whose text is cut up or stands in tables: what ``bte`` is known to be weak at.

    python -m benchmarks.weaknesses --data ../shared/data/wcxb-dev --extractors bte,links,web2text

The gold text is aligned with the page. Between its first and its last text node stand others, which
are none of it, with a share of the words there; and a share of its words stands in table cells.
Pages without a gold text, or of which less than half of it is found, are left out.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path
from statistics import fmean

import numpy as np

from benchmarks.data import LabelledPage, read
from benchmarks.metrics import word_score
from benchmarks.sampling import sample
from benchmarks.tables import share, table
from scrapy_boilerplate import Page, extract, extractor_names
from scrapy_boilerplate.core.page.text import tokens
from training.alignment import align

__all__ = ["groups_of"]

IN_TABLES = "more than half of it in table cells"
CUT_UP = {
    # Group: share of foreign words from which a page belongs to it, the largest first.
    "cut up: more than 25 % of its words are foreign": 0.25,
    "5 to 25 % foreign": 0.05,
    "in one piece: less than 5 % foreign": 0.0,
}


def groups_of(page: Page, gold: str) -> list[str]:
    """Return the groups that a page belongs to; none if little of *gold* is found on it.

    >>> page = Page.parse("<p>One two three.</p><p>Advertisement</p><p>Four five six.</p>")
    >>> groups_of(page, "One two three. Four five six.")
    ['5 to 25 % foreign']
    """
    alignment = align(page, gold)
    wanted = sum(map(len, tokens(gold)))
    if not wanted or 2 * alignment.aligned.sum() < wanted:
        return []
    content = alignment.shares() >= 0.5
    first, last = np.flatnonzero(content)[[0, -1]]
    inside = page.words[first : last + 1]
    foreign = inside[~content[first : last + 1]].sum() / max(inside.sum(), 1)
    found = [next(name for name, least in CUT_UP.items() if foreign >= least)]
    cells = page.count_above(page.has_tag(("td", "th")))[page.text_parent] > 0
    if 2 * page.words[content & cells].sum() > page.words[content].sum():
        found.append(IN_TABLES)
    return found


def _scores(labelled: LabelledPage, names: list[str]) -> tuple[list[str], list[float]]:
    page = Page.parse(labelled.html, url=labelled.url)
    groups = groups_of(page, labelled.gold)
    if not groups:
        return [], []
    answers = (extract(page, extractor=name).text for name in names)
    return groups, [word_score(answer, labelled.gold).f1 for answer in answers]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.weaknesses", description=__doc__.partition("\n")[0]
    )
    add = parser.add_argument
    add("--data", type=Path, required=True, help="folder of any of the labelled sets")
    add("--extractors", help="names of extractors, with commas between (default: all)")
    add("--limit", type=int, help="pages of a fixed sample (default: all)")
    arguments = parser.parse_args()
    names = arguments.extractors.split(",") if arguments.extractors else extractor_names()
    scores: dict[str, list[list[float]]] = defaultdict(list)
    for labelled in sample(list(read(arguments.data)), arguments.limit):
        groups, of_page = _scores(labelled, names)
        for group in groups:
            scores[group].append(of_page)
    rows = [
        [
            group,
            str(len(scores[group])),
            *(share(fmean(f1)) for f1 in zip(*scores[group], strict=True)),
        ]
        for group in [*reversed(CUT_UP), IN_TABLES]
        if group in scores
    ]
    print(table(["text of the page", "pages", *names], rows))


if __name__ == "__main__":
    main()
