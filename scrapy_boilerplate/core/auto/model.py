"""A trained model: two forests over blocks, five over pages, a lexicon, a calibration."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from math import log
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.answer.posts import USUAL
from scrapy_boilerplate.core.auto._context_native import CONTEXT, Context
from scrapy_boilerplate.core.auto.answers import FEW_WORDS
from scrapy_boilerplate.core.auto.features import FEATURES, Features
from scrapy_boilerplate.core.auto.forest import Columns, Forest
from scrapy_boilerplate.core.auto.kinds import (
    KINDS,
    LOOKED_AT,
    MEASURES,
    PageKind,
    measure_answer,
)
from scrapy_boilerplate.core.auto.lexicon import Lexicon
from scrapy_boilerplate.core.methods.base import read_arrays
from scrapy_boilerplate.core.page.arrays import Float, Float32

STRIPE = 1024  # blocks that are judged at once
KEPT = 4096  # blocks of a page whose features are kept from one forest to the next; they take 11 MB
MAY_BE_THREAD = 0.022
"""Probability above which posts are looked for: on nearly all threads, and one page in ten."""
QUANTUM = 1 / 16  # values of a lexicon are multiples of this, so that each takes a byte


class Judgement(NamedTuple):
    """A model's judgement of a page: probabilities that blocks are content, and of its kinds."""

    content: Float
    kinds: Mapping[PageKind, float]
    thread: float | None
    """Log-odds that it is a thread; ``None`` where posts, which take long, are not looked for, but
    for an address that tells otherwise."""


class FirstJudgement(NamedTuple):
    """The first forest's judgement of the blocks of a page."""

    content: Float
    around: Context
    """What the second one sees of it."""
    page: Float32
    """What tells the kind of the page, in the order of :func:`all_names`."""


Stripes: TypeAlias = Callable[[], Iterable[tuple[slice, Columns]]]
"""Reads the features of some blocks at once, so that long pages take less memory; behind them is
room for the columns of :data:`CONTEXT`."""


def _stripes(features: Features) -> Stripes:
    """Return what reads *features*; only those of the longest pages are worked out twice."""

    def read() -> Iterator[tuple[slice, Columns]]:
        for start in range(0, features.words.size, STRIPE):
            rows = features.matrix(start, start + STRIPE, len(CONTEXT))
            yield slice(start, start + STRIPE), Columns(rows)

    if features.words.size > KEPT:
        return read
    kept = [*read()]
    return lambda: kept


_LOOKED_AT = np.array([FEATURES.index(name) for name in LOOKED_AT])


def all_names() -> tuple[str, ...]:
    """Return the names of all columns: the features of a block, its context, what is kept."""
    return FEATURES + CONTEXT + MEASURES


class Model(NamedTuple):
    """Two forests over the blocks of a page, and five over pages."""

    blocks: Forest
    """Tells content of each block by itself, from :data:`FEATURES`."""
    context: Forest
    """Tells it, and has the last word, once the first has judged all blocks; :data:`CONTEXT`
    follows those features."""
    pages: Forest
    """Tells lists before, from the features that all blocks of a page share."""
    threads: Forest
    """Tells pages that may be threads, from the same features."""
    kinds: tuple[Forest, ...]
    """A forest for each of :data:`KINDS`, once blocks are judged: :data:`CONTEXT` and
    :data:`MEASURES` follow the features of the page's first block."""
    lexicon: Lexicon
    expected: Float32
    """Expected F1 by the probabilities, ascending …"""
    reached: Float32
    """… and the F1 that pages with it reach."""

    def judge(self, features: Features, possible: Collection[PageKind] = KINDS) -> Judgement:
        """Judge the blocks of a page: each alone first, then among those around it."""
        stripes = _stripes(features)
        alone = self.judge_alone(features, stripes)
        content, page = alone.content, Columns(alone.page[None])
        is_snippet = features.total < FEW_WORDS
        if not is_snippet:  # what is around a block of a snippet tells nothing
            content = self._judge_among_others(stripes, alone)
        kinds = {
            kind: float(forest.probabilities(page)[0])
            for kind, forest in zip(KINDS, self.kinds, strict=True)
            if kind in possible
        }
        return Judgement(content, kinds, None if is_snippet else self.judge_thread(page))

    def judge_thread(self, page: Float32 | Columns) -> float | None:
        """Return the log-odds that a page is a thread if they are worth a closer look."""
        if self.threads.roots.size == 1:  # no pages of forums were learned from
            return USUAL
        likely = min(float(self.threads.probabilities(page)[0]), 0.9999)
        return log(likely / (1 - likely)) if likely > MAY_BE_THREAD else None

    def _judge_among_others(self, stripes: Stripes, alone: FirstJudgement) -> Float:
        """Judge each block once more, by what the first forest says around it."""
        content = np.empty(alone.content.size)
        for stripe, columns in stripes():
            alone.around.put(columns.rows, stripe.start)
            content[stripe] = self.context.probabilities(columns)
        return content

    def judge_alone(self, features: Features, stripes: Stripes | None = None) -> FirstJudgement:
        """Judge each block by itself, and say what there is around it and of the page."""
        stripes, words = stripes or _stripes(features), features.words
        content = np.empty(words.size)
        looked_at = np.empty((words.size, len(LOOKED_AT)), np.float32)
        for stripe, columns in stripes():
            rows = columns.rows
            content[stripe] = self.blocks.probabilities(columns)
            rows.take(_LOOKED_AT, axis=1, out=looked_at[stripe], mode="clip")
            if not stripe.start:
                page = rows[0, : -len(CONTEXT)]
                list_probability = float(self.pages.probabilities(rows[:1])[0])
        around = Context(content, list_probability, words, features.surroundings)
        first = np.empty((1, len(CONTEXT)), np.float32)
        around.put(first)
        measures = measure_answer(content, words, features.surroundings.units, looked_at)
        return FirstJudgement(content, around, np.concatenate([page, first[0], measures]))

    def calibrated(self, expected: float) -> float:
        """Return the F1 that pages reach when the probabilities promise *expected*."""
        return float(np.interp(expected, self.expected, self.reached))


# -- file ------------------------------------------------------------------------------------

_FORESTS = ("blocks", "context", "pages", "threads")
_BY_KIND = tuple(f"{kind}_pages" for kind in KINDS)


def model_to_arrays(model: Model) -> dict[str, NDArray[np.number]]:
    """Return the arrays of *model* by name: numbers only, strings as bytes."""
    arrays: dict[str, NDArray[np.number]] = {
        "expected": model.expected.astype(np.float32),
        "reached": model.reached.astype(np.float32),
        "features": _pack_strings(all_names()),
    }
    forests = (model.blocks, model.context, model.pages, model.threads, *model.kinds)
    for name, forest in zip(_FORESTS + _BY_KIND, forests, strict=True):
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
    place = {name: number for number, name in enumerate(all_names())}
    names = _unpack_strings(arrays["features"])
    missing = (name for name in _FORESTS + _BY_KIND if f"{name}_roots" not in arrays)
    different = [*(name for name in names if name not in place), *missing]
    if different:
        raise ValueError(
            f"the model was trained by another version of this package ({different[0]!r}); "
            "train it again"
        )
    seen = dict.fromkeys(("blocks", "pages", "threads"), len(FEATURES))
    seen["context"] = len(FEATURES + CONTEXT)
    places = np.array([place[name] for name in names], dtype=np.int32)

    def forest(name: str) -> Forest:
        parts = [np.ascontiguousarray(arrays[f"{name}_{part}"]) for part in Forest._fields]
        found = Forest(*parts)
        found.check(places.size)
        found = found._replace(feature=places[found.feature])
        found.check(seen.get(name, len(place)))
        return found

    words, values = _unpack_strings(arrays["words"]), arrays["word_values"] * QUANTUM
    return Model(
        **{name: forest(name) for name in _FORESTS},
        kinds=tuple(map(forest, _BY_KIND)),
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
