"""Compiled loops stay inside their arrays, and let go of a tree before others may change it."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from lxml import etree

from scrapy_boilerplate import Page, extract
from scrapy_boilerplate.core.auto import features
from scrapy_boilerplate.core.auto._context_native import Context
from scrapy_boilerplate.core.auto._copies_native import copies
from scrapy_boilerplate.core.auto.context import CONTEXT, LEVELS, Surroundings
from scrapy_boilerplate.core.auto.features import FEATURES, read_features
from scrapy_boilerplate.core.auto.model import load_model, model_from_arrays, model_to_arrays
from scrapy_boilerplate.core.page._text_native import counts
from scrapy_boilerplate.core.page._walk_native import walk
from scrapy_boilerplate.core.page.elements import keep_texts, pass_up, without_texts


def test_the_root_passes_its_value_to_nobody() -> None:
    around = np.array([77, 5, 3, 88], dtype=np.int32)  # what stands before the values, and behind
    pass_up(np.array([0, 1]), np.array([-1, 0], dtype=np.int32), around[1:3])
    assert around.tolist() == [77, 3, 3, 88]


def test_a_page_whose_root_is_among_the_elements() -> None:
    html = "<p>" + "word " * 60 + "</p><div><a href=x>A link</a></div>"
    answer = extract(html, extractor="links")
    assert [segment.xpath for segment in answer.segments] == ["/html"]
    assert answer.text.split() == [*["word"] * 60, "A", "link"]


PAGE = Page.parse("<div><p>One <b>two</b></p><p>three</p></div>")


@pytest.mark.parametrize(
    "use",
    [
        lambda: PAGE.lay_out_all(np.array([[0, 99]])),
        lambda: PAGE.join([(0, 1), (99, 100)], ["One", "two"]),
        lambda: PAGE.xpath(99),
        lambda: PAGE.xpaths_later([-1 - 99])([0])[0],
        lambda: PAGE.xpaths_of(np.array([[0, 99]])),
        lambda: PAGE.xpaths_of(np.array([[99, 100]])),
    ],
)
def test_what_is_not_on_the_page_is_an_error(use: Callable[[], Any]) -> None:
    with pytest.raises(IndexError):
        use()


def test_arrays_that_do_not_go_together_are_refused() -> None:
    numbers = np.arange(4, dtype=np.int32)
    table = np.zeros(0x20000, dtype=np.uint8)
    with pytest.raises(ValueError, match="go together"):
        counts("abcd", table[:-1], numbers, numbers)
    with pytest.raises(IndexError, match="0 to 5"):
        counts("abcd", table, np.zeros(1, dtype=np.int32), np.full(1, 5, dtype=np.int32))
    one = np.zeros(1, dtype=np.int32)
    chain, within = np.zeros((1, LEVELS), dtype=np.int32), np.array([[0], [1]], dtype=np.int32)
    around = Surroundings(one, one, one, chain, within, np.zeros((1, 2), dtype=np.int32))
    content = np.ones(1)
    with pytest.raises(ValueError, match="go together"):
        Context(content, 0.5, np.ones(2), around)
    with pytest.raises(ValueError, match="go together"):
        Context(content, 0.5, content, around._replace(path=numbers))
    with pytest.raises(IndexError, match="7 is no number"):
        Context(content, 0.5, content, around._replace(path=one + 7))
    rows = np.zeros((1, len(CONTEXT)), dtype=np.float32)
    for wrong in (around._replace(within=within * 2), around._replace(chain=chain + 1)):
        with pytest.raises(IndexError, match="above block 0"):
            Context(content, 0.5, content, wrong).put(rows)
    with pytest.raises(IndexError, match="1 to 2"):
        Context(content, 0.5, content, around).put(rows, 1)
    with pytest.raises(IndexError, match="0 to -1"):
        Context(content, 0.5, content, around).put(rows[:, 1:].copy())
    with pytest.raises(ValueError, match="go together"):
        Context(content, 0.5, content, around._replace(units=chain))
    with pytest.raises(IndexError, match="0 to 5"):
        without_texts("abcd", np.zeros(1, np.int32), np.full(1, 5, np.int32), np.zeros(1, np.uint8))
    walked = PAGE.element_rows, PAGE.text_rows
    keep = np.ones(PAGE.text_at.size, dtype=np.uint8)
    with pytest.raises(ValueError, match="go together"):
        keep_texts(*walked, keep, numbers[:1])
    with pytest.raises(IndexError, match="no slice of 3"):
        keep_texts(walked[0] + np.int32(1), walked[1], keep, numbers[:3])
    starts, stops = np.array([[0, 1], [2, 3]], dtype=np.int32)
    with pytest.raises(IndexError, match="behind 2"):
        copies("abcd", table, starts, stops, (1, 4, 1))


def test_nothing_is_read_of_empty_arrays() -> None:
    none = np.zeros(0, dtype=np.int32)
    assert copies("", np.zeros(0x20000, dtype=np.uint8), none, none, (1, 4, 1)).shape == (8, 0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("blocks_feature", 1 << 20),
        ("blocks_children", 1 << 20),
        ("blocks_children", -1),
        ("pages_roots", 1 << 20),
        ("pages_depth", -1),
        ("blocks_feature", len(FEATURES)),  # which only the second forest may look at
        ("context_feature", len(FEATURES + CONTEXT)),
    ],
)
def test_trees_that_lead_nowhere_are_refused(name: str, value: int) -> None:
    arrays = model_to_arrays(load_model())
    damaged = arrays[name].copy()
    damaged.flat[0] = value
    with pytest.raises((ValueError, IndexError)):
        model_from_arrays({**arrays, name: damaged})
    with pytest.raises(ValueError, match="damaged"):
        model_from_arrays({**arrays, "blocks_children": arrays["blocks_children"][:-1]})


def emptied_by_collections(root: Any, read: Callable[[Any], Any]) -> Any:
    """Return what *read* reads of a tree that the tenth collection of garbage empties.

    The first ones are those of what is made before a walk begins.
    """
    seen = 0

    def empty(phase: str, info: dict[str, int]) -> None:
        nonlocal seen
        seen += phase == "start"
        if seen == 10:
            root.clear()

    gc.collect()
    threshold = gc.get_threshold()
    gc.callbacks.append(empty)
    gc.set_threshold(1, 1, 1)
    try:
        return read(root)
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.remove(empty)


def test_a_collection_that_changes_the_tree_changes_no_answer() -> None:
    """What libxml2 frees may not be read again; a sanitizer sees it, others see a wrong answer."""
    html = "".join(f"<meta name=n{n} content=c{n}>" for n in range(500)) + (
        "<p class='a b' id=x>text <x-y>more</x-y>" * 500
    )

    def root() -> Any:
        return etree.fromstring(html, parser=etree.HTMLParser())

    assert repr(emptied_by_collections(root(), walk)) == repr(walk(root()))


def test_features_of_a_page_that_are_too_many_are_refused() -> None:
    page, lexicon = Page.parse("<p>One two."), load_model().lexicon
    assert read_features(page, lexicon).matrix(0, 1).shape == (1, len(FEATURES))
    with pytest.raises(ValueError, match="go together"):
        read_features(page, lexicon, metadata={"page_x": 0.0})


def test_a_short_table_of_copies_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(features, "copies", lambda page: np.zeros((1, 1), dtype=np.float32))
    with pytest.raises(ValueError, match="go together"):
        read_features(Page.parse("<p>One two."), load_model().lexicon)
