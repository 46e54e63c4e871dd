"""Tables of data: those with two rows or more whose cells are no parts of the page's layout."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page.arrays import Bool


def data_tables(page: Page) -> Bool:
    """Return for each element whether it is a table of data."""
    rows = cumulative(page.has_tag(("tr",)))
    tables: Bool = page.is_data_table & (rows[page.end] - rows[:-1] >= 2)
    return tables


def in_tables(page: Page) -> Bool:
    """Return for each text node whether it stands in a table of data, its caption included.

    >>> page = Page.parse("<p>One.<table><tr><th>a<th>b<tr><td>c<td>d</table>")
    >>> in_tables(page).tolist()
    [False, True, True, True, True]
    """
    tables = data_tables(page)
    steps = np.zeros(page.text_at.size + 1, dtype=np.int64)
    np.add.at(steps, page.first_text[tables], 1)
    np.subtract.at(steps, page.last_text[tables], 1)
    flags: Bool = np.cumsum(steps)[:-1] > 0
    return flags
