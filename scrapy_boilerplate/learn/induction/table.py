"""The blocks of all pages of a site in one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrapy_boilerplate.core.page.arrays import Bool, Float, Int
from scrapy_boilerplate.learn.sketch import Sketch

Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class BlockTable:
    """A row for each block that was remembered, page by page, in document order."""

    sketches: list[Sketch]
    """The sketch of each page, in an order that does not depend on when the page came."""
    names: Mapping[int, str]
    """What the hashes of paths and selectors stand for."""
    start: Int
    """First row of each page, and the number of rows."""
    page: Int
    """Number of each block's page."""
    words: Float
    """Words of each block."""
    kept: Bool
    """Whether the single-page method kept the block."""
    matches_title: Bool
    is_teaser: Bool
    paths: NDArray[np.uint64]
    """Hash of each template path that occurs."""
    path: Int
    """Number of each block's template path in :attr:`paths`."""
    texts: NDArray[np.uint64]
    """Hash of each text that occurs, with its template path."""
    text: Int
    """Number of each block's text in :attr:`texts`."""

    @property
    def pages(self) -> int:
        """Number of pages."""
        return len(self.sketches)

    def by_page(self, values: ArrayLike) -> Float:
        """Sum values of the blocks by page."""
        return np.bincount(self.page, values, self.pages).astype(np.float64)

    def by_path(self, values: ArrayLike) -> Float:
        """Sum values of the blocks by template path."""
        return np.bincount(self.path, values, self.paths.size).astype(np.float64)

    def has_path(self) -> Bool:
        """Return for each page and template path whether the page has it."""
        present = np.zeros((self.pages, self.paths.size), dtype=bool)
        present[self.page, self.path] = True
        return present

    def has_text(self) -> Bool:
        """Return for each page and text whether the page has it."""
        present = np.zeros((self.pages, self.texts.size), dtype=bool)
        present[self.page, self.text] = True
        return present

    def is_named(self, path: int) -> bool:
        """Return whether a template path's name is known."""
        return int(self.paths[path]) in self.names

    def name(self, path: int) -> str:
        """Return the name of a template path."""
        return self.names[int(self.paths[path])]


def read_blocks(sketches: Sequence[Sketch], names: Mapping[int, str]) -> BlockTable:
    """Put the blocks of all pages into one table."""
    ordered = sorted(sketches, key=Sketch.order)
    sizes = [sketch.paths.size for sketch in ordered]

    def column(name: str, kind: type[Scalar]) -> NDArray[Scalar]:
        parts = [np.zeros(0, kind), *(getattr(sketch, name) for sketch in ordered)]
        return np.concatenate(parts).astype(kind)

    hashes = column("paths", np.uint64)
    paths, path = np.unique(hashes, return_inverse=True)
    both = hashes << np.uint64(32) | column("texts", np.uint64)
    texts, text = np.unique(both, return_inverse=True)
    return BlockTable(
        sketches=ordered,
        names=names,
        start=np.append(0, np.cumsum(sizes)).astype(np.int64),
        page=np.repeat(np.arange(len(sizes)), sizes),
        words=column("words", np.float64),
        kept=column("kept", np.bool_),
        matches_title=column("matches_title", np.bool_),
        is_teaser=column("is_teaser", np.bool_),
        paths=paths,
        path=path,
        texts=texts,
        text=text,
    )
