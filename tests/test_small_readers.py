"""Small functions that read names, dates, labels and prices, each by an example."""

from __future__ import annotations

from typing import Any

import pytest

from scrapy_boilerplate import Page
from scrapy_boilerplate.core.answer.metadata import authors, dates, entities, labels, offers
from scrapy_boilerplate.core.answer.metadata.choosing import Candidate, choose
from scrapy_boilerplate.core.answer.metadata.declared import _place, group_of
from scrapy_boilerplate.core.answer.metadata.languages import script_of
from scrapy_boilerplate.core.answer.metadata.titles import title_ends
from scrapy_boilerplate.core.answer.metadata.visible import site_part
from scrapy_boilerplate.core.answer.posts import bodies, may_have_comments, threads, values
from scrapy_boilerplate.core.answer.posts.unit_signs import is_date_line

ENTITY = entities.Entity
NAMES = ["Ada Lovelace", "Grace Hopper, PhD", "Alan Turing"]
EXAMPLES: list[tuple[Any, str, Any]] = [
    (authors.names_in_byline, "4. März 2026, von Jürgen Müller", ["Jürgen Müller"]),
    (authors.names_in_byline, "作者：王小明 来源：…", ["王小明"]),
    (authors.names_in_byline, "Von hier aus sieht man das Meer", []),
    (authors.clean_name, "By Ada Lovelace", "Ada Lovelace"),
    (authors.clean_name, "admin", ""),
    (authors.clean_name, "https://example.com/ada", ""),
    (authors.names_in, "By Ada Lovelace, Grace Hopper, PhD and Alan Turing", NAMES),
    (authors._is_role, "Head of Nets", True),
    (authors._is_role, "Harbour Master", True),
    (authors._is_role, "Ada Lovelace", False),
    (authors.names_in_line, "Written by Ada Lovelace | 4 May 2025", ["Ada Lovelace"]),
    (authors.names_in_line, "click here", []),
    (authors.is_likely_name, "Ludwig van Beethoven", True),
    (authors.is_likely_name, "following the tips below", False),
    (dates.is_day_first, "de", True),
    (dates.is_day_first, "en-GB", True),
    (dates.is_day_first, "en", False),
    (dates.is_day_first, "", False),
    (dates.read_date, "Sept. 4th, 2025 at 3:05 PM", "2025-09-04T15:05:00"),
    (dates.read_date, "2025-09-04T10:00:00+0200", "2025-09-04T10:00:00+02:00"),
    (dates.read_date, "3/4/2025", "2025-03-04"),
    (dates.read_date, "31/31/2025", ""),
    (dates.find_date, "By Ada Lovelace | Updated 4 mars 2025 | 3 min read", "2025-03-04"),
    (dates.find_date, "٤ مارس ٢٠٢٥", "2025-03-04"),
    (dates.url_date, "https://example.com/2025/09/04/a-title", "2025-09-04"),
    (dates.url_date, "/2025/09/4-ways-to-go", ""),
    (_place, "https://www.example.com/a/?b#c", "example.com/a?b"),
    (labels.label_before, "Diese Seite wurde zuletzt geändert am ", "updated"),
    (labels.label_before, "They stand, ", ""),
    (labels.is_other, "Ada was born on ", True),
    (labels.is_other, "Posted on ", False),
    (labels.label_of_name, "schema:dateModified", "updated"),
    (labels.label_of_name, "entry-date published updated", "published"),
    (script_of, "Привет", "Cyrillic"),
    (script_of, "東京は日本の首都です", "Kana"),
    (script_of, "12", ""),
    (offers.price_in, "Now only 1.299,00 €", ("1299.00", "EUR")),
    (offers.price_in, "$1,299", ("1299", "USD")),
    (offers.price_in, "CHF 24.90", ("24.90", "CHF")),
    (offers.price_in, "19,- €", ("19", "EUR")),
    (offers.price_in, "Room 12", ("", "")),
    (offers.amount, "1 299", "1299"),
    (offers.amount, "1'299.00", "1299.00"),
    (offers.amount, "12,50", "12.50"),
    (offers.amount, "1.299", "1299"),
    (site_part, "www.example.co.uk", "example"),
    (is_date_line, "Ada Lovelace on May 4, 2019 at 8 pm", True),
    (is_date_line, "On 4 May 2019 we left.", False),
    (values._unbracketed, " (6 days ago)", "6 days ago"),
    (values._unbracketed, "1 hour ago (4:28 PM)", "1 hour ago (4:28 PM)"),
    (values._unbracketed, "May 4 (", "May 4"),
    (values._name, "3. Ada Lovelace said:", "Ada Lovelace"),
    (values._name, "Reply (3)", ""),
]


@pytest.mark.parametrize(("function", "text", "value"), EXAMPLES)
def test_a_text(function: Any, text: str, value: object) -> None:
    assert function(text) == value


def test_other_arguments() -> None:
    assert authors.names_in_byline("Por Juan Pérez", "en") == []
    assert dates.read_date("3/4/2025", day_first=True) == "2025-04-03"
    found = dates.written_dates("4 May 2025, again on 5 May 2025 at 9:30 am")
    assert [each.date for each in found] == ["2025-05-04", "2025-05-05T09:30:00"]
    assert labels.labels(["Published ", ". Last updated ", "."]) == ["published", "updated"]
    assert labels.labels(["", " updated"]) == ["updated"]
    assert labels.labels(["By Ada, edited by Bob Miller | ", ""]) == [""]
    assert labels.labels(["", ", revised edition"]) == [""]
    assert offers.price_in("149 kr", "da") == ("149", "DKK")
    assert bodies.label_of("+6 / 0 Report".split()) == "report"
    assert title_ends("A title - My site")[1] == title_ends("Another title | My site")[1]


def test_structured_data() -> None:
    assert group_of(ENTITY(("NewsArticle",), {})) == "article"
    assert group_of(ENTITY(("FAQPage",), {})) == "page"
    assert [*entities.strings(" a  b ")] == ["a b"]
    assert [*entities.strings(ENTITY(("Person",), {"name": ["Ada"]}))] == ["Ada"]
    (found,) = entities.read_json_ld('{"@type": "Article", "headline": "A",}')
    assert found.types == ("Article",)
    html = "<div itemscope itemtype=http://schema.org/Article><h1 itemprop=headline>A title"
    (found,) = entities.read_microdata(Page.parse(html).declarations[1])
    assert found.text("headline") == "A title"


def test_the_highest_sum_is_chosen() -> None:
    found = [Candidate("A", "class", {"class": 1, "beside": 1}), Candidate("B", "text", {})]
    best, confidence = choose(found, {"class": 7, "beside": -5})
    assert best is not None
    assert (best.value, confidence) == ("A", 0.731)


def test_units() -> None:
    page = Page.parse("<ul><li><b>Ada</b><li><b>Bob</b><li>Cyn</ul><p class=coment>I agree.")
    assert may_have_comments(page)
    items = page.has_tag(("li",)).nonzero()[0]
    assert threads._begin_as_most(page, items).tolist() == [True, True, False]
