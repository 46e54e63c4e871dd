from __future__ import annotations

import numpy as np
import pytest

from scrapy_boilerplate import Page, extract
from scrapy_boilerplate.core.methods._runs import tag_counts
from scrapy_boilerplate.core.methods._token_values import (
    FEATURES,
    TokenModel,
    learned_values,
    load_token_model,
    neighbourhoods,
)
from scrapy_boilerplate.core.page.arrays import Float32

HTML = """<body><nav><ul><li><a href="/">Home</a></li></ul></nav><article><h1>Of a cat</h1>
<p>It sat on the mat, and sat there for a long time without any need to move.</p>
<p>Then it got up, looked around, and went away without another word.</p></article>
<footer>Imprint</footer></body>"""


def features(html: str) -> Float32:
    page = Page.parse(html)
    return neighbourhoods(page, tag_counts(page))


@pytest.mark.parametrize("score", [-1e6, -800.0, 0.0, 800.0, 1e6])
def test_probabilities_never_overflow(score: float) -> None:
    model = TokenModel(np.zeros(len(FEATURES), dtype=np.float32), score)
    (content,) = model.probabilities(features("<p>one</p>"))
    assert content == pytest.approx(np.clip(score, 0, 1) if score else 0.5)


def test_learned_run_is_the_article() -> None:
    found = extract(HTML, extractor="mss", scores="learned")
    assert found.text.startswith("Of a cat\n\nIt sat on the mat")
    assert found.text.endswith("without another word.")


def test_values_of_the_shipped_weights_stay() -> None:
    """A tenth more or less of any feature changes one of them."""
    assert load_token_model() is load_token_model()
    words, tags = learned_values(Page.parse(HTML))
    assert words == pytest.approx([-0.34014, 0.06133, 2.67395, 2.92021, -0.21989], abs=1e-4)
    assert tags == pytest.approx([-2.04082, -0.95908, 0.16118, 0.33541, -0.03782], abs=1e-4)
