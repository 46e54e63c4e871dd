"""What a page declares in ``meta`` and ``link`` elements and structured data, and its subject."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias
from urllib.parse import urljoin, urlsplit

from scrapy_boilerplate.core.answer.metadata.entities import (
    Entity,
    read_json_ld,
    read_microdata,
    resolve,
    strings,
    without_repeats,
)
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.lenient import attribute_of, text_of

_LINKS = frozenset(("canonical", "license", "author", "image_src", "shortlink"))


@dataclass(frozen=True)
class Declared:
    """Declarations in a page's markup, unjudged."""

    metas: Mapping[str, list[str]]
    """Contents of ``meta`` elements by lower-case name or property; none of them is empty."""
    links: Mapping[str, str]
    """Addresses by relation: ``canonical``, ``license``."""
    entities: list[Entity]
    """What JSON-LD and microdata describe at their top level, in this order."""
    url: str
    """Address of the page; empty if it is not known."""
    base: str
    """The address that relative ones start from."""

    def meta(self, *names: str) -> str:
        """Return the content of the first of these ``meta`` elements that is there."""
        return next((self.metas[name][0] for name in names if name in self.metas), "")

    def address(self, value: str) -> str:
        """Return an absolute address; an empty one for what is no web address."""
        if not value.strip():
            return ""
        try:
            address = urljoin(self.base, value.strip())
            is_web = urlsplit(address).scheme in ("http", "https")
        except ValueError:  # such as a bracket that is not closed
            return ""
        return address if is_web and len(address) < 3000 else ""

    @cached_property
    def by_id(self) -> Mapping[str, Entity]:
        """Entities by the name that others refer to them by."""
        return {each.id: each for each in self.entities if each.id and each.properties}

    def of(self, entity: Entity, *names: str) -> Iterator[Any]:
        """Yield the values of a property, references followed."""
        for value in entity.all(*names):
            yield resolve(value, self.by_id)


def read_declared(page: Page) -> Declared:
    """Read what *page* declares, in one pass over the elements that can declare something.

    >>> page = Page.parse("<meta property=og:title content='A title'>")
    >>> read_declared(page).meta("og:title")
    'A title'
    """
    metas: dict[str, list[str]] = {}
    links: dict[str, str] = {}
    entities: list[Entity] = []
    base = page.url or ""
    for node in page.root.iter("{*}meta", "{*}script", "{*}link", "{*}base"):
        kind = node.tag.rpartition("}")[2]
        if kind == "meta":
            _add_meta(node, metas)
        elif kind == "script":
            if "ld+json" in (attribute_of(node, "type") or "").lower():
                entities += read_json_ld(text_of(node) or "")
        elif kind == "base":
            base = _join(page.url or "", attribute_of(node, "href") or "")
        else:
            for relation in _LINKS.intersection((attribute_of(node, "rel") or "").lower().split()):
                links.setdefault(relation, attribute_of(node, "href") or "")
    entities += read_microdata(page.root)
    return Declared(metas, links, entities, page.url or "", base)


def _add_meta(node: Any, metas: dict[str, list[str]]) -> None:
    content = " ".join(html.unescape(attribute_of(node, "content") or "").split())
    if not content:
        return
    for key in ("property", "name", "itemprop", "http-equiv"):
        for name in (attribute_of(node, key) or "").lower().split():
            metas.setdefault(name, []).append(content)


def _join(url: str, value: str) -> str:
    try:
        return urljoin(url, value)
    except ValueError:
        return url


# -- the subject ---------------------------------------------------------------------------------

_WORD = re.compile(r"\w+")
_MOST_COMPARED = 400  # characters of a text that is compared by its words


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text in lower case: what tells titles apart.

    >>> words_of("It’s – “A Title”!")
    ('it', 's', 'a', 'title')
    """
    return tuple(_WORD.findall(unicodedata.normalize("NFKC", text[:_MOST_COMPARED]).casefold()))


Group: TypeAlias = Literal["article", "thread", "product", "thing", "page", "site", "other"]
"""What kind of thing an entity is."""

_GROUPS: dict[str, Group] = {
    **dict.fromkeys("DiscussionForumPosting Question QAPage Conversation".split(), "thread"),
    **dict.fromkeys("Product ProductGroup IndividualProduct ProductModel".split(), "product"),
    **dict.fromkeys(
        "Recipe HowTo Event VideoObject PodcastEpisode Course JobPosting SoftwareApplication Book "
        "Movie LocalBusiness Service CreativeWork Review Dataset MusicRecording".split(),
        "thing",
    ),
    **dict.fromkeys("WebSite Organization NewsMediaOrganization Corporation".split(), "site"),
    **dict.fromkeys("Blog CollectionPage".split(), "page"),
    "Report": "article",
    "CreativeWorkSeries": "other",
}
_ORDER: dict[Group, int] = {"article": 0, "thread": 1, "product": 2, "thing": 3}
_SITES = frozenset("WebSite Organization NewsMediaOrganization Corporation".split())


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a page by its structured data."""

    main: Entity | None
    """The article, thread, product or other thing that the page is there for."""
    group: Group
    page: Entity | None
    """The page itself."""
    sites: tuple[Entity, ...]
    """The site, and who runs it."""


def group_of(entity: Entity) -> Group:
    """Return what kind of thing an entity is.

    >>> group_of(Entity(("NewsArticle",), {})), group_of(Entity(("FAQPage",), {}))
    ('article', 'page')
    """
    for name in entity.types:
        if name in _GROUPS:
            return _GROUPS[name]
        if name.endswith(("Article", "Posting")):
            return "article"
        if name.endswith("Page"):
            return "page"
    return "other"


def find_subject(declared: Declared, title: str) -> Subject:
    """Return what the page is about; *title* is that of the document."""
    candidates = list(_candidates(declared))
    grouped = [(group_of(each), each) for each in candidates]
    things = [(group, each) for group, each in grouped if group in _ORDER]
    words = frozenset(words_of(title))
    best = max(things, key=lambda each: _rank(each[0], each[1], words), default=None)
    pages = (each for group, each in grouped if group == "page")
    return Subject(
        best[1] if best else None,
        best[0] if best else "other",
        next(pages, None),
        tuple(each for each in candidates if _SITES.intersection(each.types)),
    )


def _candidates(declared: Declared) -> Iterator[Entity]:
    for entity in declared.entities:
        yield entity
        for name in ("mainEntity", "mainEntityOfPage"):
            for value in declared.of(entity, name):
                if isinstance(value, Entity) and value.properties:
                    yield value


def _rank(group: Group, entity: Entity, title: frozenset[str]) -> tuple[float, ...]:
    """Return how well an entity is the subject of a page with these words in its title."""
    words = frozenset(words_of(entity.text("headline", "name")))
    shared = len(words & title) / len(words) if words else 0.0
    return (shared > 0.5, -_ORDER[group], entity.source == "json-ld", shared)


def site_names(declared: Declared, subject: Subject) -> list[str]:
    """Return the names of the site, the most trustworthy first."""
    names = [declared.meta("og:site_name"), *(site.text("name") for site in subject.sites)]
    for entity in (subject.main, subject.page):
        if entity is not None:
            values = declared.of(entity, "publisher", "isPartOf")
            names += [value.text("name") for value in values if isinstance(value, Entity)]
    names += [declared.meta("application-name"), declared.meta("apple-mobile-web-app-title")]
    return [html.unescape(name) for name in names if name]


# -- values that are only looked up ----------------------------------------------------------------

MOST_TAGS = 100
MOST_CRUMBS = 20
LONGEST_DESCRIPTION = 5000
"""Characters of a description."""

Found: TypeAlias = "Iterator[tuple[str, Any]]"
"""Sources and values, the most trustworthy first; some may be empty."""
Reader: TypeAlias = "Callable[[Declared, Subject], Found]"


def declared_values(declared: Declared, subject: Subject) -> dict[str, tuple[Any, str]]:
    """Return by name the values that are known, with where they stand."""
    found = {}
    for name, read in _READERS.items():
        for source, value in read(declared, subject):
            if value:
                found[name] = value, source
                break
    return found


def _entities(subject: Subject) -> Iterator[Entity]:
    yield from (each for each in (subject.main, subject.page) if each is not None)


def _texts(subject: Subject, *names: str) -> Iterator[tuple[str, str]]:
    for entity in _entities(subject):
        yield entity.source, html.unescape(entity.text(*names))


def _metas(declared: Declared, *names: str) -> Iterator[tuple[str, str]]:
    for name in names:
        yield name, declared.meta(name)


def _description(declared: Declared, subject: Subject) -> Found:
    for source, text in (
        *_metas(declared, "description", "og:description"),
        *_texts(subject, "description", "abstract"),
        *_metas(declared, "twitter:description", "dc.description", "dcterms.description"),
    ):
        yield source, text[:LONGEST_DESCRIPTION]


def _canonical(declared: Declared, subject: Subject) -> Found:
    yield "canonical", declared.address(declared.links.get("canonical", ""))
    yield "og:url", declared.address(declared.meta("og:url"))


def _site_name(declared: Declared, subject: Subject) -> Found:
    declares = declared.meta("og:site_name")
    names = site_names(declared, subject)
    yield ("og:site_name" if declares else "structured data"), names[0] if names else ""


def _image(declared: Declared, subject: Subject) -> Found:
    named = _metas(declared, "og:image:secure_url", "og:image", "og:image:url")
    later = _metas(declared, "twitter:image", "twitter:image:src", "thumbnail", "image")
    for source, text in (*named, *_images(declared, subject), *later):
        yield source, declared.address(text)
    yield "image_src", declared.address(declared.links.get("image_src", ""))


def _images(declared: Declared, subject: Subject) -> Iterator[tuple[str, str]]:
    for entity in _entities(subject):
        for value in declared.of(entity, "image", "primaryImageOfPage", "thumbnailUrl"):
            if isinstance(value, Entity):
                yield entity.source, value.text("url", "contentUrl") or value.id
            else:
                yield entity.source, next(strings(value), "")


def _tags(declared: Declared, subject: Subject) -> Found:
    yield "article:tag", _list(declared.metas.get("article:tag", []))
    for entity in _entities(subject):
        texts = (text for value in declared.of(entity, "keywords") for text in strings(value))
        yield entity.source, _list(texts)
    for name in ("keywords", "news_keywords", "parsely-tags", "sailthru.tags"):
        yield name, _list(declared.metas.get(name, [])[:1])


def _list(texts: Any) -> tuple[str, ...]:
    parts = (part.strip() for text in texts for part in html.unescape(text).split(","))
    return tuple(without_repeats(part for part in parts if len(part) < 100))[:MOST_TAGS]


def _section(declared: Declared, subject: Subject) -> Found:
    yield from _texts(subject, "articleSection")
    yield from _metas(declared, "article:section", "section", "parsely-section", "category")
    yield from _texts(subject, "category", "genre")


def _breadcrumbs(declared: Declared, subject: Subject) -> Found:
    lists = [each for each in declared.entities if "BreadcrumbList" in each.types]
    for entity in _entities(subject):
        inside = (value for value in declared.of(entity, "breadcrumb"))
        lists += [value for value in inside if isinstance(value, Entity)]
    for each in lists:
        yield each.source, _names_on_the_way(declared, each)


def _names_on_the_way(declared: Declared, crumbs: Entity) -> tuple[str, ...]:
    named = []
    for number, element in enumerate(declared.of(crumbs, "itemListElement")):
        if isinstance(element, Entity):
            inner = next((v for v in declared.of(element, "item") if isinstance(v, Entity)), None)
            name = element.text("name") or (inner.text("name") if inner else "")
            position = element.text("position")
            named.append((int(position) if position.isdecimal() else number, name))
    named.sort(key=lambda each: each[0])
    return tuple(html.unescape(name) for _, name in named if name)[:MOST_CRUMBS]


def _page_type(declared: Declared, subject: Subject) -> Found:
    for entity in _entities(subject):
        yield entity.source, entity.types[0]
    yield from _metas(declared, "og:type")


def _license(declared: Declared, subject: Subject) -> Found:
    for entity in _entities(subject):
        for value in declared.of(entity, "license"):
            named = isinstance(value, Entity)
            text = value.text("url", "name") or value.id if named else next(strings(value), "")
            yield entity.source, text
    address = declared.links.get("license", "")
    yield "rel=license", declared.address(address)
    yield from _metas(declared, "dc.rights", "dcterms.license", "dcterms.rights", "copyright")


# -- products ------------------------------------------------------------------------------------


def _of_offers(*names: str, metas: tuple[str, ...]) -> Reader:
    """Return a reader of a property of the first offer of the product."""

    def read(declared: Declared, subject: Subject) -> Found:
        for entity in _products(subject):
            for offer in declared.of(entity, "offers"):
                if isinstance(offer, Entity):
                    inside = list(declared.of(offer, "offers", "priceSpecification"))
                    for each in (offer, *(v for v in inside if isinstance(v, Entity))):
                        yield entity.source, html.unescape(each.text(*names))
        yield from _metas(declared, *metas)

    return read


def _of_product(name: str, *, metas: tuple[str, ...], inside: str = "") -> Reader:
    """Return a reader of a property of the product, or of one *inside* of what it names."""

    def read(declared: Declared, subject: Subject) -> Found:
        for entity in _products(subject):
            for value in declared.of(entity, name):
                if inside and isinstance(value, Entity):
                    yield entity.source, value.text(inside)
                elif not inside:
                    yield entity.source, html.unescape(next(strings(value), ""))
        yield from _metas(declared, *metas)

    return read


def _products(subject: Subject) -> Iterator[Entity]:
    if subject.main is not None and subject.group == "product":
        yield subject.main


def _price(declared: Declared, subject: Subject) -> Found:
    read = _of_offers("price", "lowPrice", metas=("product:price:amount", "og:price:amount"))
    for source, text in read(declared, subject):
        number = _NUMBER.search(text)
        yield source, number[0] if number else ""


def _availability(declared: Declared, subject: Subject) -> Found:
    read = _of_offers("availability", metas=("product:availability", "og:availability"))
    for source, text in read(declared, subject):
        yield source, text.rstrip("/").rpartition("/")[2][:MOST_CODE]


_NUMBER = re.compile(r"\d[\d.,]{0,20}")
MOST_CODE = 100
"""Characters of the availability of a product."""

_READERS: dict[str, Reader] = {
    "description": _description,
    "canonical_url": _canonical,
    "site_name": _site_name,
    "image": _image,
    "tags": _tags,
    "section": _section,
    "breadcrumbs": _breadcrumbs,
    "page_type": _page_type,
    "license": _license,
    "price": _price,
    "currency": _of_offers("priceCurrency", metas=("product:price:currency", "og:price:currency")),
    "availability": _availability,
    "sku": _of_product("sku", metas=("product:retailer_item_id",)),
    "brand": _of_product("brand", metas=("product:brand", "og:brand")),
    "rating": _of_product("aggregateRating", inside="ratingValue", metas=()),
}
