"""Measures comments on pages whose comments are known: of generators, or marked by hand.

    python -m benchmarks.comments ../shared/data/made
    python -m benchmarks.comments ../shared/data --marked

With ``--marked``, the pages are real ones, on which a person marked comments. A found comment is
right if its words are those of one of the page's, but for a tenth. Authors and dates are counted on
right ones. On pages without comments every one that is found is wrong.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.comments_marked import marked_table
from benchmarks.tables import share, table
from scrapy_boilerplate import extract
from scrapy_boilerplate.core.answer.posts import Post
from scrapy_boilerplate.core.page.text import tokens

ALIKE = 0.9
"""F1 of the words of two texts that are the same."""


class MadePage(NamedTuple):
    """A page of a generator, and what is known of it."""

    html: bytes
    row: Mapping[str, Any]


def pages(folder: Path) -> Iterator[MadePage]:
    """Yield the pages of all sites in a folder."""
    for listed in sorted(folder.glob("*/pages.jsonl")):
        for line in listed.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            yield MadePage(gzip.decompress((listed.parent / row["file"]).read_bytes()), row)


def count(found: Sequence[Post], expected: Sequence[Mapping[str, Any]]) -> Counter[str]:
    """Count found, expected and right comments, and the right authors and dates."""
    counts = Counter(found=len(found), expected=len(expected))
    left = [(each, Counter(tokens(each["text"]))) for each in expected]
    for post in found:
        words = Counter(tokens(post.text))
        for number, (each, own) in enumerate(left):
            if 2 * (words & own).total() >= ALIKE * (words.total() + own.total()):
                dates = (post.date[:10], str(each.get("date") or "")[:10])
                counts.update(
                    right=1, authors=post.author == each["author"], dates=dates[0] == dates[1]
                )
                del left[number]
                break
    return counts


def main() -> None:
    """Print a table by generator."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path, help="the folder of made pages, or of all sets")
    parser.add_argument("--marked", action="store_true", help="measure pages marked by hand")
    parser.add_argument("--wrong", action="store_true", help="print the pages that have errors")
    given = parser.parse_args()
    if given.marked:
        print(marked_table(given.data, wrong=given.wrong))
        return
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for html, row in pages(given.data):
        answer = extract(html, url=row["url"])
        found, expected = answer.comments or answer.posts, row["comments"] or []
        new = count(found, expected)
        if not expected:
            new["without"] = 1
        counts[row["generator"]] += new
        complete = {new[name] for name in ("found", "expected", "right", "authors", "dates")}
        if given.wrong and len(complete) > 1:
            print(row["url"], row["kind"], answer.kind, dict(new))
    rows = [
        [
            name,
            *(str(each[kind]) for kind in ("expected", "found")),
            *(
                share(each[part] / max(1, each[whole]))
                for part, whole in (
                    ("right", "found"), ("right", "expected"), ("authors", "right"),
                    ("dates", "right"),
                )
            ),
        ]
        for name, each in sorted(counts.items())
        if each["expected"] or each["found"]
    ]  # fmt: skip
    heads = ["generator", "comments", "found", "precision", "recall", "authors", "dates"]
    print(table(heads, rows))


if __name__ == "__main__":
    main()
