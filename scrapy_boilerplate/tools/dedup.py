"""Pages whose texts came before: the same words, or nearly the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Literal

from scrapy_boilerplate.tools.rows import near_digest, text_digest

DedupKind = Literal["exact", "near"]

MOST_BITS = 3
"""Bits of 64 in which near duplicates may differ: those of pages that share 95 % of their words."""

MOST_ALIKE = 2000
"""Digests with one quarter in common that a new one is compared with: the first. Of ten million
texts 600 have one; more are made so that each takes longer than the one before."""

DIGESTS: dict[DedupKind, Callable[[str], str | None]] = {"exact": text_digest, "near": near_digest}
"""The digest of a text, by what counts as the same."""


class Deduplicator:
    """Remembers the digests of texts, in memory that grows with their number.

    >>> seen = Deduplicator("near")
    >>> seen.add("00000000000000ff"), seen.add("00000000000000fe"), seen.add("ff000000000000ff")
    (False, True, False)
    """

    def __init__(self, kind: DedupKind) -> None:
        self._digests: set[str] = set()
        self._quarters: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
        self._is_near = kind == "near"

    def add(self, digest: str) -> bool:
        """Remember a digest; return whether it, or a near one, came before."""
        if digest in self._digests:
            return True
        if self._is_near:
            # Of two that differ in three bits one quarter is the same.
            keys = [(at, digest[at : at + 4]) for at in range(0, 16, 4)]
            number = int(digest, 16)
            for key in keys:
                if any((number ^ other).bit_count() <= MOST_BITS for other in self._quarters[key]):
                    return True
            for key in keys:
                if len(self._quarters[key]) < MOST_ALIKE:
                    self._quarters[key].append(number)
        self._digests.add(digest)
        return False
