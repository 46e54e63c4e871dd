"""What each step of ``web2text`` costs on pages of about 250 blocks, in milliseconds.

    python -m benchmarks.web2text --data ../shared/data/wcxb-dev

Means over the set's pages of 200 to 300 blocks; of each page and step the least of several times.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from time import process_time
from typing import Any

from parsel import Selector
from w3lib.encoding import html_to_unicode

from benchmarks.data import read
from benchmarks.tables import table
from scrapy_boilerplate import Page
from scrapy_boilerplate.core.methods.web2text import Web2Text
from scrapy_boilerplate.core.methods.web2text.features import features
from scrapy_boilerplate.core.methods.web2text.network import choose_labels, load_model

__all__ = ["measure"]

REPEATS = 7


def measure(html: bytes) -> dict[str, float]:
    """Return the least seconds of each step on one page."""
    text = html_to_unicode(None, html, default_encoding="utf-8")[1]
    page = Page.parse(text)
    page.words, page.visible, page.symbols, page.in_link, page.blocks  # noqa: B018  every method's
    method, model = Web2Text(), load_model()
    inputs = features(page)
    unary, pairs = model.log_probabilities(*inputs)
    options = method.pairwise_weight, method.threshold
    return {
        "lxml parse": _least(lambda: Selector(text=text, type="html")),
        "collapsed DOM and features": _least(lambda: features(page)),
        "networks": _least(lambda: model.log_probabilities(*inputs)),
        "decoding": _least(lambda: choose_labels(unary, pairs, *options)),
        "all of the method, with its text": _least(lambda: method.extract(page)),
    }


def _least(call: Callable[[], Any]) -> float:
    times = []
    for _ in range(REPEATS):
        start = process_time()
        call()
        times.append(process_time() - start)
    return min(times)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.web2text", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of any labelled set")
    parser.add_argument("--limit", type=int, default=100, help="pages (default: %(default)s)")
    arguments = parser.parse_args()
    sizes, times = [], []
    for labelled in read(arguments.data):
        size = Page.parse(labelled.html).text_at.size
        if 200 <= size <= 300 and len(times) < arguments.limit:
            sizes.append(size)
            times.append(measure(labelled.html))
    rows = [[step, f"{1000 * fmean(t[step] for t in times):.2f}"] for step in times[0]]
    print(f"{len(times)} pages of {fmean(sizes):.0f} blocks\n")
    print(table(["step", "ms a page"], rows))


if __name__ == "__main__":
    main()
