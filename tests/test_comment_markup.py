"""Comments in the markup of many systems and languages, and what only looks like comments."""

from __future__ import annotations

import pytest
from cases import rows

from scrapy_boilerplate import extract

TEXT = (
    "The harbour was built in 1874, when the fishermen of the village asked for a safe place, and "
    "its walls are made of granite which came by boat."
)
NAMES = ("Nell Berg", "hamish_42", "Jo", "M. Oduya")
SAID = (
    "I was there as a child, and it was too cold to swim.",
    "Thanks for this, I did not know about the granite.",
    "My grandfather built a part of the wall.",
    "Is the lamp still lit at night?",
)
ARTICLE = f"<article><h1>Harbour</h1>{f'<p>{TEXT}</p>' * 4}</article>"
MARKUP = {name: cells for name, *cells in rows("comment_markup")}
"""What stands around the comments, and each: 0 is its number, 1 its author, 2 its text."""


@pytest.mark.parametrize("url", ["https://blog.example/2026/harbour", None])
@pytest.mark.parametrize("name", MARKUP)
def test_comments_of_many_systems(name: str, url: str | None) -> None:
    around, each = MARKUP[name]
    comments = "".join(
        each.format(n, *pair) for n, pair in enumerate(zip(NAMES, SAID, strict=True))
    )
    found = extract(f"<title>Harbour</title>{ARTICLE}{around.format(comments)}", url=url)
    assert found.kind == "article"
    assert [(each.author, each.date[:10], each.text) for each in found.comments] == [
        (author, f"2026-01-1{n}", said)
        for n, (author, said) in enumerate(zip(NAMES, SAID, strict=True))
    ]
    assert "line" in name or not any(said in found.text for said in SAID)
    assert TEXT in found.text


@pytest.mark.parametrize(
    "around", ["<ul class=reader-comments>{}</ul>", "<div class=commenti>{}</div>", "{}"]
)
@pytest.mark.parametrize("each", ["<li><b>{}:</b> {}</li>", "<p><cite>{}</cite>: {}</p>"])
def test_comments_without_dates_begin_with_names(around: str, each: str) -> None:
    items = "".join(each.format(*pair) for pair in zip(NAMES, SAID, strict=True))
    found = extract(f"{ARTICLE}<section><h3>Comments</h3>{around.format(items)}</section>")
    assert [(each.author, each.text) for each in found.comments] == [*zip(NAMES, SAID, strict=True)]


HEADINGS = ("Komentáře", "2 yorum", "Σχόλια", "التعليقات", "תגובות", "Bình luận", "Opinie (2)")


@pytest.mark.parametrize("heading", [*HEADINGS, "45 users responded in this post"])
def test_a_heading_says_that_comments_follow(heading: str) -> None:
    around, each = MARKUP["lines below texts"]
    comments = "".join(each.format(n, NAMES[n], SAID[n]) for n in range(2))
    found = extract(ARTICLE + around.replace("Comments", heading).format(comments))
    assert [each.author for each in found.comments] == [*NAMES[:2]]
    manual = extract(ARTICLE + around.replace("Comments", f"3.1.3 {heading}").format(comments))
    assert not manual.comments


@pytest.mark.parametrize("said", ["Nice!", "Wicked cool!", SAID[0]])
def test_one_comment_may_be_short(said: str) -> None:
    item = f"<li><cite>Jo</cite> <time>January 12, 2026</time><p>{said}</p></li>"
    line = f"<p>{said}</p><p class=foot>Posted by: Jo | <a href=#c>January 12, 2026</a></p>"
    for comments in (
        f"<div id=comments><h4>1 comment</h4><ul>{item}</ul></div>",
        f"<div class=comments><div class=comment id=comment-6a1>{line}</div></div>",
    ):
        (found,) = extract(ARTICLE + comments).comments
        assert (found.author, found.date, found.text) == ("Jo", "2026-01-12", said)


def test_an_article_in_what_is_named_comments_is_none() -> None:
    page = f"<div id=comments><div>May 4, 2026</div><div><h1>Harbour</h1><p>{TEXT}</p></div></div>"
    assert not extract(page).comments


@pytest.mark.parametrize("ago", ["il y a {} jours", "vor {} Tagen", "{} дня назад", "{}日前"])
def test_an_author_stands_before_what_was_written_some_time_ago(ago: str) -> None:
    each = "<li><strong>{}</strong> <em>{}</em><p>{}</p></li>"
    items = [each.format(NAMES[n], ago.format(n + 2), SAID[n]) for n in range(4)]
    found = extract(
        f"<h1>Harbour</h1><p>{TEXT}</p><p>{TEXT}</p><h3>4 comments</h3><ul>{''.join(items)}"
    )
    expected = [*zip(NAMES, (ago.format(n + 2) for n in range(4)), SAID, strict=True)]
    assert [(each.author, each.date, each.text) for each in found.comments] == expected


def test_comments_in_code_are_none() -> None:
    line = '<span class="token comment"># Ada Berg, 2026-01-1{}: {}</span>\n'
    code = "".join(line.format(n, said) for n, said in enumerate(SAID))
    assert not extract(f"<h1>Comments</h1><p>{TEXT}</p><pre><code>{code}</code></pre>").comments


LONG = [f"{said} {TEXT}" for said in SAID]


@pytest.mark.parametrize("count", [8, 120])
def test_a_list_of_comments_without_a_text_is_a_thread(count: int) -> None:
    around, each = MARKUP["rows of a table"]
    rows = "".join(each.format(n % 10, NAMES[n % 4], LONG[n % 4]) for n in range(count))
    found = extract(f"<title>Harbour</title><a href=/>News</a>{around.format(rows)}")
    assert (found.kind, len(found.posts)) == ("thread", count)


@pytest.mark.parametrize("count", [30, 500])
def test_an_article_with_many_comments_is_an_article(count: int) -> None:
    around, each = MARKUP["posts in a container"]
    rows = "".join(each.format(n, NAMES[n % 4], f"{LONG[n % 4]} {n}") for n in range(count))
    found = extract(f"<h1>Harbour</h1><p>{TEXT}</p><p>{TEXT} {TEXT}</p>{around.format(rows)}")
    assert (found.kind, len(found.comments)) == ("article", count)


def test_comments_with_controls_below_a_short_article_make_no_thread() -> None:
    unit = (
        "<div class=comment-item><div class=meta><b class=nick>{1}</b> <i class=when>8:1{0}, 1{0}."
        "03.2024</i></div><div class=txt>{2}</div><div class=acts><a href=#>Like</a> "
        "<a href=#>Reply</a> <a href=#>Report</a></div></div>"
    )
    rows = "".join(unit.format(n % 10, NAMES[n % 4], f"{LONG[n % 4]} {n}") for n in range(60))
    found = extract(f"{ARTICLE}<section class=discussion>{rows}</section>")
    assert (found.kind, len(found.comments)) == ("article", 60)


def test_comments_between_paragraphs_stay_out_of_the_text() -> None:
    each = "<li><b>Jo</b> <span> 1{0}.1.2026, 10:03 </span><p>{1}</p><a href=#>Reply</a></li>"
    items = "".join(each.format(n, said) for n, said in enumerate(SAID))
    comments = f"<section class=c><h3>Comments</h3><ol>{items}</ol></section>"
    found = extract(
        f"<div><h1>Harbour</h1><p>{TEXT}</p>{comments}{f'<p>{TEXT} Yes.</p>' * 4}</div>"
    )
    assert not any(said in found.text for said in SAID)


@pytest.mark.parametrize("ago", ["6 days ago", "il y a 3 jours"])
def test_whoever_wrote_some_time_ago_in_brackets_is_named_before_them(ago: str) -> None:
    each = (
        "<div class=comment><h4>{0}: <a href=#>A thing</a></h4><p>{2}</p>"
        "<span class=author>{1} ({3})</span></div>"
    )
    items = "".join(each.format(n, NAMES[n], SAID[n], ago) for n in range(4))
    found = extract(f"{ARTICLE}<div class=comments>{items}</div>").comments
    assert [(each.author, each.date) for each in found] == [(name, ago) for name in NAMES]


def comments_of(comments: str) -> list[tuple[str, str, int]]:
    """Return author, text and depth of each comment below an article."""
    return [(each.author, each.text, each.depth) for each in extract(ARTICLE + comments).comments]


@pytest.mark.parametrize("inner", ["<div id=comment-{0}>{1}</div>", "<div class=comment>{1}</div>"])
def test_answers_stand_beside_the_box_of_what_they_answer(inner: str) -> None:
    each = "<b class=author>{}</b> <time>2026-01-1{}</time><p>{}</p>"
    one, two, three, four = (inner.format(n, each.format(NAMES[n], n, SAID[n])) for n in range(4))
    page = f"<ol class=comments><li>{one}<ul><li>{two}<ul><li>{three}</ul></ul><li>{four}</ol>"
    assert comments_of(page) == [*zip(NAMES, SAID, (0, 1, 2, 0), strict=True)]


def test_links_from_other_sites_are_no_comments() -> None:
    each = (
        "<li class={} id=comment-{}><cite class=fn>{}</cite> <time>2026-01-1{}</time><p>{}</p></li>"
    )
    items = "".join(
        each.format("pingback" if n == 2 else "comment", n, NAMES[n], n, SAID[n]) for n in range(4)
    )
    assert [author for author, *_ in comments_of(f"<ol class=commentlist>{items}</ol>")] == [
        NAMES[0], NAMES[1], NAMES[3],
    ]  # fmt: skip


def test_names_may_be_months_and_hold_numbers() -> None:
    each = "<li id=comment{}><b>January 1{}, 2026 - 8:06am</b> <strong>{}</strong><p>{}</p></li>"
    names = ("April Slink", "May Berg", "June Day", "Jo")
    items = "".join(each.format(n, n, names[n], SAID[n]) for n in range(4))
    assert [author for author, *_ in comments_of(f"<ul class=comments>{items}</ul>")] == [*names]
    each = "<li class=comment id=c-{0}><cite>{1}</cite> <time>January 1{0}, 2026</time><p>{2}"
    items = "".join(each.format(n, f"Jo19{n}1", SAID[n]) for n in range(4))
    found = extract(f"{ARTICLE}<ul class=comments>{items}</ul>").comments
    assert [each.date for each in found] == [f"2026-01-1{n}" for n in range(4)]


@pytest.mark.parametrize("foot", [
    "<b>{1}{0}</b> / 0 <a href=#>Report this</a> <a href=#>Quote</a>",
    "<a href=/login>Log in</a> or <a href=/new>sign up</a> to write",
])  # fmt: skip
@pytest.mark.parametrize("count", [2, 4])
def test_controls_below_each_text_are_no_part_of_it(foot: str, count: int) -> None:
    each = (
        "<div class=comment><b class=author>{1}</b> <time>2026-01-1{0}</time><p>{2}</p>"
        "<p>I am {1}.</p><p>{3}</p></div>"
    )
    items = "".join(
        each.format(n, NAMES[n], SAID[n], foot.format(n, "+- "[n % 3])) for n in range(count)
    )
    assert comments_of(f"<div class=comments>{items}</div>") == [
        (NAMES[n], f"{SAID[n]}\n\nI am {NAMES[n]}.", 0) for n in range(count)
    ]


def test_whom_a_comment_answers_is_no_part_of_it() -> None:
    each = (
        "<div class=comment id=comment_{0}><b class=author>{1}</b> <span>{3}</span> "
        "<time>2026-01-1{0}</time><p>{2}</p><p>I am {1}.</p></div>"
    )
    answered = "replying to a <a href=#comment_0>comment from Nell</a>"
    items = "".join(each.format(n, NAMES[n], SAID[n], answered * (n == 3)) for n in range(4))
    found = comments_of(f"<div class=comments>{items}</div>")
    assert found == [(NAMES[n], f"{SAID[n]}\n\nI am {NAMES[n]}.", 0) for n in range(4)]


def test_a_line_of_thanks_is_said_where_a_body_holds_it() -> None:
    each = (
        "<div class=comment><b class=author>{}</b><time>2026-01-1{}</time>"
        "<div class=comment-body>{}</div></div>"
    )
    said = (f"{SAID[0]}<br><br>Thank you<br>082 419 6112", *SAID[1:])
    items = "".join(each.format(NAMES[n], n, said[n]) for n in range(4))
    assert comments_of(f"<div>{items}</div>")[0][1].split()[-5:] == "Thank you 082 419 6112".split()
