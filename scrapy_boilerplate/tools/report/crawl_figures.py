"""The figures of a crawl, site by site, in a memory that does not grow with the crawl."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.learn.drift import SiteChange
from scrapy_boilerplate.learn.site_model import SiteModel
from scrapy_boilerplate.tools.tables import counted

_VERSION = 1  # of the form that to_dict gives

OTHERS = "(other sites)"  # sites beyond the most, together, and pages without a site

# Sites with figures of their own, and pages of each that are named for the same reason
MOST_SITES, MOST_LOOKOUTS = 1000, 3

_KNOWN = ("not learned", "learning", "learned")  # from the least to the most
_COUNTS = ("pages", "articles", "rated", "confidence", "alone", "kept")
_ABOUT = ("spider", "started", "updated", "finished")
_LONGEST_URL = 500
_LONGEST_SELECTOR = 120
_CONTAINERS_TOLD = 3
_SAFE = 0.9  # confidence from which on a page is worth no look
_LEAST_CONFIDENT = "least confident"
# Reasons to look at a page, by what it did to the model of its site
EVENTS = {
    "relearning": "the site has changed",
    "blocked": "the site blocks the crawl",
    "extended": "a new template",
}


class Lookout(NamedTuple):
    url: str
    why: str
    confidence: float | None = None


@dataclass
class SiteFigures:
    pages: int = 0
    articles: int = 0
    rated: int = 0  # pages with a confidence
    confidence: float = 0.0  # their sum
    alone: int = 0  # characters that the method alone kept where a model was applied …
    kept: int = 0  # … and those kept with it
    state: str = _KNOWN[0]
    learned: str = ""  # in words
    lookouts: dict[str, Lookout] = field(default_factory=dict)  # by address
    model: SiteModel | None = None  # the last one applied

    @property
    def article_share(self) -> float:
        return self.articles / self.pages if self.pages else 0.0

    @property
    def mean_confidence(self) -> float | None:
        return self.confidence / self.rated if self.rated else None

    @property
    def change(self) -> float | None:
        """How models changed the amount of text, -0.1 is a tenth less."""
        return self.kept / self.alone - 1 if self.alone else None

    def add(
        self,
        url: str,
        found: Extraction,
        alone: Extraction | None = None,
        model: SiteModel | None = None,
    ) -> None:
        """Count a page: what was found, what the method *alone* found, and the site's model."""
        self.pages += 1
        self.articles += found.is_one_text
        if found.confidence is not None:
            self.rated += 1
            self.confidence += found.confidence
        if model is None:
            alone = None
        elif model is not self.model:
            self.model, self.learned = model, learned_text(model)
        if alone is not None:
            self.alone += len(alone.text)
            self.kept += len(found.text)
        why = _why(found, alone)
        if why is not None:
            self.look_at(Lookout(_shown(url), why, found.confidence))

    def look_at(self, page: Lookout) -> None:
        """Remember a page, once; of those with the same reason the least confident ones."""
        if page.why == _LEAST_CONFIDENT and page.url in self.lookouts:
            return
        self.lookouts[page.url] = page
        same = [each for each in self.lookouts.values() if each.why == page.why]
        if len(same) > MOST_LOOKOUTS:
            del self.lookouts[max(same, key=confidence_of).url]

    def ordered_lookouts(self) -> list[Lookout]:
        return sorted(self.lookouts.values(), key=confidence_of)

    def merge(self, other: SiteFigures) -> None:
        for name in _COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.state = max(self.state, other.state, key=_KNOWN.index)
        self.learned = self.learned or other.learned
        for page in other.lookouts.values():
            self.look_at(page)

    def to_dict(self) -> dict[str, Any]:
        form = {name: getattr(self, name) for name in (*_COUNTS, "state", "learned")}
        return {**form, "lookouts": [page._asdict() for page in self.ordered_lookouts()]}

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> SiteFigures:
        """Read what :meth:`to_dict` gave; raise :exc:`ValueError` if it is something else."""
        try:
            pages = {page["url"]: Lookout(**page) for page in form["lookouts"]}
            figures = cls(**{**form, "lookouts": pages})
            sum(getattr(figures, name) for name in _COUNTS)
            _KNOWN.index(figures.state)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ValueError("not the figures of a site") from error
        return figures


class CrawlFigures:
    """Figures a site; of more than 1000 sites the others are counted together."""

    def __init__(self, spider: str = "", started: str = "") -> None:
        self.spider = spider
        self.started = started  # as ISO 8601
        self.updated = started
        # Why the crawl ended; None while it runs, or if it was killed
        self.finished: str | None = None
        self.sites: dict[str, SiteFigures] = {}

    def of(self, site: str) -> SiteFigures:
        if site not in self.sites and (not site or len(self.sites) >= MOST_SITES):
            site = OTHERS
        return self.sites.setdefault(site, SiteFigures())

    def add(self, site: str, url: str, found: Extraction, *more: Any) -> None:
        self.of(site).add(url, found, *more)

    def event(self, site: str, url: str, event: str, change: SiteChange | None = None) -> None:
        """Note what a page has done to the model of its site; of a change the first page."""
        if event in EVENTS:
            why = EVENTS[event] + (f": {change.what}" if change is not None else "")
            self.of(site).look_at(Lookout(_shown(change.since if change else url), why))

    def total(self) -> SiteFigures:
        total = SiteFigures()
        for figures in self.sites.values():
            total.merge(figures)
        total.lookouts.clear()
        return total

    def merge(self, other: CrawlFigures) -> None:
        for site, figures in other.sites.items():
            self.of(site).merge(figures)
        self.started = min(filter(None, (self.started, other.started)), default="")
        self.updated = max(self.updated, other.updated)
        self.finished = self.finished and other.finished
        if other.spider not in self.spider.split(", "):
            self.spider = f"{self.spider}, {other.spider}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "version": _VERSION,
            **{name: getattr(self, name) for name in _ABOUT},
            "sites": {site: figures.to_dict() for site, figures in self.ordered()},
        }

    def ordered(self) -> list[tuple[str, SiteFigures]]:
        return sorted(self.sites.items(), key=lambda each: (-each[1].pages, each[0]))

    @classmethod
    def from_dict(cls, form: object) -> CrawlFigures:
        """Read what :meth:`to_dict` gave; raise :exc:`ValueError` if it is something else."""
        if not isinstance(form, dict) or form.get("version") != _VERSION:
            raise ValueError(f"not a report of version {_VERSION}")
        sites = form.get("sites")
        if not isinstance(sites, dict):
            raise ValueError("a report without sites")
        figures = cls(str(form.get("spider")), str(form.get("started")))
        figures.updated, figures.finished = str(form.get("updated")), form.get("finished")
        figures.sites = {site: SiteFigures.from_dict(each) for site, each in sites.items()}
        return figures


def learned_text(model: SiteModel) -> str:
    names = [*model.rule.containers, *(vote.name for vote in model.containers)]
    templates = bool(names) + len(model.also)
    counts = [
        counted(number, what)
        for number, what in (
            (len(model.repeats), "repeated text"),
            (len(model.boilerplate), "path"),
            (len(model.all_sources), "hidden source"),
            (templates if templates > 1 else 0, "template"),
        )
        if number
    ]
    shown = (name[:_LONGEST_SELECTOR] for name in names[:_CONTAINERS_TOLD])
    return "; ".join(filter(None, (", ".join(shown), ", ".join(counts))))


def _why(found: Extraction, alone: Extraction | None) -> str | None:
    if alone is not None and alone.is_one_text:
        if not found.is_one_text:
            return "no article according to the site's model"
        if 2 * len(found.text) < len(alone.text):
            return "the site's model drops more than half"
    if found.kind == "blocked":
        return "blocked: another page in its place"
    if found.kind == "empty":
        return "no text" if alone is None else None
    return _LEAST_CONFIDENT if found.is_one_text and confidence_of(found) < _SAFE else None


def _shown(url: str) -> str:
    """Return an address without a password in it, not longer than is remembered."""
    scheme, mark, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{path}"[:_LONGEST_URL]


def confidence_of(page: Lookout | Extraction) -> float:
    """Return how confident the method was; 1 if it does not estimate that."""
    return 1.0 if page.confidence is None else page.confidence
