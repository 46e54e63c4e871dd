"""Selectors that a person writes find the elements of the page, in whatever tree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from generated_sites import Made, Site, taught
from hypothesis import HealthCheck, given, settings
from lxml import etree
from markup import documents

from scrapy_boilerplate import Page, get_extractor
from scrapy_boilerplate.learn import SiteModel
from scrapy_boilerplate.learn.selectors import compile_selector, find_nodes
from scrapy_boilerplate.learn.template import view_of

METHOD = get_extractor("mss-tuned")
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


@given(documents)
def test_every_element_of_a_page_is_found(html: str) -> None:
    page = Page.parse(html)
    if not page.tag.size:
        return
    assert find_nodes(page, "//*").tolist() == list(range(min(page.tag.size, 1000)))
    for element in range(page.tag.size):
        assert find_nodes(page, page.xpath(element)).tolist() == [element]


def test_elements_that_nobody_sees_have_no_index() -> None:
    page = Page.parse(
        "<div><script>1</script><!-- c --><svg><g><p>No</p></g></svg><p>Yes</p></div>"
    )
    assert find_nodes(page, "//script | //svg | //g | //g//p").size == 0
    assert page.names[page.tag[find_nodes(page, "//div/p")[0]]] == "p"
    assert find_nodes(page, "//comment() | //p/text()").size == 0
    with pytest.raises(ValueError, match="selects no elements"):
        find_nodes(page, "//html[1]/@class = 'x'")


def test_a_page_of_a_part_of_a_tree_finds_its_own_elements() -> None:
    root = etree.fromstring("<body><p>Above</p><div><p>One</p><p>Two</p></div><p>Below</p></body>")
    page = Page(root[1])
    assert find_nodes(page, "//p").tolist() == [1, 2]
    assert find_nodes(page, "//div").tolist() == [0]
    assert find_nodes(page, "//body").size == 0


@pytest.mark.parametrize("selector", ["//x:p", "//p[foo()]", "//p[$v]", "/x:html/x:body", "p:foo"])
def test_a_rule_that_cannot_be_evaluated_is_refused(selector: str) -> None:
    with pytest.raises(ValueError, match="is not a CSS selector or XPath"):
        compile_selector(selector)
    with pytest.raises(ValueError, match="is not a CSS selector or XPath"):
        SiteModel.from_dict({"site": "a.example", "containers": selector})


def test_a_selector_of_too_many_steps_is_refused() -> None:
    with pytest.raises(ValueError, match="recursion"):
        SiteModel.from_dict({"site": "a.example", "drop": ["div " * 3000 + "p"]})


def test_a_page_without_elements_has_none_to_find() -> None:
    assert find_nodes(Page.not_html(), "//p").size == 0
    assert np.array_equal(find_nodes(Page.parse("<br>"), "//p"), [])
