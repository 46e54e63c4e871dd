"""The features of a page as a model reads them: a row of numbers a block."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Protocol

import numpy as np

from scrapy_boilerplate.core.auto.context import Surroundings
from scrapy_boilerplate.core.auto.copies import copies
from scrapy_boilerplate.core.auto.features import (
    ABOVE,
    LEAST_OVERLAP,
    LEAST_SHARE,
    TITLE_CHARACTERS,
    TITLE_WORDS,
    Blocks,
    Column,
    Columns,
    character_table,
    lexical_columns,
    plain_columns,
    template_keys,
    units_of,
)
from scrapy_boilerplate.core.auto.lexicon import NAMED, Lexicon
from scrapy_boilerplate.core.auto.metadata import metadata_features
from scrapy_boilerplate.core.auto.schema import FLAGS, differences, feature_names
from scrapy_boilerplate.core.caching import remember
from scrapy_boilerplate.core.native import load_native
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Float, Float32, Int, Int32
from scrapy_boilerplate.core.page.text import class_table
from scrapy_boilerplate.core.page.walk import KNOWN_TAGS, TAG_IDS

__all__ = [
    "Features",
    "InNumpy",
    "Readable",
    "native_features",
    "read_features",
    "surroundings_of",
    "to_matrix",
]

logger = logging.getLogger(__name__)


_NATIVE = "core.auto._features_native"
_NEW = ("element rows",)
"""What the schema of an older build lacks."""


class Readable(Protocol):
    """What a model sees of a page's blocks."""

    @property
    def words(self) -> Float:
        """Words of each block."""

    @property
    def surroundings(self) -> Surroundings:
        """Which blocks belong together."""

    def matrix(self, start: int, stop: int, room: int = 0) -> Float32:
        """Return the features of the blocks ``[start, stop)``, in the order of their names.

        Behind them is *room* for more columns, which are not set.
        """


class Features(Readable, Protocol):
    """What a model sees of a page's blocks, and what else is known of them."""

    @property
    def bits(self) -> Int:
        """The groups of :data:`ABOVE` that each block stands in, a bit each."""

    @property
    def named(self) -> Int:
        """The groups of :data:`NAMED` above each block, a bit each."""

    @property
    def title_overlap(self) -> Float32:
        """Share of the page's title that each short block has."""


class InNumpy:
    """The features from columns of arrays."""

    def __init__(self, blocks: Blocks, columns: Columns) -> None:
        self.words: Float = blocks.words
        self.bits: Int = blocks.bits
        self.title_overlap: Float32 = columns["title_overlap"].astype(np.float32, copy=False)
        self.surroundings = surroundings_of(blocks)
        self._columns = columns

    @property
    def named(self) -> Int:
        """The groups of :data:`NAMED` above each block, a bit each."""
        flags = [
            self._columns[f"named_{name}"].astype(np.int64) << n for n, name in enumerate(NAMED)
        ]
        named: Int = np.bitwise_or.reduce(flags)
        return named

    def matrix(self, start: int, stop: int, room: int = 0) -> Float32:
        """Return the features of the blocks ``[start, stop)``, and *room* for more columns."""
        return to_matrix(self._columns, feature_names(), start, stop, room)


def surroundings_of(blocks: Blocks) -> Surroundings:
    """Return which of the blocks belong together."""
    keys = template_keys(blocks)
    within = np.stack([blocks.first_block, blocks.last_block]).astype(np.int32)
    template, path = (keys[name].astype(np.int32) for name in ("template", "path"))
    chain = np.ascontiguousarray(blocks.chain.T, dtype=np.int32)
    units, unit = units_of(blocks)
    return Surroundings(template, path, unit, chain, within, units)


def read_features(page: Page, lexicon: Lexicon, *, classes: bool = True) -> Features:
    """Read the features of *page*, which has one block at least.

    Without *classes* the page is read as if it had no ``class`` and ``id``.
    """
    compiled = _compiled()
    if compiled is None:
        blocks = Blocks.of(page, classes=classes)
        return InNumpy(blocks, {**plain_columns(blocks), **lexical_columns(blocks, lexicon)})
    flags = _known_flags()
    if len(page.names) > flags.size:  # tags of the page's own, which stand in no group
        own = [_flags(name) for name in page.names[flags.size :]]
        flags = np.append(flags, np.array(own, dtype=np.int32))
    strings = page.strings if classes else [""]
    return compiled(
        page,
        flags,
        lexicon.meanings(strings),
        (character_table(), class_table()),
        copies(page),
        (TITLE_WORDS, TITLE_CHARACTERS, LEAST_SHARE, LEAST_OVERLAP),
        metadata_features(page).values(),
        (len(TAG_IDS), TAG_IDS["p"]),
        classes,
    )


@remember(1 << 18)
def _flags(name: str) -> int:
    """Return the bits of an element of that name: its groups, and what else it is."""
    groups = sum(1 << bit for bit, names in enumerate(ABOVE.values()) if name in names.split())
    return groups + sum(flag for flag, names in FLAGS.items() if name in names)


@cache
def _known_flags() -> Int32:
    return np.array([_flags(name) for name in KNOWN_TAGS], dtype=np.int32)


def to_matrix(
    columns: Mapping[str, Column],
    names: Sequence[str],
    start: int = 0,
    stop: int | None = None,
    room: int = 0,
) -> Float32:
    """Return the *columns* of these *names*, a row a block; one number stands for all blocks.

    Behind them is *room* for more columns.
    """
    wanted = slice(start, stop)
    matrix = np.zeros((len(names) + room, len(columns["words"][wanted])), dtype=np.float32)
    for row, name in zip(matrix, names, strict=False):
        column = columns[name]
        row[:] = column[wanted] if np.ndim(column) else column
    return np.ascontiguousarray(matrix.T)


# -- which features are used -----------------------------------------------------------------


def native_features() -> Callable[..., Features] | None:
    """Return the compiled features, or ``None`` if there are none or their schema is another."""
    layout = load_native(_NATIVE, "layout")
    found: Callable[..., Features] | None = load_native(_NATIVE, "Features")
    if layout is None or found is None:
        return None
    built = layout()
    different = differences(built) + [name for name in _NEW if name not in built]
    if different:
        logger.warning(
            "The compiled features were built for another version (%s differs); using the slower "
            "ones in Python. Reinstall scrapy-boilerplate-removal to compile them again.",
            ", ".join(different),
        )
        return None
    return found


@cache
def _compiled() -> Callable[..., Features] | None:
    return native_features()
