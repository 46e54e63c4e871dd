"""The loops of sketching a page: over the texts of its blocks, and over its named elements."""

import numpy as np
from numpy.typing import NDArray

def text_hashes(
    text: str, starts: NDArray[np.int32], stops: NDArray[np.int32]
) -> NDArray[np.uint32]:
    """Return for each slice the checksum of its words in lower case, one space between them."""

def titled(
    text: str,
    starts: NDArray[np.int32],
    stops: NDArray[np.int32],
    visible: NDArray[np.int64],
    title: str,
    letters: int,
    folded: NDArray[np.uint32],
) -> NDArray[np.bool_]:
    """Tell of each slice whether it is a good part of *title*, which has so many *letters*."""

def teasers(
    blocks: NDArray[np.int64],
    visible: NDArray[np.int64],
    in_link: NDArray[np.uint8],
    in_heading: NDArray[np.uint8],
    is_titled: NDArray[np.uint8],
    is_link: NDArray[np.uint8],
    first_text: NDArray[np.int32],
    last_text: NDArray[np.int32],
    most_links: int,
) -> NDArray[np.bool_]:
    """Tell of each block whether all of it is a link, or the heading above it."""

def by_selector(
    found: NDArray[np.int64], kind: NDArray[np.int64], own: list[tuple[int, ...]]
) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.int64], NDArray[np.bool_]]:
    """Return each of *found* once for each of its kind's *own* hashes, with hash and number."""

def side_by_side(
    elements: NDArray[np.int64],
    hashes: NDArray[np.uint32],
    words: NDArray[np.int64],
    end: NDArray[np.int32],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each hash the row of its heaviest element, and how many stand side by side."""
