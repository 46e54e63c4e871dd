"""The features of each block: its text, what is above and around it, what repeats.

Everything is arithmetic on :class:`~scrapy_boilerplate.Page`'s arrays, a row of numbers a feature;
no loop of Python runs over blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.auto.copies import COPIES, copies
from scrapy_boilerplate.core.auto.elementary import log, log1p
from scrapy_boilerplate.core.auto.lexicon import NAMED, Lexicon, first_name
from scrapy_boilerplate.core.auto.metadata import metadata_features
from scrapy_boilerplate.core.methods._runs import best_run, tag_counts
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Bool, Float, Float32, Int, Int32, Int64
from scrapy_boilerplate.core.page.elements import number_keys, path_numbers
from scrapy_boilerplate.core.page.text import code_points
from scrapy_boilerplate.core.page.walk import TAG_IDS

__all__ = [
    "ABOVE",
    "BOUNDS",
    "CONTROLS",
    "FACTS",
    "GROUPS",
    "KINDS",
    "LEAST_OVERLAP",
    "LEAST_SHARE",
    "LEVELS",
    "MEDIA",
    "OFFSETS",
    "RADII",
    "TABLE_SIZE",
    "TITLE_CHARACTERS",
    "TITLE_WORDS",
    "Blocks",
    "Columns",
    "character_table",
    "distances",
    "lexical_columns",
    "plain_columns",
    "template_keys",
    "units_of",
]

Column: TypeAlias = "Bool | Int | NDArray[np.floating]"
"""A number for each block, or of shape () for all of them."""
Columns: TypeAlias = dict[str, Column]
"""Features by name."""

LEVELS = 5
"""Block-level elements above a block that are looked at, the nearest first."""
TITLE_WORDS, TITLE_CHARACTERS = 15, 120
"""A block up to this long may be the title, or a part of it."""
REACH = 3
"""Neighbours on each side that there is room for; :data:`OFFSETS` go no further."""
LEAST_OVERLAP, LEAST_SHARE = 0.3, 0.15
"""Share of the title that a block must have to be taken for it, and to be compared with it."""
BOUNDS = {
    # Values are cut off here.
    "blocks to a landmark": 99,
    "blocks to the end": 200,
    "blocks to the title": 200,
    "marks of a block": 10,
    "words of a block": 100,
    # Words that a block needs to count as big, as big in a window, as good for the best element.
    "big": 20,
    "big in a window": 15,
    "good": 8,
    # Words of a block that may be a teaser, and tenths of them that are in links then.
    "words of a teaser": 4,
    "tenths of a link": 9,
    # Stands for no title.
    "no title": -999,
}
"""Whole numbers that limit features or decide what counts."""
RADII = (2, 5, 10, 25)
"""Neighbours on each side that are looked at together."""
OFFSETS = (-2, -1, 1, 2)
"""Neighbours that are looked at one by one."""

_CHARACTERS = {
    # Kinds of characters that are counted; each is of one kind.
    "stops": ".!?…。！？।؟",
    "commas": ",،、，;；",
    "colons": ":：",
    "bars": "|/·•»›>←→«",
    "quotes": "\"'“”„’",
    "money": "$€£¥₹",
}
KINDS = ("others", "capitals", "digits", *_CHARACTERS)
_STOP = KINDS.index("stops")
TABLE_SIZE = 0x10000

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
MEDIA = "img picture embed object".split()
CONTROLS = "input button select textarea".split()


@cache
def character_table() -> NDArray[np.uint8]:
    """Return the number in :data:`KINDS` of each code point of plane 0."""
    plane = [*map(chr, range(TABLE_SIZE))]
    table = np.fromiter(map(str.isupper, plane), dtype=np.uint8, count=TABLE_SIZE)
    table[np.fromiter(map(str.isdigit, plane), dtype=bool, count=TABLE_SIZE)] = 2
    for number, marks in enumerate(_CHARACTERS.values(), start=3):
        table[[ord(mark) for mark in marks]] = number
    return table


@cache
def _group_table() -> NDArray[np.int64]:
    """Return for each known tag, and last for all others, the bits of its :data:`ABOVE`."""
    table = np.zeros(len(TAG_IDS) + 1, dtype=np.int64)
    for bit, names in enumerate(ABOVE.values()):
        for name in names.split():
            table[TAG_IDS[name]] |= 1 << bit
    return table


def _cumulated(values: Column) -> Float:
    """Return cumulative sums along the last axis, with a 0 before them."""
    sums = np.zeros((*values.shape[:-1], values.shape[-1] + 1), dtype=np.float64)
    np.cumsum(values, axis=-1, out=sums[..., 1:])
    return sums


class Blocks(NamedTuple):
    """The blocks of a page, with all that does not depend on the lexicon."""

    page: Page
    first: Int64
    """First text node of each block."""
    after: Int64
    """Text node after the last one of each block."""
    words: Float
    linked: Float
    """Words in links."""
    characters: Float
    """Visible ones."""
    symbols: Float
    codes: Int
    """Kind of each character of the page."""
    kinds: Float
    """Characters of shape (kinds, blocks)."""
    tags: Int64
    """Tags before each text node."""
    holder: Int
    """Element that holds the first text node of each block."""
    chain: Int64
    """Of shape (LEVELS, blocks): the nearest block-level elements, the root where none is left."""
    bits: Int64
    """The :data:`ABOVE` of each block, a bit each."""
    first_block: Int64
    """First block inside each element."""
    last_block: Int64
    """Block after the last one inside each element."""
    tag_class_key: Int64
    """A number for each element: those of one tag and first class share it."""
    alike: Int64
    """How many children of each element's parent have its key, itself included."""
    classes: bool
    """Whether ``class`` and ``id`` count; else the page is read as if it had none."""

    @classmethod
    def of(cls, page: Page, *, classes: bool = True) -> Blocks:
        """Read the blocks of *page*, which has one at least."""
        first, after = page.blocks.T
        start = page.text_start[first]
        block_of = np.repeat(np.arange(first.size), after - first)
        at = np.append(block_of, first.size)
        holder = page.text_parent[first]
        table = _group_table()
        key = _tag_class_keys(page) if classes else page.tag.astype(np.int64)
        codes = character_table()[np.minimum(code_points(page.buffer), TABLE_SIZE - 1)]
        return cls(
            page,
            first,
            after,
            words=np.add.reduceat(page.words, first).astype(np.float64),
            linked=np.add.reduceat(page.words * page.in_link, first).astype(np.float64),
            characters=np.add.reduceat(page.visible, first).astype(np.float64),
            symbols=np.add.reduceat(page.symbols, first).astype(np.float64),
            codes=codes,
            kinds=_count_kinds(codes, start),
            tags=tag_counts(page),
            holder=holder,
            chain=_chain(page, holder),
            bits=_bits_above(page, table[np.minimum(page.tag, table.size - 1)])[holder],
            first_block=at[page.first_text],
            last_block=np.where(
                page.last_text > page.first_text, at[page.last_text - 1] + 1, at[page.first_text]
            ),
            tag_class_key=key,
            alike=_alike(page, key),
            classes=classes,
        )

    @property
    def size(self) -> int:
        """Number of blocks."""
        return int(self.first.size)

    def inside(self, group: str) -> Bool:
        """Return for each block whether an element of a group of :data:`ABOVE` holds it."""
        return (self.bits >> list(ABOVE).index(group)) & 1 > 0

    def within(self, values: Column) -> Float:
        """Sum by element what is counted a block, along the last axis."""
        sums = _cumulated(values)
        within: Float = sums[..., self.last_block] - sums[..., self.first_block]
        return within


def _count_kinds(codes: Int, start: Int) -> Float:
    """Count the characters of each block by kind; between blocks is white space only."""
    places = np.flatnonzero(codes)
    block = np.searchsorted(start, places, side="right") - 1
    size = len(KINDS)
    keys = block * size + codes[places]
    counts = np.bincount(keys[block >= 0], minlength=start.size * size)
    by_kind: Float = counts.reshape(-1, size).T.astype(np.float64)
    return by_kind


def _chain(page: Page, holder: Int) -> Int64:
    """Return the block-level elements above, by following parents over the others."""
    number = np.arange(page.parent.size)
    above = np.maximum(page.parent, 0)
    nearest = np.where(page.is_block | (page.parent < 0), number, above)
    while not np.array_equal(further := nearest[nearest], nearest):
        nearest = further
    chain = [nearest[holder]]
    for _ in range(LEVELS - 1):
        chain.append(nearest[above[chain[-1]]])
    return np.stack(chain)


def _bits_above(page: Page, bits: Int64) -> Int64:
    """Return for each element the *bits* of it and all above, in steps of twice the distance."""
    above = np.maximum(page.parent, 0)
    for _ in range(int(page.depth.max()).bit_length()):
        bits = bits | bits[above]
        above = above[above]
    return bits


def _tag_class_keys(page: Page) -> Int64:
    """Return a number for each element's tag and first class, its digits dropped."""
    numbers: dict[str, int] = {}
    names = map(first_name, page.strings)
    number = np.array([numbers.setdefault(name, len(numbers)) for name in names])
    return _number_pairs(number[page.class_id], page.tag)


def _number_pairs(one: Int, other: Int) -> Int64:
    """Return a number for each pair, counted from 0: equal pairs have the same."""
    return number_keys(one.astype(np.int64) * (int(other.max()) + 1) + other)


def _alike(page: Page, key: Int64) -> Int64:
    """Return how many children of each element's parent have its *key*."""
    _, which, counts = np.unique(
        _number_pairs(page.parent + 1, key), return_inverse=True, return_counts=True
    )
    alike: Int64 = counts[which]
    return alike


def units_of(b: Blocks) -> tuple[Int32, Int32]:
    """Return for each block how many units are like its own, and how many of them hold a teaser.

    A unit is the nearest of the elements above that has siblings of its make, and like two of them
    at least holds a link; a teaser is a block that is nearly all link. Zeros stand for no unit. The
    second array is the first block in any of these units, the block itself if there are none.
    """
    is_teaser = b.words >= BOUNDS["words of a teaser"]
    is_teaser &= b.linked >= BOUNDS["tenths of a link"] / 10 * b.words
    family = _number_pairs(b.page.parent + 1, b.tag_class_key)
    linked, teasers = b.within(np.stack([b.linked, is_teaser])) > 0
    is_unit = linked & (np.bincount(family, linked)[family] >= 2)
    is_unit[0] = False
    above = is_unit[b.chain]
    inside, number = above.any(axis=0), np.arange(b.size)
    unit = b.chain[above.argmax(axis=0), number]
    own = family[unit]
    counts = np.stack([b.alike[unit], np.bincount(family, teasers)[own]], axis=1)
    first = np.full(family.max() + 1, b.size)
    np.minimum.at(first, own[inside], number[inside])
    return (
        np.where(inside[:, None], counts, 0).astype(np.int32),
        np.where(inside, first[own], number).astype(np.int32),
    )


def plain_columns(blocks: Blocks) -> Columns:
    """Return the features that need no lexicon by name, each an array of a number a block."""
    found: Columns = {}
    for adders in GROUPS.values():
        for add in adders:
            add(found, blocks)
    return found


def lexical_columns(blocks: Blocks, lexicon: Lexicon) -> Columns:
    """Return the features of the words of classes and ids."""
    found: Columns = {}
    _add_attributes(found, blocks, lexicon)
    return found


def _add_text(found: Columns, b: Blocks) -> None:
    words, characters = np.maximum(b.words, 1), np.maximum(b.characters, 1)
    found["words"] = log1p(b.words)
    found["characters"] = log1p(b.characters)
    found["word_length"] = (b.characters - b.symbols) / words
    found["symbol_share"] = b.symbols / characters
    for name, count, share in zip(KINDS[1:], b.kinds[1:], b.kinds[1:] / words, strict=True):
        found[name] = count
        found[f"{name}_share"] = share
    found["last_kind"] = last = _last_kind(b)
    found["is_sentence"] = last == _STOP
    found["link_density"] = b.linked / words
    tags = np.add.reduceat(b.tags, b.first)
    found["tags"] = log1p(tags)
    found["tag_density"] = tags / words


def _last_kind(b: Blocks) -> Int:
    """Return the number in :data:`KINDS` of the last visible character of each block."""
    visible = b.page.stats.visible
    last = np.searchsorted(visible, visible[b.page.text_stop[b.after - 1]]) - 1
    kinds: Int = b.codes[np.maximum(last, 0)]
    return kinds


def _add_above(found: Columns, b: Blocks) -> None:
    bits = (b.bits >> np.arange(len(ABOVE))[:, None]) & 1
    for name, row in zip(ABOVE, bits, strict=True):
        found[f"in_{name}"] = row
    found["own_tag"] = np.minimum(b.page.tag[b.holder], len(TAG_IDS))
    found["depth"] = b.page.depth[b.chain[0]]


FACTS = (
    # Name, and the nearest level that is looked at.
    *(("tag", 0), ("log_words", 1), ("word_share", 1), ("link_density", 0), ("log_blocks", 1)),
    *(("words_per_block", 1), ("stops", 1), ("paragraphs", 2), ("children", 0), ("siblings", 0)),
    *(("media", 2), ("controls", 1), ("headings", 1)),
)


def _add_levels(found: Columns, b: Blocks) -> None:
    """Features of the elements above; all of them first, then those that stand above a block."""
    page = b.page
    paragraphs = np.where(b.inside("p"), b.words - b.linked, 0)
    counts = [b.words, b.linked, found["stops"], paragraphs, b.inside("heading")]
    words, linked, ends, paragraphs, headings = b.within(np.stack(counts))
    some, blocks = np.maximum(words, 1), b.last_block - b.first_block
    media, controls = _elements_within(page, MEDIA), _elements_within(page, CONTROLS)
    rows = [
        np.minimum(page.tag, len(TAG_IDS)),
        log1p(words),
        words / max(b.words.sum(), 1),
        linked / some,
        log1p(blocks),
        log1p(words / np.maximum(blocks, 1)),
        ends / some,
        paragraphs / some,
        log1p(np.bincount(np.maximum(page.parent, 0), minlength=page.parent.size)),
        log(b.alike),
        log1p(media),
        log1p(controls),
        log1p(headings),
    ]
    above = np.stack(rows).astype(np.float32)[:, b.chain]
    for (name, nearest), levels in zip(FACTS, above, strict=True):
        for level in range(nearest, LEVELS):
            found[f"{name}_{level}"] = levels[level]


def _elements_within(page: Page, names: Iterable[str]) -> Float:
    sums = _cumulated(page.has_tag(names))
    within: Float = sums[page.end] - sums[:-1]
    return within


def _add_attributes(found: Columns, b: Blocks, lexicon: Lexicon) -> None:
    """What the words of classes and ids above say, by level and together."""
    page = b.page
    of_string = lexicon.meanings(page.strings if b.classes else [""])
    of_class, of_id = (
        of_string[:, attribute if b.classes else np.zeros_like(attribute)]
        for attribute in (page.class_id, page.id_id)
    )
    least, most = np.minimum(of_class[0], of_id[0]), np.maximum(of_class[1], of_id[1])
    mean = of_class[2] + of_id[2]
    named = of_class[3].astype(np.int64) | of_id[3].astype(np.int64)
    # The elements between the block's text and its nearest block-level element count as the latter.
    own_least = np.minimum(least[b.holder], least[b.chain[0]])
    own_most = np.maximum(most[b.holder], most[b.chain[0]])
    moved = np.diff(b.chain, axis=0, prepend=-1) != 0  # the root does not count again
    rows = np.where(moved, np.stack([least, most, mean])[:, b.chain], 0)
    rows[0, 0], rows[1, 0] = own_least, own_most
    for name, levels in zip(("least", "most", "mean"), rows, strict=True):
        for level, row in enumerate(levels[:4]):
            found[f"attribute_{name}_{level}"] = row
    above = np.maximum(page.parent, 0)
    bounds = np.stack([least, -most])
    for _ in range(int(page.depth.max()).bit_length()):  # in steps of twice the distance
        np.minimum(bounds, bounds[:, above], out=bounds)
        named = named | named[above]
        above = above[above]
    mean = _sums_above(mean, page.parent)
    least, most = bounds[0], -bounds[1]
    beyond = b.chain[3]
    found["attribute_least_beyond"], found["attribute_most_beyond"] = least[beyond], most[beyond]
    found["attribute_least"], found["attribute_most"] = least[b.holder], most[b.holder]
    found["attribute_sum"] = mean[b.holder]
    found["page_attribute_sum"] = np.array(_mean(found["attribute_sum"]))
    found.update(_neighbours("attribute_sum", found["attribute_sum"], OFFSETS))
    flags = (named[b.holder] >> np.arange(len(NAMED))[:, None]) & 1
    for name, row in zip(NAMED, flags, strict=True):
        found[f"named_{name}"] = row


def _sums_above(values: Float, parent: Int) -> Float:
    """Add to each element's value those of all elements above it except the root."""
    sums: list[float] = []
    for value, above in zip(values.tolist(), parent.tolist(), strict=True):
        sums.append(value + sums[above] if above > 0 else value)
    return np.array(sums)


def _mean(values: Column) -> float:
    """Return the mean; numpy's own adds in another order."""
    return float(np.cumsum(values, dtype=np.float64)[-1] / values.size)


def _add_best_container(found: Columns, b: Blocks) -> None:
    """Where a block stands relative to the best element, scored as readability does."""
    page = b.page
    good = (b.words >= BOUNDS["good"]) & (found["link_density"] < 0.4)
    marks = np.minimum(found["commas"] + found["stops"], BOUNDS["marks of a block"])
    worth = np.where(good, np.minimum(b.words, BOUNDS["words of a block"]) + 10 * marks, 0)
    size = page.parent.size
    not_p = found["tag_0"] != TAG_IDS["p"]
    score = np.bincount(b.chain[0], worth * 0.5 * not_p, size)
    score += np.bincount(b.chain[1], worth, size)
    score += np.bincount(b.chain[2], worth * 0.5, size)
    best = int(score.argmax())
    first, last = int(b.first_block[best]), int(b.last_block[best])
    number = np.arange(b.size)
    found["in_best"] = (b.chain[0] >= best) & (b.chain[0] < page.end[best])
    for level in range(3):
        found[f"best_share_{level}"] = score[b.chain[level]] / max(score[best], 1)
    before, behind = np.minimum(number - first, 0), np.maximum(number - last + 1, 0)
    found["best_distance"] = before + behind
    found["best_place"] = (number - first) / max(last - first, 1)
    # Common ancestors: how far up from the best element, and from the block.
    path = [best]
    while path[-1]:
        path.append(int(page.parent[path[-1]]))
    starts = np.array(path[::-1])
    opened = np.searchsorted(starts, b.chain[0], side="right")
    closed = np.searchsorted(-page.end[starts], -b.chain[0], side="left")
    common = np.minimum(opened, closed) - 1
    found["best_up"] = page.depth[best] - common
    found["best_down"] = found["depth"] - common
    found["page_best_share"] = np.array(b.words[first:last].sum() / max(b.words.sum(), 1))


def _add_runs(found: Columns, b: Blocks) -> None:
    """How far a block stands outside the best run of tokens, for two values of a tag."""
    page = b.page
    tokens = (page.words + page.symbols).astype(np.float64)
    for name, tag_score in (("run_long", -1.0), ("run_short", -3.25)):
        start, stop = best_run(tokens, tag_score * b.tags)
        outside = np.minimum(b.first - start, 0) + np.maximum(b.after - stop, 0)
        found[name] = outside / max(page.text_at.size, 1)


def _add_place(found: Columns, b: Blocks) -> None:
    number = np.arange(b.size)
    found["place"] = number / max(b.size - 1, 1)
    found["from_end"] = np.minimum(b.size - 1 - number, BOUNDS["blocks to the end"])
    sums = _cumulated(b.words)
    found["words_before"] = log1p(sums[:-1])
    found["words_after"] = log1p(sums[-1] - sums[1:])
    found["word_place"] = sums[:-1] / max(sums[-1], 1)
    big = (b.words >= BOUNDS["big"]) & (found["link_density"] < 0.3)
    for name, flags in (("big", big), ("heading", b.inside("heading")), ("h1", b.inside("h1"))):
        found[f"since_{name}"], found[f"until_{name}"] = distances(
            flags, BOUNDS["blocks to a landmark"]
        )
    seen = _cumulated(big)
    found["big_before"], found["big_after"] = log1p(seen[:-1]), log1p(seen[-1] - seen[1:])


def distances(flags: Bool, most: int) -> tuple[Int, Int]:
    """Return how far before and behind each place the nearest flag is, *most* if none is near."""
    number = np.arange(flags.size)
    before = np.maximum.accumulate(np.where(flags, number, -most))
    behind = np.minimum.accumulate(np.where(flags, number, flags.size + most)[::-1])[::-1]
    return np.minimum(number - before, most), np.minimum(behind - number, most)


_NEIGHBOUR = ("words", "link_density", "tag_0", "depth")


def _add_neighbours(found: Columns, b: Blocks) -> None:
    for name in _NEIGHBOUR:
        found.update(_neighbours(name, found[name], OFFSETS))


def _neighbours(name: str, values: Column, offsets: tuple[int, ...]) -> Columns:
    """Return what stands so many blocks away, −1 beyond the page."""
    framed = np.full(values.size + 2 * REACH, -1, dtype=np.float32)
    framed[REACH:-REACH] = values
    return {f"{name}[{by:+d}]": framed[REACH + by : REACH + by + values.size] for by in offsets}


def _add_windows(found: Columns, b: Blocks) -> None:
    content = b.words - b.linked
    big = (b.words >= BOUNDS["big in a window"]) & (found["link_density"] < 0.3)
    sums = _cumulated(np.stack([content, b.linked, big, found["is_sentence"]]).astype(np.float64))
    number = np.arange(b.size)
    for radius in RADII:
        low, high = np.maximum(number - radius, 0), np.minimum(number + radius + 1, b.size)
        unlinked, linked, many, ends = sums[:, high] - sums[:, low]
        found[f"unlinked_around_{radius}"] = log1p(unlinked)
        found[f"linked_around_{radius}"] = log1p(linked)
        found[f"big_around_{radius}"] = many / (high - low)
        found[f"sentences_around_{radius}"] = ends / (high - low)
        found[f"unlinked_before_{radius}"] = log1p(sums[0, number] - sums[0, low])
        found[f"unlinked_after_{radius}"] = log1p(sums[0, high] - sums[0, number + 1])


def template_keys(b: Blocks) -> dict[str, Int64]:
    """Return for each block numbers for the tags and first classes of elements above it.

    The nearest three are its *template*, the next three *outer*, all of them its *path*.
    """
    own, above, higher, highest = b.tag_class_key[b.chain[:4]]
    return {
        "template": _number_pairs(_number_pairs(own, above), higher),
        "outer": _number_pairs(_number_pairs(above, higher), highest),
        "path": number_keys(path_numbers(b.tag_class_key, b.page.parent)[b.chain[0]]),
    }


def _add_repetition(found: Columns, b: Blocks) -> None:
    """What the blocks are like that stand in elements of the same tags and first classes."""
    sentences = found["is_sentence"].astype(np.float64)
    log_words = found["words"]
    for name, keys in template_keys(b).items():
        _, which, counts = np.unique(keys, return_inverse=True, return_counts=True)
        words = np.bincount(which, b.words)
        rows = [
            log(counts),
            counts / b.size,
            log1p(words / counts),
            words / max(b.words.sum(), 1),
            np.bincount(which, b.linked) / np.maximum(words, 1),
            np.bincount(which, sentences) / counts,
            np.bincount(which, log_words**2) / counts
            - (np.bincount(which, log_words) / counts) ** 2,
        ]
        facts = ("count", "share", "words", "word_share", "link_density", "sentences", "spread")
        for fact, row in zip(facts, np.stack(rows)[:, which], strict=True):
            found[f"{name}_{fact}"] = row


def _title_overlap(page: Page) -> Float32:
    """Return the share of the page's title that each block is; 0 if it is too long or too short."""
    visible, title = page.per_block(page.visible), page.title.lower()
    overlap = np.zeros(visible.size, dtype=np.float32)
    likely = (page.per_block(page.words) <= TITLE_WORDS) & (visible <= TITLE_CHARACTERS)
    likely &= (visible >= LEAST_SHARE * len(title)) & (visible <= len(title))
    numbers = np.flatnonzero(likely)
    for number, text in zip(numbers, page.lay_out_all(page.blocks[numbers]), strict=True):
        if text.lower() in title:
            overlap[number] = len(text) / len(title)
    return overlap


def _add_texts(found: Columns, b: Blocks) -> None:
    """Which texts occur again, and where the title is."""
    found.update(zip(COPIES, copies(b.page), strict=True))
    found["title_overlap"] = overlap = _title_overlap(b.page)
    best = int(overlap.argmax())
    most = BOUNDS["blocks to the title"]
    near = np.clip(np.arange(b.size) - best, -most, most)
    found["from_title"] = near if overlap[best] > LEAST_OVERLAP else np.array(BOUNDS["no title"])


def _add_page(found: Columns, b: Blocks) -> None:
    page = b.page
    total = max(b.words.sum(), 1)
    big = (b.words >= BOUNDS["big"]) & (found["link_density"] < 0.3)
    facts = {
        "blocks": log(b.size),
        "words": log(total),
        "link_density": b.linked.sum() / total,
        "big": big.sum(),
        "big_share": b.words[big].sum() / total,
        "longest": log1p(b.words.max()),
        "paragraphs": (b.words * found["in_p"]).sum() / total,
        "words_per_block": log1p(total / b.size),
        "sentences": found["is_sentence"].mean(),
        "controls": found["in_button"].mean(),
        "tables": found["in_table"].mean(),
        "items": found["in_item"].mean(),
        "code": found["in_code"].mean(),
        "headings": found["in_heading"].mean(),
        "h1": found["in_h1"].sum(),
        "articles": page.has_tag(("article",)).sum(),
        "mains": page.has_tag(("main",)).sum(),
        "images": log1p(page.has_tag(MEDIA).sum()),
        "plain": (page.class_id == 0).mean() if b.classes else 1.0,
        "strings": log(len(page.strings)) if b.classes else 0.0,
        "money": found["money"].sum(),
        "elements": log(page.tag.size),
        "siblings": _mean(log(b.alike)[b.chain[1]]),
    }
    for name, value in facts.items():
        found[f"page_{name}"] = np.array(float(value))
    found.update({name: np.array(value) for name, value in metadata_features(page).items()})


GROUPS: dict[str, tuple[Callable[[Columns, Blocks], None], ...]] = {
    "text": (_add_text, _add_above),
    "levels": (_add_levels,),
    "best": (_add_best_container, _add_runs),
    "place": (_add_place,),
    "neighbours": (_add_neighbours,),
    "windows": (_add_windows,),
    "repetition": (_add_repetition, _add_texts),
    "page": (_add_page,),
}
"""What adds each group of columns, in their order; those of the lexicon follow."""
