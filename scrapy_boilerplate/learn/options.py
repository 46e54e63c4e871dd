"""Options of learning: how much evidence is enough, and when a site's model is used."""

from __future__ import annotations

from dataclasses import dataclass

FREEZE_PAGES = 20  # default number of pages from which a site is learned


@dataclass(frozen=True, slots=True)
class LearningOptions:
    """Options: how much evidence is enough, and when a site's model is used.

    The values are round numbers for all development sites together; none is tuned to one site.
    """

    min_pages: int = 2
    """Pages from which a model is used. Pages without its container fall back to the single-page
    method."""
    safe_pages: int = 8
    """Pages from which a model may answer that a page has no article."""
    freeze_pages: int = FREEZE_PAGES
    """Pages from which a site is learned; also the maximum that is remembered."""
    coverage: float = 0.85
    """Share of the pages that must have the container or be lists for the model to be safe."""
    min_words: int = 50
    """Words of good text that a page must have to vote, about 300 characters."""
    template_share: float = 2 / 3
    """Share of the pages with enough text that must have one of the containers. Below it the pages
    have no template in common, and nothing is learned."""
    drift_pages: int = 50
    """Pages between two checks of a learned site."""

    def __post_init__(self) -> None:
        if not 2 <= self.min_pages <= self.safe_pages <= self.freeze_pages:
            raise ValueError(
                "min_pages, safe_pages and freeze_pages must ascend, and start at 2 or more"
            )
        for name in ("coverage", "template_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must be a share in [0, 1]")
