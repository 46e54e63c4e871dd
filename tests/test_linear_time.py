"""Time grows with a page, and no faster: in each step that a page of some make could slow down.

``benchmarks.limits`` measures all outputs on pages of many makes, and the contract every method.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import product
from typing import Any

import numpy as np
import pytest
from markup import methods

from scrapy_boilerplate import Extraction, Page, extract, get_extractor
from scrapy_boilerplate.core.answer.document import build_document
from scrapy_boilerplate.core.answer.document.figures import find_figures
from scrapy_boilerplate.core.answer.metadata import Metadata, read_metadata
from scrapy_boilerplate.core.answer.metadata.offers import price_in
from scrapy_boilerplate.core.answer.next_page import next_page
from scrapy_boilerplate.core.answer.output.html import html
from scrapy_boilerplate.core.answer.output.markdown import markdown
from scrapy_boilerplate.core.answer.overlay import marked_page
from scrapy_boilerplate.core.answer.posts import find_posts, read_discussion
from scrapy_boilerplate.core.auto.sections import with_sections, without_references
from scrapy_boilerplate.core.auto.wholes import complete
from scrapy_boilerplate.core.page._elements_native import number_keys
from scrapy_boilerplate.core.page.text import sentence_ends
from scrapy_boilerplate.core.strip import strip_elements
from scrapy_boilerplate.learn import SiteLearner, SiteModel, Vote
from scrapy_boilerplate.learn.article_sources import holding
from scrapy_boilerplate.learn.selectors import find_nodes
from scrapy_boilerplate.tools.testing import GROWING, assert_linear

Make = Callable[[int], Any]

URL = "https://example.com/forum/1"
TEXT = "<p>It rained all day in the town, and nobody went out to look at the harbour.</p>"


def cases(
    name: str,
    run: Callable[[Any], object],
    size: int,
    *shapes: str | Make,
    given: Callable[[Any], Any] = lambda html: Page.parse(html, url=URL),
) -> Iterator[Any]:
    """Yield a case for each shape: a text to be repeated, or what makes a text of a size.

    What *run* gets is what *given* makes of it, which takes no time of the test.
    """
    for number, shape in enumerate(shapes):
        make = (lambda size, text=shape: text * size) if isinstance(shape, str) else shape
        shown = shape if isinstance(shape, str) else number
        yield pytest.param(
            lambda size, make=make: given(make(size)), run, size, id=f"{name}: {shown}"
        )


def long(unit: str, before: str = "", after: str = "") -> Make:
    """Return what repeats a text up to a number of characters."""
    return lambda size: before + unit * (size // len(unit)) + after


def json_ld(value: object) -> str:
    return f"<script type=application/ld+json>{json.dumps(value)}</script>"


def all_of(page: Page) -> Any:
    return np.ones(page.text_at.size, dtype=bool)


def answered(html: str, **options: Any) -> Extraction:
    return extract(f"{TEXT}{html}{TEXT}", extractor="mss", tag_score=0.0, **options)


# -- reading pages ---------------------------------------------------------------------------------

UNITS_OF_SCRIPTS = [
    '{"a":', "[", '["a ', "x = {", "x = {a: [", "x = ['", "x = ['\\\\", "x = [/*", "x = [`",
    "x = [(", "x = [//", "x = [a, {b: 'c', ", 'x = {"a": 1} ', "<",
    'self.__next_f.push([1,"1:T5,aaaaa"])',
    '"<p>One two three four five six seven eight nine ten eleven.",',
]  # fmt: skip
PARTS_OF_TAGS = [
    "<script", "<script>", "<script>a</script>", "<script/>", "</script>", "<!--", "<!-->",
    "<", "</", "<!", "<p a='", "<p a=\"'", "<p ", " ", "a=", "<p a=b'>", "<svg>", "<svg><desc>",
    "<svg><style/>", "<svg><g></svg>", "<title>", "<script><!--<script>", "<!--<script>-->",
    "<p title='<script>'>", "&am<script>a</script>p", '="', '<a ="<script>', "<a\t\n b ",
    "<p a='<!--'><script>", "<![CDATA[", "<svg><![CDATA[]]>", "]]>", "'<script>\"",
]  # fmt: skip
KATEX = (
    "<span class=katex><math><annotation encoding=application/x-tex>x^2</annotation></math>"
    "<span class=katex-html aria-hidden=true><span>x</span>2</span></span>"
)
HEXO = "<table><tr><td class=gutter><pre>1<br>2</pre><td class=code><pre>a<br>b</pre></table>"


def screen_only(size: int) -> str:
    part = f"<h2>A<b><b><a href=#>#</a></b></b></h2>{HEXO}{KATEX}<pre><i>1</i>a\n<i>2</i>b</pre>"
    deep = "<div class=gutter><h2><b>1" * 50 + "</b></h2></div>" * 50
    return part * (size // 10) + deep * (size // 50)


def unmix(value: int) -> int:
    """Undo the last step of splitmix64."""
    for shift, factor in ((31, 0x94D049BB133111EB), (27, 0xBF58476D1CE4E5B9), (30, 1)):
        mixed = value
        for _ in range(64 // shift):
            value = mixed ^ value >> shift
        value = value * pow(factor, -1, 1 << 64) % (1 << 64)
    return value


def keys_that_fall_together(size: int) -> Any:
    """Return keys whose last bits, mixed, are zero: in a known table all want one place."""
    return np.array([unmix(n << 40) for n in range(1, size)], dtype=np.uint64)


READING = [
    *cases(
        "attributes", Page.parse, 20_000,
        lambda size: f"<p {' '.join(f'a{i}={i}' for i in range(size))}>", given=str,
    ),
    *cases(
        "characters that nobody sees", Page.parse, 5_000,
        *("\x01a", "\u200c", "<b>\u200b</b>", "م\u200c", "\r\n"), given="<p>x{}".format,
    ),
    *cases(
        "encodings", Page.parse, 9_000,
        *(lambda size, codec=codec: f"<meta charset=gbk><p>{'日本' * size}".encode(codec)
          for codec in ("utf-8", "gbk", "utf-16", "iso-2022-jp")),
        given=bytes,
    ),
    *cases("for the screen only", Page.parse, 500, screen_only, given=str),
    *cases("labels", lambda page: page.lay_out(0, 9), 5_000,
           "<span>Home<a>News</a></span><a>Two</a>"),
    *cases("notes", lambda page: page.notes, 500, lambda size: "".join(
        f"<sup><a href=#n{n}>1</a></sup><span class=note>a</span>" for n in range(size)
    ) + "<h2>Notes</h2><ol class=notes>" + "".join(f"<li id=n{n}><p>b" for n in range(size))),
    *cases(
        "scripts", partial(Page.parse, max_nodes=None), 200_000,
        *(long(unit, f"<script type='{kind}'>[", "</script>")
          for unit, kind in product(UNITS_OF_SCRIPTS, ("application/json", ""))),
        given=str,
    ),
    *cases("sentences", sentence_ends, 20_000, *map(long, (
        ". ", ".", "!?", "a.", "Mr. ", '."', ".   ", "。」", " »", "ก")), given="{}x".format),
    *cases("keys", number_keys, 6_000, keys_that_fall_together, given=np.array),
    *cases(
        "stripping", strip_elements, 10_000,
        *(long(part, start, "<script>")
          for part, start in product(PARTS_OF_TAGS, ("", "<svg><p>'<style>", "<p a="))),
        given=str.encode,
    ),
]  # fmt: skip


# -- what is said of them --------------------------------------------------------------------------


def references(place: str, size: int) -> str:
    """Return an entity that refers to another one, again and again, which holds many things."""
    things = [{"@type": "I", "name": ""}] * size
    other = {"@id": "b", "@type": "X", "itemListElement": things, "url": things}
    article = {"@type": "Article", place: [{"@id": "b"}] * size}
    return json_ld([article, {**other, "name": [""] * size}])


def nested_offers(size: int) -> str:
    offers = [{"@id": "o"}] * size
    offer = {"@id": "o", "@type": "Offer", "offers": offers, "price": [""] * size}
    return json_ld([{"@type": "Product", "offers": offers}, offer])


def read_posts(page: Page) -> None:
    read_discussion(page, Metadata(), all_of(page))
    find_posts(page, all_of(page))


COMMENT = (
    "<li class='comment even' id=comment-{0}><div class=comment-author><cite class=fn>Ada</cite> "
    "<span>says:</span></div><a href=#>May {0}, 2025 at 10:0{0} am</a><p>Text.</p></li>"
)
METADATA = [
    *cases("metadata", read_metadata, 2_000, "<meta name=author content=A>",
           lambda size: "<div itemscope itemtype=Article>" + "<b itemprop=author>A</b>" * size,
           lambda size: json_ld([{"@type": "Article", "headline": "A"}] * size),
           lambda size: "<h1>A</h1>" * size + "<p>By A</p>" * size,
           "<p class=author>A b</p>", "<time>2025</time>",
           lambda size: "<h1>A</h1><p class=author>A b" + "<sup>*</sup>" * size,
           lambda size: "<title>" + "a - " * 10 * size + "</title>a",
           lambda size: "<p>" + "1/1/" * 10 * size,
           lambda size: "<p>" + "written by " * 5 * size,
           lambda size: "<title>The bridge - Daily</title>" + "<p>The bridge is one" * (size // 2)),
    *cases("entities", read_metadata, 1_000, nested_offers, *(
        partial(references, place)
        for place in ("breadcrumb", "author", "license", "publisher", "mainEntity", "image"))),
    *cases("entities in one another", read_metadata, 200, "<div itemscope itemprop=a>",
           lambda size: "<i itemscope><i itemprop=name>" * (size // 2) + "text " * size),
    *cases("prices", price_in, 20_000, *map(long, (
        "1.", "1,23", "$", "$ 1 ", "kr 1", "add to ", "4,5 von ")), given=str),
    *cases("next pages", next_page, 2_000, "<a href='?page=2'>next</a>",
           "<a href='/page-1_2,3'>2</a>", lambda size: f"<a href='?a{'&page=2' * size}'>2</a>"),
    *cases("comments", read_posts, 150,
           lambda size: "".join(COMMENT.format(n % 9) for n in range(size))),
    *cases("comments in one another", read_posts, 300,
           "<div class=comment id=comment-1>2025 a b c", "<div itemprop=comment class=body>a b c",
           "<div class=comment>2025 <blockquote>a <cite>b</cite></div>"),
    *cases("what looks like comments", read_posts, 1_200,
           lambda size: "<div class=comment id=comment-1>2025 " + "<p>text " * size,
           lambda size: "".join(f"<p class=c{n} id=i{n}>2025" for n in range(size)),
           lambda size: ("<div class=comment>" + "reply (1) ! " * 2 * size + "2025</div>") * 2),
    *cases("by-lines", read_posts, 200, "<p>By Ada, 1 May 2025<div>It rained.</div>"),
]  # fmt: skip


# -- answers and their outputs ---------------------------------------------------------------------

SET = ", ".join(f"/{n}.jpg {n}w" for n in range(400))
MATHJAX = '<script src="https://cdn.example/mathjax@3/es5/tex-mml-chtml.js"></script>'
LATEXML = (
    '<span class="ltx_note ltx_role_footnote"><sup class=ltx_note_mark>1</sup>'
    "<span class=ltx_note_outer><span class=ltx_note_content><sup class=ltx_note_mark>1</sup>"
    "<span class='ltx_tag ltx_tag_note'>1</span>b</span></span></span>"
)
FIGURE = "<figure><img src=a.png><figcaption>boats</figcaption></figure>"


def outputs(page: Page) -> None:
    found = build_document(page, all_of(page))
    markdown(found), html(found)


def figures_of(page: Page) -> None:
    keep = ~all_of(page)
    keep[[0, -1]] = True
    elements, captions = find_figures(page, keep)
    assert elements.sum() == len(captions) == page.has_tag(("img",)).sum()


def figures(size: int) -> str:
    deep = "<div>" * (size // 4) + FIGURE * (size // 4) + "</div>" * (size // 4)
    return f"<article>{TEXT}{deep}{FIGURE * size}{TEXT}</article>"


def completed(page: Page) -> None:
    keep = np.arange(len(page.blocks)) % 3 > 0
    complete(page, keep, np.full(keep.size, 0.4))


def half_of_lists(size: int) -> str:
    lists = "<ul><li>yes a<li>b" * 20 + "</ul>" * 20
    return lists * (size // 20) + "<p>yes:<pre>a</pre><h2>b</h2><p>c" * size


def kept_sections(page: Page) -> None:
    with_sections(page, np.array(["keep" in text for text in page.lay_out_all(page.blocks)]))


def kept_references(page: Page) -> None:
    words = page.per_block(page.words)
    assert without_references(page, words, all_of(page)[: words.size]).sum() < words.size


ANSWERS = [
    *cases("outputs", outputs, 1_500, "<p>a<b>b</b> ", "<p>" + "<a href=x><img src=y>",
           lambda size: "<p>" + "a<!-- c -->" * 2 * size, lambda size: "<ul><li>a" * (size // 4),
           lambda size: "<table>" + "<tr><td>a<td>b" * size,
           lambda size: "".join(f"<ol start={n + 1}><li>a</ol>" for n in range(size)),
           lambda size: "<p>" + "*a_ [b] " * 4 * size),
    *cases("figures", figures_of, 400, figures),
    *cases("images", lambda answer: answer.images, 120,  # below what libxml2 nests
           lambda size: f"<picture><source srcset='{SET}'>" + "<img src=/a>" * size + "</picture>",
           lambda size: "<picture><source srcset='/a 1w, /b 2w'>" * size + "<img src=/a>" * size,
           lambda size: "<img src=/a>" * size + "<noscript><img src=/b.jpg></noscript>",
           "<span><img src=/a>", given=answered),
    *cases("notes and media", lambda answer: answer.markdown, 1_500,
           lambda size: '<a href="#n">1</a>' * size + "<p id=n>a",
           lambda size: '<p id=r><a href="#n">1</a></p><p id=n><a href="#r">1</a></p>'
           * (size // 2),
           lambda size: MATHJAX + "<p>" + "\\(a $$ " * 2 * size,
           lambda size: MATHJAX + "<p>" + "$$a$ \\[" * 2 * size,
           lambda size: f"<p>a <img srcset='{'b 1x ' * 2 * size}'>",
           lambda size: f"<p>a <math>{'<mrow><mi>x</mi></mrow>' * size}</math> b",
           lambda size: "<p>a" + "<iframe src=/embed/1></iframe>" * size,
           lambda size: "<p>a" + "<sup>1</sup><span class=note>b" * 2 * size,
           lambda size: "<p>a" + LATEXML * (size // 3), given=answered),
    *cases("deep formulas", lambda answer: answer.markdown, 200,
           lambda size: f"<p>a <math>{'<msqrt>' * min(size, 240)}x</math> b" * (size // 50),
           given=answered),
    *cases("pieces", lambda page: extract(page, extractor="mss", tag_score=0.0, max_words=5)
           .sections, 2_000, "<ul><li>a b c", "<li>a b c", "<p>a b c d",
           given=lambda html: Page.parse(f"<ol>{html}")),
    *cases("marked pages", lambda page: marked_page(page, lambda text: ""), 3_000,
           lambda size: "<div>" * 200 + "<p>Some text" * size,
           lambda size: "<p>" + "a<!-- -->b<br>" * size),
    *cases("wholes", completed, 500, half_of_lists),
    *cases("dates of one line", lambda answer: answer.posts, 400, lambda size:
           "<article><p>One.<ul><li>" + "<b>Ada 7</b> " * size + "<span>3 hours ago</span> " * size,
           given=answered),
    *cases("references", kept_references, 1_500, lambda size:
           (f"<p>{TEXT * 2}" * 2 + "<p>Read: <a href=/b>about the snow</a>") * size + f"<p>{TEXT}"),
    *cases("sections", kept_sections, 500, lambda size:
           "<h2>keep</h2><pre>keep</pre>" + "<div><h2>c</h2><p>d</p></div>" * size),
]  # fmt: skip


# -- sites -----------------------------------------------------------------------------------------

METHOD = get_extractor("mss-tuned")
STORY = SiteModel.from_dict({"site": "example.com", "containers": "div.story"})
SOURCE = "#__NEXT_DATA__: props.pageProps.post.body"
HIDDEN = SiteModel("a.example", sources=(Vote(SOURCE, 3, 1.0), Vote("script: *", 3, 1.0)))
PROSE = "One two three four five six seven eight nine ten eleven twelve {}. "


def learned(page: Page) -> None:
    answer = METHOD.extract(page)
    STORY.apply(page, METHOD, answer)
    SiteLearner().observe(page, answer)


def source_of(page: Page) -> None:
    answer = get_extractor("auto").extract(page)
    HIDDEN.apply(page, get_extractor("auto"), answer)
    holding(page, answer, 0)


def with_sources(unit: str, shown: str, size: int) -> str:
    """Return a page with a source as the site has them, small others, and a text of its own."""
    body = "".join(unit.replace("{}", str(n)) for n in range(size // len(unit)))
    state = json.dumps({"props": {"pageProps": {"post": {"body": body}}}})
    script = f"<script id=__NEXT_DATA__ type=application/json>{state}</script>"
    small = f"<script>x = {json.dumps([PROSE * 9])}</script>" * (size // 1000)
    text = "".join(shown.format(n) for n in range(size // 100))
    return f"<title>{PROSE * (size // 100)}</title><p>Short.{text}{script}{small}"


SITES = [
    *cases("learning", learned, 2_000, lambda size:
           f"<div class=story>{''.join(f'<p>text {n} of a story' for n in range(size))}</div>"),
    *cases("sources", source_of, 100_000, *(
        partial(with_sources, unit, shown) for unit, shown in
        product(('{"post":', '["', PROSE, f"<p>{PROSE}</p>"), ("", PROSE, f"<p>{PROSE}")))),
    *cases("selectors", lambda page: find_nodes(page, "//p[position() > last() - 900]"), 20_000,
           "<p>a</p>"),
    *cases("selectors of nested", lambda page: find_nodes(page, "//b[1] | //p"), 20_000,
           lambda size: "<div>" + "<i>" * 250 + "<b>a</b><p>a</p>" * size),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", GROWING)
def test_every_method_is_linear_in_200_000_units(name: str) -> None:
    page_of = cache(lambda size: Page.parse(GROWING[name](size), max_nodes=None))
    for method in methods():
        assert_linear(page_of, method.extract, 12_500, times=16)


@pytest.mark.parametrize(("make", "run", "size"), [*READING, *METADATA, *ANSWERS, *SITES])
def test_time_is_linear(make: Make, run: Callable[[Any], object], size: int) -> None:
    assert_linear(make, run, size)
