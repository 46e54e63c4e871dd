"""An article's text begins with its headline and lede, whatever its markup is like."""

from __future__ import annotations

import re
from functools import cache
from itertools import product
from random import Random

import numpy as np
import pytest

from scrapy_boilerplate import Page, extract
from scrapy_boilerplate.core.auto.block_rules import keep_blocks
from scrapy_boilerplate.core.auto.features import read_features
from scrapy_boilerplate.core.auto.model import load_model
from scrapy_boilerplate.core.auto.opening import drop_calls, drop_dates, drop_labels

HEADLINE = "Council approves plan for a new bridge over the river"
LEDES = (
    "Residents had waited eleven years for a decision, and many doubted that it would ever come.",
    "Decision ends eleven years of waiting for residents",
)
WORDS = (
    "the council river bridge plan vote money town people year report works traffic shop owner "
    "design street school water night law market house road court field winter station letter"
).split()
SHARE = "".join(f"<a href=//{n.lower()}.example/x>{n}</a> " for n in ("Facebook", "Twitter"))


@cache
def body(paragraphs: int) -> list[str]:
    random = Random(7)
    sentence = lambda: " ".join(random.choices(WORDS, k=random.randint(8, 22))).capitalize() + "."  # noqa: E731
    return [" ".join(sentence() for _ in range(3)) for _ in range(paragraphs)]


def story(lede: str, paragraphs: int = 40, tag: str = "p", wrap: str = "") -> str:
    texts = [f"<p>{text}</p>" for text in body(paragraphs)]
    texts.insert(3, "<div class=ad-slot>Advertisement</div>")
    head = f"<h1>{HEADLINE}</h1><{tag} class=standfirst>{lede}</{tag}>"
    head = f"<{wrap} class=head>{head}</{wrap}>" if wrap else head
    menu = "".join(f"<li><a href=/{n}>{n}</a></li>" for n in ("Home", "News", "Sport", "Weather"))
    return (
        f"<title>{HEADLINE} | The River Post</title><body><nav><ul>{menu}</ul></nav><main><article>"
        f"{head}<div class=byline>By Mary Whitfield <time>12 March 2024</time></div>"
        f"<figure><img src=a.jpg><figcaption>The river. Photograph: Jo Bloggs</figcaption></figure>"
        f"<div class=share>{SHARE}</div><div class=story__body>{''.join(texts)}</div>"
        "</article></main>"
    )


def renamed(html: str) -> str:
    """Return a page whose classes say nothing."""
    names = iter(range(99))
    return re.sub(r"class=[\w-]+", lambda _: f"class=k{next(names)}", html)


MUTANTS = {
    "as it is": lambda html: html,
    "renamed": renamed,
    "no classes": lambda html: re.sub(r" class=[\w-]+", "", html),
    "wrapped": lambda html: html.replace("<main>", "<main><div><div>") + "</div></div>",
    "body not wrapped": lambda html: html.replace("<div class=story__body>", ""),
    "footer": lambda html: f"{html}<footer><p>© 2024 The River Post. <a href=/t>Terms</a></footer>",
}
LAYOUTS = list(product(("p", "div", "h2"), ("", "div", "header")))


@pytest.mark.parametrize("url", [None, "https://riverpost.example/2024/03/council-approves-plan"])
@pytest.mark.parametrize("mutant", MUTANTS)
def test_headline_and_lede_are_kept(mutant: str, url: str | None) -> None:
    for (tag, wrap), lede, size in product(LAYOUTS, LEDES, (12, 40)):
        html = MUTANTS[mutant](story(lede, size, tag, wrap))
        text = extract(html, url=url, extractor="auto").text
        assert text.startswith(f"{HEADLINE}\n\n{lede}\n\n"), (tag, wrap, size)
        assert all(paragraph in text for paragraph in body(size))
        assert not any(word in text for word in ("Advertisement", "Facebook", "Photograph"))


def test_a_caption_that_is_not_in_the_text_is_the_alternative_text_of_its_image() -> None:
    found = extract(story(LEDES[0]), extractor="auto")
    caption = "The river. Photograph: Jo Bloggs"
    assert caption not in found.text
    assert found.markdown.count(caption) == found.html.count(caption) == 1
    assert f"![{caption}](a.jpg)" in found.markdown
    assert [image.caption for image in found.images] == [caption]
    described = story(LEDES[0]).replace("<img src=a.jpg>", "<img src=a.jpg alt='A \"river\"'>")
    found = extract(described, extractor="auto")
    assert f'![A "river"](a.jpg "{caption}")' in found.markdown
    assert f'alt="A &quot;river&quot;" title="{caption}"' in found.html
    assert caption in found.tei


def test_whoever_wants_precision_gets_what_the_model_chose() -> None:
    html = story(LEDES[0], 60)
    assert HEADLINE in extract(html, extractor="auto").text
    assert len(extract(html, extractor="auto", favor="precision").text) <= len(
        extract(html, extractor="auto").text
    )


def test_a_line_of_writer_and_date_is_no_lede() -> None:
    html = story("Mary Whitfield in Bristol, 12 March 2024 at 10:15", 40)
    assert "Mary Whitfield in" not in extract(html, extractor="auto").text


SHORT = (
    "The workshop stays closed next Monday because we are moving the big lathe into the back room. "
    "From Tuesday on everything is as usual, and you can see the new window display."
)
SAYS_WHEN = '<script type=application/ld+json>{"@type":"BlogPosting"}</script>'


def post(head: str, foot: str = "") -> str:
    return (
        f"<title>Closed on Monday | The Rooftop Workshop</title>{SAYS_WHEN}"
        "<header class=site-header><div class=wrapper><a class=site-title href=/>"
        "The Rooftop Workshop</a><nav class=site-nav><a href=/about/>About</a></nav></div></header>"
        f"<main class=page-content><article class=post>{head}"
        f"<div class=post-content><p>{SHORT}</p></div>{foot}</article></main>"
        "<footer class=site-footer><p>Jonas Reuter</p><p>Bees, planes and pictures</p></footer>"
    )


@pytest.mark.parametrize(
    "when",
    [
        "<header class=post-header><h1 class=post-title>{}</h1><p class=post-meta>"
        "<time datetime=2023-05-02>May 2, 2023</time> • <span>Jonas Reuter</span></p></header>",
        "<h1>{}</h1><div class=info>Posted by Jonas Reuter on May 2, 2023</div>",
        "<h1>{}</h1><div><p><span>2023-05-02</span></p><p>3 minutes</p></div>",
    ],
)
def test_the_date_above_a_short_text_goes(when: str) -> None:
    head = when.format("Closed on Monday")
    assert extract(post(head)).text == f"Closed on Monday\n\n{SHORT}"


@pytest.mark.parametrize("tag", ["p class=lead", "p", "div class=standfirst", "p class=subtitle"])
@pytest.mark.parametrize("lede", ["Why patience has no price", "A lathe, a window and some days"])
def test_a_lede_beside_the_date_stays(lede: str, tag: str) -> None:
    said = "<p class=by>By Jonas Reuter, Staff Writer<p><time>May 2, 2023</time>"
    html = post(f"<header><h1>Closed on Monday</h1><{tag}>{lede}</{tag.split()[0]}>{said}</header>")
    assert extract(html).text == f"Closed on Monday\n\n{lede}\n\n{SHORT}"


def test_a_title_beside_the_date_stays_whatever_its_element() -> None:
    head = "<div><div>Closed on Monday</div><p>by Ada</p><time>May 2, 2023</time></div>"
    page = Page.parse(post(head))
    features = read_features(page, load_model().lexicon)
    said = page.lay_out_all(page.blocks)
    keep = np.arange(len(said)) >= said.index("Closed on Monday")
    found = drop_dates(page, features, keep, np.zeros(keep.size)) | ~keep
    dropped = [text for text, kept in zip(said, found, strict=True) if not kept]
    assert dropped == ["by Ada", "May 2, 2023"]


def test_a_sentence_with_a_date_stays() -> None:
    head = "<h1>Closed on Monday</h1><p>On May 2, 2023 we moved the saw and the lathe."
    assert "we moved the saw" in extract(post(head)).text


def test_code_with_a_date_stays() -> None:
    page = Page.parse(f"<p>{SHORT}<pre>date: 2013/7/13 20:46:25</pre><p>{SHORT}")
    keep = np.ones(3, dtype=bool)
    features = read_features(page, load_model().lexicon)
    assert drop_dates(page, features, keep, np.ones(3)).all()


@pytest.mark.parametrize(
    "foot",
    [
        "<div class=post-copyright-info><ul><li><b>Author:</b> Jonas Reuter<li><b>Link:</b> "
        "https://rooftop.example/2023/05/closed/<li>License: This work is licensed under CC BY",
        "<footer class=entry><p>Last changed on May 4, 2023, with thanks to the neighbours.<p>"
        "Everything here may be copied, if you say where it is from.</footer>",
    ],
)
def test_the_box_below_a_short_text_that_says_whose_it_is_goes(foot: str) -> None:
    assert extract(post("<h1>Closed on Monday</h1>", foot)).text.endswith(SHORT)


@pytest.mark.parametrize(
    "label", ["Advertisement", "ANZEIGE", "- Publicité -", "広告", "Sponsored:"]
)
def test_labels_of_advertisements_go(label: str) -> None:
    page = Page.parse(f"<p>It rained.<div>{label}</div><p>It went on.<div>Ada</div>")
    words = page.per_block(page.words).astype(float)
    kept = drop_labels(page, np.minimum(words, [9, 1, 9, 1]), np.ones(4, dtype=bool))
    assert kept.tolist() == [True, False, True, True]


def test_no_gap_is_filled_with_a_label_of_an_advertisement() -> None:
    page = Page.parse("<main><h1>Pier</h1><p>It rained.<div>Advertisement</div><p>It went on.")
    features, likely = read_features(page, load_model().lexicon), np.array([0.9, 0.9, 0.4, 0.9])
    kept = keep_blocks(page, features, likely, kinds={"documentation": 0.9}).keep
    assert kept.tolist() == [True, True, False, True]


@pytest.mark.parametrize(
    "call",
    [
        "<div class=nl><h3>Newsletter</h3><p>Melden Sie sich für unseren Newsletter an.</p></div>",
        "<ul class=share><li><a href=/f>Share on Facebook</a><li><a href=/t>Share on X</a></ul>",
        "<div class=box><h4>About the author</h4><p>Ada Berg writes about boats, and lives in a "
        "house by the sea.</p><a href=/ada>All of her texts</a></div>",
        "<div><h3>The letter</h3><p>All you need to know before breakfast, five days a week.</p>"
        "<form><input type=email><button>OK</button></form></div>",
        "<div class=paywall><h2>Subscribe to continue reading</h2><p>Already a subscriber?</div>",
        "<aside><p>Sign up for our letter to read the best stories of the bay on Fridays.</aside>",
        "<div class=cookie-note><p>We store what you like to read. By reading on, you agree.</div>",
        "<h3>Related stories</h3><ul><li><a href=/a>Ten boats that you must see</a></ul>",
        "<p><b>Lesen Sie auch:</b></p><p><a href=/a>Zehn Boote im Hafen</a></p>",
    ],
)
def test_calls_on_readers_go_with_their_boxes(call: str) -> None:
    text = f"<p>{SHORT}</p>" * 3
    kept = extract(f"<title>Pier</title><article><h1>Pier</h1>{text}{call}</article>").text
    assert kept.split("\n\n") == ["Pier", *[SHORT] * 3]


DIALOGS = ["<div role=dialog>{}</div>", "<section aria-modal=true>{}</section>"]
DIALOGS += ["<div role=alertdialog><div>{}</div></div>", "<dialog>{}</dialog>"]


@pytest.mark.parametrize("dialog", DIALOGS)
@pytest.mark.parametrize("place", ["<body>{}{}", "<body>{1}{0}", "<article>{1}{0}</article>"])
def test_a_dialog_is_no_text_but_for_one_that_shows_it(dialog: str, place: str) -> None:
    asks = f"<h2>A letter on Fridays</h2><p>{body(1)[0]}</p><button>Close</button>"
    text = f"<h1>Pier</h1><p>{SHORT}</p><p>{SHORT}</p>"
    kept = extract("<title>Pier</title>" + place.format(dialog.format(asks), text)).text
    assert kept.split("\n\n") == ["Pier", SHORT, SHORT]
    shown = extract(f"<title>Pier</title>{place.format(dialog.format(text), '')}").text
    assert shown.split("\n\n") == ["Pier", SHORT, SHORT]


REFERENCES = {
    "<p><b>Read also: <a href=/x/1>Why the pier had to be closed</a></b></p>": False,
    "<div><a href=https://e.example/a>MORE NEWS: Islanders wait for bread</a></div>": False,
    "<p>相关阅读：<a href=/zh/3>百年灯塔的守护人</a></p>": False,
    "<p>Source: <a href=https://b.example/a>A history of the mail boat</a></p>": True,
    "<p>Timetable: <a href=/files/2024.pdf>All ferries of the summer</a></p>": True,
    "<p>See also: <a href=#prices>What a ticket of the ferry costs</a></p>": True,
    "<p>She wrote a letter: <a href=/l>why the pier is closed</a>.</p>": True,
}


@pytest.mark.parametrize("line", REFERENCES)
def test_a_line_between_paragraphs_that_names_another_text_goes(line: str) -> None:
    head = "<title>Pier</title><link rel=canonical href=https://e.example/pier>"
    page = f"{head}<article><h1>Pier</h1><p>{SHORT}</p>{line}<p>{SHORT}</p></article>"
    kept = extract(page).text.split("\n\n")
    assert (len(kept) == 4, kept[-1]) == (REFERENCES[line], SHORT)


@pytest.mark.parametrize("aside", ["", " class=pullquote", " class=tip", " role=doc-footnote"])
@pytest.mark.parametrize("after", ["", f"<p>{SHORT}</p>"])
def test_an_aside_stays_that_calls_for_nothing(aside: str, after: str) -> None:
    said = "The planks are slippery when it rains, so hold the rope."
    html = f"<title>Pier</title><article><h1>Pier</h1>{f'<p>{SHORT}</p>' * 3}"
    assert said in extract(f"{html}<aside{aside}><p>{said}</p></aside>{after}</article>").text


def test_a_call_that_stands_in_the_text_stays() -> None:
    page = Page.parse("<p>It rained.<p>We need to support our schools.<p>It went on.")
    found = drop_calls(page, np.array([90.0, 6, 90]), np.ones(3, bool), np.array([1, 0.7, 1]))
    assert found.all()


def test_a_page_without_text_that_scripts_may_fill_is_not_surely_empty() -> None:
    answer = extract("<title>A</title><div id=app>Loading</div><script src=a.js></script>")
    assert answer.text or (answer.confidence or 0) <= 0.5


LINES = (
    "The rain had not stopped since the morning.",
    "“You came back,” he said.",
    "He put the lamp on the table, and nobody in the house moved.",
    "“Then tell me what you saw there.”",
    "Anna counted the steps again, as she had done when she was a child.",
    "It was a long way to the river.",
)
BOXES = ("<div>{}</div>", "<div class=l>{}</div>", "<div><p>{}</p></div>", "{}<br><br>")
ABOUT_AUTHOR = (
    "<div class=author><h3>About the author</h3><p>Mira writes long stories by the sea.</p>"
    "<ul><li><a href=/1>Another story of hers</a><li><a href=/2>The third one</a></ul></div>"
)


@pytest.mark.parametrize("box", BOXES)
def test_a_chapter_of_short_lines_is_kept_whole(box: str) -> None:
    lines = Random(3).choices(LINES, k=150)
    text, menu = "\n".join(map(box.format, lines)), "<a href=/>Home</a> <a href=/all>Stories</a>"
    steps = "<p><a href=/11>Previous chapter</a> <a href=/13>Next chapter</a></p>"
    heads, tails = ("", "<h1>The bridge</h1>", "<h2>The bridge</h2>"), ("", ABOUT_AUTHOR)
    urls = (None, "https://a.example/story/4123/12", "https://a.example/docs/x")
    for head, tail, url in product(heads, tails, urls):
        html = f"<nav>{menu}</nav><div id=text>{head}{steps}{text}{steps}</div>{tail}"
        found = extract(html, url=url).text.split()
        wanted = " ".join(lines).split()
        assert len(wanted) <= len(found) < len(wanted) + 25


TERMS = "<dl><dt>Gap<dd>A time without readings.<dt>Hut<dd>A place with one board and sensors.</dl>"


@pytest.mark.parametrize(
    ("above", "kept"),
    [
        ("<div><h1>Glossary</h1></div>", "Glossary"),
        ("<div><h2>Glossary</h2></div><button>Copy page</button>", "Glossary"),
        ("<div><h1><a href=/>Tarn manual</a></h1></div>", ""),
        ("<div><h1>Rivers</h1></div>", ""),
    ],
    ids=["own box", "button between", "name of the site", "not the title"],
)
def test_a_heading_that_is_the_title_opens_a_short_text(above: str, kept: str) -> None:
    page = Page.parse(f"<title>Glossary - Tarn manual</title>{above}<div>{TERMS}</div>")
    content = np.where([text in TERMS for text in page.lay_out_all(page.blocks)], 0.9, 0.05)
    features = read_features(page, load_model().lexicon)
    found = keep_blocks(page, features, content, thread=None).keep
    opening = page.lay_out_all(page.blocks[found & (content < 0.5)])
    assert opening == ([kept] if kept else [])


MENU = "".join(f"<li><a href=/{name}>What {name} say</a>" for name in "abcdefghijkl")


@pytest.mark.parametrize(
    ("html", "dropped"),
    [
        (f"<ul>{MENU}</ul><h1>{HEADLINE}</h1><p>{body(1)[0]}<p>{body(2)[1]}", 12),
        (f"<ul>{MENU}<li>{LEDES[0]}</ul><h1>{HEADLINE}</h1><p>{body(1)[0]}<p>{body(2)[1]}", 0),
        (f"<ul>{MENU}</ul><h1>{HEADLINE}</h1><p>{LEDES[0]}", 0),
        (f"<ul>{MENU}</ul><h2>{HEADLINE}</h2><p>{body(1)[0]}<p>{body(2)[1]}", 0),
        (f"<h1>{HEADLINE}</h1><ul>{MENU}</ul><p>{body(1)[0]}<h1>A</h1><p>{body(2)[1]}", 0),
    ],
    ids=["menu", "text above, too", "little text", "no headline", "below the first"],
)
def test_links_above_the_headline_of_a_text_go(html: str, dropped: int) -> None:
    page = Page.parse(html)
    features = read_features(page, load_model().lexicon)
    kept = keep_blocks(page, features, np.full(len(page.blocks), 0.9)).keep.tolist()
    assert kept == [False] * dropped + [True] * (len(kept) - dropped)


CARDS = "".join(f"<li><h4>{line}</h4><p>{line} It stays so." for line in LEDES)


@pytest.mark.parametrize(
    ("html", "stays"),
    [
        (f"<ul>{CARDS}</ul><article><h1>{HEADLINE}</h1>{{}}</article>", False),
        (f"<div>{CARDS}</div><div><h3>{HEADLINE}</h3>{{}}</div>", False),
        (f"<div>{CARDS}</div><header><h2>{HEADLINE}</h2></header><div>{{}}</div>", True),
        (f"<article><ul>{CARDS}</ul><h1>{HEADLINE}</h1>{{}}</article>", True),
        (f"<ul>{CARDS}</ul><article><h1>Rivers</h1>{{}}</article>", True),
        (f"<ul>{CARDS}</ul><article><h1>{HEADLINE}</h1></article><p>A line.", True),
    ],
    ids=["article", "lower heading", "own box", "one box", "not the title", "no text"],
)
def test_less_likely_text_above_the_headline_and_apart_goes(html: str, stays: bool) -> None:
    title = f"<title>{HEADLINE} - The Post</title>"
    page = Page.parse(title + html.format("".join(f"<p>{line}" for line in body(1)[:2])))
    texts = page.lay_out_all(page.blocks)
    content = np.array([0.7 if text in CARDS else 0.9 for text in texts])
    kept = keep_blocks(page, read_features(page, load_model().lexicon), content).keep
    assert kept[[text in CARDS for text in texts]].all() == stays
    assert kept[[text not in CARDS for text in texts]].all()


SAYINGS = [f"{word.title()} readers say what they think of the rain." for word in WORDS[:20]]
BELOW = "".join(f"<table><tr><td><a href=/u>Reader</a><p>{line}</table>" for line in SAYINGS)


@pytest.mark.parametrize(
    ("html", "likely", "stays"),
    [
        (f"<div><h1>{HEADLINE}</h1>{{}}</div><div>{BELOW}</div>", 0.7, False),
        (f"<div><h1>{HEADLINE}</h1>{{}}</div><div>{BELOW}</div>", 0.85, True),
        (f"<div><h1>{HEADLINE}</h1>{{}}{BELOW}</div>", 0.7, True),
        (f"<div><h1>Rivers</h1>{{}}</div><div>{BELOW}</div>", 0.7, True),
        (f"<div><h1>{HEADLINE}</h1>{{0}}{{0}}{{0}}{{0}}{{0}}</div><div>{BELOW}</div>", 0.7, True),
    ],
    ids=["apart", "as likely", "one box", "not the title", "a long text"],
)
def test_units_that_outweigh_a_likelier_text_go(html: str, likely: float, stays: bool) -> None:
    title = f"<title>{HEADLINE} - The Post</title>"
    page = Page.parse(title + html.format("".join(f"<p>{line}" for line in body(1)[:2])))
    is_said = np.array([text in ("Reader", *SAYINGS) for text in page.lay_out_all(page.blocks)])
    content = np.where(is_said, likely, 0.9)
    kept = keep_blocks(page, read_features(page, load_model().lexicon), content).keep
    assert kept[is_said].all() == stays
    assert kept[~is_said].all()


@pytest.mark.parametrize(
    ("html", "likely", "stays"),
    [
        ("<div>{}</div><div class=comment-rules>{}</div>", 0.7, False),
        ("<div>{}</div><form id=comment_form>{}</form>", 0.7, False),
        ("<div>{}</div><div class=comment-rules>{}</div>", 0.85, True),
        ("<div class=comment-rules>{1}</div><div>{0}</div>", 0.7, True),
        ("<div class=has-comments>{}{}</div>", 0.7, True),
    ],
    ids=["rules", "form", "as likely", "above", "all of it"],
)
def test_rules_for_comments_below_a_text_go(html: str, likely: float, stays: bool) -> None:
    rules = [f"Whoever writes a comment on {word} stays polite and short." for word in WORDS[:8]]
    text = "".join(f"<p>{line}" for line in body(1)[:3])
    page = Page.parse(html.format(text, "".join(f"<p>{line}" for line in rules)))
    is_rule = np.array([text in rules for text in page.lay_out_all(page.blocks)])
    content = np.where(is_rule, likely, 0.9)
    kept = keep_blocks(page, read_features(page, load_model().lexicon), content).keep
    assert kept[is_rule].all() == stays
    assert kept[~is_rule].all()
