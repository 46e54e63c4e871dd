"""The authors of a page: in structured data, in ``meta`` elements, in by-lines."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterator
from itertools import islice, takewhile
from typing import Any

import scrapy_boilerplate.core.answer.metadata._evidence_native as native
from scrapy_boilerplate.core.answer.metadata.choosing import (
    TRUST,
    WEIGHTS,
    Candidate,
    Valued,
    choose,
)
from scrapy_boilerplate.core.answer.metadata.dates import ENGLISH_MONTH, written_dates
from scrapy_boilerplate.core.answer.metadata.declared import Declared, words_of
from scrapy_boilerplate.core.answer.metadata.entities import Entity, strings, without_repeats
from scrapy_boilerplate.core.answer.metadata.labels import before_label, label_before
from scrapy_boilerplate.core.answer.metadata.visible import LINE_WORDS, Spot, Visible, site_part
from scrapy_boilerplate.core.page.addresses import parts_of

MOST_AUTHORS = 20

_METAS = ("author", "article:author", "article:author_name", "og:author", "parsely-author",
          "sailthru.author", "cxenseparse:author", "dc.creator", "dcterms.creator",
          "citation_author", "bc:authors", "byl", "creator")  # fmt: skip
_LOGIN = re.compile(r"[a-z\d]+(?:[-_./][a-z\d]+)*")  # a name by which somebody logs in
_SURE_SOURCES = frozenset(("declared person", "declared one word"))
"""Facts of declarations that nothing on the page beats."""


def page_authors(
    declared: Declared, visible: Visible, language: str = ""
) -> Valued[tuple[str, ...]]:
    # A site, an organisation or a login counts only where no person is named.
    found = author_candidates(declared, visible, language)
    best, confidence = choose(found, WEIGHTS["author"], TRUST["author"])
    if best is None:
        return (), "", 0.0
    return best.value[:MOST_AUTHORS], best.source, confidence


def author_candidates(declared: Declared, visible: Visible, language: str = "") -> list[Candidate]:
    # What a reader sees is read where no person is declared. One that only "meta" names may be the
    # publisher, unless the name stands next to the title.
    page, at = visible.page, visible.title_place
    organisations = {_joined(name) for name in declared.site_names}
    found: list[Candidate] = []
    for number, source, names in _declared(declared, organisations):
        if names:
            names = _without(organisations, names)
            kind = _kind(names, organisations)
            if (
                kind in ("person", "one word")
                and source in _METAS
                and not _is_seen(page.buffer, names[0], at)
            ):
                kind = "unseen"
            told = {f"declared {kind}": 1, "order": number}
            found.append(Candidate(tuple(names), source, told))
    sure = [each for each in found if _SURE_SOURCES.intersection(each.facts)]
    if sure:
        others = _with_others(visible, sure[0].value, organisations, language[:2].lower())
        if others:
            found.insert(0, Candidate(tuple(others), "by-line", sure[0].facts))
        return found
    organisations.add(site_part(parts_of(declared.url).hostname or ""))
    shown = _together(visible, _shown(visible, language[:2].lower()))
    places = visible.facts([spot for spot, _ in shown], [tuple(names) for _, names in shown])
    for (spot, names), facts in zip(shown, places, strict=True):
        names = _without(organisations, names)
        facts[_kind(names, organisations)] = 1
        found.append(Candidate(tuple(names), spot.source, facts))
    return found


def _is_seen(text: str, name: str, title_at: int) -> bool:
    """Return whether a name stands next to the title, and not as that of who holds the rights."""
    at = text.find(name, max(title_at - _OPENING, 0), title_at + _OPENING)
    return at >= 0 and "©" not in text[max(at - len("© 2025-2026 "), 0) : at]


MOST_LINE = 40  # words of a by-line
_MOST_PLACES = 3  # places of a declared name that may be a by-line


def _with_others(
    visible: Visible, known: tuple[str, ...], organisations: Collection[str], language: str
) -> list[str]:
    """Return the names in the by-line that has all these names and more; empty without one."""
    page, wanted, at = visible.page, {_joined(name) for name in known}, 0
    for _ in range(_MOST_PLACES):
        at = page.buffer.find(known[0], at)
        text = int(page.text_stop.searchsorted(at, side="right"))
        block = visible.block_of(text)
        if at < 0 or block > visible.title_block + NEAR:
            break
        at += len(known[0])
        start, stop = page.blocks[block].tolist()
        if visible.words[stop] - visible.words[start] > MOST_LINE:
            continue
        line = " ".join(page.lay_out(start, stop).split())
        # What follows a comma alone may be whom somebody works for.
        names = names_in_byline(line, language) if _AND.search(line) else []
        if not names:  # or the line is nothing but links to several
            names = names_in_line(line)
            words = sum(len(name.split()) for name in names)
            names = names if visible.linked[stop] - visible.linked[start] >= words else []
        names = [each for each in names if _joined(each) not in organisations]
        if (
            known[0] in names[:1]
            and wanted < {_joined(name) for name in names}
            and all(" " in name and not _is_role(name) for name in names)
        ):
            return names
    return []


def _kind(names: list[str], organisations: Collection[str]) -> str:
    """Return what names are by their looks: of persons, of an organisation, to log in."""
    if all(_joined(name) in organisations for name in names):
        return "organisation"
    if any(_LOGIN.fullmatch(name) for name in names):
        return "login"
    return "person" if any(" " in name for name in names) else "one word"


def _without(organisations: Collection[str], names: list[str]) -> list[str]:
    return [name for name in names if _joined(name) not in organisations] or names


def _joined(name: str) -> str:
    return "".join(words_of(name))


def _declared(declared: Declared, organisations: set[str]) -> Iterator[tuple[int, str, list[str]]]:
    """Yield what declares authors: its place in the order of trust, its source and the names."""
    dated = declared.subject.dated
    for number, entity in enumerate(dated):
        yield number, entity.source, _of_entity(declared, entity, organisations)
    for name, contents in declared.among(_METAS):
        read = _turned if name == "citation_author" else names_in
        names = without_repeats(each for text in contents for each in read(text))
        yield len(dated) + _METAS.index(name), name, names
    if label := declared.meta("twitter:label1"):
        names = names_in_byline(f"{label} {declared.meta('twitter:data1')}")
        yield len(dated) + len(_METAS), "twitter:data1", names


def _turned(name: str) -> list[str]:
    """Return "First Last" for "Last, First"."""
    last, comma, first = name.partition(",")
    return [clean_name(f"{first} {last}" if comma else name)]


def _of_entity(declared: Declared, entity: Entity, organisations: set[str]) -> list[str]:
    names: list[str] = []
    for value in declared.of(entity, "author", "creator"):
        found = _names(value)
        names += found
        if isinstance(value, Entity) and "Organization" in value.types:
            organisations.update(map(_joined, found))
    return without_repeats(names)


def _names(value: Any) -> list[str]:
    if isinstance(value, Entity):
        given = (value.text("givenName"), value.text("familyName"))
        text = value.text("name") or " ".join(filter(None, given))
        return [clean_name(html.unescape(text))]
    return [name for text in strings(value) for name in names_in(html.unescape(text))]


# -- what a reader sees ----------------------------------------------------------------------------

NEAR = 20  # blocks after the title that may name its author
LONGEST_NAME = 80  # characters
_NEXT_LINES, _SHORT_LABEL = 6, 20
"""Blocks from the title to a date with a name above it, and characters of the label of that."""
_LINKS, _MOST_LINKED = ("rel=author", "link"), 5
"""Links to authors; more of them beside each other are a list of authors."""

_BY_LINE = re.compile(
    r"\W*(?i:(?:(?:this|the following|today[’']s)\s(?:(?:guest\s)?(?:post|column|article|essay)\s)?"
    r"(?:is|was)\s(?:an?\s)?)?(?:(?:\w{4,12}\s(?:and|&)\s(?:photos?|pictures)|"
    r"(?:\w{4,12}\s(?:and|&)\s)?(?:written|posted|reviewed|reported|reporting|story|text|words|article|"
    r"(?:an?\s(?:\w{4,12}\s)?)?(?:essay|column|interview|feature)|opinion|commentary|"
    r"analysis|news|review|published|recipe|created|authored|contributed|compiled|"
    r"(?:guest\s)?(?:post|column|article)))"
    r"\s+)?(?:by|as\stold\sto))\b:?\s+"
    r"(?=[^\W\d_a-z])"
)
_PREPOSITIONS = {
    "von": "de", "par": "fr", "por": "es pt", "di": "it", "da": "it", "door": "nl",
    "av": "sv no nb nn", "af": "da is", "przez": "pl", "oleh": "id ms", "מאת": "he iw",
    "tekst": "nl da no nb nn pl", "autor": "de es pt pl cs", "автор": "ru uk bg",
    "текст": "ru uk bg", "interview": "de nl da sv no nb nn", "rozmawiał": "pl", "rozmawiała": "pl",
    "kirjoittaja": "fi", "του": "el", "της": "el", "γράφει ο": "el", "γράφει η": "el",
}  # fmt: skip
"""Words for "by" in other languages, which also begin other lines: full names must follow."""
_PREPOSITION = re.compile(
    r"\W{0,3}(?!(?:\w+\s){,2}(?:foto|photo|bild|ill?ustr|über|tradu|vertaal|översä|oversa|edit|redig)\w*\s)"
    r"(?:(?:text[eo]?|testo|tekst[iy]?|words|redacción|rédaction)(?:\s[^\W\d_]{1,3}\s\w{4,9})?\s?:|"
    r"(?:(?:eine?|een|una?|uma|a|en|ett)\s)?(?:(?:dies\w+|cet(?:te)?|ce|est[ea]|quest[oa]|dit|deze)"
    r"\s(?:\w+\s){1,4})?(?:[^\W\d_]{4,14}\s){0,2}"
    r"(?:text[eo]?\sde|testo\sdi|van\sonze\s\w+|"
    rf"({'|'.join(_PREPOSITIONS)})):?(?:\s(?:unser|onze?|notre|nuestr|noss|nostr|vår)\w*\s\w+)?)"
    r"\s+(?=[^\W\d_])",
    re.IGNORECASE,
)
_LABEL_WORDS = frozenset(
    "author authors auteur auteure auteurs autrice autor autora autores autorzy autorka autorin "
    "autorė autori autore yazar yazan szerző írta verfasser verfasserin rédacteur rédactrice "
    "redactor redactora redattore muhabir haber författare skribent forfatter kirjoittaja penulis "
    "napsal napsala napísal napísala napisał napisała opracował opracowała scris gastautor "
    "gastautorin gastauteur invité invitée invitado invitada convidado convidada ospite".split()
)
_LABEL_ENDS = (
    *"автор авторы автори текст συντάκτης συντάκτρια συγγραφέας".split(),
    *"بقلم الكاتب كاتب كتب كتبت نویسنده".split(),
    *"מחבר 作者 撰文 著者 執筆 執筆者 筆者 投稿者 글쓴이 작성자 लेखक 记者 記者".split(),
    *("tác giả", "written by"),
)  # labels before the name of an author, of which those that other letters may stand before
_MAY_SAY = native.Words(
    {
        **dict.fromkeys(
            "from text texte texto testo teksti teksty words interview".split(), native.LABEL
        ),
        **dict.fromkeys(filter(str.isascii, _LABEL_WORDS), native.LABEL),
        **dict.fromkeys(
            "by postedby writtenby reportedby told von par por di da door av af przez oleh author "
            "authors autor autorin autora kirjoittaja van tekst writer reporter correspondent "
            "columnist editor".split(),
            native.EVIDENT,
        ),
    }
)  # what is in each line that names its author without a date, or only with a colon
_MARK = re.compile(
    r"(?P<label>\s(?<=بقلم\s))|(?<!\d)[:：/／＝]|(?<=文)・(?!写真|撮影|絵|構成|編集)|\s[–—]\s"
)
_LINE_END = re.compile(r"(?<![,&;])\t(?!(?:and|und|et|y|e|&)\s)")
_NO_LETTER = re.compile(r"[\W\d_]")
_TEXT = re.compile(
    r"(?<![\u3400-\u9fff])文(?:・(?:写真|撮影|絵|構成|編集))?\Z|(?<![\uac00-\ud7a3])글\Z"
)
_LONGEST_AUTHOR_LABEL = 20
_MARKS = re.compile("[:：/／╱＝・–—\\[［ب기者由]")
"""Of these a line has one that a label or a reporter stands in."""
_CJK_NAME = re.compile(
    r"(?!.*?(?:[记記]者|[编編][辑輯]|[稿版文社网網]))"
    r"(?:[\u3400-\u9fff]{2,4}|[\u3040-\u30ff\u3400-\u9fff・]{3,10})(?=[\W\d_]|\Z)"
)
_IS_CJK = re.compile(r"\W*[\u3040-\u30ff\u3400-\u9fff]")
_REPORTER = re.compile(
    # 記者王小明／台北報導, 文/记者汪萬里, [田中宏昌，…], 홍길동 기자
    r"[记記]者\s?[/／:：]?\s?([\u4e00-\u9fff]{2,4})\s?(?:[/／╱）)、，]|\d|通[讯訊]员|\Z)|"
    r"\A[\[［]([\u3040-\u30ff\u4e00-\u9fff]{2,8})[，,、][^\]］]{1,20}[\]］]\Z|"
    r"\b([\uac00-\ud7a3]{2,4})\s?(?:선임)?기자(?![\uac00-\ud7a3])|"
    r"(?:\A|\s)由\s(?!管理)([\u4e00-\u9fff]{2,4})(?=\s|\Z)"
)
_IN_BRACKETS = re.compile(
    r"[（(【\[][^（）()\[\]]{0,12}?[记記]者\s?[/／:：]?\s?([\u4e00-\u9fff]{2,4})(?=[\s/／、，）)\]】])"
)  # a reporter at the beginning of Chinese news
_OPENING = 1500  # characters after the title
_STOP = re.compile(r"\s*[\n\t|•·»–—。，、]")
_BY_LOGIN = re.compile(
    r"\W*(?:posted|written|submitted|started)\sby:?\s+([a-z][\w.-]{2,30})\s+(?:at|on)\s",
    re.IGNORECASE,
)
_WITH_ADDRESS = re.compile(
    r"(?:[\w*]{2,8}:\s)?([^\W\d_][^<>@:\d]{2,40}?)\s[|,–—\s<(]{0,3}[\w.+-]{1,40}(?:@|\sat\s)[\w-]+(?:\.[\w-]+)+[>)]?(?:\t|\s\||\Z)"
)  # of mails: "From: Ada Berg <ada@example.org>", "Ada Berg ada at example.org"
_SEPARATED = re.compile(r"\s*[·•|–—]\s*(?=[A-Z\u00c0-\u024f])")


_ONLY_BY = re.compile(
    r"\W*(?:(?:written|posted|reported)?\s*by|von|par|por|di|door|(?:about the )?authors?|"
    r"(?:über den|über die|sobre el|sobre la|sobre o|sobre a|o) autor\w{0,3}|作者)\W*",
    re.IGNORECASE,
)  # a line that ends before the name
_BETWEEN = re.compile(r"[\s,;&·|/+]*(?:and|und|et|y|e|en)?[\s,]*")
"""What stands between the names of those who wrote together."""


def _shown(visible: Visible, language: str) -> Iterator[tuple[Spot, list[str]]]:
    for spot in visible.links():
        names = [_without_role(name) for name in names_in(" ".join(spot.text.split()))]
        yield spot, names if all(map(is_likely_name, names)) else []
    for spot in visible.named(native.AUTHOR):
        lines = filter(None, map(str.strip, re.split(r"[\n\t]", spot.text)))
        line = next(lines, "")
        names = names_in_line(line) or names_in_line(spot.text)
        yield spot, names or names_in_byline(line, language)
    for spot, following in visible.lines(_MAY_SAY, NEAR):
        text = spot.text
        if following >= 0 and _ONLY_BY.fullmatch(text):
            text = f"by {visible.line(visible.block_of(following))}"
        is_head = visible.words[spot.first] - visible.words[max(visible.title, 0)] <= LINE_WORDS
        if names := names_in_byline(text, language, is_head=is_head):
            yield spot._replace(source="by-line"), names
        dates = written_dates(text)
        if dates and not names:
            names = _before_date(text) or _lines_before(visible, spot, dates[0].start, language)
            if names:
                yield spot._replace(source="before date"), names
    page, at = visible.page, visible.title_place
    has_reporter = "者" in page.buffer[at : at + _OPENING]
    for match in islice(_IN_BRACKETS.finditer(page.buffer, at, at + _OPENING * has_reporter), 1):
        first = int(page.text_stop.searchsorted(match.start(), "right"))
        yield Spot("by-line", int(page.text_parent[first]), first, ""), [match[1]]


_CAPITALISED = re.compile(r"[^\W\d_a-zа-я][^\W\d_]+(?:\s[^\W\d_a-zа-я][^\W\d_]*\.?){1,2}")
_NO_WORDS = frozenset(
    "news release press update updates posted published date blog report article story opinion "
    "review reviews top stories event events category home new latest last page updated the "
    "monday tuesday wednesday thursday friday saturday sunday morning evening san los las santa "
    "saint st port fort cape hong buenos rio tel north south east west lake mount city".split()
)


def _lines_before(visible: Visible, spot: Spot, date_at: int, language: str) -> list[str]:
    """Return the names in the lines between the title and a line that begins with a date."""
    names: list[str] = []
    block, text = visible.block_of(spot.first), spot.text
    is_near = visible.title >= 0 and 1 < block - visible.title_block <= _NEXT_LINES
    if not is_near or date_at >= _SHORT_LABEL:
        return []
    for before in range(block - 1, visible.title_block, -1):
        line = visible.line(before)
        found = names_in_byline(line, language)
        if not found and len(line) <= LONGEST_NAME:
            found = _before_date(f"{line}, {text[date_at:]}")
        if not found:
            break
        names = found + names
    return names


_READING_TIME = re.compile(
    r"(?:\A|\W{1,5})\d{1,5}\s?(?:min|words)[^\d\n·•|–—]{0,20}(?=[·•|–—]|\Z)", re.IGNORECASE
)


def _before_date(text: str) -> list[str]:
    """Return the names that are all of a line but for a date behind: "Ada Berg, 4 May 2025"."""
    dates = written_dates(text)
    name = _BY.sub("", _READING_TIME.sub("", _without_dates(text))) if dates else ""
    name = name.strip(" ,.|-–—·•\t")
    names = names_in(name) if _AND.search(name) else [name]
    are_names = all(
        _CAPITALISED.fullmatch(each)
        and _NO_WORDS.isdisjoint(each.casefold().split())
        and is_likely_name(each)
        for each in names
    )
    return [each.title() if each.isupper() else each for each in names] if are_names else []


def _together(
    visible: Visible, shown: Iterator[tuple[Spot, list[str]]]
) -> list[tuple[Spot, list[str]]]:
    """Return the places that name somebody; elements of several who wrote together are one."""
    page, joined = visible.page, list[tuple[Spot, list[str]]]()
    stop = -1  # after the last element
    for spot, names in shown:
        start = int(page.text_start[spot.first]) if spot.first < page.text_at.size else -1
        is_link = spot.source in (*_LINKS, "class")
        is_near = joined and is_link and 0 <= stop <= start <= stop + LONGEST_NAME
        if is_near and _BETWEEN.fullmatch(page.buffer[stop:start]):
            joined[-1][1].extend(
                each for each in names if " " in each and each not in joined[-1][1]
            )
            names = []
        if names:
            joined.append((spot, names))
        if is_link:
            stop = int(page.text_stop[page.last_text[spot.element] - 1])
    return [each for each in joined if each[0].source not in _LINKS or len(each[1]) <= _MOST_LINKED]


def names_in_byline(text: str, language: str = "", *, is_head: bool = True) -> list[str]:
    """Return the names in a line that says whom a text is by; empty for other lines."""
    # One with an address is such a line in the head of a mail, and else may say whom to ask.
    text = text[:300]
    is_marked = _MARKS.search(text) is not None
    name_at = _behind_label(text) if is_marked else 0
    if name_at:
        rest = _STOP.split(text[name_at:].lstrip())[0].removeprefix("记者").removeprefix("記者")
        if _IS_CJK.match(rest):
            name = _CJK_NAME.match(rest.split()[0])
            return [name[0]] if name else []
        return names_in_line(_without_dates(rest))
    login = _BY_LOGIN.match(text)
    if login:
        return [login[1]]
    reporter = None if text.isascii() else _REPORTER.search(text)
    if reporter:
        return [reporter[reporter.lastindex or 1]]
    is_mail = is_head and ("@" in text or "at" in text.split())
    if is_mail and (mail := _WITH_ADDRESS.match(text)):
        return names_in_line(mail[1])
    dates = written_dates(text)
    if not dates:
        match = _BY_LINE.match(text)
        return _after_by(text[match.end() :]) if match else _after_preposition(text, language)
    for number, start in enumerate([0, *(date.stop for date in dates)]):
        part = text[start:]
        match = _BY_LINE.match(part)
        if match:
            names = _after_by(part[match.end() :])
        else:
            names = _after_preposition(part, language)
            part = _READING_TIME.sub("", part)
            if not names and number and (match := _SEPARATED.match(part)):
                names = names_in_line(_without_dates(part[match.end() :]))
                names = names if all(" " in name for name in names) else []
        is_editor = number and label_before(text[: dates[number - 1].start]) == "updated"
        if names and not (is_editor and part[:1].isspace() and part.lstrip()[0].isalnum()):
            return names
    return []


def _behind_label(text: str) -> int:
    for mark in _MARK.finditer(text):
        before = text[max(mark.start() - _LONGEST_AUTHOR_LABEL, 0) : mark.start()].rstrip().lower()
        is_label = mark["label"] or before.endswith(_LABEL_ENDS) or _TEXT.search(before)
        if is_label or _NO_LETTER.split(before)[-1] in _LABEL_WORDS:
            return mark.end()
    return 0


def _after_by(rest: str) -> list[str]:
    rest = _LINE_END.split(rest)[0]
    return names_in_line(rest) or names_in_line(_without_dates(rest))


def _after_preposition(text: str, language: str) -> list[str]:
    match = _PREPOSITION.match(text)
    said = match and _PREPOSITIONS.get((match[1] or "").lower())
    if not match or (language and said and language not in said):
        return []
    names = names_in_line(_without_dates(_LINE_END.split(text[match.end() :])[0]))
    return names if all(2 <= len(name.split()) <= 4 for name in names) else []


def _without_dates(text: str) -> str:
    """Return what stands before the first date in a line, and before the label of that date."""
    dates = written_dates(text)
    return _SMALL_END.sub("", before_label(text[: dates[0].start])) if dates else text


_SMALL_END = re.compile(r"\s(?:le|el|il|em|am|on|den|op|dne|na)\s+\Z", re.IGNORECASE)
"""What leads from a name to its date."""


# -- names ----------------------------------------------------------------------------------------

LONGEST_AUTHOR = 70  # characters of a name
MOST_WORDS_OF_AUTHOR = 8

_BY = re.compile(
    r"\A(?:\W*(?:(?:written|posted|published|reviewed|created|authored|edited|words|story|article|"
    r"post|text|contributed|started|asked|recipe)\s*)?\b(?:by|von|par|por|door|af|av|di)\b[:\s]+|"
    r"\W*(?:about the author|post author|authors?|autor(?:a|es|ka)?|auteurs?|autor[ei]|автор[ыи]?|"
    r"yazar|szerző|작성자|作者|بقلم|by-?line|writer)\b"
    r"\s*[:：\s-]\s*)+",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\s*(?:[|•·⋅»–—(\[\n\t\u2600-\u27bf\ue000-\uf8ff\U0001f300-\U0001faff]|\s-\s|\b(?:published|updated|posted|last|on|modified|reviewed|"
    r"medically|fact[- ]checked|in|via|for|says|at|is|avec|mit|con|met|med)\b\s|"
    r"[.,;|]?\s\(?(?:fotos?|photos?|photograph\w*|fotograf\w*|bild(?:er)?|beeld|kuvat?|pictures|ill?ustrat\w+|zdjęci\w+|фото|"
    r"translat\w+|tradu\w+|tradotto|übers\w+|vertal\w+|översätt\w+|перев\w+)\b\W{1,3}\w|"
    rf",?\s*\b(?:\d{{1,2}}\s+)?{ENGLISH_MONTH}\s\d|"
    r"\s\w{1,3}(?:\sl[ae]s)?\s\d\d?[:h.]\d|[.;,/]?(?:\swith)?\s\w{4,14}\sby\b|\d{1,4}[/.:-]\d|\b\d+\s+(?:min|comments?)|\b(?:posts?|joined|messages?|beiträge)\s*:).*\Z",
    re.IGNORECASE | re.DOTALL,
)  # what follows a name in a line: a date, a place, a role
_AND = re.compile(r"\s*(?:;|\s&\s|\s\+\s|,?\s+\b(?:and|AND|with)\s|\s+(?:und|et|y|e)\s+)\s*")
_COMMA = re.compile(r"\s*,\s*")
_TITLES = re.compile(
    r"(?:m\.?d|ph\.?d|j\.?d|m\.?s|m\.?a|b\.?a|mba|cpa|rdn?|r\.?n|jr|sr|ii|iii|esq|dds|dvm|do|np|pa|"
    r"pe|cfp|cfa|bs|bsn|msn|lcsw|edd|mph|ceo|coo|cto|cfo|inc|llc|ltd|gmbh|co|corp)\.?",
    re.IGNORECASE,
)
_NOBODY = frozenset(
    "you admin administrator author authors by editor editors guest none null unknown anonymous "
    "wordpress webmaster user username member contributor undefined n/a default superuser root "
    "moderator staff share website home al".split()
)
_ROLES = frozenset(
    "founder co-founder cofounder editor writer reviewer contributor director manager specialist "
    "expert staff senior content head ceo cto lead analyst author marketing chief former certified "
    "gardener correspondent reporter journalist columnist president vp managing executive blogger "
    "owner professor consultant special investigative freelance associate assistant deputy chief "
    "twitter facebook instagram linkedin email date follow photographer trending master minister "
    "mayor secretary attorney lawyer engineer developer scientist researcher fellow captain "
    "officer chair chairman chairwoman teacher lecturer nurse doctor student designer strategist "
    "coach producer political sports health education business crime science environment "
    "biologist economist historian critic architect".split()
)  # what stands right behind a name, and is no part of it
_MEDIA = frozenset("news magazine radio tv".split())  # what ends the names of employers
_OF_PLACES = frozenset("bad san santa são new los las saint st. rio porto puerto".split())
"""What places begin with that have two words, as names of persons do."""
_OF_ROLES = frozenset("of at for".split())  # words inside of what somebody is, as in "Head of Nets"
_PARTICLES = frozenset(
    "van von der den de del della da di du la le el al bin ibn ten ter zu y e dos the for "
    "of".split()
)
_UNFINISHED = frozenset("by of for and".split())
_LABELS = frozenset(
    "account phone get view home sign login menu follow share posts email search more about "
    "contact news blog reply prevention save print top commentary list learn profile author’s "
    "author's columnists rss contributors authors writers writer contributor original license "
    "licence credits maintainers acknowledgements use industry role category topic price".split()
)
_OTHER = re.compile(
    r"(?<=\w)\s*(?:\||/\s?(?=[A-Z])|,?\s+(?:the\s)?(?:associated press|reuters|afp|bloomberg)\b).*",
    re.I,
)  # what follows the name of a person: a site, an agency
_AGENCY = re.compile(
    r"(?:the\s)?(?:associated press|reuters|afp|bloomberg)(?:\snews)?", re.IGNORECASE
)
_EDGES = " \t,.;:|-–—•·@\"'“”*>/«»"
_MARKUP = re.compile(r"</?[a-zA-Z][^<>]*>?")  # ends at the next bracket: linear
_ADDRESS = re.compile(r"https?:|www\.|\.(?:com|org|net)\b/|@\w+\.\w|[{}]|%\w+%|\w\.\w+\.\w+\.\w")
"""What is in no name: an address, a hole of a template, the path of a value."""
_AT_ADDRESS = re.compile(
    r"(?<=\w)(?:[\s|,:(<\[]+[\s\-–—|,:(<\[]*"
    r"(?:https?://|www\.|mailto:|[\w.+-]+@[\w-]+\.|@\w)\S*|@\w+(?![\w.]))"
)  # an address or a handle behind a name


def clean_name(text: str) -> str:
    text = _BY.sub("", " ".join(_MARKUP.sub(" ", text[:300]).split()))
    text = _trimmed(_AT_ADDRESS.sub("", text))
    first = _trimmed(_OTHER.sub("", text))
    text = first if " " in first else text
    is_name = (
        0 < len(text) <= LONGEST_AUTHOR
        and len(text.split()) <= MOST_WORDS_OF_AUTHOR
        and text.casefold() not in _NOBODY
        and not _ADDRESS.search(text)
        and any(character.isalpha() for character in text)
    )
    return text if is_name else ""


def _trimmed(text: str) -> str:
    """Return a name without signs around it, but for the point of "Jr."."""
    name = text.strip(_EDGES)
    return f"{name}." if name.endswith((" Jr", " Sr")) and f"{name}." in text else name


def names_in(text: str) -> list[str]:
    text = _BY.sub("", " ".join(text[:400].split()))
    found: list[str] = []
    parts = [_names_and_titles(part) for part in _AND.split(text)]
    if len(parts) > 1 and sum(not _TITLES.fullmatch(each) for each in parts[-1]) > 1:
        parts = [part[:1] for part in parts]  # "A, mayor, and B, captain"
    for pieces in parts:
        many = sum(len(piece.split()) > 1 for piece in pieces) > 1
        for number, piece in enumerate(pieces):
            if found and number and (_TITLES.fullmatch(piece) or not many):
                found[-1] += f", {piece}" if _TITLES.fullmatch(piece) else ""
            else:
                found.append(piece)
    return without_repeats(map(clean_name, found))


def _names_and_titles(text: str) -> list[str]:
    """Return the pieces of a text between commas, but for what says what somebody is."""
    first, *others = _COMMA.split(text)
    others = [each for each in others if each.partition(" ")[0].casefold() not in _OF_PLACES]
    roles = [_is_role(each) or bool(_AGENCY.match(each)) for each in others]
    if any(roles) and not any(roles[roles.index(True) + 1 :]):
        others = others[: roles.index(True)]  # what follows the last role is an employer
    return [first, *(each for each, is_role in zip(others, roles, strict=False) if not is_role)]


def _is_role(text: str) -> bool:
    words = text.casefold().replace(".", "").split()
    is_role = not (_ROLES | _MEDIA).isdisjoint(words[-1:]) or not _OF_ROLES.isdisjoint(words[1:])
    return len(words) > 1 and (is_role or words[0] == "the")


def names_in_line(text: str) -> list[str]:
    """Return the names in a line that readers see, where a role or a date may stand, too."""
    line = _BY.sub("", " ".join(text[:300].split()))
    names = [_without_role(name) for name in names_in(before_label(_AFTER.sub("", line)))]
    likely = list(takewhile(is_likely_name, names))
    if len(likely) < len(names) and " " in "".join(likely[:1]):
        return likely  # "Ada Berg, Candidate of a Committee"
    return likely if len(likely) == len(names) else []


def is_likely_name(text: str) -> bool:
    """Return whether a text that a reader sees where names stand looks like a name."""
    words = text.split()
    if not 0 < len(words) <= 6 or words[0].casefold() in _LABELS or ":" in text:
        return False
    is_part = not _UNFINISHED.isdisjoint((words[0].casefold(), words[-1].casefold()))
    if is_part or all(each.casefold() in _ROLES for each in words):
        return False
    if len(words) == 1:
        return True
    big = [word for word in words if word.casefold().rstrip(".,") not in _PARTICLES]
    return bool(big) and all(not word[0].islower() and not word[0].isdigit() for word in big)


def _without_role(text: str) -> str:
    words = text.split()
    for number, word in enumerate(words):
        if number >= 2 and word.casefold().strip(",.") in _ROLES:
            return " ".join(words[:number])
    return text
