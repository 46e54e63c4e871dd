"""Parts of articles before their container: the lead, a picture's text."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.learn.facts import Vote
from scrapy_boilerplate.learn.induction.containers import Containers
from scrapy_boilerplate.learn.induction.goodtext import USUAL_BLOCK
from scrapy_boilerplate.learn.induction.inner import path_votes
from scrapy_boilerplate.learn.induction.repeats import Repeats
from scrapy_boilerplate.learn.induction.table import BlockTable

_LEAST_PAGES = 0.25  # of the articles that have a lead
_SOMETIMES_KEPT = 0.25  # of a lead's text; of each page only what was kept there stays


def find_leads(table: BlockTable, repeats: Repeats, containers: Containers) -> list[Vote]:
    """Return the template paths before the containers of which the method kept some text.

    Only text counts that doesn't repeat and doesn't point elsewhere, and most of the path must be
    such text, in blocks long enough to be prose: dates, names and ways back are kept as often.
    """
    before = np.zeros(table.words.size, dtype=bool)
    for page, (first, _) in containers.articles.items():
        before[table.start[page] : first] = True
    own = before & ~repeats.repeated & ~table.is_teaser
    words = table.by_path(table.words * own)
    share = table.by_path(table.words * (own & table.kept)) / np.maximum(words, 1)
    mostly_own = 2 * words > table.by_path(table.words * before)
    is_prose = words >= USUAL_BLOCK * table.by_path(own)
    paths = np.unique(np.stack([table.path[own], table.page[own]]), axis=1)[0]
    pages = np.bincount(paths, minlength=table.paths.size)
    enough = pages >= max(2.0, _LEAST_PAGES * len(containers.articles))
    chosen = enough & mostly_own & is_prose & (share >= _SOMETIMES_KEPT)
    return path_votes(table, chosen, pages, share)
