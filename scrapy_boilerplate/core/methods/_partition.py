"""Pages as coherent texts: what `energy` and `links` share."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Bool, Int64


def partition(page: Page, coherent: Bool) -> tuple[Int64, Int64]:
    """Return the spans of the outermost *coherent* elements and of all texts outside of them.

    With them come the elements, −1 for a text outside.
    """
    around = page.outermost(coherent)
    opens = np.append(True, (around[1:] != around[:-1]) | (around[1:] < 0))
    starts = np.flatnonzero(opens)
    spans = np.stack([starts, np.append(starts[1:], around.size)], axis=1)
    return spans, around[starts].astype(np.int64)
