"""Tells threads from other pages by the units that repeat on them.

The only place where it is decided: the kind of a page, its text and its posts all follow it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from math import inf, log1p

import numpy as np

from scrapy_boilerplate.core.answer.posts.signed import find_signed
from scrapy_boilerplate.core.answer.posts.unit_signs import LEAST_SHARE, PostEvidence
from scrapy_boilerplate.core.answer.posts.units import (
    ANSWER,
    BELOW,
    LEAST_DATED,
    Units,
    are_no_posts,
    begin_as_most,
    divided,
    find_units,
    name_of,
    share_dated,
    share_of,
    with_answers,
)
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page._text_native import Phrases
from scrapy_boilerplate.core.page.addresses import parts_of
from scrapy_boilerplate.core.page.arrays import Bool, Int

SURE_THREAD = 2.2
"""Log-odds above which a page is a thread whatever is taken for main content. Above 0 its posts
must hold most of that, so that hardly any article is called one; comments always must."""
LEAST_OF_CONTENT = 0.6  # share of the words of the main content that is most of it

LEAST_ALIKE = 3  # siblings of one tag that may be posts without any name
LEAST_SIGNED = 0.8  # share of texts that lines divide which must say by whom they are
SIGNED = re.compile(
    # Words begin with a letter after the signs, so that no sign is both.
    r"(?i)\W*(?:\w\S*\s(?:\S+\s){,3}?)??(?:by|from|author|von|de|par|от)\b:?\s+\w"
)
LEAST_LISTED = 0.5
"""Share of siblings with a linked heading from which on they are a list of articles."""
MOST_CANDIDATES = 4  # groups of siblings that are looked at, those with most words
MOST_LOOKED_INTO, MOST_LABELS = 50, 40
"""Units, and texts of each, in which labels that repeat are looked for."""

_BIG, _LABEL, _TITLE, _ARTICLE = 20, 3, 4, 60
"""Words of a block of running text, of a button, of a link that may be a title, of an article."""

_MANY = 30  # units on from which their number says no more, where no text stands before them

_NUMBER = re.compile(r"\d+")
_ADDRESS = re.compile(
    r"\b(?:forums?|threads?|showthread|showtopic|viewtopic|viewthread|boards?|discussions?|"
    r"discuss|questions|community|talk)\b|\btopics?\b.{,100}?\d|/r/\w+/comments/|/t/[^/]+/\d|"
    # Trackers, where the number ends the address.
    r"\b(?:issues?|pull|pulls|merge_requests|tickets?|\+?bugs?)/(?:\w+/)?\d+/*\Z|"
    r"\b(?:show_bug|bugreport)\.cgi\b|/browse/[a-z][a-z\d]+-\d+/*\Z"
)
_MAY_BE_ADDRESS = Phrases(
    "forum thread topic board discuss question community talk /r/ /t/ issue pull merge_requests "
    "ticket bug /browse/".split()
)  # one of these is in each
_REPORT = re.compile(
    r"(?i)\b(?:bug|issue|ticket|(?:pull|merge) request)\s#?\d+\b|(#\d+\b|\[[a-z]\w*-\d+\])"
)  # what titles and headlines of reports say; numbers alone, where names say the rest
_TRACKER = re.compile(r"(?i)(?<![a-z])(?:issue|bug|ticket)(?:comment|\b|_)")

_QUERY = re.compile(r"(?:^|[&;])(?:topic|thread|threadid|tid)=\d")

REPLIES = re.compile(
    r"comment|repl|answer|respon|journal|change|note|antwort|respuesta|risposta|resposta",
    re.IGNORECASE,
)
"""Names of units that answer to what stands before them."""

WEIGHTS: Mapping[str, tuple[float, float, float, float]] = {
    "units": (2.136, 0.766, 0.319, -0.322),
    "running_share": (0.617, 0.298, 0.971, 0.178),
    "mean": (4.093, 0.926, -0.627, -0.164),
    "spread": (0.894, 0.589, 0.311, 0.014),
    "linked": (0.189, 0.218, -0.219, -0.286),
    "running": (0.507, 0.359, 0.504, 0.155),
    "titles": (0.433, 0.370, -0.401, -0.083),
    "pictures": (0.748, 0.797, 0.040, 0.068),
    "dated": (0.392, 0.407, 0.127, 0.470),
    "labels": (0.659, 0.840, 1.035, -0.141),
    "alike": (0.743, 0.270, 0.288, -0.274),
    "nested": (0.047, 0.107, -0.330, 0.109),
    "comment": (0.126, 0.332, 0.068, 0.152),
    "post": (0.072, 0.258, 0.057, 0.190),
    "big_before": (1.017, 1.099, -0.156, -0.321),
    "words_before": (2.990, 2.782, -0.175, -0.337),
    "longest_beside": (3.180, 1.872, 0.003, 0.235),
    "beside_to_own": (-1.432, 1.894, -0.433, -0.237),
}  # mean and scale of each measure in training, the weight of what it is then, and of its square
THREAD_BIAS, ADDRESS_WEIGHT, OTHER_ADDRESS = -3.865, 2.5, -0.3
"""What is added to their sum, the weight of an address as forums have (2.27 if fitted, which finds
fewer posts on hosts left out), and the share of it that another address counts."""
PAGE_WEIGHT, USUAL = 0.6, -2.8
"""The weight of what the whole page says, as log-odds, and the log-odds that say nothing."""


def find_thread(
    evidence: PostEvidence, keep: Bool, whole_page: float = USUAL, *, is_thread: bool = False
) -> Units | None:
    # A logistic regression (`training.threads`) judges units named, dated or alike.
    page, siblings = evidence.page, evidence.siblings
    signed = find_signed(evidence) if may_be_signed(page) else None
    if signed is not None and _hold_most(evidence, keep, signed):
        return signed
    if whole_page == -inf and not is_thread:
        return None
    several = siblings.held[siblings.size > 1]
    is_one = not (several >= LEAST_SHARE * evidence.running[-1]).any()
    is_one = is_one and not evidence.beside_dates.size
    if is_one and not any(map(ANSWER.search, page.strings)):
        return None  # which is soon known
    best, found, address = -inf, None, address_evidence(page)
    for units in candidates(evidence):
        if are_no_posts(evidence, units):
            continue
        odds = log_odds(measure(evidence, units), address)
        if odds > best:
            best, found = odds, units
            if units.is_named and odds > 0 and units.name != BELOW:
                break
    if (
        found is not None
        and not is_thread
        and address <= 0
        and (_follow_article(evidence, found) or _are_unmarked(evidence, found))
    ):
        return None
    best += PAGE_WEIGHT * (whole_page - USUAL)
    if found is None or is_thread or (best > SURE_THREAD and not found.is_comment):
        return found
    if best <= 0:
        return None
    answers = bool(REPLIES.search(found.name) and address > 0)
    return found if _hold_most(evidence, keep, found, answers=answers) else None


def _hold_most(evidence: PostEvidence, keep: Bool, units: Units, *, answers: bool = False) -> bool:
    """Return whether units, and the first post that they answer, hold most of the content."""
    kept = evidence.page.words * keep
    held = int((kept * units.inside(keep.size)).sum())
    held += int(kept[: units.starts[0]].sum()) if answers else 0
    return bool(held >= LEAST_OF_CONTENT * kept.sum())


def may_be_signed(page: Page) -> bool:
    """Tell at no cost whether posts may only be signed: their answers are definitions."""
    return "dd" in page.tag_names


def log_odds(measures: Mapping[str, float], address: float) -> float:
    total = THREAD_BIAS + ADDRESS_WEIGHT * address
    for name, (mean, scale, linear, square) in WEIGHTS.items():
        value = min(max((measures[name] - mean) / scale, -CLIP), CLIP)
        total += (linear + square * value) * value
    return total


CLIP = 4.0  # scales from the mean beyond which a measure counts no more


def address_evidence(page: Page) -> float:
    """Return 1 for an address such as forums have, less than 0 for another."""
    # Without one it is 1 for the headline of a tracker's report, else 0.
    addresses = page.addresses
    if not addresses:
        return float(_is_report(page))
    parts = map(parts_of, dict.fromkeys(addresses))
    said = [(f"{each.netloc}{each.path}/".lower(), each.query) for each in parts]
    is_thread = any(
        (_MAY_BE_ADDRESS.groups_in(path) and _ADDRESS.search(path)) or _QUERY.search(query)
        for path, query in said
    )
    return 1.0 if is_thread else OTHER_ADDRESS


def _is_report(page: Page) -> bool:
    title = page.title
    if "h1" in page.tag_names:
        title += "\n" + page.said_by(int(page.has_tag(("h1",)).argmax()))
    found = _REPORT.findall(title) if _NUMBER.search(title) else []
    return bool(found) and ("" in found or any(map(_TRACKER.search, page.strings)))


def candidates(evidence: PostEvidence) -> Iterator[Units]:
    page, running, titles = evidence.page, evidence.running, evidence.linked_headings
    dates = evidence.dates
    yield from _divided(evidence)
    named = [units for units in find_units(evidence) if units.elements.size > 1]
    comments = next((units for units in named if _are_dated_comments(evidence, units)), None)
    in_comments = None
    if comments is not None:
        in_comments = cumulative(page.words * comments.inside(page.text_at.size))
    for units in named:
        if units is comments or not _one_holds(evidence, units, in_comments):
            yield units
    first, last = page.first_text, page.last_text
    elements, group, size, held = evidence.siblings
    held = np.where(size < LEAST_ALIKE, 0, held)
    answers: set[int] = set()
    for number in np.argsort(-held, kind="stable")[:MOST_CANDIDATES].tolist():
        if held[number] <= LEAST_SHARE * running[-1]:
            return
        alike = elements[group == number]
        if share_of(titles[last[alike]] > titles[first[alike]]) >= LEAST_LISTED:
            continue  # a list of articles
        most, dated = begin_as_most(page, alike), dates[last[alike]] > dates[first[alike]]
        if int(alike[0]) in answers or np.count_nonzero(most) == 1:
            continue  # or they are different parts of a page
        if share_of(dated) >= LEAST_DATED:
            alike = alike[most | dated]  # without advertisements between posts
        units = with_answers(evidence, Units.of(page, alike, name_of(page, alike)))
        answers.update(units.elements.tolist())
        if not _one_holds(evidence, units, in_comments):
            yield units


def _are_dated_comments(evidence: PostEvidence, units: Units) -> bool:
    return units.is_comment and share_dated(evidence, units) >= LEAST_SIGNED


def _one_holds(evidence: PostEvidence, units: Units, in_comments: Int | None) -> bool:
    """Return whether one of *units* is what holds all comments, so that another is an article.

    *in_comments* is the sum of the words of comments before each text node, if there are some.
    """
    if in_comments is None:
        return False
    own = evidence.words[units.stops] - evidence.words[units.starts]
    held = in_comments[units.stops] - in_comments[units.starts]
    return np.count_nonzero(held) == 1 and bool((held >= LEAST_SIGNED * own)[held > 0].all())


def _divided(evidence: PostEvidence) -> Iterator[Units]:
    """Yield what stands side by side, as a line that says when and by whom begins each."""
    page, beside = evidence.page, evidence.beside_dates
    for units in divided(evidence, beside, BELOW) if beside.size else ():
        spans = zip(units.starts.tolist(), units.stops.tolist(), strict=True)
        ends = np.searchsorted(page.first_text, units.stops)
        signed = evidence.authors[ends] > evidence.authors[units.elements]
        lines = (page.lay_out(start, min(stop, start + MOST_LABELS)) for start, stop in spans)
        said = np.fromiter(map(bool, map(SIGNED.match, lines)), bool)
        if share_of(signed | said) >= LEAST_SIGNED:
            yield units


def measure(evidence: PostEvidence, units: Units) -> dict[str, float]:
    """Return the measures of *units* and of what stands beside them, by name."""
    page, words, running_words = evidence.page, evidence.words, evidence.running
    starts, elements, dates = units.starts, units.elements, evidence.dates
    # A unit's own text ends where the first unit inside of it begins.
    stops = np.minimum(units.stops, np.append(starts[1:], page.text_at.size))
    ends = np.minimum(page.end[elements], np.append(elements[1:], page.tag.size))
    pictures = cumulative(page.has_tag(("img",)))
    titles = cumulative(page.in_link & (page.words >= _TITLE))
    inside = units.inside(page.text_at.size)

    begin, end = page.blocks.T
    size = words[end] - words[begin]
    is_big = (size >= _BIG) & (running_words[end] - running_words[begin] > 0.5 * size)
    outside = is_big & ~inside[begin]
    before = outside & (begin < starts[0])
    big, places = cumulative(is_big), np.stack([starts, stops])
    first, last = np.searchsorted(begin, places)

    own = words[stops] - words[starts]
    linked = own - (running_words[stops] - running_words[starts])
    own_running = int((page.words * (inside & ~page.in_link)).sum())
    out, sizes = int(size[outside].sum()), np.log1p(own)
    return {
        # The units: how many, how large, how much of the page, how much of them is linked.
        "units": log1p(starts.size if before.any() else min(starts.size, _MANY)),
        "running_share": own_running / max(1, int(running_words[-1])),
        "mean": float(sizes.mean()),
        "spread": float(sizes.std()),
        "linked": float(linked.sum() / max(1, own.sum())),
        "running": share_of(big[last] > big[first]),
        "titles": share_of(titles[stops] > titles[starts]),
        "pictures": log1p(float((pictures[ends] - pictures[elements]).mean())),
        # When they were written, what each has, whether they begin alike and answer each other.
        "dated": share_of(dates[stops] > dates[starts]),
        "labels": log1p(_labels(page, starts, stops)),
        "alike": (np.count_nonzero(begin_as_most(page, elements)) - 1) / max(1, starts.size - 1),
        "nested": share_of(stops < units.stops),
        # Names of classes and ids.
        "comment": float(units.is_comment),
        "post": float(units.is_post),
        # What is beside them, such as an article.
        "big_before": log1p(int(before.sum())),
        "words_before": log1p(int(size[before].sum())),
        "longest_beside": log1p(int(size[outside].max(initial=0))),
        "beside_to_own": float(np.log((out + _BIG) / (own_running + _BIG))),
    }


def _follow_article(evidence: PostEvidence, units: Units) -> bool:
    """Return whether comments stand behind an article with its headline, and none is like it."""
    page = evidence.page
    articles = (page.has_tag(("article",)) & (page.last_text <= units.starts[0])).nonzero()[0]
    if not (units.is_comment and articles.size == 1):
        return False
    first, last = page.first_text[articles], page.last_text[articles]
    said = evidence.running[last] - evidence.running[first]
    heads = page.count_below(page.has_tag(("h1",)))[articles]
    return bool(((heads > 0) & (said >= _ARTICLE)).all())


def _are_unmarked(evidence: PostEvidence, units: Units) -> bool:
    """Return whether nothing says what units are, or when most were written: a talk, a manual."""
    is_dated = share_dated(evidence, units) >= LEAST_DATED
    return not (is_dated or units.is_named or units.is_numbered or units.is_declared)


def _labels(page: Page, starts: Int, stops: Int) -> int:
    """Return how many short texts half of the units have, such as "Reply" and "3 days ago"."""
    found: Counter[str] = Counter()
    size = min(starts.size, MOST_LOOKED_INTO)
    stops = np.minimum(stops, starts + MOST_LABELS)
    is_short = (page.words > 0) & (page.words <= _LABEL)
    for start, stop in zip(starts[:size].tolist(), stops[:size].tolist(), strict=True):
        nodes = is_short[start:stop].nonzero()[0] + start
        texts = (_NUMBER.sub("0", text).strip().casefold() for text in page.texts(nodes))
        found.update(set(texts) - {"0"})
    return sum(count >= 0.5 * size for count in found.values())
