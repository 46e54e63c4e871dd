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
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page._elements_native import side_by_side
from scrapy_boilerplate.core.page.arrays import Float, Int
from scrapy_boilerplate.learn.article_sources import MOST_SOURCES, hashes_of
from scrapy_boilerplate.learn.paths import Hashes, template_path_hash
from scrapy_boilerplate.learn.template import TemplateView

MAX_BLOCKS = 64  # that are remembered of a page: those with most words, and its title
MAX_KEYS = 32  # containers that are remembered of a page: those that hold the kept text best
MIN_KEY_WORDS = 10  # words that a possible container holds at least
PAGE_KINDS = ("article", "list", "thread")
"""Kinds of pages that are told apart; all others are taken for articles."""

_MOST_ENDS = 2  # of a title
_MOST_COUNT = 0xFF  # of elements side by side

_HASH = np.dtype("<u4")

BLOCK = np.dtype([("path", "<u4"), ("text", "<u4"), ("words", "<u2"), ("flags", "u1")])
"""A block: the hashes of its template path and text, its words, and what is true of it."""

KEPT, MATCHES_TITLE, IS_TEASER, NAMED = 1, 2, 4, 8
"""Flags, lowest bit first: the method kept the block; it says what the document's title says; it
points to another page; the page gives its template path a name."""

CONTAINER = np.dtype(
    [("key", "<u4"), ("first", "u1"), ("last", "u1"), ("count", "u1"), ("named", "?")]
)
"""A possible container: the hash of its selector; the first block inside the heaviest such element,
and the block after its last; how many stand side by side; whether the page gives it a name."""


def page_id(url: str | None, text: str) -> int:
    """Return 64 bits that stand for a page: its address, or its text where it has none."""
    name = (url.partition("#")[0] if url else text).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(name, digest_size=8).digest(), "big")


@dataclass(frozen=True, slots=True, eq=False)
class Fingerprint:
    """A page's heaviest blocks, in document order, and its possible containers, the best first."""

    blocks: NDArray[np.void]
    containers: NDArray[np.void]
    title_ends: Hashes  # of what the document's title begins and ends with
    sources: Hashes  # of the name of each source that holds the article, and of its text
    kind: str = "article"  # by the single-page method: one of PAGE_KINDS

    def named(self) -> set[int]:
        """Return the hashes to which the page gives names."""
        return {
            *self.blocks["path"][self.blocks["flags"] & NAMED > 0].tolist(),
            *self.containers["key"][self.containers["named"]].tolist(),
            *self.sources[::2].tolist(),
        }

    def to_bytes(self) -> bytes:
        """Return the fingerprint as bytes, always the same."""
        parts = self.blocks, self.containers, self.title_ends, self.sources
        sizes = bytes([PAGE_KINDS.index(self.kind), *(part.size for part in parts)])
        return sizes + b"".join(part.tobytes() for part in parts)

    @classmethod
    @lru_cache(maxsize=1024)  # a site is learned several times from the same pages
    def from_bytes(cls, data: bytes) -> Fingerprint:
        """Read what :meth:`to_bytes` wrote. Raises :exc:`ValueError` for anything else."""
        (kind, *sizes), offset, parts = data[:5].ljust(5, b"\xff"), 5, list[NDArray[Any]]()
        for size, dtype in zip(sizes, (BLOCK, CONTAINER, _HASH, _HASH), strict=True):
            parts.append(np.frombuffer(data, dtype, size, offset) if size else np.empty(0, dtype))
            offset += parts[-1].nbytes
        blocks, containers, ends, sources = parts
        first, last = containers["first"], containers["last"]
        if (
            offset != len(data)
            or kind >= len(PAGE_KINDS)
            or ends.size > _MOST_ENDS
            or sources.size not in range(0, 2 * MOST_SOURCES + 1, 2)
            or (last > blocks.size).any()
            or (first > last).any()
        ):
            raise ValueError("a page's fingerprint is truncated or inconsistent")
        return cls(blocks, containers, ends, sources, PAGE_KINDS[kind])


def can_teach(page: Page, extraction: Extraction) -> bool:
    """Return whether anything can be learned from a page: it has text, and is not blocked."""
    return page.text_at.size > 0 and extraction.kind != "blocked"


def fingerprint(
    view: TemplateView,
    answer: Extraction,
    known: Container[int] = (),
    sources: Mapping[str, int] | None = None,
) -> tuple[Fingerprint, dict[int, str]]:
    """Return a page's fingerprint by an *answer*, and the names of hashes not yet *known*."""
    # Named are containers that hold the kept text well, the paths inside the best of them or kept
    # before it, and the *sources*.
    words, kept_words = view.words, view.kept(answer)[1]
    chosen = words.nonzero()[0]
    if chosen.size > MAX_BLOCKS:
        heavy = np.lexsort((-words[chosen], ~view.matches_title[chosen]))[:MAX_BLOCKS]
        heavy.sort()
        chosen = chosen[heavy]
    own, matches_title = kept_words[chosen], view.matches_title[chosen]
    kept = (2 * own >= words[chosen]) & (own > 0)
    rows, times, first_inside, after_last, quality = _possible_containers(view, kept_words)
    first, after = (int(first_inside[0]), int(after_last[0])) if rows.size else (0, 0)
    inner = ((chosen < after) & (kept | (chosen >= first))) | matches_title
    flags = np.packbits([kept, matches_title, view.is_teaser[chosen], inner], 0, "little")
    blocks = np.empty(chosen.size, BLOCK)
    blocks["path"], blocks["text"] = view.paths[chosen], view.texts(chosen)
    blocks["words"], blocks["flags"] = np.minimum(words[chosen], 0xFFFF), flags[0]
    containers = np.empty(rows.size, CONTAINER)
    containers["key"] = view.elements.named.hashes[rows]
    containers["first"] = chosen.searchsorted(first_inside)
    containers["last"] = chosen.searchsorted(after_last)
    containers["count"] = np.minimum(times, _MOST_COUNT)
    containers["named"] = is_named = 2 * quality >= 1
    new_keys = zip(containers["key"][is_named].tolist(), rows[is_named].tolist(), strict=True)
    names = {key: view.elements.selector(row) for key, row in new_keys if key not in known}
    inside = chosen[inner]
    by_path = dict(zip(view.paths[inside].tolist(), inside.tolist(), strict=True))
    new = {path: block for path, block in by_path.items() if path not in known}
    if new:
        names.update(zip(new, view.path_names(np.array([*new.values()])), strict=True))
    names.update((template_path_hash(name), name) for name in sources or ())
    ends = np.array(title_ends(view.page.title), _HASH)
    kind = answer.kind if answer.kind in PAGE_KINDS else PAGE_KINDS[0]
    return Fingerprint(blocks, containers, ends, hashes_of(sources or {}), kind), names


def _possible_containers(view: TemplateView, kept_words: Int) -> tuple[Int, Int, Int, Int, Float]:
    """Return rows of containers, the best first: count, first block, block after, agreement."""
    named = view.elements.named
    first, after = view.page.blocks_in(named.elements)
    words, kept = view.words_before, cumulative(kept_words)
    inside, kept_inside = words[after] - words[first], kept[after] - kept[first]
    quality = 2 * kept_inside / np.maximum(1, inside + kept[-1])
    heaviest, count = side_by_side(named.elements, named.hashes, inside, view.page.end)
    fit = inside[heaviest] >= MIN_KEY_WORDS
    heaviest, count = heaviest[fit], count[fit]
    best = np.lexsort((named.hashes[heaviest], -quality[heaviest]))[:MAX_KEYS]
    rows = heaviest[best]
    return rows, count[best], first[rows], after[rows], quality[rows]
