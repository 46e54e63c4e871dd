"""What a page declares in ``meta`` and ``link`` elements and structured data, and its subject."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeAlias
from urllib.parse import SplitResult, unquote
from weakref import ProxyTypes, proxy

import numpy as np

from scrapy_boilerplate.core.answer.metadata.entities import (
    Entity,
    read_json_ld,
    read_microdata,
    resolve,
    strings,
    without_repeats,
    written,
)
from scrapy_boilerplate.core.caching import cached_property, remember
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.addresses import parts_of, web_address

_LINKED = {"canonical": "canonical", "rel=license": "license", "image_src": "image_src"}
"""Places that are ``link`` elements, and their relation."""


class Heading(NamedTuple):
    tag: str
    start: int  # the text node that it begins with …
    stop: int  # … and the one after it
    text: str


class Declared:
    """Declarations in a page's markup, unjudged; each kind is read when somebody asks for it."""

    def __init__(self, page: Page) -> None:
        self._page, self.url = page, page.url or ""
        self._places: dict[str, str] = {}
        self._metas: dict[str, Any] = {}  # lists, or tuples of what is read already
        for property_, name, itemprop, equivalent, content in page.metas[0]:
            for each in f"{property_} {name} {itemprop} {equivalent}".lower().split():
                self._metas.setdefault(each, []).append(content)

    def has(self, place: str) -> bool:
        """Return whether a ``meta`` element may have this name, or a ``link``."""
        return place in self._metas or place in _LINKED

    def describes(self, kind: str) -> bool:
        """Return whether there may be entities of a *kind* of place in READERS."""
        return bool(self.entities) and (not kind or self.subject.group == "product")

    def contents(self, name: str) -> tuple[str, ...]:
        """Return what the ``meta`` elements of a name, in lower case, or property say."""
        contents: tuple[str, ...] | list[str] = self._metas.get(name, ())
        if isinstance(contents, list):
            contents = self._metas[name] = tuple(filter(None, map(_content, contents)))
        return contents

    def among(self, names: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield those of these names that ``meta`` elements have, with what these say."""
        for name in names:
            if name in self._metas and (contents := self.contents(name)):
                yield name, contents

    def meta(self, *names: str) -> str:
        """Return the content of the first of these ``meta`` elements that is there."""
        return next((contents[0] for _, contents in self.among(names)), "")

    @cached_property
    def _links(self) -> Mapping[str, str]:
        """The first address of each relation of ``link`` elements."""
        found: dict[str, str] = {}
        for relations, address in self._page.links:
            for relation in relations.split() if address.strip() else ():
                found.setdefault(relation, address.strip())
        return found

    def linked(self, place: str) -> str:
        """Return the address of a ``link`` element, or of a link to a license, else nothing."""
        if place not in _LINKED:
            return ""
        address = self._links.get(_LINKED[place], "")
        if address or place != "rel=license":
            return address
        told = self._page.telling.values()
        return next((to for relation, to in told if "license" in relation.lower().split()), "")

    def link_texts(self, numbers: Iterable[int], most: int) -> list[str]:
        """Return the texts of the first links by their numbers in the tree."""
        page, wanted = self._page, [*islice(numbers, most)]
        if not wanted:
            return []
        found = page.is_at(wanted).nonzero()[0]
        spans = np.array([page.first_text[found], page.last_text[found]]).T
        return list(filter(None, (" ".join(text.split()) for text in page.lay_out_all(spans))))

    @property
    def tag_links(self) -> list[str]:
        told = self._page.telling.items()
        return self.link_texts((at for at, (rel, _) in told if rel.lower() == "tag"), MOST_TAGS)

    @cached_property
    def home_names(self) -> list[str]:
        """What the first links to the site's front page say, mostly its name; none on that page."""
        own = parts_of(self.url)
        host = own.hostname or ""
        if host and _is_front(own):
            return []

        def is_home(address: str) -> bool:
            if len(address) > len("https://") and host not in address.lower():
                return False  # most links, and soon told
            parts = parts_of(address)
            is_here = not parts.hostname or not host or parts.hostname == host
            return is_here and _is_front(parts)

        fronts = self._page.declarations[3].items()
        return self.link_texts((at for at, address in fronts if is_home(address)), _MOST_HOME)

    @property
    def home_in_title(self) -> str:
        """What a link to the front page says that the document's title begins or ends with."""
        title = words_of(self._page.title)
        for name in self.home_names if len(title) > 1 else ():
            words = words_of(name)
            is_part = 0 < len(words) < len(title) and words[0] not in _SECTIONS
            if is_part and words in (title[: len(words)], title[-len(words) :]):
                return name
        return ""

    @cached_property
    def entities(self) -> list[Entity]:
        """What JSON-LD and microdata describe at their top level, in this order."""
        found = [entity for script in self._page.metas[1] for entity in read_json_ld(script)]
        found += read_microdata(self._page.declarations[0])
        return found

    @cached_property
    def headings(self) -> list[Heading]:
        return _headings(self._page)

    @cached_property
    def _base(self) -> str:
        return self._page.base_url

    def address(self, value: str) -> str:
        """Return an absolute address; an empty one for what is no web address."""
        address = web_address(self._base, value) if value.strip() else ""
        return address if len(address) < 3000 else ""

    @cached_property
    def by_id(self) -> Mapping[str, Entity]:
        return {each.id: each for each in self.entities if each.id and each.properties}

    def of(self, entity: Entity, *names: str) -> Iterator[Any]:
        """Yield the values of a property, references followed, each thing once."""
        seen = set()
        for value in entity.all(*names):
            found = resolve(value, self.by_id)
            if id(found) not in seen:
                seen.add(id(found))
                yield found

    def inside(self, entity: Entity, *names: str) -> Iterator[Entity]:
        return (value for value in self.of(entity, *names) if isinstance(value, Entity))

    @cached_property
    def title_words(self) -> frozenset[str]:
        """Words of the document's title, of that for sharing, and of the heading."""
        first = next((each.text for each in self.headings if each.tag == "h1"), "")
        texts = (self._page.title, self.meta("og:title"), first)
        return frozenset(word for text in texts for word in words_of(text))

    @cached_property
    def places(self) -> frozenset[str]:
        """The addresses that the page has or wants to be known by, as :func:`_place` has them."""
        known = {self.url, self.linked("canonical"), self.meta("og:url")} - {""}
        return frozenset(map(self.place, known))

    def place(self, value: str) -> str:
        known = self._places.get(value)
        if known is None:
            known = self._places[value] = _place(self.address(value))
        return known

    @cached_property
    def subject(self) -> Subject:
        return _find_subject(self)

    @cached_property
    def site_names(self) -> list[str]:
        """Names of the site, the most trustworthy first."""
        names = [self.meta("og:site_name")]
        own = [site for site in self.subject.sites if "WebSite" in site.types]
        names += [site.text("name") for site in own]
        for entity in self.subject.entities:
            publishers = self.inside(entity, "publisher", "isPartOf")
            names += [publisher.text("name") for publisher in publishers]
        names += [site.text("name") for site in self.subject.sites if site not in own]
        names += [self.meta("application-name"), self.meta("apple-mobile-web-app-title")]
        return [html.unescape(name) for name in names if name]


def read_declared(page: Page) -> Declared:
    known: Declared | None = page.notebook.get(__name__)
    if known is None:  # a page must not hold itself
        own: Any = page if type(page) in ProxyTypes else proxy(page)
        known = page.notebook[__name__] = Declared(own)
    return known


def _headings(page: Page) -> list[Heading]:
    flags = page.has_tag(("h1", "h2", "h3")) & (page.last_text > page.first_text)
    if "nav" in page.tag_names:  # where headings say what the menus are, or whose the site is
        outside = flags & (page.count_above(page.has_tag(("nav",))) == 0)
        flags = outside if outside.any() else flags
    elements = flags.nonzero()[0][:MOST_HEADINGS]
    tags = [page.names[tag] for tag in page.tag[elements].tolist()]
    spans = np.array([page.first_text[elements], page.last_text[elements]]).T
    rows = zip(tags, *spans.T.tolist(), page.lay_out_all(spans), strict=True)
    return [Heading(*row) for row in rows]


MOST_HEADINGS = 100

_HOLE = re.compile(r"\{\{.*\}\}|\{%.*%\}|\$\{.*\}|<%.*%>|\A[%\[{]{1,2}[\w.-]+[%\]}]{1,2}\Z")
"""What a template that nobody filled leaves."""
_LONGEST_HOLE = 100


def _content(content: str) -> str:
    content = " ".join(html.unescape(content).split())
    has_sign = "{" in content or "%" in content or "[" in content
    is_hole = has_sign and len(content) < _LONGEST_HOLE and _HOLE.search(content)
    return "" if is_hole else content


# -- the subject ---------------------------------------------------------------------------------

_WORD = re.compile(r"\w+")
_MOST_COMPARED = 400  # characters of a text that is compared by its words


@remember(1 << 20, answer=500)
def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text in lower case: what tells titles apart."""
    text = text[:_MOST_COMPARED]
    if text.isascii():
        return tuple(_WORD.findall(text.lower()))
    return tuple(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


Group: TypeAlias = Literal["article", "thread", "product", "thing", "part", "page", "site", "other"]
"""What kind of thing an entity is; a part is mostly one that a page of something else embeds."""

_GROUPS: dict[str, Group] = {
    **dict.fromkeys("DiscussionForumPosting Question QAPage Conversation".split(), "thread"),
    **dict.fromkeys("Product ProductGroup IndividualProduct ProductModel".split(), "product"),
    **dict.fromkeys(
        "Recipe HowTo Event Course JobPosting SoftwareApplication LocalBusiness Service "
        "CreativeWork Dataset".split(),
        "thing",
    ),
    **dict.fromkeys(
        "VideoObject AudioObject Clip PodcastEpisode MusicRecording Movie Book Review "
        "SocialMediaPosting".split(),
        "part",
    ),
    **dict.fromkeys("WebSite Organization NewsMediaOrganization Corporation".split(), "site"),
    **dict.fromkeys("Blog CollectionPage".split(), "page"),
    "Report": "article",
    "CreativeWorkSeries": "other",
}
_ORDER: dict[Group, int] = {"article": 0, "thread": 1, "product": 2, "thing": 3, "part": 4}


@dataclass(frozen=True)
class Subject:
    main: Entity | None  # the article, thread, product or other thing that the page is there for
    group: Group
    page: Entity | None  # the page itself
    sites: tuple[Entity, ...]  # the site, and who runs it

    @cached_property
    def entities(self) -> tuple[Entity, ...]:
        """What describes the page, the subject first."""
        return tuple(each for each in (self.main, self.page) if each is not None)

    @property
    def dated(self) -> tuple[Entity, ...]:
        """What is published and written as the page is: not a film that it shows."""
        return self.entities[1:] if self.group == "part" else self.entities


def group_of(entity: Entity) -> Group:
    for name in entity.types:
        if name in _GROUPS:
            return _GROUPS[name]
        if name.endswith(("Article", "Posting")):
            return "article"
        if name.endswith("Page"):
            return "page"
    return "other"


def _find_subject(declared: Declared) -> Subject:
    # Else it is the first article, product or thing: never a part, and none of many articles.
    found: dict[Group, list[Entity]] = {}
    for entity in _candidates(declared):
        found.setdefault(group_of(entity), []).append(entity)
    groups = [group for group in _ORDER if group in found]
    claims = [each for group in groups for each in _claims(declared, group, found[group])]
    unsure = sum(not each.is_sure for each in claims if each.group == "article")
    if unsure >= _MANY:
        claims = [each for each in claims if each.is_sure]
    best = max(claims, key=lambda each: each.rank, default=None)
    pages = _claims(declared, "page", found.get("page", ()))
    page = max(pages, key=lambda each: each.is_here, default=None)
    return Subject(
        best.entity if best else None,
        best.group if best else "other",
        page.entity if page else None,
        tuple(found.get("site", ())),
    )


def _candidates(declared: Declared) -> list[Entity]:
    found: dict[int, Entity] = {}
    for entity in declared.entities:
        found.setdefault(id(entity), entity)
        for name in ("mainEntity", "mainEntityOfPage"):
            inner = declared.inside(entity, name) if name in entity.properties else ()
            found.update((id(each), each) for each in inner if each.properties)
    return list(found.values())


_MANY = 3  # articles from which on those that do not say to be the page are teasers of a list
_HALF = 0.5  # share of a headline's words in the title from which on the two are the same


class _Claim(NamedTuple):
    rank: tuple[float, ...]
    is_sure: bool  # it says that it is the page, or its headline is the title
    is_here: bool  # its address is that of the page
    group: Group
    entity: Entity


def _claims(declared: Declared, group: Group, entities: Iterable[Entity]) -> Iterator[_Claim]:
    """Yield those entities of a group that may be the subject."""
    is_part = group == "part"
    for entity in entities:
        words = frozenset(words_of(html.unescape(entity.text("headline", "name"))))
        shared = len(words & declared.title_words) / len(words) if words else 0.0
        here = _is_here(declared, entity)
        is_sure = shared > _HALF or (here is True and not is_part)
        if is_sure or (here is not False and not is_part):
            is_json = entity.source == "json-ld"
            rank = (is_sure, -_ORDER.get(group, 0), is_json, here is True, shared)
            yield _Claim(rank, is_sure, here is True, group, entity)


def _is_here(declared: Declared, entity: Entity) -> bool | None:
    """Return whether an entity gives the address of the page; ``None`` if it gives none."""
    values = [*entity.all("mainEntityOfPage")[:3], *entity.all("url")[:3]]
    texts = [entity.id, *(each.id if isinstance(each, Entity) else each for each in values)]
    said = {each for each in texts if isinstance(each, str) and "#" not in each and each.strip()}
    found = {*map(declared.place, said)} - {""}
    return bool(found & declared.places) if found and declared.places else None


def _place(address: str) -> str:
    """Return an address without what differs between two of one page."""
    parts = parts_of(address)
    query = f"?{parts.query}" if parts.query else ""
    host = (parts.hostname or "").removeprefix("www.")
    return f"{host}{unquote(parts.path).rstrip('/')}{query}"


def _is_front(parts: SplitResult) -> bool:
    return parts.path in ("", "/") and not parts.query


# -- values that are only looked up ----------------------------------------------------------------

MOST_TAGS = 100
_SECTIONS = frozenset("home blog blogs forum forums news".split())  # names that are no site's
_MOST_HOME = 5  # links to the front page that are read
MOST_CRUMBS = 20
LONGEST_DESCRIPTION = 5000  # characters of a description
MOST_CODE = 100  # characters of the availability of a product

_NUMBER = re.compile(r"\d[\d.,]{0,20}")

Found: TypeAlias = "Iterator[tuple[str, Any]]"
"""Sources and values, the most trustworthy first; some may be empty."""
Reader: TypeAlias = "Callable[[Declared], Found]"


def declared_value(declared: Declared, name: str) -> tuple[Any, str]:
    found = ((value, source) for source, value in READERS[name](declared) if value)
    return next(found, (() if name in _LISTS else "", ""))


def _holders(declared: Declared, kind: str) -> Iterator[tuple[str, Entity]]:
    """Yield the entities of a *kind* of place, each with its source."""
    subject = declared.subject
    if not kind:
        yield from ((entity.source, entity) for entity in subject.entities)
    elif subject.main is not None and subject.group == "product":
        source = subject.main.source
        if kind == "product":
            yield source, subject.main
            return
        variants = declared.inside(subject.main, "hasVariant")
        sold = subject.main, *(each for each in variants if _is_here(declared, each) is not False)
        offers = {id(each): each for some in sold for each in declared.inside(some, "offers")}
        for offer in list(offers.values()):
            for name in ("offers", "priceSpecification"):
                offers.update((id(each), each) for each in declared.inside(offer, name))
        yield from ((source, each) for each in offers.values())


def _at(declared: Declared, place: str) -> Iterable[tuple[str, Sequence[str]]]:
    """Return what stands at a place of READERS, with its source."""
    kind, is_property, path = place.partition("@")
    if not is_property:
        link = declared.linked(place)
        contents = [declared.address(link)] if link else declared.contents(place)
        return [(place, contents)] if contents else ()
    name, _, inside = path.partition(">")
    return [
        (source, [text for each in declared.of(entity, name) for text in _said(each, inside)])
        for source, entity in _holders(declared, kind)
        if name in entity.properties
    ]


def _said(value: Any, inside: str) -> Iterator[str]:
    """Yield what a value says; of an entity the first of the properties *inside*, or its name."""
    if inside and isinstance(value, Entity):
        own_id = value.id if inside.endswith("id") else ""
        yield html.unescape(value.text(*inside.split(",")) or own_id)
    else:
        yield from map(html.unescape, strings(value))


def _first(shape: Callable[[Declared, str], str], places: str) -> Reader:
    """Return a reader of the first text at the *places* of which *shape* leaves something."""
    known = [(place, place.partition("@")[0] if "@" in place else None) for place in places.split()]

    def read(declared: Declared) -> Found:
        for place, kind in known:
            if declared.has(place) if kind is None else declared.describes(kind):
                for source, texts in _at(declared, place):
                    for text in texts:
                        yield source, shape(declared, text)

    return read


def _as_it_is(declared: Declared, text: str) -> str:
    return text[:LONGEST_DESCRIPTION]


def _number(declared: Declared, text: str) -> str:
    number = _NUMBER.search(text)
    return number[0] if number else ""


def _code(declared: Declared, text: str) -> str:
    return text.rstrip("/").rpartition("/")[2][:MOST_CODE]


_OF_TAGS = re.compile(r"[,;，、；]")


def _tags(declared: Declared) -> Found:
    for place in "article:tag @keywords keywords news_keywords parsely-tags sailthru.tags".split():
        for source, texts in _at(declared, place):
            if "@" not in place and place != "article:tag":
                texts = texts[:1]  # a second list is that of the site
            parts = (part.strip() for text in texts for part in _OF_TAGS.split(text))
            tags = without_repeats(part for part in parts if len(part) < 100)
            yield source, tuple(tags)[:MOST_TAGS]
    yield "rel=tag", tuple(without_repeats(declared.tag_links))


def _site_name(declared: Declared) -> Found:
    names = declared.site_names
    declares = declared.meta("og:site_name")
    yield ("og:site_name" if declares else "structured data"), names[0] if names else ""
    if not names:
        yield "link to home", declared.home_in_title


_SCHEME = re.compile(r"\A[a-z][a-z\d+.-]*:(?!\s)", re.IGNORECASE)


def _license(declared: Declared, text: str) -> str:
    """Return the address or the name of a licence; empty for an address that is not of the web."""
    text = _as_it_is(declared, written(text))
    return declared.address(text) if _SCHEME.match(text) else text


def _page_type(declared: Declared) -> Found:
    yield from ((entity.source, entity.types[0]) for entity in declared.subject.entities)
    yield "og:type", declared.meta("og:type")


def _breadcrumbs(declared: Declared) -> Found:
    lists = [each for each in declared.entities if "BreadcrumbList" in each.types]
    for entity in declared.subject.entities:
        lists += declared.inside(entity, "breadcrumb")
    for each in lists:
        yield each.source, _names_on_the_way(declared, each)


def _names_on_the_way(declared: Declared, crumbs: Entity) -> tuple[str, ...]:
    named = []
    for number, element in enumerate(declared.of(crumbs, "itemListElement")):
        if isinstance(element, Entity):
            inner = next(declared.inside(element, "item"), None)
            name = element.text("name") or (inner.text("name") if inner else "")
            position = element.text("position")
            named.append((int(position) if position.isdecimal() else number, name))
    named.sort(key=lambda each: each[0])
    return tuple(html.unescape(name) for _, name in named if name)[:MOST_CRUMBS]


READERS: dict[str, Reader] = {
    "description": _first(
        _as_it_is,
        "description og:description @description @abstract twitter:description dc.description "
        "dcterms.description",
    ),
    "canonical_url": _first(Declared.address, "canonical og:url"),
    "site_name": _site_name,
    "image": _first(
        Declared.address,
        "og:image:secure_url og:image og:image:url @image>url,contentUrl,id "
        "@primaryImageOfPage>url,contentUrl,id @thumbnailUrl twitter:image twitter:image:src "
        "thumbnail image parsely-image-url image_src",
    ),
    "tags": _tags,
    "section": _first(
        _as_it_is,
        "@articleSection article:section section parsely-section category @category @genre",
    ),
    "breadcrumbs": _breadcrumbs,
    "page_type": _page_type,
    "license": _first(
        _license,
        "@license>url,name,id rel=license dc.rights dcterms.license dcterms.rights copyright",
    ),
    "price": _first(_number, "offer@price offer@lowPrice product:price:amount og:price:amount"),
    "currency": _first(_as_it_is, "offer@priceCurrency product:price:currency og:price:currency"),
    "availability": _first(_code, "offer@availability product:availability og:availability"),
    "sku": _first(_as_it_is, "product@sku product:retailer_item_id"),
    "brand": _first(_as_it_is, "product@brand product:brand og:brand"),
    "rating": _first(_as_it_is, "product@aggregateRating>ratingValue"),
}
"""What is read for each value. A place is the name of a ``meta`` element, one of :data:`_LINKED`,
or ``@`` and the name of a property of the subject, of the product or of its offers; after ``>``
stand the properties to read if its value is an entity."""
_LISTS = ("tags", "breadcrumbs")
