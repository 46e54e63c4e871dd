"""Dates as pages write them, and as ISO 8601 writes them."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import datetime, timezone
from functools import lru_cache
from typing import Any

LONGEST = 200
"""Characters of a text that a date is looked for in."""

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun",
            "july jul", "august aug", "september sept sep", "october oct", "november nov",
            "december dec",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH = "(?P<name>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
_TIME = (
    r"(?:[T\s,]{1,3}(?:at\s+)?(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d{1,9})?)?"
    r"\s?(?P<half>[ap]\.?m\b)?\s?(?P<zone>Z\b|UTC\b|GMT\b|[+-]\d\d:?\d\d(?!\d)|[+-]\d\d(?![\d:]))?)?"
)
_YEAR, _DAY = r"(?P<year>(?:19|20)\d\d)", r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_FORMS = [
    re.compile(form + _TIME, re.IGNORECASE)
    for form in (
        rf"(?<!\d){_YEAR}-(?P<month>\d{{1,2}})-(?P<day>\d{{1,2}})(?!\d)",
        rf"(?<!\d){_YEAR}(?P<sep>[/.])(?P<month>\d{{1,2}})(?P=sep)(?P<day>\d{{1,2}})(?!\d)",
        rf"(?<!\d){_YEAR}\s?[年년]\s?(?P<month>\d{{1,2}})\s?[月월]\s?(?P<day>\d{{1,2}})\s?[日일]",
        rf"\b{_MONTH}\s*{_DAY},?\s+(?:of\s+)?{_YEAR}(?!\d)",
        rf"(?<!\d){_DAY}[\s.-]*(?:of\s+)?{_MONTH}[\s,-]*{_YEAR}(?!\d)",
        rf"(?<!\d){_YEAR}[\s-]{_MONTH}[\s-]{_DAY}(?!\d)",
        rf"(?<!\d)(?P<first>\d{{1,2}})(?P<sep>[/.-])(?P<other>\d{{1,2}})(?P=sep){_YEAR}(?!\d)",
        r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<month>[01]\d)(?P<day>[0-3]\d)(?!\d)",
    )
]
_IN_ADDRESS = re.compile(r"[/_-]((?:19|20)\d\d)[/_-]?([01]?\d)[/_-]?([0-3]?\d)(?=[/_.-]|\Z)")
_MONTH_IN_ADDRESS = re.compile(r"/((?:19|20)\d\d)/([01]?\d)(?=/)")
_EPOCH = re.compile(r"\d{10}(?:\d{3})?")


def read_date(text: str, *, day_first: bool = False, language: str = "") -> str:
    """Return the date that *text* is, in ISO 8601; empty if it is none.

    Its time and zone are kept if it has them. *day_first* tells what 3/4/2025 means. Names of
    months are English; with the extra ``dates``, those of *language*, too.

    >>> read_date("Sept. 4th, 2025 at 3:05 PM"), read_date("2025-09-04T10:00:00+0200")
    ('2025-09-04T15:05:00', '2025-09-04T10:00:00+02:00')
    >>> read_date("3/4/2025"), read_date("3/4/2025", day_first=True), read_date("31/31/2025")
    ('2025-03-04', '2025-04-03', '')
    """
    text = " ".join(text[:LONGEST].split())
    if _EPOCH.fullmatch(text):
        return _of_epoch(int(text[:10]))
    return find_date(text, day_first=day_first) or _foreign(text, language)


def find_date(text: str, *, day_first: bool = False) -> str:
    """Return the first date in a short text, in ISO 8601; empty without one.

    >>> find_date("By Ada Lovelace | Updated 4 May 2025 | 3 min read")
    '2025-05-04'
    """
    return find_written_date(text, day_first=day_first)[0]


def find_written_date(text: str, *, day_first: bool = False) -> tuple[str, str]:
    """Return the first date in a short text as :func:`find_date` does, and as it stands there.

    >>> find_written_date("By Ada Lovelace | Updated 4 May 2025 | 3 min read")
    ('2025-05-04', '4 May 2025')
    """
    text = text[:LONGEST]
    found = []
    for form in _FORMS:
        match = form.search(text)
        date = match and _date(match.groupdict(), day_first)
        if match and date:
            found.append((match.start(), date, match[0].strip()))
    return min(found)[1:] if found else ("", "")


def url_date(url: str) -> str:
    """Return the date in an address, the year and month at least; empty without one.

    >>> url_date("https://example.com/2025/09/04/a-title"), url_date("https://example.com/a-12")
    ('2025-09-04', '')
    """
    for match in _IN_ADDRESS.finditer(url[:LONGEST]):
        date = _iso(*map(int, match.groups()))
        if date:
            return date
    return ""


def _date(parts: dict[str, str | None], day_first: bool) -> str:
    month, day = _month_and_day(parts, day_first)
    date = _iso(int(parts["year"] or 0), month, day)
    return date + _time(parts) if date else ""


def _month_and_day(parts: dict[str, str | None], day_first: bool) -> tuple[int, int]:
    if parts.get("name"):
        return _MONTHS[(parts["name"] or "").lower()], int(parts["day"] or 0)
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


def _of_epoch(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat()


@lru_cache(maxsize=1)
def _dateparser() -> Any:
    try:
        import dateparser
    except ImportError:
        return None
    return dateparser


def _foreign(text: str, language: str) -> str:
    """Return the date that a text in another language than English is."""
    library = _dateparser() if language and language != "en" else None
    if library is None or not any(character.isdigit() for character in text):
        return ""
    try:
        found = library.parse(
            text, languages=[language], settings={"REQUIRE_PARTS": ["day", "month", "year"]}
        )
    except Exception:  # of a language that it does not know, and whatever else
        return ""
    if found is None:
        return ""
    return str(found.isoformat() if found.hour or found.minute else found.date().isoformat())
