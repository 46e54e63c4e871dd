"""The loops of :mod:`.web2text.features` and of the collapsed DOM."""

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page import Page

class Features:
    """The features of a page's text nodes and of neighbouring ones."""

    @property
    def arguments(self) -> NDArray[np.float64]:
        """What logarithms are taken of, by leaf and then by node; the last one is the root."""

    def __init__(
        self,
        page: Page,
        counted: NDArray[np.int64],
        endings: NDArray[np.uint16],
        kinds: NDArray[np.int32],
    ) -> None: ...
    def blocks(self, some: slice) -> NDArray[np.float32]:
        """Return the features of *some* text nodes, a row each."""

    def edges(self, some: slice) -> NDArray[np.float32]:
        """Return the features of *some* text nodes and the next one each, a row each."""
