"""What the words of classes and ids say."""

from __future__ import annotations

import pickle

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate.core.auto.lexicon import NAMED, Lexicon
from scrapy_boilerplate.core.auto.model import load_model
from training.lexicon import attribute_words

LEXICON = Lexicon({"post": 1.0, "ad": -2.0, "abab": 0.5, "bb": -0.25, "aababbabab": 4.0})


def test_words_of_attributes() -> None:
    assert attribute_words("postBody POST-Title x h2 wp_post12") == [
        *("post", "body", "post", "title", "wp", "post")
    ]
    assert len(NAMED) < 63  # a bit each


def test_what_attributes_say() -> None:
    least, most, mean, named, first = LEXICON.meanings(["AdPost main-menu", "", "menu"]).tolist()
    assert least == [-2.0, 0.0, 0.0]
    assert most == [1.0, 0.0, 0.0]
    assert mean == [-0.25, 0.0, 0.0]
    assert [name for bit, name in enumerate(NAMED) if int(named[2]) >> bit & 1] == ["navigation"]
    assert len(set(first)) == 3


@given(st.lists(st.sampled_from([*"Ab-_ 7é", "post", "Ad", "BODY"])).map("".join))
def test_words_are_those_that_training_counts(string: str) -> None:
    known = {word: float(place + 1) for place, word in enumerate(sorted(attribute_words(string)))}
    _, most, mean, *_ = Lexicon(known).meanings([string])[:, 0].tolist()
    found = [known[word] for word in attribute_words(string)]
    assert most == max(found, default=0.0)
    assert mean == sum(found) / max(len(found), 1)


def test_digits_do_not_tell_first_names_apart() -> None:
    numbers = LEXICON.meanings(["post-12 wide", "post-7", " post-", "posts"])[-1].tolist()
    assert numbers[0] == numbers[1] == numbers[2] != numbers[3]


def test_models_travel_between_processes() -> None:
    model = load_model()
    again = pickle.loads(pickle.dumps(model))
    names = ["post-body", "ad", "comments"]
    assert np.array_equal(again.lexicon.meanings(names), model.lexicon.meanings(names))
