"""The loops of :mod:`.text` and `reading` over the characters of a text."""

import numpy as np
from numpy.typing import NDArray

def counts(
    text: str,
    table: NDArray[np.uint8],
    starts: NDArray[np.int32],
    stops: NDArray[np.int32],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return words, symbols and visible characters of each slice, as rows."""

def holds_any(text: str, table: NDArray[np.uint8]) -> bool:
    """Tell whether *table* has a flag for a character; it has one for each lowest 16 bits.

    It flags no visible character of ASCII, nor line feeds and tabs.
    """

def readable(
    text: str, fates: NDArray[np.uint8], joined: NDArray[np.uint32]
) -> tuple[str, NDArray[np.int64]]:
    """Return the readable characters of a text, and where those stand that are none."""

def find_end(text: str) -> int:
    """Return where the first ``</html`` begins, however it is spelt; −1 without one."""

def loses_end_tags(text: str) -> bool:
    """Tell whether libxml2 passes over an end tag at which the HTML standard ends an element.

    So it does where a ``div`` is open in a list, a quotation, code or the like.
    """

def look(text: str) -> tuple[int, int, int, int, int]:
    """Return how many characters are visible, beyond ASCII, damaged, of Latin-1, above U+2E7F."""

def beyond_ascii(text: str, most: int) -> str:
    """Return the first characters above U+007F, at most so many."""

def sentence_marks(text: str, table: NDArray[np.uint8]) -> list[int]:
    """Return the places where a sentence may end; *table* tells marks by their lowest 16 bits."""
