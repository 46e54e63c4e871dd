"""How often a text changes with its page's address: ``python -m benchmarks.addresses SET ...``.

Each page is read at five made-up addresses with the folders and parts of the host that tell its
kind. Printed are the share of pages of which two texts differ, and the pages.
"""

from __future__ import annotations

import argparse
from multiprocessing import get_context
from pathlib import Path
from random import Random
from urllib.parse import urlsplit

from benchmarks.data import LabelledPage, read, sample
from benchmarks.tables import share, table
from scrapy_boilerplate import Page, extract
from scrapy_boilerplate.core.answer.posts import has_address_of_thread
from scrapy_boilerplate.core.auto.declarations import KINDS_TOLD

WORDS = "north river stone garden paper winter market light island train copper letter".split()
PATHS = ("{}", "2019/04/{}.html", "{}/", "news/{}-1029384", "p/x/y/{}.php?p=47")
OF_THREADS = ("threads/{}.1203/", "topic/1203-{}", "questions/1203/{}", "forum/{}", "thread/{}/2")


def made_up(page: LabelledPage) -> list[str]:
    """Return made-up addresses of the kind that the page's own has."""
    random, own = Random(page.id), Page.parse(page.html, url=page.url)
    address = urlsplit(next(iter(own.addresses), "").lower())
    host, folders = (
        "".join(f"{name}{end}" for name in names if name in KINDS_TOLD)
        for names, end in ((address.netloc.split("."), "."), (address.path.split("/")[:-1], "/"))
    )
    found = []
    for path in OF_THREADS if has_address_of_thread(own) else PATHS:
        name = "-".join(random.sample(WORDS, random.randint(1, 8)))
        found.append(f"https://{host}{random.choice(WORDS)}.example/{folders}{path.format(name)}")
    return found


def texts_differ(page: LabelledPage) -> bool:
    """Tell whether the text of a page differs between made-up addresses."""
    return len({extract(page.html, url=url).text for url in made_up(page)}) > 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("sets", type=Path, nargs="+", help="folders of labelled sets")
    add("--most", type=int, default=50, help="pages of each set (default: %(default)s)")
    add("--processes", type=int, default=2, help="pages at a time (default: %(default)s)")
    options = parser.parse_args()
    rows, different, size = [], [], 0
    with get_context("fork").Pool(options.processes) as pool:
        for folder in options.sets:
            pages = sample(list(read(folder)), options.most)
            differ = pool.map(texts_differ, pages, chunksize=4)
            rows.append([f"{folder.name} ({len(pages)})", share(sum(differ) / max(1, len(differ)))])
            different += [page.id for page, each in zip(pages, differ, strict=True) if each]
            size += len(pages)
    rows.append([f"all ({size})", share(len(different) / max(1, size))])
    print(f"{table(['pages', 'texts differ'], rows)}\n\n{', '.join(different)}")


if __name__ == "__main__":
    main()
