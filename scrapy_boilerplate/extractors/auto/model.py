"""A trained model: a forest over blocks, one over pages, a lexicon, a calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.extractors._models import read_arrays
from scrapy_boilerplate.extractors.auto.feature_matrix import Features
from scrapy_boilerplate.extractors.auto.forest import Forest
from scrapy_boilerplate.extractors.auto.lexicon import Lexicon
from scrapy_boilerplate.extractors.auto.schema import feature_names
from scrapy_boilerplate.page.arrays import Float32

__all__ = ["Judgement", "Model", "load_model", "model_from_arrays", "model_to_arrays"]


STRIPE = 1024
"""Blocks that are judged at once."""
QUANTUM = 1 / 16
"""Values of a lexicon are multiples of this, so that each takes a byte."""


class Judgement(NamedTuple):
    """What a model says of a page."""

    content: NDArray[np.float64]
    """Probability of each block that it is content."""

    list_probability: float
    """Probability that the page lists texts."""


class Model(NamedTuple):
    """A forest over the blocks of a page, and one over pages."""

    blocks: Forest
    """Tells content; its features are numbered as :func:`feature_names` are."""

    pages: Forest
    """Tells lists, from the features that all blocks of a page share."""

    lexicon: Lexicon

    expected: Float32
    """Expected F1 by the probabilities, ascending …"""

    reached: Float32
    """… and the F1 that pages with it reach."""

    def judge(self, features: Features) -> Judgement:
        """Judge the blocks of a page."""
        content = np.empty(features.words.size)
        list_probability = 0.0
        for start in range(0, content.size, STRIPE):  # so that long pages take less memory
            matrix = features.matrix(start, start + STRIPE)
            content[start : start + STRIPE] = self.blocks.probabilities(matrix)
            if not start:
                list_probability = float(self.pages.probabilities(matrix[:1])[0])
        return Judgement(content, list_probability)

    def calibrated(self, expected: float) -> float:
        """Return the F1 that pages reach when the probabilities promise *expected*."""
        return float(np.interp(expected, self.expected, self.reached))


# -- file ------------------------------------------------------------------------------------

_FORESTS = ("blocks", "pages")


def model_to_arrays(model: Model) -> dict[str, NDArray[np.number]]:
    """Return the arrays of *model* by name: numbers only, strings as bytes."""
    arrays: dict[str, NDArray[np.number]] = {
        "expected": model.expected.astype(np.float32),
        "reached": model.reached.astype(np.float32),
        "features": _pack_strings(feature_names()),
    }
    for name in _FORESTS:
        forest: Forest = getattr(model, name)
        for part, array in zip(forest._fields, forest, strict=True):
            arrays[f"{name}_{part}"] = array
    values = model.lexicon.values
    words = sorted(values)
    arrays["words"] = _pack_strings(words)
    arrays["word_values"] = np.array([round(values[word] / QUANTUM) for word in words], np.int8)
    return arrays


def model_from_arrays(arrays: Mapping[str, NDArray[np.number]]) -> Model:
    """Return the model that :func:`model_to_arrays` has flattened.

    Raises :exc:`ValueError` if it was trained on features that are not known here.
    """
    place = {name: number for number, name in enumerate(feature_names())}
    unknown = [name for name in _unpack_strings(arrays["features"]) if name not in place]
    if unknown:
        raise ValueError(
            f"the model was trained by another version of this package (it needs {unknown[0]!r}); "
            "train it again"
        )
    places = np.array([place[name] for name in _unpack_strings(arrays["features"])], dtype=np.int32)

    def forest(name: str) -> Forest:
        parts = [np.ascontiguousarray(arrays[f"{name}_{part}"]) for part in Forest._fields]
        found = Forest(*parts)
        found.check(places.size)
        return found._replace(feature=places[found.feature])

    words, values = _unpack_strings(arrays["words"]), arrays["word_values"] * QUANTUM
    return Model(
        blocks=forest("blocks"),
        pages=forest("pages"),
        lexicon=Lexicon(dict(zip(words, values.tolist(), strict=True))),
        expected=arrays["expected"].astype(np.float32),
        reached=arrays["reached"].astype(np.float32),
    )


def _pack_strings(strings: Sequence[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(strings).encode(), dtype=np.uint8)


def _unpack_strings(array: NDArray[np.number]) -> tuple[str, ...]:
    text = array.tobytes().decode()
    return tuple(text.split("\n")) if text else ()


@cache
def load_model(path: Path | None = None) -> Model:
    """Return the model of this package, or that of a file; each is read once."""
    return model_from_arrays(read_arrays("auto", path))
