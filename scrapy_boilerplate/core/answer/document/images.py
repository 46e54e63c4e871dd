"""Images: which are content, which of several copies counts, and the best address of each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from operator import attrgetter
from typing import NamedTuple
from urllib.parse import unquote

import numpy as np
from lxml import etree

from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page.arrays import Bool
from scrapy_boilerplate.core.page.lenient import attributes_of

IMAGES = ("img", "amp-img", "amp-anim")
"""Elements that show an image."""

_LAZY = (
    *("data-full-src", "data-orig-file", "data-original", "data-lazy-src", "data-src"),
    *("data-lazy", "data-lazyload", "data-echo", "data-hi-res-src"),
)
"""Where scripts find the address for ``src``, which holds a smaller image or none until then."""
_SETS = ("srcset", "data-srcset", "data-lazy-srcset")
_LONGEST_SET, _MOST_SOURCES, _MOST_IN_PICTURE = 40_000, 32, 256
TINY = frozenset(("0", "1", "2", "0px", "1px", "2px"))
_LARGEST_ICON = 32  # pixels
_FORMAT = r"\.(?:avif|gif|jpe?g|png|svg|webp)"
_NO_PICTURE = re.compile(
    r"(?:^|/)(?:(?:lazy|img|image|gr[ae]y|white|default)[_-])?"
    r"(?:spacer|blank|pixel|clear|transparent|trans|empty|dummy|1x1|gr[ae]y|white|"
    rf"lazy(?:[_-]?load(?:ing|er)?)?|(?:pre)?load(?:ing|er)?|place-?holder){_FORMAT}(?:\?|$)|"
    r"//[^/]{0,80}/avatar/",
    re.IGNORECASE,
)
_IS_ADDRESS = re.compile(r"[./]")
_IS_PICTURE = re.compile(rf"[^\s{{}}<>]{{1,1000}}{_FORMAT}(?:[?#]\S{{0,1000}})?\Z", re.IGNORECASE)
_AVATAR = re.compile(r"(?:^|[\s_-])(?:avatar|gravatar)(?:$|[\s_-])", re.IGNORECASE)
_LOADED_LATER = re.compile(r"lazy|lozad|unveil", re.IGNORECASE)

_LEVELS, _SIBLINGS, _MOST_IN_FALLBACK = 4, 4, 20
"""What is looked at to find the ``noscript`` beside a preview, and the picture in it."""

_SIZED = re.compile(
    rf"(?:{_FORMAT}){{1,3}}\Z|[-_]\d{{2,4}}x\d{{2,4}}(?=[.]|\Z)|@\dx(?=[.]|\Z)|\A\d+px-|"
    r"[-_](?:scaled|thumb|thumbnail|small|medium|large)(?=[.]|\Z)",
    re.IGNORECASE,
)
_SIZE_QUERY = re.compile(
    r"(?:^|&)(?:w|h|q|s|dpr|width|height|quality|size|resize|fit|crop|auto|fm|format|ssl)=[^&]*"
)
_WIDTH = re.compile(r"[-_/](\d{2,4})x\d{2,4}|[?&]w(?:idth)?=(\d{2,4})|/(\d{2,4})(?=px-|/)")
_SHORTEST_NAME = 6
"""Characters from which on the name of a file tells a picture, whatever its folder."""


class Picture(NamedTuple):
    """An image that is content."""

    address: str
    alternative: str


class _Candidate(NamedTuple):
    """The best image of a set, and its width, comparable; 0 where the set does not say it."""

    size: float = -1.0
    address: str = ""
    is_lazy: bool = False


class Images:
    """Reads the images of a page, in their order.

    >>> Images().source(etree.fromstring('<img src="a.gif" srcset="b.jpg 300w, c.jpg 900w"/>'))
    'c.jpg'
    >>> Images().source(etree.fromstring('<img src="/blank.gif" data-zoom="/big.jpg"/>'))
    '/big.jpg'
    >>> Images().source(etree.fromstring('<img src="/count?page=1" width="1" height="1"/>'))
    ''
    """

    def __init__(self, *, has_fallbacks: bool = True) -> None:
        self._has_fallbacks = has_fallbacks  # whether a ``noscript`` may hold pictures
        self._read: set[etree._Element] = set()  # pictures that were read in place of previews
        self._in_pictures: dict[etree._Element, _Candidate] = {}

    def read(self, image: etree._Element) -> Picture | None:
        """Return what an image shows; ``None`` where it is no content or was read before.

        A preview shows the picture in the ``noscript`` beside it.
        """
        picture = None
        if self._has_fallbacks:
            if image in self._read or not _stands_alone(image):
                return None
            picture = _picture_beside(image)
        source = "" if picture is None else self.source(picture)
        if picture is None or not source:
            picture, source = image, self.source(image)
        elif picture in self._read:
            return None
        self._read.add(picture)
        said = picture.get("alt") or image.get("alt") or ""
        return Picture(source, said) if source else None

    def source(self, image: etree._Element) -> str:
        """Return the address of an image: the largest, also where a script would set it.

        Tracking pixels, spacers and avatars are no images: of these it is empty.
        """
        said = attributes_of(image)
        if said.get("width") in TINY or said.get("height") in TINY:
            return ""
        name = said.get("class", "")[:300]
        if _AVATAR.search(name):
            return ""
        found = _largest([said], _SETS)
        above = image.getparent()
        for _ in range(_MOST_SOURCES):  # libxml2 nests sources
            if above is None or above.tag not in ("source", "picture"):
                break
            found = max(found, self._in_picture(above), key=attrgetter("size"))
            above = above.getparent()
        later = [
            each for key, each in said.items() if key[:5] == "data-" and _IS_PICTURE.match(each)
        ]
        shown = [said.get("src", "")]
        sources = [
            *([found.address] if found.size > 0 or found.is_lazy else []),
            *(said[key] for key in _LAZY if key in said and _IS_ADDRESS.search(said[key])),
            *(later + shown if later and _LOADED_LATER.search(name) else shown + later),
            found.address,
        ]
        return next(filter(_is_picture, sources), "")

    def _in_picture(self, above: etree._Element) -> _Candidate:
        """Return the largest image of a ``picture`` or ``source``, which is read once."""
        if above not in self._in_pictures:
            inside = [above]
            if above.tag == "picture":
                inside += [n for n in islice(above.iter(), _MOST_IN_PICTURE) if n.tag == "source"]
            self._in_pictures[above] = _largest(map(attributes_of, inside), _SETS[:2])
        return self._in_pictures[above]


def _is_picture(address: str) -> bool:
    """Return whether an address may be that of an image, and not of what stands in its place."""
    return (
        bool(address)
        and address[:5] not in ("data:", "blob:")
        and not (_NO_PICTURE.search(address[:2000]))
    )


def _largest(elements: Iterable[Mapping[str, str]], names: Iterable[str]) -> _Candidate:
    """Return the largest image in ``srcset`` attributes of elements, whose attributes these are."""
    best = _Candidate()
    for said in elements:
        for name in filter(said.__contains__, names):
            tokens = said[name][:_LONGEST_SET].split()
            number = 0
            while number < len(tokens):
                address = tokens[number].strip(",")
                descriptor = ""
                if not tokens[number].endswith(",") and number + 1 < len(tokens):
                    number += 1
                    descriptor = tokens[number].strip(",")
                number += 1
                size = _size(descriptor)
                if size > best.size and _is_picture(address):
                    best = _Candidate(size, address, name != "srcset")
    return best


def _size(descriptor: str) -> float:
    """Return the width or density in a descriptor, comparable: ``2x`` is two hundred wide."""
    number, unit = descriptor[:-1][:8], descriptor[-1:]
    if not number.replace(".", "", 1).isdecimal() or not number.isascii() or unit not in "wx":
        return 0.0
    return float(number) * (100 if unit == "x" else 1)


# -- previews and copies -------------------------------------------------------------------------


def _picture_beside(image: etree._Element) -> etree._Element | None:
    """Return the picture in the ``noscript`` beside an image, which is then its preview."""
    inside = [child for child in islice(image, _SIBLINGS) if child.tag == "noscript"]
    if inside:
        return _picture_in(inside[0])
    node = image
    for _ in range(_LEVELS):
        for beside in (*_after(node), node.getprevious()):
            if beside is not None and beside.tag == "noscript":
                picture = _picture_in(beside)
                return picture if picture is not image else None
        above = node.getparent()
        if above is None or above.tag == "noscript" or not _holds_only(above, node):
            return None
        node = above
    return None


def _after(node: etree._Element) -> Iterable[etree._Element]:
    """Yield what stands right after an element; up to the next image or text."""
    for _ in range(_SIBLINGS):
        if (node.tail or "").strip():
            return
        beside = node.getnext()
        if beside is None:
            return
        yield beside
        if beside.tag in IMAGES or (beside.text or "").strip():
            return
        node = beside


def _holds_only(above: etree._Element, node: etree._Element) -> bool:
    """Return whether an element holds another one, and no text beside it."""
    children = [*islice(above, _SIBLINGS + 1)]  # counting all of them takes time
    texts = (above.text, *(child.tail for child in children))
    return len(children) <= _SIBLINGS and not any((text or "").strip() for text in texts)


def _picture_in(noscript: etree._Element) -> etree._Element | None:
    inside = islice(noscript.iter(), _MOST_IN_FALLBACK)
    return next((each for each in inside if each.tag in IMAGES), None)


def _stands_alone(image: etree._Element) -> bool:
    """Return whether an image is no advertisement: one in ``noscript`` beside a script is."""
    above = [*islice(image.iterancestors(), _LEVELS)]
    noscript = next((each for each in above if each.tag == "noscript"), None)
    if noscript is None or any(each.tag == "figure" for each in above):
        return True
    before = noscript.getprevious()
    is_beside_script = before is not None and before.tag == "script"
    return not is_beside_script and bool(_IS_PICTURE.match(image.get("src") or ""))


def name_of(address: str) -> str:
    """Return what the addresses of one picture in several sizes have in common.

    >>> name_of("/a/harbour-300x200.jpg?w=300&v=2") == name_of("/b/harbour.jpg.webp?v=2")
    True
    """
    path, _, query = address[:2000].partition("?")
    file = _SIZED.sub("", _SIZED.sub("", unquote(path.rpartition("/")[2])))
    is_name = len(file) >= _SHORTEST_NAME and not file.isdecimal()
    return f"{file if is_name else path}?{_SIZE_QUERY.sub('', query).lstrip('&')}"


def width_in(address: str) -> int:
    """Return the width that an address names; a large number where it names none."""
    found = _WIDTH.search(address[:2000])
    return int(next(filter(None, found.groups()))) if found else 10_000


# -- where the text stands ------------------------------------------------------------------------

_MOST_OF_TEXT = 0.8
"""Share of the text that its container holds, at least."""


def container_of(page: Page, keep: Bool) -> range:
    """Return the elements of the smallest one that holds nearly all of the kept text, in two blocks
    or more, and of those around it that add no text up to ``main`` and ``article``.

    >>> page = Page.parse("<p>A logo<main><div><p>It rained.<p>All day.</div><img></main>")
    >>> [page.names[page.tag[n]] for n in container_of(page, np.array([False, True, True]))]
    ['main', 'div', 'p', 'p', 'img']
    """
    first, last = page.first_text, page.last_text
    begins = np.zeros_like(keep)
    begins[page.blocks[:, 0]] = True
    kept, blocks = cumulative(page.visible * keep), cumulative(begins & keep)
    holds = kept[last] - kept[first] >= _MOST_OF_TEXT * kept[-1]
    smallest = np.flatnonzero(holds & (blocks[last] - blocks[first] >= 2))
    container = int(smallest[-1]) if smallest.size else 0
    is_last = page.has_tag(("main", "article", "html"))
    while container > 0 and not is_last[container]:
        above = int(page.parent[container])
        adds = first[above] < first[container] or last[above] > last[container]
        if adds or page.names[page.tag[above]] == "body":
            break
        container = above
    return range(container, int(page.end[container]))


_DECLARED, _MOST_DECLARED = frozenset(("og:image", "twitter:image")), 10


def declared_images(page: Page) -> frozenset[str]:
    """Return the names of the images that a page declares as its own."""
    found = [content for *names, content in page.metas[0] if not _DECLARED.isdisjoint(names[:2])]
    found += [address for relation, address in page.links if relation == "image_src"]
    return frozenset(map(name_of, filter(None, found[:_MOST_DECLARED])))


# -- what stands around an image ------------------------------------------------------------------

_SHARES = re.compile(r"(?:^|[\s_-])(?:share|sharing|social|payments?)(?:$|[\s_-])", re.IGNORECASE)
_SHOWS_AGAIN = re.compile(r"(?:^|[\s_-])(?:lightbox|modal|overlay)(?:$|[\s_-])", re.IGNORECASE)
_BESIDE = frozenset("nav footer aside form".split())
_MOST_AROUND = 8


class Surroundings:
    """The elements around an image, up to the outermost one without text of the article."""

    def __init__(self, image: etree._Element, outermost: etree._Element) -> None:
        self._image = image
        self._around: list[etree._Element] = []
        while image is not outermost and len(self._around) < _MOST_AROUND:
            image = image.getparent()
            self._around.append(image)

    @property
    def link(self) -> etree._Element | None:
        """The link that the image stands in."""
        return next((each for each in self._around if each.tag == "a" and each.get("href")), None)

    @property
    def shares(self) -> bool:
        """Whether the image belongs to what shares or sells the page."""
        return _has_class(self._around, _SHARES)

    @property
    def shows_again(self) -> bool:
        """Whether the image opens above the page, where it is a copy of another one."""
        return _has_class(islice(self._image.iterancestors(), _LEVELS), _SHOWS_AGAIN)

    @property
    def stands_beside(self) -> bool:
        """Whether the image is no logo, icon or banner, where all of the text is behind it."""
        if any(each.tag in _BESIDE for each in self._around):
            return False
        sizes = ((self._image.get(name) or "").removesuffix("px") for name in ("width", "height"))
        if any(size.isdecimal() and int(size[:6]) <= _LARGEST_ICON for size in sizes):
            return False
        link = self.link
        return link is None or bool(_IS_PICTURE.match(link.get("href") or ""))


def _has_class(elements: Iterable[etree._Element], names: re.Pattern[str]) -> bool:
    shown = (each for each in elements if each.tag != "a")
    return any(names.search((each.get("class") or "")[:300]) for each in shown)
