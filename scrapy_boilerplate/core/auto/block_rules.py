"""The rules that follow the forests, in order: what a page keeps beside its likeliest blocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.answer.kept_notes import NOTES, with_notes
from scrapy_boilerplate.core.answer.posts import (
    USUAL,
    are_comments_alone,
    find_comments,
    find_posts,
    may_be_signed,
    may_have_comments,
)
from scrapy_boilerplate.core.answer.record import Rule
from scrapy_boilerplate.core.auto._features_native import (
    ABOVE,
    LEAST_OVERLAP,
    LEAST_UNITS,
    Features,
)
from scrapy_boilerplate.core.auto.alike import with_alike, with_callouts
from scrapy_boilerplate.core.auto.answers import BETA, FEW_WORDS, choose_blocks
from scrapy_boilerplate.core.auto.archives import mail_blocks
from scrapy_boilerplate.core.auto.contents import drop_contents
from scrapy_boilerplate.core.auto.features import bits_in
from scrapy_boilerplate.core.auto.kinds import KINDS, PageKind
from scrapy_boilerplate.core.auto.lexicon import NAMED
from scrapy_boilerplate.core.auto.lists import with_lists, with_specifications
from scrapy_boilerplate.core.auto.opening import (
    ASIDE,
    BOX,
    NAMED_BOX,
    add_opening,
    drop_boxes,
    drop_calls,
    drop_dates,
    drop_forms,
    drop_labels,
)
from scrapy_boilerplate.core.auto.sections import (
    LINKED,
    with_sections,
    without_empty_sections,
    without_lead_ins,
    without_references,
    without_related,
)
from scrapy_boilerplate.core.auto.text_end import (
    LEAST_APART,
    LESS_LIKELY,
    after_the_end,
    are_apart,
    beside,
    container,
    links_behind,
    other_articles,
)
from scrapy_boilerplate.core.auto.wholes import complete
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page.arrays import Bool, Float
from scrapy_boilerplate.core.page.unseen import are_dialogs, are_undisplayed

Favor: TypeAlias = Literal["balanced", "precision", "recall"]

_LEAST_OF_BLOCK = 0.5  # share of a block's words in a post from which on it belongs to the post

_LEAST_BLOCKS = 4
"""Blocks of an article with comments: a text, a heading, and a name above what it says."""

_MAY_BE_MANUAL = 0.15
"""Probability of documentation from which on gaps in the text are filled, and sections added."""

_SMALL, _LIKELY_OF_SMALL = 100, 0.25
"""A page of fewer words has content if one of its blocks has this probability."""

_OUTWEIGHED = 0.5
"""How many times the words of what no reader can open the text has at least."""

_PUBLISHED = ("page_published", "page_schema_article")
"""Metadata of a page that says when it was published, or that it is an article."""

_PRODUCT = ("page_schema_product", "page_price")
"""Metadata of a page that says that it is a product, or its price."""
_SHEETS = ("table", "dl")
"""Tags of its data sheets."""

_HEADING, _FOOTER = bits_in(ABOVE, "heading"), bits_in(ABOVE, "footer")
COMMENT, _FOOT = bits_in(NAMED, "comment"), bits_in(NAMED, "foot")
"""Bits of blocks that stand in something named a comment, or the foot of the page."""


class Sight(NamedTuple):
    """What rules go by, of the blocks that are kept."""

    alike: int  # units at most that are like one in which a block stands
    first: int  # long block …
    headline: int  # … and the one before it, as far as these are not kept together; −1 for none
    title: int  # the heading that says the title, or the first ``h1``; 0 for none, or nothing above
    above: int  # the heading right above all that says the title, not linked; −1 for none
    has_menu: bool  # whether a link is above that, and nearly all other words are below
    has_short: bool  # whether one is hardly a word
    has_bare: bool  # whether a heading may have nothing below
    has_lead_in: bool  # whether a line with a colon may announce what is dropped …
    has_reference: bool  # … or name another text, with a link
    has_callout: bool  # whether one that is not kept may stand in a callout
    has_teaser: bool  # whether one stands in units alike of which most hold a teaser
    has_link_behind: bool  # whether one is nothing but links behind most of the text
    may_add: bool  # whether another one is likely enough to be kept beside them
    has_unsure: bool  # whether some may be calls, but not many
    named: int  # the names above them, a bit each …
    bits: int  # … and the elements

    @property
    def has_box(self) -> bool:
        """Whether one stands in an element, or something named, that stands beside a text."""
        return bool(self.bits & BOX or self.named & NAMED_BOX)

    @property
    def may_have_calls(self) -> bool:
        """Whether some may be calls: not many are unsure, or one stands in ``aside``."""
        return self.has_unsure or bool(self.bits & ASIDE)

    @property
    def has_foot(self) -> bool:
        """Whether one stands in a footer, or in something named so."""
        return bool(self.bits & _FOOTER or self.named & _FOOT)


@dataclass(slots=True)
class Judged:
    """A page whose blocks the forests have judged, and what rules tell the later ones."""

    page: Page
    features: Features
    content: Float  # probability of each block that it is content
    chosen: Bool  # the blocks that the forests chose
    favor: Favor
    comments: bool  # whether comments on an article are kept
    thread: float | None  # log-odds that the page is one; None where posts are not looked for
    kinds: Mapping[PageKind, float]  # how likely the page is of each kind
    is_published: bool  # whether the page says that it is an article, or of when
    behind: Bool | None = None  # what stands after the end of the text
    is_thread: bool = False
    is_mail: bool = False
    _seen: tuple[Bool, Sight] | None = None

    def is_kind(self, kind: PageKind, bound: float | None = None) -> bool:
        """Tell whether a *kind* is likelier than *bound*, by default the one to be called so."""
        return self.kinds.get(kind, 0) > (KINDS[kind] if bound is None else bound)

    @property
    def is_product(self) -> bool:
        """Whether the page is of a product, with a data sheet, and details that it shows later."""
        said = self.features.metadata
        return any(said[name] > 0 for name in _PRODUCT) or self.is_kind("product")

    @property
    def may_be_manual(self) -> bool:
        """Whether it may be one of documentation, of which gaps are filled."""
        return self.is_kind("documentation", _MAY_BE_MANUAL)

    @property
    def has_boxes(self) -> bool:
        """Whether the page may be one of boxes and links: of a product, a list or a manual."""
        return self.may_be_manual or self.is_kind("list") or self.is_product

    def look(self, keep: Bool) -> Sight:
        """Return what rules go by, which stays until one of them changes something."""
        if self._seen is None or self._seen[0] is not keep:
            self._seen = keep, Sight(*self.features.look(keep, self.content))
        return self._seen[1]


@dataclass(frozen=True, slots=True)
class BlockRule(Rule):
    """A rule over the blocks of a page."""

    keep: Callable[[Judged, Bool], Bool]
    """What is kept, by what was before; the same array if the rule changes nothing."""


class Kept(NamedTuple):
    """The kept blocks, and what decided."""

    keep: Bool
    rule: NDArray[np.uint8]
    """Number in :data:`RULES` of the last rule that changed each block, plus 1; 0 for none."""
    least: float
    """Least probability of the blocks that the forests chose; infinite if they chose none."""
    is_thread: bool
    expected: float
    """Expected F1 of what the model would keep, not calibrated."""
    is_mail: bool


def keep_blocks(
    page: Page,
    features: Features,
    content: Float,
    favor: Favor = "balanced",
    *,
    comments: bool = False,
    thread: float | None = USUAL,
    kinds: Mapping[PageKind, float] = MappingProxyType({}),
) -> Kept:
    """Return what is kept of *page*: the likeliest blocks, changed by :data:`RULES` in their order.

    The other arguments are as in :class:`Judged`.
    """
    may_be_empty = features.total >= _SMALL or content.max(initial=0.0) < _LIKELY_OF_SMALL
    answer = choose_blocks(content, features.words, BETA[favor], may_be_empty=may_be_empty)
    keep = answer.keep
    said = features.metadata
    is_published = any(said[name] > 0 for name in _PUBLISHED)
    judged = Judged(page, features, content, keep, favor, comments, thread, kinds, is_published)
    decided = np.zeros(content.size, np.uint8)
    for number, rule in enumerate(RULES, 1):
        found = rule.keep(judged, keep)
        if found is not keep:
            decided[found != keep] = number
            keep = found
    return Kept(keep, decided, answer.least, judged.is_thread, answer.expected, judged.is_mail)


# -- the rules -----------------------------------------------------------------------------------


def _drop_after_end(judged: Judged, keep: Bool) -> Bool:
    """Drop dialogs, other articles, and teasers and links after the end of the text."""
    page, features, seen = judged.page, judged.features, judged.look(keep)
    has_unseen = page.may_have("dialog") or page.may_have("undisplayed")
    has_others = "article" in page.tag_names
    if not (judged.is_published or has_others or has_unseen or seen.has_teaser):
        return keep
    behind = np.zeros_like(keep)
    if judged.is_published and seen.has_link_behind:
        behind |= links_behind(page, keep, features.words)
    if judged.is_published and seen.has_foot:
        behind |= _foot_behind(features, keep)
    if has_others:
        behind |= other_articles(page, keep)
    if has_unseen and not judged.is_product:
        behind |= _unseen_beside(page, features, keep, seen.title)
    if seen.has_teaser:
        behind |= after_the_end(page, keep, features.words, features.surroundings.units)
    if not np.count_nonzero(behind):
        return keep
    judged.behind = behind
    return keep & ~behind


def _unseen_beside(page: Page, features: Features, keep: Bool, title: int) -> Bool:
    """Return which blocks that *keep* flags are in dialogs, or where no reader sees them."""
    found = np.zeros_like(keep)
    if page.may_have("dialog"):
        found |= beside(page, keep, features.words, title, are_dialogs(page))
    if (keep & page.blocks_inside(page.with_sign("undisplayed"))).any():
        found |= beside(page, keep, features.words, title, are_undisplayed(page), _OUTWEIGHED)
    return found


def _foot_behind(features: Features, keep: Bool) -> Bool:
    """Return which of the blocks that *keep* flags stand in a footer, or the like, behind others.

    Such as a box that says whose the text is, and under which license.
    """
    is_foot = ((features.bits & _FOOTER) | (features.named & _FOOT)) > 0
    others = (keep & ~is_foot & (features.bits & _HEADING == 0)).nonzero()[0]
    found: Bool = keep & is_foot
    found[: others[-1] if others.size else None] = False
    return found & (features.words[found].sum() < _SMALL)


def _drop_above(judged: Judged, keep: Bool) -> Bool:
    """Drop what stands above the headline of a text: only links, or apart and less likely."""
    page, words, seen = judged.page, judged.features.words, judged.look(keep)
    says_title = seen.title > 0 and judged.features.title_overlap[seen.title] > LEAST_OVERLAP
    if not (seen.has_menu or says_title):
        return keep
    above = np.arange(words.size) < seen.title
    if seen.has_menu:
        is_link = (page.linked >= LINKED * words) & (words > 0)
        keep = keep & ~(is_link & above)
    if not says_title:
        return keep
    below = np.where(keep & ~above, words, 0.0)
    below[seen.title] = 0.0
    if below.sum() < LEAST_APART:
        return keep
    above[container(page, below, around=seen.title)[0] :] = False
    size, content = np.where(above & keep, words, 0.0), judged.content
    if (content @ size) * below.sum() >= (content @ below) * size.sum():
        return keep
    return keep & ~above


def _drop_beside_snippet(judged: Judged, keep: Bool) -> Bool:
    """Drop the links and the footer of a page of few words, of which other text is kept.

    So few words tell no menu, and no line of copyright.
    """
    page, features = judged.page, judged.features
    if features.total >= FEW_WORDS:
        return keep
    beside = keep & (page.linked < features.words)
    keep = beside if np.count_nonzero(beside) else keep
    if not judged.look(keep).has_foot:
        return keep
    return keep & ~_foot_behind(features, keep)


def _complete_wholes(judged: Judged, keep: Bool) -> Bool:
    """Keep lists, tables, figures, quotations and code whole."""
    if judged.favor == "precision":
        return keep
    if not judged.page.tag_names.isdisjoint(_SHEETS) and judged.is_product:
        keep = with_specifications(judged.page, keep, judged.content)
    found = complete(judged.page, keep, judged.content)
    return found if judged.behind is None else found & ~judged.behind


def _add_opening(judged: Judged, keep: Bool) -> Bool:
    """Keep the headline and the lede."""
    if judged.favor == "precision":
        return keep
    seen = judged.look(keep)
    opening = seen.above, seen.headline, seen.first
    return add_opening(judged.page, judged.features, keep, judged.content, opening)


def _drop_calls(judged: Judged, keep: Bool) -> Bool:
    """Drop boxes and calls on readers."""
    seen = judged.look(keep)
    if seen.has_box and not judged.has_boxes:
        keep = drop_boxes(judged.features, keep)
    if judged.favor == "recall" or judged.features.total < FEW_WORDS:
        return keep
    if judged.look(keep).may_have_calls:
        keep = drop_calls(judged.page, judged.features.words, keep, judged.content)
    if judged.page.may_have("email"):
        keep = drop_forms(judged.page, judged.features.words, keep, judged.content)
    return keep


def _drop_contents(judged: Judged, keep: Bool) -> Bool:
    """Drop tables of contents."""
    if not judged.page.may_have("contents"):
        return keep
    return drop_contents(judged.page, keep)


def _keep_posts(judged: Judged, keep: Bool) -> Bool:
    """Keep on a thread what is written in its posts."""
    page, thread = judged.page, judged.thread
    if not np.count_nonzero(keep):
        return keep
    if judged.look(keep).named & COMMENT and are_comments_alone(page, page.per_text(keep)):
        thread = inf
    elif thread is None and may_be_signed(page):
        thread = -inf  # but for signatures
    elif thread is None:
        return keep
    inside = find_posts(page, page.per_text(keep), thread)
    if inside is None:
        return keep
    judged.is_thread = True
    said = page.per_block(page.words * inside)
    return (said > 0) & (said >= _LEAST_OF_BLOCK * page.per_block(page.words))


def _drop_labels(judged: Judged, keep: Bool) -> Bool:
    """Drop labels of advertisements, and the date above the text."""
    if judged.is_thread:
        return keep
    if judged.look(keep).has_short:
        keep = drop_labels(judged.page, judged.features.words, keep)
    if judged.is_published or "time" in judged.page.tag_names:
        return drop_dates(judged.page, judged.features, keep, judged.content)
    return keep


def _drop_comments(judged: Judged, keep: Bool) -> Bool:
    """Drop comments on an article."""
    page = judged.page
    if judged.is_thread or judged.comments or keep.size < _LEAST_BLOCKS:
        return keep
    is_named = judged.look(keep).named & COMMENT
    if not (is_named or may_have_comments(page)):
        return keep
    if is_named and not judged.may_be_manual:
        keep = keep & ~_beside_comments(judged, keep)
    inside = cumulative(find_comments(page, page.per_text(keep)))
    first, stop = page.blocks.T
    is_text = inside[stop] - inside[first] < stop - first
    if not (keep & ~is_text).any():
        return keep
    content = np.where(is_text, judged.content, 0)
    again = choose_blocks(content, judged.features.words, BETA[judged.favor]).keep
    return keep & is_text | again & ~judged.chosen


def _beside_comments(judged: Judged, keep: Bool) -> Bool:
    """Return what stands behind the text in something named comments: rules for these, forms."""
    features, content = judged.features, judged.content
    found = keep & (features.named & COMMENT > 0)
    text = np.where(keep & ~found & (features.bits & _HEADING == 0), features.words, 0.0)
    if text.sum() < LEAST_APART:
        return np.zeros_like(keep)
    found[: container(judged.page, text)[1]] = False
    return found & (content < content[text > 0].max() - LESS_LIKELY)


def _keep_notes(judged: Judged, keep: Bool) -> Bool:
    """Keep the notes whose marks are kept, whatever they say."""
    if judged.is_thread or not np.count_nonzero(keep):
        return keep
    return with_notes(judged.page, keep)


def _keep_sections(judged: Judged, keep: Bool) -> Bool:
    """Keep what is like kept blocks, the lists between them, and the sections of a document."""
    if judged.is_thread or judged.favor == "precision" or not np.count_nonzero(keep):
        return keep
    page, features = judged.page, judged.features
    is_manual = judged.may_be_manual
    if judged.look(keep).may_add:
        # What a rule has dropped stays so.
        content = np.where(judged.chosen > keep, 0.0, judged.content)
        content = content if judged.behind is None else content * ~judged.behind
        keep = with_alike(page, features, keep, content)
        keep = with_lists(page, keep, content, is_manual=is_manual)
    if judged.look(keep).has_callout:
        keep = with_callouts(page, keep, is_manual=is_manual)
    return with_sections(page, keep, is_manual=is_manual)


def _drop_headings(judged: Judged, keep: Bool) -> Bool:
    """Drop headings of which the section is dropped, and lines that announce what is, or a link."""
    if judged.is_thread:
        return keep
    if judged.look(keep).has_bare or judged.page.notes.notes:
        keep = without_empty_sections(judged.page, keep)
    if judged.look(keep).has_lead_in:
        keep = without_lead_ins(judged.page, judged.features.words, keep)
    if judged.look(keep).has_reference and not judged.may_be_manual:
        keep = without_references(judged.page, judged.features.words, keep)
    return keep if judged.has_boxes else without_related(judged.page, judged.features.words, keep)


def _drop_units(judged: Judged, keep: Bool) -> Bool:
    """Drop units alike that outweigh the text below its headline, apart and less likely."""
    features, around = judged.features, judged.features.surroundings
    if judged.is_thread or judged.look(keep).alike < LEAST_UNITS:
        return keep
    heaviest = features.heaviest_unit(keep)
    if heaviest < 0:
        return keep
    words = np.where(keep, features.words, 0.0)
    units = (words > 0) & (around.units[:, 0] >= LEAST_UNITS) & (around.unit == heaviest)
    is_heading = features.bits & _HEADING > 0
    heads = (keep & is_heading & (features.title_overlap > LEAST_OVERLAP)).nonzero()[0]
    text = np.where(units, 0.0, words)
    if not heads.size or text.sum() < LEAST_APART:
        return keep
    if not are_apart(judged.page, units, text, judged.content, is_heading, int(heads[0])):
        return keep
    return keep & ~units


def _keep_mail(judged: Judged, keep: Bool) -> Bool:
    """Keep the text of a mail, and the subject above it."""
    found = mail_blocks(judged.page, keep)
    if found is None:
        return keep
    judged.is_mail, judged.is_thread = True, False
    above = np.arange(keep.size) < found.argmax()
    return found | (keep & above & (judged.features.bits & _HEADING > 0))


RULES = (
    BlockRule(
        "ends",
        "after the end, a teaser or link, or in a dialog, another article or what is not shown",
        _drop_after_end,
    ),
    BlockRule("above", "above the headline: only links, or apart and less likely", _drop_above),
    BlockRule("snippets", "link or footer beside the text of a short page", _drop_beside_snippet),
    BlockRule("wholes", "part of a list, table, figure, code or section kept", _complete_wholes),
    BlockRule("opening", "headline or lede of the text", _add_opening),
    BlockRule("calls", "box, form or call on readers", _drop_calls),
    BlockRule("contents", "table of contents of this page", _drop_contents),
    BlockRule("threads", "on a thread, what is written in its posts is kept", _keep_posts),
    BlockRule("gaps", "like kept blocks, or list or section between them", _keep_sections),
    BlockRule("labels", "label of an advertisement, or date above the text", _drop_labels),
    BlockRule("comments", "comment of a reader, or what stands beside these", _drop_comments),
    BlockRule(NOTES.name, NOTES.reason, _keep_notes),
    BlockRule("sections", "heading or lead-in of what is dropped, or of notes", _drop_headings),
    BlockRule("units", "units alike beside a likelier text", _drop_units),
    BlockRule("mails", "text of a mail below its header", _keep_mail),
)
"""The rules in their order. Each changes what those before it have left."""
