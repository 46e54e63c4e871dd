"""Tells threads from other pages by the units that repeat on them.

The only place where it is decided: the kind of a page, its text and its posts all follow it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from math import exp, log1p
from urllib.parse import urlsplit

import numpy as np
from lxml import etree

from scrapy_boilerplate.core.answer.posts.evidence import PostEvidence
from scrapy_boilerplate.core.answer.posts.units import (
    Units,
    find_units,
    is_named_post,
    name_of,
    share_of,
    spans_of,
)
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page.arrays import Bool, Int

THREAD, SURE = 0.55, 0.9
"""Probability above which a page is a thread, so that hardly any article is called one: if its
posts hold most of what is taken for main content, and whatever that is. Comments always must."""
LEAST_OF_CONTENT = 0.6
"""Share of the words of the main content that is most of it."""

LEAST_ALIKE, LEAST_SHARE = 3, 0.2
"""Siblings of one tag that may be posts without any name, and their share of the page's words that
are no links. On a thread siblings hold as much whatever they are named."""
LEAST_UNMARKED = 5
"""Siblings where the page holds no date and names no author: so few are hardly ever posts."""
LEAST_LISTED = 0.5
"""Share of siblings with a linked heading from which on they are a list of articles."""
MOST_CANDIDATES = 4
"""Groups of siblings that are looked at, those with most words."""
MOST_LOOKED_INTO, MOST_LABELS = 50, 40
"""Units, and blocks of each, in which labels that repeat are looked for."""

_BIG, _NAME, _LABEL = 20, 4, 3
"""Words of a block of running text, of a line that may name an author, and of a button."""

_ADDRESS = re.compile(
    r"\b(?:forums?|threads?|showthread|showtopic|viewtopic|viewthread|topics?|boards?|discussions?|"
    r"discuss|questions|community|talk)\b|/r/\w+/comments/|/t/[^/]+/\d"
)
_OWN_ADDRESS = etree.XPath(
    "//link[@rel='canonical'][1]/@href | //meta[@property='og:url'][1]/@content"
)

WEIGHTS: Mapping[str, tuple[float, float, float, float]] = {
    "units": (1.781, 0.577, 0.130, -0.213),
    "share": (0.660, 0.298, 0.458, -0.222),
    "running_share": (0.731, 0.285, 0.013, -0.497),
    "mean": (4.425, 0.809, -0.803, -0.222),
    "spread": (1.192, 0.656, 0.258, -0.026),
    "linked": (0.221, 0.211, -0.544, -0.516),
    "running": (0.476, 0.297, 0.316, 0.209),
    "pictures": (1.183, 0.983, 0.093, 0.093),
    "dated": (0.417, 0.343, 0.155, 0.408),
    "signed": (0.160, 0.303, 0.762, -0.167),
    "led": (0.389, 0.358, 0.201, 0.136),
    "labelled": (0.406, 0.263, 0.459, 0.071),
    "linked_headings": (0.158, 0.251, 0.244, -0.013),
    "comment": (0.066, 0.247, 0.028, 0.097),
    "post": (0.039, 0.194, 0.040, 0.152),
    "big_before": (0.624, 0.965, 0.106, -0.318),
    "words_before": (1.888, 2.574, -0.285, -0.570),
    "longest_beside": (2.404, 2.063, 0.332, 0.019),
    "beside": (0.148, 0.204, -0.234, 0.351),
    "beside_to_own": (-2.143, 1.855, -0.210, -0.062),
    "titled": (0.450, 0.497, 0.614, 0.124),
    "place": (0.215, 0.222, -0.670, -0.108),
    "place_of_end": (0.847, 0.185, 0.585, -0.018),
}
"""Mean and scale of each measure in training, the weight of what it is then, and of its square."""
BIAS, ADDRESS_WEIGHT, OTHER_ADDRESS = -3.712, 2.5, -0.3
"""What is added to their sum, the weight of an address as forums have, and the share of it that
another address counts. The weight is less than the fitted 3.62, since news have such addresses, too
(``community``, ``topic``): 2 of 17 articles with one are called threads, with 3.62 five."""


def find_thread(evidence: PostEvidence, keep: Bool) -> Units | None:
    """Return the posts of a page if it is a thread.

    Candidates are the units that are named or dated, and siblings alike. A logistic regression
    (``training.threads``) judges each by what it is like and by what else is on the page. Names and
    address are only some of what it weighs. *keep* flags the text nodes that a method takes for
    main content. Linear in the page.

    >>> post = "<div class=post><p class=author>{0}</p><p>May {1}, 2025</p><p>It rained.</div>"
    >>> page = Page.parse("".join(post.format(*each) for each in zip("ABCDEFGH", range(1, 9))))
    >>> posts = find_thread(PostEvidence(page), np.ones(page.text_at.size, dtype=bool))
    >>> posts.elements.size
    8
    """
    page, siblings = evidence.page, evidence.siblings
    several = siblings.held[siblings.size > 1]
    if not (several >= LEAST_SHARE * evidence.running[-1]).any():
        return None  # which is soon known
    best, found, address = THREAD, None, None
    for units in candidates(evidence):
        address = address_evidence(page) if address is None else address
        likely = probability(measure(evidence, units), address)
        if likely > best:
            best, found = likely, units
            if units.is_named:
                break
    if found is None or address is None or (best > SURE and not found.is_comment):
        return found
    kept = page.words * keep
    held = int((kept * found.inside(keep.size)).sum())
    if found.is_comment and address > 0:  # then what they answer is the first post
        held += int(kept[: found.starts[0]].sum())
    return found if held >= LEAST_OF_CONTENT * kept.sum() else None


def probability(measures: Mapping[str, float], address: float) -> float:
    """Return how likely units with these *measures* are the posts of a thread."""
    total = BIAS + ADDRESS_WEIGHT * address
    for name, (mean, scale, linear, square) in WEIGHTS.items():
        value = min(max((measures[name] - mean) / scale, -CLIP), CLIP)
        total += (linear + square * value) * value
    return 1 / (1 + exp(-total))


CLIP = 4.0
"""Scales from the mean beyond which a measure counts no more."""


def address_evidence(page: Page) -> float:
    """Return 1 for an address such as forums have, less than 0 for another, 0 for none."""
    addresses = [page.url] if page.url else [str(each) for each in _OWN_ADDRESS(page.root)]
    if not addresses:
        return 0.0
    return 1.0 if any(map(_is_address_of_thread, addresses)) else OTHER_ADDRESS


def _is_address_of_thread(url: str) -> bool:
    try:
        address = urlsplit(url)
    except ValueError:  # such as a bracket that is not closed
        return False
    return bool(_ADDRESS.search(f"{address.netloc}{address.path}/".lower()))


def candidates(evidence: PostEvidence) -> Iterator[Units]:
    """Yield the units that may be the posts of a thread."""
    page, running, titles = evidence.page, evidence.running, evidence.linked_headings
    named = find_units(evidence)
    if named is not None and named.elements.size > 1:
        yield named
    first, last = page.first_text, page.last_text
    elements, group, size, held = evidence.siblings
    held = np.where(size < (LEAST_ALIKE if evidence.has_marks else LEAST_UNMARKED), 0, held)
    for number in np.argsort(-held, kind="stable")[:MOST_CANDIDATES].tolist():
        if held[number] <= LEAST_SHARE * running[-1]:
            return
        alike = elements[group == number]
        if share_of(titles[last[alike]] > titles[first[alike]]) >= LEAST_LISTED:
            continue  # a list of articles
        yield Units(alike, *spans_of(page, alike), name_of(page, alike))


def measure(evidence: PostEvidence, units: Units) -> dict[str, float]:
    """Return the measures of *units* and of what stands beside them, by name."""
    page, words, running_words = evidence.page, evidence.words, evidence.running
    starts, stops = units.starts, units.stops
    ends = page.end[units.elements]
    dates, authors = evidence.dates, evidence.authors
    in_headings = page.texts_inside(page.has_tag(_HEADINGS))
    headings = cumulative(in_headings & page.in_link)
    pictures = cumulative(page.has_tag(("img",)))
    inside = units.inside(page.text_at.size)

    begin, end = page.blocks.T
    size = words[end] - words[begin]
    is_big = (size >= _BIG) & (running_words[end] - running_words[begin] > 0.5 * size)
    outside = is_big & ~inside[begin]
    before = outside & (begin < starts[0])
    first, last = np.searchsorted(begin, starts), np.searchsorted(begin, stops)
    big = cumulative(is_big)
    is_name = (size <= _NAME) & (size > 0) & ~in_headings[begin]

    total, running = max(1, int(words[-1])), max(1, int(running_words[-1]))
    own = words[stops] - words[starts]
    own_running = int((page.words * (inside & ~page.in_link)).sum())
    out = int(size[outside].sum())
    sizes = np.log1p(own)
    titles = page.first_text[page.has_tag(("h1",)) & (page.last_text > page.first_text)]
    return {
        # The units: how many, how large, how much of the page, how much of them is linked.
        "units": log1p(starts.size),
        "share": float((page.words * inside).sum()) / total,
        "running_share": own_running / running,
        "mean": float(sizes.mean()),
        "spread": float(sizes.std()),
        "linked": float(
            (own - running_words[stops] + running_words[starts]).sum() / max(1, own.sum())
        ),
        "running": share_of(big[last] > big[first]),
        "pictures": log1p(float((pictures[ends] - pictures[units.elements]).mean())),
        # Who wrote them, and when; buttons and labels that each has; whether they are teasers.
        "dated": share_of(dates[stops] > dates[starts]),
        "signed": share_of(authors[ends] > authors[units.elements]),
        "led": share_of(is_name[np.minimum(first, size.size - 1)]),
        "labelled": _labelled(page, size, first, last),
        "linked_headings": share_of(headings[stops] > headings[starts]),
        # Names of classes and ids.
        "comment": float(units.is_comment),
        "post": float(is_named_post(units.name)),
        # What is beside them: an article, a title.
        "big_before": log1p(int(before.sum())),
        "words_before": log1p(int(size[before].sum())),
        "longest_beside": log1p(int(size[outside].max(initial=0))),
        "beside": out / running,
        "beside_to_own": float(np.log((out + _BIG) / (own_running + _BIG))),
        "titled": float(bool(titles.size) and bool(titles[0] < starts[0])),
        "place": float(starts[0]) / page.text_at.size,
        "place_of_end": float(words[stops.max()]) / total,
    }


_HEADINGS = ("h1", "h2", "h3", "h4")


def _labelled(page: Page, size: Int, first: Int, last: Int) -> float:
    """Return the share of units that have the short text that most of them have."""
    found: Counter[str] = Counter()
    looked_into = min(first.size, MOST_LOOKED_INTO)
    for start, stop in zip(first[:looked_into].tolist(), last[:looked_into].tolist(), strict=True):
        stop = min(stop, start + MOST_LABELS)
        short = np.flatnonzero((size[start:stop] > 0) & (size[start:stop] <= _LABEL)) + start
        spans = page.blocks[short].tolist()
        texts = {page.buffer[page.text_start[a] : page.text_stop[b - 1]] for a, b in spans}
        found.update({text.strip().casefold() for text in texts if not text.strip().isdecimal()})
    return max(found.values(), default=0) / looked_into
