"""What the words of classes and ids say."""

from __future__ import annotations

from scrapy_boilerplate.core.auto.lexicon import NAMED, Lexicon, attribute_words, first_name

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
    assert first_name("post-12 wide") == "post-"
