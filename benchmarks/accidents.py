"""Counts accidents: pages on which `auto` is far behind a simple method.

    python -m benchmarks.accidents ../shared/data/wcxb-dev ../shared/data/sites --folds folds

`training.auto --cross-validate --models folds` writes models that have not seen a page's domain.
Without them, or for a page that they do not know, the package's own is asked.
"""

from __future__ import annotations

from benchmarks.commands import a_folder, command
from benchmarks.data import fold_models, read
from benchmarks.metrics import word_score
from benchmarks.tables import table
from scrapy_boilerplate import Page, get_extractor

BOUNDS, GOOD = (0.5, 0.6), 0.8  # F1 below which a page is an accident, if a peer is above the other
PEERS = ("scoring", "bte", "mss", "links")


def main() -> None:
    """Print a table by set: pages, and those that are accidents, with and without addresses."""
    parser = command(__doc__)
    parser.add_argument("data", type=a_folder, nargs="+", help="folders of labelled pages")
    parser.add_argument("--folds", type=a_folder, help="folder of models of folds")
    parser.add_argument("--step", type=int, default=1, help="take every so many-th page")
    parser.add_argument("--list", action="store_true", help="print the accidents")
    given = parser.parse_args()
    folds = fold_models(given.folds)
    peers = [get_extractor(name) for name in PEERS]
    rows = []
    for folder in given.data:
        counts, pages = {(way, bound): 0 for way in (True, False) for bound in BOUNDS}, 0
        for row in (row for row in list(read(folder))[:: given.step] if row.gold.strip()):
            pages += 1
            model = folds.get(row.id)
            auto = get_extractor("auto", model=model)
            for has_address in (True, False):
                page = Page.parse(row.html, url=row.url if has_address else None)
                reached = word_score(auto.extract(page).text, row.gold).f1
                if reached >= max(BOUNDS):
                    continue
                best = max(word_score(peer.extract(page).text, row.gold).f1 for peer in peers)
                for bound in BOUNDS:
                    counts[has_address, bound] += reached < bound and best > GOOD
                if given.list and best > GOOD:
                    print(f"{folder.name} {row.id} {has_address}: {reached:.2f}, peer {best:.2f}")
        rows.append([folder.name, str(pages), *map(str, counts.values())])
    heads = [f"below {bound}, {way}" for way in ("address", "no address") for bound in BOUNDS]
    print(table(["set", "pages", *heads], rows))


if __name__ == "__main__":
    main()
