"""How title, authors and dates are chosen: the candidate with the most that speaks for it.

Each text on a page that may be a value is a candidate with facts: where it stands, how it is
labelled, what it looks like. A fact has a weight, and the candidate with the highest sum is the
page's value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import exp
from typing import Any, NamedTuple, TypeAlias, TypeVar

from scrapy_boilerplate.core.answer.metadata.labels import Label

WEIGHTS: Mapping[str, Mapping[str, float]] = {
    "date": {
        "declared": 100.0,
        "order": -1.0,  # for each declaration before it
        "time": 2.0,
        "class": 1.0,
        "text": -2.0,
        "microdata": 2.0,
        "rdfa": 2.0,
        "title": 1.0,
        "url": 3.0,
        "label": 3.0,
        "change": 9.0,  # a line that says when, mostly at the foot of the page
        "next to title": 4.0,
        "near title": 3.0,
        "far": -3.0,
        "before title": -3.0,
        "short": 1.0,
        "long": -2.0,
        "only day": 3.0,  # of all that a reader sees
        "same day in address": 4.0,
        "beside": -5.0,  # in an aside, in what is named so
        "one of a list": -12.0,
        "of a teaser": -8.0,  # below a heading that is a link
    },
    "author": {
        "declared person": 100.0,
        "declared unseen": 5.0,  # in "meta", and not next to the title
        "declared one word": 50.0,
        "declared login": 8.5,  # such as "ada-lovelace"
        "declared organisation": 4.0,  # or the site
        "order": -0.1,
        "rel=author": 5.0,
        "link": 7.5,  # to the page of an author
        "class": 4.0,
        "by-line": 7.0,
        "before date": -1.0,
        "organisation": -5.0,
        "login": -0.5,
        "one word": -1.1,
        "next to title": 3.0,
        "near title": 2.0,
        "far": -1.0,
        "before title": -2.0,
        "in comments": -9.0,
        "beside": -3.5,
        "one of a list": -7.0,
        "of a teaser": -8.0,
    },
}
"""What speaks for a candidate, and what against it: round numbers. ``python -m training.fields``
measures them on pages whose declarations are hidden, beside weights that are fitted on others."""
TRUST: Mapping[str, tuple[float, float, float]] = {
    "title": (-0.3, 0.82, 0.0),
    "author": (0.64, 0.21, 0.52),
    "published": (1.53, 0.07, 0.66),
    "updated": (0.14, 0.43, 0.0),
}
"""The log-odds that a value is right: at first, for each point that it is ahead of others, and for
each other source that says the same. ``python -m training.fields`` measures how well that fits."""
_AHEAD = 8.0  # points from which on more say nothing
LEAST = 1.0  # sum from which on a candidate is the page's value


Value = TypeVar("Value")
Valued: TypeAlias = tuple[Value, str, float]  # a value, where it stands, and how likely it is right


class Candidate(NamedTuple):
    """A value that may be the page's, and what is known of it."""

    value: Any
    source: str
    facts: Mapping[str, float]  # how much there is of each thing that WEIGHTS weighs
    raw: str = ""  # the value as the page writes it
    label: Label = ""


def choose(
    candidates: Iterable[Candidate],
    weights: Mapping[str, float],
    trust: tuple[float, float, float] = (0.0, 1.0, 1.0),
    *,
    least: float = LEAST,
    same: int | None = None,
) -> tuple[Candidate | None, float]:
    """Return the candidate with the highest sum, the first of several, and how sure it is."""
    # That follows from how far it is ahead of others and how many more sources say the same.
    best, most = None, least
    scores, sources = dict[Any, float](), dict[Any, set[str]]()
    for each in candidates:
        score = 0.0
        for name, value in each.facts.items():
            if value:
                score += weights.get(name, 0.0) * value
        if score > most or (best is None and score == least):
            best, most = each, score
        said = each.value if same is None else each.value[:same]
        if said not in scores or score > scores[said]:
            scores[said] = score
        sources.setdefault(said, set()).add(each.source)
    if best is None:
        return None, 0.0
    said = best.value if same is None else best.value[:same]
    ahead = most - max((score for value, score in scores.items() if value != said), default=least)
    bias, margin, agreeing = trust
    sure = bias + margin * min(ahead, most - least, _AHEAD) + agreeing * (len(sources[said]) - 1)
    return best, round(1 / (1 + exp(-sure)), 3)
