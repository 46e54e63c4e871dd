"""How long the largest pages take that a crawl reads: up to its budget of nodes.

    python -m benchmarks.limits --extractors mss justext web2text auto

That time and memory grow with a page no faster than its size is what ``pytest -m slow`` checks.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from time import process_time

from benchmarks.tables import table
from scrapy_boilerplate import Page, extractor_names, get_extractor
from scrapy_boilerplate.core.page.budget import MAX_NODES

UNITS = (
    "<p>a ",
    "<br>a",
    "<td>a",
    "<a href=x>b</a> ",
    "<li><a href=/x>one two</a>",
    "<div><p>One two three four five six seven.</p></div>",
)
"""What pages are made of that cost much for their bytes."""


def budget(names: Sequence[str]) -> str:
    """Return the table of the time for 10 MB of one thing, as far as a crawl reads them."""
    extractors = [get_extractor(name) for name in names]
    rows = []
    for unit in UNITS:
        html = unit * (10_000_000 // len(unit))
        rows.append([f"`{unit.strip()}`"])
        for extractor in extractors:
            started = process_time()
            extractor.extract(Page.parse(html, max_nodes=MAX_NODES))
            rows[-1].append(f"{process_time() - started:.2f}")
    return table(["seconds for 10 MB of", *names], rows)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--extractors", nargs="+", default=extractor_names(), metavar="NAME")
    print(budget(parser.parse_args().extractors))


if __name__ == "__main__":
    main()
