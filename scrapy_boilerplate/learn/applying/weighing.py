"""What a site's model says of each block of a page, and the choice of blocks that follows from it.

A method with probabilities adds the model's log-odds to its own (``Extractor.weigh``). Of another
one a block is kept if content is likelier than not, given whether the method kept it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.core.page.arrays import Bool, Int, in_spans
from scrapy_boilerplate.learn.applying.guards import (
    is_headline,
    keep_bylines,
    keep_opening,
    keep_wholes,
    not_grown,
    not_halved,
)
from scrapy_boilerplate.learn.applying.locating import Place
from scrapy_boilerplate.learn.facts import BOILERPLATE, CONTENT, MANY_ARTICLES, TITLE, SiteFacts
from scrapy_boilerplate.learn.paths import fold
from scrapy_boilerplate.learn.selectors import find_nodes
from scrapy_boilerplate.learn.template import FAIRLY_SURE, SinglePageResult, TemplateView

INSIDE, CONTENT_PATH = "inside", "content path"
MISSED = "inside, where the method kept little"
AFTER = "after the end of the article"
BOILERPLATE_PATH = "boilerplate template path"
REPEATS = "repeats on other pages of the site"


class Weight(NamedTuple):
    """Log-odds of content of a block to which a site's model gives some relation."""

    beside: float  # beside those of a method that has probabilities
    kept: float  # if a method without probabilities has kept the block …
    left: float  # … and if it has left it out


# Fitted by ``python -m training.site_evidence``, but for "inside" and "lead" beside probabilities,
# which are chosen by word F1 over hosts, and for the last four. Few sites of the training have
# pages without an article: so sure must a method be of one to keep it on such a page. A lead, what
# the method kept before the container, mostly stays: on most hosts word F1 is better with it.
WEIGHTS = {
    INSIDE: Weight(0.4, 1.1, -0.2),
    MISSED: Weight(0.4, 0.7, 0.6),
    CONTENT_PATH: Weight(1.4, 2.3, 1.5),
    "title": Weight(2.0, 1.8, 1.7),
    "lead": Weight(0.5, -1.1, -1.1),
    "outside": Weight(-2.2, -3.5, -4.7),
    AFTER: Weight(-1.5, -3.8, -3.6),
    BOILERPLATE_PATH: Weight(-0.6, -1.6, -1.3),
    REPEATS: Weight(-2.3, -2.8, -2.5),
    "absent": Weight(-8.0, -8.0, -8.0),
    "archive": Weight(-8.0, -8.0, -8.0),
    "list": Weight(-6.0, -6.0, -6.0),
    "untitled": Weight(-6.0, -6.0, -6.0),
}
"""Log-odds of content, by what the site's model says of a block."""

_NUMBER = {relation: number for number, relation in enumerate(WEIGHTS)}
_BESIDE, _KEPT, _LEFT = np.array([*WEIGHTS.values()]).T
_MOST_TRUST, _HALF_TRUST = 1.5, 3  # beside probabilities: few articles tell less of the others
_FITS = 0.6, 0.85  # agreement of a container with what is kept: nothing outside goes, all may
_FEW = 0.2  # of the container's text that was kept: then the method has missed the article

_IN_ARTICLE = np.array(
    [name in (INSIDE, MISSED, CONTENT_PATH, "title", "lead") for name in WEIGHTS]
)
_NO_ARTICLE = {
    "absent": "the page has no container of the site",
    "archive": "{} occurs several times: a page of lists",
    "list": "what stands in {} points to other pages",
    "untitled": "the page has no title where the site's articles have theirs",
}
_SAID = {"outside": "outside the site's container", "title": "the article's title"}
_REASONS = tuple(
    _SAID.get(name, "" if _IN_ARTICLE[number] else name) for name, number in _NUMBER.items()
)


@dataclass(slots=True)
class SiteEvidence:
    """What a site's model says of each block of a page."""

    view: TemplateView
    """The page's view, which does not hold the page: evidence lives as long as its page."""
    place: Place
    relation: NDArray[np.int8] = field(init=False)  # of each block, its number in WEIGHTS
    title: int = -1  # block of the article's title
    is_article: bool = True  # whether the site says so, rather than only not that it is none

    @property
    def in_article(self) -> Bool:
        """Whether each block is part of the article, by what the model says alone."""
        return _IN_ARTICLE[self.relation]

    def reasons(self) -> tuple[str, ...]:
        """Say for each relation why a block is dropped, or that it is the title; else empty."""
        if self.place.kind == "article":
            return _REASONS
        why = _NO_ARTICLE[self.place.kind].format(self.place.container.name)
        return (f"no article: {why}",) * len(_REASONS)


def gather(place: Place, view: TemplateView, alone: SinglePageResult) -> SiteEvidence:
    """Return what the model says of each block; the same of all if the page is no article."""
    facts, flags, kind, _, first, last = place
    found, blocks = SiteEvidence(view, place), len(view.page.blocks)
    outside = _NUMBER["outside" if kind == "article" else kind]
    relation = found.relation = np.full(blocks, outside, dtype=np.int8)
    if kind != "article":
        return found
    if place.is_manual:  # all that stands in it, whatever was learned
        facts, flags = SiteFacts(facts.site, rule=facts.rule), np.zeros_like(flags)
    end = _manual_end(facts, view, first, last)
    relation[first:end], relation[end:last] = _NUMBER[INSIDE], _NUMBER[AFTER]
    if not place.is_manual:
        headlines = view.matches_title[:first].nonzero()[0]
        lead = slice(int(headlines[-1]) if headlines.size else 0, first)
        relation[lead][alone.own_words[lead] > 0] = _NUMBER["lead"]
    inside = found.in_article
    relation[inside & (flags & BOILERPLATE > 0)] = _NUMBER[BOILERPLATE_PATH]
    may_repeat = found.in_article & (view.words > 0)
    may_repeat[:first] |= alone.kept_words[:first] > 0
    repeated = _repeated(facts.repeats, view, alone, may_repeat.nonzero()[0])
    relation[repeated] = _NUMBER[REPEATS]
    is_content = (flags & CONTENT > 0) & found.in_article
    is_content &= ~view.is_teaser | alone.kept_blocks  # a path alone adds nothing that links away
    relation[first:last][is_content[first:last]] = _NUMBER[CONTENT_PATH]
    titles = flags & TITLE > 0
    for selector in facts.rule.titles:
        ranges = view.block_ranges(find_nodes(view.page, selector))
        titles |= in_spans(ranges, blocks)
    within = ((titles & found.in_article)[first:last]).nonzero()[0]
    before = titles[:first].nonzero()[0]  # the nearest one before the container
    if not within.size and before.size and not view.matches_title[before[-1]]:
        # Where other pages have theirs stands the name of a chapter, say.
        within = ((view.matches_title & found.in_article)[first:last]).nonzero()[0]
    if within.size or before.size:
        found.title = first + int(within[0]) if within.size else int(before[-1])
        relation[found.title] = _NUMBER["title"]
    article, words = found.in_article, view.words
    total, own = words[article].sum(), words[article & ~view.is_teaser].sum()
    is_text = place.has_title or 2 * own >= total  # rather than links that a method leaves out
    if is_text and alone.kept_words[article].sum() < _FEW * total:
        relation[relation == _NUMBER[INSIDE]] = _NUMBER[MISSED]
    return found


def _manual_end(facts: SiteFacts, view: TemplateView, first: int, last: int) -> int:
    """Return the block before which the article ends in the container's [first, last)."""
    page, ends = view.page, [last]
    starts = page.text_at[page.blocks[:, 0]]
    for selector in facts.rule.end_markers:  # one may hold no text: what starts after it goes
        at = np.searchsorted(starts, find_nodes(page, selector), side="right").tolist()
        ends += [block for block in at if first < block < last]
    return min(ends)


def _repeated(
    repeats: frozenset[int], view: TemplateView, alone: SinglePageResult, region: Int
) -> Int:
    """Return the blocks of *region* whose texts repeat on the site, but for most of its text."""
    # Most of a page's text is its own, which somebody has put on other pages.
    if not repeats:
        return region[:0]
    texts, paths = view.texts(region).astype(np.uint64), view.paths[region].astype(np.uint64)
    hashes = fold(paths << np.uint64(32) | texts)
    repeated = region[[number in repeats for number in hashes.tolist()]]
    own = alone.own_words
    return repeated if 2 * own[repeated].sum() <= own[region].sum() else region[:0]


def choose(
    found: SiteEvidence, alone: SinglePageResult, extractor: Extractor
) -> tuple[Bool, float | None]:
    """Return the text nodes to keep by what the method and the site say, and the confidence."""
    page, kept = found.view.page, alone.kept_blocks
    scores, confidence = alone.extraction.block_scores, alone.extraction.confidence
    relation = found.relation
    if found.place.is_manual:
        chosen, kept = found.in_article, np.zeros_like(kept)
    elif scores is not None and extractor.weighs:
        facts = found.place.facts
        is_agreed = found.place.kind != "article" and alone.is_list
        few = _MOST_TRUST * facts.articles / (facts.articles + _HALF_TRUST)
        evidence = _BESIDE[relation] * (_MOST_TRUST if is_agreed else few)
        if found.place.kind == "article":  # a container that seldom fits tells little
            container = found.place.container
            fit = container.score / max(1, min(container.pages, facts.articles))
            evidence[relation == _NUMBER["outside"]] *= np.interp(fit, _FITS, (0.0, 1.0))
        weighed = extractor.weigh(page, scores.astype(np.float64), kept, evidence)
        adds_link = found.view.is_teaser & ~kept & (relation != _NUMBER["title"])
        chosen = weighed.keep & ~adds_link
        confidence = confidence if page.garbled else weighed.confidence
    else:
        chosen = np.where(kept, _KEPT[relation], _LEFT[relation]) >= 0
    if found.place.kind == "article" and not found.place.is_manual:
        chosen = _guarded(found, alone, chosen)
    elif page.source:
        chosen = chosen | (alone.kept_blocks & is_headline(found.view))
    return page.per_text(chosen) & (alone.kept | page.per_text(~kept)), confidence


def _guarded(found: SiteEvidence, alone: SinglePageResult, chosen: Bool) -> Bool:
    """Return the *chosen* blocks with what no evidence takes from the method's own answer."""
    view, kept, repeated = found.view, alone.kept_blocks, found.relation == _NUMBER[REPEATS]
    place, facts, has_words = found.place, found.place.facts, view.words > 0
    inner = slice(place.first, place.last)
    chosen[inner] = np.where(has_words[inner], chosen[inner], kept[inner])
    if found.title in (-1, int((kept & has_words).argmax())) and np.array_equal(chosen, kept):
        return chosen
    if (alone.extraction.confidence or 0.0) >= FAIRLY_SURE and facts.articles < MANY_ARTICLES:
        chosen = not_grown(view.words, chosen, kept, found.title)
    chosen = keep_bylines(view, chosen, kept, found.title)
    chosen = keep_opening(view, chosen, kept, repeated, place.first, found.title)
    of_paths = chosen | (found.relation == _NUMBER[BOILERPLATE_PATH])
    whole = kept if alone.is_sure else kept & of_paths
    chosen = not_halved(view.words, chosen, whole, repeated)
    return keep_wholes(view, chosen, kept)
