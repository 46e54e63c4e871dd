"""Measures how many posts of threads are found, on threads marked by hand.

``posts.json`` names threads of ``wcxb-dev``, one a host, each with a CSS selector of the elements
that hold what was written. A found post is right if it holds most of the words of one of them that
are no quotes, and hardly others (shares of :data:`ALIKE` or more), each counted once.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from copy import deepcopy
from pathlib import Path
from typing import NamedTuple

from lxml import html

from benchmarks import data
from benchmarks.tables import share, table
from scrapy_boilerplate import extract
from scrapy_boilerplate.core.page.text import tokens

MARKS = Path(__file__).with_suffix(".json")
ALIKE = 0.7
"""Shares from which on two texts are the same post: signatures and lines about it may differ."""
_QUOTES = "blockquote, [class*='quote'], [class*='Quote'], script, style"


class Marked(NamedTuple):
    """The words of a post, and those that it does not quote."""

    all: Counter[str]
    own: Counter[str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder of wcxb-dev")
    parser.add_argument("--wrong", action="store_true", help="print the pages that have errors")
    arguments = parser.parse_args()
    marks = json.loads(MARKS.read_text(encoding="utf-8"))
    ways = {"as it is": (True, True), "no address": (False, True), "no classes": (True, False)}
    counts = {way: Counter[str]() for way in [*ways, "neither"]}
    for page in data.read(arguments.data):
        if page.id not in marks:
            continue
        root = html.document_fromstring(page.html)
        expected = [*map(_marked, root.cssselect(marks[page.id]))]
        expected = [each for each in expected if each.own]
        without = _without_names(page.html)
        for way, (address, names) in {**ways, "neither": (False, False)}.items():
            answer = extract(page.html if names else without, url=page.url if address else None)
            found = [_words(post.text) for post in answer.posts]
            right = matched(found, expected)
            counts[way].update(found=len(found), expected=len(expected), right=right, pages=1)
            if arguments.wrong and not right == len(found) == len(expected):
                print(f"{page.id} {way}: {len(found)} found, {right} of {len(expected)} right")
    rows = [
        [
            way,
            share(count["right"] / max(1, count["found"])),
            share(count["right"] / count["expected"]),
        ]
        for way, count in counts.items()
    ]
    first = counts["as it is"]
    print(f"{first['pages']} threads, {first['expected']} posts")
    print(table(["pages", "precision", "recall"], rows))


def matched(found: list[Counter[str]], expected: list[Marked]) -> int:
    """Return how many of the *expected* posts are found, each pair once, the most alike first."""
    pairs = [
        (likeness(words, post), i, j)
        for i, words in enumerate(found)
        for j, post in enumerate(expected)
    ]
    left, open_posts = set(range(len(found))), set(range(len(expected)))
    for alike, i, j in sorted(pairs, reverse=True):
        if alike >= ALIKE and i in left and j in open_posts:
            left.remove(i)
            open_posts.remove(j)
    return len(found) - len(left)


def likeness(words: Counter[str], post: Marked) -> float:
    """Return the share of *words* that are in the post, or that of its own words if it is less."""
    return min(
        (words & post.all).total() / max(1, words.total()),
        (words & post.own).total() / post.own.total(),
    )


def _marked(element: html.HtmlElement) -> Marked:
    words = _words(element.text_content())
    copied = deepcopy(element)
    for quote in copied.cssselect(_QUOTES):
        if quote is not copied:
            quote.drop_tree()
    return Marked(words, _words(copied.text_content()))


def _words(text: str) -> Counter[str]:
    return Counter(tokens(text))


def _without_names(source: bytes) -> bytes:
    root = html.document_fromstring(source)
    for element in root.iter(html.etree.Element):
        for name in ("class", "id"):
            element.attrib.pop(name, None)
    written: bytes = html.tostring(root, encoding="utf-8")
    return written


if __name__ == "__main__":
    main()
