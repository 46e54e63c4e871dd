"""Items of zyte-common-items, which are filled by the names of their own fields."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from scrapy_boilerplate.core.answer.extraction import OUTPUTS, Extraction
from scrapy_boilerplate.core.answer.posts import Post

Output: TypeAlias = Callable[[Extraction], Any]

_PACKAGE, _NAMED = "zyte_common_items", "zyte-common-items"
# Fields of an article that hold the text of another output.
_TEXTS = {
    "headline": "title",
    "articleBody": "text",
    "articleBodyHtml": "html",
    "datePublished": "date_published",
    "datePublishedRaw": "date_published_raw",
    "dateModified": "date_modified",
    "dateModifiedRaw": "date_modified_raw",
    "inLanguage": "language",
}

_ISO = re.compile(r"\d{4}-\d\d-\d\d")


def fields_of(item_class: type) -> Mapping[str, str]:
    """Return the output of each field of an item; the package is not imported for it."""
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


def _new(item: str, **values: Any) -> Any:
    """Return an item of the package; only an item of it asks for one, so it is imported."""
    return getattr(sys.modules[_PACKAGE], item)(**values)


def _image(address: str) -> Any:
    return _new("Image", url=address)


def _post(url: str, post: Post) -> Any:
    date = post.date if _ISO.match(post.date) else None
    return _new("SocialMediaPost", url=url, text=post.text, datePublished=date)


def _rating(text: str) -> Any:
    return _new("AggregateRating", ratingValue=float(text)) if _NUMBER.fullmatch(text) else None


_NUMBER = re.compile(r"\d{1,4}(?:\.\d{1,9})?")
_SHARED: dict[str, Output] = {
    "description": OUTPUTS["description"],
    "canonicalUrl": OUTPUTS["canonical_url"],
    "breadcrumbs": lambda found: [
        _new("Breadcrumb", name=name) for name in found.metadata.breadcrumbs
    ],
    "mainImage": lambda found: found.metadata.image and _image(found.metadata.image),
    "images": lambda found: [*map(_image, dict.fromkeys(i.src for i in found.images))],
}
# Outputs by item and field.
_READERS: dict[str, dict[str, Output]] = {
    "Article": {
        **_SHARED,
        **{field: OUTPUTS[output] for field, output in _TEXTS.items()},
        "authors": lambda found: [_new("Author", name=n) for n in found.metadata.authors],
    },
    "Product": {
        **_SHARED,
        "name": OUTPUTS["title"],
        **{name: OUTPUTS[name] for name in ("price", "currency", "availability", "sku")},
        "brand": lambda found: found.metadata.brand and _new("Brand", name=found.metadata.brand),
        "aggregateRating": lambda found: _rating(found.metadata.rating),
    },
    "ForumThread": {
        "topic": lambda found: found.title and _new("Topic", name=found.title),
        "posts": lambda found: [_post(found.url, post) for post in found.posts],
    },
}


def _or_none(read: Output) -> Output:
    """Return an output that gives ``None`` for nothing, as the package does."""
    return lambda extraction: read(extraction) or None


# Outputs by names that users do not write
TYPED_OUTPUTS = {
    _output(item, field): _or_none(read)
    for item, readers in _READERS.items()
    for field, read in readers.items()
}
