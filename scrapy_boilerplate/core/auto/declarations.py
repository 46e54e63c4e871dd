"""Metadata: a page's address, its ``meta`` elements, its structured data.

A reader does not see them, but they tell an article from a product or a thread. Any of them may
be missing; its value is then −1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from urllib.parse import SplitResult, urlsplit

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
    # Words in addresses, which are mostly English whatever the page's language.
    "product": "product products shop store item p dp buy",
    "forum": "forum forums thread threads topic t questions question community discussion "
    "viewtopic showthread comments",
    "documentation": "docs doc documentation guide guides reference api manual wiki help tutorial "
    "learn",
    "list": "category categories tag tags archive collections collection c search browse list "
    "best top",
    "article": "blog news article articles post posts story stories press",
    "service": "services service solutions about company features pricing",
}
_OPEN_GRAPH_TYPES = ("", "article", "website", "product")
_OTHER_PRODUCT, _OTHER_TYPE = len(_OPEN_GRAPH_TYPES), len(_OPEN_GRAPH_TYPES) + 1

_TYPE = re.compile(r'\s*:\s*(?:\[\s*)?"([A-Za-z]+)"')
"""What follows the key of a type, which a text is split at: JSON-LD may be long."""
_WORD = re.compile("[a-z]+")
_DATE = re.compile(r"/(?:19|20)\d\d[/-]")

_SCHEMA = {key: frozenset(names.split()) for key, names in _SCHEMA_TYPES.items()}
_KEYS: dict[str, list[str]] = {}
"""The groups that each word of an address is in."""
for _key, _words in _ADDRESS_WORDS.items():
    for _word in _words.split():
        _KEYS.setdefault(_word, []).append(_key)
_OF_ADDRESS = [f"page_{place}_{key}" for place in ("path", "host") for key in _ADDRESS_WORDS]


def metadata_features(page: Page) -> dict[str, float]:
    """Return the metadata of *page* by name: numbers that all of its blocks share.

    >>> page = Page.parse("<meta property='og:type' content=article>", url="http://a.b/c-d")
    >>> said = metadata_features(page)
    >>> said["page_open_graph"], said["page_address_depth"], said["page_address_hyphens"]
    (1.0, 1.0, 1.0)
    """
    facts = dict.fromkeys(METADATA, -1.0)
    address = next((each for each in map(parts_of, page.addresses) if each.netloc), None)
    if address is not None:
        facts |= _of_address(address)
    metas: dict[str, str] = {}
    types: set[str] = set()
    said, scripts = page.metas
    for property_, name, itemprop, _, content in said:
        if content and (name := name or property_ or itemprop):
            metas.setdefault(name.lower(), content)
    for script in scripts:
        values = map(_TYPE.match, script.split('"@type"')[1:])
        types.update(value[1] for value in values if value)
    if metas or types:
        facts |= _of_markup(metas, types)
    return facts


def _of_address(address: SplitResult) -> dict[str, float]:
    path, host = address.path.lower(), address.netloc.lower()
    segments = [segment for segment in path.split("/") if segment]
    last = segments[-1] if segments else ""
    groups = dict.fromkeys(_OF_ADDRESS, 0.0)
    for place, part in (("path", path), ("host", host)):
        for word in frozenset(_WORD.findall(part)):
            for key in _KEYS.get(word, ()):
                groups[f"page_{place}_{key}"] += 1
    return {
        "page_address_depth": float(len(segments)),
        "page_address_hyphens": float(last.count("-") + last.count("_")),
        "page_address_last": float(len(last)),
        "page_address_digits": float(sum(map(str.isdigit, path))),
        "page_address_query": float(len(address.query)),
        "page_address_file": float(".htm" in last or ".php" in last),
        "page_address_date": float(_DATE.search(path) is not None),
        **groups,
    }


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


ADDRESS = tuple(_of_address(urlsplit("")))
"""Names of the features of the address."""
MARKUP = tuple(_of_markup({}, frozenset()))
"""Names of the features of ``meta`` elements and structured data."""
METADATA = (*ADDRESS, *MARKUP)
"""Names of all of them, in their order."""
