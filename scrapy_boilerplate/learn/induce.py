"""From the sketches of a site's pages to its model: a pure function of a set of pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scrapy_boilerplate.core.page.arrays import Bool
from scrapy_boilerplate.learn.facts import ENOUGH_STRANGERS, Vote
from scrapy_boilerplate.learn.induction.blocks import (
    BlockTable,
    GoodText,
    PathShares,
    Repeats,
    find_good_text,
    find_repeats,
    judge_paths,
    read_blocks,
)
from scrapy_boilerplate.learn.induction.containers import Containers, choose_containers
from scrapy_boilerplate.learn.induction.ends import find_cuts
from scrapy_boilerplate.learn.induction.inside import (
    InnerPaths,
    find_leads,
    find_titles,
    judge_inner_paths,
    path_votes,
    repeats_inside,
)
from scrapy_boilerplate.learn.induction.trust import (
    agreement,
    elsewhere,
    find_anchors,
    find_frames,
    have_template,
    is_safe,
)
from scrapy_boilerplate.learn.model import SiteModel
from scrapy_boilerplate.learn.options import LearningOptions
from scrapy_boilerplate.learn.paths import template_path_hash
from scrapy_boilerplate.learn.sketch import Sketch

MOST_PATHS = 48
"""Most template paths of content in a model, and most of boilerplate."""

MOST_TEMPLATES = 12
"""Most templates that are learned of a site after its first."""


def learn(
    site: str,
    sketches: Sequence[Sketch],
    names: Mapping[int, str],
    options: LearningOptions | None = None,
) -> SiteModel:
    """Learn a site from the sketches of its pages, in any order.

    *names* gives the names behind the hashes in the sketches. The model is empty, without
    containers, if nothing can be learned.
    """
    options = options or LearningOptions()
    if len(sketches) >= options.min_pages:
        found = _induce(read_blocks(sketches, names), options)
        containers = found.containers
        if containers.articles and have_template(found.text, containers, options):
            return _model(site, found, options)
    return SiteModel(site, pages=len(sketches))


def learn_templates(
    site: str, strangers: Mapping[int, Sketch], names: Mapping[int, str], options: LearningOptions
) -> tuple[tuple[SiteModel, ...], set[int]]:
    """Learn templates from *strangers*, the pages of a site that have none of its templates.

    Returns a model for each container that enough of them share, and the numbers of the pages that
    have one of these. Most of the strangers may have no template at all.
    """
    loose = replace(options, template_share=0.0)
    left = dict(sorted(strangers.items()))
    templates: list[SiteModel] = []
    while len(left) >= ENOUGH_STRANGERS:
        votes = learn(site, list(left.values()), names, loose).containers
        best = max(votes, key=lambda vote: (vote.pages, vote.name), default=Vote(""))
        if best.pages < ENOUGH_STRANGERS:
            break
        key = template_path_hash(best.name)
        pages = {number for number, sketch in left.items() if key in sketch.keys}
        model = learn(site, [left[number] for number in sorted(pages)], names, loose)
        if model.useful:
            templates.append(model)
        left = {number: sketch for number, sketch in left.items() if number not in pages}
    return tuple(templates), strangers.keys() - left.keys()


@dataclass(frozen=True, slots=True, eq=False)
class WrapperInduction:
    """The result of each step, from the blocks of all pages to what is in the containers."""

    table: BlockTable
    repeats: Repeats
    paths: PathShares
    text: GoodText
    containers: Containers
    inner: InnerPaths


def _induce(table: BlockTable, options: LearningOptions) -> WrapperInduction:
    repeats = find_repeats(table, options)
    paths = judge_paths(table, repeats, options)
    text = find_good_text(table, repeats, paths, options)
    containers = choose_containers(table, repeats, text, options)
    inner = judge_inner_paths(table, repeats, paths, containers, options)
    return WrapperInduction(table, repeats, paths, text, containers, inner)


def _model(site: str, found: WrapperInduction, options: LearningOptions) -> SiteModel:
    """Put together what was learned."""
    table, repeats, paths = found.table, found.repeats, found.paths
    text, containers, inner = found.text, found.containers, found.inner
    agreed = agreement(table, repeats, containers, inner)
    mean = round(float(agreed.mean()), 3)
    if (agreed < 0.5).mean() > options.max_disagreement:
        return SiteModel(site, pages=table.pages, agreement=mean)
    titles = find_titles(table, repeats, text, containers)
    cuts = find_cuts(table, repeats, text, containers, inner)
    anchors = find_anchors(table, paths, containers, titles)
    missing = int((text.voting & ~containers.covered).sum()) / table.pages
    has_template = (containers.covered | anchors.present)[text.voting]
    return SiteModel(
        site,
        pages=table.pages,
        articles=len(containers.articles),
        containers=_container_votes(table, containers),
        titles=tuple(titles),
        content=_path_votes(found, inner.content),
        boilerplate=_path_votes(found, inner.boilerplate),
        cuts=tuple(cuts),
        leads=tuple(find_leads(table, repeats, containers)),
        repeats=repeats_inside(table, repeats, containers),
        agreement=mean,
        safe=is_safe(table, repeats, text, containers, options),
        missing=round(missing, 3),
        elsewhere=round(elsewhere(table, repeats, containers, inner, cuts), 3),
        frames=find_frames(table, paths, containers),
        complete=bool(has_template.mean() >= options.coverage),
        min_words=options.min_words,
        anchored=anchors.required,
    )


def _path_votes(found: WrapperInduction, chosen: Bool) -> tuple[Vote, ...]:
    pages = found.paths.present.sum(axis=0)
    return tuple(path_votes(found.table, chosen, pages, found.paths.share)[:MOST_PATHS])


def _container_votes(table: BlockTable, containers: Containers) -> tuple[Vote, ...]:
    return tuple(
        Vote(
            table.names[key],
            len(candidate.pages),
            round(sum(score for _, score in sorted(candidate.scores.items())), 2),
        )
        for key, candidate in containers.chosen
    )
