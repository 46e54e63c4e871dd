"""Trains the networks of ``web2text``: ``python -m training.web2text ../shared/data/wcxb-dev``.

Prints what the networks reach on domains that they were not trained on, then trains on all pages
and writes the weights, where ``--output`` is given. Needs torch (the extra ``training``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from benchmarks.data import LabelledPage
from scrapy_boilerplate.core.methods.web2text.block_features import features
from scrapy_boilerplate.core.methods.web2text.network import Layer, Networks, choose_labels
from scrapy_boilerplate.core.page import Page
from training.alignment import align
from training.pages import Words, held_out, run, table_by_kind

CONTENT_SHARE = 2 / 3
"""Share of a block's characters that are aligned with the gold text, from which it is content."""

KERNELS = (1, 1, 3, 3, 3)
UNARY_CHANNELS = (50, 50, 50, 10, 2)
PAIRWISE_CHANNELS = (50, 50, 50, 10, 4)
DROPOUT = 0.2
L2 = 1e-4
LEARNING_RATE = 1e-3
EXCERPTS = 128
LENGTH = 9


ITERATIONS = 2500
INPUT_DROPOUT = 0.2  # share of the features that are hidden from the first layer
AVERAGE = 0.997
"""Share of itself that a running mean of the weights keeps in each iteration; it is the mean that
is returned. The source has 5000 iterations, and neither of these."""


@dataclass(frozen=True, slots=True)
class Example:
    """A page as the networks see it, with its labels."""

    blocks: NDArray[np.float32]
    edges: NDArray[np.float32]
    labels: NDArray[np.int64]
    words: Words
    kind: str
    group: str  # the domain that it comes from


def prepare(labelled: LabelledPage) -> Example:
    """Read a page, its features and its labels; a page without text has no blocks."""
    page = Page.parse(labelled.html, url=labelled.url)
    if page.text_at.size:
        blocks, edges = (rows[:] for rows in features(page))
        labels = (align(page, labelled.gold).shares() >= CONTENT_SHARE).astype(np.int64)
    else:
        blocks = np.zeros((0, 128), dtype=np.float32)
        edges = np.zeros((0, 25), dtype=np.float32)
        labels = np.zeros(0, dtype=np.int64)
    words = Words.of(page, labelled.gold)
    return Example(blocks, edges, labels, words, labelled.kind, labelled.group)


# -- networks --------------------------------------------------------------------------------


class Convolution(nn.Linear):
    """A convolution over the middle axis of (excerpt, place, channel), zeros beyond its ends.

    As one product of matrices it takes half the time of torch's own on sequences this short.
    """

    def __init__(self, inputs: int, outputs: int, kernel: int) -> None:
        super().__init__(kernel * inputs, outputs)
        self.kernel = kernel

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        if self.kernel == 3:
            padded = nn.functional.pad(values, (0, 0, 1, 1))
            values = torch.cat([padded[:, :-2], values, padded[:, 2:]], dim=2)
        return super().forward(values)

    def layer(self) -> Layer:
        """Return the weights in the package's form."""
        weights = self.weight.detach().numpy().T.reshape(self.kernel, -1, self.out_features)
        return Layer(weights.copy(), self.bias.detach().numpy().copy())


class Dropout(nn.Module):
    """Drops a share of values; faster than torch's own, which takes a third of the training."""

    def __init__(self, share: float, random: np.random.Generator) -> None:
        super().__init__()
        self.least = round(share * 256)
        self.random = random

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        if not self.training or not self.least:
            return values
        noise = np.frombuffer(self.random.bytes(values.numel()), dtype=np.uint8)
        kept = torch.from_numpy(noise >= self.least).reshape(values.shape)
        return values * kept * (256 / (256 - self.least))


def network(inputs: int, channels: Sequence[int], random: np.random.Generator) -> nn.Sequential:
    """Return convolutions with ReLU and dropout between them."""
    layers: list[nn.Module] = []
    for number, (kernel, outputs) in enumerate(zip(KERNELS, channels, strict=True)):
        if number:
            layers += [nn.ReLU(), Dropout(DROPOUT, random)]
        layers.append(Convolution(inputs, outputs, kernel))
        inputs = outputs
    return nn.Sequential(*layers)


class Excerpts:
    """Draws excerpts of neighbouring places from pages; each page is as likely.

    *values* holds the places of all pages in a row and then one of zeros, *labels* those of each
    page.
    """

    def __init__(self, values: NDArray[np.float32], labels: Sequence[NDArray[Any]]) -> None:
        self._sizes = np.array([len(each) for each in labels])
        self._first = np.cumsum(self._sizes) - self._sizes
        self._values = torch.from_numpy(values)
        ignored = nn.CrossEntropyLoss().ignore_index
        self._labels = torch.from_numpy(np.concatenate([*labels, [ignored]]))

    def draw(self, length: int, random: np.random.Generator) -> tuple[torch.Tensor, torch.Tensor]:
        """Return values (excerpt, place, channel) and labels (excerpt, place)."""
        pages = random.integers(0, self._sizes.size, EXCERPTS)
        sizes = self._sizes[pages]
        start = random.integers(0, np.maximum(sizes - length, 0) + 1)
        places = start[:, None] + np.arange(length)
        rows = np.where(places < sizes[:, None], self._first[pages][:, None] + places, -1)
        index = torch.from_numpy(rows)
        return self._values[index], self._labels[index]


def fit(
    values: Sequence[NDArray[Any]],
    labels: Sequence[NDArray[Any]],
    channels: Sequence[int],
    length: int,
    seed: int,
) -> tuple[Layer, ...]:
    """Train one network and return its layers, for features as they are.

    The features are standardised for training, and the first layer, which sees one place at a time,
    takes that over.
    """
    everything = np.concatenate([*values, np.zeros((1, values[0].shape[1]), dtype=np.float32)])
    columns = (column.astype(np.float64) for column in everything[:-1].T)
    mean, scale = np.array([(each.mean(), each.std() or 1.0) for each in columns]).T
    everything[:-1] -= mean.astype(np.float32)
    everything[:-1] /= scale.astype(np.float32)
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    net = network(everything.shape[1], channels, random)
    net.insert(0, Dropout(INPUT_DROPOUT, random))
    excerpts = Excerpts(everything, labels)
    optimizer = torch.optim.Adam(net.parameters(), lr=LEARNING_RATE, weight_decay=L2)
    loss = nn.CrossEntropyLoss()
    mean_net = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(AVERAGE))
    net.train()
    for _ in range(ITERATIONS):
        inputs, targets = excerpts.draw(length, random)
        optimizer.zero_grad()
        loss(net(inputs).flatten(0, 1), targets.flatten()).backward()
        optimizer.step()
        mean_net.update_parameters(net)
    layers = [layer.layer() for layer in mean_net.module if isinstance(layer, Convolution)]
    weights, bias = layers[0]
    layers[0] = Layer(weights / scale[:, None], bias - (mean / scale) @ weights[0])
    return tuple(Layer(w.astype(np.float32), b.astype(np.float32)) for w, b in layers)


def train(examples: Sequence[Example], seed: int) -> Networks:
    """Train both networks."""
    pages = [example for example in examples if len(example.labels)]
    pairs = [example for example in pages if len(example.edges)]
    labels = [page.labels for page in pages]
    of_pairs = [2 * page.labels[:-1] + page.labels[1:] for page in pairs]
    return Networks(
        unary=fit([page.blocks for page in pages], labels, UNARY_CHANNELS, LENGTH, seed),
        pairwise=fit([p.edges for p in pairs], of_pairs, PAIRWISE_CHANNELS, LENGTH - 1, seed),
    )


# -- measurement -----------------------------------------------------------------------------


class Decision(NamedTuple):
    """The two options of decoding."""

    weight: float = 0.1
    threshold: float = 0.5


def word_f1(model: Networks, example: Example, decision: Decision) -> float:
    """Return the word F1 of a page."""
    keep = np.zeros(0, dtype=bool)
    if len(example.labels):
        said = model.log_probabilities(example.blocks, example.edges)
        keep = choose_labels(*said, *decision)
    return example.words.f1(keep)


DECISIONS = (Decision(0.0), Decision(), Decision(threshold=0.3))
"""What is measured: the source's, without its second network, and with more recall."""


def cross_validate(pages: list[Example], folds: int, seed: int) -> None:
    """Train on all folds but one, measure on that one, and print what all reach."""
    reached = np.zeros((len(pages), len(DECISIONS)))
    parts = held_out([page.group for page in pages], folds, seed)
    for number, (seen, asked) in enumerate(parts):
        model = train(list(compress(pages, seen)), seed + number)
        reached[asked] = [
            [word_f1(model, page, each) for each in DECISIONS] for page in compress(pages, asked)
        ]
        f1 = reached[asked, 1].mean()
        print(f"fold {number + 1}: {seen.sum()} pages to train, word F1 {f1:.4f}", flush=True)
    names = [f"weight, threshold {each}" for each in map(tuple, DECISIONS)]
    scores = dict(zip(names, reached.T, strict=True))
    print(table_by_kind([page.kind for page in pages], scores))


def fitted(pages: Sequence[Example], seed: int) -> dict[str, NDArray[np.float32]]:
    """Return the weights of the networks by name."""
    model, arrays = train(pages, seed), {}
    for name, layers in zip(model._fields, model, strict=True):
        for number, layer in enumerate(layers):
            arrays[f"{name}_weights_{number}"] = layer.weights
            arrays[f"{name}_bias_{number}"] = layer.bias
    return arrays


if __name__ == "__main__":
    torch.set_num_threads(1)  # sums in the same order on any machine
    run(__doc__, prepare, cross_validate, fitted)
