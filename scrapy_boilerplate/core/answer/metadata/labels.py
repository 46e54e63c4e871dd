"""Words beside a date that say what it dates: the publication, or the last change."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

Label: TypeAlias = Literal["published", "updated", ""]  # what stands beside a date says of it


def _small(text: str) -> str:
    """Return a text with small letters alone, one for each: patterns without flags are fast."""
    return text.replace("İ", "i").lower().replace("ı", "i").replace("ς", "σ")


def _small_words(pattern: str) -> re.Pattern[str]:
    """Compile a pattern that is looked for in what :func:`_small` returns."""
    return re.compile(pattern.replace("ı", "i").replace("ς", "σ"))


def _words(texts: str) -> str:
    """Return a pattern for words, or their beginnings, with ``_`` for white space."""
    by_letter: dict[str, list[str]] = {}
    for word in texts.replace("_", r"\s+").split():
        by_letter.setdefault(word[0], []).append(word[1:])
    return r"\b(?:" + "|".join(f"{a}(?:{'|'.join(rest)})" for a, rest in by_letter.items()) + ")"


_CHANGE = (
    _words(
        # English, German, French, Spanish, Portuguese, Catalan, Italian, Romanian
        "last_(?:medically_)?(?:reviewed|checked) "
        "up-?dated? modified edited revised amended changed rev\\. aktualisier geändert änderung "
        "bearbeitet bearbeitung überarbeit mise?_à_jour mise?_a_jour màj modifi(?:ée?|cation)s? "
        "actualisée? révisée? actualiz(?:ad|aci) modific(?:ad|aci|at) modificada editad[oa] editó "
        "atualiza(?:d|ç) modifica(?:d|ç) alterad[oa] edição actualitza(?:t|c) aggiorna(?:t|men) "
        "modifica_ modifica\\b modificata actualizat editat[ăa]? editare modificare revizuit "
        # Polish, Czech, Slovak, Croatian, Slovenian, Hungarian, Turkish
        "zaktualizowan aktualizacj aktualizov modyfikacj zmodyfikowan edytowan edycj zmian "
        "aktualiz upraven[aéýo]? úprav editov změn zmen[aey] ažuriran izmijenj izmenj posodoblj "
        "frissít módosít szerkeszt güncelle değiştiril düzenlen "
        # Dutch, Swedish, Danish, Norwegian, Finnish, Estonian, Indonesian, Vietnamese
        "bijgewerkt gewijzigd bewerkt aangepast wijziging uppdatera redigera ändra[dt]? ändrades "
        "opdater[ei] oppdater redigere?t ændret endret päivite päivity muokat muutettu muudetud "
        "uuendatud diperbarui diubah diedit disunting pembaruan cập_nhật sửa_đổi chỉnh_sửa"
    ),
    r"обновл|оновл|измен[её]н|змінен|отредактир|відредагов|редагув|редактиров|правк|промен|"
    r"актуализ|ажурир|ενημ[εέ]ρ|τροποποι|επεξεργ|تحديث|تعديل|به.?روز|ویرایش|עודכן|נערכ?|עדכון|"
    r"更新|修改|修订|修訂|编辑于|編輯於|编辑於|編集|改訂|수정|업데이트|갱신|편집|अपडेट|แก้ไข|อัปเดต",
)
_LAST = (
    _words(
        "last(?:ly)? latest most_recently recently zuletzt letzte derni[èe]r últim[oa] ultim[oa] "
        "darrera ostatni utols utoljára en_son son laatst senast sist(?:e|_)? senest viimeksi "
        "viimeisin viimeinen naposled posledn zadnj viimati terakhir lần_cuối"
    )
    + r"|последн|востанн|останн|τελευταί|آخر|آخرین|לאחרונה|אחרון|最后|最後|最終|最近|마지막|최종|"
    r"최근|ล่าสุด"
)
_PUBLISHED = (
    _words(
        "publish posted created released? first_seen dated? issued added submitted written_on "
        "started filed veröffentlich erschienen publizier erstellt datum publiée? mise?_en_ligne "
        "parue?\\b publié postée?\\b publicad[oa] publicación publicação fecha postad[oa] data "
        "pubblica publica[tr] opublikowan publikacj dodano publikov zveřejn vydán[oa] uverejn "
        "vložen objavljen közzété megjelen publikál létrehoz yayın eklenme gepubliceer geplaatst "
        "publicera publicere publiser julkais diterbitkan dipublikasikan ditulis đăng"
    ),
    r"опублик|отправлен|публикац|публікац|публикув|размещен|добавлен|создан|дата|نشر|انتشار|"
    r"δημοσ|פורסם|发布|發布|发表|發表|發佈|刊登|時間|时间|日期|公開|掲載|投稿|配信|作成|입력|등록|작성|게시|발행|승인",
)


def _either(change: str, published: str) -> str:
    return f"(?P<updated>{change})|(?P<published>{published})"


_EITHER = _either("|".join(_CHANGE), "|".join(_PUBLISHED))
_LABEL = _small_words(_EITHER)
_ASCII_LABEL = _small_words(_either(_CHANGE[0], _PUBLISHED[0]))
_ONLY_DATE = _small_words(r"date|datum|data|fecha|дата|時間|时间|日期")
"""Words that go with another label, and without one mean the publication."""
_IS_LAST = _small_words(_LAST)
_STAND = _small_words(r"\bstand\s*(?P<sure>:|vom\b)?\W{0,3}\Z")
"""A label in German, and without what follows it a verb in English."""

_FILL = (
    "a h on at the of date time day by in as since is was been it to from for this page article "
    "post am um vom der den das dem die von le la de du des à el del las en dia día em no às il "
    "lo alle ore dnia dne dňa o w na в во о от дата время op om den klo kl godz ngày lúc vào pada "
    "tanggal pukul an uhr yang pe data fecha στις τις την ב يوم في بتاريخ کو"
)
_WEEKDAY = (
    r"mon|tue|wed|thu|fri|sat|sun|mo|di|mi|do|fr|sa|so|montag|dienstag|mittwoch|donnerstag|freitag|"
    r"samstag|sonntag|lun|mar|mer|jeu|ven|sam|dim|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|"
    r"lunes|martes|mi[ée]rcoles|jueves|viernes|s[áa]bado|domingo"
)
_GAP = _small_words(
    # The end of the word, and what may stand between it and its date.
    rf"[^\W\d]*(?:\W|\d{{1,2}}[:h.]\d\d(?:\s?[ap]\.?m\.?)?(?:\s[a-z]{{2,4}}\b)?|\b(?:{'|'.join(_FILL.split())}|"
    rf"(?:{_WEEKDAY})[^\W\d]{{0,6}})\b){{0,40}}",
)
_BY = _small_words(
    r"\s+(?:by|von|par|por|da|door|av|af)\s+[^,;|:·•–—\d]{2,40}"
    r"(?:[,;|:·•–—]|\s(?:on|at|am|le|el|il|em)\b)?\W*",
)  # somebody who stands between a label and its date
_BY_ROLE = _small_words(r"(?:edit|revis|bearbeit)")
"""Labels that before "by" name a role, and no change."""
_SENTENCE = re.compile(r"(?<![ap]\.m)[.!?。]\s+(?=[^\W\d_a-z])|[\n|·•]")
_REST = _small_words(
    rf"\W*(?:\b(?:uhr|tarihinde|(?:kor|án|én|kl)\b)|に|에|\d{{1,2}}(?:[:.h]|時)\d\d分?)?\W*"
    rf"(?:{_EITHER})"
    rf"[^\W\d]{{0,10}}(?=\W*\Z|\W*\d|\s*[|·•,;/)\]–—])",
)  # a label behind its date, with nothing after it
_OTHER = _small_words(
    r"(?:\b(?:born|birth(?:day)?|died|death|geb(?:oren)?|gestorben|née?|naissance|mort|nacid[oa]|nascid[oa]|"
    r"fallecid[oa]|nat[oa]|mort[oa]|founded|gegründet|established|since|seit|depuis|desde|dal|od|until|bis|before|"
    r"termin[ea]?|deadline|due|expires?|valid|starts?|starting|ends?|ending|begins?|accessed|retrieved|abgerufen|consulté|"
    r"today|heute|сегодня|dzi[śs]|aujourd.hui|hoy|oggi|hoje|今天|"
    r"member|joined|registered|registriert|dabei|copyright|photo|foto|taken|event|when|wann|quand|cu[áa]ndo|quando|wanneer|kiedy|kdy|когда|när|hvornår|"
    r"milloin|\w{0,20}(?:schluss|frist)|l[ií]mite|scadenza|next|opens?|closes?)|"
    r"родил(?:ся|ась)|умер(?:ла)?|основан|©|[*†])"
    r"(?:\W{1,3}(?:since|on|by|of|at|in|is|from|the|am|seit|le|el|date|until|"
    rf"(?:{_WEEKDAY})[^\W\d_]{{0,6}}))*[\s:.,(]*\Z",
)  # a word before a date of something else than the page
MOST_BESIDE = 120  # characters beside a date that may label it


def labels(texts: Sequence[str], language: str = "") -> list[Label]:
    """Return what dates the text between them: *texts* are those before, between and after them."""
    before = [label_before(text, language) for text in texts[:-1]]
    rests = [_REST.match(_small(text[:MOST_BESIDE])) for text in texts[1:]]
    after: list[Label] = [_kind(match) if match else "" for match in rests]
    if before and not before[0] and all(after):  # in this line labels stand behind their dates
        return after
    for number, text in enumerate(texts[:-1]):
        behind = texts[-1] if number == len(texts) - 2 else ""
        if not before[number] and _is_last_change(text, behind):
            before[number] = "updated"
    return before


def label_before(text: str, language: str = "") -> Label:
    """Return the label that ends a text, right before a date."""
    line = _SENTENCE.split(text[-MOST_BESIDE:])[-1]
    if not line.strip():
        line = text[-MOST_BESIDE:].strip(" \n|·•")
    line = _small(line)
    stand = _STAND.search(line)
    if stand and (stand["sure"] or language[:2] == "de"):
        return "updated"
    all_found = list(_labels_in(line))
    found = [match for match in all_found if _leads(match, line)]
    found = [match for match in found if not _ONLY_DATE.fullmatch(match[0])] or found
    if not found:
        return ""
    at = all_found.index(found[-1])
    before = all_found[at - 1] if at else None
    if before and before["updated"] and not line[before.end() : found[-1].start()].strip():
        return "updated"  # "last update posted"
    return _kind(found[-1])


def _labels_in(text: str) -> Iterator[re.Match[str]]:
    return (_ASCII_LABEL if text.isascii() else _LABEL).finditer(text)


def _kind(match: re.Match[str]) -> Label:
    return "updated" if match["updated"] else "published"


def _leads(match: re.Match[str], line: str) -> bool:
    rest = line[match.end() :]
    if _GAP.fullmatch(rest):
        return True
    by = _BY.fullmatch(rest)
    is_last = _IS_LAST.search(line[: match.start()])
    return bool(by and (is_last or not _BY_ROLE.match(match[0])))


def _is_last_change(before: str, after: str) -> bool:
    """Return whether a sentence around a date says when the last change was."""
    end = _SENTENCE.split(before[-MOST_BESIDE:])[-1]
    around = _small(f"{end} {_SENTENCE.split(after[:MOST_BESIDE])[0]}")
    change = (match for match in _labels_in(around) if match["updated"])
    return bool(_IS_LAST.search(around)) and any(change)


def is_other(text: str) -> bool:
    """Return whether what stands right before a date says that it is not of the page."""
    return bool(_OTHER.search(_small(text[-MOST_BESIDE:])))


_NAMED = _small_words(
    r"(?P<updated>updat|modif|edit(?:ed|-?date|time)|revis|changed|lastmod|last-?edit)|"
    r"(?P<published>publi|issued|creat|posted|upload|pub-?date|dt-start|entry-date)",
)


def label_of_name(name: str) -> Label:
    """Return what a class, property or id says of a date; both at once are of the publication."""
    found = {match.lastgroup for match in _NAMED.finditer(_small(name))}
    return "published" if "published" in found else "updated" if found else ""


def before_label(text: str) -> str:
    """Return what stands before the first label in a text; all of it without one."""
    match = next(_labels_in(_small(text)), None)
    return text[: match.start()] if match else text
