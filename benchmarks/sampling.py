"""Fixed samples: the same pages on every machine, whatever their order in the folder."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from benchmarks.data import LabelledPage

__all__ = ["sample"]


def sample(pages: Sequence[LabelledPage], size: int | None) -> list[LabelledPage]:
    """Return the *size* pages whose ids hash lowest, in the order they came; all for ``None``."""
    if size is None or size >= len(pages):
        return list(pages)
    chosen = {page.id for page in sorted(pages, key=_hash)[:size]}
    return [page for page in pages if page.id in chosen]


def _hash(page: LabelledPage) -> bytes:
    return blake2b(page.id.encode(), digest_size=8).digest()
