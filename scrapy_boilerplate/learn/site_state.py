"""The state of one site: fingerprints of pages until it is frozen, then its model."""

from __future__ import annotations

import json
from collections.abc import Iterable, Set
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.caching import remember
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.learn.article_sources import holding
from scrapy_boilerplate.learn.facts import SiteRule
from scrapy_boilerplate.learn.fingerprints import KEPT, Fingerprint, fingerprint, page_id
from scrapy_boilerplate.learn.forms import count_of
from scrapy_boilerplate.learn.induce import MOST_TEMPLATES, learn, learn_templates
from scrapy_boilerplate.learn.options import FREEZE_PAGES, LearningOptions
from scrapy_boilerplate.learn.paths import is_learned_name, is_source, own_tag
from scrapy_boilerplate.learn.site_model import MAGIC as MODEL_MAGIC
from scrapy_boilerplate.learn.site_model import SiteModel, StateError, compressed, decompressed
from scrapy_boilerplate.learn.template import view_of

WORKERS = 64  # counters, divided among the workers
_MOST_RESTARTS = 255
_UNSTABLE = 2  # failed attempts after which a site may no longer answer "no article"
_LARGEST_DRIFT = 0xFFFF
_MOST_SECTIONS = 64
_PAGE_OVERHEAD = 250  # bytes that Python's own objects take for a page

MAGIC = b"BPS\x06"  # first bytes of a state's serialised form; the last one is the version

_DAMAGED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
_NUMBERS = ("generation", "epoch", "restarts", "checks", "shortest")


@dataclass(slots=True)
class SiteState:
    """A site's state. States merge: the union of two states is the state of all their pages.

    While a site is being learned the state is a *set* of page fingerprints, those with the smallest
    page ids. These are hashes, so this is a random sample, whatever the order or merging of pages.
    """

    most: int = FREEZE_PAGES  # pages that are remembered
    generation: int = 0  # how often the site was learned again
    epoch: int = 0  # how often unmatched pages were forgotten, or became part of the model
    restarts: int = 0  # how often it was learned again, less the checks that it has passed
    checks: int = 0  # how many checks the learned site has passed
    fingerprints: dict[int, bytes] = field(default_factory=dict)
    """By page id: of all pages while the site is learned, then of those without its templates."""
    names: dict[int, str] = field(default_factory=dict)  # of hashes in the fingerprints
    frozen: bytes = b""  # the serialised model, once the site is learned
    counts: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    """Pages of the learned site since its last check, how many of them had text but no container,
    and the drift against the model, by the worker that counted them: so sums stay right however
    often states are merged. Of two workers with one number the larger count wins."""
    sections: set[int] = field(default_factory=set)  # hashes of sections with articles
    shortest: int = 0  # words of the shortest article that the site was learned from
    added: int = 0  # pages that were added to this object, also those that are not remembered

    def observe(self, page: Page, extraction: Extraction) -> None:
        """Remember a page and which of its text a method kept. Each page counts once."""
        number = page_id(page.url, page.buffer)
        sources = holding(page, extraction, number)
        found, names = fingerprint(view_of(page), extraction, self.names, sources)
        self.remember([(number, found.to_bytes())], names)

    def remember(self, entries: Iterable[tuple[int, bytes]], names: dict[int, str]) -> None:
        """Remember fingerprints by page id, and the names of their hashes."""
        for number, data in entries:
            self.added += 1
            self.fingerprints[number] = max(self.fingerprints.get(number, b""), data)
        self.names |= names
        if len(self.fingerprints) > self.most:
            self.fingerprints = dict(sorted(self.fingerprints.items())[: self.most])
            self._forget_names()

    def _forget_names(self) -> None:
        given = set().union(
            *(Fingerprint.from_bytes(data).named() for data in self.fingerprints.values())
        )
        self.names = {number: name for number, name in self.names.items() if number in given}

    @property
    def distinct(self) -> float:
        """Estimate how many different pages were seen, from the ids of those remembered."""
        if len(self.fingerprints) < self.most:
            return len(self.fingerprints)
        return max(len(self.fingerprints), (self.most - 1) * 2.0**64 / (max(self.fingerprints) + 1))

    def learn(self, site: str, options: LearningOptions) -> SiteModel:
        """Learn from what is remembered; extend the model of a learned site by unmatched pages."""
        if self.frozen:
            return self.extended(site, options)[0]
        fingerprints = [
            Fingerprint.from_bytes(data) for _, data in sorted(self.fingerprints.items())
        ]
        if self.unstable:  # by chance some of the pages may well have a container in common
            options = replace(options, template_share=max(options.template_share, options.coverage))
        model = learn(site, fingerprints, self.names, options)
        return replace(model, safe=False) if self.unstable else model

    def extended(self, site: str, options: LearningOptions) -> tuple[SiteModel, set[int]]:
        """Return the model of a learned site with what unmatched pages teach, and which did."""
        model = SiteModel.from_bytes(self.frozen)
        if not self.fingerprints:
            return model, set()
        unmatched = {
            number: Fingerprint.from_bytes(data) for number, data in self.fingerprints.items()
        }
        model = replace(model, unmatched=len(unmatched))
        if self.unstable:
            return model, set()
        templates, covered = learn_templates(site, unmatched, self.names, options)
        return replace(model, also=(*model.also, *templates)[:MOST_TEMPLATES]), covered

    @property
    def unstable(self) -> bool:
        """Whether learning failed too often: the site's pages have no template in common."""
        return self.restarts >= _UNSTABLE

    def add_section(self, *sections: int) -> None:
        """Note sections that have articles."""
        if not self.sections.issuperset(sections):
            self.sections = set(sorted(self.sections.union(sections))[:_MOST_SECTIONS])

    def freeze(self, model: SiteModel) -> None:
        """Keep the model and forget the pages."""
        self.frozen = model.to_bytes()
        containers = {vote.name for vote in model.containers}
        keys = [number for number, name in self.names.items() if name in containers]
        fingerprints = map(Fingerprint.from_bytes, self.fingerprints.values())
        held = (each.blocks for each in fingerprints if np.isin(keys, each.containers["key"]).any())
        words = (int(blocks["words"][blocks["flags"] & KEPT > 0].sum()) for blocks in held)
        self.shortest = min(filter(None, words), default=0)
        self.fingerprints, self.names = {}, {}
        self.checks, self.counts, self.epoch = 0, {}, 0

    def watch(self, worker: int, *, missed: bool, drift: int = 0) -> tuple[int, int]:
        """Count a page of the learned site; return how many there were, and how many missed."""
        pages, misses, before = self.counts.get(worker, (0, 0, 0))
        after = min(max(before + drift, 0), _LARGEST_DRIFT)
        self.counts[worker] = pages + 1, misses + missed, after
        totals = zip(*self.counts.values(), strict=True)
        return sum(next(totals)), sum(next(totals))

    def drift(self, worker: int) -> int:
        """Return the drift that a worker's pages have raised against the model."""
        return self.counts.get(worker, (0, 0, 0))[2]

    def passed(self) -> None:
        """Note that the model still fits, and reset the counts but for the drifts."""
        self.checks += 1
        self.restarts = max(0, self.restarts - 1)
        self.counts = {
            worker: (0, 0, drift) for worker, (_, _, drift) in self.counts.items() if drift
        }

    def extend(self, model: SiteModel, covered: Set[int]) -> None:
        """Replace the model by one that the pages *covered* have taught, and forget them."""
        self.frozen = model.to_bytes()
        self.epoch += 1
        for number in self.fingerprints.keys() & covered:
            del self.fingerprints[number]
        self._forget_names()

    def forget_unmatched(self) -> None:
        """Forget the unmatched pages, which have no template in common."""
        self.epoch += 1
        self.fingerprints, self.names = {}, {}

    def restart(self, *, keep: bool = False) -> None:
        """Forget the model and learn again, from unmatched pages if they are to be kept."""
        self.generation += 1
        self.restarts = min(self.restarts + 1, _MOST_RESTARTS)
        self.frozen = b""
        if not keep:
            self.fingerprints, self.names = {}, {}
        self.checks, self.counts, self.epoch = 0, {}, 0

    @property
    def size(self) -> int:
        """Approximate bytes of memory."""
        held = sum(map(len, (*self.fingerprints.values(), *self.names.values(), self.frozen)))
        return held + _PAGE_OVERHEAD * (len(self.fingerprints) + len(self.names) + 3)

    # -- merging -----------------------------------------------------------------------------

    def merge(self, other: SiteState) -> None:
        """Merge another state of the same site into this one.

        A later generation wins, then a learned site, then a later epoch, then the model from more
        pages. The sections of one generation and the unmatched pages of one epoch are united.
        """
        if self.generation == other.generation:
            self.add_section(*other.sections)
        if (self.generation, bool(self.frozen)) != (other.generation, bool(other.frozen)):
            if (other.generation, bool(other.frozen)) > (self.generation, bool(self.frozen)):
                self._become(other)
        elif self.frozen:
            self._count(other)
            self._merge_learned(other)
        else:
            self.restarts = max(self.restarts, other.restarts)
            self.remember(other.fingerprints.items(), other.names)

    def _merge_learned(self, other: SiteState) -> None:
        if other.epoch > self.epoch:
            self.epoch, self.frozen, self.shortest = other.epoch, other.frozen, other.shortest
            self.fingerprints, self.names = {}, {}
        if other.epoch == self.epoch:
            self.frozen, self.shortest = max(
                *((self.frozen, self.shortest), (other.frozen, other.shortest)),
                key=lambda pair: (SiteModel.from_bytes(pair[0]).pages, *pair),
            )
            self.remember(other.fingerprints.items(), other.names)

    def _count(self, other: SiteState) -> None:
        """Merge the counts of another state, except those from before the last check."""
        if other.checks > self.checks:
            self.checks, self.restarts, self.counts = other.checks, other.restarts, {}
        if other.checks == self.checks:
            self.restarts = max(self.restarts, other.restarts)
            for worker, count in other.counts.items():
                self.counts[worker] = max(count, self.counts.get(worker, count))

    def _become(self, other: SiteState) -> None:
        if self.generation != other.generation:
            self.sections = set(other.sections)
        for name in _NUMBERS:
            setattr(self, name, getattr(other, name))
        self.frozen, self.counts = other.frozen, dict(other.counts)
        self.fingerprints, self.names = {}, {}
        self.remember(other.fingerprints.items(), other.names)

    # -- bytes -------------------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        """Return a versioned, compact form; the same for the same state."""
        self._forget_names()
        form = {
            **{name: getattr(self, name) for name in _NUMBERS},
            "sections": sorted(self.sections),
            "counts": [[worker, *count] for worker, count in sorted(self.counts.items())],
            "fingerprints": [
                [f"{number:x}", data.hex()] for number, data in sorted(self.fingerprints.items())
            ],
            "names": {f"{number:x}": name for number, name in sorted(self.names.items())},
            "model": decompressed(self.frozen, MODEL_MAGIC) if self.frozen else None,
        }
        return compressed(form, MAGIC, 6)

    @classmethod
    def from_bytes(cls, data: bytes, most: int = FREEZE_PAGES) -> SiteState:
        """Read and check what :meth:`to_bytes` wrote. Raises :exc:`StateError` for all else."""
        form = decompressed(data, MAGIC)
        try:
            return cls._read(form, most)
        except _DAMAGED as error:
            raise StateError(f"damaged site state: {error}") from error

    @classmethod
    def _read(cls, form: dict[str, Any], most: int) -> SiteState:
        state = cls(most)
        for name in _NUMBERS:
            setattr(state, name, count_of(form[name]))
        state.add_section(*map(count_of, form["sections"]))
        for worker, *count in form["counts"]:
            pages, misses, drift = map(count_of, count)
            state.counts[count_of(worker)] = pages, misses, drift
        fingerprints = {
            int(number, 16): bytes.fromhex(data) for number, data in form["fingerprints"]
        }
        for data in fingerprints.values():
            Fingerprint.from_bytes(data)
        if form["model"] is not None:
            state.frozen = _packed(json.dumps(form["model"], ensure_ascii=False))
        names = {int(number, 16): name for number, name in form["names"].items()}
        if not all(is_learned_name(name) or is_source(name) for name in names.values()):
            raise ValueError("names must be selectors, template paths or sources")
        state.remember(fingerprints.items(), names)
        return state


@remember(1 << 20, answer=2000)  # workers that share a store read the same model again and again
def _packed(form: str) -> bytes:
    """Check a model written as JSON, which has no rule; return it as a state keeps it."""
    model = SiteModel.from_dict(json.loads(form))
    for facts in (model, *model.also):
        if facts.rule != SiteRule() or not all(own_tag(vote.name) for vote in facts.containers):
            raise ValueError("a learned model has selectors that the learner does not write")
    return model.to_bytes()


def merge_states(one: bytes, other: bytes, most: int = FREEZE_PAGES) -> bytes:
    """Return the serialised union of two serialised states of one site, in any order."""
    state = SiteState.from_bytes(one, most)
    state.merge(SiteState.from_bytes(other, most))
    return state.to_bytes()
