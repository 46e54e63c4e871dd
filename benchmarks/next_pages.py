"""Measures how often the next page of an article or thread is found, on pages marked by hand.

``next_pages.json`` names pages of the shared sets that have a tempting link, each with the address
of the next page of the same text; it is empty where the links lead to other articles, chapters,
pages of a list, of photographs or of comments. Some sets do not say a page's address: there ``url``
is the one that its links imply.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from benchmarks import data
from benchmarks.commands import a_folder, command
from scrapy_boilerplate import extract

MARKS = Path(__file__).with_suffix(".json")


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("data", type=a_folder, help="the folder of the shared page sets")
    parser.add_argument("--wrong", action="store_true", help="print the pages that are wrong")
    arguments = parser.parse_args()
    marks = json.loads(MARKS.read_text(encoding="utf-8"))
    counts: Counter[str] = Counter()
    for name in ("wcxb-dev", "cleaneval-dev", "sites", "extra"):
        for page in data.read(arguments.data / name):
            mark = marks.get(page.id if name == "extra" else f"{name}/{page.id}")
            if mark is None:
                continue
            found = extract(page.html, url=mark.get("url") or page.url).next_page
            expected = mark["next"]
            counts["pages"] += 1
            counts["found"] += bool(found)
            counts["expected"] += bool(expected)
            counts["right"] += bool(found) and found == expected
            if arguments.wrong and found != expected:
                print(f"{name}/{page.id}: {found or '-'}, not {expected or '-'}")
    right = counts["right"]
    print(
        f"{counts['pages']} pages, {counts['expected']} with a next page: "
        f"precision {right / max(counts['found'], 1):.3f}, "
        f"recall {right / max(counts['expected'], 1):.3f}"
    )


if __name__ == "__main__":
    main()
