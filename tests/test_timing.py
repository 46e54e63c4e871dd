"""The judge of linear time is right on a machine that is busy, and is not fooled by it."""

from __future__ import annotations

import random

import pytest

from scrapy_boilerplate.tools.testing.timing import growth


@pytest.mark.parametrize("disturbed", [0, 0.3, 0.6])
def test_linear_passes_and_quadratic_does_not(disturbed: float) -> None:
    rng = random.Random(1)

    def delay() -> float:
        return rng.uniform(1, 2.5) if rng.random() < disturbed else 1

    for _ in range(200):
        assert growth(lambda size: size / 1000 * delay(), 1000, 4, limit=8) < 8
        assert growth(lambda size: size * size / 1e6 * delay(), 1000, 4, limit=8) >= 8
