"""Dates as pages write them, read from texts and addresses; ``publication`` chooses one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import NamedTuple

from scrapy_boilerplate.core.caching import remember

LONGEST_DATED = 300  # characters of a text that a date is looked for in

_MONTHS = {
    name: number
    for number, names in enumerate(
        (  # in the order of languages below
            "january jan januar januari janvier janv enero ene janeiro gennaio gen января янв "
            "январь stycznia styczeń sty január ocak oca يناير كانون_الثاني ledna leden січня "
            "ιανουαρίου ιανουάριος ιαν jänner januára ianuarie gener tammikuuta siječnja "
            "januara jaanuar janar януари јануар ינואר בינואר",
            "february feb februar februari febrero fevereiro fev février févr fév febbraio "
            "февраля фев февраль lutego luty lut február febr şubat şub فبراير شباط února únor "
            "лютого φεβρουαρίου φεβρουάριος φεβ februára februarie febrer helmikuuta veljače "
            "februara veebruar февруари фебруар פברואר בפברואר",
            "march mar märz mär mrz maart mrt mars marzo março марта март marca marzec március "
            "márc mart مارس آذار března březen березня μαρτίου μάρτιος μαρ marts maret martie "
            "maaliskuuta ožujka marta märts מרץ במרץ",
            "april apr avril avr abril abr aprile апреля апр апрель kwietnia kwiecień kwi "
            "április ápr nisan nis أبريل ابريل نيسان dubna duben квітня απριλίου απρίλιος απρ "
            "apríla aprilie huhtikuuta travnja aprila aprill април אפריל באפריל",
            "may mai mei mayo maio maggio mag мая май maja maj május máj mayıs مايو أيار května "
            "květen травня μαΐου μάιος μαϊου μαι mája maig toukokuuta svibnja мај מאי במאי",
            "june jun juni junio junho juin giugno giu июня июн июнь czerwca czerwiec cze "
            "június jún haziran haz يونيو حزيران června červen червня ιουνίου ιούνιος ιουν júna "
            "iunie juny kesäkuuta lipnja juna juuni юни јун יוני ביוני",
            "july jul juli julio julho juillet juil luglio lug июля июл июль lipca lipiec lip "
            "július júl temmuz tem يوليو تموز července červenec липня ιουλίου ιούλιος ιουλ júla "
            "iulie juliol heinäkuuta srpnja jula juuli юли јул יולי ביולי",
            "august aug augustus augusti agosto ago août aoû августа авг август sierpnia "
            "sierpień sie augusztus ağustos ağu أغسطس اغسطس آب srpna srpen серпня αυγούστου "
            "αύγουστος αυγ agustus augusta agost elokuuta kolovoza avgusta אוגוסט באוגוסט",
            "september sept sep septiembre setembro set septembre settembre сентября сен сент "
            "сентябрь września wrzesień wrz szeptember szept eylül eyl سبتمبر أيلول září "
            "вересня σεπτεμβρίου σεπτέμβριος σεπ σεπτ septembrie setembre septembra syyskuuta "
            "rujna септември септембар ספטמבר בספטמבר",
            "october oct oktober okt octubre outubro out octobre ottobre ott октября окт "
            "октябрь października październik paź október ekim eki أكتوبر اكتوبر تشرين_الأول "
            "října říjen жовтня οκτωβρίου οκτώβριος οκτ octombrie októbra oktobra lokakuuta "
            "oktoober октомври октобар אוקטובר באוקטובר",
            "november nov noviembre novembro novembre ноября ноя нояб ноябрь listopada listopad "
            "lis kasım kas نوفمبر تشرين_الثاني listopadu νοεμβρίου νοέμβριος νοε noiembrie "
            "novembra marraskuuta studenoga ноември новембар נובמבר בנובמבר",
            "december dec dezember dez diciembre dic dezembro décembre déc dicembre декабря дек "
            "декабрь grudnia grudzień gru aralık ara ديسمبر كانون_الأول prosince prosinec "
            "грудня δεκεμβρίου δεκέμβριος δεκ desember decembrie desembre decembra joulukuuta "
            "detsember декември децембар דצמבר בדצמבר",
        ),
        start=1,
    )
    for name in names.split()
}
"""Names of months in English, German, Dutch, French, Spanish, Portuguese, Italian, Russian, Polish,
Hungarian, Turkish, Arabic, Czech, Ukrainian and Greek, and in those that are like them: Swedish,
Danish, Finnish, Estonian, Slovak, Croatian, Serbian, Bulgarian, Romanian, Catalan, Hebrew."""

_LAST_CENTURY = 70  # year of two digits from which on it is one of 19…

ENGLISH_MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"(?:sept?|oct|nov|dec)(?:(?:em|o)?ber)?)\b\.?"
)  # the name of a month, in lower case, as a pattern: Maria is none

# All repetitions are bounded, and texts are cut at LONGEST_DATED: no backtracking that matters.
_MONTH = r"\b(?P<name>[^\W\d_]{3,12}(?:\s(?:الأول|الثاني))?)\b(?:\.|\s?/\s?[^\W\d_]{3,12}\b)?"
_ZONES = {
    "Z": 0, "UT": 0, "UTC": 0, "GMT": 0, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7,
    "MDT": -6, "PST": -8, "PDT": -7, "CET": 1, "CEST": 2, "MSK": 3, "JST": 9, "BST": 1, "EET": 2,
    "EEST": 3, "WIB": 7, "WITA": 8, "HKT": 8, "KST": 9, "AEST": 10, "AEDT": 11, "NZDT": 13,
}  # fmt: skip
"""Hours before Greenwich of the zones of RFC 2822, and of a few others."""
_ZONE_NAMES = "|".join(sorted(_ZONES, reverse=True))
_ZONE = (
    rf"(?:\s?(?P<zone>(?:GMT|UTC)?\s?[+-]\d\d:?\d\d(?!\d)|[+-]\d\d(?![\d:])|"
    rf"(?:{_ZONE_NAMES})\b))?"
)
_CLOCK = (
    r"(?=\d{{1,2}}(?:{between}\d\d|\s?[ap]\.?m\b))(?P<hour>\d{{1,2}})(?:{between}(?P<minute>\d\d)"
    r"(?::(?P<second>\d\d)(?:[.,]\d{{1,9}})?|\s?[分분])?)?\s?(?P<half>[ap]\.?m\b)?"
    + _ZONE.replace("{", "{{").replace("}", "}}")
)
_BETWEEN = rf"(?:(?(at)[:h.]|[:h点])|\sh\s|[時시]\s?|\.(?=\d\d\s?(?:uhr|(?:{_ZONE_NAMES})\b)))"
"""An hour and its minute."""
_TIME = (
    r"(?:(?:\s[гr]\.)?(?:\s?[(（][^\d()（）]{1,12}[)）])?\.?[T\s,|–-]{0,4}"
    r"(?:(?:[^\W\d_]{5,12}(?<!until|after|about|dated|dited|siert|izado|ornat)(?:-feira)?|星期.|[周週].|.曜日?)[\s,]{1,2}(?=[上下午前後]{,2}\s?\d\d?[:h]\d))?"
    r"(?:(?P<noon>오전|오후|[上下]午|午[前後])\s?)?"
    r"(?:(?P<at>(?:at|um|à|às|alle|om|v|в|о|a las|a les|kl\.?|klo|kello|pukul|ora|ore|lúc|godz\.?|"
    r"στις)\s{1,2}))?"
    rf"(?<!\d){_CLOCK.format(between=_BETWEEN)})?"
)
_TIME_BEFORE = re.compile(
    r"(?<![\d:.])"
    + _CLOCK.format(between=r"(?:[:h]|\.(?=\d\d\s?uhr))")
    + r"(?:\s?uhr|\s[ecmp]t)?[\s,|–·-]{1,3}"
    r"(?:(?:on|le|am|el|em|il|den)\s|[^\W\d_]{5,12},?\s){,2}\Z",
    re.IGNORECASE,
)
_LONGEST_TIME = 40  # characters of a time before a date
_AFTERNOON = ("오후", "下午", "午後")
_YEAR = r"(?P<year>(?:19|20)\d\d)(?!\d)"
_SHORT_YEAR = r"(?P<year>(?:19|20)\d\d|['’]\d\d)(?!\d)"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|°|ª|-?го)?"
_OF = r"(?:(?:of|de|del|di|do)\s+)?"


def _forms(*forms: str) -> list[re.Pattern[str]]:
    return [re.compile(form if "<hour>" in form else form + _TIME, re.IGNORECASE) for form in forms]


_OF_NUMBERS = _forms(
    rf"(?<!\d){_YEAR}-(?P<month>\d{{1,2}})-(?P<day>\d{{1,2}})(?!\d)",
    rf"(?<!\d){_YEAR}(?P<sep>[/.])\s?(?P<month>\d{{1,2}})(?P=sep)\s?(?P<day>\d{{1,2}})(?!\d)",
    rf"(?<!\d)(?P<first>\d{{1,2}})(?P<sep>[/.-])\s?(?P<other>\d{{1,2}})(?P=sep)\s?{_YEAR}",
    r"(?<![\d./-])(?=\d\d[.-]\d\d[.-]|\d\d?/)(?P<first>\d\d?)(?P<sep>[/.-])(?P<other>\d\d?)(?P=sep)"
    r"(?P<year>\d\d)(?![\d/]|[.-]\d)",
)
_OF_CHARACTERS = _forms(
    rf"(?<!\d){_YEAR}\s?[年년]\s?(?P<month>\d{{1,2}})\s?[月월]\s?(?P<day>\d{{1,2}})\s?[日일]",
    rf"(?<!\d)(?P<month>\d{{1,2}})[月월]\s?(?P<day>\d{{1,2}}),?\s{_YEAR}",
)
_MONTH_FIRST = _forms(
    rf"{_MONTH}\s{{0,3}}{_DAY}(?:,\s*|\s+){_OF}{_SHORT_YEAR}",
    rf"{_MONTH}\s{{1,3}}{_DAY},?\s+{_CLOCK.format(between=':')}\s+{_YEAR}",
)
_OF_MONTHS = _forms(
    rf"(?<!\d){_DAY}[\s.,-]{{0,3}}{_OF}{_MONTH}[\s,-]{{0,3}}{_OF}{_SHORT_YEAR}",
    rf"(?<!\d){_YEAR}\.?(?:\s(?:m\.|gada))?[\s-]{_MONTH}[\s-]{_DAY}(?!\d)",
    rf"(?<!\d){_DAY}\s+tháng\s+(?P<month>\d{{1,2}})(?:,|\s+năm)\s+{_YEAR}",
)
_DAY_FIRST = "en-gb en-au en-nz en-ie en-in en-za".split()
_IS_OF_NUMBERS = re.compile(r"\d[/.-]\s?\d{1,2}[/.-]\s?\d")
_NUMBER, _WORD = re.compile(r"\d+"), re.compile(r"[^\W\d_]{3,12}")
_MONTH_WORDS = frozenset({"tháng", *(each.partition("_")[0] for each in _MONTHS)})
_COMPACT = [
    re.compile(rf"{_YEAR[:-6]}(?P<month>[01]\d)(?P<day>[0-3]\d){time}", re.IGNORECASE)
    for time in (
        rf"[T\s]?(?P<hour>[0-2]\d)(?P<minute>[0-5]\d)(?P<second>[0-5]\d)?(?P<half>)(?!\d){_ZONE}",
        rf"(?!\d){_TIME}",
    )
]  # forms of texts that are nothing but a date: in others any number would be one
_HAS_YEAR = re.compile(r"[12'’](?:(?<=1)9\d\d|(?<=2)0\d\d|(?<=['’])\d\d\b)")
"""Begins with a set of characters, which is looked for fast."""
_SHORT = re.compile(r"\d[./-]\d\d?[./-]\d\d\b")  # a date whose year has two digits
_IN_ADDRESS = re.compile(
    r"/((?:19|20)\d\d)/([01]?\d|[a-z]{3})/([0-3]?\d)(?=/|\Z)|"
    r"[/_=-]((?:19|20)\d\d)([_-])([01]?\d)\5([0-3]?\d)(?!\d)|"
    r"[/_=-]((?:19|20)\d\d)[/_-]?([01]\d)/?([0-3]\d)(?![\w-])",
    re.IGNORECASE,
)  # year, month and day: parts of the path, numbers with a dash between them, digits
_EPOCH = re.compile(r"\d{10}(?:\d{3})?")
_DIGITS = {
    start + value: str(value) for start in (0x660, 0x6F0, 0xFF10, 0x966) for value in range(10)
}  # digits of other scripts: Arabic, Persian, full width, Devanagari
_OTHER_DIGIT = re.compile("[" + "".join(map(chr, _DIGITS)) + "]")


class Written(NamedTuple):
    start: int
    stop: int
    date: str  # ISO 8601


def is_day_first(language: str) -> bool:
    """Tell whether 3/4/2025 is in April, by the language; without one it is not."""
    code = language.lower()
    return bool(code) and (not code.startswith("en") or code in _DAY_FIRST)


def read_date(text: str, *, day_first: bool = False) -> str:
    """Return the date that *text* is, in ISO 8601; empty if it is none."""
    text = " ".join(text[:LONGEST_DATED].split())
    if _EPOCH.fullmatch(text):
        return datetime.fromtimestamp(int(text[:10]), timezone.utc).isoformat()
    compact = next(filter(None, (form.match(text) for form in _COMPACT)), None)
    date = _date(compact.groupdict(), day_first) if compact else ""
    return date or find_date(text, day_first=day_first)


def find_date(text: str, *, day_first: bool = False) -> str:
    return next((each.date for each in written_dates(text, day_first=day_first)), "")


def written_dates(text: str, *, day_first: bool = False) -> list[Written]:
    text = text[:LONGEST_DATED]
    if not text.isascii() and _OTHER_DIGIT.search(text):
        text = text.translate(_DIGITS)
    has_year = _HAS_YEAR.search(text) or _SHORT.search(text)
    return _written_dates(text, "day first" if day_first else "") if has_year else []


@remember(1 << 19, answer=500)
def _written_dates(text: str, order: str) -> list[Written]:
    """Return the dates in a line with a year, which is read for its author and for its date."""
    forms = _OF_NUMBERS if _IS_OF_NUMBERS.search(text) else []
    words = []
    if not _MONTH_WORDS.isdisjoint(_WORD.findall(text.lower())):
        words = [each.start() for each in _WORD.finditer(text) if each[0].lower() in _MONTH_WORDS]
    forms = forms + _OF_MONTHS if words else forms
    if "月" in text or "월" in text:
        forms = forms + _OF_CHARACTERS
    numbers = [each.start() for each in _NUMBER.finditer(text)] if forms else []
    found = [
        Written(match.start(), match.end(), date)
        for some, starts in ((forms, numbers), (_MONTH_FIRST, words))
        for form in some
        for match in _matches(form, text, starts)
        if (date := _date(match.groupdict(), bool(order)))
    ]
    found.sort(key=lambda each: (each.start, -each.stop))
    apart: list[Written] = []
    for each in found:
        stop = apart[-1].stop if apart else 0
        if each.start >= stop:
            before = text[max(each.start - _LONGEST_TIME, stop) : each.start]
            if "T" not in each.date and (clock := _TIME_BEFORE.search(before)):
                each = each._replace(date=each.date + _time(clock.groupdict()))
            apart.append(each)
    return apart


def _matches(form: re.Pattern[str], text: str, starts: list[int]) -> Iterator[re.Match[str]]:
    """Yield what a form matches where it may begin, apart from each other."""
    stop = 0
    for start in starts:
        if start >= stop and (match := form.match(text, start)):
            stop = match.end()
            yield match


def url_date(url: str) -> str:
    for match in _IN_ADDRESS.finditer(url[:LONGEST_DATED]):
        year, month, day = (part for part in match.groups() if part and part not in "_-")
        number = _MONTHS.get(month.lower(), 0) if month.isalpha() else int(month)
        date = _iso(int(year), number, int(day))
        if date:
            return date
    return ""


def _date(parts: dict[str, str | None], day_first: bool) -> str:
    month, day = _month_and_day(parts, day_first)
    year = int((parts["year"] or "").strip("'’"))
    if year < 100:
        year += 1900 if year >= _LAST_CENTURY else 2000
    date = _iso(year, month, day)
    return date + _time(parts) if date else ""


def _month_and_day(parts: dict[str, str | None], day_first: bool) -> tuple[int, int]:
    name = parts.get("name")
    if name:
        return _MONTHS.get(name.lower().replace(" ", "_"), 0), int(parts["day"] or 0)
    if parts.get("first") is None:
        return int(parts["month"] or 0), int(parts["day"] or 0)
    first, other = int(parts["first"] or 0), int(parts["other"] or 0)
    is_short = len(parts["year"] or "") == 2  # which is written with points in America, too
    is_day_first = day_first or first > 12 or (parts["sep"] == "." and not is_short)
    if is_day_first and other <= 12:
        return other, first
    return first, other


def _iso(year: int, month: int, day: int) -> str:
    try:
        return datetime(year, month, day).isoformat()[:10]
    except ValueError:
        return ""


def _time(parts: dict[str, str | None]) -> str:
    if parts.get("hour") is None:
        return ""
    hour, minute, second = (int(parts[name] or 0) for name in ("hour", "minute", "second"))
    half = (parts["half"] or "")[:1].lower()
    if parts.get("noon"):
        half = "p" if parts["noon"] in _AFTERNOON else "a"
    if half and 1 <= hour <= 12:
        hour = hour % 12 + 12 * (half == "p")
    if hour > 23 or minute > 59 or second > 59:
        return ""
    return f"T{hour:02}:{minute:02}:{second:02}{_zone(parts['zone'] or '')}"


def _zone(zone: str) -> str:
    if not zone:
        return ""
    zone = zone.upper()
    hours = _ZONES.get(zone)
    if hours is not None:
        return f"{hours:+03}:00"
    sign, digits = re.sub(r"[^\d+-]", "", zone)[:1], re.sub(r"\D", "", zone)
    return f"{sign}{digits[:2]}:{digits[2:] or '00'}" if digits else ""
