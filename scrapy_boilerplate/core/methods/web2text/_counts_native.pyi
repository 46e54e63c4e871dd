"""The loop of :mod:`scrapy_boilerplate.core.methods.web2text.counts` over characters."""

import re
from collections.abc import Callable, Collection

import numpy as np
from numpy.typing import NDArray

class Counter:
    """Counts what *flags* of characters and *stop_words* say in the text nodes of a page."""

    def __init__(
        self,
        flags: NDArray[np.uint16],
        classes: NDArray[np.uint8],
        stop_words: Collection[str],
        is_email: Callable[[str, int], re.Match[str] | None],
        is_url: Callable[[str, int], re.Match[str] | None],
    ) -> None: ...
    def count(
        self,
        text: str,
        lowered: str,
        starts: NDArray[np.int32],
        stops: NDArray[np.int32],
    ) -> tuple[NDArray[np.int64], NDArray[np.uint16]]:
        """Return a row of each count, and the flags of the last visible character by then."""
