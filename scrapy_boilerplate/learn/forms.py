"""A site's model as JSON types that a person reads and edits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

from scrapy_boilerplate.learn.facts import SiteFacts, SiteRule, Vote
from scrapy_boilerplate.learn.paths import is_source, own_tag
from scrapy_boilerplate.learn.selectors import compile_selector

Facts = TypeVar("Facts", bound=SiteFacts)

_MOST_NUMBER = 1 << 53  # above each number: a database and a float hold those below
_DEFAULTS = SiteFacts("")
_SCALARS = {
    each.name: default
    for each in fields(SiteFacts)
    if isinstance(default := getattr(_DEFAULTS, each.name), (int, float))
}
_VOTES = {
    "containers": "selector",
    "titles": "path",
    "content": "path",
    "boilerplate": "path",
    "sources": "source",
}
_MANUAL = ("containers", "titles")  # in which a plain string is a person's
_SELECTORS = ("end_markers", "drop", "keep")
_HASHES = ("repeats", "title_parts")
_KNOWN = {"site", *_SCALARS, *_VOTES, *_SELECTORS, *_HASHES, "frames", "also"}


def to_form(facts: SiteFacts) -> dict[str, object]:
    """Return what differs from the defaults, as JSON types."""
    form: dict[str, Any] = {
        name: getattr(facts, name)
        for name, default in _SCALARS.items()
        if getattr(facts, name) != default
    }
    for name, key in _VOTES.items():
        votes = [
            {key: vote.name, "pages": vote.pages, "score": vote.score}
            for vote in getattr(facts, name)
        ]
        form[name] = [*getattr(facts.rule, name, ()), *votes]
    form |= {name: list(getattr(facts.rule, name)) for name in _SELECTORS}
    form |= {name: _digits(getattr(facts, name)) for name in _HASHES}
    form |= {"frames": list(map(_digits, facts.frames)), "also": list(map(to_form, facts.also))}
    return {"site": facts.site, **{k: value for k, value in form.items() if value not in ([], "")}}


def from_form(kind: type[Facts], form: Mapping[str, object]) -> Facts:
    """Read what :func:`to_form` or a person wrote; the :exc:`ValueError` names what is wrong."""
    site = form.get("site") if isinstance(form, Mapping) else None
    if not isinstance(site, str):
        raise ValueError("a site's rule must be a mapping with the key 'site'")
    unknown = sorted(map(str, form.keys() - _KNOWN))
    if unknown:
        raise ValueError(f"rule of {site!r}: unknown {', '.join(unknown)}; known: {sorted(_KNOWN)}")
    values: dict[str, Any] = {}
    manual: dict[str, Any] = {}
    try:
        for name in filter(form.__contains__, _SCALARS):
            values[name] = _scalar(name, form[name])
        for name in _VOTES:
            values[name], plain = _votes(name, form.get(name, ()))
            manual |= {name: plain} if plain else {}
        for name in _SELECTORS:
            manual[name] = _strings(name, form.get(name, ()))
        for name in _HASHES:
            values[name] = _hashes(name, form.get(name, ""))
        frames = _strings("frames", form.get("frames", ()))
        values["frames"] = tuple(_hashes("frames", frame) for frame in frames)
        forms = _entries("also", form.get("also", ()))
        if any(isinstance(each, Mapping) and "also" in each for each in forms):
            raise ValueError("a template in also cannot have also")
        if not all(is_source(vote.name) for vote in values["sources"]):
            raise ValueError("sources must have the form of Extraction.source")
    except ValueError as error:
        raise ValueError(f"rule of {site!r}: {error}") from error
    values["also"] = tuple(from_form(kind, each) for each in forms)
    for vote in values["containers"]:
        if not own_tag(vote.name):
            compile_selector(vote.name)
    return kind(site, rule=SiteRule(**manual), **values)


def count_of(value: Any) -> int:
    """Return a count that anybody may have written; raise :exc:`ValueError` for what is none."""
    number = int(value)
    if not 0 <= number < _MOST_NUMBER:
        raise ValueError(f"{number} is not a count")
    return number


def _scalar(name: str, value: object) -> object:
    kind = type(_SCALARS[name])
    fits = (int, float) if kind is float else kind
    if isinstance(value, bool) != (kind is bool) or not _fits(value, fits):
        raise ValueError(f"{name} cannot be {value!r}")
    return value


def _fits(value: object, kind: Any = (int, float)) -> bool:
    return isinstance(value, kind) and -_MOST_NUMBER < value < _MOST_NUMBER


def _digits(hashes: frozenset[int]) -> str:
    return " ".join(f"{number:08x}" for number in sorted(hashes))


def _hashes(name: str, digits: object) -> frozenset[int]:
    try:
        return frozenset(int(number, 16) for number in str(digits).split())
    except ValueError as error:
        raise ValueError(f"{name} must be hexadecimal numbers") from error


def _entries(name: str, values: Any) -> list[Any]:
    if not isinstance(values, (list, tuple)):
        raise ValueError(f"{name} cannot be {values!r}")
    return list(values)


def _strings(name: str, values: Any) -> tuple[str, ...]:
    values = [values] if isinstance(values, str) else values
    if not isinstance(values, (list, tuple)) or not all(
        isinstance(value, str) and value.strip() for value in values
    ):
        raise ValueError(f"{name} must be CSS selectors or XPaths")
    return tuple(values)


def _votes(name: str, given: Any) -> tuple[tuple[Vote, ...], tuple[str, ...]]:
    """Return what was learned, and what a person wrote."""
    entries = _entries(name, [given] if isinstance(given, (str, Mapping)) else given)
    key = _VOTES[name]
    learned = tuple(_vote(entry, key) for entry in entries if isinstance(entry, Mapping))
    plain = [entry for entry in entries if not isinstance(entry, Mapping)]
    if plain and name not in _MANUAL:
        raise ValueError(f"{name} must be mappings with {key!r}")
    return learned, _strings(name, plain)


def _vote(entry: Mapping[str, Any], key: str) -> Vote:
    rest = dict(entry)
    name = rest.pop(key, None)
    try:
        if not isinstance(name, str) or not name.strip() or not all(map(_fits, rest.values())):
            raise TypeError(key)
        return Vote(name, **rest)
    except TypeError as error:
        raise ValueError(f"{dict(entry)!r} must have {key!r} and counts") from error
