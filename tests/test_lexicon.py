"""What the words of classes and ids say."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scrapy_boilerplate.core.auto.lexicon import NAMED, Lexicon, attribute_words, first_name

LEXICON = Lexicon({"post": 1.0, "ad": -2.0, "abab": 0.5, "bb": -0.25, "aababbabab": 4.0})

# Letters that make words, white space of several kinds, and one, two and four bytes a character.
attributes = st.text(st.sampled_from("abAB12 -_\t\x1c\u2003é日\U0001f600ſK"), max_size=30)


def test_words_of_attributes() -> None:
    assert attribute_words("postBody POST-Title x h2 wp_post12") == [
        *("post", "body", "post", "title", "wp", "post")
    ]
    assert len(NAMED) < 63  # a bit each


@pytest.mark.skipif(LEXICON._compiled is None, reason="not compiled here")
@given(st.lists(attributes, min_size=1, max_size=8))
@example(["AdPostABab commentAD", "post postBODY ads", "\ud800ad 12", "a b", "x-Menu"])
def test_the_compiled_lexicon_equals_its_twin(strings: list[str]) -> None:
    compiled, twin = LEXICON.meanings(strings), LEXICON._meanings_in_python(strings)
    assert compiled[:4].tolist() == twin[:4].tolist()
    names = list(map(first_name, strings))
    for numbers in (compiled[4].tolist(), twin[4].tolist()):
        pairs = set(zip(names, numbers, strict=True))
        assert len(pairs) == len(set(names)) == len(set(numbers))
