"""The two convolutional networks and the decoding of what they say, in numpy."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache, reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.methods.base import read_arrays
from scrapy_boilerplate.core.page.arrays import Bool, Float, Float32

MOST_MULTIPLICATIONS = 1 << 18  # of a product that OpenBLAS leaves to a single thread


STRIDE = 32  # rows of a product, which BLAS is fast at; values are padded to a multiple of it


def product(values: Float32, weights: Float32) -> Float32:
    """Return ``values @ weights``, rounded alike for any number of threads; rows are padded.

    BLAS shares the rows of a large product among its threads, and rounds by how it shares them, so
    that the answer would depend on the machine. It is given blocks that it does not share.
    """
    rows = STRIDE
    while rows > 1 and rows * weights.size > MOST_MULTIPLICATIONS:
        rows //= 2
    result: Float32 = values.reshape(-1, rows, values.shape[1]) @ weights
    return result.reshape(-1, weights.shape[1])


def padded(values: Float32) -> Float32:
    """Return *values* with rows of zeros behind them, as :func:`product` wants it."""
    length, width = values.shape
    result = np.empty((-(-length // STRIDE) * STRIDE, width), dtype=np.float32)
    result[:length], result[length:] = values, 0
    return result


class Layer(NamedTuple):
    """A convolution over a sequence, zeros beyond its ends."""

    weights: Float32
    """Of shape (width of the kernel, channels in, channels out)."""

    bias: Float32
    """Of shape (channels out,)."""

    def convolve(self, values: Float32, length: int, *, rectify: bool) -> Float32:
        """Convolve padded *values*, of shape (places, channels in); *rectify* makes negatives 0."""
        width, channels, _ = self.weights.shape
        # All places of the kernel in one product; no copy if the weights lie in this order.
        weights = self.weights.transpose(1, 0, 2).reshape(channels, -1)
        return _add_up(product(values, weights), self.bias, width, length, rectify)


class Rows:
    """Rows of features, worked out where somebody takes a slice: all of them take much memory."""

    def __init__(self, size: int, make: Callable[[slice], Float32]) -> None:
        self._size, self._make = size, make

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, some: slice) -> Float32:
        return self._make(some)


class Networks(NamedTuple):
    """The layers of both networks."""

    unary: tuple[Layer, ...]
    """From block features to the scores of the two labels."""

    pairwise: tuple[Layer, ...]
    """From edge features to the scores of the four pairs of labels: 00, 01, 10, 11."""

    def log_probabilities(
        self, blocks: Rows | Float32, edges: Rows | Float32
    ) -> tuple[Float32, Float32]:
        """Return the logarithms of the probabilities of labels, and of pairs of labels."""
        return _log_softmax(_run(self.unary, blocks)), _log_softmax(_run(self.pairwise, edges))


MOST_AT_ONCE = 1024
"""Places that run through a network at once, so that a long page takes less memory."""


def _run(layers: tuple[Layer, ...], values: Rows | Float32) -> Float32:
    """Return what the last layer says of each place, some places after the other."""
    reach = sum(len(layer.weights) // 2 for layer in layers)  # how far a place sees
    parts = []
    for start in range(0, len(values), MOST_AT_ONCE):
        first, stop = max(start - reach, 0), start + MOST_AT_ONCE
        found = _run_at_once(layers, values[first : stop + reach])
        parts.append(found[start - first : stop - first])
    return np.concatenate(parts) if parts else _run_at_once(layers, values[:])


def _run_at_once(layers: tuple[Layer, ...], values: Float32) -> Float32:
    length = len(values)
    values = padded(values)
    for number, layer in enumerate(layers, 1):
        values = layer.convolve(values, length, rectify=number < len(layers))
    return values[:length]


def _log_softmax(scores: Float32) -> Float32:
    shifted = scores - reduce(np.maximum, scores.T)[:, None]  # by columns, which are few
    return shifted - np.log(reduce(np.add, np.exp(shifted).T))[:, None]


@cache
def load_model() -> Networks:
    """Return the model of this package; it is read once."""
    return layers_from_arrays(read_arrays("web2text"))


def layers_from_arrays(arrays: Mapping[str, NDArray[np.number]]) -> Networks:
    """Return the model whose weights and biases are *arrays* by name."""

    def layers(name: str) -> tuple[Layer, ...]:
        numbers = range(sum(key.startswith(f"{name}_weights") for key in arrays))
        return tuple(
            Layer(
                _in_order(arrays[f"{name}_weights_{number}"].astype(np.float32)),
                arrays[f"{name}_bias_{number}"].astype(np.float32),
            )
            for number in numbers
        )

    return Networks(layers("unary"), layers("pairwise"))


def _in_order(weights: Float32) -> Float32:
    """Return the same weights, those of a channel at all places of the kernel side by side."""
    return np.ascontiguousarray(weights.transpose(1, 0, 2)).transpose(1, 0, 2)


def choose_labels(
    unary: Float | Float32, pairwise: Float | Float32, weight: float, threshold: float = 0.5
) -> Bool:
    """Return the labels of the most probable sequence, by the algorithm of Viterbi.

    *unary* holds the log-probabilities of the labels 0 and 1 of each block, *pairwise* those of the
    pairs 00, 01, 10, 11 of neighbours, which count *weight* times. Ties go to label 0.

    >>> unary = np.log([[0.9, 0.1], [0.45, 0.55], [0.9, 0.1]])
    >>> same = np.log([[0.4, 0.1, 0.1, 0.4]] * 2)
    >>> choose_labels(unary, same, 0.0).tolist(), choose_labels(unary, same, 0.1).tolist()
    ([False, True, False], [False, False, False])
    """
    # Only differences count: what label 1 is worth more than label 0.
    gains = (unary[:, 1] - unary[:, 0] + math.log((1 - threshold) / threshold)).astype(np.float64)
    pairs = (weight * pairwise).astype(np.float64)
    difference = float(gains[0])  # between the best sequences that end with 1 and with 0
    came_from = []
    for gain, (p00, p01, p10, p11) in zip(gains[1:].tolist(), pairs.tolist(), strict=True):
        to_0, to_1 = difference + p10 > p00, difference + p11 > p01
        came_from.append((to_0, to_1))
        best_0 = difference + p10 if to_0 else p00
        best_1 = difference + p11 if to_1 else p01
        difference = best_1 - best_0 + gain
    label = difference > 0
    labels = [label]
    for sources in reversed(came_from):
        label = sources[label]
        labels.append(label)
    return np.array(labels[::-1], dtype=bool)


def _add_up(products: Float32, bias: Float32, width: int, length: int, rectify: bool) -> Float32:
    """Add up what a convolution is made of; *products* are those at each place of the kernel."""
    parts = products.reshape(len(products), width, bias.size)
    result: Float32 = bias + parts[:, width // 2]
    if width == 3:  # the neighbours of each place; behind the last one they are 0
        result[1:] += parts[:-1, 0]
        result[:-1] += parts[1:, 2]
    result[length:] = 0
    if rectify:
        np.maximum(result, 0, out=result)
    return result
