"""What was learned of a site: a small, readable, immutable value."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

from scrapy_boilerplate.sites.applying import BOILERPLATE, CONTENT, RATHER, TITLE, InSite
from scrapy_boilerplate.sites.template import compiled, template_path_hash

if TYPE_CHECKING:
    from scrapy_boilerplate.extraction import Explanation, Extraction
    from scrapy_boilerplate.extractors import Extractor
    from scrapy_boilerplate.page import Page

__all__ = ["Cut", "SiteModel", "SiteRule", "StateError", "Vote"]

MAGIC = b"BPM\x01"
"""First bytes of a model's serialised form; the last one is the version."""

MOST_BYTES = 1 << 20
"""Bytes that a serialised form may hold."""


class StateError(ValueError):
    """A serialised model or state is damaged, or of another version."""


@dataclass(frozen=True, slots=True)
class Vote:
    """A container or template path, and what speaks for it."""

    name: str
    """Selector of a container; template path, as labels joined by ``" > "``."""
    pages: int = 0
    """Pages that have it."""
    score: float = 0.0
    """Containers: sum over the pages of the agreement (F1) with the text that was kept. Slots:
    share of their text that was kept. Titles: share of the articles whose title stood there."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Where an article ends before its container does."""

    paths: tuple[str, ...]
    """One template path, or two that follow one another; the article ends before the last of
    them."""
    pages: int = 0
    """Articles that have it."""
    words: float = 0.0
    """Words that it cuts off, on average."""


@dataclass(frozen=True, slots=True)
class SiteRule:
    """What a person says of a site: CSS selectors, or XPath if they start with ``/`` or ``(``."""

    containers: tuple[str, ...] = ()
    """Elements that hold the article, all that is not dropped; the first selector that the page
    has is taken."""
    titles: tuple[str, ...] = ()
    """Elements that are the article's title; kept even outside the container."""
    cuts: tuple[str, ...] = ()
    """Elements before which the article ends."""
    drop: tuple[str, ...] = ()
    """Elements inside the container that are not part of the article."""

    def __post_init__(self) -> None:
        for selector in (*self.containers, *self.titles, *self.cuts, *self.drop):
            compiled(selector)


@dataclass(frozen=True)
class SiteModel:
    """What was learned of a site, or written by hand, or both.

    Apply it to a page with :meth:`apply`. Without containers it changes nothing.
    """

    site: str
    """The site's key."""
    pages: int = 0
    """Pages from which it was learned."""
    articles: int = 0
    """Those of them that hold an article."""
    containers: tuple[Vote, ...] = ()
    """Elements that hold the article: ``tag#id``, ``tag.class``, or labels joined by ``" > "``."""
    titles: tuple[Vote, ...] = ()
    """Slots of the article's title, which is the start anchor: only articles have it."""
    cuts: tuple[Cut, ...] = ()
    """Where an article ends before its container does."""
    content: tuple[Vote, ...] = ()
    """Slots inside the container that are content even where the single-page method missed it."""
    boilerplate: tuple[Vote, ...] = ()
    """Slots inside the container that are not."""
    repeats: frozenset[int] = frozenset()
    """Hashes of texts inside the container that repeat on other pages in the same path."""
    agreement: float = 0.0
    """Mean agreement (F1) with the single-page method on the articles."""
    safe: bool = False
    """Whether it may answer that a page has no article."""
    complete: bool = False
    """Whether nearly all pages with text enough had a container, or a title where articles have
    it."""
    anchored: bool = False
    """Whether a page with a container but no title is no article."""
    missing: float = 0.0
    """Share of the pages that had text enough but no container."""
    min_words: int = 50
    """Words of text below which a page without container has no article."""
    rule: SiteRule = field(default_factory=SiteRule)
    """What a person added."""

    @property
    def useful(self) -> bool:
        """Whether anything was learned."""
        return bool(self.containers or self.rule.containers)

    @cached_property
    def path_flags(self) -> dict[int, int]:
        """What is known of each template path, by its hash."""
        flags: dict[int, int] = {}
        votes = ((TITLE, self.titles), (CONTENT, self.content), (BOILERPLATE, self.boilerplate))
        for flag, chosen in votes:
            for vote in chosen:
                number = template_path_hash(vote.name)
                rather = RATHER if flag == CONTENT and vote.score <= 0.5 else 0
                flags[number] = flags.get(number, 0) | flag | rather
        return flags

    @cached_property
    def cut_paths(self) -> list[list[int]]:
        """The hashes of the template paths of each cut."""
        return [[template_path_hash(name) for name in cut.paths] for cut in self.cuts]

    def apply(
        self, page: Page, extractor: Extractor, single: Extraction | None = None
    ) -> Extraction:
        """Return the main content of *page*: what *extractor* finds in the part that is left.

        The part is the container from its start to the cut point, without what repeats on the site
        and without template paths that are boilerplate. Slots that are content are kept though the
        extractor missed them. A page without container has no article if the model is :attr:`safe`,
        else the extractor gets all of it. *single* is what the extractor finds on the whole page,
        if that is known already. The spans of the segments are those of *page*.
        """
        return InSite(self, extractor, single).extract(page)

    def explain(self, page: Page, extractor: Extractor) -> tuple[Explanation, ...]:
        """Say for each block of *page* what decided: the site's model or the extractor."""
        return InSite(self, extractor).explain(page)

    # -- forms -------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the model as JSON types that a person can read and edit.

        >>> SiteModel("a.example", containers=(Vote("div.post", 9, 8.5),)).to_dict()["containers"]
        [{'selector': 'div.post', 'pages': 9, 'score': 8.5}]
        """
        form: dict[str, Any] = {"site": self.site}
        defaults = SiteModel(self.site)
        for name in _SCALARS:
            if getattr(self, name) != getattr(defaults, name):
                form[name] = getattr(self, name)
        for name, key in _VOTES.items():
            votes: list[Any] = list(getattr(self.rule, name, ()))
            for vote in getattr(self, name):
                entry = asdict(vote)
                first = entry.pop("paths" if isinstance(vote, Cut) else "name")
                votes.append({key: list(first) if isinstance(first, tuple) else first, **entry})
            if votes:
                form[name] = votes
        if self.rule.drop:
            form["drop"] = list(self.rule.drop)
        if self.repeats:
            form["repeats"] = " ".join(f"{number:08x}" for number in sorted(self.repeats))
        return form

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> SiteModel:
        """Read what :meth:`to_dict` wrote or a person did.

        In ``containers``, ``titles``, ``cuts`` and ``drop`` a plain string is a CSS selector or an
        XPath. Raises :exc:`ValueError` that names what is wrong.

        >>> SiteModel.from_dict({"site": "a.example", "containers": ["div.story"]}).rule.containers
        ('div.story',)
        """
        if not isinstance(form, Mapping) or not isinstance(form.get("site"), str):
            raise ValueError("a site's rule is a mapping with the key 'site'")
        known = {"site", "drop", "repeats", *_SCALARS, *_VOTES}
        unknown = sorted(map(str, form.keys() - known))
        where = f"rule of {form['site']!r}"
        if unknown:
            raise ValueError(f"{where}: unknown {', '.join(unknown)}; known: {sorted(known)}")
        values: dict[str, Any] = {}
        for name, kind in _SCALARS.items():
            if name in form:
                value = form[name]
                if isinstance(value, bool) != (kind is bool) or not isinstance(value, kind):
                    raise ValueError(f"{where}: {name} cannot be {value!r}")
                values[name] = value
        hand: dict[str, tuple[str, ...]] = {"drop": _strings(form.get("drop", ()), where, "drop")}
        for name, key in _VOTES.items():
            entries = form.get(name, ())
            if isinstance(entries, (str, Mapping)):
                entries = [entries]
            if not isinstance(entries, (list, tuple)):
                raise ValueError(f"{where}: {name} cannot be {entries!r}")
            plain = [entry for entry in entries if not isinstance(entry, Mapping)]
            learned = [_vote(entry, key, where) for entry in entries if isinstance(entry, Mapping)]
            values[name] = tuple(learned)
            if plain:
                if name not in ("containers", "titles", "cuts"):
                    raise ValueError(f"{where}: {name} are mappings with {key!r}")
                hand[name] = _strings(plain, where, name)
        try:
            values["repeats"] = frozenset(int(h, 16) for h in str(form.get("repeats", "")).split())
        except ValueError as error:
            raise ValueError(f"{where}: repeats are hexadecimal numbers") from error
        for vote in values["containers"]:
            compiled(vote.name)
        return cls(form["site"], rule=SiteRule(**hand), **values)

    def to_bytes(self) -> bytes:
        """Return a versioned, compact form; the same for the same model."""
        form = json.dumps(self.to_dict(), ensure_ascii=False, separators=(",", ":"))
        return MAGIC + zlib.compress(form.encode("utf-8", "surrogatepass"), 9)

    @classmethod
    def from_bytes(cls, data: bytes) -> SiteModel:
        """Read what :meth:`to_bytes` wrote. Raises :exc:`StateError` for anything else."""
        body = unpack(data, MAGIC)
        try:
            return cls.from_dict(json.loads(body.decode("utf-8", "surrogatepass")))
        except (ValueError, RecursionError) as error:
            raise StateError(f"damaged site model: {error}") from error


_SCALARS: dict[str, Any] = {
    "pages": int,
    "articles": int,
    "agreement": (int, float),
    "safe": bool,
    "complete": bool,
    "anchored": bool,
    "missing": (int, float),
    "min_words": int,
}
_VOTES = {
    "containers": "selector",
    "titles": "path",
    "cuts": "paths",
    "content": "path",
    "boilerplate": "path",
}
assert {*_SCALARS, *_VOTES, "site", "repeats", "rule"} == {f.name for f in fields(SiteModel)}


def unpack(data: bytes, magic: bytes) -> bytes:
    """Return what stands compressed behind *magic*. Raises :exc:`StateError`."""
    if data[: len(magic) - 1] != magic[:-1]:
        raise StateError("these bytes are no such state")
    if data[: len(magic)] != magic:
        raise StateError(f"version {data[len(magic) - 1 : len(magic)].hex()} is not known here")
    unpacker = zlib.decompressobj()
    try:
        body = unpacker.decompress(data[len(magic) :], MOST_BYTES)
    except zlib.error as error:
        raise StateError(f"damaged bytes: {error}") from error
    if not unpacker.eof:
        raise StateError("the bytes are cut short, or hold too much")
    return body


def _strings(values: Any, where: str, name: str) -> tuple[str, ...]:
    if isinstance(values, str):
        values = [values]
    if not isinstance(values, (list, tuple)) or not all(
        isinstance(value, str) and value.strip() for value in values
    ):
        raise ValueError(f"{where}: {name} are CSS selectors or XPaths")
    return tuple(values)


def _vote(entry: Mapping[str, Any], key: str, where: str) -> Vote | Cut:
    first, rest = entry.get(key), {name: entry[name] for name in entry if name != key}
    try:
        if key == "paths":
            if not isinstance(first, list) or not 1 <= len(first) <= 2:
                raise TypeError("paths")
            return Cut(_strings(first, where, key), **_numbers(rest))
        if not isinstance(first, str) or not first.strip():
            raise TypeError(key)
        return Vote(first, **_numbers(rest))
    except TypeError as error:
        raise ValueError(f"{where}: {dict(entry)!r} should have {key!r} and counts") from error


def _numbers(values: Mapping[str, Any]) -> dict[str, Any]:
    if not all(isinstance(value, (int, float)) for value in values.values()):
        raise TypeError("counts")
    return dict(values)
