"""Loops over a page's elements, of which children come after their parents."""

import numpy as np
from numpy.typing import NDArray

def number_keys(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return a number for each key, counted from 0: equal ones have the same."""

def path_numbers(own: NDArray[np.int64], parent: NDArray[np.int32]) -> NDArray[np.int64]:
    """Number the paths of elements: equal numbers on the whole way give equal paths."""

def names_of(tag: NDArray[np.int32], names: list[str]) -> set[str]:
    """Return the names of the tags that elements have."""

def is_coherent(
    mass: NDArray[np.int64],
    text_parent: NDArray[np.int32],
    parent: NDArray[np.int32],
    share: float,
) -> NDArray[np.bool_]:
    """Tell of each element whether none of its children has more energy than itself."""

def count_above(flags: NDArray[np.uint8], end: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return for each element how many of *flags* it and its ancestors have."""

def bits_above(bits: NDArray[np.uint32], parent: NDArray[np.int32]) -> NDArray[np.uint32]:
    """Return for each element the *bits* that it or an ancestor has."""

def outermost(
    flags: NDArray[np.uint8],
    end: NDArray[np.int32],
    first_text: NDArray[np.int32],
    last_text: NDArray[np.int32],
    size: int,
) -> NDArray[np.int32]:
    """Return the outermost element with one of *flags* around each of *size* text nodes, or -1."""

def without_texts(
    buffer: str, starts: NDArray[np.int32], stops: NDArray[np.int32], keep: NDArray[np.uint8]
) -> tuple[str, NDArray[np.int32]]:
    """Return *buffer* without the texts that are not kept, and how far each of the others moves."""

def keep_texts(
    elements: NDArray[np.int32],
    texts: NDArray[np.int32],
    keep: NDArray[np.uint8],
    shift: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the rows of elements and of the kept texts, each moved by one of *shift*."""

def pass_up(
    elements: NDArray[np.int64], parent: NDArray[np.int32], values: NDArray[np.int32]
) -> None:
    """Lower the value of the parent of each of *elements* to its own, the last ones first."""

def holders(
    at: NDArray[np.int32], parent: NDArray[np.int32], is_block: NDArray[np.uint8], depth: int
) -> NDArray[np.int64]:
    """Return the nearest block-level element above each of *at*, at most *depth* above it."""

def path_hashes(
    elements: NDArray[np.int64],
    parent: NDArray[np.int32],
    kind: NDArray[np.int64],
    values: NDArray[np.uint64],
    powers: NDArray[np.uint64],
) -> NDArray[np.uint32]:
    """Return a hash of the labels of each element and its nearest ancestors, without the root."""

def count_inside(
    bits: NDArray[np.uint32],
    groups: int,
    tag: NDArray[np.int32],
    end: NDArray[np.int32],
    elements: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Count the elements of each group of tags, a bit each, inside each of ascending *elements*."""
