"""Names of authors as pages write them."""

from __future__ import annotations

import re
from collections.abc import Iterable

LONGEST = 70
"""Characters of a name."""
MOST_WORDS = 8

_BY = re.compile(
    r"\A(?:\W*(?:(?:written|posted|published|reviewed|created|authored|edited|words|story|article|"
    r"post|text|contributed|started|asked)\s*)?\b(?:by|von|par|por|door|af|av|di)\b[:\s]+|"
    r"\W*(?:about the author|post author|authors?|autor|auteur|autore|автор|by-?line|writer)\b"
    r"\s*[:\s-]\s*)+",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\s*(?:[|•·⋅»–—(\[\n\t]|\s-\s|\b(?:published|updated|posted|last|on|modified|reviewed|"
    r"medically|fact[- ]checked|in|via|for|says|at|is)\b\s|"
    r",?\s*\b(?:\d{1,2}\s+)?(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?\s\d|"
    r"\d{1,4}[/.:-]\d|\b\d+\s+(?:min|comments?)).*\Z",
    re.IGNORECASE | re.DOTALL,
)
"""What follows a name in a line: a date, a place, a role."""
_AND = re.compile(r"\s*(?:;|\s&\s|\s\+\s|,?\s+\band\s|\s+(?:und|et|y|e)\s+)\s*")
_COMMA = re.compile(r"\s*,\s*")
_TITLES = re.compile(
    r"(?:m\.?d|ph\.?d|j\.?d|m\.?s|m\.?a|b\.?a|mba|cpa|rdn?|r\.?n|jr|sr|ii|iii|esq|dds|dvm|do|np|pa|"
    r"pe|cfp|cfa|bs|bsn|msn|lcsw|edd|mph|ceo|cto|cfo|inc|llc|ltd|gmbh|co|corp)\.?",
    re.IGNORECASE,
)
_NOBODY = frozenset(
    "admin administrator author authors by editor editors guest none null unknown anonymous "
    "wordpress webmaster user username member contributor undefined n/a default superuser root "
    "moderator staff share website home".split()
)
_ROLES = frozenset(
    "founder co-founder cofounder editor writer reviewer contributor director manager specialist "
    "expert staff senior content head ceo cto lead analyst author marketing chief former certified "
    "gardener correspondent reporter journalist columnist president vp managing executive blogger "
    "owner professor consultant".split()
)
_PARTICLES = frozenset(
    "van von der den de del della da di du la le el al bin ibn ten ter zu y e dos the".split()
)
_LABELS = frozenset(
    "account phone get home sign login menu follow share posts email search more about contact "
    "news blog reply prevention save print".split()
)
_EDGES = " \t,.;:|-–—•·@\"'“”*>/«»"
_MARKUP = re.compile(r"</?[a-zA-Z][^<>]*>?")  # ends at the next bracket: linear
_ADDRESS = re.compile(r"https?:|www\.|\.(?:com|org|net)\b/|@\w+\.\w")


def clean_name(text: str) -> str:
    """Return the name in a declaration; empty if it holds none.

    >>> clean_name("By Ada Lovelace"), clean_name("admin"), clean_name("https://example.com/ada")
    ('Ada Lovelace', '', '')
    """
    text = _BY.sub("", " ".join(_MARKUP.sub(" ", text[:300]).split())).strip(_EDGES)
    is_name = (
        0 < len(text) <= LONGEST
        and len(text.split()) <= MOST_WORDS
        and text.casefold() not in _NOBODY
        and not _ADDRESS.search(text)
        and any(character.isalpha() for character in text)
    )
    return text if is_name else ""


def names_in(text: str) -> list[str]:
    """Return the names in a text that may list several.

    >>> names_in("By Ada Lovelace, Grace Hopper, PhD and Alan Turing")
    ['Ada Lovelace', 'Grace Hopper, PhD', 'Alan Turing']
    """
    text = _BY.sub("", " ".join(text[:400].split()))
    found: list[str] = []
    for part in _AND.split(text):
        pieces = _COMMA.split(part)
        many = sum(len(piece.split()) > 1 for piece in pieces) > 1
        for number, piece in enumerate(pieces):
            if found and number and (_TITLES.fullmatch(piece) or not many):
                found[-1] += f", {piece}" if _TITLES.fullmatch(piece) else ""
            else:
                found.append(piece)
    return without_repeats(map(clean_name, found))


def names_in_line(text: str) -> list[str]:
    """Return the names in a line that readers see, where a role or a date may stand, too.

    >>> names_in_line("Written by Ada Lovelace | 4 May 2025"), names_in_line("click here")
    (['Ada Lovelace'], [])
    """
    text = _AFTER.sub("", _BY.sub("", " ".join(text[:300].split())))
    names = [_without_role(name) for name in names_in(text)]
    return names if all(map(is_likely_name, names)) else []


def is_likely_name(text: str) -> bool:
    """Return whether a text that a reader sees where names stand looks like a name.

    >>> is_likely_name("Ludwig van Beethoven"), is_likely_name("following the tips below")
    (True, False)
    """
    words = text.split()
    if not 0 < len(words) <= 6 or words[0].casefold() in _LABELS:
        return False
    if len(words) == 1:
        return True
    big = [word for word in words if word.casefold().rstrip(".,") not in _PARTICLES]
    return bool(big) and all(not word[0].islower() and not word[0].isdigit() for word in big)


def _without_role(text: str) -> str:
    """Return a name without the role that stands right behind it."""
    words = text.split()
    for number, word in enumerate(words):
        if number >= 2 and word.casefold().strip(",.") in _ROLES:
            return " ".join(words[:number])
    return text


def without_repeats(names: Iterable[str]) -> list[str]:
    """Return names in their order, each once, without empty ones."""
    seen: dict[str, str] = {}
    for name in names:
        if name:
            seen.setdefault(name.casefold(), name)
    return list(seen.values())
