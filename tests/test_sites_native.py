"""The compiled loops over a page's elements give what their twins in numpy give."""

from __future__ import annotations

import numpy as np
import pytest
from contract import tree_pages
from hypothesis import given

from scrapy_boilerplate import Page
from scrapy_boilerplate._native import compiled
from scrapy_boilerplate.sites import slots

number_kinds = compiled("_slots_native", "number_kinds")
holders = compiled("_slots_native", "holders")
path_hashes = compiled("_slots_native", "path_hashes")
needs_native = pytest.mark.skipif(number_kinds is None, reason="not compiled here")


@needs_native
@given(tree_pages())
def test_loops_over_elements(html: str) -> None:
    assert number_kinds is not None
    assert holders is not None
    assert path_hashes is not None
    page = Page.parse(html)
    family = (page.tag, page.class_id, page.id_id, len(page.strings))
    (kind, first), (other, rows) = number_kinds(*family), slots._number_kinds_in_numpy(*family)
    # The numbers may differ, but the elements of one kind are the same.
    assert first[kind].tolist() == rows[other].tolist()
    assert kind[first].tolist() == list(range(first.size))

    is_block = page.is_block.view(np.uint8)
    arrays = (page.text_parent, page.parent, is_block, 16)
    found = holders(*arrays)
    assert found.tolist() == slots._holders_in_numpy(*arrays).tolist()

    values = np.arange(1, first.size + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    powers = np.array([3, 5, 7, 11], dtype=np.uint64) ** np.uint64(20)
    elements = np.arange(page.tag.size)
    paths = (elements, page.parent, kind, values, powers)
    assert path_hashes(*paths).tolist() == slots._path_hashes_in_numpy(*paths).tolist()
