"""Compares each page of a learned site with what the site was, and notices when it has changed."""

from __future__ import annotations

import re
import time
from collections import OrderedDict, deque
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, TypeVar
from zlib import crc32

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.addresses import parts_of
from scrapy_boilerplate.learn.applying.matching import read_page, resembles
from scrapy_boilerplate.learn.article_sources import shown_page
from scrapy_boilerplate.learn.facts import SiteFacts
from scrapy_boilerplate.learn.fingerprints import can_teach
from scrapy_boilerplate.learn.memory import SiteMemory
from scrapy_boilerplate.learn.options import LearningOptions
from scrapy_boilerplate.learn.site_state import SiteState
from scrapy_boilerplate.learn.template import SinglePageResult, view_of

Known = TypeVar("Known")
Event = Literal["frozen", "extended", "relearning", "blocked"]
"""The effect of an observed page: the site is now learned, its model has got further templates, it
is out of date, or the site shows other pages in place of its own."""

MOST_ROUNDS = 2  # times the remembered pages that are seen while learning waits for better ones
_MOST_MISSING = 0.4  # share of the pages that may lack the container, on any site …
_MORE_MISSING = 1 / 3  # … and on one of which fewer did, so much more than before
_MOST_DOUBLINGS = 6  # of the pages between two checks, for a site that is learned in vain
_DRIFT_PENALTY = 1000  # added by a page that is not as the site was …
_ALLOWED = 250  # … less this, and more where such pages were usual …
_MOST_ALLOWED = 600  # … so that no more than 13 of them in a row are needed
_MOST_DRIFT = 5000  # from which on the site has changed: after 7 pages in a row
_MUCH_SHORTER = 0.4  # of the words of the shortest article that was learned from
_LAST, _HALF = 10, 0.5  # pages that tell what has changed: more than half of the last ones
_MOST_RUNS = 10_000  # sites whose first page of a change is remembered
_STEPS_OF_SECTION = 2  # of an address that tell the section of a site
_SERIES = re.compile(r"((?:[^\W\d]{1,10}[-_.]?){0,2})\d")

MISMATCHES = {
    "blocked": "pages are blocked",
    "empty": "pages have no text",
    "elsewhere": "the text stands outside of the container",
    "no_container": "pages lack the container",
    "frame": "pages lack the container and the frame of the site",
    "short": "articles are much shorter",
}
"""What is wrong with a page that is not as the site was, in words."""

_ANYWHERE = ("", "blocked", "elsewhere")
"""Those that count in each section of a site, also where no articles were known."""

_TEACH_NOTHING = ("blocked", "empty", "frame")
"""Those from which nothing can be learned, so that the model stays."""


class SiteChange(NamedTuple):
    """What has changed about a site, and since when."""

    what: str
    """What is wrong with most pages since, in words: a value of :data:`MISMATCHES`."""
    since: str
    """Address of the first of these pages."""
    at: float
    """When it came, in seconds since the epoch."""
    pages: int
    """How many of them there were."""


class ModelComparison(NamedTuple):
    """The differences between a site's model and a page."""

    mismatch: str = ""  # what is wrong, a key of MISMATCHES, if anything is
    is_fit: bool = False  # whether the page is an article as the model describes it
    template: SiteFacts | None = None  # that the page has, with enough text to teach more of it


def compare(
    facts: SiteFacts, page: Page, extraction: Extraction, shortest: int = 0
) -> ModelComparison:
    """Compare a page with the facts of its site, and with the words of its *shortest* article."""
    if extraction.kind == "blocked":  # pages that have moved are usual
        return ModelComparison("" if page.block and page.block.name == "redirect" else "blocked")
    alone = SinglePageResult(page, None, extraction)
    if shown_page(facts, page, alone).source in facts.all_sources:
        return ModelComparison(is_fit=True)
    if not page.text_at.size:
        return ModelComparison("empty")
    if not facts.has_container:
        return ModelComparison()
    own = alone.own_words
    total = int(own.sum())
    place, evidence = read_page(facts, page, alone)
    if place is None:
        if total >= facts.min_words and not alone.looks_like_list(facts.min_words):
            return ModelComparison("no_container")
        return ModelComparison("" if resembles(facts, view_of(page)) else "frame")
    template = place.facts if total >= facts.min_words else None
    if evidence is None or evidence.place.kind in ("archive", "list"):
        return ModelComparison(template=template)
    mismatch = "short" if evidence.is_article and total < _MUCH_SHORTER * shortest else ""
    if template and 2 * int(own[evidence.in_article].sum()) < total:
        mismatch = "elsewhere"
    return ModelComparison(mismatch, bool(template) and not mismatch, template)


def section_of(url: str | None) -> int:
    """Return a hash of an address's first folders and the letters before a number, its section."""
    *steps, name = parts_of(url or "").path.split("/")[1:] or [""]
    named = ["*" if any(map(str.isdigit, step)) else step for step in steps[:_STEPS_OF_SECTION]]
    series = _SERIES.match(name)
    named.append(f"{series[1]}#" if series else "")
    return crc32("/".join(named).encode("utf-8", "surrogatepass"))


@dataclass
class _Run:
    """The pages that count against a site since its last good time."""

    since: str
    at: float = field(default_factory=time.time)
    pages: int = 0
    last: deque[str] = field(default_factory=lambda: deque(maxlen=_LAST))
    """What is wrong with the last of them."""
    is_told: bool = False

    def change(self) -> SiteChange:
        what = max(self.last or ["no_container"], key=self.last.count)
        return SiteChange(MISMATCHES[what], self.since, self.at, self.pages)

    def share(self, *mismatches: str) -> float:
        return sum(map(self.last.count, mismatches)) / max(1, len(self.last))


class DriftMonitor:
    """Compares each page of a learned site with what it was, and learns it again if need be."""

    # Lists and short pages of the frame do not count; an article as the model says ends it.

    def __init__(self, options: LearningOptions, memory: SiteMemory, worker: int) -> None:
        self._options, self._memory, self._worker = options, memory, worker
        self._runs: OrderedDict[str, _Run] = OrderedDict()
        self.changes: OrderedDict[str, SiteChange] = OrderedDict()
        """The last change of each site that has changed."""

    def see(self, site: str, state: SiteState, page: Page, extraction: Extraction) -> Event | None:
        """Compare a page with the model of its site, learn from it, and return the effect."""
        model, unfrozen = self._memory.ready(site)
        seen = compare(model, page, extraction, state.shortest)
        may_change = any(seen.template is each for each in unfrozen)
        is_unmatched = seen.mismatch == "no_container"
        teaches_template = is_unmatched or may_change
        mismatch = "no_container" if teaches_template else seen.mismatch
        if mismatch not in _ANYWHERE and section_of(page.url) not in state.sections:
            mismatch = ""  # it does not count against the site
        is_lesson = can_teach(page, extraction)
        if not is_lesson and not mismatch:
            return None
        drift = -state.drift(self._worker) if seen.is_fit and not teaches_template else 0
        if mismatch:
            room = _MOST_DRIFT - state.drift(self._worker)
            usual = min(_ALLOWED + round(_DRIFT_PENALTY * model.elsewhere), _MOST_ALLOWED)
            drift = min(_DRIFT_PENALTY - usual, room)
        pages, misses = state.watch(self._worker, missed=is_unmatched, drift=drift)
        run = self._follow(site, state, page, mismatch)
        if mismatch and state.drift(self._worker) >= _MOST_DRIFT:
            if run.share(*_TEACH_NOTHING) <= _HALF:
                return self._restart(site, state, run)
            if not run.is_told:
                run.is_told = True
                _put(self.changes, site, run.change())
                return "blocked"
        if not is_lesson:
            return None
        if teaches_template:
            state.observe(page, extraction)
            if self._extend(site, state):
                return "extended"
        elif seen.is_fit:
            state.add_section(section_of(page.url))
        return self._check(site, state, pages, misses, run)

    def _follow(self, site: str, state: SiteState, page: Page, mismatch: str) -> _Run:
        """Return the pages since the first that counts against a site, with this one."""
        run = self._runs.get(site) or _Run(page.url or "")
        if mismatch:
            run.pages += 1
            run.last.append(mismatch)
            _put(self._runs, site, run)
        elif not state.drift(self._worker):
            self._runs.pop(site, None)
        return run

    def _check(
        self, site: str, state: SiteState, pages: int, misses: int, run: _Run
    ) -> Event | None:
        """Check from time to time how many pages lack the container."""
        if pages < self._options.drift_pages << min(state.restarts, _MOST_DOUBLINGS):
            return None
        model = self._memory.model(site)
        most = min(model.missing + _MORE_MISSING, _MOST_MISSING)
        if model.has_container and misses <= most * pages:
            state.passed()
            return None
        return self._restart(site, state, run)

    def _restart(self, site: str, state: SiteState, run: _Run) -> Event:
        """Learn a site again, from the pages without the known templates if these have made it."""
        _put(self.changes, site, run.change())
        self._runs.pop(site, None)
        state.restart(keep=run.share("no_container") > _HALF)
        return "relearning"

    def _extend(self, site: str, state: SiteState) -> bool:
        """Let unmatched pages extend the model if enough, or forget them; tell whether."""
        most = self._options.freeze_pages
        if len(state.fingerprints) < most:
            return False
        is_stale = state.distinct >= MOST_ROUNDS * most
        if not is_stale and not self._memory.ready(site)[1]:
            return False
        model, covered = state.extended(site, self._options)
        if not covered:
            state.forget_unmatched()
            return False
        state.extend(replace(model, unmatched=0), covered)
        return True


def _put(known: OrderedDict[str, Known], site: str, value: Known) -> None:
    known[site] = value
    if len(known) > _MOST_RUNS:
        known.popitem(last=False)
