"""An article's text begins with its headline and lede, whatever its markup is like."""

from __future__ import annotations

import re
from itertools import product
from random import Random

import numpy as np
import pytest

from scrapy_boilerplate import Page, extract
from scrapy_boilerplate.core.auto.opening import drop_labels

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


@pytest.mark.parametrize(
    "label", ["Advertisement", "ANZEIGE", "- Publicité -", "広告", "Sponsored:"]
)
def test_labels_of_advertisements_go(label: str) -> None:
    page = Page.parse(f"<p>It rained.<div>{label}</div><p>It went on.<div>Ada</div>")
    words = page.per_block(page.words).astype(float)
    kept = drop_labels(page, np.minimum(words, [9, 1, 9, 1]), np.ones(4, dtype=bool))
    assert kept.tolist() == [True, False, True, True]


def test_a_page_without_text_that_scripts_may_fill_is_not_surely_empty() -> None:
    answer = extract("<title>A</title><div id=app>Loading</div><script src=a.js></script>")
    assert answer.text or (answer.confidence or 0) <= 0.5
