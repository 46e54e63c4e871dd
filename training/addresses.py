"""The whole address of a page, which blocks are learned with and judged without.

Addresses tell sets apart, whose labels differ. Trees that see them learn less of a set's manners
from what a page looks like, and answer better, whatever the address that they are asked at. So
:func:`training.forests.forest_of` resolves their splits on all but the kind that it tells.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from scrapy_boilerplate.core.auto.declarations import KINDS_TOLD, address_of
from scrapy_boilerplate.core.page import Page

_OTHER_WORDS = {
    # Words that name kinds of pages in addresses, and no folder.
    **dict.fromkeys("blog news article articles post posts story stories press".split(), "article"),
    "p": "product",
    "t": "forum",
    "question": "forum",
    "c": "list",
}
_KINDS = KINDS_TOLD | _OTHER_WORDS
_WORD = re.compile("[a-z]+")
_DATE = re.compile(r"/(?:19|20)\d\d[/-]")

_SHAPES = {"depth": (0, 2, 3), "hyphens": (0, 2, 5), "last": (0, 23, 28), "digits": (0, 0, 4)}
"""What addresses are taken for: folders, hyphens, characters of the last part, and digits of a
front page, of one that tells a kind, and of any other."""
DETAILS: Mapping[str, tuple[str, tuple[float, ...]]] = {
    **{f"address_{name}": ("page_address", values) for name, values in _SHAPES.items()},
    **{f"address_{name}": ("page_address", (0, 0, 0)) for name in ("query", "file", "date")},
    **{
        f"{place}_{kind}": (
            ("page_address", (0, 0, float(place == "path")))
            if kind == "article"
            else (f"page_{place}_{kind}", (0, 1))
        )
        for place in ("path", "host")
        for kind in dict.fromkeys(_KINDS.values())
    },
}
"""Names of what an address tells, each with the feature that stands for it when ``auto`` asks, and
what it is taken for at 0, 1 and from 2 on."""


def details_of(page: Page) -> dict[str, float]:
    """Return what the address of *page* tells, by name; −1 without an address."""
    address = address_of(page)
    if address is None:
        return dict.fromkeys(DETAILS, -1.0)
    path, host = address.path.lower(), address.netloc.lower()
    folders = [folder for folder in path.split("/") if folder]
    last = folders[-1] if folders else ""
    found = dict.fromkeys(DETAILS, 0.0) | {
        "address_depth": float(len(folders)),
        "address_hyphens": float(last.count("-") + last.count("_")),
        "address_last": float(len(last)),
        "address_digits": float(sum(map(str.isdigit, path))),
        "address_query": float(len(address.query)),
        "address_file": float(".htm" in last or ".php" in last),
        "address_date": float(_DATE.search(path) is not None),
    }
    for place, part in (("path", path), ("host", host)):
        for word in _KINDS.keys() & _WORD.findall(part):
            found[f"{place}_{_KINDS[word]}"] += 1
    return found
