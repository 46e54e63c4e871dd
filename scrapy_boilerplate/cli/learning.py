"""Learning the sites of many pages before they are extracted."""

from __future__ import annotations

from collections.abc import Iterable

from scrapy_boilerplate.cli.work import SAMPLE, Taught
from scrapy_boilerplate.sites.learner import SiteLearner
from scrapy_boilerplate.sites.options import LearningOptions

__all__ = ["learned_models"]


def learned_models(taught: Iterable[Taught]) -> dict[str, bytes]:
    """Return the serialised model of each site of which something was learned.

    The first :data:`SAMPLE` pages of a site count, as for
    :func:`~scrapy_boilerplate.sites.extract_site`.
    """
    options = LearningOptions(freeze_pages=SAMPLE)
    learner = SiteLearner(options, max_sites=1 << 40, max_bytes=1 << 40)
    for each in taught:
        if each.state is not None and learner.pages(each.site) < SAMPLE:
            learner.load(each.site, each.state)
    models = ((site, learner.model(site)) for site in learner)
    return {site: model.to_bytes() for site, model in models if model is not None}
