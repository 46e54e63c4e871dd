"""The pages of an article are joined: in order, without what they repeat, as one in all outputs."""

from __future__ import annotations

import numpy as np
import pytest

from scrapy_boilerplate import Extraction, extract
from scrapy_boilerplate.core.answer.joining import is_continuation, join

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
