"""The language of a page: what it declares, checked against its text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from string import ascii_letters
from typing import Any, NamedTuple

import numpy as np

from scrapy_boilerplate.core.answer.metadata.declared import read_declared
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.layout import LITERAL

SAMPLE = 1500  # characters of the text that are looked at

_MOST_TEXTS = 100
"""Text nodes that the sample is taken from, the longest ones: menus are often in English."""

_CODE_TAGS = LITERAL | {"textarea"}
_MOST_TIMES_LONGER = 4  # how many times longer than a text of the sample the longest one may be
_LEAST_SAMPLE = 100  # characters of a sample that tells its language
_MUCH = 0.5
"""Share of the text in the likeliest language that there is in another one of the same text."""
_DETECTED = {"iw": "he", "jw": "jv", "un": "", "xx": "", "zzp": ""}
"""Codes of CLD2 that have changed or are no languages, and what they mean."""
_REFUSED = re.compile(
    r"[\x80-\x9f\ufdd0-\ufdef"
    + "".join(chr(plane << 16 | last) for plane in range(17) for last in (0xFFFE, 0xFFFF))
    + "]"
)
_WITHOUT_CONTROLS = bytes(each if 32 <= each != 127 else 32 for each in range(256))
"""Characters that CLD2 does not take: controls, and what is none in Unicode."""
_CODE = re.compile(
    r"\A([a-z]{2,3})(?:[-_]([a-z]{4}))?(?:[-_]([a-z]{2}|\d{3}))?(?:[-_.].*)?\Z", re.I
)
_NONE = frozenset("und zxx mul xx".split())
_SCRIPTS = {
    # The letters of each script, and the languages that are written in it.
    "Cyrillic": ("\u0400-\u052f", "ru uk bg sr mk be kk ky mn tg tt ba cv ce os ab uz az sh bs"),
    "Greek": ("\u0370-\u03ff\u1f00-\u1fff", "el"),
    "Hebrew": ("\u0590-\u05ff", "he iw yi"),
    "Arabic": ("\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff", "ar fa ur ps ckb ku ug sd az pa"),
    "Devanagari": ("\u0900-\u097f", "hi mr ne sa"),
    "Bengali": ("\u0980-\u09ff", "bn as"),
    "Tamil": ("\u0b80-\u0bff", "ta"),
    "Thai": ("\u0e00-\u0e7f", "th"),
    "Georgian": ("\u10a0-\u10ff", "ka"),
    "Armenian": ("\u0530-\u058f", "hy"),
    "Hangul": ("\u1100-\u11ff\uac00-\ud7af", "ko"),
    "Kana": ("\u3040-\u30ff", "ja"),
    "Han": ("\u3400-\u4dbf\u4e00-\u9fff", "zh ja yue wuu ko"),
    "Latin": ("\u00c0-\u024f\u1e00-\u1eff", ""),
}
_FINDERS = {name: re.compile(f"[{letters}]") for name, (letters, _) in _SCRIPTS.items()}
_WRITTEN = {name: codes.split() for name, (_, codes) in _SCRIPTS.items()}
_ASCII = re.compile(r"[\x00-\x7f]+")
_LETTERS = ascii_letters.encode()


def script_of(text: str) -> str:
    """Return the script that most letters of a text are in; empty without letters."""
    # Japanese is told from Chinese by its kana.
    sample = text[:SAMPLE]
    ascii_only = sample.encode("ascii", "ignore")
    counts = {"Latin": len(ascii_only) - len(ascii_only.translate(None, _LETTERS))}
    if len(ascii_only) < len(sample):
        others = _ASCII.sub("", sample)
        for name, finder in _FINDERS.items():
            counts[name] = counts.get(name, 0) + len(finder.findall(others))
        if counts["Kana"] * 10 > counts["Han"]:
            counts["Kana"] += counts["Han"]
    name = max(counts, key=lambda each: counts[each])
    return name if counts[name] else ""


class Language(NamedTuple):
    code: str = ""
    source: str = ""  # where it stands
    share: float | None = None  # share of the text that is in it, by the extra `languages`


def page_language(page: Page) -> Language:
    # The declared one counts unless the text is in another language or script.
    known: Language | None = page.notebook.get(__name__)
    if known is None:
        known = page.notebook[__name__] = _language_of(page)
    return known


def _language_of(page: Page) -> Language:
    sample = _sample(page)
    detected = _detected(sample)
    script = "" if detected else script_of(sample)
    for source, value in _declared(page):
        code = _code(value)
        if code and not detected and _fits(code, script):
            return Language(code, source)
        shares = [share for each, share in detected.items() if _language(each) == _language(code)]
        if code and shares:
            return Language(code, source, sum(shares) / 100)
    for code, share in detected.items():
        return Language(code, "text", share / 100)
    likely = _WRITTEN.get(script)
    return Language(likely[0], "script") if likely and script != "Cyrillic" else Language()


def _declared(page: Page) -> Iterator[tuple[str, str]]:
    """Yield where a language may be declared, and what stands there."""
    yield "html lang", page.language or ""
    declared = read_declared(page)
    said = (each.text("inLanguage") for each in declared.subject.entities)
    yield "structured data", next(filter(None, said), "")
    yield "content-language", declared.meta("content-language", "language", "dc.language")
    yield "og:locale", declared.meta("og:locale")


def _sample(page: Page) -> str:
    """Return the beginning of the longest texts of a page, in their order, without code."""
    sizes = page.text_stop - page.text_start
    if not page.tag_names.isdisjoint(_CODE_TAGS):
        is_code = page.texts_inside(page.has_tag(_CODE_TAGS))
        sizes = sizes if is_code.all() else sizes * ~is_code
    longest = (sizes * _MOST_TIMES_LONGER >= sizes.max(initial=0)).nonzero()[0]
    longest = longest[np.argsort(-sizes[longest], kind="stable")[:_MOST_TEXTS]]
    enough = int(np.searchsorted(np.cumsum(sizes[longest]), SAMPLE)) + 1
    return " ".join(page.texts(np.sort(longest[:enough])))[:SAMPLE]


@lru_cache(maxsize=1)
def _detector() -> Any:
    try:
        import pycld2
    except ImportError:
        return None
    return pycld2


def _detected(sample: str) -> dict[str, int]:
    """Return the languages of a text with their shares in hundredths, the likeliest first.

    As CLD2 tells them, https://github.com/CLD2Owners/cld2; none for a short text.
    """
    cld = _detector()
    if cld is None or len(sample) < _LEAST_SAMPLE:
        return {}
    text = sample.encode("utf-8", "ignore").translate(_WITHOUT_CONTROLS)
    try:
        guesses = cld.detect(text, isPlainText=True, bestEffort=True)[2]
    except cld.error:  # which hardly any page has, and to look for them takes as long as to detect
        return _detected(_REFUSED.sub(" ", sample))
    shares = [(code.partition("-")[0], percent) for _, code, percent, _ in guesses]
    known = [(_DETECTED.get(code, code), percent) for code, percent in shares]
    most = max((percent for code, percent in known if code), default=0)
    found: dict[str, int] = {}
    for code, percent in known:
        if code and percent >= _MUCH * most:
            found.setdefault(code, percent)
    return found


def _language(code: str) -> str:
    language = code.partition("-")[0]
    return _ALIASES.get(language, language)


_ALIASES = dict(
    pair.split("=")
    for pair in "nb=no nn=no iw=he in=id ms=id tl=fil ckb=ku yue=zh wuu=zh cmn=zh bs=hr sr=hr "
    "sh=hr".split()
)


def _code(value: str) -> str:
    match = _CODE.match(value.split(",")[0].strip())
    if not match or match[1].lower() in _NONE:
        return ""
    script, region = (match[2] or "").title(), (match[3] or "").upper()
    return "-".join(filter(None, (match[1].lower(), script, region)))


def _fits(code: str, script: str) -> bool:
    language = code.partition("-")[0]
    if script in ("", "Latin"):  # many scripts are romanised, and short pages say nothing
        return script == "" or language not in _ONE_SCRIPT
    return language in _WRITTEN[script]


_ONE_SCRIPT = frozenset("el he iw th ka hy ko ja zh hi ta bn ru uk bg be mk ar fa ur".split())
"""Languages that no page writes in Latin letters."""
