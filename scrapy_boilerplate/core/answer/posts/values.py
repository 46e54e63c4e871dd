"""A comment on an article, or a post of a thread."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Post:
    """A reader's text: a comment on an article, or a post of a thread."""

    author: str
    """Name of who wrote it; empty if it is not known."""
    date: str
    """ISO 8601 where the date can be read, else as the page has it, such as ``3 days ago``; empty
    if it is not known."""
    text: str
    """What was written, laid out for a reader."""
    depth: int
    """Number of posts that it answers inside of each other: 0 if it answers none."""
    xpath: str
    """Absolute XPath of the element that holds it."""
