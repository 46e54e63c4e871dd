"""What a site's model must not take from the method's own answer, whatever its evidence."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.core.answer.metadata.authors import names_in_byline
from scrapy_boilerplate.core.answer.metadata.dates import find_date
from scrapy_boilerplate.core.page import cumulative
from scrapy_boilerplate.core.page.arrays import Bool, Int, in_spans
from scrapy_boilerplate.core.page.tags import LISTS, PREFORMATTED
from scrapy_boilerplate.learn.template import USUAL_BLOCK, TemplateView

_MOST_LINES = 20  # before the text, in which its headline is looked for
_MOST_ADDED = 0.1  # of the words that a fairly sure method kept


def is_headline(view: TemplateView) -> Bool:
    """Return whether each block is an ``h1``, or says what the document's title says."""
    return view.page.blocks_inside(view.page.has_tag(("h1",))) | view.matches_title


def keep_opening(
    view: TemplateView, chosen: Bool, kept: Bool, repeated: Bool, first: int, title: int
) -> Bool:
    """Return the *chosen* blocks with the headline, and what was *kept* between it and the text."""
    # The headline is the first line kept, if it is one, else the last before the text that says
    # the document's title, else the site's *title*, which also stands for one that says the same.
    lines, long = kept & (view.words > 0), chosen & (view.words >= USUAL_BLOCK)
    headline = int(lines.argmax())
    if not lines.any() or not is_headline(view)[headline]:
        before = lines[: first + int(long[first:].argmax())].nonzero()[0][: -_MOST_LINES - 1 : -1]
        own = title if 0 <= title < first and chosen[title] else -1
        headline = next((line for line in before.tolist() if view.opens_with_title(line)), own)
    if headline < 0:
        return chosen
    body = max(first, headline + 1)
    body = body + int(long[body:].argmax()) if long[body:].any() else headline + 1
    opened: Bool = chosen.copy()
    opened[headline + 1 : body] |= (lines & ~repeated)[headline + 1 : body]
    is_twice = title >= 0 and title != headline and bool(chosen[title])
    opened[headline] = not is_twice or np.unique(view.texts(np.array([headline, title]))).size > 1
    return opened


def keep_bylines(view: TemplateView, chosen: Bool, kept: Bool, title: int) -> Bool:
    """Return the *chosen* blocks with by-lines as *kept*, that is alike on all pages."""
    short = (view.words > 0) & (view.words <= USUAL_BLOCK)
    lines = (short & (chosen != kept)).nonzero()[0]
    for line, written in zip(lines.tolist(), view.page.written(lines), strict=True):
        text = " ".join(written.split())
        if line != title and (find_date(text) or names_in_byline(text)):
            chosen[line] = kept[line]
    return chosen


def keep_wholes(view: TemplateView, chosen: Bool, kept: Bool) -> Bool:
    """Return *chosen* blocks with all of a list, table or code of which most stays, else none."""
    page = view.page
    if page.tag_names.isdisjoint(_WHOLES):
        return chosen
    lost = kept & ~chosen
    if not lost.any():
        return chosen
    is_whole = page.has_tag(PREFORMATTED | LISTS) | page.is_data_table
    elements = (is_whole & (page.last_text > page.first_text)).nonzero()[0]
    first, after = page.blocks_in(elements)
    # The labels of a table or list of values stand on all pages, and values of many things, too.
    is_data = (page.has_tag(("dl",)) | page.is_data_table)[elements]
    stay, go = cumulative(kept & chosen), cumulative(lost)
    stays, goes = stay[after] - stay[first], go[after] - go[first]
    is_partly = (stays > 0) & (goes > 0)
    is_mostly_kept = is_partly & (stays * np.where(is_data, 4, 1) >= goes)
    is_innermost = np.append(after[:-1] <= first[1:], True)[: elements.size]
    is_rest = is_partly & ~is_mostly_kept & is_innermost
    whole, rest = (
        in_spans(np.column_stack((first[each], after[each])), kept.size)
        for each in (is_mostly_kept, is_rest)
    )
    return (chosen | (kept & whole)) & (~rest | whole)


_WHOLES = PREFORMATTED | LISTS | {"table"}


def not_grown(words: Int, chosen: Bool, kept: Bool, title: int) -> Bool:
    """Return the *chosen* blocks without those added to the *kept* ones, if they are many."""
    # That mostly is another article, or captions; the site's *title* may be added.
    added = chosen & ~kept
    if title >= 0:
        added[title] = False
    is_much = words[added].sum() > _MOST_ADDED * words[kept].sum()
    return chosen & ~added if is_much else chosen


def not_halved(words: Int, chosen: Bool, kept: Bool, repeated: Bool) -> Bool:
    """Return *chosen* blocks with all that was *kept* and is not *repeated*, if most would go."""
    if 2 * words[kept & chosen].sum() >= words[kept].sum():
        return chosen
    return chosen | (kept & ~repeated)
