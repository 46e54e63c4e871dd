"""Which texts stand on a page more than once."""

from __future__ import annotations

import math

import numpy as np
import pytest
from generated_pages import tree_pages
from hypothesis import given

from scrapy_boilerplate import Page
from scrapy_boilerplate.core.auto.copies import COPIES, FARTHEST, copies

"""Small ones, so that short texts reach them."""

# Of each class, in one, two and four bytes; few, so that some texts are equal.


def found(html: str) -> dict[str, list[float]]:
    rows = copies(Page.parse(html)).astype(np.float64).round(4).tolist()
    return dict(zip(COPIES, rows, strict=True))


def logs(*counts: int) -> list[float]:
    return [round(math.log1p(count), 4) for count in counts]


def test_equal_texts() -> None:
    of = found("<p>Read more<p>Else<p>Read <b>more</b><p>Read\n more ")
    assert of["copies_before"] == logs(0, 0, 1, 2)
    assert of["copies_after"] == logs(2, 0, 1, 0)
    assert of["since_copy"] == [-1, -1, 2, 1]
    assert of["until_copy"] == [2, -1, 1, -1]


def test_copies_far_away() -> None:
    of = found(f"<p>One.{''.join(f'<p>{n}' for n in range(300))}<p>One.")
    assert (of["since_copy"][-1], of["until_copy"][0]) == (FARTHEST, FARTHEST)


def test_texts_that_begin_alike() -> None:
    teaser = "<p>Twenty characters and more of it"
    of = found(f"{teaser} …{teaser}, to the end.<p>Twenty characters")
    assert of["starts_before"] == logs(0, 1, 0)
    assert of["starts_after"] == logs(1, 0, 0)
    assert set(of["copies_before"]) == {0}


@pytest.mark.parametrize(
    ("first", "second", "shares"),
    [
        ("How do I join two roads?", "He asked: How do I join two roads?", (3 / 5, 3 / 3)),
        ("a b c d e", "a b c x e", (0, 0)),
        ("ab c d e f", "a bc d e f", (0, 0)),
        ("a b c", "a b c", (-1, -1)),
        ("日本語の本", "英日本語の", (1 / 2, 1 / 2)),
        ("a b c d. a b c d.", "x y z w", (0, 0)),
    ],
)
def test_phrases(first: str, second: str, shares: tuple[float, float]) -> None:
    of = found(f"<p>{first}<p>{second}")
    assert of["phrases_before"][1] == pytest.approx(shares[0], abs=1e-4)
    assert of["phrases_after"][0] == pytest.approx(shares[1], abs=1e-4)


@given(tree_pages())
def test_what_stands_behind_one_stands_before_the_other(html: str) -> None:
    page = Page.parse(html)
    if not page.text_at.size:
        return
    of = dict(zip(COPIES, copies(page), strict=True))
    counts = np.round(np.expm1(np.stack([of["copies_before"], of["copies_after"]])))
    assert np.array_equal(np.sort(counts[0]), np.sort(counts[1]))
    assert np.array_equal(counts[0] > 0, of["since_copy"] > 0)
    assert np.array_equal(counts[1] > 0, of["until_copy"] > 0)
    for name in ("phrases_before", "phrases_after"):
        assert ((of[name] == -1) | ((of[name] >= 0) & (of[name] <= 1))).all()


def test_texts_that_are_equal_as_polynomials_are_no_copies() -> None:
    """The sequence of Thue and Morse: any two polynomials of these texts are equal modulo 2⁶⁴."""
    one = "".join("ab"[number.bit_count() & 1] for number in range(1 << 12))
    other = one.translate({97: 98, 98: 97})
    of = found(f"<p>{one}<p>{other}")
    assert of["copies_after"] == logs(0, 0)
    words = f"one two three {one}", f"one two three {other}"
    assert found("<p>{}<p>{}".format(*words))["phrases_after"][0] == 0


def test_nothing_visible() -> None:
    of = found("<p>\u200b<p>\u200b<p>x")
    assert of["copies_before"] == [0]
    assert of["phrases_before"] == [-1]
