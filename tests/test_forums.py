"""Threads as forums of many makes lay them out, and pages that only look like threads."""

# ruff: noqa: E501  (pages as trackers write them)
from __future__ import annotations

import re
from random import Random

import pytest
from cases import rows

from scrapy_boilerplate import extract

TEXTS = {each: [text for one, text in rows("forum_texts") if one == each] for each in ("en", "de")}
NAMES = ["Ada", "kettle_77", "MrBrown", "jo-anne", "Tom W", "redfox", "oldhand", "pixel"]
LABELS = {
    "en": ["Home", "Forums", "Members", "Help", "Sign in", "Reply", "Like", "Report"],
    "de": ["Start", "Foren", "Mitglieder", "Hilfe", "Anmelden", "Antworten", "Mag ich", "Melden"],
}

UNITS = {name: (is_thread, unit) for is_thread, name, unit in rows("thread_units")}
FORUMS, OTHERS = (
    {name: unit for name, (is_thread, unit) in UNITS.items() if is_thread == said}
    for said in ("yes", "no")
)
"""Posts as forums write them, and units of pages that are no threads."""


def page(unit: str, units: int, language: str) -> tuple[str, list[str]]:
    """Return a page with so many units between a menu, a sidebar and a footer, and their texts."""
    random, texts = Random(f"{unit}{units}"), TEXTS[language]
    labels = LABELS[language]
    menu = "".join(f"<li><a href=/{n}>{label}</a></li>" for n, label in enumerate(labels))
    similar = "".join(f"<li><a href=/x/{n}>{text}</a></li>" for n, text in enumerate(texts[:5]))
    said = [
        [f"{_place(random)}: {text}" for text in random.sample(texts, random.randint(1, 5))]
        for _ in range(units)
    ]
    body = "".join(
        unit.format(
            n=n,
            name=(name := random.choice(NAMES)),
            letter=name[0],
            date=f"2024-05-{n % 28 + 1:02}",
            title=random.choice(texts)[:30],
            text="".join(f"<p>{text}</p>" for text in each),
            reply=labels[5],
            like=labels[6],
            report=labels[7],
        )
        for n, each in enumerate(said, start=1)
    )
    return (
        f"<html lang={language}><title>The pump in the cold</title><header><ul>{menu}</ul></header>"
        f"<main><h1>The pump in the cold</h1>{body}</main><aside><h3>{labels[1]}</h3>"
        f"<ul>{similar}</ul></aside><footer><p>© 2024 Example</p><ul>{menu}</ul></footer>"
    ), [" ".join(each) for each in said]


def _place(random: Random) -> str:
    """Return a name that no other sentence has."""
    return "".join(random.choice("bdklmnrst") + random.choice("aeiou") for _ in range(4)).title()


def bare(html: str) -> str:
    return re.sub(r"\s(?:class|id|component|itemprop)=(?:'[^']*'|[^\s>]+)", "", html)


PLAIN = ("authors and a paragraph each", "Flarum, from the server")
"""Forums whose posts hold nothing but a name and a text."""


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("units", [5, 20])
@pytest.mark.parametrize("forum", FORUMS)
def test_threads_of_forums(forum: str, units: int, language: str) -> None:
    html, texts = page(FORUMS[forum], units, language)
    is_clear = units == 20 and forum not in PLAIN  # else it may be anything without an address
    for url in ["https://example.com/forum/12-pump", None][: 1 + is_clear]:
        for each in (html, bare(html)):
            found = extract(each, url=url)
            assert found.kind == "thread"
            assert [" ".join(post.text.split()) for post in found.posts] == texts


@pytest.mark.parametrize("units", [3, 8, 20])
@pytest.mark.parametrize("other", OTHERS)
def test_what_is_no_thread(other: str, units: int) -> None:
    html, _ = page(OTHERS[other], units, "en")
    for url in ("https://example.com/about/12-pump", None):
        for each in (html, bare(html)):
            assert extract(each, url=url).kind != "thread"


# -- reports of trackers ---------------------------------------------------------------------------


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


def test_teasers_that_lead_elsewhere_are_no_posts() -> None:
    titles = [
        f"How the harbour was built, part {part}" for part in "one two three four five six".split()
    ]
    teasers = (
        f"<div class=post><p><a href=/{number}>{title}</a></p><p><span class=author>Ada Berg</span> "
        f"<time>2026-01-0{number}</time></p><p>{'It rained all day long in the town. ' * 8}</p></div>"
        for number, title in enumerate(titles, 1)
    )
    answer = extract(f"<h1>News</h1>{''.join(teasers)}", url="https://town.example/forum/topic-5")
    assert answer.kind != "thread"
    assert not answer.posts


SHORT_THREADS = {
    "Trac": "<div class=change id=trac-change-{n}-1615066466><h3 class=change id=comment:{n}><a href="
    "#comment:{n}>comment:{n}</a> by <span class=trac-author>{a}</span>, <a class=timeline>{s}</a></h3>"
    "<div class='comment searchable'><p>{t}</p></div></div>",
    "phpBB": "<div id=p{n} class=post><div class=postbody><h3><a href=#p{n}>Re: Which rope for the "
    "mooring?</a></h3><p class=author>by <a class=username>{a}</a> » <time datetime={d}>{s}</time>"
    "</p><div class=content>{t}</div></div></div>",
    "HyperKitty": "<div class=email><div class=email-author><span class=name><a>{a}</a></span></div>"
    "<div class=email-date>{s}</div><div class=email-body><p>{t}</p></div></div>",
    "SMF": "<div class=windowbg id=msg{n}><div class=poster><h4><a href=/u{n}>{a}</a></h4><ul class="
    "user_info><li class=membergroup>Jr. Member</li><li>Posts: {n}</li></ul></div><div class="
    "postarea><a class=smalltext>{s}</a><div class=post><div class=inner>{t}</div></div></div></div>",
}


@pytest.mark.parametrize("make", SHORT_THREADS)
def test_two_posts_are_a_thread(make: str) -> None:
    posts = "".join(
        SHORT_THREADS[make].format(n=n, a=a, d=d, s=s, t=t)
        for n, (a, d, s, t) in enumerate(SAID[:2], 1)
    )
    page = f"<title>Which rope</title><h2>Which rope for the mooring?</h2><div>{posts}</div>"
    answer = extract(page, url="https://boat.example/viewtopic.php?t=12")
    assert answer.kind == "thread"
    assert [(post.author, post.text) for post in answer.posts] == [
        (author, text) for author, *_, text in SAID[:2]
    ]


BOARDS = ["Boats and gear", "The bar", "Wanted", "The weather", "Help with this board", "Harbours"]
THREADS = ["Which rope for the mooring?", "Anchor lost off the point", "Is varnish worth it now"]
THREADS += ["Selling my old dinghy", "The outboard will not start", "Best gloves for the winter"]


@pytest.mark.parametrize(
    "row",
    [
        "<li class=row><dl><dt><a class=topictitle href=/t{n}>{title}</a><br>by <a>{a}</a> » May "
        "{n}, 2019</dt><dd>{n}</dd><dd>by <a>{a}</a><br>May {n}, 2019</dd></dl></li>",
        "<tr><td><a href=/f{n}>{board}</a><br>{title}</td><td>{n}1</td><td>{n}08</td><td>by <a>{a}</a>"
        "<br>Mon May {n}, 2019 8:01 pm</td></tr>",
    ],
    ids=["threads", "boards"],
)
@pytest.mark.parametrize("url", [None, "https://board.example/viewforum.php?f=2"])
def test_an_index_of_a_forum_is_no_thread(row: str, url: str | None) -> None:
    rows = (
        row.format(n=n, title=title, board=board, a=NAMES[n])
        for n, (title, board) in enumerate(zip(THREADS, BOARDS, strict=True), 1)
    )
    table = f"<table><tr><th>Forum</th><th>Topics</th><th>Posts</th></tr>{''.join(rows)}</table>"
    menu = "".join(f"<li><a href=/{label}>{label}</a></li>" for label in LABELS["en"])
    page = (
        f"<title>Boats - Board</title><header><nav><ul>{menu}</ul></nav></header>{table}"
        f"<footer><ul>{menu}</ul><p>© 2024 Board</p></footer>"
    )
    answer = extract(page, url=url)
    assert (answer.kind != "thread", answer.posts) == (True, ())


def test_short_posts_that_look_like_a_list_are_a_thread() -> None:
    posts = "".join(
        f"<article class='message message--post' id=js-post-{n}><div class=message-user><h4 "
        f"class=message-name><a class=username>{a}</a></h4><h5>Active member</h5><dl><dt>Messages"
        f"</dt><dd>{n}40</dd></dl></div><div class=message-main><header class=message-attribution>"
        f"<time datetime=2024-03-0{n}T10:00:00>Mar {n}, 2024</time><a>#{n}</a></header><div "
        f"class=bbWrapper>{text[:60]}</div><div class=reactionsBar><a>{NAMES[n]} and 3 others</a>"
        f"</div><aside class=message-signature>Old boats sink twice</aside></div></article>"
        for n, (a, *_, text) in enumerate(SAID, 1)
    )
    menu = "".join(f"<li><a href=/{label}>{label}</a></li>" for label in LABELS["en"])
    answer = extract(
        f"<title>Ferry | Boats forum</title><header><nav><ul>{menu}</ul></nav></header><h1>Ferry"
        f"</h1>{posts}<footer><ul>{menu}</ul><p>© 2024 Board</p></footer>"
    )
    assert answer.kind == "thread"
    assert [post.author for post in answer.posts] == [author for author, *_ in SAID]


@pytest.mark.parametrize(
    "line",
    [
        "<div class=row><div class=at>0{n}:10</div><div class=line><p>{said}</div></div>",
        "<div class=turn><div class=speaker>{name}</div><div class=words>{said}</div></div>",
        "<div class=accordion-item><button class=accordion-button>{name}?</button><div "
        "class=accordion-collapse><div class=accordion-body>{said}</div></div></div>",
    ],
    ids=["times of a recording", "turns of a talk", "answers that fold"],
)
def test_what_no_one_signed_and_dated_is_no_post(line: str) -> None:
    texts = [text for *_, text in SAID * 2]
    rows = "".join(
        line.format(n=n, name=("HOST", "GUEST")[n % 2], said=text) for n, text in enumerate(texts)
    )
    answer = extract(f"<title>The ferry</title><main><h1>The ferry</h1>{rows}</main>")
    assert answer.kind != "thread"


def test_what_stands_beside_a_question_is_no_part_of_it() -> None:
    side = "<div><h1>boats</h1><p>A place to talk of boats with other people and with their dogs.</div>"
    replies = "".join(
        f"<div class=comment id=comment-{n}><a class=author>{a}</a> <time>{s}</time><p>{t}</p></div>"
        for n, (a, _, s, t) in enumerate(SAID[1:])
    )
    question = f"<div><p>{SAID[0][-1]}</p></div><div><h4>All comments</h4>{replies}</div>"
    page = f"<title>Rudder : boats</title>{side}<div>{question}</div>"
    answer = extract(page, url="https://talk.example/r/boats/comments/ab12/rudder")
    assert "dogs" not in answer.text
    assert answer.posts[0].text == SAID[0][-1]


@pytest.mark.parametrize("url", ["https://ask.example/questions/12/rudder", None])
def test_a_question_and_its_only_answer_are_posts(url: str | None) -> None:
    ask, answer = (
        f"<div class='{kind} js-{kind}' id={kind}-{n}><div class=text><p>{said[-1]}</p></div><span>"
        f"{said[2]}</span> <a class=user-name>{said[0]}</a></div>"
        for n, (kind, said) in enumerate(zip(["question", "answer"], SAID[:2], strict=True))
    )
    page = f"<title>Rudder</title><h1>Why is it?</h1><main>{ask}<div>{answer}</div></main>"
    found = extract(page, url=url)
    assert [(post.author, post.text) for post in found.posts] == [
        (author, text) for author, *_, text in SAID[:2]
    ]


def test_details_of_writers_are_no_text_of_short_posts() -> None:
    details = "Regular<br>Joined: 0{n} Mar 2004<br>Posts: {n}4<br>Location: Bristol"
    posts = "".join(
        f"<tr><td><b class=name>{a}</b><br>{details.format(n=n)}</td><td><table><tr><td>Posted: {s} "
        f"9:12 am</td></tr><tr><td class=postbody>{t.partition('.')[0]}.</td></tr></table></td></tr>"
        for n, (a, _, s, t) in enumerate(SAID, 1)
    )
    answer = extract(
        f"<h1>Rudder</h1><table>{posts}</table>", url="https://f.example/viewtopic?t=1"
    )
    assert "Joined" not in answer.text
    assert SAID[1][-1].partition(".")[0] in answer.text


MARKUP = dict(rows("post_markup"))
"""Posts with what is taken for a name, a date or a text and is none."""


@pytest.mark.parametrize("name", MARKUP)
def test_posts_in_all_their_parts(name: str) -> None:
    posts = "".join(
        MARKUP[name].format(n=n, name=author, date=date, shown=shown, text=text)
        for n, (author, date, shown, text) in enumerate(SAID, 10)
    )
    title = "<title>Rudder jams</title><h1>Rudder jams</h1>"
    answer = extract(f"{title}{posts}", url="https://f.example/forum/rudder-8")
    said = [(post.author, post.date[:10], post.text) for post in answer.posts]
    assert said == [(author, date[:10], text) for author, date, _, text in SAID]


def test_one_writer_with_two_names() -> None:
    posts = "".join(
        f"<div class=post id=p{n}><a class=username>Ada Lind</a> <time>{s}</time><p>{t}</div>"
        for n, (_, _, s, t) in enumerate(SAID)
    )
    answer = extract(f"<h1>Rudder</h1>{posts}", url="https://f.example/topic/8/rudder")
    assert {post.author for post in answer.posts} == {"Ada Lind"}


@pytest.mark.parametrize("name", ["风中的猫咪", "風の中の猫"])
def test_a_linked_name_of_many_signs_is_no_title(name: str) -> None:
    said = [
        "泵在冷天漏水，昨天又换了一个。",
        "先看看垫圈是不是坏了。",
        "垫圈没有问题，是螺丝松了。",
    ]
    posts = "".join(
        f"<div id=post_{n}><div><a href=/u{n}>{name}{n}</a></div><div>发表于 2024-5-{n} 10:02</div>"
        f"<div><p>{text}</div></div>"
        for n, text in enumerate(said, 1)
    )
    answer = extract(f"<h1>水泵</h1>{posts}", url="https://f.example/thread-8-1-1.html")
    assert [post.text for post in answer.posts] == said


def test_quotations_and_code_in_tables_are_no_posts() -> None:
    quoted = "<table><tr><td><b>{}:</b></td></tr><tr><td>{}</td></tr></table>"
    quotes = (quoted.format("Ada wrote", "A new bolt."), quoted.format("Code", "rudder --fix"))
    posts = "".join(
        f"<tr><td><b>{a}</b><br>Posts: {n}4</td><td><div>Posted: {s} 9:12 am</div><div>"
        f"{quotes[n % 2]}<p>{n}: {t}</div></td></tr><tr><td><a href=#>Top</a></td><td></td></tr>"
        for n, (a, _, s, t) in enumerate(SAID * 2)
    )
    answer = extract(
        f"<h1>Rudder</h1><table>{posts}</table>", url="https://f.example/viewtopic?t=1"
    )
    texts = [post.text.splitlines()[-1] for post in answer.posts]
    assert texts == [f"{n}: {t}" for n, (*_, t) in enumerate(SAID * 2)]


def test_a_form_above_reports_is_no_post() -> None:
    posts = "".join(
        f"<div class=bz_comment id=c{n}><span class=fn>{a}</span> <span>{d[:10]} 10:02</span>"
        f"<pre class=bz_comment_text>{t}</pre></div>"
        for n, (a, d, _, t) in enumerate(SAID)
    )
    answer = extract(
        "<title>Bug 12 – The rudder jams</title><h1>Bug 12</h1><fieldset><legend>Note</legend>"
        f"You need to log in before you can comment on this bug.</fieldset>{posts}"
    )
    assert [post.text for post in answer.posts] == [text for *_, text in SAID]


# -- mails, and posts that are only signed ---------------------------------------------------

MAIL = "<p>\nMoin Tom,\n\nthe pump leaks in the cold, and the seal is new.\nShall I order another?\n\nAda\n</p>"
NAVIGATION = "<ul><li>{0} <a href=1.html>Re: The pump</a></li><li>{1} <a href=3.html>The old winch in the yard</a></li><li><a href=date.html>[ date ]</a> <a href=thread.html>[ thread ]</a></li></ul>"
ARCHIVES = {
    "labels": (
        "<hr>[<a href=1.html>Date Prev</a>][<a href=3.html>Date Next</a>]<hr><h1>{0}</h1><hr><ul><li><em>To</em>: <a>quay@l.example</a></li><li><em>From</em>: Ada Berg &lt;<a>ada@a.example</a>&gt;</li><li><em>Date</em>: Mon, 21 Jan 2019 22:28:12 +0000</li></ul><hr>{1}<hr>{2}",
        ("Prev by date:", "Next by date:"),
    ),
    "German labels": (
        "<h1>{0}</h1><table><tr><td>Datum:<td>21. Januar 2019<tr><td>Von:<td>Ada Berg</table><hr>{1}<hr>{2}",
        ("Vorherige Nachricht:", "Nächste Nachricht:"),
    ),
    "sender and time": (
        "<H1>{0}</H1><B>Ada Berg</B> <A HREF=mailto:x>ada.berg at a.example</A><BR><I>Mon Jan 21 22:28:12 UTC 2019</I>{2}<HR>{1}<HR>{2}",
        ("Message précédent :", "Message suivant :"),
    ),
}


@pytest.mark.parametrize("tag", ["pre", "p"])
@pytest.mark.parametrize("name", ARCHIVES)
def test_a_mail_in_an_archive_is_an_article(name: str, tag: str) -> None:
    archive, labels = ARCHIVES[name]
    text = MAIL.replace("p>", f"{tag}>")
    body = archive.format("Re: The pump in the cold", text, NAVIGATION.format(*labels))
    answer = extract(f"<title>Re: The pump in the cold</title>{body}")
    assert (answer.kind, answer.metadata.authors) == ("article", ("Ada Berg",))
    assert answer.text.split() == f"Re: The pump in the cold {MAIL[3:-4]}".split()


def test_a_mail_that_holds_its_header_is_an_article() -> None:
    head = (
        "From: Ada Berg &lt;ada@a.example&gt;\nSubject: The pump\nDate: Mon, 21 Jan 2019 22:28:12"
    )
    menu, links = "<a href=/>public inbox</a> / <a href=/help>help</a>", "<a href=1>prev</a> " * 9
    how = "Reply instructions:\n\nYou may reply publicly to this message by plain text. Save the file, "
    how += "import it into your mail client, and reply to all from there.\n"
    page = f"<pre>{menu}</pre><pre>{head}\n{MAIL[3:-4]}</pre><hr><pre>{links}</pre><hr><pre>{how}</pre>"
    answer = extract(f"<title>The pump - Ada Berg</title>{page}")
    assert (answer.kind, answer.text[:9]) == ("article", "From: Ada")
    assert answer.text.endswith("another?\n\nAda")


def test_a_text_with_rules_is_no_mail() -> None:
    """As a press release with a sender, of which only a part stands between two rules."""
    paragraph = f"<p>{TEXTS['en'][0]} {TEXTS['en'][1]} {TEXTS['en'][2]}</p>"
    head = "<h1>The pump</h1><p>From: The harbour office<br>Date: 3 May 2024</p>"
    answer = extract(f"<title>The pump</title>{head}<hr>{paragraph}<hr>{paragraph * 2}<hr>")
    assert answer.text.count(TEXTS["en"][1]) == 3


SIGNATURES = {
    "two links": "<a href='/wiki/User:{0}'>{0}</a> (<a href='/wiki/User_talk:{0}'>{1}</a>) {2}",
    "and a button": "— <a href='/User:{0}'>{0}</a> <small>(<a>{1}</a>)</small> <a href=#c>{2}</a> <small>[<a>reply</a>]</small>",
    "a dash": "-- <a href=/{0}>{0}</a> <span class=anchor>{2}</span>",
}
TIMES = ["12:31, 14 February 2020 (UTC)", "2020-02-14 12:31:07", "12:31, 14. Feb. 2020 (CET)", "14 février 2020 à 12:31 (UTC)"]  # fmt: skip


@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize("name", SIGNATURES)
def test_signed_entries_below_headings_are_posts(name: str, time: str) -> None:
    signed = [SIGNATURES[name].format(author, "talk", time) for author in ("Ada", "Tom W", "Jo")]
    topic = "<h2>{}</h2><p>{}</p><p>{} {}</p><dl><dd>{}<dd>{} {}</dl>"
    said = TEXTS["en"]
    body = topic.format("The pump", *said[:2], signed[0], *said[2:4], signed[1])
    body += f"<h2>The winch</h2><p>{said[4]} {signed[2]}</p>"
    answer = extract(f"<title>Talk:Quay</title>{MENU_OF_WIKI}<h1>Talk:Quay</h1>{body}")
    assert answer.kind == "thread"
    assert [(post.author, post.date[:10]) for post in answer.posts] == [
        (author, "2020-02-14") for author in ("Ada", "Tom W", "Jo")
    ]
    texts = [" ".join(said[:2]), " ".join(said[2:4]), said[4]]
    assert [" ".join(post.text.split()) for post in answer.posts] == texts
    assert "The winch" in answer.text


MENU_OF_WIKI = "<ul><li><a href=/Quay>Page</a></li><li><a href=/Talk:Quay>Discussion</a></li></ul>"


@pytest.mark.parametrize("shown", ["", "<figure><img src=/pump.jpg></figure>"])
def test_a_few_comments_on_nothing_but_a_link_are_a_thread(shown: str) -> None:
    unit = "<li class=comments_subtree><div id=c_{n} class=comment><div class=byline><a class=author>{name}</a> <time datetime={date}>long ago</time> | <a href=/{n}>link</a></div><div class=comment_text>{text}</div></div>"
    html, said = page(unit, 4, "en")
    found = extract(html.replace("</h1>", f"</h1>{shown}"), url="https://links.example/s/1")
    if shown:  # they are on that
        assert (len(found.comments), found.posts) == (4, ())
    else:
        assert found.kind == "thread"
        assert [" ".join(each.text.split()) for each in found.posts] == said
        assert "long ago" not in found.text


@pytest.mark.parametrize("version", ["v2.{n}.0", "Version 2.{n}", "[1.{n}.3]", "Release 3.{n}"])
def test_versions_with_their_dates_are_no_thread(version: str) -> None:
    unit = f"<section id=v{{n}}><h2>{version} <small>(2024-05-0{{n}})</small></h2><ul><li>{{text}}</li><li>Fix the pump.</ul></section>"
    heads = [version.format(n=n) for n in range(1, 6)]
    texts = [
        f"{first} {other}" for first, other in zip(TEXTS["en"][:5], TEXTS["en"][5:10], strict=True)
    ]
    said = "".join(unit.format(n=n, text=text) for n, text in enumerate(texts, 1))
    found = extract(f"<title>Changes</title><main><h1>Changes</h1>{said}</main>")
    assert (found.kind, found.posts) == ("article", ())
    assert all(text in found.text for text in (*heads, *texts))
