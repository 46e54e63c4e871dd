"""Metadata of a page: title, authors, dates, language and the like."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from scrapy_boilerplate.core.answer.metadata.authors import page_authors
from scrapy_boilerplate.core.answer.metadata.declared import declared_values, read_declared
from scrapy_boilerplate.core.answer.metadata.entities import written
from scrapy_boilerplate.core.answer.metadata.languages import page_language
from scrapy_boilerplate.core.answer.metadata.offers import visible_offer
from scrapy_boilerplate.core.answer.metadata.publication import page_dates
from scrapy_boilerplate.core.answer.metadata.titles import page_title, title_text
from scrapy_boilerplate.core.answer.metadata.visible import Visible
from scrapy_boilerplate.core.page import Page


@dataclass(frozen=True, slots=True)
class Metadata:
    """Metadata of a page; an empty text or tuple where the page says nothing.

    >>> Metadata(title="A title").to_dict()["title"]
    'A title'
    """

    title: str = ""
    """The title, without the name of the site."""

    authors: tuple[str, ...] = ()
    """Names of the authors."""

    date_published: str = ""
    """ISO 8601: a date, with the time and the zone as far as the page gives them."""

    date_modified: str = ""
    """The last change, in the same form."""

    date_published_raw: str = ""
    """The date of publication as the page writes it; empty if it stands in the address only."""

    date_modified_raw: str = ""

    language: str = ""
    """Language code, as in ``en`` or ``pt-BR``: the declared one, unless the text is in another
    script."""

    description: str = ""
    canonical_url: str = ""
    """The address that the page wants to be known by, absolute."""

    site_name: str = ""
    image: str = ""
    """Address of the image that stands for the page, absolute."""

    tags: tuple[str, ...] = ()
    section: str = ""
    """The part of the site that the page belongs to."""

    breadcrumbs: tuple[str, ...] = ()
    """Names on the way from the site's home page to this one."""

    page_type: str = ""
    """Type of schema.org or Open Graph, such as ``NewsArticle``, ``Product`` or ``website``."""

    license: str = ""
    """Address or name of the licence."""

    price: str = ""
    """What the product costs, as the page declares or shows it: ``24.90``."""

    currency: str = ""
    """Code of the price's currency, such as ``EUR``."""

    availability: str = ""
    """Whether the product can be bought, such as ``InStock``."""

    sku: str = ""
    """The shop's number for the product."""

    brand: str = ""
    rating: str = ""
    """Mean of the buyers' ratings."""

    sources: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Where each value came from, such as ``json-ld``, ``og:title`` or ``by-line``."""

    def to_dict(self) -> dict[str, Any]:
        """Return a plain dict, which every feed exporter can write: tuples are lists."""
        values = {name: getattr(self, name) for name in VALUES}
        plain = {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}
        return {**plain, "sources": dict(self.sources)}


VALUES = tuple(each.name for each in fields(Metadata) if each.name != "sources")
"""Names of the values, without that of their sources."""


def read_metadata(page: Page, site_parts: Container[int] = ()) -> Metadata:
    """Return what *page* says of itself. Never raises for any page; takes linear time.

    *site_parts* are what is learned of the titles of its site.

    >>> page = Page.parse("<title>A title | My site</title><h1>A title</h1><p>By Ada Lovelace.")
    >>> metadata = read_metadata(page)
    >>> metadata.title, metadata.authors, metadata.sources["authors"]
    ('A title', ('Ada Lovelace',), 'by-line')
    """
    declared = read_declared(page)
    found = declared_values(declared)
    found["title"] = title, _ = page_title(page, declared, site_parts)
    found["language"] = language, _ = page_language(page, declared)[:2]
    visible = Visible(page, title_text(page, title), declared.marked)
    found["authors"] = page_authors(declared, visible, language)
    found |= page_dates(declared, visible, language)
    if "price" not in found:
        found = visible_offer(visible, language) | found
    return Metadata(
        **{name: _written(value) for name, (value, _) in found.items()},
        sources={
            name: source
            for name, (value, source) in found.items()
            if value and not name.endswith("_raw")
        },
    )


def _written(value: Any) -> Any:
    if isinstance(value, str):
        return written(value)
    return tuple(filter(None, map(_written, value)))
