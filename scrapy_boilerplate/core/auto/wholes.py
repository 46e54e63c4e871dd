"""Extends partly kept lists, tables, figures, quotations and code to the whole element."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.core.auto._wholes_native import wholes
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page.arrays import Bool, Float
from scrapy_boilerplate.core.page.tags import HEADINGS, LISTS, PREFORMATTED
from scrapy_boilerplate.core.page.walk import bits_of

_CODE, _CODE_ABOVE, _CODE_BELOW = 0.15, 0.1, 0.25
"""Probability from which on code is kept that is short or that a colon announces, or that stands
right above kept text, or right below it."""

_GROUPS = (
    # What is looked at inside of lists: items, what makes them containers of the page, images.
    frozenset("li dt dd".split()),
    frozenset("h1 h2 h3 h4 h5 h6 table form button article section".split()),
    frozenset(["img"]),
    *(frozenset(LISTS), frozenset(PREFORMATTED), frozenset(["figure", "blockquote"])),
    *(HEADINGS | {"summary"}, frozenset(["h1"]), frozenset(["dl"])),
)
_GROUPS_OF = bits_of(_GROUPS)
COLONS = (":", "：")


def complete(page: Page, keep: Bool, content: Float) -> Bool:
    """Return which blocks are kept with those that *keep* flags.

    *content* is the probability of each block. A list of short items, a table of data, a list of
    definitions, a figure, a quotation or code that was mostly kept is kept whole unless it is
    mostly links; a definition comes with its term. Code goes with a kept paragraph that announces
    it by a colon, and with kept text right beside it. So do headings that are not unlikely. Where
    no ``h1`` was kept, the likeliest one is. Linear in the page.

    >>> page = Page.parse("<p>To begin, run:</p><pre>make</pre><ul><li>a b c<li>d e f<li>g</ul>")
    >>> kept = complete(page, np.array([1, 0, 1, 1, 0], dtype=bool), np.full(5, 0.4))
    >>> kept.tolist()
    [True, True, True, True, True]
    """
    if not np.count_nonzero(keep):
        return keep
    found: Bool = wholes(
        _GROUPS_OF.of(page.names),
        page.is_data_table,
        page.element_rows,
        *(page.blocks, page.words),
        *(page.in_link, keep),
        content,
    )
    found |= keep
    if not page.tag_names.isdisjoint(PREFORMATTED):
        found |= _code(page, found, content)
    if "dt" in page.tag_names:
        _add_terms(page, found)
    return found


def _add_terms(page: Page, keep: Bool) -> None:
    (first, after), kept = page.blocks_in(slice(None)), cumulative(keep)
    is_kept = page.has_tag(["dd"]) & (kept[after] > kept[first])
    for term in page.has_tag(["dt"]).nonzero()[0][::-1].tolist():
        behind = int(page.end[term])  # its definition, or one more term of that
        if behind < is_kept.size and is_kept[behind]:
            is_kept[term] = True
            keep[first[term] : after[term]] = True


def _code(page: Page, keep: Bool, content: Float) -> Bool:
    """Return the code that goes with the text right before or after it, such code included."""
    found = np.zeros(keep.size, dtype=bool)
    first, after = page.blocks_in(page.filled(PREFORMATTED).nonzero()[0])
    for begin, end in reversed(list(zip(first.tolist(), after.tolist(), strict=True))):
        if keep[begin]:
            continue
        likely = content[begin]
        if end < found.size and (keep[end] or found[end]) and likely >= _CODE_ABOVE:
            found[begin:end] = True
        elif begin and keep[begin - 1] and likely >= _CODE:
            before = page.text(page.block_starts[begin] - 1)
            if end - begin == 1 or likely >= _CODE_BELOW or before.rstrip().endswith(COLONS):
                found[begin:end] = True
    return found
