"""Models as values: forms, rules by hand, and keys."""

from __future__ import annotations

import json
import re
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cases import rows
from generated_sites import METHOD, Made, Site, learned, taught
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree
from markup import documents

from scrapy_boilerplate import Page
from scrapy_boilerplate.learn import (
    SiteLearner,
    SiteModel,
    SiteRule,
    StateError,
    Vote,
    dump_models,
    extract_site,
    host_and_path,
    load_models,
    site_key,
)
from scrapy_boilerplate.learn.paths import template_path_hash
from scrapy_boilerplate.learn.selectors import compile_selector, find_nodes
from scrapy_boilerplate.learn.stores import open_store
from scrapy_boilerplate.learn.stores.models import StoredModels
from scrapy_boilerplate.learn.template import TemplateView, view_of
from scrapy_boilerplate.tools.cli import main
from scrapy_boilerplate.tools.inspector.session import spread
from scrapy_boilerplate.tools.rows import InputPage

SITE = Site()
HOST = "news.example"
LEARNED = learned(10)
ARTICLE = SITE.article(500)

# -- forms -----------------------------------------------------------------------------------

names = st.text(min_size=1, max_size=12).filter(str.strip)
votes = st.lists(st.builds(Vote, names, st.integers(0, 99), st.floats(0, 99)), max_size=3).map(
    tuple
)
paths = st.sampled_from(["div.story", "main", "//article", "a[name=more]", "div > p:first-child"])
selections = st.lists(paths, max_size=3, unique=True).map(tuple)
models = st.builds(
    SiteModel,
    site=st.text(max_size=12),
    pages=st.integers(0, 99),
    articles=st.integers(0, 99),
    containers=st.lists(st.builds(Vote, paths, st.integers(0, 9)), max_size=2).map(tuple),
    titles=votes,
    content=votes,
    boilerplate=votes,
    repeats=st.frozensets(st.integers(0, 2**32 - 1), max_size=5),
    agreement=st.floats(0, 1),
    safe=st.booleans(),
    complete=st.booleans(),
    anchored=st.booleans(),
    missing=st.floats(0, 1),
    unmatched=st.integers(0, 9),
    elsewhere=st.floats(0, 1),
    frames=st.lists(
        st.frozensets(st.integers(0, 2**32 - 1), min_size=1, max_size=5), max_size=2
    ).map(tuple),
    also=st.sampled_from([(), (SiteModel("a.example", pages=7),)]),
    min_words=st.integers(0, 99),
    rule=st.builds(SiteRule, *[selections] * 5),
)


@given(models)
@settings(max_examples=60)
def test_every_form_holds_the_whole_model(model: SiteModel) -> None:
    assert SiteModel.from_dict(model.to_dict()) == model
    assert SiteModel.from_dict(json.loads(json.dumps(model.to_dict()))) == model
    assert SiteModel.from_bytes(model.to_bytes()) == model


def test_models_can_be_read_and_edited_as_json() -> None:
    text = dump_models([LEARNED])
    assert '"selector": "div.story"' in text
    assert load_models(text) == {HOST: LEARNED}
    edited = load_models(text.replace('"div.story"', '"section.news div[data-x]"'))[HOST]
    assert [vote.name for vote in edited.containers] == ["section.news div[data-x]"]
    page = Page.parse("<section class=news><div data-x>Said here.</div></section><p>Not there, no.")
    assert edited.apply(page, METHOD).text == "Said here."


@pytest.mark.parametrize(("form", "message"), rows("mistakes_of_models"))
def test_mistakes_are_named(form: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        load_models(form)


@given(st.binary(max_size=50))
def test_noise_is_no_model(data: bytes) -> None:
    with pytest.raises(StateError):
        SiteModel.from_bytes(data)


# -- rules by hand ---------------------------------------------------------------------------

HTML = """
<title>A title</title><div id=page><h2 class=kicker>Sport</h2><h1>A title</h1>
<div class="story wide"><p>The first paragraph.</p><p class=ad>Buy it now.</p><p>The second.</p>
<a name=more></a><p>After the end.</p></div><p class=footer>Imprint and so on</p></div>
"""


@pytest.mark.parametrize(("form", "expected"), rows("rules_by_hand"))
def test_rules_by_hand(form: str, expected: str) -> None:
    """Of elements in each other the inner one decides; without a container the method does."""
    model = SiteModel.from_dict({"site": "a.example", **json.loads(form)})
    assert model.apply(Page.parse(HTML), METHOD).text == expected


def test_explanations_name_the_correction() -> None:
    model = SiteModel.from_dict({"site": "a.example", "drop": [".ad"], "keep": [".footer"]})
    page = Page.parse(HTML)
    explained = {each.text: each for each in model.explain(page, METHOD)}
    assert explained["Buy it now."].reason.startswith("manual rule: never kept (.ad)")
    assert explained["Imprint and so on"].reason.startswith("manual rule: always kept (.footer)")
    kept = [each.text for each in explained.values() if each.kept]
    assert kept == model.apply(page, METHOD).text.split("\n\n")


def test_a_site_with_a_correction_is_learned() -> None:
    rule = SiteModel.from_dict({"site": HOST, "drop": ["p"]})
    learner = taught(SITE.pages(10), SiteLearner(rules={HOST: rule}))
    model = learner.model(HOST)
    assert model.containers == LEARNED.containers
    assert model.rule == rule.rule
    assert learner.model(HOST) is model
    assert SiteLearner(rules={HOST: rule}).model(HOST) is rule
    assert "<p>" in ARTICLE.html
    assert model.apply(ARTICLE.page(), METHOD).text == ARTICLE.gold.split("\n")[0]


def test_a_container_of_a_rule_wins_over_what_is_learned() -> None:
    rule = SiteModel.from_dict({"site": HOST, "containers": ["#foot"]})
    learner = taught(SITE.pages(10), SiteLearner(rules={HOST: rule}))
    model = learner.model(HOST)
    assert model.containers == LEARNED.containers
    without = Page.parse(ARTICLE.html.replace("id=foot", ""), url=ARTICLE.url)
    assert model.apply(without, METHOD).text == LEARNED.apply(without, METHOD).text
    assert model.apply(ARTICLE.page(), METHOD).text.startswith("All rights reserved")
    dump = [(made.url, made.html) for made in SITE.pages(4)]
    assert all(
        answer.text.startswith("All rights reserved")
        for _, answer in extract_site(dump, extractor=METHOD, rules={HOST: rule})
    )


# -- template paths --------------------------------------------------------------------------------


def test_hashes_are_those_of_the_names() -> None:
    for made in (ARTICLE, SITE.tag_page(3)):
        page = made.page()
        view = TemplateView(page)
        paths = view.path_names(np.arange(len(view.page.blocks)))
        assert view.paths.tolist() == list(map(template_path_hash, paths))
        named = view.elements.named
        written = [view.elements.selector(row) for row in range(len(named.elements))]
        assert named.hashes.tolist() == list(map(template_path_hash, written))


# -- keys ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("by", "url", "key"),
    [
        ("host", "https://www.blog.example.co.uk/a", "blog.example.co.uk"),
        ("host", "http://[::1", ""),
        ("host", "", ""),
        ("domain", "https://www.blog.example.co.uk/a", "example.co.uk"),
        ("domain", "http://localhost/", "localhost"),
        ("path", "https://example.com/sport/a.html", "example.com/sport"),
        ("path", "https://example.com/a.html", "example.com"),
        (host_and_path(2), "https://example.com/en/sport/a/b", "example.com/en/sport"),
        (len, "https://a.example", 17),
    ],
)
def test_keys(by: object, url: str, key: object) -> None:
    assert site_key(by)(url) == key


def test_unknown_keys_are_named() -> None:
    with pytest.raises(ValueError, match="host, domain, path"):
        site_key("hostname")
    with pytest.raises(ValueError, match="1 or more"):
        host_and_path(0)


def test_a_host_that_learned_nothing_borrows() -> None:
    pages = Site(host="example.com").pages(10)
    learner = taught(pages)
    assert learner.model("blog.example.com") is learner.model("example.com")
    assert learner.model("example.org") is None
    rule = SiteModel.from_dict({"site": "blog.example.com", "drop": ["p"]})
    model = taught(pages, SiteLearner(rules={"blog.example.com": rule})).model("blog.example.com")
    assert model.containers
    assert model.rule == rule.rule


# -- views -----------------------------------------------------------------------------------

VIEWED = Page.parse(
    "<h1>Title <b>bold</b></h1><p>One <i>two</i> three<br>four</p>text<ul><li>a<li>b</ul>"
    "<table><tr><td>c<td>d<tr><td>日本語</table><pre>  e\n f</pre>x<a href=/>link</a>."
)


@given(st.lists(st.booleans(), min_size=VIEWED.text_at.size, max_size=VIEWED.text_at.size))
def test_a_view_holds_the_flagged_texts(flags: list[bool]) -> None:
    keep = np.array(flags, dtype=bool)
    view = VIEWED.restricted(keep)
    kept = np.flatnonzero(keep)

    def texts(page: Page) -> list[str]:
        spans = zip(page.text_start.tolist(), page.text_stop.tolist(), strict=True)
        return [page.buffer[start:stop] for start, stop in spans]

    assert texts(view) == [texts(VIEWED)[number] for number in kept]
    for counts in ("words", "symbols", "visible", "in_link"):
        assert getattr(view, counts).tolist() == getattr(VIEWED, counts)[kept].tolist()
    assert [view.xpaths_later([-1 - i])([0])[0] for i in range(kept.size)] == [
        VIEWED.xpaths_later([-1 - number])([0])[0] for number in kept.tolist()
    ]
    blocks = [tuple(row) for row in view.blocks.tolist()]
    assert [text for row in blocks for text in range(*row)] == list(range(kept.size))
    assert "".join(view.lay_out(0, kept.size).split()) == "".join("".join(texts(view)).split())


# -- a person's rule adds to what was learned of a site, wherever models are applied --------------

NOTHING = SiteModel.from_dict({"site": SITE.host, "drop": [".nosuch"]})


@pytest.fixture
def store(tmp_path: Path) -> str:
    address = str(tmp_path / "sites.sqlite")
    with open_store(address) as opened:
        opened.save(
            SITE.host,
            taught(SITE.pages(20)).state(SITE.host) or b"",
        )
    return address


@pytest.fixture
def rules(tmp_path: Path) -> str:
    path = tmp_path / "rules.json"
    path.write_text(dump_models([NOTHING]))
    return str(path)


def test_a_rule_that_matches_nothing_changes_nothing(store: str) -> None:
    asked = SITE.article(500).page()
    with (
        closing(StoredModels(store)) as learned_models,
        closing(StoredModels(store, rules={SITE.host: NOTHING})) as ruled,
    ):
        plain, data = learned_models(asked.url or ""), ruled(asked.url or "")
    assert plain is not None
    assert data is not None
    assert data != plain
    answer = SiteModel.from_bytes(data).apply(asked, METHOD)
    assert answer.text == SiteModel.from_bytes(plain).apply(asked, METHOD).text
    assert answer.text != METHOD.extract(asked).text


def test_the_command_line_takes_rules(
    store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = SITE.article(500)
    page, rules = tmp_path / "page.html", tmp_path / "own.json"
    page.write_text(made.html)
    rules.write_text(json.dumps({"site": SITE.host, "drop": ["p"]}))
    shown = []
    for more in ([], ["--rules", str(rules)]):
        given = ["extract", str(page), "--url", made.url, "--extractor", "mss-tuned"]
        assert main([*given, "--sites", store, *more]) == 0
        shown.append(capsys.readouterr().out.strip())
    assert made.gold in shown[0]
    assert shown[1] == made.gold.split("\n")[0]
    assert main(["extract", str(page), "--rules", str(tmp_path / "none.json")]) != 0
    assert "none.json" in capsys.readouterr().err


def test_a_preview_takes_pages_of_all_sections() -> None:
    names = [f"https://a.example/{part}/x{n:03}" for part in ("a", "b", "c") for n in range(150)]
    pages = [InputPage(b"", name, name=name) for name in [*names, "https://a.example/d/x"]]
    chosen = [page.name.split("/")[3] for page in spread(pages, 100)]
    assert [chosen.count(part) for part in "abcd"] == [33, 33, 33, 1]
    assert spread(pages[:7], 100) == pages[:7]
    assert spread([], 100) == []


# -- selectors that a person writes find the elements of the page, in whatever tree ---------------

XHTML = """
<x:html xmlns:x="http://www.w3.org/1999/xhtml"><x:head><x:title>T</x:title></x:head><x:body>
<x:p>The imprint of this page.</x:p><x:div class="story wide"><x:p>The first paragraph.</x:p>
<x:p>The second.</x:p></x:div></x:body></x:html>
"""


def by_hand(page: Page, **form: object) -> str:
    return SiteModel.from_dict({"site": "a.example", **form}).apply(page, METHOD).text


@pytest.mark.parametrize("container", ["//*[name()='o:p']", "//*[@id='a']", "//div/*[2]"])
def test_a_rule_finds_names_with_a_colon(container: str) -> None:
    page = Page.parse("<div><p>Not this.</p><o:p id=a>But this.</o:p></div>")
    assert by_hand(page, containers=container) == "But this."


@pytest.mark.parametrize(
    "container", ["//*[name()='x:div']", "//*[local-name()='div']", "//*[contains(@class, 'wide')]"]
)
def test_a_rule_finds_elements_of_a_namespace(container: str) -> None:
    page = Page(etree.fromstring(XHTML))
    assert by_hand(page, containers=container) == "The first paragraph.\n\nThe second."
    assert by_hand(page, containers=container, drop="//*[local-name()='p'][1]") == "The second."


@given(documents)
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_every_selector_that_is_learned_is_one_of_css(html: str) -> None:
    page = Page.parse(html)
    if not page.text_at.size:
        return
    view = view_of(page)
    elements = view.elements
    named = elements.named.elements.tolist()
    written = [elements.selector(row) for row in range(len(named))]
    for element, selector in zip(named, written, strict=True):
        same = [one for one, other in zip(named, written, strict=True) if other == selector]
        assert view.find(selector).tolist() == same
        if selector.isascii():  # lxml makes no other letters lower case
            assert element in find_nodes(page, selector)


@pytest.mark.parametrize(
    ("tag", "selector"),
    [
        ("x:main", r"x\:main.story"),
        ('main"x', r"main\"x.story"),
        ("ma.in", r"ma\.in.story"),
        ("x-main", "x-main.story"),
        ("main\x01x", "div#main"),  # a tag that nothing can name
    ],
)
def test_a_container_may_have_any_name(tag: str, selector: str) -> None:
    site = Site()

    def renamed(number: int) -> Made:
        made = site.article(number, comments=0)
        html = made.html.replace("<div class=story>", f"<{tag} class=story>")
        return replace(made, html=html.replace("</div><ol", f"</{tag}><ol"))

    learner = taught([renamed(number) for number in range(24)])
    model = learner.model("news.example")
    assert learner.is_frozen("news.example")
    assert SiteModel.from_dict(model.to_dict()) == model
    assert selector in [vote.name for vote in model.containers]
    made = renamed(500)
    assert model.apply(made.page(), METHOD).text == made.gold


@pytest.mark.parametrize("selector", ["//x:p", "//p[foo()]", "//p[$v]", "/x:html/x:body", "p:foo"])
def test_a_rule_that_cannot_be_evaluated_is_refused(selector: str) -> None:
    with pytest.raises(ValueError, match="is not a CSS selector or XPath"):
        compile_selector(selector)
    with pytest.raises(ValueError, match="is not a CSS selector or XPath"):
        SiteModel.from_dict({"site": "a.example", "containers": selector})
