"""Values of tokens that are learned: the probability that a token is content, less one half."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from scrapy_boilerplate.core.methods._runs import tag_counts
from scrapy_boilerplate.core.methods.base import read_arrays
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Float, Float32, Int, Int64

# Kinds of elements that hold a text directly, and of those that it may stand in at any depth.
_PARENTS = {
    "p": "p",
    "a": "a",
    "li": "li",
    "cell": "td th",
    "div": "div",
    "span": "span",
    "heading": "h1 h2 h3 h4 h5 h6",
    "inline": "b strong i em u small font code sup sub cite q",
    "quote": "blockquote pre",
    "definition": "dt dd",
    "control": "button label option legend textarea",
    "time": "time",
}
_AROUND = {
    "paragraph": "p",
    "list": "ul ol dl",
    "table": "table",
    "navigation": "nav menu",
    "footer": "footer",
    "header": "header",
    "aside": "aside",
    "form": "form",
    "article": "article main",
}
_TAGS = [frozenset(names.split()) for names in (*_PARENTS.values(), *_AROUND.values())]
REACH = 2  # neighbours on each side that are looked at
MOST_COUNTED_TAGS = 50
"""More tags than these before a text node say nothing more: fewer than 1 in 100 has as many."""

_OWN = (
    *("log_words", "log_symbols", "symbol_ratio", "in_link", "log_tags_before"),
    *(f"in_{name}" for name in _PARENTS),
    *(f"inside_{name}" for name in _AROUND),
)
FEATURES = tuple(f"{name}[{offset:+d}]" for offset in range(-REACH, REACH + 1) for name in _OWN)
"""Names of the features of a text node: its own and those of its neighbours."""


class TokenModel(NamedTuple):
    """A logistic regression over the neighbourhood of a text node."""

    weights: Float32
    """Of shape (len(FEATURES),)."""
    bias: float

    def probabilities(self, features: Float32) -> Float:
        """Return for each text node the probability that it stands in the article."""
        scores = (features @ self.weights + self.bias).astype(np.float64)
        return np.asarray(0.5 + 0.5 * np.tanh(scores / 2))  # the logistic function


def learned_values(page: Page) -> tuple[Float, Float]:
    """Return the learned values of text nodes, and the summed values of the tags before each."""
    tags = tag_counts(page)
    content = load_token_model().probabilities(neighbourhoods(page, tags))
    return token_values(content, page.words + page.symbols, tags)


def token_values(content: Float, tokens: Int, tags: Int) -> tuple[Float, Float]:
    """Return what text nodes and the tags before each are worth, for probabilities of content.

    Each word and symbol is worth the probability of its text node less one half, each tag the mean
    probability of the two text nodes around it less one half.
    """
    around = np.append(content[:1], (content[1:] + content[:-1]) / 2)
    return tokens * (content - 0.5), tags * (around - 0.5)


def neighbourhoods(page: Page, tags: Int64) -> Float32:
    """Return the features of text nodes, a row each; *tags* is how many stand before each.

    Beyond the first and the last one the page goes on as it ends there: a page of one paragraph is
    seen as one of many.
    """
    tokens, at = page.words + page.symbols, page.text_parent
    own = np.array(
        [
            *np.log1p([page.words, page.symbols]),
            page.symbols / np.maximum(tokens, 1),
            page.in_link,
            np.log1p(np.minimum(tags, MOST_COUNTED_TAGS)),
            *(page.has_tag(names)[at] for names in _TAGS[: len(_PARENTS)]),
            *(page.texts_inside(page.has_tag(names)) for names in _TAGS[len(_PARENTS) :]),
        ],
        dtype=np.float32,
    )
    padded = np.pad(own.T.copy(), ((REACH, REACH), (0, 0)), mode="edge")
    return np.concatenate([padded[n : n + at.size] for n in range(2 * REACH + 1)], axis=1)


@cache
def load_token_model() -> TokenModel:
    """Return the model of this package; it is read once."""
    arrays = read_arrays("mss")
    return TokenModel(arrays["weights"].astype(np.float32), float(arrays["bias"]))
