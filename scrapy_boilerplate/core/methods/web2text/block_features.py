"""The 128 features of a block and the 25 of two neighbouring ones.

What the source leaves vague is read as follows:

- *Characters* are visible ones, and a ratio is a share of them, or of the words.
- The *share of the page's source length* is that of its text with white space: the source itself
  is not known when a response has been parsed already.
- A *sentence* ends with a mark that white space follows, or with the block.
- The *class path* is the tags and ``class`` attributes of all elements above a block.
- A *form element* is an ``input``, ``select``, ``textarea`` or ``button``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from scrapy_boilerplate.core.methods.web2text.collapsed import CollapsedDOM
from scrapy_boilerplate.core.methods.web2text.counts import COUNTS, TextCounts, count
from scrapy_boilerplate.core.methods.web2text.network import Rows
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page._elements_native import path_numbers
from scrapy_boilerplate.core.page.arrays import Bool, Float, Float32, Int
from scrapy_boilerplate.core.page.tags import BLOCK_LEVEL
from scrapy_boilerplate.core.page.walk import TagTable

LEAF_TAGS = "a p td b li span i tr div strong em h3 h2 table h4 small sup h1 blockquote".split()
PARENT_TAGS = (
    "td div p tr table body ul span li blockquote b small a ol i form dl strong pre article".split()
)
"""The tags of the source; it leaves the last one open."""

_REPEATED = ("has_duplicate", "has_10_duplicates", "same_class_path_ratio")
_LEAF = (
    *("has_word", "log_words", "mean_word_length", "has_stop_word", "stop_word_ratio"),
    *("log_characters", "has_punctuation", "punctuation", "log_punctuation_ratio"),
    *("has_digit", "digit_ratio", "log_mean_sentence_length", "has_several_sentences"),
    *("position", "position_squared", "ends_with_punctuation", "ends_with_question_mark"),
    *("has_copyright", "has_email", "has_url", "has_year"),
    *("capitalised_ratio", "capitalised_ratio_squared", "capitalised_ratio_cubed"),
)
_NODE_TEXT = tuple(
    # What is left of them for a node: no position, no powers, and one of the three on punctuation.
    name
    for name in _LEAF
    if not name.startswith("position") and not name.endswith(("squared", "cubed"))
    if name not in ("has_punctuation", "punctuation", "has_several_sentences")
)
_NODE = ("source_ratio", "link_density", *_NODE_TEXT, "has_form_element")

BLOCK_FEATURES: tuple[str, ...] = (
    *_REPEATED,
    *_LEAF,
    "has_parent",
    *(f"parent_{name}" for name in _NODE),
    *(f"parent_is_{tag}" for tag in PARENT_TAGS),
    "has_grandparent",
    *(f"grandparent_{name}" for name in _NODE),
    *(f"root_{name}" for name in _NODE),
    *(f"is_{tag}" for tag in LEAF_TAGS),
)
"""Names of the 128 features of a block, in the source's order."""

EDGE_FEATURES: tuple[str, ...] = (
    *("distance_is_2", "distance_is_3", "distance_is_4", "distance_is_more", "line_break"),
    *(f"ancestor_{name}" for name in _NODE),
)
"""Names of the 25 features of two neighbouring blocks, in the source's order."""

_CLIPPED = {
    "log_words": (0.0, 3.5),
    "log_characters": (2.5, 10.0),
    "mean_word_length": (3.0, 15.0),
    "punctuation": (0.0, 10.0),
    "log_punctuation_ratio": (-4.0, -2.5),
    "log_mean_sentence_length": (2.0, 5.0),
}
_MOST_LOG_CHARACTERS_OF_LEAF = 5.5


def features(page: Page) -> tuple[Rows, Rows]:
    """Return the features of a page's blocks and of its neighbouring blocks, some rows at a time.

    A block is a leaf of the collapsed DOM, that is, a text node. The columns are named by
    :data:`BLOCK_FEATURES` and :data:`EDGE_FEATURES`. What a block lacks (a parent) has zeros.
    """
    dom = CollapsedDOM(page)
    counts = count(page)
    # The last row is the root, which is no inner node on a page with one text; −1 is "none", too.
    size = page.text_at.size
    values = _text_features(counts, np.append(dom.first, 0), np.append(dom.last, size))
    nodes = _node_features(page, _from(values, size, None), np.append(dom.element, 0))
    leaves = _leaf_features(_from(values, 0, size))
    edges = Rows(max(size - 1, 0), _edge_features(page, dom, nodes))
    return Rows(size, _block_features(page, dom, leaves, nodes)), edges


def _block_features(
    page: Page, dom: CollapsedDOM, leaves: Float32, nodes: Float32
) -> Callable[[slice], Float32]:
    """Return what makes :data:`BLOCK_FEATURES`, a row a text node."""
    size = page.text_at.size
    parent = dom.parent_of_leaf
    grandparent = np.where(parent < 0, -1, np.append(dom.parent, -1)[parent])
    tags = _one_hot(page, _PARENT_COLUMNS, dom.inner_elements, dom.inner_of, dom.first.size + 1)
    repetitions = _repetitions(page)
    leaf_tags = _one_hot(page, _LEAF_COLUMNS, dom.leaf_elements, dom.leaf_of, size)

    def make(some: slice) -> Float32:
        above, far_above = parent[some], grandparent[some]
        has_parent, has_grandparent = (above >= 0)[:, None], (far_above >= 0)[:, None]
        return np.concatenate(
            [
                repetitions[some],
                leaves[some],
                has_parent,
                nodes[above] * has_parent,
                tags[above] * has_parent,
                has_grandparent,
                nodes[far_above] * has_grandparent,
                np.broadcast_to(nodes[-1], (above.size, len(_NODE))),
                leaf_tags[some],
            ],
            axis=1,
            dtype=np.float32,
        )

    return make


def _edge_features(page: Page, dom: CollapsedDOM, nodes: Float32) -> Callable[[slice], Float32]:
    """Return what makes :data:`EDGE_FEATURES`, a row a pair of neighbours."""
    ancestor, distance = dom.neighbours
    line_breaks = _line_breaks(page)

    def make(some: slice) -> Float32:
        return np.concatenate(
            [
                distance[some][:, None] == (2, 3, 4),
                distance[some][:, None] > 4,
                line_breaks[some][:, None],
                nodes[ancestor[some]],
            ],
            axis=1,
            dtype=np.float32,
        )

    return make


# -- tags and classes ------------------------------------------------------------------------


_LEAF_COLUMNS, _PARENT_COLUMNS = (
    TagTable({tag: number for number, tag in enumerate(tags)}, other=-1, dtype=np.int64)
    for tags in (LEAF_TAGS, PARENT_TAGS)
)

_BREAKING = BLOCK_LEVEL - {"td", "th"}
_STARTING = frozenset(["br", "hr"])
_FORM = frozenset("input select textarea button".split())


def _one_hot(page: Page, columns: TagTable[np.int64], elements: Int, rows: Int, size: int) -> Bool:
    """Flag which of the tags of *columns* the *elements* of each row have."""
    column = columns.of(page.names)[page.tag[elements]]
    known = column >= 0
    flags = np.zeros((size, len(columns)), dtype=bool)
    flags[rows[known], column[known]] = True
    return flags


def _repetitions(page: Page) -> Float32:
    """Return for each block whether others have its text, and how many share its class path."""
    texts = [text.strip() for text in page.texts()]
    number = Counter(texts)
    same = np.array([number[text] for text in texts])
    own = page.tag + page.class_id.astype(np.int64) * (1 << 20)
    path = path_numbers(own, page.parent)[page.text_parent]
    sharing = np.bincount(path)[path]
    return _columns((same > 1, same > 10, sharing / max(same.size, 1)))


def _line_breaks(page: Page) -> Bool:
    """Return for each pair of neighbours whether an unstyled page shows them in different lines."""
    breaking = page.has_tag(_BREAKING)
    starting = cumulative(breaking | page.has_tag(_STARTING))
    around, before = page.count_above(breaking)[page.text_parent], starting[page.text_at]
    return (before[1:] > before[:-1]) | (around[1:] != around[:-1])


# -- text ------------------------------------------------------------------------------------


Values = dict[str, "Bool | Int | Float"]  # features of texts by name


def _text_features(counts: TextCounts, first: Int, after: Int) -> Values:
    """Return the features of text nodes, then of those from each of *first* to *after* together."""
    before = np.zeros((len(COUNTS), counts.rows.shape[1] + 1), dtype=np.int64)
    np.cumsum(counts.rows, axis=1, out=before[:, 1:])
    length = int(before[COUNTS.index("length"), -1])  # of the page
    rows = np.concatenate([counts.rows, before[:, after] - before[:, first]], axis=1)
    ends = np.concatenate([np.arange(counts.rows.shape[1]), after - 1])
    with_punctuation, with_question_mark = (flags[ends] for flags in counts[1:])
    counted = dict(zip(COUNTS, rows, strict=False))
    words = np.maximum(counted["words"], 1)
    characters = np.maximum(counted["visible"], 1)
    sentences = counted["sentence_ends"] + ~with_punctuation
    with np.errstate(divide="ignore"):
        values = {
            "has_word": counted["words"] > 0,
            "log_words": np.log(words),
            "mean_word_length": counted["letters"] / words,
            "has_stop_word": counted["stop_words"] > 0,
            "stop_word_ratio": counted["stop_words"] / words,
            "log_characters": np.log(characters),
            "has_punctuation": counted["punctuation"] > 0,
            "punctuation": counted["punctuation"],
            "log_punctuation_ratio": np.log(counted["punctuation"] / characters),
            "has_digit": counted["digits"] > 0,
            "digit_ratio": counted["digits"] / characters,
            "log_mean_sentence_length": np.log(characters / np.maximum(sentences, 1)),
            "has_several_sentences": sentences > 1,
            "ends_with_punctuation": with_punctuation,
            "ends_with_question_mark": with_question_mark,
            "has_copyright": counted["copyrights"] > 0,
            "has_email": counted["emails"] > 0,
            "has_url": counted["urls"] > 0,
            "has_year": counted["years"] > 0,
            "capitalised_ratio": counted["capitalised"] / words,
            "link_density": counted["in_links"] / characters,
            "source_ratio": counted["length"] / max(length, 1),
        }
    for name, (least, most) in _CLIPPED.items():
        values[name] = np.minimum(np.maximum(values[name], least), most)
    return values


def _from(values: Values, start: int, stop: int | None) -> Values:
    return {name: value[start:stop] for name, value in values.items()}


def _columns(rows: Sequence[Bool | Int | Float]) -> Float32:
    """Return *rows* side by side, in single precision."""
    return np.concatenate(rows, dtype=np.float32).reshape(len(rows), -1).T


def _leaf_features(leaf: Values) -> Float32:
    size = leaf["has_word"].size
    position = np.arange(size) / max(size - 1, 1)
    characters = np.minimum(leaf["log_characters"], _MOST_LOG_CHARACTERS_OF_LEAF)
    leaf |= {"position": position, "position_squared": position**2, "log_characters": characters}
    leaf["capitalised_ratio_squared"] = leaf["capitalised_ratio"] ** 2
    leaf["capitalised_ratio_cubed"] = leaf["capitalised_ratio"] ** 2 * leaf["capitalised_ratio"]
    return _columns([leaf[name] for name in _LEAF])


def _node_features(page: Page, node: Values, element: Int) -> Float32:
    """Return the 20 features of nodes, of which *element* is the topmost element of each."""
    forms = cumulative(page.has_tag(_FORM))
    node["has_form_element"] = forms[page.end[element]] > forms[element]
    return _columns([node[name] for name in _NODE])
