"""Finds what comments and posts are told by: dates, names of authors, siblings alike."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple
from weakref import proxy

import numpy as np

from scrapy_boilerplate.core.answer.metadata.dates import ENGLISH_MONTH
from scrapy_boilerplate.core.caching import cached_property
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page._elements_native import number_keys
from scrapy_boilerplate.core.page._text_native import Phrases
from scrapy_boilerplate.core.page.arrays import Bool, Int
from scrapy_boilerplate.core.page.tags import HEADINGS

MOST_OF_REPLY = 5  # words of a control to answer by: characters in some languages
SHORT = 25  # words of a text node that may hold a date, and of an element that may name an author
LEAST_BLOCKS, LEAST_WORDS = 2, 3
"""Blocks and words of siblings of one tag that may be posts without any name."""
LEAST_SHARE = 0.2
"""Their share of the page's words that are no links. On a thread siblings hold as much whatever
they are named."""

COMMENT = re.compile(  # of lower case: what ignores case takes four times as long
    r"[ck]omm?ent|cmt|reply|replies|respon(?:d|ses?\b)|disqus|dsq|reactie|yorum|hozzaszol|opini[aei]"
)
IN_COMMENT = (
    "oment omment cmt reply replies respon disqus dsq reactie yorum hozzaszol opini".split()
)
"""One of these is in all that says "comment"."""
_MAY_BE_COMMENT = Phrases(IN_COMMENT)
_HEADING = re.compile(
    r"\W*(?:(?:\d+(?:[.,]\d{3})*|no|one|all|reader|user|leser|alle|customer|guest)\W*)?"
    r"(?:(?:[ck]omm?ent\w{0,6}|responses|replies|(?:users |people )?responded|"
    r"dis[ck]uss?i[oó]n\w{0,2}|reacties|r[eé]a[ckt]+i?on\w*|opinie|yorum\w*|комментари\w+|"
    r"коментар\w*|отзывы|σχόλια|(?:ال)?تعليقات|תגובות|bình luận|hozzászólás\w*|コメント|评论|評論|"
    r"留言|댓글)(?:\W*\d[\d.,]*|\W+[^\W\d]\w*){0,6}|"
    r"(?:(?:kunden|gäste)?bewertungen|rezensionen|reviews|reseñas|recensioni|avaliações|recenzje|"
    r"avis clients)(?:\W*\d[\d.,]*)?)\W*"
)  # a short line, in lower case without white space around it, that says that comments follow
_SAYS_COMMENT = Phrases(
    "oment omment responses replies responded iscus iskus reac reak reat réac réak réat opinie "
    "bewertung rezension reviews reseñas recension avaliações recenzje avis yorum коммент "
    "коментар отзывы σχόλια تعليقات תגובות bình hozzász コメント 评论 評論 留言 댓글".split()
)  # one of these is in each such line
HEADED, _LONGEST_HEADING, _MOST_HEADINGS = (*HEADINGS, "legend", "strong", "b", "summary"), 80, 8
"""Elements that hold it, its characters, and how many are looked below."""

_REPLY = frozenset(
    "reply antworten répondre responder contestar rispondi ответить відповісти odpowiedz "
    "odpovědět beantwoorden svara svar vastaa vastaus válasz válaszol răspunde απάντηση yanıtla "
    "cevapla balas 返信 返信する 回复 回覆 답글 답글달기 답글쓰기 رد הגב השב".split()
)  # all that a link or button says with which readers answer a comment
_MAY_BE_REPLY = Phrases(_REPLY)

_AGO = (
    r"\s?(?:s|m|h|d|w|mo|y|sec(?:ond)?|min(?:ute)?|hr|hour|day|week|month|year|yr)s?\.?\s"
    r"(?:ago|old)\b"
)
_BACK = (
    # Of other languages; their numbers stand in it, as no other letter begins a date.
    r"(?<=[raeá] )(?:(?<=\b(?:vor|för|for) )|(?<=\bil y a )|(?<=\bhace )|(?<=\bhá ))\d+\s\w|"
    r"\d+\s\w{1,10}\s(?:fa|geleden|sedan|siden|sitten|temu|önce|назад|тому)\b|"
    r"\d+\s?(?:秒|分|小|時|时|天|日|週|周|か|个|個|ヶ|月|年|초|분|시|일|주|개)[^\W\d]{0,2}\s?[前전]"
)
_DATE = re.compile(
    # Of lower case. No other letters begin a date.
    r"\b(?=[\dajfmsondty])(?:(?:19|20)\d\d(?:\b|[年년])|\d{1,2}:\d\d\b|\d{1,2}[/.]\d{1,2}[/.]\d\d\b|"
    rf"(?:\d+|an?){_AGO}|{_BACK}|\d{{1,2}}\s?(?:mo|y|d|h|w)\b|yesterday\b|just now\b|today\b|"
    rf"{ENGLISH_MONTH}\s\d{{1,2}}\b(?![.:/-]\d)|"
    rf"\d{{1,2}}\.?\s{ENGLISH_MONTH}(?:\s['’]\d\d\b|(?=\n|\Z)))"
)
_ELSEWHERE = re.compile(
    r"(?:recent|latest|newest|neu(?:e|est)e|letzte|dernier|ultim|last)[a-z]*[_-]?[ck]omm?ent|"
    r"[ck]omm?ent[a-z]*[_-](?:recent|latest)"
)  # what holds comments on other pages
_DIGITS = re.compile(r"\d+")
_OF_NUMBERS = re.compile(r"\b(\d\d)[/-](\d\d)[/-]\d\d")
_AUTHOR = re.compile(
    r"(?:\A|[\s_-])(?!(?:user|member|profile)[_-]?\w*?(?:title|rank|group|joined|posts|content|text|homepage|id-?\d))"
    r"(?:\w*(?:autho|auto|auteu)r\w*|pseudo|user-?\w*|\w*username|poster\w*|nick\w*|reviewer|fn|name|by(?=\Z|\s)|by-?line|"
    r"member\w*|commenter\w*|creator|profile\w*|person-listing|display-?name|handle)"
    r"(?:\Z|[\s_-])",
    re.IGNORECASE,
)
_MAY_BE_AUTHOR = Phrases(
    "author autor auteur pseudo user poster nick reviewer fn name by member commenter creator "
    "profile person-listing handle".split()
)  # one of these is in each

WHEN = re.compile(
    r"\bat\b|\bon\b|(?<!\w)\d\S*|\b[ap]\.?m\b\.?|[|/@,]|"
    rf"\b{ENGLISH_MONTH}|"
    r"\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b",
    re.IGNORECASE,
)  # what a date is made of, and what stands beside it
_SENTENCE_ENDS = (".", "!", "?", "。", "！", "？")
MOST_BESIDE_DATE = 6
"""Words beside the date in a line about a post; a sentence that holds a date has more."""
_LETTERS = re.compile(r"[^\W\d_]+")


class Siblings(NamedTuple):
    elements: Int
    group: Int  # a number for the parent and the tag of each
    size: Int  # elements of each group
    held: Int  # words in each group that are no links


class PostEvidence:
    """What a page's units are told by; each part is computed once."""

    def __init__(self, page: Page) -> None:
        self.page = page

    @classmethod
    def of(cls, page: Page) -> PostEvidence:
        known: PostEvidence | None = page.notebook.get(__name__)
        if known is None:
            known = page.notebook[__name__] = cls(proxy(page))  # or the page would hold itself
        return known

    @cached_property
    def dated(self) -> Bool:
        """Whether each text node holds the beginning of a date and little else, or is a time."""
        page = self.page
        flags = page.texts_inside(page.has_tag(("time",))) & (page.words > 0)
        stops = np.where(page.words <= SHORT, page.text_stop, 0)  # nothing of longer ones
        spans = zip(page.text_start.tolist(), stops.tolist(), strict=True)
        texts = [page.buffer[start:stop] for start, stop in spans]
        joined = "\n".join(texts)
        lower = joined.lower()
        if len(lower) != len(joined):  # some letters become two
            texts = [text.lower() for text in texts]
            lower = "\n".join(texts)
        places = [match.start() for match in _DATE.finditer(lower)]
        if places:
            ends = np.cumsum([len(text) + 1 for text in texts])
            flags[np.searchsorted(ends, places, side="right")] = True
        return flags

    @cached_property
    def is_day_first(self) -> bool | None:
        """Whether 3/4/2025 is in April, as all dates of the page tell; ``None`` if they do not."""
        texts = self.page.texts(self.dated)
        found = [pair for text in texts for pair in _OF_NUMBERS.findall(text)]
        firsts, others = ({pair[side] > "12" for pair in found} for side in (0, 1))
        return True in firsts if (True in firsts) != (True in others) else None

    @cached_property
    def comment_names(self) -> list[int]:
        """The numbers of the strings that say "comment": on most pages none does."""
        strings = self.page.strings
        if not _MAY_BE_COMMENT.groups_in("\0".join(strings)):
            return []
        return [number for number, name in enumerate(strings) if names_comment(name)]

    @cached_property
    def below_headings(self) -> list[tuple[int, int]]:
        """The elements that hold more than a heading that says "comments", and where this ends."""
        page = self.page
        heads = (page.has_tag(HEADED) & ~page.has_tag(("h1",))).nonzero()[0]  # of the whole page
        if not heads.size or not page.text_start.size:
            return []
        stops = page.last_text[heads]
        begins = page.text_start.take(page.first_text[heads], mode="clip")
        ends = page.text_stop.take(stops - 1, mode="clip")
        if not _SAYS_COMMENT.groups_in_slices(page.buffer, begins, ends, _LONGEST_HEADING):
            return []
        lines = [
            page.buffer[begin:end] if end - begin <= _LONGEST_HEADING else ""
            for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)
        ]
        found: list[tuple[int, int]] = []
        for at, stop, line in zip(heads.tolist(), stops.tolist(), lines, strict=True):
            if _HEADING.fullmatch(line.strip().lower()):
                while at > 0 and page.last_text[at] == stop:
                    at = int(page.parent[at])
                found.append((at, stop))
        return found[:_MOST_HEADINGS]

    @cached_property
    def replies(self) -> Int:
        """Text nodes that are all of a control to answer by."""
        page = self.page
        flags = page.in_link.copy()
        if "button" in page.tag_names:
            flags |= page.texts_inside(page.has_tag(("button",)))
        nodes = (flags & (page.words > 0) & (page.words <= MOST_OF_REPLY)).nonzero()[0]
        slices = page.text_start[nodes], page.text_stop[nodes]
        if not _MAY_BE_REPLY.groups_in_slices(page.buffer, *slices, len(page.buffer)):
            return nodes[:0]
        return nodes[[text.strip().lower() in _REPLY for text in page.texts(nodes)]]

    @cached_property
    def names_author(self) -> Bool:
        """Whether each element is named like an author, and holds little text."""
        page = self.page
        sizes = self.words[page.last_text] - self.words[page.first_text]
        is_short = (sizes > 0) & (sizes <= SHORT)
        if "label" in page.tag_names:  # of a field for a name
            is_short &= page.count_below(page.has_tag(("label",))) == 0
        named = flagged(page, page.class_id[is_short], _names_author)[page.class_id]
        return (named | page.has_tag(("cite",))) & is_short

    @cached_property
    def elsewhere(self) -> Bool:
        """Whether each element stands in what is named as comments on other pages."""
        page = self.page
        named, strings = np.zeros(len(page.strings), dtype=bool), page.strings
        named[[at for at in self.comment_names if _ELSEWHERE.search(strings[at].lower())]] = True
        return page.count_above(named[page.class_id] | named[page.id_id]) > 0

    @cached_property
    def places_elsewhere(self) -> tuple[Int, list[str]]:
        """The links to places on pages: their numbers in the tree, and their paths less digits."""
        places, paths = [], []
        for place, said in self.page.values_with("href"):
            address, _, fragment = said.partition("#")
            if address and fragment:
                places.append(place)
                paths.append(_DIGITS.sub("", address.partition("?")[0]))
        return np.array(places, dtype=np.int64), paths

    @cached_property
    def has_marks(self) -> bool:
        return bool(self.dated.any() or self.names_author.any())

    @cached_property
    def siblings(self) -> Siblings:
        page, (begin, end) = self.page, self.page.blocks_in(slice(None))
        first, last = page.first_text, page.last_text
        may_be = (end - begin >= LEAST_BLOCKS) & (page.parent >= 0)
        may_be &= self.words[last] - self.words[first] >= LEAST_WORDS
        elements = may_be.nonzero()[0]
        keys = page.parent[elements].astype(np.int64) * len(page.names) + page.tag[elements]
        group = number_keys(keys)
        own = self.running[last[elements]] - self.running[first[elements]]
        return Siblings(elements, group, np.bincount(group), np.bincount(group, own))

    @cached_property
    def block_of(self) -> Int:
        return self.page.block_of(np.arange(self.page.text_at.size))

    # -- sums before each text node, or element --------------------------------------------------

    @cached_property
    def words(self) -> Int:
        return cumulative(self.page.words)

    @cached_property
    def running(self) -> Int:
        return cumulative(self.page.words * ~self.page.in_link)

    @cached_property
    def said(self) -> Int:
        """Words before each text node that are neither links nor in the name of an author."""
        page = self.page
        return cumulative(page.words * ~(page.in_link | page.texts_inside(self.names_author)))

    @cached_property
    def headings(self) -> Bool:
        return self.page.texts_inside(self.page.has_tag(HEADINGS))

    @cached_property
    def dates(self) -> Int:
        return cumulative(self.dated)

    @cached_property
    def authors(self) -> Int:
        return cumulative(self.names_author)

    @cached_property
    def beside_dates(self) -> Int:
        """The elements of the parent that has most words beside short ones with a date."""
        page, words, dates = self.page, self.words, self.dates
        if dates[-1] < 2:
            return page.parent[:0]
        first, last = page.first_text, page.last_text
        is_dated, parent = dates[last] > dates[first], np.maximum(page.parent, 0)
        size = words[last] - words[first]
        lines = np.bincount(parent, is_dated & (size <= 2 * SHORT))
        held = np.bincount(parent, np.where(is_dated, 0, size)) * (lines > 1)
        best = int(held.argmax())
        if held[best] <= LEAST_SHARE * words[-1]:
            return page.parent[:0]
        return ((parent == best) & (last > first)).nonzero()[0]

    @cached_property
    def linked_headings(self) -> Int:
        """Links in headings before each text node, as in lists of articles."""
        page = self.page
        elsewhere = page.in_link & ~self.dated & (page.fragment[page.text_parent] == 0)
        return cumulative(page.texts_inside(page.has_tag(("h1", "h2"))) & elsewhere)


def names_comment(name: str) -> bool:
    return bool(_MAY_BE_COMMENT.groups_in(name) and COMMENT.search(name.lower()))


def used(numbers: Int) -> list[int]:
    return np.bincount(numbers, minlength=1).nonzero()[0].tolist()


def flagged(page: Page, numbers: Int, holds: Callable[[str], object]) -> Bool:
    """Return for each string of *page* whether it is one of these *numbers* and *holds*."""
    flags = np.zeros(len(page.strings), dtype=bool)
    flags[[number for number in used(numbers) if holds(page.strings[number])]] = True
    return flags


def _names_author(name: str) -> bool:
    return len(name) < 200 and bool(_MAY_BE_AUTHOR.groups_in(name) and _AUTHOR.search(name))


def has_date(text: str) -> bool:
    return bool(_DATE.search(text.lower()))


def is_date_line(line: str, most: int = MOST_BESIDE_DATE) -> bool:
    """Return whether a line with a date says when and by whom, and is no sentence."""
    # *most* is the number of words beside the date.
    others = len(_LETTERS.findall(WHEN.sub(" ", line)))
    is_sentence = line.endswith(_SENTENCE_ENDS) and not line.endswith(("a.m.", "p.m."))
    return others <= (min(most, 1) if is_sentence else most)
