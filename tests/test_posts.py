"""Comments on articles and posts of threads."""

from __future__ import annotations

import re
from random import Random

import numpy as np
import pytest
from cases import named, rows
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from markup import documents

from scrapy_boilerplate import Page, explain, extract
from scrapy_boilerplate.core.answer.metadata import Metadata
from scrapy_boilerplate.core.answer.posts import Discussion, find_posts, read_discussion

ARTICLE = (
    "<h1>On harbours</h1><p>By Jean Bartik, 1 May 2025</p>"
    + "<p>The harbour was built in 1874, when the fishermen asked for a safe place.</p>" * 5
)
LETTERS = [f"{letter * 4}y was the harbour when I came there as a child." for letter in "BDKLMNR"]
WRITTEN = ("I was there as a child, and it was cold.", "So was I.", "It still is, in winter.")


def read(html: str, url: str = "https://example.com/a") -> Discussion:
    page = Page.parse(html, url=url)
    return read_discussion(page, Metadata(), np.ones(page.text_at.size, dtype=bool))


def wordpress(number: int, text: str, answers: str = "") -> str:
    parity = "odd alt" if number % 2 else "even"
    return (
        f"<li class='comment {parity} depth-1' id=comment-{number}><div class=comment-body>"
        f"<div class='comment-author vcard'><cite class=fn>Ada {'xyz'[number % 3]}</cite> "
        f"<span class=says>says:</span></div><div class=comment-meta><a href=#>May {number}, 2025 "
        f"at 10:0{number} am</a></div><p>{text}</p><div class=reply><a href=#>Reply</a></div></div>"
        f"{answers}</li>"
    )


def test_nested_comments() -> None:
    answer = f"<ul class=children>{wordpress(2, WRITTEN[1])}</ul>"
    items = wordpress(1, WRITTEN[0], answer) + wordpress(3, WRITTEN[2])
    found = read(f"{ARTICLE}<ol class=commentlist>{items}</ol>")
    assert found.posts == ()
    assert [(c.author, c.date, c.text, c.depth) for c in found.comments] == [
        ("Ada y", "2025-05-01T10:01:00", WRITTEN[0], 0),
        ("Ada z", "2025-05-02T10:02:00", WRITTEN[1], 1),
        ("Ada x", "2025-05-03T10:03:00", WRITTEN[2], 0),
    ]
    assert found.comments[1].xpath == "/html/body/ol/li[1]/ul/li"


def test_answers_below_a_heading_stand_in_what_they_answer() -> None:
    unit = (
        "<div class=item><div><a href=/u/{0}>Ada {1}</a> <time datetime=2025-05-0{0}>{0} days ago"
        "</time></div><div><p>{2}</p></div><button>Like</button><div class=kids>{3}</div></div>"
    )
    last = unit.format(3, "z", WRITTEN[2], "")
    first = unit.format(1, "x", WRITTEN[0], unit.format(2, "y", WRITTEN[1], ""))
    found = read(f"{ARTICLE}<section><h2>Discussion (3)</h2>{first}{last}</section>")
    assert [(c.author, c.date, c.text, c.depth) for c in found.comments] == [
        ("Ada x", "2025-05-01", WRITTEN[0], 0),
        ("Ada y", "2025-05-02", WRITTEN[1], 1),
        ("Ada z", "2025-05-03", WRITTEN[2], 0),
    ]


@pytest.mark.parametrize("name", ["by", "details by", "byline"])
def test_an_author_is_named_beside_the_word_by(name: str) -> None:
    unit = (
        "<li class=comment id=comment_{0}><h4><a href=?c={0}>Re: The pier</a></h4><div><span class="
        "'{1}'><span>by </span><a href=/u/{0}>Ada {2}</a></span> <a class=user_homepage_display "
        "href=//a{0}.example>Homepage</a></div><div class=body><p>{3}</div></li>"
    )
    items = "".join(unit.format(n, name, "xyz"[n], WRITTEN[n]) for n in range(3))
    found = read(f"{ARTICLE}<ul id=comments>{items}</ul>")
    assert [c.author for c in found.comments] == ["Ada x", "Ada y", "Ada z"]


@pytest.mark.parametrize("when", ["{} marzo 2024", "{}. März 2024", "{} août 2024", "{} May 2024"])
def test_a_month_of_any_language_is_no_part_of_a_name(when: str) -> None:
    said = dict(zip(("Giulia", "Marco e Anna", "Famiglia Riva"), WRITTEN, strict=True))
    posts = "".join(
        f"<div class=msg><div class=msg-head>{name} — {when.format(n)}</div><div>{text}</div></div>"
        for n, (name, text) in enumerate(said.items(), 2)
    )
    found = read(f"{ARTICLE}<section id=comments>{posts}</section>")
    assert {post.author: post.text for post in found.comments} == said


def forum(*texts: str) -> str:
    return "<title>Cold harbours</title><body>" + "".join(
        f"<article class='message message--post' id=js-post-{n}>"
        f"<h4 class=message-name><a class=username>user{n}</a></h4><time>May {n}, 2025</time>"
        f"<div class=bbWrapper>{text}</div><a>Like</a> <a>Reply</a></article>"
        for n, text in enumerate(texts, start=1)
    )


def test_the_date_that_a_post_declares_comes_first() -> None:
    page = forum(*WRITTEN)
    declared = "<meta itemprop=datePublished content=2025-05-01T10:00:00Z>"
    page = page.replace("<time>May 1", f"{declared}<time datetime=2025-06-01>June 1")
    page = page.replace("<time>May 2", "<time datetime=2025-05-02T11:00:00+02:00>yesterday, May 3")
    assert [post.date for post in read(page).posts] == [
        "2025-05-01T10:00:00+00:00", "2025-05-02T11:00:00+02:00", "2025-05-03"
    ]  # fmt: skip


@pytest.mark.parametrize("count", [2, 5])
def test_what_holds_all_comments_is_no_second_post(count: int) -> None:
    menu = "".join(f"<li><a href=/{word}>{word}</a>" for word in ("About me", "My books", "Talks"))
    shared = "".join(f"<a href=#>{word}</a> " for word in ("Save", "Like", "Send", "Print", "Digg"))
    texts = [f"{text} {text}" for text in LETTERS[:count]]
    comments = "".join(
        f"<div class=comment id=comment-{n}><img src={n}.png><p>{text}</p>{shared}"
        f"<p>Posted by: <a>Ada {n}</a> | May {n}, 2025 at 10:0{n} AM</p></div>"
        for n, text in enumerate(texts, start=1)
    )
    found = read(
        f"<title>On harbours</title><div><div><ul>{menu}</ul></div>"
        f"<div class=entry><h3>On harbours</h3><p>{WRITTEN[0] * 9}</p>{shared}"
        "<p>Posted by <a rel=author>Jean Bartik</a> on May 1, 2025</p></div>"
        f"<div id=all-comments><h3>Comments</h3>{comments}</div>"
    )
    assert found.posts == ()
    assert [comment.text for comment in found.comments] == texts


@pytest.mark.parametrize(("body", "expected"), rows("written_posts"))
def test_a_post_is_what_its_author_wrote(body: str, expected: str) -> None:
    assert [post.text for post in read(forum(body, *WRITTEN)).posts] == [expected, *WRITTEN]


def test_comments_below_an_answer_are_not_its_text() -> None:
    answers = "".join(
        f"<div class=answer id=answer-{n}><div class=js-post-body>{text}</div>"
        f"<span class=user-name>user{n}</span> <span>answered May {n}, 2025</span>"
        f"<div class='comments js-comments-container'>But is it so? I doubt it, and so do many."
        "</div></div>"
        for n, text in enumerate(WRITTEN, start=1)
    )
    found = read(answers, "https://example.com/questions/1")
    assert [post.text for post in found.posts] == list(WRITTEN)


@pytest.mark.parametrize("first", ["", "<p>Was it cold in the harbour when you were there?</p>"])
def test_the_text_of_a_thread_is_that_of_its_posts(first: str) -> None:
    quote = "<blockquote><cite>user1 wrote:</cite> I was there as a child.</blockquote>"
    texts = [WRITTEN[0], quote + WRITTEN[1], WRITTEN[2] + " And it rained for days on end."]
    replies = forum(*texts).replace("message--post", "message--reply").replace("js-post", "comment")
    page = f"<h1>Cold harbours</h1>{first}{replies if first else forum(*texts)}"
    answer = extract(page, url="https://example.com/threads/cold-harbours.1/")
    assert (answer.kind, answer.is_one_text) == ("thread", True)
    assert len(answer.posts) == len(texts) + bool(first)
    assert answer.text.removeprefix("Cold harbours").split() == (
        " ".join(post.text for post in answer.posts).split()
    )
    elsewhere = extract(page)
    if not first:  # what is on the page tells a thread, too
        assert (elsewhere.kind, elsewhere.text) == (answer.kind, answer.text)
    assert bool(elsewhere.posts) is (elsewhere.kind == "thread")
    if not first:
        reasons = {each.text: each.reason for each in explain(page, url="https://example.com/t/1")}
        assert "on a thread" in reasons["user1 wrote: I was there as a child."]


@pytest.mark.parametrize("url", [None, "https://example.com/a/12"])
def test_posts_without_dates_or_a_telling_address(url: str | None) -> None:
    """Eight elements of one make, each with a name and a paragraph, are a thread."""
    random = Random(3)
    texts = [" ".join(random.choices(ARTICLE.split()[5:40], k=35)) + "." for _ in range(8)]
    names = "Ada Bob Cyn Dan Eve Fay Gus Hal".split()
    page = "".join(
        f"<div class=post><b>{name}</b><p>{re.sub('<[^>]*>', '', text)}</p></div>"
        for name, text in zip(names, texts, strict=True)
    )
    answer = extract(f"<title>Cold harbours</title>{page}", url=url)
    assert (answer.kind == "thread") is bool(answer.posts)
    if url is None:
        assert [post.author for post in answer.posts] == names


def bare(name: str, text: str, more: str = "", below: str = "") -> str:
    """Return a post without any class."""
    head = f"<div><a href=/u/{name}>{name}</a> <time>vor 3 Tagen</time></div>"
    return (
        f"<div>{head}<div>{text}</div>{more}<div><a>Antworten</a> <a>Melden</a></div>{below}</div>"
    )


LONG = [f"{text} " * (1 + n % 3 * 2) for n, text in enumerate(LETTERS)]
THREAD = "https://example.com/threads/cold-harbours.1/"


def test_answers_stand_in_what_they_answer() -> None:
    """A tree without any name is one thread, not the list of its first level."""
    tree = "".join(
        bare("Ada", f"<p>{text}</p>", below="<div>" + "".join(
            bare(name, f"<p>{name} has asked {text[:4]} the same.</p>") for name in ("Bob", "Cyn")
        ) + "</div>")
        for text in LONG
    )  # fmt: skip
    found = read(f"<h1>Harbours</h1><section>{tree}</section>", THREAD).posts
    assert [post.depth for post in found] == [0, 1, 1] * len(LONG)
    assert [post.text for post in found[::3]] == [text.strip() for text in LONG]
    assert found[1].text == f"Bob has asked {LONG[0][:4]} the same."
    assert {(post.author, post.date) for post in found} == {
        (name, "vor 3 Tagen") for name in ("Ada", "Bob", "Cyn")
    }


def test_a_post_stands_where_the_others_do() -> None:
    """Not beside: what is told of its author. Nor is it an advertisement between posts."""
    told = "<div><p>Has seen {0} harbours of the north, and {0} of the south.</p></div>"
    posts = [
        bare("Ada", f"<p>{text}</p><p>{text[:4]} too.</p>", told.format(len(text))) for text in LONG
    ]
    posts.insert(2, "<div><p>Buy a boat at our shop, near the harbour.</p><i>Boats</i></div>")
    found = read(f"<h1>Harbours</h1><section>{''.join(posts)}</section>", THREAD).posts
    assert [post.text for post in found] == [f"{text.strip()}\n\n{text[:4]} too." for text in LONG]


def test_a_thread_of_which_the_model_kept_something_else() -> None:
    def posts(page: str) -> bool:
        beside = Page.parse(f"{page}<p>{'Read the rules of this board. ' * 5}</p>", url=thread)
        keep = np.zeros(beside.text_at.size, dtype=bool)
        keep[-1] = True
        return find_posts(beside, keep) is not None

    thread, texts = "https://example.com/threads/cold-harbours.1/", [text * 4 for text in WRITTEN]
    linked = [f"<a href=/{number}>{text}</a>" for number, text in enumerate(texts)]
    assert posts(forum(*texts))
    assert not posts(forum(*linked))
    assert not posts(forum(*texts).replace("message--post", "comment").replace("js-", "comment-"))


def test_lines_that_most_posts_have_are_not_what_was_written() -> None:
    post = (
        "<article class=cPost id=comment-{0}><h3 class=author>{1}</h3>"
        "<div class=ipsComment_content><p>Posted May {0}, 2025</p><p>{2}</p>"
        "<p>Share on other sites</p><p>More sharing options, {0}</p></div></article>"
    )
    texts = [f"{text} In {2010 + number} it was otherwise." for number, text in enumerate(LETTERS)]
    posts = (post.format(n + 1, f"Ada {LETTERS[n][:5]}", text) for n, text in enumerate(texts))
    found = read("".join(posts), "https://forum.example.com/topic/1")
    assert [each.text for each in found.posts] == texts
    assert [each.date for each in found.posts] == [f"2025-05-0{n + 1}" for n in range(len(texts))]


SET_IN = (
    "<table class=comment><tr><td><img src=s.gif height=1 width={0}></td><td>{1}</td></table>",
    "<div class=comment style='margin-left: {0}px'>{1}</div>",
    "<div class='comment level-{0}'>{1}</div>",
)


@pytest.mark.parametrize("around", SET_IN)
def test_comments_that_are_set_in_answer_others(around: str) -> None:
    each = "<cite>Ada</cite> <time>2025-05-0{}</time><p>{}</p>"
    comments = enumerate(zip((0, 1, 2, 0), [*WRITTEN, "I doubt it."], strict=True))
    items = (
        around.format(20 * depth + 1, each.format(n + 1, text)) for n, (depth, text) in comments
    )
    found = read(f"{ARTICLE}<div id=comments>{''.join(items)}</div><script width=1></script>")
    assert [each.depth for each in found.comments] == [0, 1, 2, 0]


def test_a_quotation_of_a_part_of_another_comment_is_dropped() -> None:
    each = "<div class=comment><cite>Ada</cite> <time>2025-05-0{}</time>{}</div>"
    quotation = f"<blockquote>{WRITTEN[0][:25]}</blockquote><p>{WRITTEN[1]}</p>"
    comments = each.format(1, f"<p>{WRITTEN[0]}</p>") + each.format(2, quotation)
    found = read(f"{ARTICLE}<div id=comments>{comments}</div>")
    assert [each.text for each in found.comments] == [*WRITTEN[:2]]


def test_what_is_around_the_first_post_is_none() -> None:
    post = (
        "<div class=Head><b class=Author><a class=Username href=/u>{}</a></b></div><a href=/d>"
        "<time datetime=2025-05-0{}T10:00:00>September 2022</time></a><div class=Message>{}</div>"
    )
    first = post.format("Ada", 1, " ".join(LETTERS[3:6]))
    others = (
        f"<li class='Item ItemComment'><div class=Comment>{post.format('Bob', n, text)}</div></li>"
        for n, text in enumerate(LETTERS[1:3], start=2)
    )
    found = extract(
        f"<div class='List Discussion'><h1>Ropes</h1><div class='Item ItemDiscussion'>"
        f"<div class=Discussion>{first}</div></div></div><ul class=Comments>{''.join(others)}</ul>",
        url="https://club.example/discussion/12/ropes",
    )
    assert [each.text for each in found.posts] == [" ".join(LETTERS[3:6]), *LETTERS[1:3]]


def test_posts_beside_an_article_are_no_thread() -> None:
    beside = forum(*WRITTEN).partition("<body>")[2].replace("<div class=bbWrapper>", "<div>")
    found = read(f"{ARTICLE * 3}{beside}")
    assert found.posts == ()
    assert [each.text for each in found.comments] == [*WRITTEN]  # which can be answered
    assert read(f"{ARTICLE * 3}{beside.replace('Reply', 'Go')}") == Discussion()


@pytest.mark.parametrize(
    "html",
    [
        "",
        ARTICLE,
        ARTICLE + "<ul>" + "<li>An item of a list</li>" * 9 + "</ul>",
        ARTICLE + "<div class=comments>Comments are closed.</div>",
        # a list of articles
        "".join(f"<article class=post id=post-{n}><h2><a href=/{n}>A title {n}</a></h2>"
         f"<span class=author>Ada</span> <time>May {n}, 2025</time><p>{WRITTEN[0]}</p></article>"
         for n in range(1, 9)),
        # recent articles beside the text
        ARTICLE + "".join(f"<div class=post id=post-{n}>May {n}, 2025: read</div>" for n in
         range(9)),
        # what a shop says that its customers said
        *(f"{ARTICLE}<div class={around}>" +
         "".join(f"<div class={name}><p>{t}</p><i>May 3, 2025</i></div>" for t in WRITTEN) +
         "</div>" for around, name in (("a", "testimonial-comment"), ("testimonials-comments",
         "item"))),
    ],
)  # fmt: skip
def test_pages_without_either(html: str) -> None:
    assert read(html) == Discussion()


PARTS = st.sampled_from(
    [
        "<li class=comment id=comment-1>", "<div class=comment-body>", "</div>", "</li>", "<dl>",
        "<dt class=comment>", "<dd>", "</dl>", "<ol class=comments>", "</ol>", "<cite>Ada</cite>",
        "<time>2025-05-01</time>", "text of it ", "<div id=post_2 class=post>", "<a>Reply</a>",
        "<span class=author>", "</span>", "2 days ago", "<p>", "<br>", "\U0001f600 ", "\ud800",
    ]
)  # fmt: skip


@given(documents | st.lists(PARTS, max_size=40).map("".join), st.booleans())
def test_posts_of_any_page_stand_where_they_say(html: str, is_kept: bool) -> None:
    page = Page.parse(html)
    before = etree.tostring(page.root)
    found = read_discussion(page, Metadata(), np.full(page.text_at.size, is_kept))
    assert etree.tostring(page.root) == before
    for post in (*found.comments, *found.posts):
        assert page.root.getroottree().xpath(post.xpath)
        assert post.text.encode()
    extract(html, url="https://example.com/forum/1")


# -- what repeats in every unit ------------------------------------------------------------------

SAYS = {
    "de": ("sagt:", "Antworten"),
    "fr": ("dit :", "Répondre"),
    "es": ("dice:", "Responder"),
    "ru": ("говорит:", "Ответить"),
    "ja": ("より:", "返信"),
    "en": ("says:", "Reply"),
}
ESSAY = (
    "<p>" + "The harbour was built of granite, which came by boat from the north. " * 12 + "</p>"
)


THOUGHTS = [f"Ein guter Gedanke von {each}, und er hat mir gefallen." for each in (
    "Ada", "Bob", "Cyn", "Dan", "Eve", "Fay", "Gus", "Hal")]  # fmt: skip


def comment_of(says: str, reply: str, number: int, *, is_old: bool) -> str:
    """Return a comment as themes of WordPress write it, with the form that answers it hidden."""
    name = f"<b class=fn>Leser {number}</b> <span class=says>{says}</span>"
    form = "<form id=respond hidden><label>Name</label><input><textarea></textarea></form>"
    link = f"<a class=comment-reply-link href='?replytocom={number}#respond'>{reply}</a>"
    text = f"<p>{THOUGHTS[number]}</p>"
    time = f"<a href=#c{number}><time datetime=2026-01-0{number}>{number}. 1. 2026</time></a>"
    if is_old:
        return (
            f"<li class=comment id=comment-{number}><div class='comment-author vcard'>{name}</div>"
            f"<div class=comment-meta>{time}</div>{text}<div class=reply>{link}</div>{form}</li>"
        )
    return (
        f"<li class=comment id=comment-{number}><article class=comment-body><footer>"
        f"<div class='comment-author vcard'>{name}</div>{time}</footer><div class=comment-content>"
        f"{text}</div><div class=reply>{link}</div>{form}</article></li>"
    )


@pytest.mark.parametrize("is_old", [False, True])
@pytest.mark.parametrize("count", [1, 2, 3, 7])
@pytest.mark.parametrize("language", SAYS)
def test_neither_says_nor_reply_nor_a_form_is_a_part_of_a_comment(
    language: str, count: int, is_old: bool
) -> None:
    items = "".join(
        comment_of(*SAYS[language], number, is_old=is_old) for number in range(1, count + 1)
    )
    html = f"<article><h1>Hafen</h1>{ESSAY}</article><ol class=commentlist>{items}</ol>"
    comments = extract(html).comments
    assert [each.author for each in comments] == [f"Leser {n}" for n in range(1, count + 1)]
    assert [each.text for each in comments] == [THOUGHTS[n] for n in range(1, count + 1)]
    assert [each.date for each in comments] == [f"2026-01-0{n}" for n in range(1, count + 1)]


@pytest.mark.parametrize(("around", "unit"), named("widgets"))
def test_a_list_of_comments_on_other_pages_is_none(around: str, unit: str) -> None:
    items = around.format("".join(unit.format(number) for number in range(5)))
    for aside in ("<aside>{}</aside>", "<section>{}</section>"):
        html = f"<article><h1>Harbour</h1>{ESSAY}</article>{aside.format(items)}"
        assert not extract(html, url="https://e.example/a").comments


@pytest.mark.parametrize("line", [
    "On 4 May 2019 we all went to see it, and it was good.",
    "In March 2020 nobody came.",
    "It was 10:30 when we left the harbour and went home.",
])  # fmt: skip
def test_a_sentence_with_a_date_stays_in_its_post(line: str) -> None:
    posts = "".join(
        f"<div class=comment id=c{n}><ul class=comment__username><li><a href=/u/{n}>ada{n}</a></li>"
        f"</ul><ul class=comment__date><li title='Sept. {n}, 2022, 9 a.m.'>{n} Sep '22</li></ul>"
        f"<div class=comment__text><p>{line}</p><p>The boats are painted in May.</p></div></div>"
        for n in range(1, 5)
    )
    found = extract(f"<h1>Harbour</h1>{posts}", url="https://e.example/topic/1/a/")
    assert [each.text for each in found.posts] == [f"{line}\n\nThe boats are painted in May."] * 4
    assert [each.date[:10] for each in found.posts] == [f"2022-09-0{n}" for n in range(1, 5)]
