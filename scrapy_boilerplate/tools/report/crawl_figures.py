"""The figures of a crawl, site by site, in a memory that does not grow with the crawl."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.learn.drift import SiteChange
from scrapy_boilerplate.learn.site_model import SiteModel
from scrapy_boilerplate.tools.duplication import Duplication, DuplicationCounter

VERSION = 1
"""Version of the form that :meth:`CrawlFigures.to_dict` gives."""

OTHERS = "(other sites)"
"""Key for the sites beyond the most, together, and for pages without a site."""

MOST_SITES = 1000
"""Most sites with figures of their own."""

MOST_LOOKOUTS = 3
"""Most pages of a site that are named for the same reason."""

STATES = ("not learned", "learning", "learned", "by hand")
"""How a site can be known, from the least to the most."""

BINS = 10
"""Bins of the histogram of confidences."""
MOST = 1 << 53
"""What no figure of a crawl reaches."""

_OF_ONE_SITE = ("state", "learned", "lookouts")  # figures without a sum
_LONGEST_ADDRESS = 500
_LONGEST_CONTAINER = 120
_MOST_CONTAINERS = 3
_LINES = 50_000  # remembered of all sites; about 8 MB
_ALWAYS_COUNTED = 100  # pages of a site whose lines are counted; from then on every tenth

_SURE = 0.9  # confidence from which on a page is worth no look
LEAST_CONFIDENT = "least confident"
NO_TEXT = "no text"
BLOCKED = "blocked: another page in its place"
LOST_HALF = "the site's model drops more than half"
NOT_AN_ARTICLE = "no article according to the site's model"
EVENTS = {
    "relearning": "the site has changed",
    "blocked": "the site blocks the crawl",
    "extended": "a new template",
}
"""Reasons to look at a page, by what it did to the model of its site."""


class Lookout(NamedTuple):
    """A page that a person may want to look at."""

    url: str
    why: str
    confidence: float | None = None


@dataclass(frozen=True)
class Learned:
    """Figures of a site's model."""

    pages: int = 0
    """Pages from which it was learned."""
    containers: tuple[str, ...] = ()
    """The first selectors of the elements that hold the article."""
    templates: int = 0
    """Templates of articles."""
    repeats: int = 0
    """Repeated texts, which are dropped."""
    paths: int = 0
    """Template paths that are dropped."""
    sources: int = 0
    """Places with articles that pages do not show."""

    @classmethod
    def of(cls, model: SiteModel) -> Learned:
        """Return the numbers of a model."""
        names = [*model.rule.containers, *(vote.name for vote in model.containers)]
        return cls(
            pages=model.pages,
            containers=tuple(name[:_LONGEST_CONTAINER] for name in names[:_MOST_CONTAINERS]),
            templates=bool(names) + len(model.also),
            repeats=len(model.repeats),
            paths=len(model.boilerplate),
            sources=len(model.all_sources),
        )


@dataclass
class SiteFigures:
    """Counts of one site."""

    pages: int = 0
    articles: int = 0
    characters: int = 0
    """Characters of the texts that were kept."""
    rated: int = 0
    """Pages with a confidence."""
    confidence: float = 0.0
    """Sum of their confidences."""
    confidences: list[int] = field(default_factory=lambda: [0] * BINS)
    """How many of them lie in each tenth of [0, 1]."""
    before: tuple[int, int] = (0, 0)
    """Characters of the lines of a sample, and of those that are unique: by the method alone."""
    after: tuple[int, int] = (0, 0)
    """The same with the site's model."""
    state: str = STATES[0]
    """How the site is known, one of :data:`STATES`."""
    learned: Learned | None = None
    lookouts: list[Lookout] = field(default_factory=list)

    @property
    def article_share(self) -> float:
        """Share of the pages that hold an article."""
        return self.articles / self.pages if self.pages else 0.0

    @property
    def mean_confidence(self) -> float | None:
        """Mean confidence; ``None`` if the method does not estimate it."""
        return self.confidence / self.rated if self.rated else None

    @property
    def repeated_before(self) -> float | None:
        """Share of repeated text in what the method alone kept; ``None`` if it is not known."""
        return _repeated(self.before)

    @property
    def repeated_after(self) -> float | None:
        """Share of repeated text in what was kept; ``None`` if nothing was."""
        return _repeated(self.after)

    def add(
        self, url: str, found: Extraction, alone: Extraction | None, model: SiteModel | None
    ) -> None:
        """Count a page: what was found, what the method *alone* found, and the site's model."""
        self.pages += 1
        self.articles += found.is_one_text
        self.characters += len(found.text)
        sure = found.confidence
        if sure is not None:
            self.rated += 1
            self.confidence += sure
            self.confidences[min(int(sure * BINS), BINS - 1)] += 1
        if model is not None:
            self.learned = Learned.of(model)
        why = _why(found, alone if model is not None else None)
        if why is not None:
            self.look_at(Lookout(_shown(url), why, sure))

    def look_at(self, page: Lookout) -> None:
        """Remember a page, once; of those with the same reason the least confident, else the last.

        What the page did, or lost, is a better reason than little confidence.
        """
        for known in [each for each in self.lookouts if each.url == page.url]:
            if page.why == LEAST_CONFIDENT != known.why:
                return
            self.lookouts.remove(known)
        same = [each for each in self.lookouts if each.why == page.why]
        if len(same) >= MOST_LOOKOUTS:
            leaving = same[0]
            if page.why == LEAST_CONFIDENT:
                leaving = max((*same, page), key=_confidence_of)
            if leaving is page:
                return
            self.lookouts.remove(leaving)
        self.lookouts.append(page)

    def merge(self, other: SiteFigures) -> None:
        """Add what another crawl, or another worker of this one, has counted."""
        for name in ("pages", "articles", "characters", "rated", "confidence"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.confidences = [a + b for a, b in zip(self.confidences, other.confidences, strict=True)]
        self.before = _sum(self.before, other.before)
        self.after = _sum(self.after, other.after)
        self.state = max(self.state, other.state, key=STATES.index)
        if other.learned is not None and (
            self.learned is None or other.learned.pages >= self.learned.pages
        ):
            self.learned = other.learned
        for page in other.lookouts:
            self.look_at(page)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as JSON types, with the shares that follow from them."""
        form = asdict(self)
        form["lookouts"] = [page._asdict() for page in sorted(self.lookouts, key=_confidence_of)]
        for name in ("article_share", "mean_confidence", "repeated_before", "repeated_after"):
            form[name] = getattr(self, name)
        return {
            name: round(value, 4) if isinstance(value, float) else value
            for name, value in form.items()
        }

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> SiteFigures:
        """Read what :meth:`to_dict` gave; raise :exc:`ValueError` if it is something else."""
        try:
            counts = {name: form[name] for name in ("pages", "articles", "characters", "rated")}
            bins = [int(count) for count in form["confidences"]]
            if not all(isinstance(count, int) for count in counts.values()):
                raise TypeError
            if not all(0 <= each < MOST for each in (*counts.values(), *bins, form["confidence"])):
                raise ValueError
            if counts["rated"] and not any(bins):
                raise ValueError
            learned = form["learned"]
            if learned is not None:
                learned = Learned(**{**learned, "containers": tuple(learned["containers"])})
            before, after = ((int(a), int(b)) for a, b in (form["before"], form["after"]))
            return cls(
                **counts,
                confidence=float(form["confidence"]),
                confidences=bins[:BINS] + [0] * (BINS - len(bins)),
                before=before,
                after=after,
                state=form["state"] if form["state"] in STATES else STATES[0],
                learned=learned,
                lookouts=[Lookout(**page) for page in form["lookouts"]],
            )
        except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
            raise ValueError("not the figures of a site") from error


class CrawlFigures:
    """The figures of a crawl, or of several.

    At most 1000 sites have figures of their own; the others are counted together. Of each site at
    most 3 pages a reason are remembered. What repeats is counted in the first hundred pages of a
    site and every tenth of the others, and estimated if there are more than 50 000 lines.

    >>> from scrapy_boilerplate import extract
    >>> figures = CrawlFigures("news")
    >>> figures.add("a.example", "https://a.example/1", extract("<p>It rained all day."))
    >>> figures.sites["a.example"].pages
    1
    """

    def __init__(self, spider: str = "", started: str = "") -> None:
        self.spider = spider
        self.started = started
        """When the crawl began, as ISO 8601."""
        self.updated = started
        """When the figures were written last."""
        self.finished: str | None = None
        """Why the crawl ended; ``None`` while it runs, or if it was killed."""
        self.sites: dict[str, SiteFigures] = {}
        self._earlier: dict[str, tuple[tuple[int, int], tuple[int, int]]] = {}
        self._before = _LineCounter(_LINES)
        self._after = _LineCounter(_LINES)

    def of(self, site: str) -> SiteFigures:
        """Return the figures of a site, or those of all others if there are too many."""
        return self.sites.setdefault(self.key(site), SiteFigures())

    def key(self, site: str) -> str:
        """Return the key under which a site is counted."""
        if site in self.sites or (site and len(self.sites) < MOST_SITES):
            return site
        return OTHERS

    def add(
        self,
        site: str,
        url: str,
        found: Extraction,
        alone: Extraction | None = None,
        model: SiteModel | None = None,
    ) -> None:
        """Count a page: what was found, what the method *alone* found, and the site's model."""
        figures, key = self.of(site), self.key(site)
        if figures.pages < _ALWAYS_COUNTED or not figures.pages % 10:
            single = found if model is None else alone
            if single is not None:
                self._before.add(single.text, key)
            self._after.add(found.text, key)
        figures.add(url, found, alone, model)

    def event(self, site: str, url: str, event: str, change: SiteChange | None = None) -> None:
        """Note what a page has done to the model of its site; of a change the first page."""
        if event in EVENTS:
            why = EVENTS[event] + (f": {change.what}" if change is not None else "")
            self.of(site).look_at(Lookout(_shown(change.since if change else url), why))

    def count_repeats(self) -> None:
        """Bring :attr:`SiteFigures.before` and ``after`` up to date."""
        before, after = self._before.report(), self._after.report()
        for site, figures in self.sites.items():
            earlier = self._earlier.get(site, ((0, 0), (0, 0)))
            figures.before = _sum(earlier[0], _characters(before.get(site)))
            figures.after = _sum(earlier[1], _characters(after.get(site)))

    def total(self) -> SiteFigures:
        """Return the figures of all sites together, without pages to look at."""
        total = SiteFigures()
        for figures in self.sites.values():
            total.merge(figures)
        total.lookouts, total.learned = [], None
        return total

    def merge(self, other: CrawlFigures) -> None:
        """Add the figures of another crawl, or of another worker of this one."""
        for site, figures in other.sites.items():
            self.of(site).merge(figures)
        self.started = min(filter(None, (self.started, other.started)), default="")
        self.updated = max(self.updated, other.updated)
        self.finished = self.finished and other.finished
        if other.spider not in self.spider.split(", "):
            self.spider = f"{self.spider}, {other.spider}"

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as JSON types, the site with most pages first."""
        total = self.total().to_dict()
        return {
            "version": VERSION,
            "spider": self.spider,
            "started": self.started,
            "updated": self.updated,
            "finished": self.finished,
            "total": {name: value for name, value in total.items() if name not in _OF_ONE_SITE},
            "sites": {site: figures.to_dict() for site, figures in self.ordered()},
        }

    def ordered(self) -> list[tuple[str, SiteFigures]]:
        """Return the sites, the one with most pages first."""
        return sorted(self.sites.items(), key=lambda each: (-each[1].pages, each[0]))

    def lookouts(self, most: int | None = None) -> list[tuple[str, list[Lookout]]]:
        """Return the pages to look at of the first *most* sites, the least confident first."""
        return [
            (site, sorted(each.lookouts, key=_confidence_of))
            for site, each in self.ordered()[:most]
            if each.lookouts
        ]

    @classmethod
    def from_dict(cls, form: object) -> CrawlFigures:
        """Read what :meth:`to_dict` gave; raise :exc:`ValueError` if it is something else.

        >>> CrawlFigures.from_dict(CrawlFigures("news").to_dict()).spider
        'news'
        """
        if not isinstance(form, dict) or form.get("version") != VERSION:
            raise ValueError(f"not a report of version {VERSION}")
        figures = cls(str(form.get("spider", "")), str(form.get("started", "")))
        figures.updated = str(form.get("updated", ""))
        figures.finished = form.get("finished")
        sites = form.get("sites")
        if not isinstance(sites, dict):
            raise ValueError("a report without sites")
        for site, each in sites.items():
            found = figures.sites[site] = SiteFigures.from_dict(each)
            figures._earlier[site] = found.before, found.after
        return figures


class _LineCounter(DuplicationCounter):
    """Counts lines instead of sentences, which takes a tenth of the time."""

    def _pieces(self, text: str, site: str) -> Iterator[tuple[int, int]]:
        return ((hash((site, line)), len(line)) for line in text.split("\n") if line)


def _why(found: Extraction, alone: Extraction | None) -> str | None:
    """Return the reason to look at a page, if there is any."""
    if alone is not None and alone.is_one_text:
        if not found.is_one_text:
            return NOT_AN_ARTICLE
        if 2 * len(found.text) < len(alone.text):
            return LOST_HALF
    if found.kind == "blocked":
        return BLOCKED
    if found.kind == "empty":
        return NO_TEXT if alone is None else None
    return LEAST_CONFIDENT if found.is_one_text and _confidence_of(found) < _SURE else None


def _shown(url: str) -> str:
    """Return an address without a password in it, not longer than is remembered."""
    scheme, mark, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{path}"[:_LONGEST_ADDRESS]


def _confidence_of(page: Lookout | Extraction) -> float:
    """Return how confident the method was; 1 if it does not estimate that."""
    return 1.0 if page.confidence is None else page.confidence


def _repeated(counted: tuple[int, int]) -> float | None:
    return 1 - counted[1] / counted[0] if counted[0] else None


def _characters(counted: Duplication | None) -> tuple[int, int]:
    return (counted.characters, counted.unique_characters) if counted is not None else (0, 0)


def _sum(first: Iterable[int], second: Iterable[int]) -> tuple[int, int]:
    one, two = (a + b for a, b in zip(first, second, strict=True))
    return one, two
