"""Chooses the blocks of a page that are kept, by the model's probabilities."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from scrapy_boilerplate.core.answer.posts import USUAL, find_comments, find_posts
from scrapy_boilerplate.core.auto._features_native import ABOVE, Features
from scrapy_boilerplate.core.auto.answers import BETA, FEW_WORDS, choose_blocks
from scrapy_boilerplate.core.auto.ends import LEAST_UNITS, after_the_end
from scrapy_boilerplate.core.auto.lexicon import NAMED
from scrapy_boilerplate.core.auto.opening import add_opening, drop_labels
from scrapy_boilerplate.core.auto.wholes import complete
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page.arrays import Bool, Float, Int

Favor: TypeAlias = Literal["balanced", "precision", "recall"]

_LEAST_OF_BLOCK = 0.5
"""Share of a block's words in a post from which on it belongs to the post."""

_FOOTER = 1 << list(ABOVE).index("footer")
_COMMENT, _FOOT = (1 << list(NAMED).index(name) for name in ("comment", "foot"))


class Kept(NamedTuple):
    """The kept blocks, with the reasons."""

    keep: Bool
    chosen: Bool
    """What goes together by the model."""
    behind: Bool | None
    """What stands after the end; ``None`` for nothing."""
    is_thread: bool
    expected: float
    """Expected F1 of what the model would keep, not calibrated."""


def keep_blocks(
    page: Page,
    features: Features,
    content: Float,
    favor: Favor = "balanced",
    *,
    comments: bool = False,
    thread: float | None = USUAL,
) -> Kept:
    """Return what is kept of *page*.

    *content* is the probability of each block, *thread* the log-odds that the page is one, ``None``
    where posts are not looked for.
    """
    answer = choose_blocks(content, features.words, BETA[favor])
    chosen, behind = answer.keep, None
    alike, *_ = features.look(chosen)
    if alike >= LEAST_UNITS:
        behind = after_the_end(page, chosen, features.words, features.surroundings.units)
        chosen = chosen & ~behind
    chosen = keep = _beside_text(page, features, chosen)
    if favor != "precision":
        keep = complete(page, chosen, content)
        keep = add_opening(page, features, keep if behind is None else keep & ~behind, content)
    *_, has_short, _ = features.look(keep)
    keep = drop_labels(page, features.words, keep) if has_short else keep
    posts = None
    if thread is not None and np.count_nonzero(keep):
        posts = _in_posts(page, keep, thread)
    if posts is not None:
        keep = posts
    elif not comments and features.look(keep)[4] & _COMMENT:
        keep = keep & ~_in_comments(page, keep)
    return Kept(keep, chosen, behind, posts is not None, answer.expected)


def _in_posts(page: Page, keep: Bool, thread: float) -> Bool | None:
    """Return for each block whether it is written in a post; ``None`` if this is no thread."""
    inside = find_posts(page, _by_text(page, keep), thread)
    if inside is None:
        return None
    said = page.per_block(page.words * inside)
    flags: Bool = (said > 0) & (said >= _LEAST_OF_BLOCK * page.per_block(page.words))
    return flags


def _in_comments(page: Page, keep: Bool) -> Bool:
    """Return for each block whether it stands in a comment on an article."""
    inside = cumulative(find_comments(page, _by_text(page, keep)))
    first, stop = page.blocks.T
    flags: Bool = inside[stop] - inside[first] == stop - first
    return flags


def _by_text(page: Page, keep: Bool) -> Bool:
    """Return for each text node what *keep* says of its block."""
    return np.repeat(keep, np.diff(page.blocks, axis=1)[:, 0])


def in_named_comment(named: Int) -> Bool:
    """Return for each block whether it stands in something that is *named* a comment."""
    flags: Bool = named & _COMMENT > 0
    return flags


def _beside_text(page: Page, features: Features, keep: Bool) -> Bool:
    """Leave out the links and the footer of a snippet, of which other text is kept.

    So few words tell no menu, and no line of copyright.
    """
    if features.total >= FEW_WORDS:
        return keep
    beside = keep & (page.per_block(page.words * ~page.in_link) > 0)
    keep = beside if beside.any() else keep
    below = ((features.bits & _FOOTER) | (features.named & _FOOT)) > 0
    if not below.any():
        return keep
    above = keep & ~below
    return above if features.words[above].sum() > features.words[keep].sum() / 2 else keep
