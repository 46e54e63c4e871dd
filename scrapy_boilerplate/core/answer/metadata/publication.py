"""Dates of a page's publication and of its last change: which of the dates on it they are.

Every date is a candidate: declared, in an attribute of an element, in a short line, in the address.
The label beside it tells whether it is of the publication, of a change, or of something else.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np

import scrapy_boilerplate.core.answer.metadata._evidence_native as native
from scrapy_boilerplate.core.answer.metadata.choosing import TRUST, WEIGHTS, Candidate, choose
from scrapy_boilerplate.core.answer.metadata.dates import (
    is_day_first,
    read_date,
    url_date,
    written_dates,
)
from scrapy_boilerplate.core.answer.metadata.declared import Declared
from scrapy_boilerplate.core.answer.metadata.labels import (
    Label,
    is_other,
    label_before,
    label_of_name,
    labels,
)
from scrapy_boilerplate.core.answer.metadata.visible import Spot, Visible
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.addresses import parts_of

_PROPERTIES: tuple[tuple[Label, tuple[str, ...]], ...] = (
    ("published", ("datePublished", "datePosted")),
    ("updated", ("dateModified", "dateUpdated")),
    ("published", ("dateCreated", "uploadDate")),
)
_METAS: Mapping[str, Label] = {
    **dict.fromkeys(
        "article:published_time og:article:published_time datepublished og:published_time "
        "parsely-pub-date sailthru.date pubdate bt:pubdate cxenseparse:publishtime "
        "citation_publication_date citation_online_date citation_date dc.date.issued "
        "dc:date.issued dcterms.issued dcterms:issued dc.date dc:date dcterms.date dcterms:date "
        "publish-date publish_date publishdate publication_date publicationdate date release_date "
        "og:release_date "
        "dcterms.created dcterms:created dc.date.created dc.created schema:datepublished "
        "datecreated originalpublicationdate article.published published og:publish_date "
        "article:published article:create_at weibo:article:create_at published_at".split(),
        "published",
    ),
    **dict.fromkeys(
        "article:modified_time og:article:modified_time og:updated_time datemodified "
        "dcterms.modified dcterms:modified dc.date.modified dc:modified schema:datemodified "
        "article:modified article:updated weibo:article:update_at last-modified last_modified "
        "lastmodified lastmod last-update revised article.updated updated_at".split(),
        "updated",
    ),
}  # what declares a date, the most trustworthy first
_TEMPLATES = (
    "1970-01-01",
    "1900-01-01",
    "1899-12-30",
    "2038-01-19",
    "2099",
)  # days that stand for no date
_FIRST_YEAR = "1995"  # year before which no page was published, but for what it declares


def page_dates(declared: Declared, visible: Visible, language: str) -> dict[str, tuple[Any, ...]]:
    found = date_candidates(declared, visible, language)
    # Of several changes the last one, of declared ones the first.
    changes = sorted(filter(_is_change, found), key=lambda each: each.value, reverse=True)
    chosen: dict[str, tuple[Any, ...]] = {}
    for name, label, dates in (
        ("date_published", "published", [each for each in found if not _is_change(each)]),
        ("date_modified", "updated", changes),
    ):
        each, confidence = choose(dates, WEIGHTS["date"], TRUST[label], same=len("2025-05-04"))
        if each is not None:
            chosen[name] = each.value, each.source, confidence
            chosen[f"{name}_raw"] = each.raw, each.source
    return chosen


def _is_change(candidate: Candidate) -> bool:
    return candidate.label == "updated"


def date_candidates(declared: Declared, visible: Visible, language: str) -> list[Candidate]:
    if language == "en":
        language = declared.meta("og:locale").replace("_", "-") or language
    day_first = is_day_first(language)
    found = list(_declared(declared, day_first))
    known = {each.label for each in found}
    if len(known) < 2:
        shown = _shown(visible, declared.url, language, day_first)
        found += (each for each in shown if each.label not in known or "updated" not in known)
    return found


def _declared(declared: Declared, day_first: bool) -> Iterator[Candidate]:
    texts: list[tuple[Label, str, str]] = []
    subject = declared.subject
    for entity in subject.dated:
        texts += [(kind, entity.source, entity.text(*names)) for kind, names in _PROPERTIES]
    for name, values in declared.among(_METAS):
        if name not in _OF_ITEMS or len(set(values)) == 1:
            texts.append((_METAS[name], name, values[0]))
    if subject.main is not None and subject.main not in subject.dated:
        texts.append(
            ("published", subject.main.source, subject.main.text("datePublished", "uploadDate"))
        )
    known = set()
    for number, (kind, source, text) in enumerate(texts):
        date = text and kind not in known and read_date(text, day_first=day_first)
        if date and not date.startswith(_TEMPLATES):
            known.add(kind)
            yield Candidate(date, source, {"declared": 1, "order": number}, text, kind)


_OF_ITEMS = ("datepublished", "datecreated", "datemodified")
"""Names that elements inside of teasers and comments have, too."""

# -- what a reader sees ----------------------------------------------------------------------------

_TIMES = ("time", "relative-time", "time-ago", "local-time")  # elements that are a point in time
_MOMENT = re.compile(r"date|time|publish|creat|issued|modif|updat", re.IGNORECASE)
_NO_TITLES = ("a", "img", "iframe", "link", "button", "input", "svg")
"""Elements whose ``title`` is that of something else."""
_DIGIT = re.compile(r"\d")
_LETTERS = re.compile(r"[^\W\d]{2,}")
_SIGN = "\x00"  # what stands for a date in an attribute, in the text of its line
_AFTER, _BEFORE, _LAST = 40, 10, 10
"""Blocks with a year that are read after the title, before it, and at the end of the page."""
_SHORT_LINE, _LONG = 8, 25  # words of a line
_LETTERS_A_WORD = 3
_COPYRIGHT = re.compile(r"©|\(c\)|copyright|all rights reserved", re.IGNORECASE)
_ENDS = re.compile(r"[.!?。！？][\"'”»)]*\s*\Z")
_DATELINE = re.compile(r"(?:[^.!?]{2,40}[,/(–—-])?\s*")
_DASH = re.compile(r"[)\s]*(?:\([^()]{1,30}\)\s*|/[^/]{1,30}/\s*)?[–—-]")
"""What stands before and after the date that begins a text: "TALHEIM, May 4, 2025 (AP) —"."""
_TO = re.compile(r"(?i)\s?(?:[–—-]|to|until|bis|au|al|do|до)\s(?:\w{2,12}[.,]?\s)?")
"""What stands between two dates that are a life, an event or a term."""
_PROSE, _BESIDE_DATE = 7, 3
"""Words from which on a line that ends as a sentence does is one, unless so few are no date."""


class _Dated(NamedTuple):
    """A date in a line, or in an attribute of an element, which is then a stamp."""

    spot: Spot
    date: str
    raw: str
    label: Label
    words: int  # words of the line
    is_named: bool  # a class says that it is a date
    is_guess: bool  # whether only a class says the label: it may be that of every date of the site


_Stamps: TypeAlias = list[tuple[int, _Dated]]  # stamps in a line, and where they stand


def _shown(visible: Visible, url: str, language: str, day_first: bool) -> list[Candidate]:
    in_address = url_date(url)
    found = [Candidate(in_address, "url", {"url": 1})] if in_address else []
    is_home = bool(url) and len(parts_of(url).path) < 2 and not parts_of(url).query
    dated = [
        each
        for each in _dated(visible, language, day_first)
        if each.date >= _FIRST_YEAR and not each.date.startswith(_TEMPLATES)
        if each.label == "updated" or not is_home
    ]
    if all(each.label == "updated" for each in dated if not visible.is_beside(each.spot.element)):
        dated = [each._replace(label="") if each.is_guess else each for each in dated]
    days = [each.date[:10] for each in dated]
    spots = [each.spot for each in dated]
    seen = {each.date[:10] for each in dated if not visible.is_beside(each.spot.element)}
    places = visible.facts(spots, days)
    for each, facts in zip(dated, places, strict=True):
        facts |= {
            "label": bool(each.label),
            "change": each.label == "updated" and not each.is_guess and each.words <= _LONG,
            "class": each.is_named,
            "short": each.words <= _SHORT_LINE,
            "long": each.words > _LONG,
            "same day in address": in_address[:10] == each.date[:10],
        }
        if facts["change"] or (facts["label"] and not each.is_guess and "far" not in facts):
            facts.pop("beside", None)  # such as the foot of the page
        if "beside" in facts:
            facts.pop("near title", None)  # which a list beside a short text is, too
        else:
            facts["only day"] = len(seen) == 1
        found.append(Candidate(each.date, each.spot.source, facts, each.raw, each.label))
    return found


def _dated(visible: Visible, language: str, day_first: bool) -> Iterator[_Dated]:
    around = visible.around
    inside: dict[int, _Dated] = {}  # stamps that stand for the text of their element
    others: list[_Dated] = []
    for each in _stamps(visible, day_first):
        if not around[each.spot.element] & native.IN_COMMENTS:
            if visible.is_short(each.spot.element):
                inside[each.spot.first] = each
            else:
                others.append(each)
    yield from (each for each in others if each.spot.first not in inside)
    for block, line, held in _lines(visible, inside):
        yield from _of_line(visible, block, line, held, language, day_first)


def _stamps(visible: Visible, day_first: bool) -> Iterator[_Dated]:
    page, marked = visible.page, visible.marked
    elements = [element for element, _ in marked]
    are_links, are_times = (page.has_tag(each)[elements] for each in (_NO_TITLES, _TIMES))
    tags = are_links.tolist(), are_times.tolist()
    for (element, said_by), is_link, is_time in zip(marked, *tags, strict=True):
        itemprop, property_, moment, title, _ = said_by
        own = f"{itemprop} {property_}"
        if is_link and own == " ":
            continue
        text = date = ""
        source = "time" if is_time else "microdata" if itemprop else "rdfa"
        if is_time or (own != " " and _MOMENT.search(own)):
            text = moment
            date = read_date(text, day_first=day_first)
        if not date and _is_date(title):
            text = title
            date = read_date(text, day_first=day_first)
            source = "time" if is_time else "title"
        if date:
            said = label_of_name(own) or _label_inside(visible, element)
            label = said or _label_of_classes(page, element)
            spot = Spot(source, element, int(page.first_text[element]), "")
            yield _Dated(spot, date, text, label, 1, False, not said)


def _label_of_classes(page: Page, element: int) -> Label:
    """Return the label that the class of an element says, or of one around that holds no more."""
    first, last = page.first_text[element], page.last_text[element]
    while element > 0 and (page.first_text[element], page.last_text[element]) == (first, last):
        if label := label_of_name(page.strings[page.class_id[element]]):
            return label
        element = int(page.parent[element])
    return ""


def _label_inside(visible: Visible, element: int) -> Label:
    """Return the label that stands before the first digit in a short element."""
    if not visible.is_short(element):
        return ""
    first, last = int(visible.page.first_text[element]), int(visible.page.last_text[element])
    return label_before(_DIGIT.split(visible.page.lay_out(first, last), 1)[0])


def _is_date(text: str) -> bool:
    """Return whether a text is a date, with next to nothing around it."""
    if not 6 <= len(text) <= 60 or not any(map(str.isdigit, text)):
        return False
    found = written_dates(text)
    return (
        bool(found) and len(_LETTERS.findall(text[: found[0].start] + text[found[0].stop :])) <= 2
    )


def _lines(visible: Visible, stamps: dict[int, _Dated]) -> Iterator[tuple[int, str, _Stamps]]:
    """Yield the blocks that may hold a date of the page, those after the title first.

    With each its text, which has a sign for each stamp, and where these stand.
    """
    page, around = visible.page, visible.around
    title = max(visible.title_block, 0)
    begin = int(page.text_start[page.blocks[max(title - _AFTER, 0), 0]]) if len(page.blocks) else 0
    after = page.text_stop.searchsorted(native.years_in(page.buffer, begin), side="right")
    numbers = visible.page.block_of([*after.tolist(), *stamps])
    found = sorted({*numbers.tolist()} - {-1})
    split = bisect_right(found, title)
    later = found[split:]
    if len(later) > _AFTER + _LAST:
        later = later[:_AFTER] + later[-_LAST:]
    blocks = np.array(later + found[:split][: -_BEFORE - 1 : -1], dtype=np.int64)
    spans = page.blocks[blocks]
    is_read = visible.words[spans[:, 1]] - visible.words[spans[:, 0]] <= 3 * _LONG
    is_read &= around[page.text_parent[spans[:, 0]]] & (native.IN_COMMENTS | native.CODE) == 0
    held = sorted(stamps)
    rows = spans[is_read]
    texts = page.lay_out_all(rows)
    for block, (start, stop), text in zip(
        blocks[is_read].tolist(), rows.tolist(), texts, strict=True
    ):
        at = bisect_left(held, start)
        if at < len(held) and held[at] < stop:
            yield block, *_with_signs(page, start, stop, stamps)
        else:
            yield block, " ".join(text.split()), []


def _of_line(
    visible: Visible, block: int, line: str, held: _Stamps, language: str, day_first: bool
) -> Iterator[_Dated]:
    """Yield the dates of a block of text; a stamp stands for the text of its element."""
    dates = written_dates(line, day_first=day_first)
    if not (dates or held):
        return
    page = visible.page
    start, stop = page.blocks[block].tolist()
    # A character of Chinese counts as a word.
    words = min(int(visible.words[stop] - visible.words[start]), len(line) // _LETTERS_A_WORD)
    parent = int(page.text_parent[start])
    above = int(page.parent[parent])
    near = (parent, above, int(page.parent[above]) if above >= 0 else -1)
    is_named = any(visible.roles[each] & native.DATE for each in near if each >= 0)
    spot = Spot("class" if is_named else "text", parent, start, line)
    found = [(at, at + 1, stamp) for at, stamp in held]
    for a, b, date in dates:
        raw = line[a:b].strip()
        found.append((a, b, _Dated(spot, date, raw, "", words, is_named, True)))
    found.sort(key=lambda each: each[0])
    edges = [0, *(edge for each in found for edge in each[:2]), len(line)]
    around = [line[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]
    is_dateline = _DATELINE.fullmatch(around[0]) and _DASH.match(around[1])
    if not around[0].strip():
        around[0] = _label_line(visible, block)
    is_prose = words >= _PROSE and not is_dateline and bool(_ENDS.search(line))
    is_prose = is_prose and len(_LETTERS.findall(" ".join(around))) > _BESIDE_DATE
    is_other_line = is_prose or bool(_COPYRIGHT.search(line))
    told = labels(around, language)
    firsts = (
        at for at, text in enumerate(around[1:-1]) if _TO.fullmatch(text) and not told[at + 1]
    )
    in_range = {each for first in firsts for each in (first, first + 1)}
    for at, ((*_, each), beside, label) in enumerate(zip(found, around, told, strict=False)):
        is_stamp = each.spot is not spot
        is_other_date = at in in_range or is_other(beside)
        if not is_other_date and (label or is_stamp or not is_other_line):
            is_guess = each.is_guess and bool(each.label) and not label
            own = label if each.spot is spot and label else each.label or label
            yield each._replace(label=own, words=words, is_named=is_named, is_guess=is_guess)


def _with_signs(
    page: Page, start: int, stop: int, stamps: dict[int, _Dated]
) -> tuple[str, _Stamps]:
    line, places, at = "", list[tuple[int, _Dated]](), start
    for first in range(start, stop):
        if first >= at and first in stamps:
            line += " ".join(page.lay_out(at, first).split()) + " "
            places.append((len(line), stamps[first]))
            line += f"{_SIGN} "
            at = max(int(page.last_text[stamps[first].spot.element]), first + 1)
    return line + " ".join(page.lay_out(at, max(at, stop)).split()), places


def _label_line(visible: Visible, block: int) -> str:
    """Return the line before a block if it is so short that it may be a label for it."""
    page = visible.page
    if block <= 0:
        return ""
    start, stop = page.blocks[block - 1].tolist()
    if visible.words[stop] - visible.words[start] > 3:
        return ""
    return " ".join(page.lay_out(start, stop).split())
