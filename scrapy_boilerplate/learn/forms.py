"""A site's model as JSON types that a person reads and edits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

from scrapy_boilerplate.learn.facts import SiteFacts, SiteRule, Vote
from scrapy_boilerplate.learn.paths import is_source, own_tag
from scrapy_boilerplate.learn.selectors import compile_selector

Facts = TypeVar("Facts", bound=SiteFacts)

_MOST_NUMBER = 1 << 53
"""Above each number: a database and a float hold those below."""

_DEFAULTS = SiteFacts("")
_SCALARS = {
    each.name: type(getattr(_DEFAULTS, each.name))
    for each in fields(SiteFacts)
    if isinstance(getattr(_DEFAULTS, each.name), (int, float))
}
_VOTES = {
    "containers": "selector",
    "titles": "path",
    "content": "path",
    "boilerplate": "path",
    "sources": "source",
}
_MANUAL = ("containers", "titles")  # in which a plain string is a person's
_KNOWN = {
    "site",
    "end_markers",
    "drop",
    "keep",
    "also",
    "repeats",
    "title_parts",
    "frames",
    *_SCALARS,
    *_VOTES,
}


def to_form(facts: SiteFacts) -> dict[str, object]:
    """Return what differs from the defaults, as JSON types."""
    rule = facts.rule
    scalars = {name: getattr(facts, name) for name in _SCALARS}
    form: dict[str, object] = {
        **{name: value for name, value in scalars.items() if value != getattr(_DEFAULTS, name)},
        **{
            name: [*getattr(rule, name, ()), *(_entry(each, key) for each in getattr(facts, name))]
            for name, key in _VOTES.items()
        },
        "end_markers": list(rule.end_markers),
        "drop": list(rule.drop),
        "keep": list(rule.keep),
        "repeats": _digits(facts.repeats),
        "title_parts": _digits(facts.title_parts),
        "frames": list(map(_digits, facts.frames)),
        "also": list(map(to_form, facts.also)),
    }
    return {"site": facts.site, **{k: value for k, value in form.items() if value not in ([], "")}}


def _entry(vote: Vote, key: str) -> dict[str, object]:
    return {key: vote.name, "pages": vote.pages, "score": vote.score}


def from_form(kind: type[Facts], form: Mapping[str, object]) -> Facts:
    """Read what :func:`to_form` wrote or a person did, as facts of that *kind*.

    Raises :exc:`ValueError` that names what is wrong.
    """
    site = form.get("site") if isinstance(form, Mapping) else None
    if not isinstance(site, str):
        raise ValueError("a site's rule must be a mapping with the key 'site'")
    where = f"rule of {site!r}"
    unknown = sorted(map(str, form.keys() - _KNOWN))
    if unknown:
        raise ValueError(f"{where}: unknown {', '.join(unknown)}; known: {sorted(_KNOWN)}")
    values: dict[str, Any] = {
        name: _scalar(name, form[name], where) for name in _SCALARS if name in form
    }
    manual = {
        name: _strings(form.get(name, ()), where, name) for name in ("drop", "keep", "end_markers")
    }
    for name in _VOTES:
        values[name], plain = _votes(name, form.get(name, ()), where)
        if plain:
            manual[name] = plain
    for name in ("repeats", "title_parts"):
        values[name] = _hashes(name, form.get(name, ""), where)
    frames = _strings(form.get("frames", ()), where, "frames")
    values["frames"] = tuple(_hashes("frames", frame, where) for frame in frames)
    values["also"] = _also(kind, form.get("also", ()), where)
    if not all(is_source(vote.name) for vote in values["sources"]):
        raise ValueError(f"{where}: sources must have the form of Extraction.source")
    for vote in values["containers"]:
        if not own_tag(vote.name):
            compile_selector(vote.name)
    return kind(site, rule=SiteRule(**manual), **values)


def _scalar(name: str, value: object, where: str) -> object:
    kind = _SCALARS[name]
    fits = (int, float) if kind is float else kind
    if isinstance(value, bool) != (kind is bool) or not _fits(value, fits):
        raise ValueError(f"{where}: {name} cannot be {value!r}")
    return value


def _fits(value: object, kind: Any = (int, float)) -> bool:
    return isinstance(value, kind) and -_MOST_NUMBER < value < _MOST_NUMBER


def count_of(value: Any) -> int:
    """Return a count that anybody may have written; raise :exc:`ValueError` for what is none."""
    number = int(value)
    if not 0 <= number < _MOST_NUMBER:
        raise ValueError(f"{number} is not a count")
    return number


def _digits(hashes: frozenset[int]) -> str:
    return " ".join(f"{number:08x}" for number in sorted(hashes))


def _hashes(name: str, digits: object, where: str) -> frozenset[int]:
    try:
        return frozenset(int(number, 16) for number in str(digits).split())
    except ValueError as error:
        raise ValueError(f"{where}: {name} must be hexadecimal numbers") from error


def _also(kind: type[Facts], forms: object, where: str) -> tuple[Facts, ...]:
    """Return the templates that were learned later; they have none of their own."""
    if not isinstance(forms, (list, tuple)):
        raise ValueError(f"{where}: also cannot be {forms!r}")
    if any(isinstance(form, Mapping) and "also" in form for form in forms):
        raise ValueError(f"{where}: a template in also cannot have also")
    return tuple(from_form(kind, form) for form in forms)


def _votes(name: str, entries: object, where: str) -> tuple[Any, tuple[str, ...]]:
    """Return what was learned, and what a person wrote."""
    if isinstance(entries, (str, Mapping)):
        entries = [entries]
    if not isinstance(entries, (list, tuple)):
        raise ValueError(f"{where}: {name} cannot be {entries!r}")
    key = _VOTES[name]
    learned = tuple(_vote(entry, key, where) for entry in entries if isinstance(entry, Mapping))
    plain = [entry for entry in entries if not isinstance(entry, Mapping)]
    if plain and name not in _MANUAL:
        raise ValueError(f"{where}: {name} must be mappings with {key!r}")
    return learned, _strings(plain, where, name)


def _strings(values: object, where: str, name: str) -> tuple[str, ...]:
    if isinstance(values, str):
        values = [values]
    if not isinstance(values, (list, tuple)) or not all(
        isinstance(value, str) and value.strip() for value in values
    ):
        raise ValueError(f"{where}: {name} must be CSS selectors or XPaths")
    return tuple(values)


def _vote(entry: Mapping[str, object], key: str, where: str) -> Vote:
    rest: dict[str, Any] = dict(entry)
    name = rest.pop(key, None)
    try:
        if not isinstance(name, str) or not name.strip() or not all(map(_fits, rest.values())):
            raise TypeError(key)
        return Vote(name, **rest)
    except TypeError as error:
        raise ValueError(f"{where}: {dict(entry)!r} must have {key!r} and counts") from error
