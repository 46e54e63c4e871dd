"""The models of sites that are kept ready."""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

from scrapy_boilerplate.learn.facts import SiteFacts
from scrapy_boilerplate.learn.model import SiteModel
from scrapy_boilerplate.learn.options import LearningOptions
from scrapy_boilerplate.learn.state import SiteState

_MORE_STRANGERS = 5  # of a learned site, after which its model is extended again
_MOST_MODELS = 512  # models that are kept ready


class _CachedModel(NamedTuple):
    """A model that is kept ready."""

    stage: tuple[int, ...]
    """Stage of the state that it was learned from."""
    settled: int
    """Later templates that do not depend on the strangers of the site."""
    model: SiteModel


class ModelCache:
    """The models kept ready: at most 512, those used last."""

    def __init__(self, options: LearningOptions) -> None:
        self._options = options
        self._cached: OrderedDict[str, _CachedModel] = OrderedDict()

    def get(self, site: str, state: SiteState) -> SiteModel:
        """Return the model of a state, learned again when the pages have doubled."""
        known = self._cached.get(site)
        if known is not None and known.stage == self._stage(state):
            self._cached.move_to_end(site)
            return known.model
        model = state.learn(site, self._options)
        settled = len(SiteModel.from_bytes(state.frozen).also) if state.frozen else 0
        self.keep(site, state, model, settled)
        return model

    def unsettled(self, site: str, state: SiteState) -> tuple[SiteFacts, ...]:
        """Return the templates of a learned site that more strangers may change."""
        model = self.get(site, state)
        return model.also[self._cached[site].settled :]

    def _stage(self, state: SiteState) -> tuple[int, ...]:
        """Return what differs when a model is to be learned again."""
        known, is_learned = len(state.sketches), bool(state.frozen)
        is_full = known >= self._options.freeze_pages
        strangers = (known > 0) + known // _MORE_STRANGERS if is_learned else 0
        doublings = 0 if is_learned else state.added.bit_length()
        return state.generation, is_learned, state.epoch, is_full, strangers, doublings

    def keep(self, site: str, state: SiteState, model: SiteModel, settled: int = 0) -> None:
        """Keep the model of a state ready."""
        self._cached[site] = _CachedModel(self._stage(state), settled, model)
        self._cached.move_to_end(site)
        if len(self._cached) > _MOST_MODELS:
            self._cached.popitem(last=False)

    def drop(self, site: str) -> None:
        """Drop a model whose state was replaced."""
        self._cached.pop(site, None)
