from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.data import read_cleaneval
from benchmarks.metrics import word_score
from scrapy_boilerplate.core.page import Page
from training import alignment
from training.alignment import align, align_tokens

WORDS = st.lists(st.sampled_from("abcde"), max_size=30)


@given(WORDS, WORDS)
def test_pairs_are_equal_tokens_and_each_is_used_once(page: list[str], gold: list[str]) -> None:
    matches = align_tokens(page, gold)
    pairs = [(i, j) for i, j in enumerate(matches.tolist()) if j >= 0]
    assert len(matches) == len(page)
    assert all(page[i] == gold[j] for i, j in pairs)
    assert len({j for _, j in pairs}) == len(pairs)


@given(WORDS.filter(lambda words: len(words) > 2), WORDS, WORDS)
def test_text_that_is_on_the_page_is_found_whole(
    gold: list[str], before: list[str], after: list[str]
) -> None:
    page = [word.upper() for word in before] + gold + [word.upper() for word in after]
    matches = align_tokens(page, gold)
    assert matches[len(before) : len(before) + len(gold)].tolist() == list(range(len(gold)))
    assert (matches >= 0).sum() == len(gold)


def shares(html: str, gold: str) -> list[float]:
    return align(Page.parse(html), gold).shares().tolist()


def test_of_two_occurrences_the_one_beside_the_rest_is_taken() -> None:
    html = "<p>Big news</p><p>Menu<p>About us<p>Big news</p><p>Today it rained a lot."
    assert shares(html, "Big news\n\nToday it rained a lot.") == [0, 0, 0, 1, 1]
    html = "<p>Today it rained a lot.<p>The end<p>Menu<p>About us<p>The end"
    assert shares(html, "Today it rained a lot. The end") == [1, 1, 0, 0, 0]


def test_words_scattered_over_other_sentences_are_not_aligned() -> None:
    html = "<p>All the news of the day in a mail</p><p>The cat sat on a mat in the sun.</p>"
    assert shares(html, "The cat sat on a mat in the sun. A day of fun.") == [0, 1]


def test_long_text_in_another_order_is_found() -> None:
    html = "<p>First of all comes this.</p><p>Menu</p><p>Then there are other things to say.</p>"
    gold = "Then there are other things to say. First of all comes this."
    assert shares(html, gold) == [1, 0, 1]


def test_share_counts_characters() -> None:
    assert shares("<p>one two three four five or not</p>", "One two three four five") == [
        pytest.approx(len("onetwothreefourfive") / len("onetwothreefourfiveornot"))
    ]


def test_nodes_without_words_take_the_share_of_those_around() -> None:
    html = "<p>*<p>A text with words.<p>* * *<p>And some more of it.<p>* *<p>Menu<p>*"
    expected = [0.5, 1, 1, 1, 0.5, 0, 0]
    assert shares(html, "A text with words. And some more of it.") == expected


def test_groups_are_shared_by_their_characters() -> None:
    page = Page.parse("<p>A <b>bold</b> statement</p><p>Menu</p>")
    grouped = align(page, "A bold statement").shares(np.array([0, 0, 0, 1]))
    assert grouped.tolist() == [1, 0]


def test_a_page_without_words_or_gold() -> None:
    assert align(Page.parse(""), "gold").shares().size == 0
    assert shares("<p>Menu</p><p>* *</p>", "") == [0, 0]
    assert shares("<p>* *</p>", "gold") == [0]


def test_scripts_without_spaces_are_aligned_by_character() -> None:
    assert shares("<p>首页</p><p>今天天气很好。</p>", "今天天气很好。") == [0, 1]


@pytest.mark.parametrize("cells", [50, 1000])
def test_large_texts_are_cut_at_unique_ngrams(monkeypatch: pytest.MonkeyPatch, cells: int) -> None:
    rng = np.random.default_rng(0)
    gold = [f"w{number}" for number in rng.integers(0, 200, 400).tolist()]
    page = [*["menu"] * 50, *gold[:200], *["advert"] * 50, *gold[200:], *["footer"] * 50]
    whole = align_tokens(page, gold)
    assert (whole >= 0).sum() == 400
    monkeypatch.setattr(alignment, "MAX_CELLS", cells)
    monkeypatch.setattr(alignment, "LONGEST_ANCHOR", 4)
    pieces = align_tokens(page, gold)
    assert (pieces == whole).mean() > 0.9


def test_repetition_without_end_is_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alignment, "MAX_CELLS", 1000)
    matches = align_tokens(["a"] * 500, ["a"] * 500)
    assert 0 < (matches >= 0).sum() <= 500


def test_blocks_of_gold_make_up_the_gold_text(shared_data: Path) -> None:
    scores = []
    for labelled in read_cleaneval(shared_data / "cleaneval-dev"):
        page = Page.parse(labelled.html)
        if page.words.sum() > 1000:
            continue  # for time
        blocks = page.blocks
        groups = np.repeat(np.arange(len(blocks)), blocks[:, 1] - blocks[:, 0])
        kept = blocks[align(page, labelled.gold).shares(groups) >= 2 / 3]
        text = page.join(kept, [page.lay_out(start, stop) for start, stop in kept])
        scores.append(word_score(text, labelled.gold).f1)
    assert len(scores) > 10
    assert np.mean(scores) > 0.95
