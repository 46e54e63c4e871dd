"""Metadata: a page's address, its ``meta`` elements, its structured data.

A reader does not see them, but they tell an article from a product or a thread.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from urllib.parse import SplitResult

from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.addresses import parts_of

_SCHEMA_TYPES = {
    # Types of schema.org by group, of which a page may have several.
    "product": "Product ProductGroup Offer AggregateOffer",
    "article": "Article NewsArticle BlogPosting TechArticle Report",
    "faq": "FAQPage Question",
    "list": "ItemList CollectionPage SearchResultsPage Blog",
    "forum": "DiscussionForumPosting QAPage Comment",
    "business": "LocalBusiness Organization Service Corporation",
    "recipe": "Recipe HowTo",
    "review": "Review AggregateRating",
    "breadcrumb": "BreadcrumbList",
    "page": "WebPage",
    "person": "Person",
}
_ADDRESS_WORDS = {
    # Names of folders and hosts, which are mostly English whatever the page's language.
    "product": "product products shop store item dp buy",
    "forum": "forum forums thread threads topic questions question community discussion "
    "viewtopic showthread comments",
    "documentation": "docs doc documentation guide guides reference api manual wiki help tutorial "
    "learn",
    "list": "category categories tag tags archive collections collection search browse list "
    "best top",
    "service": "services service solutions about company features pricing",
}
_OPEN_GRAPH_TYPES = ("", "article", "website", "product")
_OTHER_PRODUCT, _OTHER_TYPE = len(_OPEN_GRAPH_TYPES), len(_OPEN_GRAPH_TYPES) + 1

_TYPE = re.compile(r'\s*:\s*(?:\[\s*)?"([A-Za-z]+)"')
"""What follows the key of a type, which a text is split at: JSON-LD may be long."""

_SCHEMA = {key: frozenset(names.split()) for key, names in _SCHEMA_TYPES.items()}
KINDS_TOLD = {name: kind for kind, names in _ADDRESS_WORDS.items() for name in names.split()}
"""The kind of pages that a name of a folder or a part of a host tells."""
ADDRESS = (
    *(f"page_{place}_{kind}" for place in ("path", "host") for kind in _ADDRESS_WORDS),
    "page_address",
)
"""Names of the features of the address: a flag for each kind that it tells, and whether it is that
of a front page (0), tells a kind (1), neither (2), or is not known (3)."""


def metadata_features(page: Page) -> dict[str, float]:
    """Return the metadata of *page* by name: numbers that all of its blocks share.

    >>> page = Page.parse("<meta property='og:type' content=article>", url="http://a.b/docs/c")
    >>> said = metadata_features(page)
    >>> said["page_open_graph"], said["page_path_documentation"], said["page_address"]
    (1.0, 1.0, 1.0)
    """
    facts = UNKNOWN | _of_address(page)
    metas: dict[str, str] = {}
    types: set[str] = set()
    said, scripts, _ = page.metas
    for property_, name, itemprop, _, content in said:
        if content and (name := name or property_ or itemprop):
            metas.setdefault(name.lower(), content)
    for script in scripts:
        values = map(_TYPE.match, script.split('"@type"')[1:])
        types.update(value[1] for value in values if value)
    if metas or types:
        facts |= _of_markup(metas, types)
    return facts


def address_of(page: Page) -> SplitResult | None:
    """Return the parts of the first address of *page* that has a host."""
    return next((each for each in map(parts_of, page.addresses) if each.netloc), None)


def _of_address(page: Page) -> dict[str, float]:
    """Return what the address tells: its kinds alone, so that no text changes with the rest."""
    facts: dict[str, float] = {}
    address = address_of(page)
    if address is not None:
        facts["page_address"] = 2.0
        path, host = address.path.lower(), address.netloc.lower()
        for place, names in (("path", path.split("/")[:-1]), ("host", host.split("."))):
            for name in KINDS_TOLD.keys() & names:
                facts[f"page_{place}_{KINDS_TOLD[name]}"] = facts["page_address"] = 1.0
        if not (path.strip("/") or address.query):
            facts["page_address"] = 0.0
    return facts


def _of_markup(metas: Mapping[str, str], types: Set[str]) -> dict[str, float]:
    description = metas.get("description") or metas.get("og:description", "")
    return {
        "page_metas": float(len(metas)),
        "page_open_graph": float(_open_graph_type(metas.get("og:type", "").lower())),
        "page_description": float(len(description)),
        "page_published": float("article:published_time" in metas),
        "page_price": float(any("price" in name for name in metas)),
        "page_schema": float(bool(types)),
        **{f"page_schema_{key}": float(len(types & names)) for key, names in _SCHEMA.items()},
    }


def _open_graph_type(name: str) -> int:
    if name in _OPEN_GRAPH_TYPES:
        return _OPEN_GRAPH_TYPES.index(name)
    return _OTHER_PRODUCT if "product" in name else _OTHER_TYPE


MARKUP = tuple(_of_markup({}, frozenset()))
"""Names of the features of ``meta`` elements and structured data."""
METADATA = (*ADDRESS, *MARKUP)  # names of all of them, in their order
UNKNOWN: dict[str, float] = dict.fromkeys(METADATA, 0.0) | dict.fromkeys(MARKUP, -1.0)
UNKNOWN["page_address"] = 3.0  # where a page says nothing of itself, and has no address
