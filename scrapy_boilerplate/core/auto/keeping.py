"""Chooses the blocks of a page that are kept, by the model's probabilities."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from scrapy_boilerplate.core.auto._features_native import Features
from scrapy_boilerplate.core.auto.answers import BETA, FEW_WORDS, choose_blocks
from scrapy_boilerplate.core.auto.comments import in_comments, in_posts
from scrapy_boilerplate.core.auto.ends import after_the_end
from scrapy_boilerplate.core.auto.features import ABOVE
from scrapy_boilerplate.core.auto.lexicon import NAMED
from scrapy_boilerplate.core.auto.wholes import complete
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Bool, Float, Int

Favor: TypeAlias = Literal["balanced", "precision", "recall"]

_FOOTER = 1 << list(ABOVE).index("footer")
_COMMENT, _FOOT = (1 << list(NAMED).index(name) for name in ("comment", "foot"))


class Kept(NamedTuple):
    """The kept blocks, with the reasons."""

    keep: Bool
    chosen: Bool
    """What goes together by the model."""
    behind: Bool
    """What stands after the end."""
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
) -> Kept:
    """Return what is kept of *page*; *content* is the probability of each block."""
    answer = choose_blocks(content, features.words, BETA[favor])
    behind = after_the_end(page, answer.keep, features.words, features.surroundings.units)
    chosen = keep = _beside_text(page, features, answer.keep & ~behind)
    if favor != "precision":
        keep = complete(page, chosen, content) & ~behind
    posts = in_posts(page, keep) if keep.any() else None
    if posts is not None:
        keep = posts
    elif not comments and in_named_comment(features.named[keep]).any():
        keep = keep & ~in_comments(page, keep)
    return Kept(keep, chosen, behind, posts is not None, answer.expected)


def in_named_comment(named: Int) -> Bool:
    """Return for each block whether it stands in something that is *named* a comment."""
    flags: Bool = named & _COMMENT > 0
    return flags


def _beside_text(page: Page, features: Features, keep: Bool) -> Bool:
    """Leave out the links and the footer of a snippet, of which other text is kept.

    So few words tell no menu, and no line of copyright.
    """
    if page.words.sum() >= FEW_WORDS:
        return keep
    beside = keep & (page.per_block(page.words * ~page.in_link) > 0)
    keep = beside if beside.any() else keep
    below = ((features.bits & _FOOTER) | (features.named & _FOOT)) > 0
    if not below.any():
        return keep
    above = keep & ~below
    return above if features.words[above].sum() > features.words[keep].sum() / 2 else keep
