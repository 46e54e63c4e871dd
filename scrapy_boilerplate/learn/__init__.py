"""Learning each site: where its articles are, and what repeats around them."""

from __future__ import annotations

from scrapy_boilerplate.learn.facts import SiteRule, Vote
from scrapy_boilerplate.learn.induce import learn
from scrapy_boilerplate.learn.keys import host_and_path, site_key
from scrapy_boilerplate.learn.learner import Event, SiteLearner
from scrapy_boilerplate.learn.memory import StateStore
from scrapy_boilerplate.learn.options import LearningOptions
from scrapy_boilerplate.learn.rule_files import dump_models, load_models
from scrapy_boilerplate.learn.samples import extract_site
from scrapy_boilerplate.learn.site_model import SiteModel, StateError
from scrapy_boilerplate.learn.site_state import SiteState, merge_states
from scrapy_boilerplate.learn.stores import SiteStore, StoreError

__all__ = [
    "Event",
    "LearningOptions",
    "SiteLearner",
    "SiteModel",
    "SiteRule",
    "SiteState",
    "SiteStore",
    "StateError",
    "StateStore",
    "StoreError",
    "Vote",
    "dump_models",
    "extract_site",
    "host_and_path",
    "learn",
    "load_models",
    "merge_states",
    "site_key",
]
