"""From the sketches of a site's pages to its model: a pure function of a set of pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.sites.model import Cut, SiteModel, Vote
from scrapy_boilerplate.sites.sketch import Sketch
from scrapy_boilerplate.sites.template import fold

__all__ = ["FREEZE_PAGES", "LearningOptions", "learn"]

Int = NDArray[Any]
Float = NDArray[np.float64]
Bool = NDArray[np.bool_]


FREEZE_PAGES = 20
"""Pages from which on a site is learned, unless said otherwise."""


@dataclass(frozen=True, slots=True)
class LearningOptions:
    """When a site's model is used, and what counts as evidence.

    The values are round numbers that hold for all the development sites together; none is tuned
    to a site.
    """

    min_pages: int = 2
    """Pages from which on a model is used; pages without its container fall back."""
    safe_pages: int = 8
    """Pages from which on a model may answer that a page has no article."""
    freeze_pages: int = FREEZE_PAGES
    """Pages from which on a site is learned; also the most that are remembered of it."""
    coverage: float = 0.85
    """Share of the pages that must have the container, or be lists, for a safe model."""
    min_words: int = 50
    """Words of good text that a page must have to vote, about 300 characters."""
    repeated_share: float = 0.25
    """Share of the pages on which a text must stand in a trusted template path to be a repeat;
    elsewhere two pages are enough."""
    near_duplicate: float = 0.6
    """Shared part of two pages' text, of that of both, from which on only one of them counts."""
    trust: float = 0.5
    """Kept share of a template path's text above which the template path is content."""
    distrust: float = 0.1
    """Kept share of a template path's text below which the template path is boilerplate."""
    purity: float = 0.7
    """Kept share of the containers' text above which the containers hold little but articles. Then
    every template path inside of which some text was kept is content, but for those that mostly
    repeat or point elsewhere."""
    tolerance: float = 0.15
    """By how much a container may be worse than the best and still win, being more specific."""
    min_agreement: float = 0.6
    """Mean agreement (F1) of a container with the kept text that it needs."""
    template_share: float = 2 / 3
    """Share of the pages with text enough that must have one of the containers; below it the pages
    have no template in common, and nothing is learned."""
    max_disagreement: float = 1 / 3
    """Share of pages on which a model may disagree with the single-page method (F1 below one
    half) before it loses its vote."""
    drift_pages: int = 50
    """Pages after which a learned site is checked, again and again."""
    drift_share: float = 1 / 3
    """By how much the share of pages without container may rise before the site is learned anew."""

    def __post_init__(self) -> None:
        if not 2 <= self.min_pages <= self.safe_pages <= self.freeze_pages:
            raise ValueError("min_pages, safe_pages and freeze_pages must ascend, from 2")
        shares = "coverage repeated_share near_duplicate trust distrust purity template_share"
        for name in shares.split():
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must be a share, in [0, 1]")


MOST_CONTAINERS = 6
MOST_SLOTS = 48
MOST_REPEATS = 256
MOST_CUTS = 4
_USUAL_BLOCK = 15  # words from which on a block counts nearly in full
_LIST_PENALTY = 0.5  # what a page that lists others takes from the votes of a container it has
_SEVERAL = 3  # containers side by side that make a page an archive
_SOMETIMES_KEPT = 0.25  # of a template path's text, for it to be content because all around it is
_NEARLY_AS_RARE = 1.2  # times the pages of the rarest container; among those the smallest wins
_NO_TEXT = 1.5  # times as many pages may lack a container if some have too little text to tell
_SURE_PAGES = 16  # articles that must all have had a start anchor before its absence tells


def learn(
    site: str,
    sketches: Sequence[Sketch],
    names: Mapping[int, str],
    options: LearningOptions | None = None,
) -> SiteModel:
    """Learn a site from the sketches of its pages, in any order.

    *names* says what the hashes in the sketches stand for. The model is empty, without containers,
    if nothing can be learned.
    """
    return WrapperInduction(sketches, names, options or LearningOptions()).model(site)


def _f1(one: Any, other: Any, both: Any) -> Any:
    return 2 * both / np.maximum(one + other, 1e-9)


class WrapperInduction:
    """The blocks of all pages in one table, and what follows from them, step by step."""

    def __init__(
        self, sketches: Sequence[Sketch], names: Mapping[int, str], options: LearningOptions
    ) -> None:
        self.sketches = sorted(sketches, key=Sketch.order)
        self.names = names
        self.options = options
        sizes = [sketch.paths.size for sketch in self.sketches]
        self.pages = len(sizes)
        self.start = np.append(0, np.cumsum(sizes)).astype(np.int64)
        self.page = np.repeat(np.arange(self.pages), sizes)

        def column(name: str, kind: Any) -> Int:
            parts = [np.zeros(0, kind), *(getattr(sketch, name) for sketch in self.sketches)]
            return np.concatenate(parts).astype(kind)

        self.words = column("words", np.float64)
        self.kept, self.matches_title = column("kept", bool), column("matches_title", bool)
        self.is_teaser = column("is_teaser", bool)
        paths, texts = column("paths", np.uint64), column("texts", np.uint64)
        self.paths, self.path = np.unique(paths, return_inverse=True)
        self.texts, self.text = np.unique(paths << np.uint64(32) | texts, return_inverse=True)

    def _by_page(self, values: Any) -> Float:
        return np.bincount(self.page, values, self.pages).astype(np.float64)

    def _by_path(self, values: Any) -> Float:
        return np.bincount(self.path, values, self.paths.size).astype(np.float64)

    # -- repeats -----------------------------------------------------------------------------

    @cached_property
    def original(self) -> Bool:
        """Whether each page is not nearly the same as one before it.

        Both in what was kept and in all of it: a method may keep the same box on different pages.
        """
        own = self.words * ~self.is_teaser
        alike = self._alike(own * self.kept) & self._alike(own)
        original = np.ones(self.pages, dtype=bool)
        for page in range(1, self.pages):
            original[page] = not (alike[page, :page] & original[:page]).any()
        return original

    def _alike(self, weight: Float) -> Bool:
        """Return for each pair of pages whether they share most of their weighed text."""
        mass = np.zeros((self.pages, self.texts.size))
        mass[self.page, self.text] = weight
        shared = mass @ (mass > 0).T
        shared = np.minimum(shared, shared.T)
        total = mass.sum(axis=1)
        union = total[:, None] + total[None, :] - shared
        alike: Bool = (shared >= self.options.near_duplicate * union) & (shared > 0)
        return alike

    @cached_property
    def counted(self) -> Bool:
        """Whether each block stands on a page that counts."""
        return self.original[self.page]

    @cached_property
    def text_pages(self) -> Int:
        """Number of pages on which each text stands in its path."""
        present = np.zeros((self.pages, self.texts.size), dtype=bool)
        present[self.page, self.text] = True
        times: Int = present[self.original].sum(axis=0)
        return times

    @cached_property
    def path_presence(self) -> Bool:
        """For each page and template path whether it is there."""
        present = np.zeros((self.pages, self.paths.size), dtype=bool)
        present[self.page, self.path] = True
        return present

    @cached_property
    def repeated(self) -> Bool:
        """Whether each block's text repeats on other pages, in its path."""
        times = self.text_pages[self.text]
        twice = times >= 2
        words = self.words * self.counted
        total, unique = self._by_path(words), self._by_path(words * ~twice)
        kept = self._by_path(words * (self.kept & ~twice))
        trusted = (kept > self.options.trust * unique) & (2 * unique >= total)
        often = times >= max(2.0, self.options.repeated_share * self.original.sum())
        repeated: Bool = np.where(trusted[self.path], often, twice)
        return repeated

    # -- template paths ----------------------------------------------------------------------------

    @cached_property
    def path_words(self) -> Float:
        """Words of each template path that do not repeat."""
        return self._by_path(self.words * (self.counted & ~self.repeated))

    @cached_property
    def path_share(self) -> Float:
        """Share of them that the single-page method kept."""
        kept = self._by_path(self.words * (self.counted & ~self.repeated & self.kept))
        return kept / np.maximum(self.path_words, 1)

    @cached_property
    def judged(self) -> Bool:
        """Whether each template path was seen on two pages and can be judged."""
        several: Bool = self.path_presence[self.original].sum(axis=0) >= 2
        return several

    @cached_property
    def trusted(self) -> Bool:
        """Whether each template path is content."""
        total = self._by_path(self.words * self.counted)
        mostly_unique = 2 * self.path_words >= total
        trusted: Bool = self.judged & mostly_unique & (self.path_share > self.options.trust)
        return trusted

    @cached_property
    def dropped(self) -> Bool:
        """Whether each template path is boilerplate."""
        return self.judged & (self.path_share < self.options.distrust)

    # -- pages -------------------------------------------------------------------------------

    @cached_property
    def good(self) -> Bool:
        """Whether each block is good text of its own page."""
        return (self.kept | self.trusted[self.path]) & ~self.repeated & ~self.is_teaser

    @cached_property
    def page_words(self) -> Float:
        """Words of good text of each page."""
        return self._by_page(self.words * self.good)

    @cached_property
    def lists(self) -> Bool:
        """Whether each page does little but point to other pages."""
        pointing = self._by_page(self.words * (self.kept & self.is_teaser))
        least = np.maximum(self.page_words, self.options.min_words / 2)
        return (self.page_words < self.options.min_words) & (pointing > least)

    @cached_property
    def voting(self) -> Bool:
        """Whether each page has a vote."""
        return (self.page_words >= self.options.min_words) & self.original

    @cached_property
    def weight(self) -> Float:
        """What each block weighs in a vote.

        Long blocks in template paths that most pages have are the article; comments are in fewer,
        and what stands around an article is short.
        """
        presence = self.path_presence[self.voting].sum(axis=0) / max(1, self.voting.sum())
        weight: Float = presence[self.path] * self.words**2 / (self.words + _USUAL_BLOCK)
        return weight

    # -- containers --------------------------------------------------------------------------

    @cached_property
    def keys(self) -> dict[int, _Candidate]:
        """The possible containers."""
        good = np.append(0, np.cumsum(self.weight * self.good))
        fresh = np.append(0, np.cumsum(self.weight * ~self.repeated))
        words = np.append(0, np.cumsum(self.words))
        totals = self._by_page(self.weight * self.good)
        found: dict[int, _Candidate] = {}
        for page, sketch in enumerate(self.sketches):
            first, last = self.start[page] + sketch.first, self.start[page] + sketch.last
            scores = _f1(totals[page], fresh[last] - fresh[first], good[last] - good[first])
            sizes = words[last] - words[first]
            rows = (sketch.keys, scores, sketch.count, sizes, first, last)
            for key, score, count, size, low, high in zip(
                *(row.tolist() for row in rows), strict=True
            ):
                candidate = found.setdefault(key, _Candidate({}, {}, {}, {}))
                if count == 1:
                    candidate.scores[page] = score
                    candidate.sizes[page] = size
                    candidate.ranges[page] = (low, high)
                else:
                    candidate.several[page] = count
        return found

    @cached_property
    def archives(self) -> Bool:
        """Whether each page shows articles side by side.

        There the container that by itself is right on most pages stands several times; what is
        around them must not win by being on all pages.
        """
        voting = set(np.flatnonzero(self.voting).tolist())
        archives = np.zeros(self.pages, dtype=bool)
        least = 1 - self.options.tolerance
        for candidate in self.keys.values():
            several = [page for page, count in candidate.several.items() if count >= _SEVERAL]
            if not several or 2 * len(candidate.scores) < len(voting):
                continue
            fits = {page for page in voting if candidate.scores.get(page, 0.0) >= least}
            if 3 * len(fits) >= 2 * len(voting & candidate.pages) and 2 * len(fits) >= len(voting):
                archives[several] = True
        return archives

    @cached_property
    def containers(self) -> list[int]:
        """The containers, by greedy cover of the voting pages."""
        options = self.options
        voting = set(np.flatnonzero(self.voting & ~self.archives).tolist())
        lists = set(np.flatnonzero(self.lists).tolist())
        open_pages = set(voting)
        fitting: set[int] = set()
        least_support = max(2.0, 0.05 * len(voting))
        chosen: list[int] = []
        while open_pages and len(chosen) < MOST_CONTAINERS:
            votes: dict[int, tuple[float, int, float]] = {}
            for key, candidate in self.keys.items():
                support = open_pages & candidate.scores.keys()
                if key in chosen or key not in self.names or len(support) < least_support:
                    continue
                # Several of them inside another container are parts of an article.
                pages = voting & (candidate.scores.keys() | candidate.several.keys() & fitting)
                agreement = sum(candidate.scores.get(page, 0.0) for page in sorted(pages))
                if agreement < options.min_agreement * len(pages):
                    continue
                total = sum(candidate.scores[page] for page in sorted(support))
                total -= _LIST_PENALTY * len(lists & candidate.scores.keys())
                size = sum(candidate.sizes[page] for page in support) / len(support)
                votes[key] = (total, len(candidate.pages), size)
            most = max((vote[0] for vote in votes.values()), default=0.0)
            if most <= 0:
                break
            least = most * (1 - options.tolerance)
            good = {key: vote for key, vote in votes.items() if vote[0] >= least}
            rarest = min(pages for _, pages, _ in good.values())
            best = min(
                (pages > rarest * _NEARLY_AS_RARE, size, pages, -total, key)
                for key, (total, pages, size) in good.items()
            )[-1]
            chosen.append(best)
            candidate = self.keys[best]
            fits = {page for page, score in candidate.scores.items() if score >= 0.5}
            fitting |= fits
            open_pages -= fits | candidate.several.keys()
        # The rarer one first: a page that has both is of its template.
        return sorted(chosen, key=lambda key: (len(self.keys[key].pages), chosen.index(key)))

    def _first_of(self, containers: list[int]) -> dict[int, int]:
        """Return for each voting page the first of *containers* that it has."""
        first: dict[int, int] = {}
        for page in np.flatnonzero(self.voting).tolist():
            for key in containers:
                if page in self.keys[key].pages:
                    first[page] = key
                    break
        return first

    @cached_property
    def articles(self) -> dict[int, tuple[int, int]]:
        """The pages that have a container, and the blocks inside it."""
        return {
            page: self.keys[key].ranges[page]
            for page, key in self._first_of(self.containers).items()
            if page in self.keys[key].ranges
        }

    @cached_property
    def inside(self) -> Bool:
        """Whether each block stands in its page's container."""
        inside = np.zeros(self.words.size, dtype=bool)
        for first, last in self.articles.values():
            inside[first:last] = True
        return inside

    def _covered(self) -> set[int]:
        return set().union(*(self.keys[key].pages for key in self.containers))

    @cached_property
    def inner_paths(self) -> tuple[Bool, Bool]:
        """Which template paths inside containers are content, and which are boilerplate."""
        inner = np.zeros(self.paths.size, dtype=bool)
        inner[self.path[self.inside]] = True
        fresh = self.words * (self.inside & ~self.repeated)
        if (fresh * self.kept).sum() <= self.options.purity * fresh.sum():
            return self.trusted & inner, self.dropped & inner
        words = self.words * self.counted
        bad = 2 * self._by_path(words * (self.repeated | self.is_teaser)) >= self._by_path(words)
        kept = self.path_share >= _SOMETIMES_KEPT
        return self.judged & inner & ~bad & kept, self.dropped & inner & bad

    # -- titles ------------------------------------------------------------------------------

    def _titles(self) -> list[Vote]:
        """The template paths of headings that say what the document's title says, where articles
        begin.
        """
        begin = np.zeros(self.pages, dtype=np.int64)  # no title stands after the first long block
        long = self.good & (self.words >= _USUAL_BLOCK)
        for page, (first, last) in self.articles.items():
            inside = np.flatnonzero(long[first:last])
            begin[page] = first + inside[0] + 1 if inside.size else last
        heading = self.matches_title & (self.text_pages[self.text] < 2)
        heading &= np.arange(heading.size) < begin[self.page]
        pages = np.unique(np.stack([self.path[heading], self.page[heading]]), axis=1)[0]
        counts = np.bincount(pages, minlength=self.paths.size)
        least = max(2.0, 0.1 * len(self.articles))
        return self._votes(counts >= least, counts, counts / max(1, len(self.articles)))

    def _votes(self, chosen: Bool, pages: Int, scores: Float) -> list[Vote]:
        votes = [
            Vote(
                self._name(path),
                int(pages[path]),
                round(float(scores[path]), 3),
            )
            for path in np.flatnonzero(chosen).tolist()
            if int(self.paths[path]) in self.names
        ]
        return sorted(votes, key=lambda vote: (-vote.pages, vote.name))

    def _name(self, path: int) -> str:
        return self.names[int(self.paths[path])]

    # -- cuts --------------------------------------------------------------------------------

    def _ends(self) -> dict[tuple[int, ...], dict[int, tuple[float, float]]]:
        """Slots and pairs of template paths in containers: good and bad words from there on, by
        page.

        Bad is what repeats or points elsewhere, and is not dropped as boilerplate anyway.
        """
        good = np.append(0, np.cumsum(self.words * self.good))
        bad = ~self.good & (self.is_teaser | self.repeated) & ~self.inner_paths[1][self.path]
        other = np.append(0, np.cumsum(self.words * bad))
        ends: dict[tuple[int, ...], dict[int, tuple[float, float]]] = {}
        for page, (first, last) in self.articles.items():
            paths = self.path[first:last].tolist()
            for at, path in enumerate(paths):
                block = first + at
                if good[block] > good[first]:  # the article has begun
                    after = (float(good[last] - good[block]), float(other[last] - other[block]))
                    ends.setdefault((path,), {}).setdefault(page, after)
                    ends.setdefault((paths[at - 1], path), {}).setdefault(page, after)
        return ends

    def _cuts(self) -> list[Cut]:
        """Slots, or pairs of neighbouring template paths, after which a container holds no good
        text.

        Found by greedy cover of the articles, as the containers are.
        """
        least = max(2.0, 0.25 * len(self.articles))
        total = sum(float((self.words * self.good)[a:b].sum()) for a, b in self.articles.values())
        ends = {
            end: pages
            for end, pages in self._ends().items()
            if all(int(self.paths[path]) in self.names for path in end)
            and sum(other for _, other in pages.values())
            > max(10 * sum(good for good, _ in pages.values()), 0.02 * total)
        }
        cuts: list[Cut] = []
        done: set[int] = set()
        while len(cuts) < MOST_CUTS:
            worth = {
                end: sum(pages[page][1] for page in sorted(pages.keys() - done))
                for end, pages in ends.items()
                if len(pages.keys() - done) >= least
            }
            if not worth:
                break
            best = min(worth, key=lambda end: (-worth[end], len(end), end))
            found = ends[best]
            words = sum(other for _, other in found.values()) / len(found)
            cuts.append(Cut(tuple(map(self._name, best)), len(found), round(words, 1)))
            done |= found.keys()
        return cuts

    # -- the model ---------------------------------------------------------------------------

    def _agreement(self) -> Float:
        """Agreement of each article's container with what the single-page method kept."""
        kept = self.words * (self.kept & ~self.repeated & ~self.is_teaser)
        answer = self.words * (self.inside & ~self.repeated & ~self.inner_paths[1][self.path])
        both = self._by_page(np.minimum(kept, answer))
        f1: Float = _f1(self._by_page(kept), self._by_page(answer), both)
        return f1[list(self.articles)]

    def _is_safe(self, has_container: Bool) -> bool:
        """Tell whether a page without container may be said to have no article."""
        lists = self.lists | self.archives
        covered = has_container | lists
        telling = self.original & (covered | self.voting)  # too little text tells nothing
        others = int((self.original & ~lists).sum())
        return bool(
            self.pages >= self.options.safe_pages
            and covered[telling].mean() >= self.options.coverage
            and covered[self.original].mean() >= 1 - _NO_TEXT * (1 - self.options.coverage)
            and 2 * len(self.articles) >= max(others, self.options.safe_pages)
        )

    def model(self, site: str) -> SiteModel:
        """Put together what was learned."""
        options = self.options
        if self.pages < options.min_pages or not self.articles:
            return SiteModel(site, pages=self.pages)
        has_container = np.zeros(self.pages, dtype=bool)
        has_container[list(self._covered())] = True
        if has_container[self.voting & ~self.lists].mean() < options.template_share:
            return SiteModel(site, pages=self.pages)
        agreement = self._agreement()
        if (agreement < 0.5).mean() > options.max_disagreement:
            return SiteModel(site, pages=self.pages, agreement=round(float(agreement.mean()), 3))
        titles = self._titles()
        slot_pages = self.path_presence.sum(axis=0)
        content, boilerplate = (
            self._votes(chosen, slot_pages, self.path_share) for chosen in self.inner_paths
        )
        repeats = np.unique(self.text[self.inside & self.repeated])
        repeats = repeats[np.argsort(-self.text_pages[repeats], kind="stable")][:MOST_REPEATS]
        anchored = {vote.name for vote in titles}
        anchors = [
            path
            for path in range(self.paths.size)
            if self.names.get(int(self.paths[path])) in anchored
        ]
        with_anchor: Bool = np.asarray(self.path_presence[:, anchors].any(axis=1))
        on_articles: Bool = with_anchor[list(self.articles)]
        all_anchored = bool(anchors) and bool(on_articles.all())
        return SiteModel(
            site,
            pages=self.pages,
            articles=len(self.articles),
            containers=tuple(
                Vote(
                    self.names[key],
                    len(self.keys[key].pages),
                    round(sum(score for _, score in sorted(self.keys[key].scores.items())), 2),
                )
                for key in self.containers
            ),
            titles=tuple(titles),
            content=tuple(content[:MOST_SLOTS]),
            boilerplate=tuple(boilerplate[:MOST_SLOTS]),
            cuts=tuple(self._cuts()),
            repeats=frozenset(fold(self.texts[repeats]).tolist()),
            agreement=round(float(agreement.mean()), 3),
            safe=self._is_safe(has_container),
            missing=round(int((self.voting & ~has_container).sum()) / self.pages, 3),
            complete=bool((has_container | with_anchor)[self.voting].mean() >= options.coverage),
            min_words=options.min_words,
            anchored=all_anchored and len(self.articles) >= _SURE_PAGES,
        )


@dataclass(frozen=True, slots=True)
class _Candidate:
    """What the pages say of a possible container."""

    scores: dict[int, float]
    """Agreement with the good text, by page that has it once."""
    sizes: dict[int, float]
    """Words inside it."""
    ranges: dict[int, tuple[int, int]]
    """Blocks inside it."""
    several: dict[int, int]
    """How many of them stand side by side, by page that has it several times."""

    @property
    def pages(self) -> set[int]:
        """Pages that have it."""
        return self.scores.keys() | self.several.keys()
