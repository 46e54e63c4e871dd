"""Items of zyte-common-items, which are filled by the names of their own fields."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from scrapy_boilerplate.extraction import Extraction
from scrapy_boilerplate.fields import OUTPUTS
from scrapy_boilerplate.page import Page

__all__ = ["TYPED_OUTPUTS", "fields_of"]

Output: TypeAlias = Callable[[Page, Extraction], Any]

_PACKAGE, _NAMED = "zyte_common_items", "zyte-common-items"
_TEXTS = {
    "headline": "title",
    "articleBody": "text",
    "articleBodyHtml": "html",
    "datePublished": "date_published",
    "dateModified": "date_modified",
    "inLanguage": "language",
    "description": "description",
    "canonicalUrl": "canonical_url",
}
"""Fields that hold the text of another output."""


def fields_of(item_class: type) -> Mapping[str, str]:
    """Return the output of each field of an article of zyte-common-items; of others none.

    The package is not imported: an item of its class can only exist where it is.
    """
    package = sys.modules.get(_PACKAGE)
    article = getattr(package, "Article", None)
    is_article = article is not None and issubclass(item_class, article)
    return {name: f"{_NAMED} {name}" for name in _READERS} if is_article else {}


def _text(output: str) -> Output:
    """Return the function of an output that gives ``None`` for an empty text."""
    return lambda page, extraction: OUTPUTS[output](page, extraction) or None


def _authors(page: Page, extraction: Extraction) -> Any:
    from zyte_common_items import Author

    return [Author(name=name) for name in extraction.metadata.authors] or None


def _breadcrumbs(page: Page, extraction: Extraction) -> Any:
    from zyte_common_items import Breadcrumb

    return [Breadcrumb(name=name) for name in extraction.metadata.breadcrumbs] or None


def _main_image(page: Page, extraction: Extraction) -> Any:
    from zyte_common_items import Image

    address = extraction.metadata.image
    return Image(url=address) if address else None


def _images(page: Page, extraction: Extraction) -> Any:
    from zyte_common_items import Image

    addresses = dict.fromkeys(image.src for image in extraction.images)
    return [Image(url=address) for address in addresses] or None


_READERS: dict[str, Output] = {
    **{field: _text(output) for field, output in _TEXTS.items()},
    "authors": _authors,
    "breadcrumbs": _breadcrumbs,
    "mainImage": _main_image,
    "images": _images,
}
TYPED_OUTPUTS = {f"{_NAMED} {name}": read for name, read in _READERS.items()}
"""What the fields are filled with, by names that users do not write."""
