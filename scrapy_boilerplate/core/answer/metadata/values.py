"""Metadata of a page: title, authors, dates, language and the like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any


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

    sources: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Where each value came from, such as ``json-ld``, ``og:title`` or ``by-line``."""

    def to_dict(self) -> dict[str, Any]:
        """Return a plain dict, which every feed exporter can write: tuples are lists."""
        values = asdict(self)
        return {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}


VALUES = tuple(each.name for each in fields(Metadata) if each.name != "sources")
"""Names of the values, without that of their sources."""
