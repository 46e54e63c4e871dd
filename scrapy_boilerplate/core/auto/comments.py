"""Finds comments, which are no part of an article, and the posts of a thread."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.core.answer.posts import find_comments, find_posts, has_address_of_thread
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page.arrays import Bool

_LEAST_OF_BLOCK = 0.5
"""Share of a block's words in a post from which on it belongs to the post."""


def in_comments(page: Page, keep: Bool) -> Bool:
    """Return for each block whether it stands in a comment on an article.

    *keep* tells for each block whether it is kept: a page that has hardly any text but the comments
    is a thread, and so has none.
    """
    inside = cumulative(find_comments(page, _by_text(page, keep)))
    first, stop = page.blocks[:, 0], page.blocks[:, 1]
    flags: Bool = inside[stop] - inside[first] == stop - first
    return flags


def in_posts(page: Page, keep: Bool) -> Bool | None:
    """Return for each block whether it is written in a post; ``None`` if this is surely no thread.

    *keep* tells for each block whether it is kept.
    """
    if not has_address_of_thread(page):  # of most pages nothing else need be known
        return None
    inside = find_posts(page, _by_text(page, keep))
    if inside is None:
        return None
    said = page.per_block(page.words * inside)
    flags: Bool = (said > 0) & (said >= _LEAST_OF_BLOCK * page.per_block(page.words))
    return flags


def _by_text(page: Page, keep: Bool) -> Bool:
    """Return for each text node what *keep* says of its block."""
    return np.repeat(keep, np.diff(page.blocks, axis=1)[:, 0])
