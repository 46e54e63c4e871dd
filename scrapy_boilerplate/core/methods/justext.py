"""The jusText algorithm: paragraphs by length, links and stop words, then by their neighbours."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.caching import remember
from scrapy_boilerplate.core.methods._justext_native import (
    Vocabulary,
    count_ideographs,
    paragraphs,
)
from scrapy_boilerplate.core.methods.base import Extractor, Verdict
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Bool, Float, Int64
from scrapy_boilerplate.core.page.text import class_table
from scrapy_boilerplate.core.page.walk import KNOWN_TAGS

try:
    from justext.core import PARAGRAPH_TAGS
    from justext.paragraph import HEADINGS_PATTERN
    from justext.utils import get_stoplist, get_stoplists
except ImportError as error:
    raise ImportError(
        "The extractor 'justext' needs the extra of that name: "
        "pip install 'scrapy-boilerplate-removal[justext]'"
    ) from error

ANY = "any"
"""The language of pages without a stop list: no stop words are needed."""

# ISO 639 codes of the package's stop lists, where several lists share a language the main one.
LANGUAGES = dict(
    pair.split(":")
    for pair in (
        "af:Afrikaans sq:Albanian ar:Arabic an:Aragonese hy:Armenian rup:Aromanian ast:Asturian "
        "az:Azerbaijani eu:Basque be:Belarusian bn:Bengali bpy:Bishnupriya_Manipuri bs:Bosnian "
        "br:Breton bg:Bulgarian ca:Catalan ceb:Cebuano cv:Chuvash hr:Croatian cs:Czech "
        "da:Danish nl:Dutch en:English eo:Esperanto et:Estonian fi:Finnish fr:French "
        "gl:Galician ka:Georgian de:German el:Greek gu:Gujarati ht:Haitian he:Hebrew iw:Hebrew "
        "hi:Hindi hu:Hungarian is:Icelandic io:Ido ig:Igbo id:Indonesian in:Indonesian ga:Irish "
        "it:Italian jv:Javanese kn:Kannada kk:Kazakh ko:Korean ku:Kurdish ky:Kyrgyz la:Latin "
        "lv:Latvian lt:Lithuanian lmo:Lombard nds:Low_Saxon lb:Luxembourgish mk:Macedonian "
        "ms:Malay ml:Malayalam mt:Maltese mr:Marathi nap:Neapolitan ne:Nepali new:Newar "
        "nb:Norwegian_Bokmal no:Norwegian_Bokmal nn:Norwegian_Nynorsk oc:Occitan fa:Persian "
        "pms:Piedmontese pl:Polish pt:Portuguese qu:Quechua ro:Romanian mo:Romanian ru:Russian "
        "sgs:Samogitian sr:Serbian sh:Serbo_Croatian scn:Sicilian sk:Slovak sl:Slovenian "
        "es:Spanish su:Sundanese sw:Swahili sv:Swedish tl:Tagalog fil:Tagalog ta:Tamil "
        "te:Telugu tr:Turkish tk:Turkmen uk:Ukrainian ur:Urdu uz:Uzbek vi:Vietnamese vo:Volapuk "
        "wa:Walloon war:Waray_Waray cy:Welsh fy:West_Frisian pnb:Western_Panjabi yo:Yoruba"
    ).split()
)

_COMMON = 30  # words of a language that tell it from others
_LEAST_SHARE = 0.015  # of a page's words; Korean, which inflects them, has 2 to 6 %

# What the package's preprocessor does to the tree, told by names instead of done.
_KILLED = frozenset("button input select textarea applet".split())
_TRANSPARENT = frozenset("form object embed layer".split())
_PARAGRAPH = frozenset(PARAGRAPH_TAGS) - _TRANSPARENT - _KILLED

_LENGTH, _IN_LINKS, _EAST_ASIANS, _IN_HEADING, _IN_SELECT, _COPYRIGHT = range(6)
"""Rows of what is measured of paragraphs: characters with white space collapsed, those in links,
East Asian ones; whether a paragraph begins in a heading or in what the package takes for a
``select``, and whether it has a copyright sign."""

_NUL = "\0"
"""Stands in no text of a page."""


_EAST_ASIAN = re.compile(
    r"[\uac00-\ud7af\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)

Classes: TypeAlias = NDArray[np.int8]
BAD, SHORT, NEAR_GOOD, GOOD = range(4)
CLASSES = ("bad", "short", "neargood", "good")
"""The package's names of a paragraph's classes, worst first."""


@dataclass(frozen=True, slots=True)
class JusText(Extractor):
    """jusText: paragraphs are good by length, stop words and links, then by their neighbours.

    First each paragraph is judged alone. One with too many links, a copyright sign or a form is
    *bad*; one below *length_low* characters is *short*; else it is *good* with a high share of
    stop words and more than *length_high* characters, *near-good* with fewer of either, and *bad*
    with few stop words. Then the neighbours decide: short and near-good paragraphs become good
    between good ones and bad between bad ones, and headings that a good paragraph follows are
    kept. Good paragraphs are the text. ``explain()`` names both classes.

    Source: J. Pomikálek, *Removing Boilerplate and Duplicate Content from Web Corpora*, Brno 2011;
    the stop lists and the values are those of the package ``justext``, an extra of this one, and
    the classes are the same. Its revision by neighbours takes a time that grows with the square of
    the number of paragraphs; the one here is linear. Paragraphs are the
    package's, read from the page's arrays, so that the tree stays as it is; the package would
    also read what no browser shows (``noscript``, ``svg``, a ``title`` in the body).

    The stop list is that of *language*, by default the page's own: the declared one
    (``<html lang>``), unless the thirty commonest words of another language are more than twice as
    frequent on the page. The language-independent mode, for languages without a stop list and
    pages with much text in a script without spaces, needs no stop words. Each Han, Kana or
    Hangul character counts for *east_asian_length* characters, since it says as much.

    Weaknesses: forum posts, captions and product data in short lines are lost, and so is the text
    of a page whose language was not recognised; without a stop list any long text is good,
    a cookie notice as much as an article.

    >>> from scrapy_boilerplate import extract
    >>> html = "<ul><li><a>Home</a></ul><p>" + "It was the best of times, it was the worst. " * 5
    >>> extract(html, extractor="justext", language="en").text[:25]
    'It was the best of times,'
    """

    name: ClassVar[str] = "justext"

    language: str | None = None
    """ISO 639 code (``de``, ``pt-BR``) or name of a stop list of the package (``German``);
    ``any`` is the language-independent mode; ``None`` is the page's language."""
    length_low: int = 70
    """Paragraphs of fewer characters are short."""
    length_high: int = 200
    """Paragraphs of more characters can be good."""
    stopwords_low: float = 0.30
    """Share of stop words from which on a paragraph is near-good."""
    stopwords_high: float = 0.32
    """Share of stop words from which on a long paragraph is good."""
    max_link_density: float = 0.2
    """Share of characters in links above which a paragraph is bad."""
    max_heading_distance: int = 200
    """Most characters between a heading and the good paragraph that it belongs to."""
    no_headings: bool = False
    """Whether headings are judged like any other paragraph."""
    east_asian_length: float = 4.0
    """Characters that a Han, Kana or Hangul character counts for."""

    def __post_init__(self) -> None:
        if self.language is not None and stop_list_name(self.language) is None:
            raise ValueError(
                f"justext has no stop list for the language {self.language!r}; "
                f"choose one of: {ANY}, {', '.join(sorted({*LANGUAGES, *_names()}))}"
            )

    def judge(self, page: Page) -> Verdict:
        """Classify the page's paragraphs, alone and among their neighbours."""
        language = (self.language and stop_list_name(self.language)) or language_of(page)
        found = _Paragraphs.of(page, self.east_asian_length)
        stop_words = None if language == ANY else _stop_words(language)
        alone = self._classify(found, stop_words)
        headings = found.headings & (not self.no_headings)
        revised = revise(alone, headings, found.text_lengths, self.max_heading_distance)
        number_of = found.numbers
        in_form = number_of < 0

        def of_span(values: Classes) -> Classes:
            return np.where(in_form, BAD, np.append(values, BAD)[number_of])

        def reason(span: int) -> str:
            if in_form[span]:
                return "bad: text of a form"
            number = number_of[span]
            share = ""
            if stop_words is not None:
                density = stop_word_densities([found.text(number)], stop_words)[0]
                share = f", {density:.0%} {language} stop words"
            return (
                f"{CLASSES[revised[number]]} among its neighbours, {CLASSES[alone[number]]} alone: "
                f"{'heading' if headings[number] else 'paragraph'} of length "
                f"{found.lengths[number]}, {found.link_density[number]:.0%} in links{share}"
            )

        return Verdict(
            spans=found.spans,
            keep=of_span(revised) == GOOD,
            scores=of_span(alone) / GOOD,
            reason=reason,
        )

    def _classify(self, found: _Paragraphs, stop_words: Vocabulary | None) -> Classes:
        """Return the class of each paragraph alone; without stop words none are needed.

        They are counted only where they decide, which is in few paragraphs of a page.
        """
        bad = (found.link_density > self.max_link_density) | found.is_never_good
        short = found.lengths < self.length_low
        classes = np.where(bad | (short & (found.in_links > 0)), BAD, SHORT).astype(np.int8)
        others = np.flatnonzero(~bad & ~short)
        if others.size:
            density: Float | float = np.inf
            if stop_words is not None:
                density = stop_word_densities([*map(found.text, others.tolist())], stop_words)
            near_good = density >= min(self.stopwords_low, self.stopwords_high)
            is_long = found.lengths[others] > self.length_high
            good = is_long & (density >= self.stopwords_high)
            classes[others] = np.where(good, GOOD, np.where(near_good, NEAR_GOOD, BAD))
        return classes


# -- paragraphs ------------------------------------------------------------------------------


def stop_word_densities(texts: Sequence[str], stop_words: Vocabulary) -> Float:
    """Return the share of the words of each of *texts* that are in *stop_words*."""
    counts = stop_words.count(_NUL.join(texts).lower())
    densities: Float = counts[:, 0] / np.maximum(counts[:, 1], 1)
    return densities


class _Paragraphs(NamedTuple):
    buffer: str
    """The page's text."""
    measures: Int64
    """A row of each of the measures below, a column a paragraph."""
    pieces: Int64
    """Slices of the page's text, and whether a space precedes each."""
    first_piece: Int64
    """The first piece of each paragraph, and how many there are."""
    spans: Int64
    """Runs of text nodes of one paragraph, and those of forms between them."""
    numbers: Int64
    """Number of each span's paragraph; −1 for forms."""
    weight: float
    """Characters that an East Asian one counts for."""

    @classmethod
    def of(cls, page: Page, weight: float) -> _Paragraphs:
        """Cut the page into the paragraphs that the package's ``ParagraphMaker`` would make."""
        return cls(page.buffer, *paragraphs(page, _kinds_of(page.names)), weight)

    def text(self, number: int) -> str:
        """Return the text of a paragraph, white space as it stands on the page."""
        first, after = self.first_piece[number : number + 2]
        rows = self.pieces[first:after].tolist()
        return "".join([" " * spaced + self.buffer[start:stop] for start, stop, spaced in rows])

    @property
    def text_lengths(self) -> Int64:
        """Characters of each paragraph, white space collapsed …"""
        lengths: Int64 = self.measures[_LENGTH]
        return lengths

    @property
    def lengths(self) -> Int64:
        """… and the same with East Asian ones counted several times."""
        more: Int64 = ((self.weight - 1) * self.measures[_EAST_ASIANS]).astype(np.int64)
        return self.text_lengths + more

    @property
    def in_links(self) -> Int64:
        """Characters of each paragraph in links."""
        in_links: Int64 = self.measures[_IN_LINKS]
        return in_links

    @property
    def link_density(self) -> Float:
        """Share of each paragraph's characters in links."""
        density: Float = self.in_links / np.maximum(self.text_lengths, 1)
        return density

    @property
    def headings(self) -> Bool:
        """Whether each paragraph begins in a heading."""
        headings: Bool = self.measures[_IN_HEADING] > 0
        return headings

    @property
    def is_never_good(self) -> Bool:
        """Whether each has a copyright sign, or begins in what the package takes for a select."""
        never: Bool = (self.measures[_IN_SELECT] | self.measures[_COPYRIGHT]) > 0
        return never


_KILL, _PASS, _PARA, _BREAK, _HEAD, _SELE = (1 << bit for bit in range(6))


@remember(1 << 20)
def _kind(name: str) -> int:
    """Return what the package takes an element of this name for, a bit each."""
    groups = {_KILL: _KILLED, _PASS: _TRANSPARENT, _PARA: _PARAGRAPH, _BREAK: ("br",)}
    kind = sum(bit for bit, names in groups.items() if name in names)
    is_heading = HEADINGS_PATTERN.search(name) is not None
    return kind + _HEAD * is_heading + _SELE * ("select" in name)


@cache
def _known_kinds() -> NDArray[np.uint8]:
    return np.array([*map(_kind, KNOWN_TAGS)], dtype=np.uint8)


def _kinds_of(names: list[str]) -> NDArray[np.uint8]:
    """Return the kinds of a page's names, of which the known ones come first."""
    known = _known_kinds()
    others = [*map(_kind, names[known.size :])]
    return np.append(known, np.array(others, dtype=np.uint8)) if others else known


# -- neighbours ------------------------------------------------------------------------------


def revise(
    classes: Classes,
    headings: Bool,
    lengths: Int64,
    max_heading_distance: int,
) -> Classes:
    """Return the classes of paragraphs among their neighbours, from their classes alone.

    The result is that of the package's ``revise_paragraph_classification``, which takes more time:
    it scans the neighbours of each paragraph. The package's first step should raise short headings
    before good paragraphs; it reads classes that are not set yet, and so does nothing.
    """
    if not classes.size:
        return classes
    # The ends of the page count as bad paragraphs.
    framed = np.concatenate([[BAD], classes, [BAD]]).astype(np.int8)
    revised = _revise_near_good(_revise_short(framed))[1:-1]
    return _lift_headings(classes, revised, headings, lengths, max_heading_distance)


def _neighbours(framed: Classes, stops: Bool) -> tuple[Classes, Classes]:
    """Return the classes of the nearest paragraphs before and after where *stops* holds."""
    index = np.arange(framed.size)
    before = np.maximum.accumulate(np.where(stops, index, 0))
    after = np.minimum.accumulate(np.where(stops, index, index[-1])[::-1])[::-1]
    return framed[before], framed[after]


def _revise_short(framed: Classes) -> Classes:
    """Make short paragraphs good or bad, as the nearest good or bad ones are.

    If these disagree, a short one is good next to a near-good one.
    """
    short = framed == SHORT
    previous, following = _neighbours(framed, (framed == GOOD) | (framed == BAD))
    previous_edge, following_edge = _neighbours(framed, ~short)
    near = (previous == BAD) & (previous_edge == NEAR_GOOD)
    near |= (following == BAD) & (following_edge == NEAR_GOOD)
    good = np.where(previous == following, previous == GOOD, near)
    return np.where(short, np.where(good, GOOD, BAD), framed).astype(np.int8)


def _revise_near_good(framed: Classes) -> Classes:
    """Make near-good paragraphs good, or bad between two bad ones."""
    near_good = framed == NEAR_GOOD
    previous, following = _neighbours(framed, ~near_good)
    good = (previous == GOOD) | (following == GOOD)
    return np.where(near_good, np.where(good, GOOD, BAD), framed).astype(np.int8)


def _lift_headings(
    classes: Classes, revised: Classes, headings: Bool, lengths: Int64, max_distance: int
) -> Classes:
    """Make headings good that a good paragraph follows near enough."""
    size = classes.size
    after = np.where(revised == GOOD, np.arange(size), size)
    after = np.append(np.minimum.accumulate(after[::-1])[::-1], size)[1:]
    offset = np.concatenate([[0], np.cumsum(lengths), [0]])
    distance = offset[after] - offset[1 : size + 1]
    lifted = headings & (revised == BAD) & (classes != BAD)
    lifted &= (after < size) & (distance <= max_distance)
    return np.where(lifted, GOOD, revised).astype(np.int8)


# -- languages -------------------------------------------------------------------------------


@cache
def _stop_words(name: str) -> Vocabulary:
    return Vocabulary(dict.fromkeys(map(str.lower, get_stoplist(name)), (0,)), 1)


@cache
def _names() -> frozenset[str]:
    names: frozenset[str] = get_stoplists()
    return names


def stop_list_name(language: str) -> str | None:
    """Return the name of the stop list for a code or name; ``None`` if there is none.

    >>> stop_list_name("pt-BR"), stop_list_name("German"), stop_list_name("any")
    ('Portuguese', 'German', 'any')
    """
    if language == ANY or language in _names():
        return language
    code = language.replace("_", "-").partition("-")[0].strip().lower()
    return LANGUAGES.get(code)


_LISTS = sorted(set(LANGUAGES.values()))


@cache
def _common_words() -> Vocabulary:
    """Return the commonest words of the languages, a group each."""
    languages: dict[str, list[int]] = {}
    for number, name in enumerate(_LISTS):  # a list has its commonest words first
        text = (files("justext") / "stoplists" / f"{name}.txt").read_text("utf-8")
        for word in list(dict.fromkeys(text.lower().split()))[:_COMMON]:
            languages.setdefault(word, []).append(number)
    return Vocabulary(languages, len(_LISTS))


def language_of(page: Page) -> str:
    """Return the name of the stop list for a page's language, ``any`` if there is none.

    The declared language, unless another one's common words are more than twice as frequent.
    """
    if not page.buffer.isascii():
        ideographs = count_ideographs(page.buffer, class_table())
        if ideographs and 5 * ideographs > page.words.sum():
            return ANY
    *counts, words = _common_words().count(page.buffer.lower())[0].tolist()
    most, best = max(zip(counts, _LISTS, strict=True))
    declared = stop_list_name(page.language or ANY) or ANY
    in_declared = dict(zip(_LISTS, counts, strict=True)).get(declared, 0)
    if page.language is not None and 2 * in_declared >= most:
        return declared
    return best if most and most >= _LEAST_SHARE * words else ANY
