"""Evidence of a site, in log-odds, which a method that judges blocks adds to its own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.methods.base import Extractor
from scrapy_boilerplate.core.page.arrays import Bool
from scrapy_boilerplate.learn.applying.part import AFTER, BOILERPLATE_PATH, REPEATS, Part
from scrapy_boilerplate.learn.applying.single_page import SinglePageResult

# Fitted by ``python -m training.site_evidence``, but for the last five. Few sites of the training
# have pages without an article: so sure must a method be of one to keep it on such a page.
WEIGHTS = {
    "inside": 0.7,
    "content path": 1.4,
    "title": 2.0,
    "lead": 0.0,
    "outside": -2.2,
    AFTER: -1.5,
    BOILERPLATE_PATH: -0.6,
    REPEATS: -2.3,
    "absent": -8.0,
    "archive": -8.0,
    "list": -6.0,
    "untitled": -6.0,
    "by hand": -30.0,
}
"""Log-odds of content, by what the site's model says of a block."""

_NUMBER = {relation: number for number, relation in enumerate(WEIGHTS)}
_VALUES = np.array([*WEIGHTS.values()])


def weigh(part: Part, alone: SinglePageResult, extractor: Extractor) -> Bool | None:
    """Return the blocks to keep by what the method and the site say of each.

    ``None`` if the method does not weigh evidence, or a person says what the article is.
    """
    scores = alone.extraction.block_scores
    if scores is None or part.by_hand or not extractor.weighs:
        return None
    page = part.page
    kept = page.per_block(page.words * alone.kept) > 0
    return extractor.weigh(page, scores.astype(np.float64), kept, _VALUES[relations(part)])


def relations(part: Part) -> NDArray[np.int8]:
    """Return for each block the number, in :data:`WEIGHTS`, of what the site's model says of it."""
    if part.place.kind != "article":
        return np.full(part.inside.size, _NUMBER[part.place.kind], dtype=np.int8)
    found = np.where(part.inside, _NUMBER["inside"], _NUMBER["outside"]).astype(np.int8)
    for blocks, reason in part.dropped:
        found[blocks] = _NUMBER.get(reason, _NUMBER["by hand"])
    found[part.inside & part.forced] = _NUMBER["content path"]
    before = found[: part.place.first]
    before[part.inside[: part.place.first]] = _NUMBER["lead"]
    if part.title >= 0:
        found[part.title] = _NUMBER["title"]
    return found
