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
from scrapy_boilerplate.core.page.characters import readable
from scrapy_boilerplate.core.page.lenient import attribute_of, attributes_of, tail_of, text_of

IMAGES = ("img", "amp-img", "amp-anim")
"""Elements that show an image."""

_LAZY = (
    *("data-full-src", "data-orig-file", "data-original", "data-lazy-src", "data-src"),
    *("data-lazy", "data-lazyload", "data-echo", "data-hi-res-src"),
)
"""Where scripts find the address for ``src``, which holds a smaller image or none until then."""
_SETS = ("srcset", "data-srcset", "data-lazy-srcset")
_LONGEST_SET = 40_000
TINY = frozenset(("0", "1", "2", "0px", "1px", "2px"))
_LARGEST_ICON = 32  # pixels
_FORMAT = r"\.(?:avif|gif|jpe?g|png|svg|webp)"
_SPACER = re.compile(  # begins with a letter by which a search is fast
    r"/(?:(?:lazy|img|image|gr[ae]y|white|default)[_-])?"
    r"(?:spacer|blank|pixel|clear|transparent|trans|empty|dummy|1x1|gr[ae]y|white|"
    rf"lazy(?:[_-]?load(?:ing|er)?)?|(?:pre)?load(?:ing|er)?|place-?holder){_FORMAT}(?:\?|$)",
    re.IGNORECASE,
)
_OF_AVATARS = re.compile("//[^/]{0,80}/avatar/", re.IGNORECASE)
_IS_ADDRESS = re.compile(r"[./]")
_IS_PICTURE = re.compile(rf"[^\s{{}}<>]{{1,1000}}{_FORMAT}(?:[?#]\S{{0,1000}})?\Z", re.IGNORECASE)
_AVATAR = re.compile(r"(?:^|[\s_-])(?:avatar|gravatar)(?:$|[\s_-])", re.IGNORECASE)
_EMOJI = re.compile(r"(?:^|[\s_-])(?:emoji|emoticon|smil(?:ey|ie)s?)(?:$|[\s_-])", re.IGNORECASE)
_LOADED_LATER = re.compile(r"lazy|lozad|unveil", re.IGNORECASE)

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

_CLASS = r"(?i)(?:^|[\s_-])(?:{})(?=$|[\s_-])"
_SHARING = re.compile(_CLASS.format("share|sharing|social|payments?"))
_SHOWING_AGAIN = re.compile(_CLASS.format("lightbox|modal|overlay"))
_BESIDE = frozenset("nav footer aside form".split())
_MOST_AROUND, _LEVELS, _SIBLINGS, _MOST_IN_FALLBACK = 8, 4, 4, 20
"""Elements around an image that say what it is; levels on which the ``noscript`` beside a preview
is looked for, elements on each of them, and elements in it."""
_MOST_SOURCES, _MOST_IN_PICTURE = 32, 256


class Seen:
    """An image in a tree; *outermost* is the last element around it without text of the article."""

    def __init__(self, node: etree._Element, outermost: etree._Element) -> None:
        self.node, self.said = node, attributes_of(node)
        self.around: list[etree._Element] = []  # the elements around it, up to the outermost
        while node is not outermost and len(self.around) < _MOST_AROUND:
            node = node.getparent()
            self.around.append(node)
        links = (n for n in self.around if n.tag == "a" and attribute_of(n, "href"))
        self.link = next(links, None)
        self.shares = any(_says(each, _SHARING) for each in self.around)

    @property
    def href(self) -> str:
        """The address of the link that it stands in."""
        return "" if self.link is None else attribute_of(self.link, "href") or ""

    @property
    def shows_again(self) -> bool:
        """Whether it opens above the page, where it is a copy of another one."""
        return any(_says(each, _SHOWING_AGAIN) for each in _above(self.node))

    @property
    def stands_alone(self) -> bool | None:
        """Whether it is no fallback, ``None`` if it is one; beside a script it advertises."""
        around = {each.tag: each for each in _above(self.node)}
        if "figure" in around or "noscript" not in around:
            return True
        return False if _is(around["noscript"].getprevious(), "script") else None


def _above(node: etree._Element) -> islice[etree._Element]:
    return islice(node.iterancestors(), _LEVELS)


def _says(node: etree._Element, words: re.Pattern[str]) -> bool:
    """Return whether the class of an element, but a link, says one of some words."""
    value = attribute_of(node, "class")
    return bool(value and node.tag != "a" and words.search(value[:300]))


def _is(node: etree._Element | None, name: str) -> bool:
    return node is not None and node.tag == name


def _is_blank(text: str | None) -> bool:
    return not text or text.isspace()


def _picture_beside(image: etree._Element) -> etree._Element | None:
    """Return the picture in the ``noscript`` beside an image, which is then its preview."""
    found = next((each for each in islice(image, _SIBLINGS) if each.tag == "noscript"), None)
    node = image
    for _ in range(_LEVELS):
        if found is None:
            found = _fallback_after(node)
        if found is None and _is(node.getprevious(), "noscript"):
            found = node.getprevious()
        if found is not None:
            inside = islice(found.iter(), _MOST_IN_FALLBACK)
            picture = next((each for each in inside if each.tag in IMAGES), None)
            return None if picture is image else picture
        parent = node.getparent()
        if parent is None or parent.tag == "noscript" or not _holds_only(parent):
            return None
        node = parent
    return None


def _fallback_after(node: etree._Element) -> etree._Element | None:
    """Return the ``noscript`` right after a node; none behind the next image or text."""
    after: etree._Element | None = node
    for _ in range(_SIBLINGS):
        if after is None or not _is_blank(tail_of(after)):
            return None
        after = after.getnext()
        if _is(after, "noscript"):
            return after
        if after is None or after.tag in IMAGES or not _is_blank(text_of(after)):
            return None
    return None


def _holds_only(node: etree._Element) -> bool:
    """Return whether an element holds few others, and no text beside them."""
    inside = [*islice(node, _SIBLINGS + 1)]
    few = len(inside) <= _SIBLINGS and _is_blank(text_of(node))
    return few and all(_is_blank(tail_of(each)) for each in inside)


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
    """Reads the images of a page, in their order."""

    def __init__(self, page: Page) -> None:
        self._has_fallbacks = page.may_have("fallback")
        self._read: set[etree._Element] = set()  # pictures that were read in place of previews
        self._in_pictures: dict[etree._Element, _Candidate] = {}

    def read(self, image: Seen) -> Picture | None:
        """Return what an image shows; ``None`` where it is no content or was read before."""
        alone = image.stands_alone if self._has_fallbacks else True
        if alone is None:
            alone = bool(_IS_PICTURE.match(image.said.get("src", "")))
        if image.node in self._read or not alone:
            return None
        picture = _picture_beside(image.node) if self._has_fallbacks else None
        said, source = image.said, ""
        if picture is not None:
            said = attributes_of(picture)
            source = self.source(picture, said)
        if picture is None or not source:
            picture, said, source = image.node, image.said, self.source(image.node, image.said)
        elif picture in self._read:
            return None
        self._read.add(picture)
        alternative = said.get("alt") or image.said.get("alt", "")
        return Picture(source, alternative) if source else None

    def source(self, node: etree._Element, said: Mapping[str, str]) -> str:
        """Return the address of an image: the largest, also where a script would set it."""
        name = said.get("class", "")[:300]
        if said.get("width") in TINY or said.get("height") in TINY or _AVATAR.search(name):
            return ""
        found, around = _largest(said, _SETS), node.getparent()
        for _ in range(_MOST_SOURCES):  # which libxml2 nests
            if around is None or around.tag not in ("source", "picture"):
                break
            found = max(found, self._in_picture(around), key=attrgetter("size"))
            around = around.getparent()
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

    def _in_picture(self, around: etree._Element) -> _Candidate:
        """Return the largest image of a ``picture`` or ``source``, which is read once."""
        if around not in self._in_pictures:
            inside = around.iter("source") if around.tag == "picture" else ()
            inside = islice(inside, _MOST_IN_PICTURE)
            sets = (_largest(attributes_of(each), _SETS[:2]) for each in (around, *inside))
            self._in_pictures[around] = max(sets, key=attrgetter("size"))
        return self._in_pictures[around]


def emoji_of(said: Mapping[str, str]) -> str | None:
    """Return the character that an image stands for, ``None`` if it is no emoji.

    One whose text is a name, such as ``:wink:``, is of no character.
    """
    if not _EMOJI.search(said.get("class", "")[:300]):
        return None
    sign = "".join(readable(said.get("alt", "")[:20]).split())
    return "" if any(map(str.isalnum, sign)) else sign


def _is_picture(address: str) -> bool:
    """Return whether an address may be that of an image, and not of what stands in its place."""
    if not address or address.startswith(("data:", "blob:")):
        return False
    address = address[:2000]
    return not (_SPACER.search(f"/{address}") or _OF_AVATARS.search(address))


def _largest(said: Mapping[str, str], names: Iterable[str]) -> _Candidate:
    """Return the largest image in the ``srcset`` attributes of an element."""
    best = _Candidate()
    for name in filter(said.__contains__, names):
        tokens = iter(said[name][:_LONGEST_SET].split())
        for token in tokens:
            descriptor = "" if token.endswith(",") else next(tokens, "")
            size = _size(descriptor.strip(","))
            if size > best.size and _is_picture(address := token.strip(",")):
                best = _Candidate(size, address, name != "srcset")
    return best


def _size(descriptor: str) -> float:
    """Return the width or density in a descriptor, comparable: ``2x`` is two hundred wide."""
    number, unit = descriptor[:-1][:8], descriptor[-1:]
    if not number.replace(".", "", 1).isdecimal() or not number.isascii() or unit not in "wx":
        return 0.0
    return float(number) * (100 if unit == "x" else 1)


# -- which are copies, which stand beside --------------------------------------------------------


def stands_beside(image: Seen) -> bool:
    """Return whether an image, behind which all of the text is, is a logo, an icon or a banner."""
    sizes = (image.said.get(name, "").removesuffix("px") for name in ("width", "height"))
    if any(each.tag in _BESIDE for each in image.around) or any(
        size.isdecimal() and int(size[:6]) <= _LARGEST_ICON for size in sizes
    ):
        return True
    return image.link is not None and not _IS_PICTURE.match(image.href)


def name_of(address: str) -> str:
    """Return what the addresses of one picture in several sizes have in common."""
    path, _, query = address[:2000].partition("?")
    file = _SIZED.sub("", _SIZED.sub("", unquote(path.rpartition("/")[2])))
    is_name = len(file) >= _SHORTEST_NAME and not file.isdecimal()
    return f"{file if is_name else path}?{_SIZE_QUERY.sub('', query).lstrip('&')}"


def width_in(address: str) -> int:
    """Return the width that an address names; a large number where it names none."""
    found = _WIDTH.search(address[:2000])
    return int(next(filter(None, found.groups()))) if found else 10_000


# -- where the text stands ------------------------------------------------------------------------

_MOST_OF_TEXT = 0.8  # share of the text that its container holds, at least


def container_of(page: Page, keep: Bool) -> range:
    """Return the elements of the smallest one that holds nearly all of the kept text in two blocks
    or more, and of those around it that add no text up to ``main`` and ``article``.
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
