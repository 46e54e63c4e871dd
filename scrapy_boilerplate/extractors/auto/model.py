"""A trained model: two forests over blocks, one over pages, a lexicon, a calibration."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.extractors._models import read_arrays
from scrapy_boilerplate.extractors.auto.context import CONTEXT, context
from scrapy_boilerplate.extractors.auto.feature_matrix import Features
from scrapy_boilerplate.extractors.auto.forest import Forest
from scrapy_boilerplate.extractors.auto.lexicon import Lexicon
from scrapy_boilerplate.extractors.auto.schema import feature_names
from scrapy_boilerplate.page.arrays import Float32

__all__ = ["Judgement", "Model", "load_model", "model_from_arrays", "model_to_arrays"]


STRIPE = 1024
"""Blocks that are judged at once."""
KEPT = 4096
"""Blocks of a page whose features are kept from one forest to the next; they take 6 MB."""
QUANTUM = 1 / 16
"""Values of a lexicon are multiples of this, so that each takes a byte."""


class Judgement(NamedTuple):
    """What a model says of a page."""

    content: NDArray[np.float64]
    """Probability of each block that it is content."""

    list_probability: float
    """Probability that the page lists texts."""


Reader: TypeAlias = Callable[[slice], Float32]
"""Reads the features of some blocks."""


def _reader(features: Features) -> Reader:
    """Return what reads *features*; only those of the longest pages are worked out twice."""
    if features.words.size > KEPT:
        return lambda stripe: features.matrix(stripe.start, stripe.stop)
    whole = features.matrix(0, KEPT)
    return lambda stripe: whole[stripe]


def _stripes(size: int) -> Iterator[slice]:
    """Divide the blocks of a page, so that long pages take less memory."""
    for start in range(0, size, STRIPE):
        yield slice(start, start + STRIPE)


class Model(NamedTuple):
    """Two forests over the blocks of a page, and one over pages."""

    blocks: Forest
    """Tells content; its features are numbered as :func:`feature_names` are."""

    context: Forest
    """Tells content, too, once the first has judged all blocks: the columns of :data:`CONTEXT`
    follow those features. The answer is the mean of both."""

    pages: Forest
    """Tells lists, from the features that all blocks of a page share."""

    lexicon: Lexicon

    expected: Float32
    """Expected F1 by the probabilities, ascending …"""

    reached: Float32
    """… and the F1 that pages with it reach."""

    def judge(self, features: Features) -> Judgement:
        """Judge the blocks of a page: each alone first, then among those around it."""
        matrix, list_probability = _reader(features), 0.0
        first, second = np.empty((2, features.words.size))
        for stripe in _stripes(first.size):
            rows = matrix(stripe)
            first[stripe] = self.blocks.probabilities(rows)
            if not stripe.start:
                list_probability = float(self.pages.probabilities(rows[:1])[0])
        around = context(first, list_probability, features.words, features.surroundings)
        for stripe in _stripes(first.size):
            rows = np.hstack([matrix(stripe), around[stripe]])
            second[stripe] = self.context.probabilities(rows)
        return Judgement((first + second) / 2, list_probability)

    def calibrated(self, expected: float) -> float:
        """Return the F1 that pages reach when the probabilities promise *expected*."""
        return float(np.interp(expected, self.expected, self.reached))


# -- file ------------------------------------------------------------------------------------

_FORESTS = ("blocks", "context", "pages")


def model_to_arrays(model: Model) -> dict[str, NDArray[np.number]]:
    """Return the arrays of *model* by name: numbers only, strings as bytes."""
    arrays: dict[str, NDArray[np.number]] = {
        "expected": model.expected.astype(np.float32),
        "reached": model.reached.astype(np.float32),
        "features": _pack_strings(feature_names() + CONTEXT),
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

    Raises :exc:`ValueError` if another version of this package has trained it.
    """
    place = {name: number for number, name in enumerate(feature_names() + CONTEXT)}
    names = _unpack_strings(arrays["features"])
    different = [*(name for name in names if name not in place), *_missing(arrays)]
    if different:
        raise ValueError(
            f"the model was trained by another version of this package ({different[0]!r}); "
            "train it again"
        )
    places = np.array([place[name] for name in names], dtype=np.int32)

    def forest(name: str) -> Forest:
        parts = [np.ascontiguousarray(arrays[f"{name}_{part}"]) for part in Forest._fields]
        found = Forest(*parts)
        found.check(places.size)
        found = found._replace(feature=places[found.feature])
        found.check(places.size if name == "context" else len(feature_names()))
        return found

    words, values = _unpack_strings(arrays["words"]), arrays["word_values"] * QUANTUM
    return Model(
        **{name: forest(name) for name in _FORESTS},
        lexicon=Lexicon(dict(zip(words, values.tolist(), strict=True))),
        expected=arrays["expected"].astype(np.float32),
        reached=arrays["reached"].astype(np.float32),
    )


def _missing(arrays: Mapping[str, NDArray[np.number]]) -> list[str]:
    """Return the forests that a model of this version has, and these *arrays* have not."""
    return [name for name in _FORESTS if f"{name}_roots" not in arrays]


def _pack_strings(strings: Sequence[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(strings).encode(), dtype=np.uint8)


def _unpack_strings(array: NDArray[np.number]) -> tuple[str, ...]:
    text = array.tobytes().decode()
    return tuple(text.split("\n")) if text else ()


@cache
def load_model(path: Path | None = None) -> Model:
    """Return the model of this package, or that of a file; each is read once."""
    return model_from_arrays(read_arrays("auto", path))
