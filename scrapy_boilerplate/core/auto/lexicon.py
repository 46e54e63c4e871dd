"""Words of ``class`` and ``id`` attributes, and how often content stands below them.

A lexicon gives each word the logarithm of the odds that a block is content: what it was on the
training pages, each domain counted once. Words that were seen on few domains are left out. Besides,
a few groups of words are looked for by hand: they mean one thing on an article and another one on
a forum, which an average over both does not tell.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.caching import Remembered

if TYPE_CHECKING:
    pass

__all__ = ["NAMED", "Lexicon", "Meaning", "attribute_words", "first_name"]

# Words of "post-body", "postBody", "PostBODY". The alternatives start with different characters or
# are told apart by the next one: no backtracking.
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")

NAMED = {
    # Groups of words of which an element above a block has one or not.
    "comment": "comment comments commentlist disqus respond reply replies",
    "review": "review reviews testimonial testimonials rating ratings feedback",
    "related": "related recommend recommended recommendations suggested similar upsell also "
    "trending popular more next latest recent",
    "share": "share sharing social follow",
    "side": "sidebar side widget widgets rail aside secondary complementary",
    "foot": "footer foot bottom copyright legal colophon disclaimer",
    "head": "header head top masthead banner hero topbar",
    "navigation": "nav navigation menu navbar submenu breadcrumb breadcrumbs crumbs pagination "
    "pager toc",
    "author": "author byline bio profile meta date published avatar user",
    "overlay": "modal popup overlay dialog cookie cookies consent gdpr drawer offcanvas tooltip",
    "hidden": "hidden hide visually sr screen invisible collapsed",
    "faq": "faq faqs accordion question questions answer answers",
    "form": "form newsletter subscribe signup login search",
    "advert": "ad ads advert advertisement sponsor sponsored promo promotion cta",
    "card": "card cards tile tiles grid carousel slider swiper slide teaser",
    "list": "list listing listings item items results archive feed",
    "product": "product products price cart buy shop shipping delivery variant sku",
    "description": "description desc summary details detail specs spec specification overview "
    "excerpt intro lead",
    "post": "post posts entry thread message messages topic",
    "article": "article content body text story prose richtext rte markdown wysiwyg",
    "tags": "tag tags category categories label labels",
    "picture": "image img caption figure gallery photo media video",
    "title": "title heading headline",
    "main": "main primary page",
}
_BITS: dict[str, int] = {}
for _bit, _names in enumerate(NAMED.values()):
    for _name in _names.split():
        _BITS[_name] = _BITS.get(_name, 0) | 1 << _bit

REMEMBERED = 1 << 24
"""Bytes that the strings whose meaning is remembered may take."""


def attribute_words(string: str) -> list[str]:
    """Return the words of an attribute, lower case.

    >>> attribute_words("post-body sideBar2")
    ['post', 'body', 'side', 'bar']
    """
    return [word.lower() for word in _WORD.findall(string) if len(word) > 1]


class Meaning(NamedTuple):
    """What the words of an attribute say."""

    least: float
    """The lowest value of a word, at most 0."""

    most: float
    """The highest value of a word, at least 0."""

    mean: float
    """Mean value of the words, unknown ones with 0; 0 without any."""

    named: int
    """The groups of :data:`NAMED` that have one of the words, a bit each."""

    first: int
    """A number for the first name, its digits dropped."""


class Lexicon:
    """Log-odds of content by word of an attribute.

    >>> Lexicon({"post": 1.0, "ad": -2.0}).meanings(["post ad", ""])[:3].tolist()
    [[-2.0, 0.0], [1.0, 0.0], [-0.5, 0.0]]
    """

    def __init__(self, values: Mapping[str, float]) -> None:
        self.values = values
        """Log-odds by word."""
        # As bytes, since many of them make an array faster than many tuples.
        self._remembered: Remembered[bytes] = Remembered(self._packed, REMEMBERED, answer=100)

    def meanings(self, strings: Sequence[str]) -> NDArray[np.float64]:
        """Return what attributes say: a row a field of :class:`Meaning`, a column a string."""
        # They are remembered; pages of one site have mostly the same ones.
        found: NDArray[np.float64] = np.frombuffer(b"".join(map(self._remembered, strings)))
        return np.ascontiguousarray(found.reshape(-1, len(Meaning._fields)).T)

    def _packed(self, string: str) -> bytes:
        return np.array(self._meaning(string), dtype=np.float64).tobytes()

    def _meaning(self, string: str) -> Meaning:
        words = attribute_words(string)
        values = [self.values.get(word, 0.0) for word in words]
        named = 0
        for word in words:
            named |= _BITS.get(word, 0)
        least, most = min(0.0, 0.0, *values), max(0.0, 0.0, *values)
        mean = sum(values) / max(len(values), 1)
        return Meaning(least, most, mean, named, _number(first_name(string)))


def first_name(string: str) -> str:
    """Return the first class of an attribute, its digits dropped.

    >>> first_name("post-12 wide")
    'post-'
    """
    name = (string.split(None, 1) or [""])[0]
    return name if name.isalpha() else name.translate(_NO_DIGITS)


_NO_DIGITS = dict.fromkeys(range(48, 58))


def _number(name: str) -> int:
    """Return a number that no other name has, in all probability."""
    return hash(name) & (1 << 48) - 1
