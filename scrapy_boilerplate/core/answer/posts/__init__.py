"""The comments on an article and the posts of a thread."""

from __future__ import annotations

from scrapy_boilerplate.core.answer.posts.discussion import (
    Discussion,
    are_comments_alone,
    find_comments,
    find_posts,
    read_discussion,
)
from scrapy_boilerplate.core.answer.posts.threads import (
    USUAL,
    may_be_signed,
)
from scrapy_boilerplate.core.answer.posts.units import may_have_comments
from scrapy_boilerplate.core.answer.posts.values import Post

__all__ = [
    "USUAL",
    "Discussion",
    "Post",
    "are_comments_alone",
    "find_comments",
    "find_posts",
    "may_be_signed",
    "may_have_comments",
    "read_discussion",
]
