"""Images and embedded media: which are content, and their best addresses."""

from __future__ import annotations

import re
from itertools import islice

from lxml import etree

from scrapy_boilerplate.core.page.lenient import attribute_of

_LAZY = ("data-full-src", "data-orig-file", "data-original", "data-lazy-src", "data-src")
"""Where scripts find the address for ``src``, which holds a smaller image or none until then."""
_SETS = ("srcset", "data-srcset", "data-lazy-srcset")
_LONGEST_SET = 40_000
_TINY = frozenset(("0", "1", "2", "0px", "1px", "2px"))
_NO_PICTURE = re.compile(
    r"(?:^|/)(?:spacer|blank|pixel|clear|transparent|1x1)\.(?:gif|png)(?:\?|$)|//[^/]{0,80}/avatar/",
    re.IGNORECASE,
)
_IS_ADDRESS = re.compile(r"[./]")
_IS_PICTURE = re.compile(
    r"[^\s{}<>]{1,1000}\.(?:avif|gif|jpe?g|png|svg|webp)(?:[?#]\S{0,1000})?\Z", re.IGNORECASE
)
_AVATAR = re.compile(r"(?:^|[\s_-])(?:avatar|gravatar)(?:$|[\s_-])", re.IGNORECASE)
_MEDIA = {"video": "Video", "audio": "Audio"}
_KINDS = {  # by words of the address; the first one counts
    "Map": re.compile(r"[/.]maps?[/.?]|/export/embed", re.IGNORECASE),
    "Code": re.compile(
        r"codepen|fiddle|sandbox|stackblitz|repl\.it|replit|playground", re.IGNORECASE
    ),
    "Audio": re.compile(r"audio|track|podcast|sound|music", re.IGNORECASE),
    "Video": re.compile(r"embed|player|video|/v/|watch", re.IGNORECASE),
}
_POST = re.compile(
    r"(?:^|[\s_-])(?:tweet|toot)(?=$|[\s_-])|(?:^|\s)[a-z]+-(?:embed|media|post)(?=$|\s)",
    re.IGNORECASE,
)

_MOST_OF_POST, _MOST_BELOW = 200, 10
"""Nodes of an embedded post that are looked at, and elements below what it says."""

EMBEDDING = frozenset("iframe video audio".split())
"""Elements that embed media of others."""
holds_embeds = etree.XPath("boolean(descendant::iframe | descendant::video | descendant::audio)")
"""Tells of a page whether it embeds anything."""


def image_source(image: etree._Element) -> str:
    """Return the address of an image; the largest of several, also where a script would set it.

    Tracking pixels, spacers and avatars are no images: of these it is empty.

    >>> image_source(etree.fromstring('<img src="a.gif" data-srcset="b.jpg 300w, c.jpg 900w"/>'))
    'c.jpg'
    >>> image_source(etree.fromstring('<img src="/blank.gif" data-zoom="/big.jpg"/>'))
    '/big.jpg'
    >>> image_source(etree.fromstring('<img src="/count?page=1" width="1" height="1"/>'))
    ''
    """
    if image.get("width") in _TINY or image.get("height") in _TINY:
        return ""
    if _AVATAR.search((image.get("class") or "")[:300]):
        return ""
    sets = [image.get(name) for name in _SETS]
    above = image.getparent()
    while above is not None and above.tag in ("source", "picture"):  # libxml2 nests sources
        sets += [above.get(name) for name in _SETS[:2]]
        if above.tag == "picture":
            sets += [source.get(name) for source in above.iter("source") for name in _SETS[:2]]
        above = above.getparent()
    found = _largest([each for each in sets if each])
    lazy = (image.get(name) or "" for name in _LAZY)
    others = (attribute_of(image, name) or "" for name in image.attrib if name[:5] == "data-")
    sources = [*filter(_IS_ADDRESS.search, lazy), image.get("src") or ""]
    sources = [found] if found else [*sources, *filter(_IS_PICTURE.match, others)]
    pictures = (src for src in sources if src[:5] != "data:" and not _NO_PICTURE.search(src[:2000]))
    return next(filter(None, pictures), "")


def _largest(sets: list[str]) -> str:
    """Return the address of the largest image in ``srcset`` attributes; empty without any."""
    best, size = "", -1.0
    for each in sets:
        tokens = each[:_LONGEST_SET].split()
        number = 0
        while number < len(tokens):
            address = tokens[number].strip(",")
            descriptor = ""
            if not tokens[number].endswith(",") and number + 1 < len(tokens):
                number += 1
                descriptor = tokens[number].strip(",")
            number += 1
            is_real = address and not address.startswith("data:")
            if is_real and _size(descriptor) > size:
                best, size = address, _size(descriptor)
    return best


def _size(descriptor: str) -> float:
    """Return the width or density in a descriptor, comparable: ``2x`` is two hundred wide."""
    number, unit = descriptor[:-1][:8], descriptor[-1:]
    if not number.replace(".", "", 1).isdecimal() or not number.isascii() or unit not in "wx":
        return 0.0
    return float(number) * (100 if unit == "x" else 1)


def embedded(node: etree._Element) -> tuple[str, str]:
    """Return what an element embeds and its address; empty texts for what is no media.

    >>> embedded(etree.fromstring('<iframe src="https://v.example/embed/1" title="How it works"/>'))
    ('Video: How it works', 'https://v.example/embed/1')
    >>> embedded(etree.fromstring('<iframe src="https://ads.example/frame?1"/>'))
    ('', '')
    """
    sources = [node.get("src"), node.get("data-src"), *(n.get("src") for n in node.iter("source"))]
    address = next((src for src in sources if src and not src.startswith(("about:", "data:"))), "")
    title = " ".join((node.get("title") or node.get("aria-label") or "")[:200].split())
    kind = _MEDIA.get(node.tag, "")
    if not kind and node.get("width") not in _TINY:
        kinds = (name for name, words in _KINDS.items() if words.search(address[:2000]))
        kind = next(kinds, "")
    if not kind or not address:
        return "", ""
    return f"{kind}: {title}" if title else kind, address


def embedded_post(quote: etree._Element) -> tuple[str, str]:
    """Return who wrote the post that a ``blockquote`` embeds, and when, and its address.

    Empty texts for any other quotation.

    >>> quote = "<blockquote class='twitter-tweet'><p>So it began.</p>Ada <a href='/1'>May 1</a>"
    >>> embedded_post(etree.fromstring(f"{quote}</blockquote>"))
    ('Post: Ada May 1', '/1')
    """
    if not _POST.search((quote.get("class") or "")[:300]):
        return "", ""
    links = [n for n in islice(quote.iter(), _MOST_OF_POST) if n.tag == "a" and n.get("href")]
    if not links:
        return "", ""
    below: list[str] = []
    for child in islice(reversed(quote), _MOST_BELOW):
        below.insert(0, child.tail or "")
        if child.tag in ("p", "div"):
            break
        below.insert(0, _said(child))
    said = " ".join("".join(below).split()) or " ".join(_said(links[-1]).split())
    return f"Post: {said.strip('—–- ')[:200]}", links[-1].get("href") or ""


def _said(node: etree._Element) -> str:
    return "".join(islice(node.itertext(), _MOST_OF_POST))
