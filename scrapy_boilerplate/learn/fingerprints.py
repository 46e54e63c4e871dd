"""The learner's memory of a page: a few hundred bytes."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.answer.metadata.titles import title_ends
from scrapy_boilerplate.core.page.arrays import Bool, Float, Int
from scrapy_boilerplate.learn.article_sources import MOST_SOURCES, hashes_of
from scrapy_boilerplate.learn.paths import Hashes, template_path_hash
from scrapy_boilerplate.learn.site_elements import side_by_side
from scrapy_boilerplate.learn.template import TemplateView

MAX_BLOCKS = 64
"""Blocks that are remembered of a page: those with most words, and its title."""

MAX_KEYS = 32
"""Possible containers that are remembered of a page: those that hold the kept text best."""

MIN_KEY_WORDS = 10
"""Words that a possible container holds at least."""

KINDS = ("article", "list", "thread")
"""Kinds of pages that are told apart; all others are taken for articles."""

_COLUMNS: tuple[tuple[str, str], ...] = (
    ("paths", "<u4"),
    ("texts", "<u4"),
    ("words", "<u2"),
    ("kept", "?"),
    ("matches_title", "?"),
    ("is_teaser", "?"),
    ("named_paths", "?"),
)
_KEY_COLUMNS: tuple[tuple[str, str], ...] = (
    ("keys", "<u4"),
    ("first", "u1"),
    ("last", "u1"),
    ("count", "u1"),
    ("named_keys", "?"),
)
_MOST_ENDS = 2  # of a title
_MOST_COUNT = 0xFF  # of elements side by side


def page_id(url: str | None, text: str) -> int:
    """Return 64 bits that stand for a page: its address, or its text where it has none.

    >>> page_id("https://a.example/1", "") == page_id("https://a.example/1#top", "other")
    True
    """
    name = (url.partition("#")[0] if url else text).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(name, digest_size=8).digest(), "big")


@dataclass(frozen=True, slots=True, eq=False)
class Fingerprint:
    """A page's heaviest blocks, in document order, and its possible containers."""

    paths: Hashes
    """Hash of each block's path."""
    texts: Hashes
    """Hash of each block's text."""
    words: Int
    """Number of words of each block."""
    kept: Bool
    """Whether the single-page method kept the block."""
    matches_title: Bool
    """Whether the block says what the document's title says."""
    is_teaser: Bool
    """Whether the block points to another page."""
    keys: Hashes
    """Hash of each possible container's selector."""
    first: Int
    """First block inside the heaviest element of that selector …"""
    last: Int
    """… and the block after its last."""
    count: Int
    """Number of elements of that selector that stand side by side."""
    named_paths: Bool
    """Whether the page gives each block's template path its name."""
    named_keys: Bool
    """Whether the page gives each possible container its name."""
    title_ends: Hashes
    """Hashes of what the document's title begins and ends with."""
    sources: Hashes
    """Hash of the name of each source that holds the article, and that of its text."""
    kind: str = "article"
    """The page's kind, by the single-page method: one of :data:`KINDS`."""

    def named(self) -> set[int]:
        """Return the hashes to which the page gives names."""
        return {
            *self.paths[self.named_paths].tolist(),
            *self.keys[self.named_keys].tolist(),
            *self.sources[::2].tolist(),
        }

    def to_bytes(self) -> bytes:
        """Return the fingerprint as bytes, always the same: one column after the other."""
        flags = [self.kept, self.matches_title, self.is_teaser, self.named_paths]  # in one call
        columns: list[NDArray[Any]] = [
            *(self.paths.astype("<u4", copy=False), self.texts.astype("<u4", copy=False)),
            *(self.words.astype("<u2"), np.packbits(flags, axis=1)),
            *(self.keys.astype("<u4", copy=False), self.first.astype("u1")),
            *(self.last.astype("u1"), self.count.astype("u1"), np.packbits(self.named_keys)),
            self.title_ends.astype("<u4", copy=False),
        ]
        sizes = bytes([self.paths.size, self.keys.size, KINDS.index(self.kind)])
        if self.sources.size:  # behind two ends of the title
            columns += [np.zeros(_MOST_ENDS - self.title_ends.size, "<u4"), self.sources]
        return sizes + b"".join([column.tobytes() for column in columns])

    @classmethod
    @lru_cache(maxsize=1024)  # a site is learned several times from the same pages
    def from_bytes(cls, data: bytes) -> Fingerprint:
        """Read what :meth:`to_bytes` wrote. Raises :exc:`ValueError` for anything else."""
        if not data[2:3] or data[2] >= len(KINDS):
            raise ValueError("a page's fingerprint has an unknown kind")
        sizes, kind, offset = data[:2], KINDS[data[2]], 3
        columns: dict[str, Any] = {}
        for size, names in zip(sizes, (_COLUMNS, _KEY_COLUMNS), strict=True):
            for name, type_ in names:
                count, stored = (-(-size // 8), "u1") if type_ == "?" else (size, type_)
                column = np.frombuffer(data, stored, count, offset)
                offset += column.nbytes
                is_flag = type_ == "?"
                columns[name] = np.unpackbits(column, count=size).view(bool) if is_flag else column
        rest = np.frombuffer(data, "<u4", -1, offset)
        offset += rest.nbytes
        ends, sources = rest[:_MOST_ENDS], rest[_MOST_ENDS:]
        if sources.size:
            ends = ends[ends > 0]
        first, last = columns["first"], columns["last"]
        if (
            offset != len(data)
            or sources.size not in range(0, 2 * MOST_SOURCES + 1, 2)
            or (last > sizes[0]).any()
            or (first > last).any()
        ):
            raise ValueError("a page's fingerprint is truncated or inconsistent")
        return cls(**columns, title_ends=ends, sources=sources, kind=kind)


def fingerprint(
    view: TemplateView,
    answer: Extraction,
    known: Container[int] = (),
    sources: Mapping[str, int] | None = None,
) -> tuple[Fingerprint, dict[int, str]]:
    """Return a page's fingerprint by a method's *answer*; *sources* hold its article.

    Returned with it are the names of those hashes in it that may come to matter, but for those
    *known* already: containers that hold the kept text well, and the template paths inside the best
    of them, or kept before it.
    """
    words = view.words
    kept_words = view.kept_words(answer)
    chosen = words.nonzero()[0]
    if chosen.size > MAX_BLOCKS:
        heavy = np.lexsort((-words[chosen], ~view.matches_title[chosen]))[:MAX_BLOCKS]
        heavy.sort()
        chosen = chosen[heavy]
    rows, times, first_inside, after_last, quality = _possible_containers(view, kept_words)
    named_keys = 2 * quality >= 1
    keys = view.elements.named.hashes[rows]
    new_keys = zip(keys[named_keys].tolist(), rows[named_keys].tolist(), strict=True)
    names = {key: view.elements.selector(row) for key, row in new_keys if key not in known}
    first, after = (int(first_inside[0]), int(after_last[0])) if rows.size else (0, 0)
    own = kept_words[chosen]
    kept = (2 * own >= words[chosen]) & (own > 0)
    matches_title = view.matches_title[chosen]
    inner = ((chosen < after) & (kept | (chosen >= first))) | matches_title
    inside = chosen[inner]
    blocks = dict(zip(view.paths[inside].tolist(), inside.tolist(), strict=True))
    new = {path: block for path, block in blocks.items() if path not in known}
    if new:
        names.update(zip(new, view.path_names(np.array([*new.values()])), strict=True))
    names.update((template_path_hash(name), name) for name in sources or ())
    fingerprint = Fingerprint(
        paths=view.paths[chosen],
        texts=view.texts(chosen),
        words=np.minimum(words[chosen], 0xFFFF),
        kept=kept,
        matches_title=matches_title,
        is_teaser=view.is_teaser[chosen],
        keys=keys,
        first=chosen.searchsorted(first_inside),
        last=chosen.searchsorted(after_last),
        count=np.minimum(times, _MOST_COUNT),
        named_paths=inner,
        named_keys=named_keys,
        title_ends=np.array(title_ends(view.page.title), dtype=np.uint32),
        sources=hashes_of(sources or {}),
        kind=answer.kind if answer.kind in KINDS else KINDS[0],
    )
    return fingerprint, names


def _possible_containers(view: TemplateView, kept_words: Int) -> tuple[Int, Int, Int, Int, Float]:
    """Return the possible containers, those that hold the kept text best first.

    Of each the row of its heaviest element among the page's named ones, how many stand side by
    side, the first block inside it and that after its last, and its agreement (F1) with that text.
    """
    named = view.elements.named
    first, after = view.inner_blocks(named.elements)
    sums = np.zeros((kept_words.size + 1, 2), dtype=np.int64)
    sums[1:, 0], sums[1:, 1] = view.words, kept_words
    sums.cumsum(axis=0, out=sums)
    inside, kept_inside = (sums[after] - sums[first]).T
    quality = 2 * kept_inside / np.maximum(1, inside + sums[-1, 1])
    heaviest, count = side_by_side(named.elements, named.hashes, inside, view.page.end)
    fit = inside[heaviest] >= MIN_KEY_WORDS
    heaviest, count = heaviest[fit], count[fit]
    best = np.lexsort((named.hashes[heaviest], -quality[heaviest]))[:MAX_KEYS]
    rows = heaviest[best]
    return rows, count[best], first[rows], after[rows], quality[rows]
