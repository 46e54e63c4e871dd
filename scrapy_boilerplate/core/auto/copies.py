"""Finds texts that stand on a page more than once: quoted posts, slides, menus for small screens.

People who mark the content of a page usually mark such a text once, where it stands first.
"""

from __future__ import annotations

from scrapy_boilerplate.core.auto._copies_native import copies as _copies
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Float32
from scrapy_boilerplate.core.page.text import class_table

COPIES = (
    # Blocks of the same text before and behind, as log(1 + n) …
    *("copies_before", "copies_after"),
    # … how many blocks away the next of them is, −1 if there is none …
    *("since_copy", "until_copy"),
    # … blocks that begin alike …
    *("starts_before", "starts_after"),
    # … and the share of a block's phrases that blocks before or behind it have, too; −1 for none.
    *("phrases_before", "phrases_after"),
)
"""Names of the columns of :func:`copies`."""

START = 20
"""Visible characters in which blocks that begin alike agree."""
PHRASE = 4
"""Words of a phrase."""
FARTHEST = 200
"""Blocks that a copy may be away."""


def copies(page: Page) -> Float32:
    """Return the :data:`COPIES` of the blocks of *page*, a row each.

    White space does not count; words are those of
    :func:`~scrapy_boilerplate.core.page.text.count_slices`.

    >>> quoted = Page.parse("<p>How do I join a road?<p>Hi.<blockquote>How do I join a road?")
    >>> found = dict(zip(COPIES, copies(quoted).tolist()))
    >>> found["since_copy"], found["until_copy"], found["phrases_before"]
    ([-1.0, -1.0, 2.0], [2.0, -1.0, -1.0], [0.0, -1.0, 1.0])
    """
    first, after = page.blocks.T
    starts, stops = page.text_start[first], page.text_stop[after - 1]
    limits = START, PHRASE, FARTHEST
    return _copies(page.buffer, class_table(), starts, stops, limits)
