from __future__ import annotations

from unittest.mock import Mock

import numpy as np
import pytest

from scrapy_boilerplate import Extractor, Page, compare, extract, extractor_names
from scrapy_boilerplate.core.methods import Verdict
from scrapy_boilerplate.core.page import trees
from scrapy_boilerplate.core.page._walk_native import walk

ARTICLE = """<html lang="en"><body><ul><li><a href="/">Home</a><li><a href="/n">News</a></ul>
<div><h1>Rain</h1><p>It rained all day in the town, and nobody who lived there went out to look at
it, since they had seen it all the week before and would see it again tomorrow.</p></div>
<p><a href="/next">Next page</a></p></body></html>"""


class Words(Extractor):
    """Keeps the text nodes at some places, to tell what the agreement must be."""

    name = "words"

    def __init__(self, *kept: int) -> None:
        self.kept = kept

    def __repr__(self) -> str:
        return f"Words{self.kept}"

    def judge(self, page: Page) -> Verdict:
        places = np.arange(page.text_at.size)
        keep = np.isin(places, self.kept)
        return Verdict(np.stack([places, places + 1], axis=1), keep, keep * 1.0, lambda _: "asked")


def test_default_is_every_method_without_its_presets() -> None:
    names = compare(ARTICLE).names
    assert "mss" in names
    assert "mss-tuned" not in names
    assert set(extractor_names()) - set(names) == {"mss-tuned", "mss-learned"}


def test_each_answer_is_what_extract_gives() -> None:
    comparison = compare(ARTICLE, extractor_names(), url="https://example.com/rain")
    for name in extractor_names():
        expected = extract(ARTICLE, extractor=name, url="https://example.com/rain")
        assert comparison[name] == expected


def test_agreement_is_the_word_f1_of_two_texts() -> None:
    html = "<p>one two</p><p>three four</p><p>five six seven eight</p>"
    first, second, both, none = Words(0), Words(1), Words(0, 1), Words()
    comparison = compare(html, [first, second, both, none])
    assert comparison.names == ("Words(0,)", "Words(1,)", "Words(0, 1)", "Words()")
    assert comparison.agreement == (
        (1, 0, 2 / 3, 0),
        (0, 1, 2 / 3, 0),
        (2 / 3, 2 / 3, 1, 0),
        (0, 0, 0, 1),
    )
    assert comparison.mean_agreement == pytest.approx((2 / 9, 2 / 9, 4 / 9, 0))


def test_page_is_walked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    walked = Mock(wraps=walk)
    monkeypatch.setattr(trees, "walk", walked)
    compare(ARTICLE)
    assert walked.call_count == 1


def test_mistakes_name_what_is_right() -> None:
    with pytest.raises(ValueError, match=r"'mess'.*mss"):
        compare(ARTICLE, ["mess"])
    with pytest.raises(ValueError, match="at least one"):
        compare(ARTICLE, [])
    with pytest.raises(KeyError, match=r"bte.*mss"):
        compare(ARTICLE, ["mss"])["bte"]


def test_missing_extra_is_left_out_of_the_default_only(monkeypatch: pytest.MonkeyPatch) -> None:
    from scrapy_boilerplate.core import methods

    monkeypatch.setitem(methods._BUILTIN, "gone", "no_such_module:Gone")
    assert "gone" not in compare(ARTICLE).names
    with pytest.raises(ImportError):
        compare(ARTICLE, ["gone"])
