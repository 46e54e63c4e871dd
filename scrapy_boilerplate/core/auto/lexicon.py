"""Words of ``class`` and ``id`` attributes, and how often content stands below them.

A lexicon gives each word the logarithm of the odds that a block is content: what it was on the
training pages, each domain counted once. Words that were seen on few domains are left out. Besides,
a few groups of words are looked for by hand: they mean one thing on an article and another one on
a forum, which an average over both does not tell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scrapy_boilerplate.core.answer.document.callouts import FIRST_WORDS
from scrapy_boilerplate.core.auto._lexicon_native import Words
from scrapy_boilerplate.core.page.arrays import Float

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
    "card": "card cards tile tiles grid carousel slider swiper slide teaser",
    "list": "list listing listings item items results archive feed",
    "product": "product products price cart buy shop shipping delivery variant sku",
    "description": "description desc summary details detail specs spec specification overview "
    "excerpt intro lead",
    "post": "post posts entry thread message messages topic",
    "article": "article content body text story prose richtext rte markdown wysiwyg",
    "tags": "tag tags category categories label labels",
    "title": "title heading headline",
    "main": "main primary page",
}
_BITS: dict[str, int] = {}
# The bit behind those of the groups: an element above a block may be a callout.
for _bit, _names in enumerate((*NAMED.values(), " ".join(FIRST_WORDS))):
    for _name in _names.split():
        _BITS[_name] = _BITS.get(_name, 0) | 1 << _bit


class Lexicon:
    """Log-odds of content by word of an attribute.

    A word is a run of letters in one case, or one that a capital begins: ``post``, ``Body``.

    >>> Lexicon({"post": 1.0, "ad": -2.0}).meanings(["post ad", ""])[:3].tolist()
    [[-2.0, 0.0], [1.0, 0.0], [-0.5, 0.0]]
    """

    def __init__(self, values: Mapping[str, float]) -> None:
        self.values = values
        """Log-odds by word, in lower case."""
        known = sorted({*values, *_BITS})
        odds = [values.get(word, 0.0) for word in known]
        self._words = Words(known, odds, [_BITS.get(word, 0) for word in known])

    def __reduce__(self) -> tuple[type[Lexicon], tuple[Mapping[str, float]]]:
        """Return what makes it again: training sends models between processes."""
        return Lexicon, (self.values,)

    def meanings(self, strings: Sequence[str]) -> Float:
        """Return what attributes say: a row a field, a column a string.

        The fields are the lowest value of a word (at most 0), the highest one (at least 0), the
        mean (unknown words count 0), the groups of :data:`NAMED` that have one of the words (a bit
        each), and a number for the first name without its digits.
        """
        return self._words.meanings(strings)
