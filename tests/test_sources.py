"""Text that the visible tree lacks: JSON, templates, ``noscript``."""

from __future__ import annotations

import json
import subprocess
import sys
from html import escape
from typing import Any

import pytest
from frameworks import BEGINNINGS, PAGES, SOURCES
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree, html

from scrapy_boilerplate import Page, extract, get_extractor
from scrapy_boilerplate.core.page import literals, sources
from scrapy_boilerplate.core.page.literals import load_literal
from scrapy_boilerplate.tools.testing.promises import check_page

NUMBERS = "one two three four five six seven eight nine ten eleven twelve".split()
SENTENCES = [
    f"On day {n} the river rose by {n} metres, and {n} of the people carried {n} sacks to the dam."
    for n in NUMBERS
]
PARAGRAPHS = "".join(f"<p>{each}</p>" for each in SENTENCES)
MENU = "<nav><a href=/>Home</a> <a href=/news>News</a> <a href=/about>About us</a></nav>"


def portable_text() -> str:
    blocks = [
        {"_type": "block", "children": [{"_type": "span", "marks": [], "text": half} for half in
         (each[:20], each[20:])]}
        for each in SENTENCES
    ]  # fmt: skip
    state = {"props": {"pageProps": {"article": {"title": "The flood", "content": blocks}}}}
    return f"<script id=__NEXT_DATA__ type=application/json>{json.dumps(state)}</script>"


def initial_state() -> str:
    state = {"articles": {"byId": {"81723": {"title": "The flood", "text": PARAGRAPHS}}}}
    return f"<script>window.__INITIAL_STATE__ = {json.dumps(state)};</script>"


def parsed_state() -> str:
    state = json.dumps(json.dumps({"article": {"title": "The flood", "text": PARAGRAPHS}}))
    return f"<script>window.__STATE__=JSON.parse({state});</script>"


def literal() -> str:
    text = PARAGRAPHS.replace("'", "\\'")
    return (
        "<script>/* state */ window.__INITIAL_STATE__ = {user: void 0, isOpen: !1, articles: {"
        f"'81723': {{title: `The flood`, text: '{text}', tags: ['a', 'b',],}}}},}};run();</script>"
    )


def parsed_literal() -> str:
    state = json.dumps({"article": {"title": "The flood", "text": PARAGRAPHS}})
    return f"<script>window.__STATE__ = JSON.parse('{state}');</script>"


def nuxt_function() -> str:
    return (
        '<script>window.__NUXT__=(function(a,b){return {layout:"default",data:[{post:{title:a,id:b,'
        f'body:{json.dumps(PARAGRAPHS)}}}}}],error:null}}}}("The flood",81));</script>'
    )


def sveltekit_start() -> str:
    return (
        "<script>{const e = document.currentScript.parentElement; Promise.all([import('./a.js')])"
        '.then(([kit, app]) => {kit.start(app, e, {node_ids: [0, 2], data: [null,{type:"data",data:'
        f'{{post:{{title:"The flood",html:{json.dumps(PARAGRAPHS)}}}}},uses:{{}}}}], form: null}});'
        "});}</script>"
    )


def turbo_stream() -> str:
    rows = [{"_1": 2}, "loaderData", {"_3": 4}, "post", {"_5": 6}, "The flood", "body", PARAGRAPHS]
    given = json.dumps(json.dumps(rows))
    return f"<script>window.__reactRouterContext.streamController.enqueue({given});</script>"


def attribute() -> str:
    posts = {"post_stream": {"posts": [{"id": n, "cooked": f"<p>{each}</p>"} for n, each in
             enumerate(SENTENCES)]}}  # fmt: skip
    preloaded = json.dumps({"topic_7": json.dumps({"title": "The flood", **posts})})
    return f'<div id=data-preloaded data-preloaded="{escape(preloaded)}"></div>'


# Those of pages that real frameworks built are below.
MAKES = {
    "portable": (
        portable_text,
        "#__NEXT_DATA__: props.pageProps.article.content.*.children.*.text",
    ),
    "assigned": (initial_state, "script: articles.byId.*.text"),
    "parsed": (parsed_state, "script: article.text"),
    "attribute": (attribute, "[data-preloaded]: *.post_stream.posts.*.cooked"),
    "literal": (literal, "script: articles.*.text"),
    "parsed literal": (parsed_literal, "script: article.text"),
    "nuxt function": (nuxt_function, "script: data.*.post.body"),
    "sveltekit start": (sveltekit_start, "script: *.data.post.html"),
    "turbo stream": (turbo_stream, "script: *"),
    "template": (lambda: f"<template>{PARAGRAPHS}</template>", "template"),
    "noscript": (lambda: f"<noscript>{PARAGRAPHS}</noscript>", "noscript"),
}


@pytest.mark.parametrize("make", MAKES)
def test_a_page_without_visible_text_is_read_from_its_source(make: str) -> None:
    write, source = MAKES[make]
    page = f"<title>The flood</title><body>{MENU}<div id=root></div>{write()}</body>"
    answer = extract(page)
    assert all(each in answer.text for each in SENTENCES)
    assert "Home" not in answer.text
    assert answer.source == source
    assert answer.title == "The flood"


@pytest.mark.parametrize("make", MAKES)
def test_a_page_with_its_article_is_read_as_it_stands(make: str) -> None:
    own = "".join(f"<p>Then {each.lower()}</p>" for each in SENTENCES)
    page = f"<body>{MENU}<article><h1>Dams</h1>{own}</article>{MAKES[make][0]()}</body>"
    answer = extract(page)
    assert not answer.source
    assert SENTENCES[0] not in answer.text
    assert "Then on day seven the river" in answer.text


def json_ld(text: str) -> str:
    article = {"@type": "NewsArticle", "headline": "The flood", "articleBody": text}
    return f"<script type=application/ld+json>{json.dumps(article)}</script>"


def test_a_teaser_is_replaced_by_the_whole_article() -> None:
    wall = "<div><p>" + "Subscribe to read on, and support those who write. " * 30 + "</div>"
    teaser = "".join(f"<p>{each}</p>" for each in SENTENCES[:2])
    page = f"<h1>The flood</h1>{teaser}{wall}{json_ld(' '.join(SENTENCES))}"
    answer = extract(page)
    assert answer.source == "json-ld: articleBody"
    assert all(answer.text.count(each) == 1 for each in SENTENCES)


def test_a_text_that_is_visible_is_not_taken_from_json_ld() -> None:
    answer = extract(f"<h1>The flood</h1>{PARAGRAPHS}{json_ld(' '.join(SENTENCES))}")
    assert not answer.source
    assert all(answer.text.count(each) == 1 for each in SENTENCES)


def test_settings_and_labels_of_a_program_are_no_article() -> None:
    labels = {f"label{n}": {"text": each} for n, each in enumerate(SENTENCES)}
    page = f"{MENU}<p>Scores of today.</p><script>var settings = {json.dumps(labels)};</script>"
    assert not Page.parse(page).source


SHADOW = (
    "<body><x-menu><template shadowrootmode=closed><nav><a href=/>Home</a></nav></template>"
    "</x-menu><x-post><template>{{title}}</template><template shadowrootmode=open>"
    f"<style>p {{}}</style><h1>The flood</h1>{PARAGRAPHS}<slot></slot></template>"
    "<p>At night the water fell again, and all of the people slept.</p>"
    "<template>Saved</template></x-post></body>"
)


def test_a_shadow_root_is_read_where_it_stands() -> None:
    answer = extract(SHADOW)
    assert not answer.source
    assert answer.title == "The flood"
    assert all(each in answer.markdown for each in [*SENTENCES, "At night the water fell again"])
    assert not any(word in answer.text for word in ("Home", "{{title}}", "p {}", "Saved"))
    assert answer.main[0].xpath.startswith("/html/body/x-post/*[2]")
    assert "Saved" not in answer._repr_html_()
    assert "sacks to the dam" in answer._repr_html_()


@pytest.mark.parametrize("name", ["auto", "mss", "energy", "links"])
def test_methods_keep_their_promises_on_shadow_roots(name: str) -> None:
    check_page(get_extractor(name), Page.parse(SHADOW))


def test_the_tree_of_the_response_stays_as_it_is() -> None:
    root = html.document_fromstring(f"<body>{MENU}{initial_state()}</body>")
    before = etree.tostring(root)
    assert Page(root).source
    assert etree.tostring(root) == before


@pytest.mark.parametrize("name", ["noscript", "template"])
def test_nested_elements_are_read_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[etree._Element] = []
    monkeypatch.setattr(sources, "_texts_in", lambda node: read.append(node) or [])
    Page(html.document_fromstring(f"<{name}>{PARAGRAPHS}" * 100))
    assert [node.tag for node in read] == [name]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just(PARAGRAPHS),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


DECLARED: dict[str, dict[str, Any]] = {
    "Product": {"description": " ".join(SENTENCES)},
    "Recipe": {
        "recipeIngredient": ["three cups of flour", "1 < 2 eggs"],
        "recipeInstructions": [
            {"@type": "HowToStep", "text": SENTENCES[0]},
            {"@type": "HowToSection", "itemListElement": [{"text": s} for s in SENTENCES[1:]]},
        ],
    },
    "FAQPage": {
        "mainEntity": [
            {"name": f"What of day {n}?", "acceptedAnswer": {"text": each}}
            for n, each in enumerate(SENTENCES)
        ]
    },
    "QAPage": {
        "mainEntity": {
            "name": "What of the river?",
            "text": SENTENCES[0],
            "acceptedAnswer": {"text": f"<p>{SENTENCES[1]}</p>"},
            "suggestedAnswer": [{"text": each} for each in SENTENCES[2:]],
        }
    },
}


@pytest.mark.parametrize("kind", DECLARED)
def test_what_json_ld_declares_in_parts(kind: str) -> None:
    entity = {"@type": [kind], "name": "The flood", **DECLARED[kind]}
    data = {"@graph": [{"@type": "Organization"}, entity]}
    script = f"<script type=application/ld+json>{json.dumps(data)}</script>"
    answer = extract(f"<title>The flood</title>{MENU}<div id=app></div>{script}")
    assert answer.source == f"json-ld: {kind}"
    assert all(each in answer.text for each in SENTENCES)
    expected = {
        "Product": "# The flood",
        "Recipe": f"12. {SENTENCES[11]}",
        "FAQPage": f"## What of day 3?\n\n{SENTENCES[3]}",
        "QAPage": f"## What of the river?\n\n{SENTENCES[0]}\n\n{SENTENCES[1]}",
    }
    assert expected[kind] in answer.markdown


@given(json_values, st.sampled_from(["application/json", "application/ld+json", ""]))
def test_no_json_raises(value: object, kind: str) -> None:
    text = json.dumps({"articleBody": value, "pad": "x" * 500})
    page = Page.parse(
        f"<body><script type='{kind}'>x = {text}</script><script type='{kind}'>{text}"
    )
    assert isinstance(page.source, str)


@given(st.text(alphabet="{}[](),:;'\"`\\/*\n ab1$.", max_size=60))
def test_any_code_is_read_or_refused(text: str) -> None:
    try:
        _, stop = load_literal(text)
    except ValueError:
        return
    assert 0 < stop <= len(text)


# -- whose text a source holds -------------------------------------------------------------------

TEASERS = [{"title": f"Story {n}", "url": f"/story/{n}", "text": each} for n, each in
           enumerate(SENTENCES)]  # fmt: skip


def state(**values: object) -> str:
    return f"<script type=application/json id=state>{json.dumps(values)}</script>"


def test_html_that_is_escaped_in_json_is_html() -> None:
    source = state(title="The flood", html=escape(f"{PARAGRAPHS}<pre>a &lt; b</pre>"))
    page = f"<title>The flood</title><div id=app></div>{source}"
    assert extract(page).text.split("\n\n")[1:] == [*SENTENCES, "a < b"]


@pytest.mark.parametrize(
    "source",
    [
        state(title="The flood", related=TEASERS),
        state(site={"categories": [{"name": each[:9], "slug": "a", "text": each} for each in
                                   SENTENCES]}, page={"title": "The flood"}),
        state(footer={"imprint": PARAGRAPHS}),
        state(title="Another page", body=PARAGRAPHS),
        "<div data-x='" + escape(json.dumps({"latest": TEASERS})) + "'></div>",
        "<script>window.menu = " + json.dumps({"latest": TEASERS}) + "</script>",
    ],
)  # fmt: skip
def test_a_source_of_other_things_is_not_the_page_s_text(source: str) -> None:
    page = Page.parse(f"<title>The flood | Town</title>{MENU}<h1>The flood</h1>{source}")
    assert not page.source


@pytest.mark.parametrize(
    ("title", "url", "source"),
    [
        ("The flood | Town", None, state(article={"headline": "The flood", "body": PARAGRAPHS})),
        ("Town: the flood", None, state(meta={"title": "THE  FLOOD"}, body=PARAGRAPHS)),
        ("Town", "https://a.example/news/the-flood/?a=b", state(slug="the-flood", b=PARAGRAPHS)),
        ("Town", "https://a.example/81723", state(article={"id": "81723", "body": PARAGRAPHS})),
        ("", None, state(body=PARAGRAPHS)),
    ],
)
def test_a_source_with_the_page_s_title_or_address_is_its_text(
    title: str, url: str | None, source: str
) -> None:
    page = Page.parse(f"<title>{title}</title>{MENU}<div id=app></div>{source}", url=url)
    assert page.source
    assert all(each in page.buffer for each in SENTENCES)


@pytest.mark.parametrize("shown", ["", "<h1>The flood</h1>"])
@pytest.mark.parametrize("around", ["{}", "<div class=post>{}</div>", "<p>{}</p>"])
@pytest.mark.parametrize("count", [1, 2, 6])
def test_a_noscript_with_prose_is_read_where_the_page_shows_none(
    shown: str, around: str, count: int
) -> None:
    prose = "".join(f"<p>{each}</p>" for each in SENTENCES[:count])
    html = f"<title>The flood</title>{shown}<div id=app></div>{around}"
    page = Page.parse(html.format(f"<noscript>{prose}</noscript>"))
    assert page.source == "noscript"
    assert all(each in page.buffer for each in SENTENCES[:count])


@pytest.mark.parametrize(
    "source",
    [
        "<script type=application/ld+json>{}</script>".format(
            json.dumps({"@type": "Article", "headline": "The flood", "articleBody": SENTENCES[0]})
        ),
        state(post={"title": "The flood", "body": f"<p>{SENTENCES[0]}</p>"}),
    ],
)
def test_a_short_text_with_the_page_s_title_is_read_where_the_page_shows_none(source: str) -> None:
    page = Page.parse(f"<title>The flood</title><div id=app></div>{source}")
    assert SENTENCES[0] in page.buffer
    assert not Page.parse(f"<title>The storm</title><div id=app></div>{source}").source


def test_a_noscript_that_asks_for_scripts_is_no_text() -> None:
    for asks in ("Please turn on JavaScript to read this page.", "This page needs scripts. " * 20):
        assert not Page.parse(f"<h1>The flood</h1><noscript><p>{asks}</p></noscript>").source


# -- what crafted sources cost -------------------------------------------------------------------


def test_long_and_deep_keys_take_little_memory() -> None:
    """A page of 1.2 MB, whose every text has a path of 29 keys with 30 000 characters each."""
    code = """
import json, resource
from scrapy_boilerplate import Page
Page.parse("<p>One")
text = "It rained all day in the town and the people stayed."
data = {"a" + "".join(chr(97 + int(c)) for c in str(i)): text for i in range(6000)}
for i in range(28):
    data = {chr(97 + i % 26) * 29_999 + "\\U0001f600": data}
html = f"<div id=app></div><script type=application/json>{json.dumps(data)}</script>"
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
resource.setrlimit(resource.RLIMIT_DATA, (3 << 30, 3 << 30))
Page.parse(html)
taken = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(taken * 1024 <= 24 * len(html) + (64 << 20), taken)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.startswith("True"), found.stdout


def test_the_scripts_of_a_page_share_one_budget_of_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    read = 0
    pattern = literals._TOKEN

    class Counting:
        def match(self, text: str, at: int) -> object:
            nonlocal read
            read += 1
            return pattern.match(text, at)

    monkeypatch.setattr(literals, "_TOKEN", Counting())
    script = "<script>x=" + "data:[" * 19 + "1," * 50_000 + "</script>"
    Page.parse(script * 5)
    assert read <= literals.MOST_TOKENS + 1


CARD = "<h2>Title goes here</h2>" + "<p>The description of the product will stand here.</p>" * 30
CAKES = [{"@type": "NewsArticle", "headline": f"Cake {n}", "articleBody": "A cook from the hills "
          f"has won race number {n} with a cake of plums. " * 9} for n in range(4)]  # fmt: skip


@pytest.mark.parametrize(
    "other",
    [
        f"<template>{CARD}</template>",
        f'<script type="application/ld+json">{json.dumps({"itemListElement": CAKES})}</script>',
        f'<script type="application/ld+json">{json.dumps(CAKES[0])}</script>',
        state(title="Harbour", more=[{"title": cake["headline"], "body": cake["articleBody"]}
                                     for cake in CAKES]),
    ],
    ids=["card", "list", "another article", "other articles of a state"],
)  # fmt: skip
def test_a_text_of_something_else_does_not_replace_what_is_shown(other: str) -> None:
    text = "The harbour was built in 1874, when the fishermen of the village asked for it."
    assert extract(f"<title>Harbour</title><h1>Harbour</h1><p>{text}</p>{other}").text.endswith(
        text
    )


# -- pages that real frameworks built; ``fixtures/frameworks/README.md`` says how ------------------


@pytest.mark.parametrize("name", SOURCES)
def test_the_article_is_found(name: str) -> None:
    answer = extract((PAGES / f"{name}.html").read_bytes())
    assert answer.source == SOURCES[name]
    assert all(answer.text.count(each) == 1 for each in BEGINNINGS)
    assert "Imprint" not in answer.text
    assert "Home" not in answer.text
    assert answer.title.endswith("How the harbour wall was built")  # one page tells no site's name
