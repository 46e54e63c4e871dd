"""Callouts: notes, tips and warnings that stand apart from the text, told by their classes."""

from __future__ import annotations

import re
from typing import NamedTuple

_COLORS = frozenset("primary secondary light dark default neutral".split())
_CALLOUT_KINDS = {
    **{
        kind: kind
        for kind in (
            "note tip important warning caution info danger hint attention error success failure "
            "question bug example abstract todo seealso help check deprecated critical "
            "experimental".split()
        )
    },
    **dict.fromkeys(_COLORS, "note"),
    "warn": "warning",
    "information": "info",
    "see-also": "seealso",
    "fail": "failure",
    "positive": "success",
    "negative": "danger",
}
"""The kind of a callout, by what its class says."""
_PLAIN = frozenset(
    "note tip important warning caution info danger hint attention error seealso".split()
)
"""Kinds that are classes by themselves: ``div.note``."""

_KIND = "|".join(_CALLOUT_KINDS)
_FAMILIES = "admonition admonish alert callout notice notecard hint note".split()
_WITH_KIND = "aside prompt macro admon attention blockquote-tag".split()  # with a kind only
_WITHOUT_KIND = "admonitionblock custom-block infobox".split()
FIRST_WORDS = [each.partition("-")[0] for each in (*_FAMILIES, *_WITH_KIND, *_WITHOUT_KIND)]
"""A word of each class that surely names a callout."""
_FAMILY = rf"(?:[\w-]*[-_])?(?:{'|'.join(_FAMILIES)}"
_BOTH = re.compile(rf"{_FAMILY}|{'|'.join(_WITH_KIND)})[-_]{{1,2}}(?:is-|type-|style-)?({_KIND})")
"""A class that names both: ``alert-info``, ``starlight-aside--tip``."""
_ONE = re.compile(rf"{_FAMILY}|{'|'.join(_WITHOUT_KIND)})")
_OF_KIND = re.compile(rf"(?:is-|type-|style-|\w-|note)?({_KIND})")
"""Classes that name what it is, and of which kind, beside each other: ``admonition tip``."""
_UNKIND = re.compile(r"admonition|markdown-alert|(?:notion|nextra)-callout|kg-callout-card")
"""What is a callout of no kind."""

MAY_NAME_ONE = (
    *_PLAIN,
    *"admon alert callout notice aside prompt macro custom-block infobox".split(),
)
"""A part of each class that names a callout: most have none."""

DECLARING = ("data-callout", "data-callout-type")  # attributes that name the kind of a callout

TITLE_CLASS = re.compile(r"(?i)title|head(?:ing|er)?(?:$|[\s_-])|summary|label")
"""Classes of the title of the callout that it begins."""
TITLES = frozenset("summary dt h1 h2 h3 h4 h5 h6".split())
"""Elements that hold the title of a callout in which they come first."""
_WRITTEN = re.compile(r"\s*\[!([A-Za-z]{1,20})\]\s*")
"""GitHub's mark, where nothing has made a callout of it."""
ICONS = "".join(map(chr, (*range(0x2190, 0x2C00), *range(0x1F000, 0x1FB00), 0xFE0F, 0x200D)))
"""What may stand before a title as a picture."""
_AROUND_WORDS = re.compile(r"^[\W\d_]+|[\W_]+$")


class CalloutClass(NamedTuple):
    """What a class says of a callout."""

    kind: str
    sure: bool
    """Whether it is one even if its text does not begin with the name of the kind."""


def callout_of(value: str) -> CalloutClass | None:
    """Return the callout that a ``class`` attribute names; ``None`` if it names none."""
    value = value[:400].lower()
    if not any(part in value for part in MAY_NAME_ONE):
        return None
    words = value.split()
    both = [match[1] for match in map(_BOTH.fullmatch, words) if match]
    if both:
        kind = next((kind for kind in both if kind not in _COLORS), both[0])
        return CalloutClass(_CALLOUT_KINDS[kind], sure=True)
    families = [word for word in words if _ONE.fullmatch(word)]
    for family in families:
        kinds = (_OF_KIND.fullmatch(word) for word in words if word != family)
        if match := next(filter(None, kinds), None):
            return CalloutClass(_CALLOUT_KINDS[match[1]], sure=True)
    if any(_UNKIND.fullmatch(family) for family in families):
        return CalloutClass("note", sure=True)
    plain = next((word for word in words if word in _PLAIN), None)
    return CalloutClass(plain, sure=False) if plain else None


def written_mark(text: str) -> tuple[CalloutClass, int] | None:
    """Return the callout whose mark a quotation begins with, and the size of that mark."""
    match = _WRITTEN.match(text)
    return (CalloutClass(match[1].lower(), sure=True), match.end()) if match else None


def names_kind(text: str, kind: str) -> bool:
    """Tell whether a title says no more than the kind of the callout."""
    said = "".join(_AROUND_WORDS.sub("", text).lower().split())
    return said == kind or _CALLOUT_KINDS.get(said) == kind
