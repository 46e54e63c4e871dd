"""Which images are copies of others, and where the page's own stand."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import unquote

import numpy as np

from scrapy_boilerplate.core.answer.document._images_native import FORMAT
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Bool
from scrapy_boilerplate.core.page.characters import readable

_SIZED = re.compile(  # begins with signs by which a search is fast
    rf"[-_.@](?:(?<=[.]){FORMAT[2:]}(?:{FORMAT}){{0,2}}\Z|(?<=@)\dx(?=[.]|\Z)|"
    r"(?<=[-_])(?:\d{2,4}x\d{2,4}|scaled|thumb|thumbnail|small|medium|large)(?=[.]|\Z))",
    re.IGNORECASE,
)
_WIDTH_BEFORE = re.compile(r"\d+px-", re.IGNORECASE)
_SIZE_QUERY = re.compile(
    r"(?:^|&)(?:w|h|q|s|dpr|width|height|quality|size|resize|fit|crop|auto|fm|format|ssl)=[^&]*"
)
_WIDTH = re.compile(r"[-_/](\d{2,4})x\d{2,4}|[?&]w(?:idth)?=(\d{2,4})|/(\d{2,4})(?=px-|/)")
_EMOJI = re.compile(r"(?:^|[\s_-])(?:emoji|emoticon|smil(?:ey|ie)s?)(?:$|[\s_-])")
_SHORTEST_NAME = 6
"""Characters from which on the name of a file tells a picture, whatever its folder."""


def emoji_of(said: Mapping[str, str]) -> str | None:
    """Return the character that an image stands for, ``None`` if it is no emoji.

    One whose text is a name, such as ``:wink:``, is of no character.
    """
    name = said.get("class", "")[:300].lower()
    if not ("emo" in name or "smil" in name) or not _EMOJI.search(name):  # as of most
        return None
    sign = "".join(readable(said.get("alt", "")[:20]).split())
    return "" if any(map(str.isalnum, sign)) else sign


def name_of(address: str) -> str:
    """Return what the addresses of one picture in several sizes have in common."""
    path, _, query = address[:2000].partition("?")
    file = unquote(path.rpartition("/")[2])
    file = _without_size(sized) if (sized := _without_size(file)) != file else file
    is_name = len(file) >= _SHORTEST_NAME and not file.isdecimal()
    query = query and _SIZE_QUERY.sub("", query).lstrip("&")
    return f"{file if is_name else path}?{query}"


def _without_size(file: str) -> str:
    before = _WIDTH_BEFORE.match(file)
    return _SIZED.sub("", file[before.end() :] if before else file)


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
    begins[page.block_starts] = True
    kept, blocks = page.sum_inside(page.visible * keep), page.sum_inside(begins & keep)
    smallest = np.flatnonzero((kept >= _MOST_OF_TEXT * kept[0]) & (blocks >= 2))
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
