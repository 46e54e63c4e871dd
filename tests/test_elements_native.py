"""The compiled loops over a page's elements give what their twins in Python give."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate import Page
from scrapy_boilerplate.page import elements as twins
from scrapy_boilerplate.page.native import load_native
from scrapy_boilerplate.testing import assert_linear
from scrapy_boilerplate.testing.generated import tree_pages

number_keys = load_native("page._elements_native", "number_keys")
path_numbers = load_native("page._elements_native", "path_numbers")
is_coherent = load_native("page._elements_native", "is_coherent")
pass_up = load_native("page._elements_native", "pass_up")
holders = load_native("page._elements_native", "holders")
path_hashes = load_native("page._elements_native", "path_hashes")
needs_native = pytest.mark.skipif(number_keys is None, reason="not compiled here")


@needs_native
@given(st.lists(st.one_of(st.integers(0, 3), st.integers(2**64 - 9, 2**64 - 1))))
def test_number_keys(keys: list[int]) -> None:
    assert number_keys is not None
    array = np.array(keys, dtype=np.uint64)
    numbers = number_keys(array).tolist()
    assert list(dict.fromkeys(numbers)) == list(range(len(set(keys))))
    for found in (numbers, twins._number_keys_in_numpy(array).tolist()):
        assert len(set(zip(keys, found, strict=True))) == len(set(keys)) == len(set(found))


def unmix(value: int) -> int:
    """Undo the last step of splitmix64."""
    for shift, factor in ((31, 0x94D049BB133111EB), (27, 0xBF58476D1CE4E5B9), (30, 1)):
        mixed = value
        for _ in range(64 // shift):
            value = mixed ^ value >> shift
        value = value * pow(factor, -1, 1 << 64) % (1 << 64)
    return value


def test_keys_made_to_fall_together_take_no_longer() -> None:
    """The last bits of each, mixed, are zero: in a table that is no secret all want one place."""
    assert_linear(
        lambda size: np.array([unmix(n << 40) for n in range(1, size)], dtype=np.uint64),
        twins.number_keys,
        6_000,
    )


@needs_native
@given(tree_pages())
def test_path_numbers(html: str) -> None:
    assert path_numbers is not None
    page = Page.parse(html)
    arrays = (page.tag.astype(np.int64), page.parent)
    assert path_numbers(*arrays).tolist() == twins._path_numbers_in_python(*arrays).tolist()


@needs_native
@given(tree_pages(), st.floats(0, 1))
def test_is_coherent(html: str, share: float) -> None:
    assert is_coherent is not None
    page = Page.parse(html)
    arrays = (page.words, page.text_parent, page.parent, share)
    assert is_coherent(*arrays).tolist() == twins._is_coherent_in_python(*arrays).tolist()


@needs_native
@given(tree_pages(), st.randoms(use_true_random=False))
def test_pass_up(html: str, random: Random) -> None:
    assert pass_up is not None
    page = Page.parse(html)
    elements = np.array([e for e in range(1, page.tag.size) if random.random() < 0.7], dtype=int)
    values = np.array([random.randrange(20) for _ in page.tag], dtype=np.int32)
    expected = values.copy()
    pass_up(elements, page.parent, values)
    twins._pass_up_in_python(elements, page.parent, expected)
    assert values.tolist() == expected.tolist()


@needs_native
@given(tree_pages())
def test_holders_and_hashes_of_paths(html: str) -> None:
    assert holders is not None
    assert path_hashes is not None
    page = Page.parse(html)
    is_block = page.is_block.view(np.uint8)
    arrays = (page.text_parent, page.parent, is_block, 16)
    found = holders(*arrays)
    assert found.tolist() == twins._holders_in_numpy(*arrays).tolist()

    kind = twins.number_keys(page.tag)
    values = np.arange(1, kind.max() + 2, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    powers = np.array([3, 5, 7, 11], dtype=np.uint64) ** np.uint64(20)
    every = np.arange(page.tag.size)
    paths = (every, page.parent, kind, values, powers)
    assert path_hashes(*paths).tolist() == twins._path_hashes_in_numpy(*paths).tolist()
