"""Where inline elements meet without white space: what the layout does, and what gold texts have.

    python -m benchmarks.spaces --data ../shared/data/wcxb-dev ../shared/data/extra

Counted are places where two text nodes meet that no block, line break or white space parts, with a
letter or digit on both sides, and where the gold text has the two words either with white space
between them or as one, not both. Rows are what ends and what begins there; ``rule`` says whether
the layout shows them apart. A gold text that a program joined of nodes is one, too.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.data import read
from benchmarks.tables import table
from scrapy_boilerplate import Page

__all__ = ["Meeting", "in_gold", "meetings"]

_LAST, _FIRST = re.compile(r"\w+\Z"), re.compile(r"\w+")  # one class: no backtracking
_LONGEST = 40
_SHOWN = 20


class Meeting(NamedTuple):
    """Two words that stand in different text nodes, with nothing between them."""

    before: str
    after: str
    elements: str
    """Names of the sibling elements that end and begin there; ``text`` for none."""
    apart: bool
    """Whether the layout shows them apart."""


def meetings(page: Page) -> Iterator[Meeting]:
    """Yield the places of *page* where words meet.

    >>> [*meetings(Page.parse("<p><span>Home</span><span>News</span>y"))]
    [Meeting(before='Home', after='News', elements='span span', apart=True), \
Meeting(before='News', after='y', elements='span text', apart=False)]
    """
    starts, stops, buffer = page.text_start, page.text_stop, page.buffer
    for text in (np.flatnonzero(stops[:-1] == starts[1:]) + 1).tolist():
        place = int(starts[text])
        first, last = int(starts[text - 1]), int(stops[text])
        before = _LAST.search(buffer[max(place - _LONGEST, first) : place])
        after = _FIRST.match(buffer[place : min(place + _LONGEST, last)])
        if before is None or after is None:
            continue
        one, other = page.lay_out(text - 1, text), page.lay_out(text, text + 1)
        both = page.lay_out(text - 1, text + 1)
        if both in (one + other, f"{one} {other}"):
            apart = len(both) > len(one) + len(other)
            yield Meeting(before[0], after[0], _elements(page, text), apart)


def _elements(page: Page, text: int) -> str:
    """Return the names of the largest elements that end and begin before a text node."""
    names = []
    for inner, other in ((text - 1, text), (text, text - 1)):
        element, name = int(page.text_parent[inner]), "text"
        while not page.first_text[element] <= other < page.last_text[element]:
            element, name = int(page.parent[element]), page.names[page.tag[element]]
        names.append(name)
    return " ".join(names)


def in_gold(gold: str, meeting: Meeting) -> bool | None:
    """Tell whether *gold* has the two words apart; ``None`` if it has neither, or both ways.

    >>> in_gold("Home News", Meeting("Home", "News", "a a", True))
    True
    """
    one, other = re.escape(meeting.before), re.escape(meeting.after)
    apart, joined = (
        re.search(rf"(?<!\w){one}{between}{other}(?!\w)", gold) is not None
        for between in (r"\s+", "")
    )
    return None if apart == joined else apart


def main() -> None:
    """Print how often the rule and the gold texts agree, and where they do not."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.spaces", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--data", type=Path, nargs="+", required=True, help="labelled sets")
    found: defaultdict[tuple[str, str], dict[bool, Counter[str]]]
    found = defaultdict(lambda: {True: Counter(), False: Counter()})
    for labelled in (page for folder in parser.parse_args().data for page in read(folder)):
        for meeting in meetings(Page.parse(labelled.html)) if labelled.gold else ():
            apart = in_gold(labelled.gold, meeting)
            if apart is not None:
                rule = "apart" if meeting.apart else "as one word"
                for elements in ("all", meeting.elements):
                    found[rule, elements][apart][labelled.id] += 1
    rows = [
        [*key, *(f"{gold.total()} on {len(gold)}" for gold in (golds[True], golds[False]))]
        for key, golds in sorted(found.items(), key=lambda item: -_size(item[1]))
    ]
    header = ["layout", "elements", "gold: apart, on pages", "gold: one word, on pages"]
    print(table(header, rows[:_SHOWN], left=2))


def _size(golds: dict[bool, Counter[str]]) -> int:
    return golds[True].total() + golds[False].total()


if __name__ == "__main__":
    main()
