from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.metrics import bootstrap_interval, paired_difference, score, word_score

TOKENS = st.lists(st.sampled_from("abcd"), max_size=12)
SHARES = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@given(TOKENS, TOKENS)
def test_score_is_the_harmonic_mean_of_precision_and_recall(
    answer: list[str], gold: list[str]
) -> None:
    found = score(answer, gold)
    if not answer or not gold:
        assert set(found) == {float(answer == gold)}
        return
    shared = sum(min(Counter(answer)[word], Counter(gold)[word]) for word in "abcd")
    assert found.precision == shared / len(answer)
    assert found.recall == shared / len(gold)
    if shared:
        mean = 2 / (1 / found.precision + 1 / found.recall)
        assert found.f1 == pytest.approx(mean)
    else:
        assert found.f1 == 0


@pytest.mark.parametrize(
    ("answer", "gold", "f1"),
    [
        ("Don't  panic!", "don t PANIC", 1),
        ("天气很好", "天气不好", 3 / 4),  # a token a character
        ("날씨", "날", 2 / 3),
        ("", "", 1),
        ("…", "", 1),  # no token at all
        ("word", "", 0),
        ("", "word", 0),
        ("a a a", "a", 1 / 2),
    ],
)
def test_word_score_of_texts(answer: str, gold: str, f1: float) -> None:
    assert word_score(answer, gold).f1 == pytest.approx(f1)


def test_difference_needs_the_same_pages() -> None:
    with pytest.raises(ValueError, match="2 scores"):
        paired_difference([1, 0], [1])
    assert math.isnan(paired_difference([], []).mean)
    assert math.isnan(paired_difference([1], [0]).standard_error)


@given(SHARES)
def test_interval_lies_within_the_values(values: list[float]) -> None:
    low, high = bootstrap_interval(values, rounds=50)
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9


def test_interval_is_reproducible_and_about_two_standard_errors_wide() -> None:
    values = [index / 999 for index in range(1000)]
    low, high = bootstrap_interval(values)
    assert bootstrap_interval(values) == (low, high)
    assert bootstrap_interval(values, seed=1) != (low, high)
    standard_error = math.sqrt(1 / 12 / 1000)
    assert high - low == pytest.approx(2 * 1.96 * standard_error, rel=0.1)
    assert math.isnan(bootstrap_interval([])[0])
