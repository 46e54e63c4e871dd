"""From a page to its metadata."""

from __future__ import annotations

from typing import Any

from scrapy_boilerplate.core.answer.metadata.authors import page_authors
from scrapy_boilerplate.core.answer.metadata.bylines import Visible
from scrapy_boilerplate.core.answer.metadata.declared import read_declared
from scrapy_boilerplate.core.answer.metadata.languages import page_language
from scrapy_boilerplate.core.answer.metadata.page_titles import page_title, site_names, title_text
from scrapy_boilerplate.core.answer.metadata.plain import plain_values
from scrapy_boilerplate.core.answer.metadata.published import page_dates
from scrapy_boilerplate.core.answer.metadata.subject import find_subject
from scrapy_boilerplate.core.answer.metadata.values import Metadata
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.characters import readable
from scrapy_boilerplate.core.page.decoding import encodable

_TURNING = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])
"""Embeddings, overrides and isolates: what follows them would be read in another order."""


def read_metadata(page: Page) -> Metadata:
    """Return what *page* says of itself. Never raises for any page; takes linear time.

    >>> page = Page.parse("<title>A title | My site</title><h1>A title</h1><p>By Ada Lovelace.")
    >>> metadata = read_metadata(page)
    >>> metadata.title, metadata.authors, metadata.sources["authors"]
    ('A title', ('Ada Lovelace',), 'by-line')
    """
    declared = read_declared(page)
    subject = find_subject(declared, page.title)
    found = plain_values(declared, subject)
    found["title"] = title, _ = page_title(page, declared, subject)
    found["language"] = language, _ = page_language(page, declared, subject)
    visible = Visible(page, title_text(page, title))
    found["authors"] = page_authors(declared, subject, visible, site_names(declared, subject))
    found |= page_dates(declared, subject, visible, language)
    return Metadata(
        **{name: _written(value) for name, (value, _) in found.items()},
        sources={
            name: source
            for name, (value, source) in found.items()
            if value and not name.endswith("_raw")
        },
    )


def _written(value: Any) -> Any:
    """Return a value without characters that cannot be written, or that turn the text around."""
    if isinstance(value, str):
        return " ".join(readable(encodable(value.translate(_TURNING))).split())
    return tuple(filter(None, map(_written, value)))
