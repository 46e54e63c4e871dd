"""The pages of an article are joined: in order, without what they repeat, as one in all outputs."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from cases import rows

from scrapy_boilerplate import Extraction, Page, extract
from scrapy_boilerplate.core.answer.joining import is_continuation, join
from scrapy_boilerplate.core.answer.next_page import next_page

LEAD = "All about the rain that fell for a month on the town, its river and the people there."
AUTHOR = "Ada Lovelace writes about rivers, bridges and the weather for this magazine since 1843."


def page(
    number: int,
    title: str = "The story of rain",
    extra: str = "",
    heading: str | None = None,
    url: str = "https://example.com/rain",
) -> Extraction:
    text = "".join(
        f"<p>On day {number}{day} of that month it rained again, and the people of the town "
        f"stayed at home with {number * 7 + day} cups of tea and read what there was to read.</p>"
        for day in range(4)
    )
    html = (
        f"<title>{title}</title><nav><a href='/'>Home</a> <a href='/news'>News</a></nav><article>"
        f"<h1>{title}</h1><p>{LEAD}</p><h2>{heading or f'Part {number}'}</h2>{text}{extra}"
        f"<p>{AUTHOR}</p></article><div>1 <a href='?page={number + 1}'>{number + 1}</a></div>"
    )
    return extract(html, url=url if number == 1 else f"{url}?page={number}")


def test_pages_stand_in_order_and_repeat_nothing() -> None:
    answers = [page(1), page(2, "The story of rain, page 2"), page(3)]
    joined = join(answers)
    assert [joined.text.count(f"On day {number}0") for number in (1, 2, 3)] == [1, 1, 1]
    for repeated in ("The story of rain", LEAD, AUTHOR):
        assert joined.text.count(repeated) == 1
        assert joined.markdown.count(repeated) == 1
    assert "Part 2" in joined.text
    assert joined.text.index("On day 13") < joined.text.index("Part 2")
    assert joined.text.index("Part 2") < joined.text.index("On day 20")
    assert joined.markdown.count("## Part") == 3
    assert joined.html.count("<h2>") == 3
    assert joined.kind == "article"
    assert not joined.truncated
    assert join(answers, is_cut=True).truncated


def test_what_is_repeated_between_new_text_stays() -> None:
    line = (
        "<p>And so it rained.</p><p>Then the sun came out for a little while, over the river.</p>"
    )
    joined = join(
        [page(1, extra=line), page(2, extra=line + "<p>Nobody had thought it would.</p>")]
    )
    assert joined.text.count("And so it rained.") == 2


def test_outputs_are_made_from_one_document() -> None:
    extra = (
        "<p>A note<sup id=r{n}><a href='#n{n}'>1</a></sup> on the <a href='/a{n}'>rain</a>.</p>"
        "<figure><img src='/{n}.png'><figcaption>A picture of the rain here</figcaption></figure>"
        "<table><tr><th>Day<th>Rain<tr><td>{n}<td>9</table>"
        "<ol><li id=n{n}>Note on page {n}, in full. <a href='#r{n}'>↩</a></ol>"
    )
    answers = [page(n, extra=extra.replace("{n}", str(n))) for n in (1, 2)]
    joined = join(answers)
    assert [image.src[-5:] for image in joined.images] == ["1.png"[-5:], "2.png"[-5:]]
    assert [link.href for link in joined.links] == [
        "https://example.com/a1",
        "https://example.com/a2",
    ]
    assert len(joined.tables) == 2
    assert joined.markdown.index("[^1]:") > joined.markdown.index("On day 23")
    assert "[^2]: Note on page 2, in full." in joined.markdown
    assert joined.metadata == answers[0].metadata
    spans = np.array([segment.span for segment in joined.main])
    assert (spans[1:, 0] >= spans[:-1, 1]).all()
    rows = joined.to_dict()["segments"]
    assert sum(row["main"] is True for row in rows) == len(joined.main)
    assert joined.prevertical.count("<p") >= 8
    assert joined.tei.count("On day 20") == 1
    assert joined.next_page == "https://example.com/rain?page=3"
    assert joined.to_dict()["text"] == joined.text


def test_posts_of_a_thread_go_on() -> None:
    def thread(first: int) -> Extraction:
        posts = "".join(
            f"<div class=post id=post-{n}><cite class=author>Ada {n}</cite> "
            f"<time datetime=2025-09-0{n}>2025-09-0{n}</time><p>I say {n} that the rain of "
            f"{1990 + n} was worse than this one, and I was there to see it with my own eyes.</p>"
            "</div>"
            for n in (1, *range(first, first + 3))
        )
        html = f"<title>Rain?</title><h1>Rain?</h1><div class=thread>{posts}</div>"
        return extract(html, url=f"https://example.com/topic/rain?page={first}")

    answers = [thread(2), thread(5)]
    assert [len(answer.posts) for answer in answers] == [4, 4]
    joined = join(answers)
    assert [post.author for post in joined.posts] == [f"Ada {n}" for n in range(1, 8)]
    assert joined.text.count("I say 1 ") == 1


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (page(2), True),
        (page(2, "The story of rain (2/3)"), True),
        (page(2, "Snow in the hills"), False),
        (page(1), False),
        (extract("<title>The story of rain</title>"), False),
    ],
)
def test_only_new_text_of_the_same_title_belongs(new: Extraction, expected: bool) -> None:
    assert is_continuation([page(1)], new) == expected


def test_a_chapter_with_the_same_canonical_address_belongs() -> None:
    head = "<link rel=canonical href='https://example.com/rain'>"
    one, two = (
        extract(f"<head>{head}<title>{title}</title></head><p>{f'It {title} again. ' * 30}")
        for title in ("rained", "snowed")
    )
    assert is_continuation([one], two)


# -- the next page of an article is found, and nothing else is taken for it -----------------------

URL = "https://example.com/2024/long-story-of-rain.html"
STEM = URL.removesuffix(".html")
TEXT = "".join(
    f"<p>It rained on day {number} of that month too, and the people of the town stayed at home, "
    "read what there was to read, and waited for the river to fall again.</p>"
    for number in range(12)
)


def find(links: str, url: str | None = URL, head: str = "", *, is_thread: bool = False) -> str:
    html = f"<head><title>The story of rain</title>{head}</head><h1>The story of rain</h1>{TEXT}"
    return next_page(Page.parse(f"{html}<div>{links}</div>", url=url), is_thread=is_thread)


@pytest.mark.parametrize(("url", "links", "expected"), rows("next_pages"))
def test_only_the_next_page_is_found(url: str, links: str, expected: str) -> None:
    page, links, expected = (each.replace("{page}", STEM) for each in (url, links, expected))
    assert find(links, page or None) == expected


@pytest.mark.parametrize(
    ("url", "links", "expected"),
    [
        ("http://a.com/t?t=9", "<a href='?t=9&start=15&sid=5'>2</a>", "t=9&start=15&sid=5"),
        ("http://a.com/t?t=9&start=15", "<a href='?t=9&start=30'>Next</a>", "t=9&start=30"),
        ("http://a.com/t?topic=123.0", "<a href='?topic=123.20'>2</a>", "topic=123.20"),
    ],
)  # fmt: skip
def test_pages_of_a_thread_may_be_counted_by_posts(url: str, links: str, expected: str) -> None:
    assert find(links, url, is_thread=True) == f"http://a.com/t?{expected}"
    assert not find(links, url)


@pytest.mark.parametrize("other", ["https://other.example", "https://example.com:8080"])
def test_a_page_does_not_continue_on_another_server(other: str) -> None:
    head = f"<link rel=canonical href='{other}/rain'>"
    link = f"<a href='{other}/rain?page=2'>2</a>"
    assert find(link, None, head) == f"{other}/rain?page=2"  # nobody knows its address
    assert find(link, URL, head) == ""


def test_declared_addresses_count() -> None:
    head = f"<base href='https://example.com/x/'><link rel=canonical href='{URL}'>"
    assert find("<a href='?page=2'>2</a>", None, head) == ""
    assert find(f"<a href='{URL}?page=2'>2</a>", None, head) == f"{URL}?page=2"
    assert find("", head=f"<link rel=next href='{URL}?page=2'>") == f"{URL}?page=2"


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("", f"{URL}?page=2"),
        ("<meta property=og:type content=article>", f"{URL}?page=2"),
        ("<meta property=og:type content=website>", ""),
        ('<script type="application/ld+json">{"@type": "CollectionPage"}</script>', ""),
    ],
)
def test_an_extraction_has_it_if_its_page_is_one_text(head: str, expected: str) -> None:
    html = f"<title>Rain</title>{head}<h1>The story of rain</h1>{TEXT}1 <a href='?page=2'>2</a>"
    answer = extract(html, url=URL)
    assert answer.kind == "article"
    assert answer.next_page == expected
    assert answer.to_dict()["next_page"] == expected
    assert pickle.loads(pickle.dumps(answer)).next_page == expected


def test_the_first_base_counts_for_every_output() -> None:
    page = (
        "<base href=/first/><base href=/second/><link rel=canonical href=a><h1>Rain</h1>"
        f"<p>{'It rained all day. ' * 30}<a href=b>More</a> of it. {'It rained on. ' * 30}</p>"
    )
    answer = extract(page, url="https://example.com/x/a", extractor="mss-tuned")
    assert answer.metadata.canonical_url == "https://example.com/first/a"
    assert answer.links[0].href == "https://example.com/first/b"
