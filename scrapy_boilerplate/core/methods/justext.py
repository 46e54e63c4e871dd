"""The jusText algorithm: paragraphs by length, links and stop words, then by their neighbours."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.methods.base import Extractor, Verdict
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Bool, Int64, cumulative
from scrapy_boilerplate.core.page.elements import outermost
from scrapy_boilerplate.core.page.tags import HEADINGS
from scrapy_boilerplate.core.page.text import IDEOGRAPH, classify, code_points
from scrapy_boilerplate.core.page.walk import KNOWN_TAGS

try:
    from justext.core import PARAGRAPH_TAGS, classify_paragraphs
    from justext.paragraph import Paragraph
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

_NUL = "\0"
"""Stands in no text of a page."""
_FIRST_WITHOUT_SPACES = 0x0E00
"""Thai, the first script that is written without spaces between words."""
_EAST_ASIAN = (
    # Kana; Han; Hangul; Han: compatibility, extensions B and later.
    *((0x3040, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xAC00, 0xD7AF)),
    *((0xF900, 0xFAFF), (0x20000, 0x3FFFF)),
)

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
    neighbours takes a time that grows with the square of the number of paragraphs, so the same
    rules stand here in linear time. Paragraphs are the package's, read from the page's arrays, so
    that the tree stays as it is; the package would also read what no browser shows (``noscript``,
    ``svg``, a ``title`` in the body).

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
        cut = cut_paragraphs(page, self.east_asian_length)
        found = cut.paragraphs
        any_words = language == ANY
        for each in found:
            each.counts_words = each.length >= self.length_low
        classify_paragraphs(
            found,
            () if any_words else _stop_words(language),
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

        def reason(span: int) -> str:
            number = cut.numbers[span]
            if number < 0:
                return "bad: text of a form"
            one, share = found[number], ""
            if one.counts_words and not any_words:
                density = one.stopwords_density(_stop_words(language))
                share = f", {density:.0%} {language} stop words"
            return (
                f"{CLASSES[revised[number]]} among its neighbours, {one.cf_class} alone: "
                f"{'heading' if one.heading else 'paragraph'} of length {len(one)}, "
                f"{one.links_density():.0%} in links{share}"
            )

        # Text of a form has the number −1, so the last class.
        alone, revised = np.append(alone, BAD), np.append(revised, BAD)
        return Verdict(
            spans=cut.spans,
            keep=revised[cut.numbers] == GOOD,
            scores=alone[cut.numbers] / GOOD,
            reason=reason,
        )


# -- paragraphs ------------------------------------------------------------------------------


class PageParagraph(Paragraph):  # type: ignore[misc]  # the package has no types
    """A paragraph of a page, for the package's classification."""

    # Of each instance; the package works the first two out at every use.
    text = ""
    is_heading = False
    dom_path = ""

    def __init__(self, text: str, in_links: int) -> None:
        self.text = text
        self.chars_count_in_links = in_links
        self.length = len(text)
        self.counts_words = True

    def __len__(self) -> int:
        """Return the number of characters, East Asian ones counted several times."""
        return self.length

    def stopwords_density(self, stopwords: frozenset[str]) -> float:
        """Return the share of stop words, in one pass instead of three and only if it decides."""
        words = self.text.lower().split() if self.counts_words else ()
        return sum(map(stopwords.__contains__, words)) / len(words) if words else 0


class _Cut(NamedTuple):
    """A page cut into paragraphs."""

    paragraphs: list[PageParagraph]
    spans: Int64
    """Runs of text nodes of one paragraph, and those of forms between them."""
    numbers: Int64
    """Number of each span's paragraph; −1 for forms."""


def cut_paragraphs(page: Page, weight: float = 1) -> _Cut:
    """Cut a page into the paragraphs that the package's ``ParagraphMaker`` would make.

    An East Asian character counts for *weight* ones.
    """
    killed = page.has_tag(_KILLED)
    texts = (~page.texts_inside(killed)).nonzero()[0]
    numbers = np.full(page.text_at.size, -1, dtype=np.int64)
    paragraphs: list[PageParagraph] = []
    if texts.size:
        is_read = page.count_above(killed) == 0
        is_paragraph = page.has_tag(_PARAGRAPH) & is_read
        opens, spaced = _breaks(page, texts, is_paragraph, is_read)
        numbers[texts] = opens.cumsum() - 1
        # What only a comment or script parts is one piece, white space included.
        at, parent = page.text_at[texts], page.text_parent[texts]
        whole = opens | spaced
        whole[1:] |= (at[1:] != at[:-1]) | (parent[1:] != parent[:-1])
        first = whole.nonzero()[0]
        starts = page.text_start[texts[first]].tolist()
        stops = page.text_stop[texts[np.append(first[1:], texts.size) - 1]].tolist()
        pieces = [page.buffer[i:j] for i, j in zip(starts, stops, strict=True)]
        in_links = np.zeros(first.size, dtype=np.int64)
        for number in page.in_link[texts[first]].nonzero()[0].tolist():
            piece = pieces[number]  # which is not blank; white space around counts once each
            around = piece[0].isspace() + piece[-1].isspace()
            in_links[number] = len(" ".join(piece.split())) + around
        for number in spaced[first].nonzero()[0].tolist():
            pieces[number] = " " + pieces[number]
        bounds = opens[first].nonzero()[0]
        for number in bounds[1:].tolist():
            pieces[number] = _NUL + pieces[number]
        paragraphs = [
            PageParagraph(" ".join(text.split()), links)
            for text, links in zip(
                "".join(pieces).split(_NUL),
                np.add.reduceat(in_links, bounds).tolist(),
                strict=True,
            )
        ]
        codes = code_points(page.buffer)
        if weight != 1 and codes.max() >= _EAST_ASIAN[0][0]:
            before = cumulative(_is_east_asian(codes))
            east_asian = np.add.reduceat(before[stops] - before[starts], bounds)
            for each, count in zip(paragraphs, east_asian.tolist(), strict=True):
                each.length += int((weight - 1) * count)
        begins = texts[opens]
        in_heading = _begins_in(page, page.has_tag(HEADINGS), is_paragraph)[begins]
        for number in in_heading.nonzero()[0].tolist():
            paragraphs[number].is_heading = True
        others = enumerate(page.names[len(KNOWN_TAGS) :], len(KNOWN_TAGS))
        like_select = [tag for tag, name in others if "select" in name]
        if like_select:
            in_select = _begins_in(page, np.isin(page.tag, like_select), is_paragraph)[begins]
            for number in in_select.nonzero()[0].tolist():
                paragraphs[number].dom_path = "select"
    edges = np.flatnonzero(np.diff(numbers, prepend=-2))
    spans = np.stack([edges, np.append(edges[1:], numbers.size)], axis=1)
    return _Cut(paragraphs, spans, numbers[edges])


def _breaks(page: Page, texts: Int64, is_paragraph: Bool, is_read: Bool) -> tuple[Bool, Bool]:
    """Return whether each text node opens a paragraph, and whether white space precedes it."""
    at, parent = page.text_at[texts], page.text_parent[texts]
    depth, inside = page.depth[parent], page.count_above(is_paragraph)[parent]
    opens, spaced = np.ones((2, texts.size), dtype=bool)
    opens[1:] = (np.diff(cumulative(is_paragraph)[at]) > 0) | (np.diff(inside) != 0)
    # The only tag between two text nodes stands beside white space that belongs to neither.
    tags = 2 * np.diff(at) - np.diff(depth)
    spaced[1:] = (tags == 1) & (np.diff(texts) == 1)
    spaced[1:] &= page.text_start[texts[1:]] > page.text_stop[texts[:-1]]
    if "br" in page.tag_names:
        is_br = page.has_tag(("br",)) & is_read
        spaced[1:] |= np.diff(cumulative(is_br)[at]) > 0
        # A second br opens a paragraph if no text and no other tag is between.
        rest = np.flatnonzero(is_read & ~page.has_tag(_PARAGRAPH | _TRANSPARENT))
        gap = np.searchsorted(at, rest, side="right")
        second = np.zeros(page.tag.size, dtype=bool)
        second[rest[1:]] = is_br[rest[1:]] & is_br[rest[:-1]] & (gap[1:] == gap[:-1])
        opens[1:] |= np.diff(cumulative(second)[at]) > 0
    return opens, spaced


def _is_east_asian(codes: NDArray[np.uint32]) -> Bool:
    """Return which of the code points are Han, Kana or Hangul characters."""
    found = np.zeros(codes.size, dtype=bool)
    for first, last in _EAST_ASIAN:
        found |= (codes >= first) & (codes <= last)
    return found


def _begins_in(page: Page, flags: Bool, is_paragraph: Bool) -> Bool:
    """Return whether a paragraph that begins at each text node begins in a flagged element.

    It does if the start of a paragraph element, and not of the text alone, lies in that element.
    """
    element = outermost(
        *(flags.view(np.uint8), page.end, page.first_text, page.last_text, page.text_at.size)
    )
    started = cumulative(is_paragraph)
    begins: Bool = (element >= 0) & (started[page.text_at] > started[element])
    return begins


# -- neighbours ------------------------------------------------------------------------------


def revise(alone: Int64, headings: Bool, lengths: Int64, max_heading_distance: int) -> Int64:
    """Return the classes of paragraphs among their neighbours, from their classes alone.

    The result is that of the package's ``revise_paragraph_classification``, which scans the
    neighbours of each paragraph and takes a time that grows with the square of their number. Its
    first step should raise short headings before good paragraphs; it reads classes that are not
    set yet, and so does nothing.
    """
    classes = np.concatenate([[BAD], alone, [BAD]])  # the ends of the page count as bad
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
    after = np.append(np.minimum.accumulate(after[::-1])[::-1], size)[1:]
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


@cache
def _stop_words(name: str) -> frozenset[str]:
    words: frozenset[str] = get_stoplist(name)
    return words


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
def _common_words() -> dict[str, list[int]]:
    """Return the commonest words, and the numbers of the languages that each is common in."""
    languages: dict[str, list[int]] = {}
    for number, name in enumerate(_LISTS):  # a list has its commonest words first
        text = (files("justext") / "stoplists" / f"{name}.txt").read_text("utf-8")
        for word in list(dict.fromkeys(text.lower().split()))[:_COMMON]:
            languages.setdefault(word, []).append(number)
    return languages


def language_of(page: Page) -> str:
    """Return the name of the stop list for a page's language, ``any`` if there is none.

    The declared language, unless another one's common words are more than twice as frequent.
    """
    codes = code_points(page.buffer)
    if codes.size and codes.max() >= _FIRST_WITHOUT_SPACES:
        ideographs = np.count_nonzero(classify(codes) == IDEOGRAPH)
        if ideographs and 5 * ideographs > page.words.sum():
            return ANY
    words = page.buffer.lower().split()
    common = _common_words()
    counts = [0] * len(_LISTS)
    for word, times in Counter(filter(common.__contains__, words)).items():
        for number in common[word]:
            counts[number] += times
    most, best = max(zip(counts, _LISTS, strict=True))
    declared = stop_list_name(page.language or ANY) or ANY
    in_declared = dict(zip(_LISTS, counts, strict=True)).get(declared, 0)
    if page.language is not None and 2 * in_declared >= most:
        return declared
    return best if most and most >= _LEAST_SHARE * len(words) else ANY
