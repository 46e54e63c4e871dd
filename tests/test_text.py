"""Words, symbols and sentences, counted by hand in real text of many scripts."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scrapy_boilerplate.core.page.text import (
    code_points,
    count_slices,
    sentence_ends,
    tokens,
)
from scrapy_boilerplate.tools.testing import assert_linear


def counts(text: str) -> tuple[int, int, int]:
    words, symbols, visible = in_slices(text, 0, len(text))
    return words[0], symbols[0], visible[0]


def in_slices(text: str, *edges: int) -> list[list[int]]:
    """Return what is counted between each two neighbouring *edges*."""
    bounds = np.array(edges, dtype=np.int32)
    return [row.tolist() for row in count_slices(text, bounds[:-1], bounds[1:])]


# -- words and symbols -------------------------------------------------------------------------

# Text, words, symbols. In scripts without spaces a word is a character with its marks.
COUNTED = {
    "empty": ("", 0, 0),
    "blank": (" \t\r\n\u00a0\u2003\u200b\ufeff", 0, 0),
    "english": ("All human beings are born free, aren't they?", 9, 3),
    "german": ("Die Würde des Menschen ist unantastbar – 1949, §1.", 8, 4),
    "french": ("L’état, c’est moi !", 5, 4),
    "hungarian": ("Árvíztűrő tükörfúrógép: 25 000 Ft", 5, 1),
    "russian": ("Все люди рождаются свободными и равными.", 6, 1),
    "greek": ("Τι κάνεις; Καλά!", 3, 2),
    "georgian": ("ყველა ადამიანი იბადება თავისუფალი", 4, 0),
    "armenian": ("Բոլոր մարդիկ ծնվում են ազատ։", 5, 1),
    "arabic": ("يولد جميع الناس أحرارًا، متساوين.", 5, 2),
    "persian, joined without space": ("می\u200cخواهم بروم", 2, 0),
    "hebrew": ('כל בני האדם נולדו בני חורין, צה"ל.', 8, 3),
    "hebrew with points": ("בְּרֵאשִׁית בָּרָא אֱלֹהִים", 3, 0),
    "hindi": ("सभी मनुष्यों को गौरव प्राप्त है।", 6, 1),
    "bengali": ("সমস্ত মানুষ স্বাধীনভাবে জন্মগ্রহণ করে।", 5, 1),
    "tamil": ("மனிதப் பிறவியினர் சகலரும் சுதந்திரமாகவே", 4, 0),
    "chinese": ("人人生而自由，在尊严上平等。", 12, 2),
    "chinese with latin": ("我用Python写了3行代码。", 9, 1),
    "japanese": ("すべての人間は、自由である。", 12, 2),
    "japanese, long vowel": ("コーヒー", 4, 0),
    "half-width katakana": ("ｶﾀｶﾅ", 4, 0),
    "korean": ("모든 인간은 태어날 때부터 자유로우며", 5, 0),
    "korean, decomposed": (unicodedata.normalize("NFD", "모든 인간은 자유롭다"), 3, 0),
    "thai": ("สวัสดี", 4, 0),  # ส วั ส ดี
    "lao": ("ສະບາຍດີ", 6, 0),  # ສ ະ ບ າ ຍ ດີ
    "khmer": ("សួស្តី", 3, 0),  # សួ ស្ តី
    "burmese": ("မင်္ဂလာပါ", 5, 0),  # မ င်္ ဂ လာ ပါ
    "vietnamese": ("Tất cả mọi người đều được tự do", 8, 0),
    "vietnamese, decomposed": (
        unicodedata.normalize("NFD", "Tất cả mọi người đều được tự do"),
        8,
        0,
    ),
    "letters outside the basic plane": ("𝓗𝓮𝓵𝓵𝓸 𐌰𐌹𐌽", 2, 0),
    "ideographs outside the basic plane": ("𠮷野家", 3, 0),
    "emoji": ("Nice 😀😀!", 1, 3),
    "emoji with variation selector": ("❤\ufe0f", 0, 1),
    "flag": ("🇩🇪", 0, 2),
    "soft hyphen": ("Donau\u00addampf\u00adschiff", 1, 0),
    "stacked marks": ("Z\u0351\u036b\u0343a\u0489lgo", 1, 0),
    "mark on a space": ("a \u0301b", 2, 0),
    "control characters": ("a\x00b\x01c", 3, 0),
    "lone surrogates": ("a\ud800b \udfff", 2, 0),
    "private use": ("icon \ue001 font", 2, 0),
    "numbers": ("3.14 and 1,000", 5, 2),
    "Roman and fraction numerals": ("Ⅻ ½ ²", 3, 0),
    "underscore": ("snake_case", 2, 1),
}


@pytest.mark.parametrize(("text", "words", "symbols"), COUNTED.values(), ids=COUNTED)
def test_words_and_symbols(text: str, words: int, symbols: int) -> None:
    assert counts(text)[:2] == (words, symbols)


WORD = "e\u0301" * 40  # longer than what is counted together, and a mark may come first


@pytest.mark.parametrize("before", range(70))
def test_a_word_with_marks_is_one_wherever_it_begins(before: int) -> None:
    assert counts(" " * before + WORD + " \u0301!") == (1, 1, 82)
    text = "!" * before + WORD
    edges = (0, before + 3, before + 4, len(text))
    assert in_slices(text, *edges)[0] == [
        1,
        0,
        1,
    ]  # a slice that begins with a letter begins a word


def test_joined_emoji_are_symbols() -> None:
    family = "👨\u200d👩\u200d👧"
    assert counts(f"my {family} home") == (2, 3, 2 + 4 + 5)


def test_right_to_left_marks_are_no_words() -> None:
    assert counts("\u202bשלום\u202c \u200fעולם\u200e")[0] == 2


def test_breaks_end_words() -> None:
    text = "onetwo three"
    assert counts(text)[0] == 2
    assert in_slices(text, 0, 3, 6, 12)[0] == [1, 1, 1]
    assert in_slices(text, 0, 3, 12)[0] == [1, 2]


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


@given(st.text())
def test_code_points(text: str) -> None:
    assert code_points(text).tolist() == [ord(char) for char in text]


def test_tokens() -> None:
    assert tokens("It’s 3.5 °C, ÄÖ_x") == ["it", "s", "3", "5", "c", "äö_x"]
    assert tokens("日本語 한국 ｶﾅ abc") == [*"日本語한국ｶﾅ", "abc"]
    assert tokens("") == []


# -- sentences ---------------------------------------------------------------------------------

SENTENCES = {
    "english": ["J. R. Smith met her, e.g. at St Mary.", "It cost $3.50, i.e. 1.000,25.",
     "It rose by 2.5.", "See www.example.com/a.b?c=d!e or a.b@example.co.uk.", "Wait... what?!",
     "He said “Stop!”", '"Really?" she asked.', "(It was late.)", "No.", "He did not."],
    "german": ["Müller wohnt z. B. in Gallen.", "Im 9. Jahrhundert u. a. auch.", "„Komm!“",
     "»Gut.«", "»Sehr gut.«"],
    "french": ["Où vas-tu ?", "Fin…", "Il part."],
    "spanish": ["¿Qué tal, García?", "¡Muy bien!"],
    "russian": ["А. С. Пушкин родился в Москве, т. е. в центре.", "Иванов писал…", "Кто там?"],
    "greek": ["Τι κάνεις;", "Πολύ καλά· ευχαριστώ.", "Εσύ;"],
    "armenian": ["Բոլոր մարդիկ ծնվում են ազատ։", "Նրանք հավասար են։"],
    "arabic": ["هل وصل أحمد؟", "نعم، وصل أمس.", "لا أدري!"],
    "hindi": ["क्या आप ठीक हैं?", "हाँ।"],
    "amharic": ["ሰላም ነው።", "እንዴት ነህ፧"],
    "chinese": ["你好吗？", "我很好。", "圆周率是3.14。"],
    "japanese": ["そうですか。", "はい。"],
    "korean": ["밥을 먹었다.", "정말요?"],
    "khmer": ["ខ្ញុំទៅផ្សារ។", "គាត់មកពីភ្នំពេញ។"],
    "thai": ["มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกัน", "ต่างมีเหตุผลและมโนธรรมและควรปฏิบัติต่อกัน"],
}  # fmt: skip


@pytest.mark.parametrize("language", SENTENCES)
@pytest.mark.parametrize("between", [" ", "\n"])
def test_sentence_ends(language: str, between: str) -> None:
    text = between.join(SENTENCES[language])
    assert len(sentence_ends(text)) == len(SENTENCES[language])


def test_headings_and_menus_have_no_sentence_end() -> None:
    assert not sentence_ends("Home · News · Sport\nAbout us\n日本 中国\nРусский\nไทย ลาว")
    assert not sentence_ends("1. Open the lid\n3.1 Then\nIV Chapter\na. Letter\n........")


@pytest.mark.parametrize("unit", [". ", ".", "!?", "a.", "Mr. ", '."', ".   ", "。」", " »", "ก"])
def test_linear(unit: str) -> None:
    assert_linear(lambda size: unit * (size // len(unit)) + "x", sentence_ends, 20_000)
