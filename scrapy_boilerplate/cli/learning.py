"""Learning the sites of many pages before they are extracted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from scrapy_boilerplate.cli.work import Taught
from scrapy_boilerplate.sites.learner import SiteLearner
from scrapy_boilerplate.sites.options import LearningOptions
from scrapy_boilerplate.sites.samples import SAMPLE

__all__ = ["Learned", "learn_sites"]


class Learned(NamedTuple):
    """What pages have taught."""

    models: dict[str, bytes]
    """The serialised model of each site of which something was learned."""
    strays: int
    """Pages that belong to no site, because their address is not known."""


def learn_sites(taught: Iterable[Taught]) -> Learned:
    """Put together what pages teach about their sites.

    The first :data:`SAMPLE` pages of a site count.
    """
    options = LearningOptions(freeze_pages=SAMPLE)
    learner = SiteLearner(options, max_sites=1 << 40, max_bytes=1 << 40)
    strays = 0
    for each in taught:
        strays += not each.site and not each.error
        if each.state is not None and learner.pages(each.site) < SAMPLE:
            learner.load(each.site, each.state)
    models = ((site, learner.model(site)) for site in learner)
    return Learned({site: model.to_bytes() for site, model in models if model is not None}, strays)
