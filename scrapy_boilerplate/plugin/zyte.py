"""Items of zyte-common-items, which are filled by the names of their own fields."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.answer.fields import OUTPUTS
from scrapy_boilerplate.core.page import Page

Output: TypeAlias = Callable[[Page, Extraction], Any]

_PACKAGE, _NAMED = "zyte_common_items", "zyte-common-items"
_TEXTS = {
    "headline": "title",
    "articleBody": "text",
    "articleBodyHtml": "html",
    "datePublished": "date_published",
    "datePublishedRaw": "date_published_raw",
    "dateModified": "date_modified",
    "dateModifiedRaw": "date_modified_raw",
    "inLanguage": "language",
    "description": "description",
    "canonicalUrl": "canonical_url",
}
"""Fields of an article that hold the text of another output."""

_ISO = re.compile(r"\d{4}-\d\d-\d\d")


def fields_of(item_class: type) -> Mapping[str, str]:
    """Return the output of each field of an item of zyte-common-items; of others none.

    The package is not imported: an item of its class can only exist where it is. What an older
    version lacks is left out.
    """
    package = sys.modules.get(_PACKAGE)
    for name, readers in _READERS.items():
        known = getattr(package, name, None)
        if known is not None and issubclass(item_class, known):
            fields = {field.name for field in known.__attrs_attrs__}
            return {field: _output(name, field) for field in readers if field in fields}
    return {}


def is_shipped(item_class: type) -> bool:
    """Return whether a class is one of the package itself, not derived from one."""
    return item_class.__module__.partition(".")[0] == _PACKAGE


def _output(item: str, field: str) -> str:
    return f"{_NAMED} {item}.{field}"


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


def _topic(page: Page, extraction: Extraction) -> Any:
    from zyte_common_items import Topic

    return Topic(name=extraction.title) if extraction.title else None


def _posts(page: Page, extraction: Extraction) -> Any:
    from zyte_common_items import SocialMediaPost

    return [
        SocialMediaPost(
            url=page.url or "",
            text=post.text,
            datePublished=post.date if _ISO.match(post.date) else None,
        )
        for post in extraction.posts
    ] or None


_READERS: dict[str, dict[str, Output]] = {
    "Article": {
        **{field: _text(output) for field, output in _TEXTS.items()},
        "authors": _authors,
        "breadcrumbs": _breadcrumbs,
        "mainImage": _main_image,
        "images": _images,
    },
    "ForumThread": {"topic": _topic, "posts": _posts},
}
TYPED_OUTPUTS = {
    _output(item, field): read
    for item, readers in _READERS.items()
    for field, read in readers.items()
}
"""What the fields are filled with, by names that users do not write."""
