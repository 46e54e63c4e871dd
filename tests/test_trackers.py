"""Reports of trackers: the report and its replies are a thread, each with who wrote it and when."""

# ruff: noqa: E501  (pages as trackers write them)
from __future__ import annotations

import pytest
from cases import rows

from scrapy_boilerplate import extract

SAID = [
    ("nell", "2023-06-02T10:00:00Z", "Jun 2, 2023", "When I start the ferry with two crews on board, the rudder jams and nothing moves until I turn the key back. It did so three times on Monday, and the log says nothing about it at all."),
    ("hamish", "2023-06-03T09:12:00Z", "Jun 3, 2023", "Thanks for the report. Which version of the rudder do you have? The one from the spring had a bolt that was too long, and we replaced it in all boats that came to the yard in May."),
    ("mk42", "2023-06-05T18:30:00Z", "Jun 5, 2023", "I have the same with the one from the spring. It helps to grease the bolt before you start, but after a day at sea it jams again, so that is no cure."),
    ("jo-berg", "2024-01-12T07:00:00Z", "Jan 12, 2024", "Fixed by the new bolt, which is in the boats since last week. Please open a new report if you see it once more."),
]  # fmt: skip

TRACKERS = {name: cells for name, *cells in rows("trackers")}
"""Address and title, what the report and each reply is written as, and what is around them:
{a}uthor, {d}ate, {s}hown date, {t}ext, {n}umber."""


def page_of(tracker: str) -> str:
    _, title, report, reply, around = TRACKERS[tracker]
    said = [dict(zip("adst", said, strict=True), n=n) for n, said in enumerate(SAID)]
    replies = "".join(reply.format(**row) for row in (said[1:] if report else said))
    body = around.format(report=report.format(**said[0]), replies=replies)
    menu = "<header><a href=/>Home</a> <a href=/explore>Explore</a></header>"
    return f"<html lang=en><title>{title}</title><body>{menu}{body}<footer>© 2024</footer>"


@pytest.mark.parametrize("has_address", [True, False])
@pytest.mark.parametrize("tracker", TRACKERS)
def test_a_report_with_replies_is_a_thread(tracker: str, has_address: bool) -> None:
    answer = extract(page_of(tracker), url=TRACKERS[tracker][0] if has_address else None)
    assert answer.kind == "thread"
    found = [(post.author, post.date[:10], post.text) for post in answer.posts]
    assert found == [(author, date[:10], text) for author, date, _, text in SAID]
    assert "Edits" not in answer.text
    assert "on Jun" not in answer.text


def test_an_issue_of_a_magazine_is_no_thread() -> None:
    text = "".join(f"<p>{said[-1]}</p>" for said in SAID * 3)
    page = f"<title>Issue 12</title><article><h1>The ferry</h1>{text}</article>"
    assert extract(page, url="https://magazine.example/issues/12").kind == "article"


def test_a_number_makes_no_report_of_an_article_with_comments() -> None:
    replies = "".join(f"<div class=comment><b>{a}</b> {d}<p>{t}" for a, _, d, t in SAID[1:])
    text = "".join(f"<p>{said[-1]}</p>" for said in SAID)
    page = f"<title>Podcast #12</title><article><h1>The ferry #12</h1>{text}</article>{replies}"
    assert extract(page).kind == "article"
