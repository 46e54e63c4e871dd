"""The jusText algorithm: paragraphs by length, links and stop words, then by their neighbours."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.caching import remember
from scrapy_boilerplate.extractors.base import Extractor, Verdict
from scrapy_boilerplate.page import Page, cumulative
from scrapy_boilerplate.page.arrays import Bool, Float, Int64
from scrapy_boilerplate.page.text import IDEOGRAPH, classify, code_points
from scrapy_boilerplate.page.walk import KNOWN_TAGS

try:
    from justext.core import PARAGRAPH_TAGS
    from justext.paragraph import HEADINGS_PATTERN
    from justext.utils import get_stoplist, get_stoplists
except ImportError as error:
    raise ImportError(
        "The extractor 'justext' needs the extra of that name: "
        "pip install 'scrapy-boilerplate-removal[justext]'"
    ) from error

__all__ = ["JusText"]

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
        found = _paragraphs(page, self.east_asian_length)
        stop_list = frozenset() if language == ANY else _stop_list(language)
        alone = self._classify(found, None if language == ANY else stop_list)
        revised = revise(
            alone,
            found.headings & (not self.no_headings),
            found.text_lengths,
            self.max_heading_distance,
        )
        number_of = found.numbers
        in_form = number_of < 0

        def of_span(values: Classes) -> Classes:
            return np.where(in_form, BAD, np.append(values, BAD)[number_of])

        def reason(span: int) -> str:
            if in_form[span]:
                return "bad: text of a form"
            number = number_of[span]
            density = stop_word_density(found.texts[number], stop_list)
            stop_words = "" if language == ANY else f", {density:.0%} {language} stop words"
            heading = found.headings[number] and not self.no_headings
            return (
                f"{CLASSES[revised[number]]} among its neighbours, {CLASSES[alone[number]]} alone: "
                f"{'heading' if heading else 'paragraph'} of length {found.lengths[number]}, "
                f"{found.link_density[number]:.0%} in links{stop_words}"
            )

        return Verdict(
            spans=found.spans,
            keep=of_span(revised) == GOOD,
            scores=of_span(alone) / GOOD,
            reason=reason,
        )

    def _classify(self, found: _Paragraphs, stop_list: frozenset[str] | None) -> Classes:
        """Return the class of each paragraph alone; without a stop list no stop words are needed.

        Stop words are counted only where they decide, which is in few paragraphs of a page.
        """
        bad = found.link_density > self.max_link_density
        bad |= found.in_select
        bad |= np.array(["\xa9" in text or "&copy" in text for text in found.texts], dtype=bool)
        short = found.lengths < self.length_low
        classes = np.where(bad | (short & (found.in_links > 0)), BAD, SHORT).astype(np.int8)
        for number in np.flatnonzero(~bad & ~short).tolist():
            density = np.inf
            if stop_list is not None:
                density = stop_word_density(found.texts[number], stop_list)
            if density >= self.stopwords_high and found.lengths[number] > self.length_high:
                classes[number] = GOOD
            elif density >= min(self.stopwords_low, self.stopwords_high):
                classes[number] = NEAR_GOOD
            else:
                classes[number] = BAD
        return classes


# -- paragraphs ------------------------------------------------------------------------------


def stop_word_density(text: str, stop_list: frozenset[str]) -> float:
    """Return the share of the words of *text* that are in *stop_list*."""
    words = text.lower().split()
    return sum(map(stop_list.__contains__, words)) / max(len(words), 1)


class _Paragraphs(NamedTuple):
    texts: list[str]
    """Text of each paragraph, white space collapsed."""
    text_lengths: Int64
    """Its characters …"""
    lengths: Int64
    """… and the same with East Asian ones counted several times."""
    in_links: Int64
    """Its characters in links."""
    headings: Bool
    """Whether it begins in a heading."""
    in_select: Bool
    """Whether it begins in what the package takes for a ``select``."""
    spans: Int64
    """Runs of text nodes of one paragraph, and those of forms between them."""
    numbers: Int64
    """Number of each span's paragraph; −1 for forms."""

    @property
    def link_density(self) -> Float:
        """Share of each paragraph's characters in links."""
        density: Float = self.in_links / np.maximum(self.text_lengths, 1)
        return density


def _paragraphs(page: Page, weight: float) -> _Paragraphs:
    """Cut the page into the paragraphs that the package's ``ParagraphMaker`` would make."""
    killed = page.count_above(page.has_tag(_KILLED)) > 0
    live = np.flatnonzero(~killed[page.text_parent])
    starts, spaced = _paragraph_starts(page, live, killed)
    texts, in_links = _texts(page, live, starts, spaced)
    lengths = weighted = np.array([*map(len, texts)], dtype=np.int64)
    if weight != 1 and _EAST_ASIAN.search(page.buffer):
        found = (0 if text.isascii() else len(_EAST_ASIAN.findall(text)) for text in texts)
        east_asian = np.fromiter(found, dtype=np.int64, count=len(texts))
        weighted = lengths + ((weight - 1) * east_asian).astype(np.int64)
    opening = live[starts]
    marks = _marks_of(page.names)[page.tag]
    numbers = np.full(page.text_at.size, -1, dtype=np.int64)
    numbers[live] = np.cumsum(starts) - 1
    cuts = np.flatnonzero(np.diff(numbers)) + 1
    edges = np.concatenate([[0], cuts, [numbers.size]])
    spans = np.stack([edges[:-1], edges[1:]], axis=1)
    return _Paragraphs(
        texts,
        lengths,
        weighted,
        np.array(in_links, dtype=np.int64),
        _begins_in(page, marks & _HEADING > 0)[opening],
        _begins_in(page, marks & _SELECT > 0)[opening],
        spans,
        numbers[edges[:-1]],
    )


def _paragraph_starts(page: Page, live: Int64, killed: Bool) -> tuple[Bool, Bool]:
    """Tell for each live text node whether it opens a paragraph, and whether a space precedes it.

    A paragraph ends where a paragraph element starts or ends, and at two ``br`` in a row; one of
    them is a space. White space between two elements is none, but a comment glues it to a text.
    """
    at = page.text_at[live]
    paragraph = page.has_tag(_PARAGRAPH) & ~killed
    opened = cumulative(paragraph)[at]
    depth = page.count_above(paragraph)[page.text_parent[live]]
    starts = np.ones(live.size, dtype=bool)
    starts[1:] = (np.diff(opened) > 0) | (np.diff(depth) != 0)
    inline = np.flatnonzero(~paragraph & ~killed & ~page.has_tag(_TRANSPARENT))
    gap = np.searchsorted(at, inline, side="right")
    is_br = page.has_tag(("br",))[inline]
    breaks = np.zeros(live.size + 1, dtype=bool)
    breaks[gap[is_br]] = True
    twice = is_br[1:] & is_br[:-1] & (gap[1:] == gap[:-1])
    starts[gap[1:][twice & (gap[1:] < live.size)]] = True
    spaced = breaks[:-1]
    tags = 2 * np.diff(at) - np.diff(page.depth[page.text_parent[live]])  # between two text nodes
    blank = page.text_start[live[1:]] > page.text_stop[live[:-1]]
    spaced[1:] |= (tags == 1) & blank & (np.diff(live) == 1)
    return starts, spaced


def _texts(page: Page, live: Int64, starts: Bool, spaced: Bool) -> tuple[list[str], list[int]]:
    """Return the text of each paragraph, and its characters in links."""
    # Text nodes that only a comment or script parts are one node to the package.
    glued = np.zeros(live.size, dtype=bool)
    glued[1:] = (np.diff(page.text_at[live]) == 0) & (np.diff(page.text_parent[live]) == 0)
    glued &= ~starts & ~spaced
    first = np.flatnonzero(~glued)
    last = np.append(first[1:], live.size)[: first.size] - 1
    texts: list[list[str]] = []  # joined at the end, since a paragraph may have any number of them
    in_links: list[int] = []
    for opens, space, linked, start, stop in zip(
        starts[first].tolist(),
        spaced[first].tolist(),
        page.in_link[live[first]].tolist(),
        page.text_start[live[first]].tolist(),
        page.text_stop[live[last]].tolist(),
        strict=True,
    ):
        piece = page.buffer[start:stop]
        if opens:
            texts.append([piece])
            in_links.append(0)
        else:
            texts[-1].append(f" {piece}" if space else piece)
        if linked:
            in_links[-1] += len(" ".join(f".{piece}.".split())) - 2
    return [" ".join("".join(pieces).split()) for pieces in texts], in_links


_HEADING, _SELECT = 1, 2


@remember(1 << 20)
def _marks(name: str) -> int:
    """Tell whether the package takes a name for that of a heading, or of a ``select``."""
    is_heading = HEADINGS_PATTERN.search(name) is not None
    return _HEADING * is_heading + _SELECT * ("select" in name)


@cache
def _known_marks() -> NDArray[np.int64]:
    return np.array([*map(_marks, KNOWN_TAGS)])


def _marks_of(names: list[str]) -> NDArray[np.int64]:
    """Return the marks of a page's names, of which the known ones come first."""
    known = _known_marks()
    others = [*map(_marks, names[known.size :])]
    return np.append(known, others) if others else known


def _begins_in(page: Page, flags: Bool) -> Bool:
    """Return for each text node whether its paragraph begins inside a flagged element.

    That is where the element has a paragraph element before the text, or is one.
    """
    size = page.text_at.size
    flagged = np.flatnonzero(flags)
    paragraph = np.append(np.flatnonzero(page.has_tag(_PARAGRAPH)), flags.size)
    first_inside = paragraph[np.searchsorted(paragraph, flagged)]
    stop = page.last_text[flagged]
    start = np.minimum(np.searchsorted(page.text_at, first_inside, side="right"), stop)
    steps = np.bincount(start, minlength=size + 1) - np.bincount(stop, minlength=size + 1)
    inside: Bool = np.cumsum(steps)[:size] > 0
    return inside


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
def _stop_list(name: str) -> frozenset[str]:
    return frozenset(map(str.lower, get_stoplist(name)))


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


@cache
def _common_words() -> dict[str, list[str]]:
    """Return the languages of which each word is one of the commonest."""
    languages: dict[str, list[str]] = {}
    for name in sorted(set(LANGUAGES.values())):  # a list has its commonest words first
        text = (files("justext") / "stoplists" / f"{name}.txt").read_text("utf-8")
        for word in list(dict.fromkeys(text.lower().split()))[:_COMMON]:
            languages.setdefault(word, []).append(name)
    return languages


def language_of(page: Page) -> str:
    """Return the name of the stop list for a page's language, ``any`` if there is none.

    The declared language, unless another one's common words are more than twice as frequent.
    """
    if not page.buffer.isascii():
        ideographs = (classify(code_points(page.buffer)) == IDEOGRAPH).sum()
        if 5 * ideographs > page.words.sum():
            return ANY
    common = _common_words()
    words = page.buffer.lower().split()
    counts: Counter[str] = Counter()
    for word, times in Counter(filter(common.__contains__, words)).items():
        for name in common[word]:
            counts[name] += times
    best = max(counts, key=lambda name: (counts[name], name), default=ANY)
    declared = ANY if page.language is None else stop_list_name(page.language) or ANY
    if page.language is not None and 2 * counts[declared] >= counts[best]:
        return declared
    return best if counts[best] >= _LEAST_SHARE * len(words) else ANY
