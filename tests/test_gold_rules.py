"""How the rules of gold texts are counted: what each kind of element is told by."""

from __future__ import annotations

import pytest

from benchmarks.data import LabelledPage
from benchmarks.gold_rules import (
    ELEMENTS,
    Reading,
    choices_table,
    differing_pairs,
    elements_table,
    read_page,
    texts_table,
)

LONG = "This is a paragraph of some length that says a thing or two about cats, mats and more. It "
LONG += "goes on."
CARD = "<div class=card><a href=/{0}>{0} the cat</a><p>12 €</div>"
CARDS = "".join(map(CARD.format, ["Anna", "Berta", "Clara", "Dora"]))


def read(html: str, gold: str = LONG, kind: str = "product") -> Reading:
    """Return how *gold* treats a page of *html* and a paragraph of its own."""
    page = f"{html}<p>{LONG}</p>".encode()
    reading = read_page(LabelledPage("1", page, gold, None, "example.com", kind))
    assert reading is not None
    return reading


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h1>A mat</h1>", {"main heading": 0, "first text below it": 1, "paragraphs": 1}),
        ("<h2>Cats</h2>", {"other headings": 0, "paragraphs": 1}),
        (CARDS, {"card headings": 0, "card prices": 0, "paragraphs": 1}),
        (f"<nav>{CARDS}</nav>", {"menus": 0, "paragraphs": 1}),
        ("<div>12 €</div>", {"prices": 0, "paragraphs": 1}),
        ("<div>Costs 12 € since we have so many of them left over</div>", {"paragraphs": 1}),
        ("<a href=/a>Read more</a>", {"“read more”, “buy”": 0, "paragraphs": 1}),
        ("<a href=/a>Readers</a>", {"paragraphs": 1}),
        ("<div class=cookieBar>We eat them</div>", {"cookies, consent": 0, "paragraphs": 1}),
        ("<div class='x sign-in modal'>Sign in</div>", {"dialogs": 0, "paragraphs": 1}),
        ("<table><tr><th>Legs<td>Four</table>", {"tables and definitions": 0, "paragraphs": 1}),
        ("<p>a@example.com</p>", {"contact data": 0, "paragraphs": 1}),
        ("<footer>© 2020</footer>", {"copyright line": 0, "footer": 0, "paragraphs": 1}),
    ],
)
def test_kinds_of_elements(html: str, expected: dict[str, float]) -> None:
    assert read(html).kept == expected


def test_a_copy_is_kept_where_the_gold_text_has_it_twice() -> None:
    once, twice = read(f"<div>{LONG}</div>"), read(f"<div>{LONG}</div>", f"{LONG}\n{LONG}")
    assert once.kept == {"paragraphs": 0.5, "second copies": 0}
    assert twice.kept == {"paragraphs": 1, "second copies": 1}


def test_a_kept_card_counts_by_its_words() -> None:
    gold = f"Anna the cat\n\nBerta the cat\n\n{LONG}"
    assert read(CARDS, gold).kept["card headings"] == 0.5
    assert read(CARDS, gold).kept["card prices"] == 0


def test_length_share_and_holes() -> None:
    html = "<p>One two three four five.</p><p>The gold text leaves this one out.</p>"
    found = read(html, f"One two three four five. {LONG}")
    size = len(LONG.split())
    assert found.words == 5 + size
    assert found.of_page == pytest.approx((5 + size) / (12 + size))
    assert found.left_out == pytest.approx(7 / (12 + size))


def test_what_holds_the_page_does_not_name_its_parts() -> None:
    assert read("<body class=with-sidebar><div class=sidebar>News</div>").kept["side column"] == 0


@pytest.mark.parametrize(("html", "gold"), [("<p>A text.", " "), ("<img src=a>", "A text.")])
def test_no_text_on_either_side(html: str, gold: str) -> None:
    page = LabelledPage("1", html.encode(), gold, None, "example.com", "article")
    assert read_page(page) is None


def test_tables() -> None:
    kept = [{"footer": 0.5}, {"footer": 0.4}, {"footer": 0.0}, {"footer": 1.0}, {"footer": 0.9}]
    readings = [Reading("article", "a.example", each, 100, 0.5, 0.25) for each in kept]
    few = [Reading("forum", "b.example", {"footer": 1.0}, 10, 0.1, 0.0)]
    rows = elements_table([*readings, *few], ["article", "forum"]).splitlines()
    assert rows[0].split("|")[2:5] == [" article (5) ", " forum (1) ", " of two minds "]
    footer = next(row for row in rows if row.startswith("| footer "))
    assert [cell.strip() for cell in footer.split("|")[2:5]] == ["60 (5)", "–", "33 (6)"]
    assert len(rows) == 2 + len(ELEMENTS)
    cells = texts_table(readings, ["article"]).splitlines()[2].split("|")[1:-1]
    assert [cell.strip() for cell in cells] == ["article (5)", "100", "50", "25", "–"]


def test_what_is_chosen_where_there_are_cards_and_paragraphs() -> None:
    kept = [(1.0, 1.0), (1.0, 0.0), (0.2, 1.0), (0.0, 0.0), (0.0, 0.4)]
    pages = [{"card headings": cards, "paragraphs": text} for cards, text in kept]
    pages.append({"paragraphs": 1.0})
    readings = [Reading("listing", "a.example", each, 100, 0.5, 0.25) for each in pages]
    cells = choices_table(readings, ["listing"]).splitlines()[2].split("|")[1:-1]
    assert [cell.strip() for cell in cells] == ["listing (5)", "20", "20", "20", "40"]


def test_pairs_of_pages_of_one_site() -> None:
    """Every site is of one mind, though half of the pages keep it; or every site is of both."""
    agree = [(site, float(site < 3)) for site in range(6) for _ in range(2)]
    toss = [(site, float(page)) for site in range(6) for page in range(2)]
    told = [
        differing_pairs([Reading("article", str(s), {"tags": v}, 9, 1, 0) for s, v in each], "tags")
        for each in (agree, toss, agree[:8])
    ]
    assert told == ["0 : 55", "100 : 55", "–"]
