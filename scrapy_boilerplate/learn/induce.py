"""From the fingerprints of a site's pages to its model: a pure function of a set of pages.

All blocks stand in one table (:mod:`.blocks`); then pages vote for containers (:mod:`.containers`).
Here follows what belongs to the article inside, and how far the model is trusted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from scrapy_boilerplate.core.page.arrays import Bool, Float, in_spans
from scrapy_boilerplate.core.page.tags import HEADINGS, PREFORMATTED
from scrapy_boilerplate.learn.article_sources import find_sources
from scrapy_boilerplate.learn.facts import ENOUGH_UNMATCHED, MANY_ARTICLES, Vote
from scrapy_boilerplate.learn.fingerprints import Fingerprint
from scrapy_boilerplate.learn.induction.blocks import Blocks
from scrapy_boilerplate.learn.induction.containers import Containers, choose_containers, f1
from scrapy_boilerplate.learn.options import LearningOptions
from scrapy_boilerplate.learn.paths import fold, tags_of, template_path_hash
from scrapy_boilerplate.learn.site_model import SiteModel
from scrapy_boilerplate.learn.template import USUAL_BLOCK

MOST_PATHS = 48  # of content in a model, and of boilerplate
MOST_TEMPLATES = 12  # that are learned of a site after its first
MOST_REPEATS = 256  # hashes of repeated texts in a model
MOST_FRAME = 24  # template paths of a frame
_PURE = 0.7  # kept share of the containers' text from which on they hold little but articles
_MOST_DISAGREEMENT = 1 / 3  # of the articles that a model may have otherwise than the method
_MOSTLY_KEPT = 0.5  # of a template path that is content where the containers hold little else
_NO_TEXT = 1.5  # times as many pages may lack a container if some have too little text to tell
_LEAST_TITLED, _MOST_TITLES = 3, 0.6  # pages whose titles have the name of the site
_CODE = PREFORMATTED | {"code"}
_MENUS = frozenset("li dt dd nav button option label footer".split())


def learn(
    site: str,
    fingerprints: Sequence[Fingerprint],
    names: Mapping[int, str],
    options: LearningOptions | None = None,
) -> SiteModel:
    """Learn a site from the fingerprints of its pages, in the order of the pages' ids.

    *names* gives the names behind hashes. The model is empty if nothing can be learned.
    """
    options = options or LearningOptions()
    model = SiteModel(site, pages=len(fingerprints))
    if len(fingerprints) >= options.min_pages:
        blocks = Blocks(fingerprints, names, options)
        containers = choose_containers(blocks)
        with_text = blocks.voting
        if containers.articles and containers.covered[with_text].mean() >= options.template_share:
            model = _model(site, blocks, containers)
    return replace(model, sources=find_sources((each.sources for each in fingerprints), names))


def learn_templates(
    site: str,
    unmatched: Mapping[int, Fingerprint],
    names: Mapping[int, str],
    options: LearningOptions,
) -> tuple[tuple[SiteModel, ...], set[int]]:
    """Return a model for each container that enough *unmatched* pages share, and those pages."""
    loose = replace(options, template_share=0.0)
    left = dict(sorted(unmatched.items()))
    templates: list[SiteModel] = []
    while len(left) >= ENOUGH_UNMATCHED:
        votes = learn(site, list(left.values()), names, loose).containers
        best = max(votes, key=lambda vote: (vote.pages, vote.name), default=Vote(""))
        if best.pages < ENOUGH_UNMATCHED:
            break
        key = template_path_hash(best.name)
        pages = {
            number for number, fingerprint in left.items() if key in fingerprint.containers["key"]
        }
        model = learn(site, [left[number] for number in sorted(pages)], names, loose)
        if model.has_container:
            templates.append(model)
        left = {number: fingerprint for number, fingerprint in left.items() if number not in pages}
    return tuple(templates), unmatched.keys() - left.keys()


def _model(site: str, blocks: Blocks, containers: Containers) -> SiteModel:
    """Put together what was learned."""
    options = blocks.options
    content, boilerplate = _judge_inner_paths(blocks, containers)
    agreed, elsewhere = _agreement(blocks, containers, boilerplate)
    mean = round(float(agreed.mean()), 3)
    if (agreed < 0.5).mean() > _MOST_DISAGREEMENT:
        return SiteModel(site, pages=blocks.pages, agreement=mean)
    titles = _find_titles(blocks, containers)
    titled = _have_title(blocks, titles)
    articles = list(containers.articles)
    is_sure = len(articles) >= MANY_ARTICLES and titled[articles].all()
    missing = int((blocks.voting & ~containers.covered).sum()) / blocks.pages
    has_template = (containers.covered | titled)[blocks.voting]
    pages = blocks.present.sum(axis=0)
    return SiteModel(
        site,
        pages=blocks.pages,
        articles=len(articles),
        containers=tuple(
            Vote(each.name, int(each.pages.sum()), round(each.score, 2))
            for each in containers.chosen
        ),
        titles=tuple(titles),
        content=tuple(blocks.votes(content, pages, blocks.share)[:MOST_PATHS]),
        boilerplate=tuple(blocks.votes(boilerplate, pages, blocks.share)[:MOST_PATHS]),
        repeats=_find_repeats(blocks, containers),
        title_parts=_title_parts(blocks),
        agreement=mean,
        safe=_is_safe(blocks, containers),
        missing=round(missing, 3),
        elsewhere=round(elsewhere, 3),
        frames=_find_frames(blocks, containers),
        complete=bool(has_template.mean() >= options.coverage),
        min_words=options.min_words,
        anchored=bool(is_sure),
        titled=bool(titled[articles].mean() >= options.coverage),
        threads=any(blocks.fingerprints[page].kind == "thread" for page in articles),
    )


# -- inside the containers ----------------------------------------------------------------------


def _judge_inner_paths(blocks: Blocks, containers: Containers) -> tuple[Bool, Bool]:
    """Return which template paths inside the containers are content, and which boilerplate."""
    inner = np.zeros(blocks.paths.size, dtype=bool)
    inner[blocks.path[containers.inside]] = True
    fresh = blocks.words * (containers.inside & ~blocks.repeated)
    if (fresh * blocks.kept).sum() <= _PURE * fresh.sum():
        return blocks.trusted & inner, blocks.without(blocks.distrusted & inner, _CODE)
    words = blocks.words * blocks.counted
    bad = 2 * blocks.by_path(words * (blocks.repeated | blocks.is_teaser)) >= blocks.by_path(words)
    kept = blocks.share >= _MOSTLY_KEPT
    boilerplate = blocks.without(blocks.distrusted & inner & bad, _CODE)
    return blocks.judged & inner & ~bad & kept, boilerplate


def _find_repeats(blocks: Blocks, containers: Containers) -> frozenset[int]:
    """Return the hashes of the most frequent texts that repeat inside or just before containers."""
    often = blocks.repeated & (blocks.text_pages[blocks.text] >= blocks.often)
    paths = np.zeros(blocks.paths.size, dtype=bool)
    paths[blocks.path[often]] = True
    often &= blocks.without(paths, _CODE)[blocks.path]  # articles have commands in common
    begins = [(blocks.start[page], first) for page, (first, _) in containers.articles.items()]
    before = in_spans(begins, blocks.words.size)
    texts = np.unique(blocks.text[often & (containers.inside | (before & blocks.kept))])
    texts = texts[np.argsort(-blocks.text_pages[texts], kind="stable")][:MOST_REPEATS]
    return frozenset(fold(blocks.texts[texts]).tolist())


def _title_parts(blocks: Blocks) -> frozenset[int]:
    """Return the hashes of what the documents' titles on most pages begin or end with."""
    fingerprints = [blocks.fingerprints[page] for page in blocks.original.nonzero()[0].tolist()]
    counts = Counter(end for each in fingerprints for end in {*each.title_ends.tolist()})
    least = max(_LEAST_TITLED, _MOST_TITLES * len(fingerprints))
    return frozenset(end for end, pages in counts.items() if pages >= least)


def _find_titles(blocks: Blocks, containers: Containers) -> list[Vote]:
    """Return the template paths of what says the document's title where articles begin."""
    # On pages that say it in a heading, or have the articles' h1, nothing else counts.
    articles = containers.articles
    begin = np.zeros(blocks.pages, dtype=np.int64)  # no title stands after the first long block
    long = blocks.good & (blocks.words >= USUAL_BLOCK)
    for page, (first, last) in articles.items():
        inside = long[first:last].nonzero()[0]
        begin[page] = first + inside[0] + 1 if inside.size else last
    opening = np.arange(blocks.page.size) < begin[blocks.page]
    says = opening & blocks.matches_title & (blocks.text_pages[blocks.text] < 2)
    paths = blocks.without(blocks.pages_with(says) > 0, _MENUS)
    others = blocks.without(paths, HEADINGS)
    in_heading = paths & ~others
    h1 = ((blocks.pages_with(blocks.kept & opening) > 0) & (blocks.share > 0.5)).nonzero()[0]
    in_h1 = np.zeros_like(paths)
    in_h1[h1] = ["h1" in tags_of(blocks.name(path)) for path in h1.tolist()]
    headed = blocks.by_page((says & in_heading[blocks.path]) | (opening & in_h1[blocks.path]))
    says &= in_heading[blocks.path] | (others[blocks.path] & (headed == 0)[blocks.page])
    counts = blocks.pages_with(says)
    most = np.zeros(blocks.pages, dtype=np.int64)  # a page has one title: where most have theirs
    np.maximum.at(most, blocks.page[says], counts[blocks.path[says]])
    counts = blocks.pages_with(says & (counts[blocks.path] == most[blocks.page]))
    least = max(2.0, 0.1 * len(articles))
    return blocks.votes(counts >= least, counts, counts / max(1, len(articles)))


# -- trust ----------------------------------------------------------------------------------------


def _agreement(blocks: Blocks, containers: Containers, boilerplate: Bool) -> tuple[Float, float]:
    """Return each article's agreement with what the method kept, and the share that lack most."""
    answered = containers.inside & ~blocks.repeated & ~boilerplate[blocks.path]
    kept = blocks.words * (blocks.kept & ~blocks.is_teaser)
    both = blocks.by_page(kept * answered)
    fresh = blocks.by_page(kept * ~blocks.repeated)
    answer = blocks.by_page(blocks.words * answered)
    articles = list(containers.articles)
    lacks = 2 * both < blocks.by_page(kept)
    return f1(fresh, answer, both)[articles], float(lacks[articles].mean())


def _find_frames(blocks: Blocks, containers: Containers) -> tuple[frozenset[int], ...]:
    """Return for each container the hashes of the template paths that most pages with it have."""
    frames = []
    for each in containers.chosen:
        pages = blocks.present[each.pages].sum(axis=0)
        usual = (2 * pages >= each.pages.sum()).nonzero()[0]
        usual = usual[np.lexsort((blocks.paths[usual], -pages[usual]))][:MOST_FRAME]
        frames.append(frozenset(blocks.paths[usual].tolist()))
    return tuple(frame for frame in frames if frame)


def _is_safe(blocks: Blocks, containers: Containers) -> bool:
    """Return whether a page without container may be said to have no article."""
    original, options = blocks.original, blocks.options
    lists = blocks.lists | containers.archives
    covered = containers.covered | lists
    judged = original & (covered | blocks.voting)  # too little text tells nothing
    others = int((original & ~lists).sum())
    return bool(
        blocks.pages >= options.safe_pages
        and covered[judged].mean() >= options.coverage
        and covered[original].mean() >= 1 - _NO_TEXT * (1 - options.coverage)
        and 2 * len(containers.articles) >= max(others, options.safe_pages)
    )


def _have_title(blocks: Blocks, titles: Sequence[Vote]) -> Bool:
    """Return whether each page has a title where articles have theirs."""
    hashes = {template_path_hash(vote.name) for vote in titles}
    anchors = [row for row, number in enumerate(blocks.paths.tolist()) if number in hashes]
    return np.asarray(blocks.present[:, anchors].any(axis=1))
