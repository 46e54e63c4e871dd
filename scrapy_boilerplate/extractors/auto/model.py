"""What training found out: a forest over blocks, one over pages, a lexicon, a calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.extractors._models import read_arrays
from scrapy_boilerplate.extractors.auto.features import (
    Blocks,
    Columns,
    lexical_columns,
    plain_columns,
)
from scrapy_boilerplate.extractors.auto.forest import Forest
from scrapy_boilerplate.extractors.auto.lexicon import Lexicon

__all__ = ["Judgement", "Model", "load_model", "pack", "rows", "unpack"]

Float = NDArray[np.float32]

STRIPE = 4096
"""Blocks that are judged at once."""
QUANTUM = 1 / 16
"""Values of a lexicon are multiples of this, so that each takes a byte."""


class Judgement(NamedTuple):
    """What a model says of a page."""

    content: NDArray[np.float64]
    """Probability of each block that it is content."""

    list_probability: float
    """Probability that the page lists texts."""

    columns: Columns
    """The features by name."""


class Model(NamedTuple):
    """A forest over the blocks of a page, and one over pages."""

    features: tuple[str, ...]
    """Names of the features that the first forest looks at."""

    page_features: tuple[str, ...]
    """Names of those that tell whether a page is a list: a number a page each."""

    blocks: Forest
    pages: Forest
    lexicon: Lexicon

    expected: Float
    """Expected F1 by the probabilities, ascending …"""

    reached: Float
    """… and the F1 that pages with it reach."""

    def judge(self, blocks: Blocks, columns: Columns | None = None) -> Judgement:
        """Judge the blocks of a page; *columns* are its features, if they are known."""
        if columns is None:
            columns = {**plain_columns(blocks), **lexical_columns(blocks, self.lexicon)}
        starts = range(0, blocks.size, STRIPE)  # so that long pages take less memory
        content = np.concatenate(
            [
                self.blocks.probabilities(rows(columns, self.features, start, start + STRIPE))
                for start in starts
            ]
        )
        page = np.array([[columns[name] for name in self.page_features]], dtype=np.float32)
        return Judgement(content, float(self.pages.probabilities(page)[0]), columns)

    def calibrated(self, expected: float) -> float:
        """Return what pages reach whose expected F1 is *expected* by the probabilities."""
        return float(np.interp(expected, self.expected, self.reached))


def rows(
    columns: Mapping[str, Any], names: Sequence[str], start: int = 0, stop: int | None = None
) -> Float:
    """Return the *columns* of these *names*, a row a block; one number stands for all blocks."""
    wanted = slice(start, stop)
    matrix = np.empty((len(names), len(columns["words"][wanted])), dtype=np.float32)
    for row, name in zip(matrix, names, strict=True):
        column = columns[name]
        row[:] = column[wanted] if np.ndim(column) else column
    return np.ascontiguousarray(matrix.T)


# -- file ------------------------------------------------------------------------------------

_NAMES = ("features", "page_features")
_FORESTS = ("blocks", "pages")


def pack(model: Model) -> dict[str, NDArray[Any]]:
    """Return the arrays of *model* by name: numbers only, strings as bytes."""
    arrays: dict[str, NDArray[Any]] = {
        "expected": model.expected.astype(np.float32),
        "reached": model.reached.astype(np.float32),
    }
    for name in _NAMES:
        arrays[name] = _pack_strings(getattr(model, name))
    for name in _FORESTS:
        forest: Forest = getattr(model, name)
        for part, array in zip(forest._fields, forest, strict=True):
            arrays[f"{name}_{part}"] = array
    values = model.lexicon.values
    words = sorted(values)
    arrays["words"] = _pack_strings(words)
    arrays["word_values"] = np.array([round(values[word] / QUANTUM) for word in words], np.int8)
    return arrays


def unpack(arrays: Mapping[str, NDArray[Any]]) -> Model:
    """Return the model that :func:`pack` has flattened."""

    def forest(name: str) -> Forest:
        return Forest(*(np.ascontiguousarray(arrays[f"{name}_{part}"]) for part in Forest._fields))

    words, values = _unpack_strings(arrays["words"]), arrays["word_values"] * QUANTUM
    return Model(
        features=_unpack_strings(arrays["features"]),
        page_features=_unpack_strings(arrays["page_features"]),
        blocks=forest("blocks"),
        pages=forest("pages"),
        lexicon=Lexicon(dict(zip(words, values.tolist(), strict=True))),
        expected=arrays["expected"],
        reached=arrays["reached"],
    )


def _pack_strings(strings: Sequence[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(strings).encode(), dtype=np.uint8)


def _unpack_strings(array: NDArray[np.uint8]) -> tuple[str, ...]:
    text = array.tobytes().decode()
    return tuple(text.split("\n")) if text else ()


@cache
def load_model(path: Path | None = None) -> Model:
    """Return the model of this package, or that of a file; each is read once."""
    return unpack(read_arrays("auto", path))
