"""Reports of trackers: the report and its replies are a thread, each with who wrote it and when."""

# ruff: noqa: E501  (pages as trackers write them)
from __future__ import annotations

import pytest

from scrapy_boilerplate import extract

SAID = [
    ("nell", "2023-06-02T10:00:00Z", "Jun 2, 2023", "When I start the ferry with two crews on board, the rudder jams and nothing moves until I turn the key back. It did so three times on Monday, and the log says nothing about it at all."),
    ("hamish", "2023-06-03T09:12:00Z", "Jun 3, 2023", "Thanks for the report. Which version of the rudder do you have? The one from the spring had a bolt that was too long, and we replaced it in all boats that came to the yard in May."),
    ("mk42", "2023-06-05T18:30:00Z", "Jun 5, 2023", "I have the same with the one from the spring. It helps to grease the bolt before you start, but after a day at sea it jams again, so that is no cure."),
    ("jo-berg", "2024-01-12T07:00:00Z", "Jan 12, 2024", "Fixed by the new bolt, which is in the boats since last week. Please open a new report if you see it once more."),
]  # fmt: skip

TRACKERS = {
    # Address, what the report and each reply is written as, and what is around them: {a}uthor, {d}ate, {s}hown date, {t}ext, {n}umber.
    "GitHub": (
        "https://hub.example/harbour/ferry/issues/12",
        "<div data-testid='issue-viewer-issue-container'><div class='ActivityHeader-module__header'><a class='ActivityHeader-module__AuthorLink' href='/{a}'>{a}</a> <span>opened <a href='#i'><relative-time datetime='{d}'>on {s}</relative-time></a></span><button>Edits</button></div><div class='markdown-body'><p dir='auto'>{t}</p></div></div>",
        "<div class='LayoutHelpers-module__timelineElement'><div id='issuecomment-{n}' class='react-issue-comment'><div class='TimelineRow-module__commentHeaderRow'><h3 class='sr-only'>{a} commented on {s}</h3><a data-testid='avatar-link' href='/{a}'>{a}</a><a href='#c{n}'><relative-time datetime='{d}'>on {s}</relative-time></a><div><span>Member</span><button>More actions</button></div></div><div class='markdown-body'><p dir='auto'>{t}</p></div></div></div>",
        "<main><h1><bdi>Rudder jams</bdi><span>#12</span></h1><span>Closed</span>{report}<div>{replies}</div><h3>Metadata</h3><h4>Assignees</h4><span>No one assigned</span></main>",
    ),
    "GitLab": (
        "https://lab.example/harbour/ferry/-/issues/12",
        "<div>Issue created <time datetime='{d}'>{s}</time> by <a class='author-link' href='/{a}'><span class='author'>{a}</span></a></div><h1 class='title'>Rudder jams</h1><div class='description'><div class='md'><p dir='auto'>{t}</p></div></div>",
        "<li id='note_{n}' class='timeline-entry note note-wrapper note-comment'><div class='timeline-content'><div class='note-header'><a class='author-name-link' href='/{a}'><span class='note-header-author-name'>{a}</span></a><span class='note-headline-meta'> · <a class='note-timestamp'><time datetime='{d}'>{s}</time></a></span><span class='user-access-role'>Developer</span></div><div class='note-body'><div class='note-text md'><p dir='auto'>{t}</p></div></div></div></li>",
        "<main>{report}<section class='issuable-discussion'><h2>Activity</h2><ul id='notes-list' class='notes main-notes-list timeline'>{replies}</ul></section></main>",
    ),
    "Gitea": (
        "https://tea.example/harbour/ferry/issues/12",
        "<div class='timeline-item comment first' id='issue-12'><div class='content comment-container'><div class='comment-header'><span class='text grey'><a class='author' href='/{a}'>{a}</a> commented <relative-time datetime='{d}'>{s}</relative-time></span></div><div class='comment-body'><div class='render-content markup'><p dir='auto'>{t}</p></div></div></div></div>",
        "<div class='timeline-item comment' id='issuecomment-{n}'><div class='content comment-container'><div class='comment-header'><span class='text grey'><a class='author' href='/{a}'>{a}</a> commented <relative-time datetime='{d}'>{s}</relative-time></span></div><div class='comment-body'><div class='render-content markup'><p dir='auto'>{t}</p></div></div></div></div>",
        "<div role='main'><h1>Rudder jams <span>#12</span></h1><div class='comment-list'>{report}{replies}</div><div><span>Labels</span><a>bug</a></div></div>",
    ),
    "Launchpad": (
        "https://bugs.pad.example/ferry/+bug/12",
        "<h1>Rudder jams</h1><div id='registration'>Bug #12 reported by <a class='sprite person'>{a}</a> <span>on {d}</span></div><div class='report'><div class='bug-description'><p>{t}</p></div></div>",
        "<div class='boardComment' id='comment-{n}'><div class='boardCommentDetails'><a href='/~{a}' class='sprite person'>{a}</a> wrote <time datetime='{d}'>on {s}</time> <a href='/bugs/12/comments/{n}'>#{n}</a></div><div class='boardCommentBody'><div class='comment-text'><p>{t}</p></div></div></div>",
        "<div id='maincontent'>{report}{replies}</div>",
    ),
    "Bugzilla": (
        "https://zilla.example/show_bug.cgi?id=12",
        "<div id='c0' class='bz_comment bz_first_comment'><div class='bz_first_comment_head'><span class='bz_comment_number'><a href='#c0'>Description</a></span> <span class='bz_comment_user'><span class='fn'>{a}</span></span> <span class='bz_comment_time'>{d}</span></div><pre class='bz_comment_text'>{t}</pre></div>",
        "<div id='c{n}' class='bz_comment'><div class='bz_comment_head'><span class='bz_comment_number'><a href='#c{n}'>Comment {n}</a></span> <span class='bz_comment_user'><span class='fn'>{a}</span></span> <span class='bz_comment_time'>{d}</span></div><pre class='bz_comment_text'>{t}</pre></div>",
        "<div><b>Bug 12</b> - <span>Rudder jams</span><table><tr><th>Status:</th><td>RESOLVED FIXED</td></tr><tr><th>Product:</th><td>Ferry</td></tr></table><div id='comments'>{report}{replies}</div></div>",
    ),
    "Flarum": (
        "https://board.example/d/12-rudder-jams",
        "",
        "<div class='PostStream-item' data-number='{n}'><article class='CommentPost Post'><header class='Post-header'><ul><li class='item-user'><div class='PostUser'><h3><a href='/u/{a}'><span class='Avatar'>N</span><span class='username'>{a}</span></a></h3></div></li><li class='item-meta'><time datetime='{d}'>{s}</time></li></ul></header><div class='Post-body'><p>{t}</p></div><aside class='Post-actions'><ul><li>Reply</li><li>Like</li></ul></aside></article></div>",
        "<main><h1>Rudder jams</h1><div class='PostStream'>{replies}</div></main>",
    ),
}


TITLES = {
    "GitHub": "Rudder jams · Issue #12 · harbour/ferry",
    "GitLab": "Rudder jams (#12) · Issues · harbour / ferry",
    "Launchpad": "Bug #12 “Rudder jams” : Bugs : ferry",
}


def page_of(tracker: str) -> str:
    _, report, reply, around = TRACKERS[tracker]
    rows = [dict(zip("adst", said, strict=True), n=n) for n, said in enumerate(SAID)]
    replies = "".join(reply.format(**row) for row in (rows[1:] if report else rows))
    body = around.format(report=report.format(**rows[0]), replies=replies)
    title = TITLES.get(tracker, "Rudder jams")
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
