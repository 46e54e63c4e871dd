"""Dates of publication and of the last change: how pages write them, and which are candidates.

Every date on a page is a candidate: declared, in a ``time`` element, in an element named a date, in
a line near the title, in the address. The label beside it tells whether it is of the publication or
of a change.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import NamedTuple, TypeAlias

from scrapy_boilerplate.core.answer.metadata.choosing import WEIGHTS, Candidate, Label, choose
from scrapy_boilerplate.core.answer.metadata.declared import Declared
from scrapy_boilerplate.core.answer.metadata.visible import DATE, Spot, Visible
from scrapy_boilerplate.core.page.lenient import attribute_of

LONGEST = 200
"""Characters of a text that a date is looked for in."""

# -- dates as pages write them -----------------------------------------------------------------

_MONTHS = {
    name: number
    for number, names in enumerate(
        (  # full names and abbreviations, by the order of languages below
            "january jan januar januari janvier janv enero ene janeiro gennaio gen января янв "
            "январь stycznia styczeń sty január ocak oca يناير كانون_الثاني ledna leden січня "
            "ιανουαρίου ιαν jänner",
            "february feb februar februari febrero fevereiro fev février févr fév febbraio "
            "февраля фев февраль lutego luty lut február febr şubat şub فبراير شباط února únor "
            "лютого φεβρουαρίου φεβ",
            "march mar märz mrz maart mrt mars marzo março марта март marca marzec március márc "
            "mart مارس آذار března březen березня μαρτίου μαρ marts maret",
            "april apr avril avr abril abr aprile апреля апр апрель kwietnia kwiecień kwi április "
            "ápr nisan nis أبريل ابريل نيسان dubna duben квітня απριλίου απρ",
            "may mai mei mayo maio maggio mag мая май maja maj május máj mayıs مايو أيار května "
            "květen травня μαΐου μαϊου μαι",
            "june jun juni junio junho juin giugno giu июня июн июнь czerwca czerwiec cze június "
            "jún haziran haz يونيو حزيران června červen червня ιουνίου ιουν",
            "july jul juli julio julho juillet juil luglio lug июля июл июль lipca lipiec lip "
            "július júl temmuz tem يوليو تموز července červenec липня ιουλίου ιουλ",
            "august aug augustus augusti agosto ago août aoû августа авг август sierpnia sierpień "
            "sie augusztus ağustos ağu أغسطس اغسطس آب srpna srpen серпня αυγούστου αυγ agustus",
            "september sept sep septiembre setembro set septembre settembre сентября сен сент "
            "сентябрь września wrzesień wrz szeptember szept eylül eyl سبتمبر أيلول září вересня "
            "σεπτεμβρίου σεπ σεπτ",
            "october oct oktober okt octubre outubro out octobre ottobre ott октября окт октябрь "
            "października październik paź október ekim eki أكتوبر اكتوبر تشرين_الأول října říjen "
            "жовтня οκτωβρίου οκτ",
            "november nov noviembre novembro novembre ноября ноя нояб ноябрь listopada listopad "
            "lis kasım kas نوفمبر تشرين_الثاني listopadu νοεμβρίου νοε",
            "december dec dezember dez diciembre dic dezembro décembre déc dicembre декабря дек "
            "декабрь grudnia grudzień gru aralık ara ديسمبر كانون_الأول prosince prosinec грудня "
            "δεκεμβρίου δεκ desember",
        ),
        start=1,
    )
    for name in names.split()
}
"""Names of months in English, German, Dutch, French, Spanish, Portuguese, Italian, Russian, Polish,
Hungarian, Turkish, Arabic, Czech, Ukrainian and Greek."""

ENGLISH_MONTH = "jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec"
"""The beginning of a month's name, in lower case, as a pattern."""

# All repetitions are bounded, and no text is longer than LONGEST: no backtracking that matters.
_MONTH = r"\b(?P<name>[^\W\d_]{3,12}(?:\s(?:الأول|الثاني))?)\b\.?"
_TIME = (
    r"(?:(?:\sг\.)?[T\s,|–-]{1,4}(?:(?:at|um|à|às|alle|om|в|a las)\s{1,2})?"
    r"(?P<hour>\d{1,2})[:h](?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d{1,9})?)?"
    r"\s?(?P<half>[ap]\.?m\b)?\s?(?P<zone>Z\b|UTC\b|GMT\b|[+-]\d\d:?\d\d(?!\d)|[+-]\d\d(?![\d:]))?)?"
)
_YEAR, _DAY = r"(?P<year>(?:19|20)\d\d)", r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|°)?"
_OF = r"(?:(?:of|de|del|di)\s+)?"
_FORMS = [
    re.compile(form + _TIME, re.IGNORECASE)
    for form in (
        rf"(?<!\d){_YEAR}-(?P<month>\d{{1,2}})-(?P<day>\d{{1,2}})(?!\d)",
        rf"(?<!\d){_YEAR}(?P<sep>[/.])\s?(?P<month>\d{{1,2}})(?P=sep)\s?(?P<day>\d{{1,2}})(?!\d)",
        rf"(?<!\d){_YEAR}\s?[年년]\s?(?P<month>\d{{1,2}})\s?[月월]\s?(?P<day>\d{{1,2}})\s?[日일]",
        rf"{_MONTH}\s{{0,3}}{_DAY},?\s+{_OF}{_YEAR}(?!\d)",
        rf"(?<!\d){_DAY}[\s.,-]{{0,3}}{_OF}{_MONTH}[\s,-]{{0,3}}{_OF}{_YEAR}(?!\d)",
        rf"(?<!\d){_YEAR}\.?[\s-]{_MONTH}[\s-]{_DAY}(?!\d)",
        rf"(?<!\d)(?P<first>\d{{1,2}})(?P<sep>[/.-])\s?(?P<other>\d{{1,2}})(?P=sep)\s?{_YEAR}(?!\d)",
    )
]
_COMPACT = re.compile(r"(?P<year>(?:19|20)\d\d)(?P<month>[01]\d)(?P<day>[0-3]\d)(?!\d)" + _TIME)
_HAS_YEAR = re.compile(r"(?:19|20)\d\d|[\u0660-\u0669\u06f0-\u06f9]{4}")
_IN_ADDRESS = re.compile(
    r"[/_-]((?:19|20)\d\d)(?:[/_-]([01]?\d)[/_-]([0-3]?\d)|([01]\d)([0-3]\d))(?!\d)"
)
_EPOCH = re.compile(r"\d{10}(?:\d{3})?")
_DIGITS = {
    start + value: str(value) for start in (0x660, 0x6F0, 0xFF10, 0x966) for value in range(10)
}
"""Digits of other scripts: Arabic, Persian, full width, Devanagari."""


class Written(NamedTuple):
    """A date in a text."""

    start: int
    stop: int
    date: str
    """ISO 8601."""


def read_date(text: str, *, day_first: bool = False) -> str:
    """Return the date that *text* is, in ISO 8601; empty if it is none.

    Its time and zone are kept if it has them. *day_first* tells what 3/4/2025 means.

    >>> read_date("Sept. 4th, 2025 at 3:05 PM"), read_date("2025-09-04T10:00:00+0200")
    ('2025-09-04T15:05:00', '2025-09-04T10:00:00+02:00')
    >>> read_date("3/4/2025"), read_date("3/4/2025", day_first=True), read_date("31/31/2025")
    ('2025-03-04', '2025-04-03', '')
    """
    text = " ".join(text[:LONGEST].split())
    if _EPOCH.fullmatch(text):
        return datetime.fromtimestamp(int(text[:10]), timezone.utc).isoformat()
    compact = _COMPACT.match(text)  # which in other texts is any number
    return find_date(text, day_first=day_first) or (
        _date(compact.groupdict(), day_first) if compact else ""
    )


def find_date(text: str, *, day_first: bool = False) -> str:
    """Return the first date in a short text, in ISO 8601; empty without one.

    >>> find_date("By Ada Lovelace | Updated 4 mars 2025 | 3 min read"), find_date("٤ مارس ٢٠٢٥")
    ('2025-03-04', '2025-03-04')
    """
    return next((each.date for each in written_dates(text, day_first=day_first)), "")


def written_dates(text: str, *, day_first: bool = False) -> list[Written]:
    """Return the dates in a short text, in their order.

    >>> [each.date for each in written_dates("4 May 2025, again on 5 May 2025 at 9:30 am")]
    ['2025-05-04', '2025-05-05T09:30:00']
    """
    text = text[:LONGEST]
    if not text.isascii():
        text = text.translate(_DIGITS)
    if not _HAS_YEAR.search(text):
        return []
    found = []
    for form in _FORMS:
        for match in form.finditer(text):
            date = _date(match.groupdict(), day_first)
            if date:
                found.append(Written(match.start(), match.end(), date))
    found.sort(key=lambda each: (each.start, -each.stop))
    apart: list[Written] = []
    for each in found:
        if not apart or each.start >= apart[-1].stop:
            apart.append(each)
    return apart


def url_date(url: str) -> str:
    """Return the date in an address, the year and month at least; empty without one.

    >>> url_date("https://example.com/2025/09/04/a-title"), url_date("https://example.com/a-12")
    ('2025-09-04', '')
    """
    found = _IN_ADDRESS.finditer(url[:LONGEST])
    dates = (_iso(*map(int, filter(None, match.groups()))) for match in found)
    return next(filter(None, dates), "")


def _date(parts: dict[str, str | None], day_first: bool) -> str:
    month, day = _month_and_day(parts, day_first)
    date = _iso(int(parts["year"] or 0), month, day)
    return date + _time(parts) if date else ""


def _month_and_day(parts: dict[str, str | None], day_first: bool) -> tuple[int, int]:
    name = parts.get("name")
    if name:
        return _MONTHS.get(name.lower().replace(" ", "_"), 0), int(parts["day"] or 0)
    if parts.get("first") is None:
        return int(parts["month"] or 0), int(parts["day"] or 0)
    first, other = int(parts["first"] or 0), int(parts["other"] or 0)
    is_day_first = day_first or parts["sep"] == "." or first > 12
    if is_day_first and other <= 12:
        return other, first
    return first, other


def _iso(year: int, month: int, day: int) -> str:
    if not (1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]):
        return ""
    return f"{year:04}-{month:02}-{day:02}"


def _time(parts: dict[str, str | None]) -> str:
    if parts.get("hour") is None:
        return ""
    hour, minute, second = (int(parts[name] or 0) for name in ("hour", "minute", "second"))
    half = (parts["half"] or "")[:1].lower()
    if half and 1 <= hour <= 12:
        hour = hour % 12 + 12 * (half == "p")
    if hour > 23 or minute > 59 or second > 59:
        return ""
    return f"T{hour:02}:{minute:02}:{second:02}{_zone(parts['zone'] or '')}"


def _zone(zone: str) -> str:
    if not zone:
        return ""
    if zone[0] not in "+-":
        return "+00:00"
    digits = zone[1:].replace(":", "")
    return f"{zone[0]}{digits[:2]}:{digits[2:] or '00'}"


# -- labels ------------------------------------------------------------------------------------

_LABEL = re.compile(
    # English, German, French, Spanish, Portuguese, Italian, Polish, Hungarian, Turkish, Dutch
    r"(?P<updated>\b(?:last\s+)?(?:updated?|modified|edited|revised|amended|"
    r"aktualisiert|geändert|überarbeitet|stand|mise?\s+à\s+jour|modifiée?|actualisée?|"
    r"actualizad[oa]|modificad[oa]|atualizad[oa]|modificat[oa]|aggiornat[oa]|aggiornamento|"
    r"zaktualizowan|aktualizacj|modyfikacj|frissít|módosít|güncelle|bijgewerkt|gewijzigd)|"
    # Russian, Arabic, Greek, Chinese, Japanese
    r"обновл|измен[её]н|редакци|تحديث|تعديل|ενημ[εέ]ρ|(?:更新|修改|修订|修訂)(?:时间|時間|日期)?)|"
    r"(?P<published>\b(?:publish|posted|created|released|first\s+seen|date\b|"
    r"veröffentlicht|erschienen|publiziert|erstellt|publiée?|mise?\s+en\s+ligne|parue?\b|"
    r"publicad[oa]|fecha|pubblicat[oa]|opublikowan|publikacji|dodano|közzété|megjelen|publikál|"
    r"yayın|eklenme|gepubliceerd|geplaatst)|"
    r"опубликован|публикации|размещен|نشر|δημοσ|发布|發布|发表|發表|發佈|刊登|時間|时间|公開|掲載|投稿|配信)",
    re.IGNORECASE,
)
_LABEL_BEFORE = 60
"""Characters before a date that may label it."""


def labelled_dates(text: str, *, day_first: bool = False) -> list[tuple[Written, Label]]:
    """Return the dates of a line, each with its label: the one before it, else the one after it.

    >>> line = "Published 4 March 2026. Last updated 5 March 2026."
    >>> [(each.date, label) for each, label in labelled_dates(line)]
    [('2026-03-04', 'published'), ('2026-03-05', 'updated')]
    """
    dates = written_dates(text, day_first=day_first)
    edges = [0, *(each.stop for each in dates)]
    before = [text[a : each.start][-_LABEL_BEFORE:] for a, each in zip(edges, dates, strict=False)]
    after = text[edges[-1] : edges[-1] + _LABEL_BEFORE]
    if dates and not label_of(before[0]) and label_of(after):
        return [
            (each, label_of(beside, first=True))
            for each, beside in zip(dates, [*before[1:], after], strict=True)
        ]
    return [(each, label_of(beside)) for each, beside in zip(dates, before, strict=True)]


def label_of(text: str, *, first: bool = False) -> Label:
    """Return the last label in a text, or the *first* one."""
    matches = _LABEL.finditer(text)
    kinds: list[Label] = ["updated" if match["updated"] else "published" for match in matches]
    return kinds[0 if first else -1] if kinds else ""


def before_label(text: str) -> str:
    """Return what stands before the first label in a text; all of it without one."""
    match = _LABEL.search(text)
    return text[: match.start()] if match else text


# -- candidates --------------------------------------------------------------------------------

NEAR = 80
"""Blocks after the title that are looked at."""
_SHORT, _LONG = 8, 25
"""Words of a line."""

_PROPERTIES: tuple[tuple[Label, tuple[str, ...]], ...] = (
    ("published", ("datePublished",)),
    ("updated", ("dateModified",)),
    ("published", ("dateCreated", "uploadDate")),
)
_METAS: tuple[tuple[Label, list[str]], ...] = (
    (
        "published",
        "article:published_time og:article:published_time datepublished og:published_time "
        "parsely-pub-date sailthru.date pubdate cxenseparse:publishtime citation_publication_date "
        "citation_date dc.date.issued dcterms.issued dc.date publish-date publish_date date "
        "dcterms.created dc.date.created originalpublicationdate article.published published "
        "og:publish_date".split(),
    ),
    (
        "updated",
        "article:modified_time og:article:modified_time og:updated_time datemodified "
        "dcterms.modified dc.date.modified last-modified lastmod revised article.updated".split(),
    ),
)
"""What declares a date, the most trustworthy first."""
_DAY_FIRST = "en-gb en-au en-nz en-ie en-in en-za".split()


def page_dates(declared: Declared, visible: Visible, language: str) -> dict[str, tuple[str, str]]:
    """Return the dates of publication and of the last change, with where they stand.

    Their keys are those of :class:`~scrapy_boilerplate.core.answer.metadata.Metadata`; a date
    that is not known is missing.
    """
    found = date_candidates(declared, visible, language)
    chosen: dict[str, tuple[str, str]] = {}
    for name, is_change in (("date_published", False), ("date_modified", True)):
        fitting = (each for each in found if (each.label == "updated") == is_change)
        best = choose(fitting, WEIGHTS["date"])
        if best is not None:
            chosen[name] = best.value, best.source
            chosen[f"{name}_raw"] = best.raw, best.source
    return chosen


def date_candidates(declared: Declared, visible: Visible, language: str) -> list[Candidate]:
    """Return the dates of a page; what a reader sees counts where no publication is declared."""
    code = language.lower()
    day_first = bool(code) and (not code.startswith("en") or code in _DAY_FIRST)
    found = list(_declared(declared, day_first))
    if all(each.label == "updated" for each in found):
        found += _shown(visible, declared.url, day_first)
    return found


def _declared(declared: Declared, day_first: bool) -> Iterator[Candidate]:
    texts: list[tuple[Label, str, str]] = []
    for entity in declared.subject.entities:
        texts += [(kind, entity.source, entity.text(*names)) for kind, names in _PROPERTIES]
    for kind, metas in _METAS:
        texts += [(kind, each, declared.metas[each][0]) for each in metas if each in declared.metas]
    for number, (kind, source, text) in enumerate(texts):
        date = read_date(text, day_first=day_first)
        if date:
            yield Candidate(date, source, {"declared": 1, "order": number}, text, kind)


_Shown: TypeAlias = "tuple[Spot, str, str, Label, int]"
"""A date that a reader sees: its place, itself, how it is written, its label, words of its line."""


def _shown(visible: Visible, url: str, day_first: bool) -> Iterator[Candidate]:
    in_address = url_date(url)
    if in_address:
        yield Candidate(in_address, "url", {"url": 1})
    shown = [*_in_times(visible, day_first), *_in_lines(visible, day_first)]
    days = [date[:10] for _, date, *_ in shown]
    spots = [spot for spot, *_ in shown]
    beside = visible.is_beside
    seen = {day for spot, day in zip(spots, days, strict=True) if not beside[spot.element]}
    places = visible.facts(spots, days)
    for (spot, date, raw, label, words), facts in zip(shown, places, strict=True):
        facts |= {
            "label": bool(label),
            "short": words <= _SHORT,
            "long": words > _LONG,
            "only day": len(seen) == 1,
            "same day in address": in_address[:10] == date[:10],
        }
        yield Candidate(date, spot.source, facts, raw, label)


def _in_times(visible: Visible, day_first: bool) -> Iterator[_Shown]:
    page = visible.page
    for spot in visible.times():
        text = attribute_of(spot.node, "datetime") or spot.text
        date = read_date(text, day_first=day_first)
        if date:
            named = (attribute_of(spot.node, name) or "" for name in ("class", "itemprop"))
            start = int(page.text_start[spot.first]) if spot.first < page.text_at.size else 0
            before = page.buffer[max(start - _LABEL_BEFORE, 0) : start]
            label = label_of(" ".join(named)) or label_of(spot.text) or _label_before(before)
            yield spot, date, text, label, 1


def _label_before(text: str) -> Label:
    """Return the label right before a date: in its line, and after any other date there."""
    dates = written_dates(text)
    return label_of(text[dates[-1].stop if dates else 0 :].strip().rpartition("\n")[2])


def _in_lines(visible: Visible, day_first: bool) -> Iterator[_Shown]:
    """Yield the dates in elements named a date, and in the lines around the title."""
    for spot in (*visible.named(DATE), *visible.lines(NEAR, wanted=_HAS_YEAR)):
        text = " ".join(spot.text.split())
        for each, label in labelled_dates(text, day_first=day_first):
            yield spot, each.date, text[each.start : each.stop].strip(), label, len(text.split())
