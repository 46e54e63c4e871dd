"""Options of learning: the evidence that counts, and when a site's model is used."""

from __future__ import annotations

from dataclasses import dataclass

FREEZE_PAGES = 20
"""Default number of pages from which a site is learned."""


@dataclass(frozen=True, slots=True)
class LearningOptions:
    """Options: when a site's model is used, and the evidence that counts.

    The values are round numbers for all development sites together; none is tuned to one site.
    """

    min_pages: int = 2
    """Pages from which a model is used. Pages without its container fall back to the single-page
    method."""
    safe_pages: int = 8
    """Pages from which a model may answer that a page has no article."""
    freeze_pages: int = FREEZE_PAGES
    """Pages from which a site is learned; also the most that are remembered."""
    coverage: float = 0.85
    """Share of the pages that must have the container or be lists for the model to be safe."""
    min_words: int = 50
    """Words of good text that a page must have to vote, about 300 characters."""
    repeated_share: float = 0.25
    """Share of the pages on which a text must stand in a trusted template path to be a repeat;
    elsewhere two pages are enough."""
    near_duplicate: float = 0.6
    """Share of two pages' text that they have in common, from which only one of them counts."""
    trust: float = 0.5
    """Kept share of a template path's text above which the template path is content."""
    distrust: float = 0.1
    """Kept share of a template path's text below which the template path is boilerplate."""
    purity: float = 0.7
    """Kept share of the containers' text above which the containers hold little but articles. Then
    every template path inside with some kept text is content, except those that mostly repeat or
    point elsewhere."""
    tolerance: float = 0.15
    """How much worse than the best a more specific container may be and still win."""
    min_agreement: float = 0.6
    """Mean agreement (F1) with the kept text that a container needs."""
    template_share: float = 2 / 3
    """Share of the pages with enough text that must have one of the containers. Below it the pages
    have no template in common, and nothing is learned."""
    max_disagreement: float = 1 / 3
    """Share of pages on which a model may disagree with the single-page method (F1 below one
    half) before it loses its vote."""
    drift_pages: int = 50
    """Pages between two checks of a learned site."""
    drift_share: float = 1 / 3
    """How much the share of pages without a container may rise before the site is learned again."""

    def __post_init__(self) -> None:
        if not 2 <= self.min_pages <= self.safe_pages <= self.freeze_pages:
            raise ValueError(
                "min_pages, safe_pages and freeze_pages must ascend, and start at 2 or more"
            )
        shares = "coverage repeated_share near_duplicate trust distrust purity template_share"
        for name in shares.split():
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must be a share in [0, 1]")
