"""The features of a page's blocks: their names and order, declared once, and the reading of them.

How each is computed stands in ``_features_native.pyx``, which writes a row in the order of
:data:`GROUPS`. "Level" is a block-level element above a block, 0 the nearest; "words" are counted
as ``Page.words`` does; every count that may grow is a logarithm, ``log(1 + x)``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.auto._features_native import WIDTHS, Features
from scrapy_boilerplate.core.auto.context import Surroundings
from scrapy_boilerplate.core.auto.copies import COPIES, copies
from scrapy_boilerplate.core.auto.lexicon import NAMED, Lexicon
from scrapy_boilerplate.core.auto.metadata import METADATA, metadata_features
from scrapy_boilerplate.core.caching import remember
from scrapy_boilerplate.core.methods._runs import VOID
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Float, Float32, Int32
from scrapy_boilerplate.core.page.text import class_table
from scrapy_boilerplate.core.page.walk import KNOWN_TAGS, TAG_IDS

TITLE_WORDS, TITLE_CHARACTERS = 15, 120
"""A block up to this long may be the title, or a part of it."""
LEAST_OVERLAP, LEAST_SHARE = 0.3, 0.15
"""Share of the title that a block must have to be taken for it, and to be compared with it."""

_CHARACTERS = {
    # Kinds of characters that are counted; each character is of one kind.
    "stops": ".!?…。！？।؟",
    "commas": ",،、，;；",
    "colons": ":：",
    "bars": "|/·•»›>←→«",
    "quotes": "\"'“”„’",
    "money": "$€£¥₹",
}
_CAPITAL, _DIGIT, _FIRST_MARK = 1, 2, 3
_TABLE_SIZE = 0x10000  # code points of plane 0

ABOVE = {
    # Groups of elements of which a block stands inside one or not.
    "nav": "nav menu",
    "header": "header",
    "footer": "footer",
    "aside": "aside",
    "article": "article",
    "main": "main",
    "form": "form fieldset",
    "button": "button select label option",
    "list": "ul ol",
    "item": "li",
    "definitions": "dl",
    "table": "table",
    "cell": "td th",
    "heading": "h1 h2 h3 h4 h5 h6",
    "h1": "h1",
    "h2": "h2",
    "p": "p",
    "code": "pre code",
    "quote": "blockquote q",
    "figure": "figure figcaption caption",
    "strong": "b strong",
}
_FLAGS = {
    # What an element is besides, in the bits above those of ABOVE.
    1 << 24: VOID,
    1 << 25: frozenset("img picture embed object".split()),
    1 << 26: frozenset("input button select textarea".split()),
    1 << 27: frozenset(["article"]),
    1 << 28: frozenset(["main"]),
}

_OFFSETS = ("-2", "-1", "+1", "+2")
_LEVELS = {
    # Facts of the elements above a block, and the levels at which they are looked at.
    "tag": "01234",
    "log_words": "1234",
    "word_share": "1234",  # of the page's words
    "link_density": "01234",
    "log_blocks": "1234",
    "words_per_block": "1234",
    "stops": "1234",  # sentence ends a block
    "paragraphs": "234",  # words in p and not in links, a block
    "children": "01234",
    "siblings": "01234",  # that have the same tag and first class
    "media": "234",
    "controls": "1234",
    "headings": "1234",
}
_OF_MAKE = "count share words word_share link_density sentences spread".split()
_OF_PAGE = (
    "blocks words link_density big big_share longest paragraphs words_per_block sentences controls "
    "tables items code headings h1 articles mains images plain strings money elements siblings"
).split()

GROUPS: dict[str, tuple[str, ...]] = {
    # The block's own text, and what it stands in.
    "text": (
        *("words", "characters", "word_length", "symbol_share"),
        *(f"{kind}{of}" for kind in ("capitals", "digits", *_CHARACTERS) for of in ("", "_share")),
        *("last_kind", "is_sentence", "link_density", "tags", "tag_density"),
        *(f"in_{name}" for name in ABOVE),
        *("own_tag", "depth"),
    ),
    "levels": tuple(f"{fact}_{level}" for fact, levels in _LEVELS.items() for level in levels),
    # Where it stands relative to the best element, scored as readability does, and to the best run
    # of tokens for two values of a tag.
    "best": (
        *("in_best", "best_share_0", "best_share_1", "best_share_2", "best_distance"),
        *("best_place", "best_up", "best_down", "page_best_share", "run_long", "run_short"),
    ),
    # Where it stands on the page; big blocks have 20 words and few in links.
    "place": (
        *("place", "from_end", "words_before", "words_after", "word_place"),
        *(f"{to}_{what}" for what in ("big", "heading", "h1") for to in ("since", "until")),
        *("big_before", "big_after"),
    ),
    # The same of the blocks beside it, −1 beyond the page.
    "neighbours": tuple(
        f"{name}[{by}]" for name in ("words", "link_density", "tag_0", "depth") for by in _OFFSETS
    ),
    # Sums and shares over the blocks up to so many places away.
    "windows": tuple(
        f"{name}_{radius}"
        for radius in (2, 5, 10, 25)
        for name in (
            *("unlinked_around", "linked_around", "big_around", "sentences_around"),
            *("unlinked_before", "unlinked_after"),
        )
    ),
    # Blocks of the same make: below the same three tags and classes (template), the next three
    # (outer), all of them (path). Then texts that occur again, and the title.
    "repetition": (
        *(f"{key}_{fact}" for key in ("template", "outer", "path") for fact in _OF_MAKE),
        *(*COPIES, "title_overlap", "from_title"),
    ),
    # The whole page, and what it declares.
    "page": (*(f"page_{name}" for name in _OF_PAGE), *METADATA),
    # What the lexicon says of the classes and ids above the block, the only group that needs it.
    "attributes": (
        *(f"attribute_{name}_{level}" for name in ("least", "most", "mean") for level in range(4)),
        *("attribute_least_beyond", "attribute_most_beyond", "attribute_least", "attribute_most"),
        *("attribute_sum", "page_attribute_sum"),
        *(f"attribute_sum[{by}]" for by in _OFFSETS),
        *(f"named_{name}" for name in NAMED),
    ),
}
"""Names of the features by group, in the order of their columns."""

if tuple(map(len, GROUPS.values())) != WIDTHS:
    raise ImportError("the compiled features are of another version: reinstall scrapy_boilerplate")

_BY_CLASS = ("siblings_", "template_", "outer_", "path_", "page_plain", "page_strings")


@cache
def feature_names() -> tuple[str, ...]:
    """Return the names of all features, in the order of their columns."""
    return tuple(name for names in GROUPS.values() for name in names)


def plain_names() -> tuple[str, ...]:
    """Return the names of the features that need no lexicon, in their order: the first columns."""
    return feature_names()[: -len(GROUPS["attributes"])]


def page_names() -> tuple[str, ...]:
    """Return the names of the features that all blocks of a page share."""
    return tuple(name for name in feature_names() if name.startswith("page_"))


def class_names() -> tuple[str, ...]:
    """Return the names of the plain features that ``class`` and ``id`` attributes count for."""
    return tuple(name for name in plain_names() if name.startswith(_BY_CLASS))


class Readable(Protocol):
    """The features of a page's blocks."""

    @property
    def words(self) -> Float:
        """Words of each block."""

    @property
    def surroundings(self) -> Surroundings:
        """Groups of blocks that belong together."""

    def matrix(self, start: int, stop: int, room: int = 0) -> Float32:
        """Return the features of the blocks ``[start, stop)``, in the order of their names.

        Behind them is *room* for more columns, which are not set.
        """


def read_features(
    page: Page,
    lexicon: Lexicon,
    *,
    classes: bool = True,
    metadata: Mapping[str, float] | None = None,
) -> Features:
    """Read the features of *page*, which has one block at least.

    Without *classes* the page is read as if it had no ``class`` and ``id``. *metadata* are the
    values of :data:`METADATA`; by default they are read from the page's tree.
    """
    flags = _known_flags()
    if len(page.names) > flags.size:  # tags of the page's own, which stand in no group
        own = [_flags(name) for name in page.names[flags.size :]]
        flags = np.append(flags, np.array(own, dtype=np.int32))
    metadata = metadata_features(page) if metadata is None else metadata
    return Features(
        page,
        flags,
        lexicon.meanings(page.strings if classes else [""]),
        (_character_table(), class_table()),
        copies(page),
        (TITLE_WORDS, TITLE_CHARACTERS, LEAST_SHARE, LEAST_OVERLAP),
        metadata.values(),
        (len(TAG_IDS), TAG_IDS["p"]),
        classes,
    )


@cache
def _character_table() -> NDArray[np.uint8]:
    """Return the kind of each code point of plane 0."""
    plane = [*map(chr, range(_TABLE_SIZE))]
    table = np.fromiter(map(str.isupper, plane), dtype=np.uint8, count=_TABLE_SIZE) * _CAPITAL
    table[np.fromiter(map(str.isdigit, plane), dtype=bool, count=_TABLE_SIZE)] = _DIGIT
    for number, marks in enumerate(_CHARACTERS.values(), start=_FIRST_MARK):
        table[[ord(mark) for mark in marks]] = number
    return table


@remember(1 << 18)
def _flags(name: str) -> int:
    """Return the bits of an element of that name: its groups, and what else it is."""
    groups = sum(1 << bit for bit, names in enumerate(ABOVE.values()) if name in names.split())
    return groups + sum(flag for flag, names in _FLAGS.items() if name in names)


@cache
def _known_flags() -> Int32:
    return np.array([_flags(name) for name in KNOWN_TAGS], dtype=np.int32)
