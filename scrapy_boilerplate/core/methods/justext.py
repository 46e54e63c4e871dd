"""The jusText algorithm: paragraphs by length, links and stop words, then by their neighbours."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import ClassVar

import numpy as np

from scrapy_boilerplate.core.methods.base import Extractor, Verdict
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Bool, Int64, cumulative
from scrapy_boilerplate.core.page.tags import HEADINGS
from scrapy_boilerplate.core.page.text import IDEOGRAPH, classify, code_points

try:
    from justext.core import classify_paragraphs
    from justext.paragraph import Paragraph
    from justext.utils import get_stoplist, get_stoplists
except ImportError as error:
    raise ImportError(
        "The extractor 'justext' needs the extra of the same name: "
        "pip install 'scrapy-boilerplate-removal[justext]'"
    ) from error

ANY = "any"  # the language of pages without a stop list: no stop words are needed

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

_FORM = frozenset("button input select textarea".split())  # elements whose text the package removes
_EAST_ASIAN = re.compile(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Kana, Han and Hangul."""
_FIRST_IDEOGRAPH, _FIRST_EAST_ASIAN = 0x0E00, 0x3040

CLASSES = ("bad", "short", "neargood", "good")
"""The package's names of a paragraph's classes, worst first."""
BAD, SHORT, NEAR_GOOD, GOOD = range(4)


@dataclass(frozen=True, slots=True)
class JusText(Extractor):
    """jusText: paragraphs are good by length, stop words and links, then by their neighbours.

    First each paragraph is judged alone. One with too many links, a copyright sign or a form is
    *bad*; one below *length_low* characters is *short*; else it is *good* with a high share of
    stop words and more than *length_high* characters, *near-good* with fewer of either, and *bad*
    with few stop words. Then the neighbours decide: short and near-good paragraphs become good
    between good ones and bad between bad ones, and headings that a good paragraph follows are
    kept. Good paragraphs are the text. ``explain()`` names both classes.

    Source: J. Pomikálek, *Removing Boilerplate and Duplicate Content from Web Corpora*, Brno 2011.
    The package ``justext``, an extra of this one, classifies each paragraph alone. Its revision by
    neighbours takes quadratic time in the number of paragraphs, so this method applies the same
    rules in linear time. Paragraphs are the page's blocks, as for every other method; the package
    splits a page differently, and would also read what no browser shows.

    The stop list is that of *language*, by default the page's own: the declared one
    (``<html lang>``), unless the thirty commonest words of another language are more than twice as
    frequent on the page. The language-independent mode, for languages without a stop list and pages
    with much text in a script without spaces, needs no stop words. Each Han, Kana or Hangul
    character counts for *east_asian_length* characters, because it conveys as much.

    Weaknesses: forum posts, captions and product data in short lines are lost, and so is the text
    of a page whose language was not recognised; without a stop list any long text is good, even a
    cookie notice.

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
    """Share of stop words from which a paragraph is near-good."""
    stopwords_high: float = 0.32
    """Share of stop words from which a long paragraph is good."""
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
        any_words = language == ANY
        stop_words = frozenset() if any_words else _stop_words(language)
        found = paragraphs_of(page, self.east_asian_length, self.length_low)
        classify_paragraphs(
            found,
            stop_words,
            length_low=self.length_low,
            length_high=self.length_high,
            stopwords_low=0 if any_words else min(self.stopwords_low, self.stopwords_high),
            stopwords_high=0 if any_words else self.stopwords_high,
            max_link_density=self.max_link_density,
            no_headings=self.no_headings,
        )
        alone = np.array([CLASSES.index(each.cf_class) for each in found], dtype=np.int64)
        revised = revise(
            alone,
            np.array([each.heading for each in found], dtype=bool),
            np.array([len(each.text) for each in found], dtype=np.int64),
            self.max_heading_distance,
        )

        def reason(number: int) -> str:
            one, share = found[number], ""
            if one.dom_path:
                return "bad: text of a form"
            if one.counts_words and not any_words:
                share = f", {one.stopwords_density(stop_words):.0%} {language} stop words"
            return (
                f"{CLASSES[revised[number]]} among its neighbours, {one.cf_class} alone: "
                f"{'heading' if one.heading else 'paragraph'} of length {len(one)}, "
                f"{one.links_density():.0%} in links{share}"
            )

        return Verdict(page.blocks, revised == GOOD, alone / GOOD, reason)


# -- paragraphs ------------------------------------------------------------------------------


class PageParagraph(Paragraph):  # type: ignore[misc]  # the package has no types
    """A block of a page, for the package's classification."""

    # Of each instance; the package works these out at every use.
    text = ""
    is_heading = False
    dom_path = ""

    def __init__(self, text: str, length: int, density: float, least: int) -> None:
        self.text, self.length, self.density = text, length, density
        self.chars_count_in_links = int(density > 0)  # which is only compared with 0
        self.counts_words = length >= least

    def __len__(self) -> int:
        """Return the number of characters, East Asian ones counted several times."""
        return self.length

    def links_density(self) -> float:
        """Return the share of visible characters in links."""
        return self.density

    def stopwords_density(self, stopwords: frozenset[str]) -> float:
        """Return the share of stop words, in one pass instead of three and only if it decides."""
        words = self.text.lower().split() if self.counts_words else ()
        return sum(map(stopwords.__contains__, words)) / len(words) if words else 0


def paragraphs_of(page: Page, weight: float, length_low: int) -> list[PageParagraph]:
    """Return the blocks of a page; an East Asian character counts *weight* times."""
    texts = [" ".join(text.split()) for text in page.lay_out_all(page.blocks)]
    lengths = list(map(len, texts))
    highest = code_points(page.buffer).max(initial=0)
    if highest >= _FIRST_EAST_ASIAN and _EAST_ASIAN.search(page.buffer):
        extra = (0 if text.isascii() else len(_EAST_ASIAN.findall(text)) for text in texts)
        lengths = [n + int((weight - 1) * more) for n, more in zip(lengths, extra, strict=True)]
    linked = page.per_block((page.text_stop - page.text_start) * page.in_link)
    densities = (linked / np.maximum(lengths, 1)).tolist()
    found = [
        PageParagraph(text, length, density, length_low)
        for text, length, density in zip(texts, lengths, densities, strict=True)
    ]
    for block in _blocks_in(page, HEADINGS):
        found[block].is_heading = True
    for block in _blocks_in(page, _FORM):
        found[block].dom_path = "select"  # which the package tells forms by
    return found


def _blocks_in(page: Page, names: frozenset[str]) -> list[int]:
    """Return the blocks that begin in an element of one of *names*."""
    if page.tag_names.isdisjoint(names):
        return []
    return page.blocks_inside(page.has_tag(names)).nonzero()[0].tolist()


# -- neighbours ------------------------------------------------------------------------------


def revise(alone: Int64, headings: Bool, lengths: Int64, max_heading_distance: int) -> Int64:
    """Return the classes of paragraphs among their neighbours, from their classes alone.

    The result is that of the package's ``revise_paragraph_classification``, which takes quadratic
    time. Its first step, for short headings, reads classes that are not set yet and does nothing.
    """
    classes = np.full(alone.size + 2, BAD)  # the ends of the page count as bad
    classes[1:-1] = alone
    # A short one is as the nearest good or bad ones; if they disagree, good beside a near-good one.
    previous, following = _nearest(classes, (classes == GOOD) | (classes == BAD))
    beside, behind = _nearest(classes, classes != SHORT)
    good = np.where(
        previous == following,
        previous == GOOD,
        ((previous == BAD) & (beside == NEAR_GOOD)) | ((following == BAD) & (behind == NEAR_GOOD)),
    )
    classes[(classes == SHORT) & good], classes[classes == SHORT] = GOOD, BAD
    # A near-good one is bad between two bad ones only.
    near_good = classes == NEAR_GOOD
    previous, following = _nearest(classes, ~near_good)
    classes[near_good] = np.where((previous == GOOD) | (following == GOOD), GOOD, BAD)[near_good]
    # A heading is good if a good paragraph follows near enough.
    revised = classes[1:-1]
    size = alone.size
    after = np.where(revised == GOOD, np.arange(size), size)
    after[:-1] = np.minimum.accumulate(after[:0:-1])[::-1]
    after[-1:] = size
    offset = cumulative(lengths)
    near = (after < size) & (offset[after] - offset[1:] <= max_heading_distance)
    revised[headings & (alone != BAD) & near] = GOOD
    return revised


def _nearest(classes: Int64, stops: Bool) -> tuple[Int64, Int64]:
    """Return the classes of the nearest paragraphs before and after where *stops* holds."""
    index = np.arange(classes.size)
    before = np.maximum.accumulate(np.where(stops, index, 0))
    after = np.minimum.accumulate(np.where(stops, index, index[-1])[::-1])[::-1]
    return classes[before], classes[after]


# -- languages -------------------------------------------------------------------------------


_stop_words: Callable[[str], frozenset[str]] = cache(get_stoplist)
_names: Callable[[], frozenset[str]] = cache(get_stoplists)


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
    """Return the commonest words, and the names of the stop lists that each is common in."""
    names: dict[str, list[str]] = {}
    for name in sorted(set(LANGUAGES.values())):  # a list has its commonest words first
        text = (files("justext") / "stoplists" / f"{name}.txt").read_text("utf-8")
        for word in list(dict.fromkeys(text.lower().split()))[:_COMMON]:
            names.setdefault(word, []).append(name)
    return names


def language_of(page: Page) -> str:
    """Return the name of the stop list for a page's language, ``any`` if there is none.

    The declared language, unless another one's common words are more than twice as frequent.
    """
    if not page.buffer.isascii():
        codes = code_points(page.buffer)
        ideographs = np.count_nonzero(classify(codes[codes >= _FIRST_IDEOGRAPH]) == IDEOGRAPH)
        if 5 * ideographs > page.words.sum():
            return ANY
    words = page.buffer.lower().split()
    common = _common_words()
    counts: dict[str, int] = {}  # a Counter takes much longer
    for word, times in Counter(filter(common.__contains__, words)).items():
        for name in common[word]:
            counts[name] = counts.get(name, 0) + times
    most, best = max(((count, name) for name, count in counts.items()), default=(0, ANY))
    declared = stop_list_name(page.language or ANY) or ANY
    if page.language is not None and 2 * counts.get(declared, 0) >= most:
        return declared
    return best if most >= _LEAST_SHARE * len(words) else ANY
