"""Metadata of a page: title, authors, dates, language and the like."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from functools import partial
from typing import Any
from weakref import proxy

from scrapy_boilerplate.core.answer.metadata.authors import page_authors
from scrapy_boilerplate.core.answer.metadata.choosing import Valued
from scrapy_boilerplate.core.answer.metadata.declared import (
    READERS,
    Declared,
    declared_value,
    read_declared,
)
from scrapy_boilerplate.core.answer.metadata.entities import written
from scrapy_boilerplate.core.answer.metadata.languages import page_language
from scrapy_boilerplate.core.answer.metadata.offers import OFFERED, visible_offer
from scrapy_boilerplate.core.answer.metadata.publication import page_dates
from scrapy_boilerplate.core.answer.metadata.titles import page_title, title_text
from scrapy_boilerplate.core.answer.metadata.visible import Visible
from scrapy_boilerplate.core.caching import cached_property
from scrapy_boilerplate.core.names import unknown
from scrapy_boilerplate.core.page import Page, PageReference


class Metadata:
    """Metadata of a page; an empty text or tuple where the page says nothing.

    Each value is read when somebody asks for it.

    >>> Metadata(title="A title").to_dict()["title"]
    'A title'
    """

    title: str
    """The title, without the name of the site."""

    authors: tuple[str, ...]
    """Names of the authors."""

    date_published: str
    """ISO 8601: a date, with the time and the zone as far as the page gives them."""

    date_modified: str
    """The last change, in the same form."""

    date_published_raw: str
    """The date of publication as the page writes it; empty if it stands in the address only."""

    date_modified_raw: str

    language: str
    """Language code, as in ``en`` or ``pt-BR``: the declared one, unless the text is in another
    script."""

    description: str
    canonical_url: str
    """The address that the page wants to be known by, absolute."""

    site_name: str
    image: str
    """Address of the image that stands for the page, absolute."""

    tags: tuple[str, ...]
    section: str
    """The part of the site that the page belongs to."""

    breadcrumbs: tuple[str, ...]
    """Names on the way from the site's home page to this one."""

    page_type: str
    """Type of schema.org or Open Graph, such as ``NewsArticle``, ``Product`` or ``website``."""

    license: str
    """Address or name of the licence."""

    price: str
    """What the product costs, as the page declares or shows it: ``24.90``."""

    currency: str
    """Code of the price's currency, such as ``EUR``."""

    availability: str
    """Whether the product can be bought, such as ``InStock``."""

    sku: str
    """The shop's number for the product."""

    brand: str
    rating: str
    """Mean of the buyers' ratings."""

    sources: Mapping[str, str]
    """Where each value came from, such as ``json-ld``, ``og:title`` or ``by-line``."""

    confidence: Mapping[str, float]
    """How likely the title, the authors and the dates are right, from 0 to 1."""

    def __init__(
        self, read: Callable[[str], Mapping[str, Any]] | None = None, **values: Any
    ) -> None:
        if wrong := values.keys() - _EMPTY.keys():
            raise TypeError(f"metadata have no {', '.join(sorted(wrong))}")
        vars(self).update(values, _read=read)

    def __getattr__(self, name: str) -> Any:
        if name not in _EMPTY:
            raise AttributeError(unknown("field of metadata", name, _EMPTY))
        read = vars(self).get("_read")
        vars(self).update(read(name) if read else {name: _EMPTY[name]})
        return vars(self)[name]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("Metadata can't be changed")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Metadata) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.title, self.authors))

    def __repr__(self) -> str:
        values = (f"{name}={getattr(self, name)!r}" for name in _EMPTY if getattr(self, name))
        return f"Metadata({', '.join(values)})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Read everything: what is pickled goes without its page."""
        return partial(Metadata, **{name: getattr(self, name) for name in _EMPTY}), ()

    def to_dict(self) -> dict[str, Any]:
        """Return a plain dict, which every feed exporter can write: tuples are lists."""
        sources = dict(self.sources)  # which reads all values, at once
        values = {name: getattr(self, name) for name in VALUES}
        plain = {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}
        return {**plain, "sources": sources, "confidence": dict(self.confidence)}


_EMPTY: dict[str, Any] = {
    name: {} if kind.startswith("Mapping") else () if kind.startswith("tuple") else ""
    for name, kind in Metadata.__annotations__.items()
}
VALUES = tuple(name for name, empty in _EMPTY.items() if empty != {})
"""Names of the values, without what is said of them."""


def read_metadata(page: Page, site_parts: Container[int] = ()) -> Metadata:
    """Return what *page* says of itself. Never raises for any page; takes linear time.

    *site_parts* are what is learned of the titles of its site.

    >>> page = Page.parse("<title>A title | My site</title><h1>A title</h1><p>By Ada Lovelace.")
    >>> metadata = read_metadata(page)
    >>> metadata.title, metadata.authors, metadata.sources["authors"]
    ('A title', ('Ada Lovelace',), 'by-line')
    """
    return Metadata(**_Reading(page, site_parts).all())


def metadata_of(reference: PageReference, site_parts: Container[int] = ()) -> Metadata:
    """Return the same, each value read when somebody asks for it."""
    # Where the page must be read again for one, all are read at once.

    def read(name: str) -> Mapping[str, Any]:
        if not reference.is_at_hand:
            return _Reading(reference(), site_parts).all()
        page = reference()
        noted = page.notebook.get(__name__)
        if noted is None or noted.site_parts != site_parts:
            noted = page.notebook[__name__] = _Reading(proxy(page), site_parts)
        return {name: _written(noted.value(name)[0])} if name in VALUES else noted.all()

    return Metadata(read)


class _Reading:
    """What is read of a page, each part once."""

    def __init__(self, page: Page, site_parts: Container[int]) -> None:
        self._page, self.site_parts = page, site_parts

    def all(self) -> dict[str, Any]:
        found = {name: self.value(name) for name in VALUES}
        return {
            **{name: _written(value) for name, (value, *_) in found.items()},
            "sources": {
                name: source
                for name, (value, source, *_) in found.items()
                if value and not name.endswith("_raw")
            },
            "confidence": {
                name: sure for name, (value, _, *of) in found.items() if value for sure in of
            },
        }

    def value(self, name: str) -> tuple[Any, ...]:
        if name in ("title", "language", "authors"):
            return getattr(self, name)
        if name in OFFERED and name in self._offer:
            return self._offer[name]
        if name in READERS:
            return declared_value(self._declared, name)
        return self._dates.get(name, ("", ""))

    @cached_property
    def _declared(self) -> Declared:
        return read_declared(self._page)

    @cached_property
    def title(self) -> Valued[str]:
        return page_title(self._page, self._declared, self.site_parts)

    @cached_property
    def language(self) -> tuple[str, str]:
        return page_language(self._page)[:2]

    @cached_property
    def _visible(self) -> Visible:
        title = title_text(self._page, self._declared, self.title[0])
        return Visible(self._page, title)

    @cached_property
    def authors(self) -> Valued[tuple[str, ...]]:
        return page_authors(self._declared, self._visible, self.language[0])

    @cached_property
    def _dates(self) -> dict[str, tuple[Any, ...]]:
        return page_dates(self._declared, self._visible, self.language[0])

    @cached_property
    def _offer(self) -> dict[str, tuple[Any, str]]:
        if declared_value(self._declared, "price")[0]:
            return {}
        return visible_offer(self._visible, self.language[0])


def _written(value: Any) -> Any:
    if isinstance(value, str):
        return value and written(value)
    return tuple(filter(None, map(_written, value)))
