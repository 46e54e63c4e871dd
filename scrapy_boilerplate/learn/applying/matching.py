"""Matches a page against the site's templates."""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple

import numpy as np

from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page.arrays import Int, Int64, in_spans
from scrapy_boilerplate.learn.applying.locating import Place, locate, nowhere
from scrapy_boilerplate.learn.applying.weighing import SiteEvidence, gather
from scrapy_boilerplate.learn.facts import (
    CONTENT,
    MANY_ARTICLES,
    TITLE,
    SiteFacts,
)
from scrapy_boilerplate.learn.paths import own_tag
from scrapy_boilerplate.learn.template import SURE, SinglePageResult, TemplateView, view_of

_FEW_ARTICLES = 3  # fewer do not show that their container is that of other pages, too
_LEAST_ARTICLES = 5  # from which on pages that the method takes for lists have no article …
_LEAST_IF_POINTING = 2  # … and where most of the answer points elsewhere
_FRAME_SHARE = 0.1  # of a template's frame that a page has at least …
_FRAME_PATHS = 2  # … and template paths, if the frame has so many
_BARE = 0.5  # of the words that a page needs to vote, below which it says nothing
_LEAST_POSTS = 3  # with a text, that make a page of posts …
_POSTS_WITH_TEXT, _POSTS_OF_TEXT = 2 / 3, 0.9  # … share of its headlines, and of its words


class Reading(NamedTuple):
    """A page as the facts of its site see it."""

    place: Place | None  # of the article, if the page has one of the known templates
    evidence: SiteEvidence | None  # of each block, if the model says anything


def read_page(facts: SiteFacts, page: Page, alone: SinglePageResult) -> Reading:
    """Find the page's template among those of the site, and what it says of each block; once."""
    if not page.text_at.size or not facts.has_container:
        return Reading(None, None)
    view, keep, kind = view_of(page), alone.extraction.recorded(page).keep, alone.extraction.kind
    known = view.read
    if not known or known[0] is not facts or known[1] is not keep or known[2] != kind:
        view.read = known = facts, keep, kind, _reading(facts, view, alone)
    return known[3]


def _reading(facts: SiteFacts, view: TemplateView, alone: SinglePageResult) -> Reading:
    place = _template(facts, view, alone)
    if place is None and alone.is_guess and not resembles(facts, view):
        return Reading(None, None)  # nothing is known of such pages
    if _is_list(facts, place, alone):
        listed = place or nowhere(facts, view)
        if listed.kind != "archive":
            listed = listed._replace(kind="list")
        return Reading(place, gather(listed, view, alone))
    if place is None:
        absent = nowhere(facts, view)
        empty = facts.safe and _is_no_article(absent, facts, view, alone)
        if facts.articles >= _FEW_ARTICLES:
            empty |= alone.is_given_up or _is_other_page(absent, view, alone)
        return Reading(None, gather(absent, view, alone) if empty else None)
    is_article, is_other = place.kind == "article", place.kind in ("list", "untitled")
    if place.kind == "archive" and not _is_archive(place, facts, view, alone):
        return Reading(place, None)
    if is_other and not (facts.safe and _is_no_article(place, facts, view, alone)):
        place = place._replace(kind="article")
    found = gather(place, view, alone)
    found.is_article = is_article
    return Reading(place, found)


def _is_list(facts: SiteFacts, place: Place | None, alone: SinglePageResult) -> bool:
    """Return whether the method sees a list, or links; the articles' text or title is lacking."""
    own, pointing = int(alone.own_words.sum()), alone.pointing_words
    is_titled, points = place is not None and place.has_title, pointing > own
    is_elsewhere = place is None or (place.kind == "archive" and not is_titled)
    is_believed = (alone.extraction.confidence or 0.0) >= SURE
    is_links = is_elsewhere and not is_believed and own < facts.min_words <= pointing
    if facts.rule.containers or not (alone.is_list or is_links):
        return False
    least = _LEAST_IF_POINTING if points else _LEAST_ARTICLES
    if facts.articles < (least if alone.is_list else _FEW_ARTICLES):
        return False
    if own < facts.min_words:
        is_short = own > 0 and own + pointing < facts.min_words
        return not (is_short and is_titled)
    return place is not None and points and facts.titled and not is_titled


def _template(facts: SiteFacts, view: TemplateView, alone: SinglePageResult) -> Place | None:
    """Return what the first template says that the page has, if the method does not object."""
    for each in (facts, *facts.also):
        place = locate(each, view, alone.own_words)
        if place.kind != "absent" and not _is_doubtful(place, view, alone):
            return place
    return None


def _is_doubtful(place: Place, view: TemplateView, alone: SinglePageResult) -> bool:
    """Return whether the method found the article elsewhere, and is believed."""
    facts = place.facts
    if place.is_manual or not own_tag(place.container.name):
        return False  # a person's selector
    if not _has_frame(facts, view):
        return True
    own = alone.own_words
    ranges: Int64 | list[tuple[int, int]] = [(place.first, place.last)]
    if place.kind == "archive":
        ranges = view.block_ranges(view.find(place.container.name))
    total, outside = int(own.sum()), own * ~in_spans(ranges, own.size)
    if 2 * int(outside.sum()) <= total:
        return False
    if facts.articles < _FEW_ARTICLES:
        return True
    if total < facts.min_words:
        return False
    if place.kind != "article" or (facts.articles >= MANY_ARTICLES and not facts.elsewhere):
        return True
    # It may be wrong where other pages have text, too, such as comments.
    known = np.isin(view.paths, [*chain.from_iterable(facts.frames)])
    return 2 * int(outside[~known].sum()) > total


def _is_no_article(
    place: Place, site: SiteFacts, view: TemplateView, alone: SinglePageResult
) -> bool:
    """Return whether a page that does not have the article's container has no article."""
    facts, kind = place.facts, place.kind
    if facts.rule.containers and not facts.is_learned:
        return True
    has_title = ((place.flags & TITLE > 0) & view.matches_title).any()
    is_own = (place.flags & CONTENT).any() or (alone.is_guess and not alone.pointing_words)
    if kind == "absent" and has_title and is_own:
        return False
    is_list = alone.looks_like_list(facts.min_words)
    is_other = alone.extraction.kind == "thread" and facts.titled and not facts.threads
    if is_other and resembles(site, view) and not place.has_title:
        return True
    if not is_list and kind == "absent":
        return _is_other_page(place, view, alone)
    is_proven = resembles(site, view)
    if kind == "untitled" and alone.extraction.confidence is not None:
        return is_proven and is_list  # a method with probabilities sees text of the page's own
    if kind != "absent":
        return is_proven
    if alone.is_list or alone.extraction.kind == "empty":
        return is_proven or not alone.has_text(facts.min_words)
    is_short = int(alone.own_words.sum()) < facts.min_words
    is_untitled = facts.complete and bool(facts.titles) and not place.has_title
    return is_proven and (is_short or is_untitled)


def _is_archive(place: Place, site: SiteFacts, view: TemplateView, alone: SinglePageResult) -> bool:
    """Return whether a page with several containers is no article; sure text stands in several."""
    if not alone.is_sure:
        is_known = place.facts.articles >= _FEW_ARTICLES and alone.extraction.confidence is not None
        return site.safe or is_known
    before = cumulative(alone.kept_words)
    first, after = view.page.blocks_in(view.find(place.container.name))
    is_outer = np.append(True, first[1:] >= np.maximum.accumulate(after)[:-1])
    return site.safe and int(((before[after] > before[first]) & is_outer).sum()) > 1


def _is_other_page(place: Place, view: TemplateView, alone: SinglePageResult) -> bool:
    """Return whether a page of the frame, without container and title, shows no text of its own."""
    facts, texts = place.facts, alone.own_words
    if not (facts.complete and facts.titled and _has_frame(facts, view)) or place.has_title:
        return False
    is_bare = int(texts.sum()) + alone.pointing_words < _BARE * facts.min_words
    return is_bare or _shows_posts(view, texts)


def _shows_posts(view: TemplateView, texts: Int) -> bool:
    """Return whether the *texts* stand below several headlines of one path that link elsewhere."""
    before, paths = cumulative(texts), view.paths
    linked = (view.is_linked & (view.words > 0)).nonzero()[0]
    names, times = np.unique(paths[linked], return_counts=True)
    for name in names[times >= _LEAST_POSTS].tolist():
        posts = np.diff(before[np.append(linked[paths[linked] == name], texts.size)])
        is_usual = (posts > 0).sum() >= max(_LEAST_POSTS, _POSTS_WITH_TEXT * posts.size)
        if is_usual and posts.sum() >= _POSTS_OF_TEXT * before[-1]:
            return True
    return False


def resembles(facts: SiteFacts, view: TemplateView) -> bool:
    """Return whether a page has a frame of one of the site's templates."""
    return any(_has_frame(each, view) for each in (facts, *facts.also))


def _has_frame(facts: SiteFacts, view: TemplateView) -> bool:
    if not facts.frames:  # a model of an older version, or a rule
        return True
    return any(
        len(frame & view.path_set) >= max(_FRAME_SHARE * len(frame), min(_FRAME_PATHS, len(frame)))
        for frame in facts.frames
    )
