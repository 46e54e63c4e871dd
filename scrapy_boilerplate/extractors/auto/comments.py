"""Readers' comments below an article, which the model often takes for content."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.page import Page, cumulative
from scrapy_boilerplate.posts import find_comments

__all__ = ["in_comments"]


def in_comments(page: Page, keep: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return for each block whether it stands in a comment on an article.

    *keep* tells for each block whether it is kept: a page that has hardly any text but the comments
    is a thread, and so has none.
    """
    kept = np.repeat(keep, np.diff(page.blocks, axis=1)[:, 0])
    inside = cumulative(find_comments(page, kept))
    first, stop = page.blocks[:, 0], page.blocks[:, 1]
    flags: NDArray[np.bool_] = inside[stop] - inside[first] == stop - first
    return flags
