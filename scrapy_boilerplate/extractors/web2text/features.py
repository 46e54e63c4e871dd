"""The 128 features of a block and the 25 of two neighbouring ones."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.extractors._patterns import number_keys, path_numbers
from scrapy_boilerplate.extractors.web2text.collapsed import CollapsedDOM
from scrapy_boilerplate.extractors.web2text.stop_words import STOP_CHARACTERS, STOP_WORDS
from scrapy_boilerplate.layout import BLOCK_LEVEL
from scrapy_boilerplate.page import Page, cumulative
from scrapy_boilerplate.text import SPACE, classify, code_points

__all__ = ["BLOCK_FEATURES", "EDGE_FEATURES", "features"]

Bool = NDArray[np.bool_]
Float = NDArray[np.float32]
Int = NDArray[Any]

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
    "mean_word_length": (3.0, 15.0),
    "punctuation": (0.0, 10.0),
    "log_punctuation_ratio": (-4.0, -2.5),
    "log_mean_sentence_length": (2.0, 5.0),
}
_LOG_CHARACTERS_OF_LEAF = (2.5, 5.5)
_LOG_CHARACTERS_OF_NODE = (2.5, 10.0)


def features(page: Page) -> tuple[Float, Float]:
    """Return the features of a page's blocks and of its neighbouring blocks.

    A block is a leaf of the collapsed DOM, that is, a text node. The arrays have a row a block and
    128 columns, and a row a pair of neighbours and 25 columns, named by :data:`BLOCK_FEATURES` and
    :data:`EDGE_FEATURES`. What a block lacks (a parent) has zeros. The source's vague points:

    - *Characters* are visible ones, and a ratio is a share of them, or of the words.
    - The *share of the page's source length* is that of its text with white space: the source
      itself is not at hand when a response has been parsed already.
    - A *sentence* ends with a mark that white space follows, or with the block.
    - The *class path* is the tags and ``class`` attributes of all elements above a block.
    - A *form element* is an ``input``, ``select``, ``textarea`` or ``button``.

    >>> page = Page.parse("<p>Some <b>bold words</b> here.</p><p>Two words.</p>")
    >>> blocks, edges = features(page)
    >>> blocks.shape, edges.shape
    ((4, 128), (3, 25))
    >>> blocks[:, BLOCK_FEATURES.index("is_b")].tolist()
    [0.0, 1.0, 0.0, 0.0]
    >>> edges[:, EDGE_FEATURES.index("line_break")].tolist()
    [0.0, 0.0, 1.0]
    """
    size = page.text_at.size
    dom = CollapsedDOM(page)
    counts = _count(page)
    leaves = np.arange(size)
    leaf = _text_features(counts, leaves, leaves + 1, _LOG_CHARACTERS_OF_LEAF)
    position = leaves / max(size - 1, 1)
    leaf |= {"position": position, "position_squared": position**2}
    leaf["capitalised_ratio_squared"] = leaf["capitalised_ratio"] ** 2
    leaf["capitalised_ratio_cubed"] = leaf["capitalised_ratio"] ** 3
    # The last row is the root, which is no inner node on a page with one text; −1 is "none", too.
    nodes = _node_features(
        page, counts, np.append(dom.first, 0), np.append(dom.last, size), np.append(dom.element, 0)
    )
    parent = dom.parent_of_leaf
    grandparent = np.where(parent < 0, -1, np.append(dom.parent, -1)[parent])
    has_parent, has_grandparent = (parent >= 0)[:, None], (grandparent >= 0)[:, None]
    tags = _one_hot(page, PARENT_TAGS, dom.inner_elements, dom.inner_of, dom.first.size + 1)
    blocks = np.concatenate(
        [
            _repetitions(page),
            np.stack([leaf[name] for name in _LEAF], axis=1),
            has_parent,
            nodes[parent] * has_parent,
            tags[parent] * has_parent,
            has_grandparent,
            nodes[grandparent] * has_grandparent,
            np.broadcast_to(nodes[-1], (size, len(_NODE))),
            _one_hot(page, LEAF_TAGS, dom.leaf_elements, dom.leaf_of, size),
        ],
        axis=1,
        dtype=np.float32,
    )
    ancestor, distance = dom.neighbours
    edges = np.concatenate(
        [
            distance[:, None] == (2, 3, 4),
            distance[:, None] > 4,
            _line_breaks(page)[:, None],
            nodes[ancestor],
        ],
        axis=1,
        dtype=np.float32,
    )
    return blocks, edges


# -- tags and classes ------------------------------------------------------------------------


def _one_hot(page: Page, tags: list[str], elements: Int, rows: Int, size: int) -> Bool:
    """Flag which of *tags* the *elements* of each row have."""
    columns = {tag: number for number, tag in enumerate(tags)}
    column = np.array([columns.get(name, -1) for name in page.names])[page.tag[elements]]
    known = column >= 0
    flags = np.zeros((size, len(tags)), dtype=bool)
    flags[rows[known], column[known]] = True
    return flags


def _repetitions(page: Page) -> NDArray[Any]:
    """Return for each block whether others have its text, and how many share its class path."""
    spans = zip(page.text_start.tolist(), page.text_stop.tolist(), strict=True)
    texts = [page.buffer[start:stop].strip() for start, stop in spans]
    number = Counter(texts)
    same = np.array([number[text] for text in texts])
    own = page.tag + page.class_id.astype(np.int64) * (1 << 20)
    path = number_keys(path_numbers(page, own)[page.text_parent])
    sharing = np.bincount(path)[path]
    return np.stack([same > 1, same > 10, sharing / max(same.size, 1)], axis=1)


def _line_breaks(page: Page) -> Bool:
    """Tell for each pair of neighbours whether an unstyled page shows them in different lines."""
    breaking = page.has_tag(BLOCK_LEVEL - {"td", "th"})
    starting = cumulative(breaking | page.has_tag(("br", "hr")))
    around = page.count_above(breaking)[page.text_parent]
    breaks: Bool = (np.diff(starting[page.text_at]) > 0) | (np.diff(around) != 0)
    return breaks


# -- text ------------------------------------------------------------------------------------

# Flags of characters; the first two are frequent.
_SPACE, _LETTER, _UPPER, _DIGIT, _PUNCTUATION, _END, _ALWAYS_END, _QUESTION, _STOP, _SIGN = (
    1 << bit for bit in range(10)
)

_EMAIL = re.compile(
    # Tried at each "@" only, and what follows cannot hold another one: linear.
    r"(?<=\w)@[\w-]+\.[^\W\d_]"
)
_URL = re.compile(
    # Tried at each ":" and "." only.
    r"(?<=http)://|(?<=https)://|(?<=www)\.\w",
    re.IGNORECASE,
)

_PUNCTUATION_MARKS = ".,;:!?…¿¡。，、；：！？｡؟،؛۔।॥·"
_ENDS = ".!?…"
_ALWAYS_ENDS = "。｡！？؟۔।॥"
_QUESTION_MARKS = "?？؟\u037e"
_TABLE_SIZE = 0x20000


@cache
def _character_table() -> NDArray[np.uint16]:
    """Return the flags of each code point of planes 0 and 1."""
    table = np.zeros(_TABLE_SIZE, dtype=np.uint16)
    for code in range(_TABLE_SIZE):
        char = chr(code)
        if char.isalnum():
            digit = char.isdecimal()
            table[code] = _DIGIT if digit else _LETTER | (_UPPER * char.isupper())
        elif char.isspace() or char in "'’":  # "l'homme" is two words
            table[code] = _SPACE
    for marks, flag in (
        (_PUNCTUATION_MARKS, _PUNCTUATION),
        (_ENDS, _END),
        (_ALWAYS_ENDS, _ALWAYS_END),
        (_QUESTION_MARKS, _QUESTION),
        (STOP_CHARACTERS, _STOP),
        ("@©", _SIGN),
    ):
        table[[ord(mark) for mark in marks]] |= flag
    return table


class _Counts(NamedTuple):
    """What is counted, cumulated over text nodes: the first of n + 1 entries is 0."""

    words: Int
    visible: Int
    letters: Int
    """Characters of words."""
    in_links: Int
    """Visible characters in links."""
    length: Int
    """Characters with white space."""
    stop_words: Int
    capitalised: Int
    punctuation: Int
    digits: Int
    sentence_ends: Int
    copyrights: Int
    emails: Int
    urls: Int
    years: Int
    # These two are flags of each text node, not cumulated.
    ends_with_punctuation: Bool
    ends_with_question_mark: Bool


def _count(page: Page) -> _Counts:
    codes = code_points(page.buffer)
    flags = _character_table()[np.minimum(codes, _TABLE_SIZE - 1)]
    start, stop = page.text_start, page.text_stop

    def at(positions: Int) -> Int:
        """Count by text node what stands at ascending positions, and cumulate."""
        return cumulative(np.searchsorted(positions, stop) - np.searchsorted(positions, start))

    counted = np.flatnonzero(flags > _SPACE + _LETTER)  # few: what is looked for below
    flags_of_counted = flags[counted]

    def where(flag: int) -> Int:
        return counted[flags_of_counted & flag > 0]

    def found(pattern: re.Pattern[str], places: Int) -> Int:
        matches = (pattern.match(page.buffer, place) is not None for place in places.tolist())
        return at(places[np.fromiter(matches, dtype=bool, count=places.size)])

    # Sentences: their end marks stand before white space or at the end of a text node.
    marks = where(_END | _ALWAYS_END)
    visible = classify(codes) != SPACE
    follows = np.append(~visible, True)[marks + 1]
    last = marks + 1 == np.append(stop, 0)[np.searchsorted(stop, marks, side="right")]
    ends = marks[follows | last | (flags[marks] & _ALWAYS_END > 0)]
    # The last visible character of each text node.
    shown = np.flatnonzero(visible)
    final = np.append(shown, 0)[np.searchsorted(shown, stop) - 1]  # 0 where nothing is shown
    # Capital letters at the start of a word.
    capitals = where(_UPPER)
    inside = flags[capitals - 1] & _LETTER > 0
    opening = np.zeros(codes.size + 1, dtype=bool)
    opening[start] = True
    inside &= (capitals > 0) & ~opening[capitals]
    digits, punctuation, signs = where(_DIGIT), where(_PUNCTUATION), where(_SIGN)
    dots = punctuation[np.isin(codes[punctuation], (ord("."), ord(":")))]
    ats = codes[signs] == ord("@")
    return _Counts(
        words=cumulative(page.words),
        visible=cumulative(page.visible),
        letters=cumulative(page.visible - page.symbols),
        in_links=cumulative(page.visible * page.in_link),
        length=cumulative(stop - start),
        stop_words=at(_stop_words(page.buffer, flags & _SPACE > 0, where(_STOP))),
        capitalised=at(capitals[~inside]),
        punctuation=at(punctuation),
        digits=at(digits),
        sentence_ends=at(ends),
        copyrights=at(signs[~ats]),
        emails=found(_EMAIL, signs[ats]),
        urls=found(_URL, dots),
        years=at(_years(codes, digits)),
        ends_with_punctuation=flags[final] & _PUNCTUATION > 0,
        ends_with_question_mark=flags[final] & _QUESTION > 0,
    )


def _stop_words(text: str, space: Bool, characters: Int) -> Int:
    """Return where stop words and stop *characters* stand, ascending.

    A word counts if white space is on both sides, or an apostrophe: splitting is fast.
    """
    words = text.lower().replace("'", " ").replace("’", " ").split()
    known = np.fromiter(map(STOP_WORDS.__contains__, words), dtype=bool, count=len(words))
    starts = ~space
    starts[1:] &= space[:-1]
    places = np.flatnonzero(starts)[known]
    return np.sort(np.concatenate([places, characters])) if characters.size else places


def _years(codes: NDArray[np.uint32], digits: Int) -> Int:
    """Return where numbers of four digits stand that are years from 1000 to 2999."""
    first = np.flatnonzero(np.diff(digits, prepend=-2) > 1)
    four = np.diff(first, append=digits.size) == 4
    places: Int = digits[first[four]]
    return places[np.isin(codes[places], (ord("1"), ord("2")))]


def _text_features(
    counts: _Counts, first: Int, after: Int, log_characters: tuple[float, float]
) -> dict[str, NDArray[Any]]:
    """Return by name the features of the text of ranges of text nodes."""
    cumulated = {
        name: c[after] - c[first] for name, c in zip(counts._fields[:-2], counts, strict=False)
    }
    words = np.maximum(cumulated["words"], 1)
    characters = np.maximum(cumulated["visible"], 1)
    ends = cumulated["sentence_ends"]
    final = after - 1
    sentences = ends + ~counts.ends_with_punctuation[final]
    with np.errstate(divide="ignore"):
        values = {
            "has_word": cumulated["words"] > 0,
            "log_words": np.log(words),
            "mean_word_length": cumulated["letters"] / words,
            "has_stop_word": cumulated["stop_words"] > 0,
            "stop_word_ratio": cumulated["stop_words"] / words,
            "log_characters": np.log(characters).clip(*log_characters),
            "has_punctuation": cumulated["punctuation"] > 0,
            "punctuation": cumulated["punctuation"],
            "log_punctuation_ratio": np.log(cumulated["punctuation"] / characters),
            "has_digit": cumulated["digits"] > 0,
            "digit_ratio": cumulated["digits"] / characters,
            "log_mean_sentence_length": np.log(characters / np.maximum(sentences, 1)),
            "has_several_sentences": sentences > 1,
            "ends_with_punctuation": counts.ends_with_punctuation[final],
            "ends_with_question_mark": counts.ends_with_question_mark[final],
            "has_copyright": cumulated["copyrights"] > 0,
            "has_email": cumulated["emails"] > 0,
            "has_url": cumulated["urls"] > 0,
            "has_year": cumulated["years"] > 0,
            "capitalised_ratio": cumulated["capitalised"] / words,
            "link_density": cumulated["in_links"] / characters,
            "source_ratio": cumulated["length"] / max(counts.length[-1], 1),
        }
    return values | {name: values[name].clip(*bounds) for name, bounds in _CLIPPED.items()}


def _node_features(
    page: Page, counts: _Counts, first: Int, after: Int, element: Int
) -> NDArray[Any]:
    """Return the 20 features of nodes that hold the text nodes from *first* to *after*."""
    values = _text_features(counts, first, after, _LOG_CHARACTERS_OF_NODE)
    forms = cumulative(page.has_tag(("input", "select", "textarea", "button")))
    values["has_form_element"] = forms[page.end[element]] > forms[element]
    return np.stack([values[name] for name in _NODE], axis=1)
