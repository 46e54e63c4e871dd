"""Places of the titles of articles."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.learn.facts import Vote
from scrapy_boilerplate.learn.induction.containers import Containers
from scrapy_boilerplate.learn.induction.goodtext import USUAL_BLOCK, GoodText
from scrapy_boilerplate.learn.induction.inner import path_votes
from scrapy_boilerplate.learn.induction.repeats import Repeats
from scrapy_boilerplate.learn.induction.table import BlockTable


def find_titles(
    table: BlockTable, repeats: Repeats, text: GoodText, containers: Containers
) -> list[Vote]:
    """Return the template paths of headings that say what the document's title says.

    They stand where articles begin.
    """
    articles = containers.articles
    begin = np.zeros(table.pages, dtype=np.int64)  # no title stands after the first long block
    long = text.good & (table.words >= USUAL_BLOCK)
    for page, (first, last) in articles.items():
        inside = np.flatnonzero(long[first:last])
        begin[page] = first + inside[0] + 1 if inside.size else last
    heading = table.matches_title & (repeats.text_pages[table.text] < 2)
    heading &= np.arange(heading.size) < begin[table.page]
    paths = np.unique(np.stack([table.path[heading], table.page[heading]]), axis=1)[0]
    counts = np.bincount(paths, minlength=table.paths.size)
    least = max(2.0, 0.1 * len(articles))
    return path_votes(table, counts >= least, counts, counts / max(1, len(articles)))
