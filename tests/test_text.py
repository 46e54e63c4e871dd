"""Words, symbols and sentences, counted by hand in real text of many scripts."""

from __future__ import annotations

import numpy as np
import pytest
from cases import named, rows
from hypothesis import example, given
from hypothesis import strategies as st

from scrapy_boilerplate.core.page.text import count_slices, sentence_ends, tokens


def counts(text: str) -> tuple[int, int, int]:
    words, symbols, visible = in_slices(text, 0, len(text))
    return words[0], symbols[0], visible[0]


def in_slices(text: str, *edges: int) -> list[list[int]]:
    """Return what is counted between each two neighbouring *edges*."""
    bounds = np.array(edges, dtype=np.int32)
    return [row.tolist() for row in count_slices(text, bounds[:-1], bounds[1:])]


# -- words and symbols -------------------------------------------------------------------------

UNSEEN = [
    (" \t\r\n\u00a0\u2003\u200b\ufeff", 0, 0),
    ("می\u200cخواهم بروم", 2, 0),
    ("Donau\u00addampf\u00adschiff", 1, 0),
    ("a\ud800b \udfff", 2, 0),
    ("icon \ue001 font", 2, 0),
    ("my 👨\u200d👩\u200d👧 home", 2, 3),
    ("\u202bשלום\u202c \u200fעולם\u200e", 2, 0),
]


@pytest.mark.parametrize(("text", "words", "symbols"), [*named("counted"), *UNSEEN])
def test_words_and_symbols(text: str, words: str, symbols: str) -> None:
    """In scripts without spaces a word is a character with its marks."""
    assert counts(text)[:2] == (int(words), int(symbols))


WORD = "e\u0301" * 40  # longer than what is counted together, and a mark may come first


@pytest.mark.parametrize("before", range(70))
def test_a_word_with_marks_is_one_wherever_it_begins(before: int) -> None:
    assert counts(" " * before + WORD + " \u0301!") == (1, 1, 82)
    text = "!" * before + WORD
    edges = (0, before + 3, before + 4, len(text))
    # A slice that begins with a letter begins a word.
    assert in_slices(text, *edges)[0] == [1, 0, 1]


@given(st.text())
@example("\ud800\x00")
def test_counts_are_disjoint(text: str) -> None:
    words, symbols, visible = counts(text)
    assert 0 <= words + symbols <= visible <= len(text)


@given(st.text(), st.text())
def test_counts_add_up_over_white_space(left: str, right: str) -> None:
    joined = counts(left + " " + right)
    assert joined == tuple(np.add(counts(left), counts(right)))


@given(st.text(st.characters(categories=["Lu", "Ll", "Nd"], max_codepoint=0x2FF)))
def test_a_run_of_letters_is_one_word(text: str) -> None:
    assert counts(text) == (bool(text), 0, len(text))


def test_tokens() -> None:
    assert tokens("It’s 3.5 °C, ÄÖ_x") == ["it", "s", "3", "5", "c", "äö_x"]
    assert tokens("日本語 한국 ｶﾅ abc") == [*"日本語한국ｶﾅ", "abc"]
    assert tokens("") == []


# -- sentences ---------------------------------------------------------------------------------


@pytest.mark.parametrize("cells", rows("sentences"))
@pytest.mark.parametrize("between", [" ", "\n"])
def test_sentence_ends(cells: list[str], between: str) -> None:
    _, *sentences = cells
    assert len(sentence_ends(between.join(sentences))) == len(sentences)


def test_headings_and_menus_have_no_sentence_end() -> None:
    assert not sentence_ends("Home · News · Sport\nAbout us\n日本 中国\nРусский\nไทย ลาว")
    assert not sentence_ends("1. Open the lid\n3.1 Then\nIV Chapter\na. Letter\n........")
