"""When what was learned of a site is used, and what counts as evidence."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FREEZE_PAGES", "LearningOptions"]

FREEZE_PAGES = 20
"""Pages from which on a site is learned, unless said otherwise."""


@dataclass(frozen=True, slots=True)
class LearningOptions:
    """When a site's model is used, and what counts as evidence.

    The values are round numbers that hold for all the development sites together; none is tuned
    to a site.
    """

    min_pages: int = 2
    """Pages from which on a model is used; pages without its container fall back."""
    safe_pages: int = 8
    """Pages from which on a model may answer that a page has no article."""
    freeze_pages: int = FREEZE_PAGES
    """Pages from which on a site is learned; also the most that are remembered of it."""
    coverage: float = 0.85
    """Share of the pages that must have the container, or be lists, for a safe model."""
    min_words: int = 50
    """Words of good text that a page must have to vote, about 300 characters."""
    repeated_share: float = 0.25
    """Share of the pages on which a text must stand in a trusted template path to be a repeat;
    elsewhere two pages are enough."""
    near_duplicate: float = 0.6
    """Shared part of two pages' text, of that of both, from which on only one of them counts."""
    trust: float = 0.5
    """Kept share of a template path's text above which the template path is content."""
    distrust: float = 0.1
    """Kept share of a template path's text below which the template path is boilerplate."""
    purity: float = 0.7
    """Kept share of the containers' text above which the containers hold little but articles. Then
    every template path inside of which some text was kept is content, but for those that mostly
    repeat or point elsewhere."""
    tolerance: float = 0.15
    """By how much a container may be worse than the best and still win, being more specific."""
    min_agreement: float = 0.6
    """Mean agreement (F1) of a container with the kept text that it needs."""
    template_share: float = 2 / 3
    """Share of the pages with text enough that must have one of the containers; below it the pages
    have no template in common, and nothing is learned."""
    max_disagreement: float = 1 / 3
    """Share of pages on which a model may disagree with the single-page method (F1 below one
    half) before it loses its vote."""
    drift_pages: int = 50
    """Pages after which a learned site is checked, again and again."""
    drift_share: float = 1 / 3
    """By how much the share of pages without container may rise before the site is learned anew."""

    def __post_init__(self) -> None:
        if not 2 <= self.min_pages <= self.safe_pages <= self.freeze_pages:
            raise ValueError("min_pages, safe_pages and freeze_pages must ascend, from 2")
        shares = "coverage repeated_share near_duplicate trust distrust purity template_share"
        for name in shares.split():
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must be a share, in [0, 1]")
