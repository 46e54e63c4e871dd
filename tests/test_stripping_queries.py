from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy.http import HtmlResponse

from scrapy_boilerplate.core.strip import strip_elements
from scrapy_boilerplate.core.strip.queries import read_css, read_xpath

ELEMENTS = {"script", "style"}

CSS_STRINGS = [
    "h1::text", "span.text::text", ".author::text", "#dic_area::text", "a::attr(href)",
    'li.next > a::attr("href")', "::attr(href)", "*::attr(id)", "script::attr(src)",
    "tbody > tr + tr ~ tr td:nth-child(2n+1)::text", "p:first-of-type::text", "h1::text, h2::text",
    "[itemprop=name]::text", 'meta[name="description"]::attr(content)', "div.style p::text",
    "*.a::text", "div[class*=script]::text", ".é::attr(x)",
]  # fmt: skip
CSS_ELEMENTS = ["div.quote", "ul > li.a, h1::text", "#main", "article"]
CSS_UNSAFE = [
    "script", "script::text", "SCRIPT::text", "style::text", "*", "* > p", "*::text", "::text",
    "div ::text", "div *::text", "div > ::text", ":first-child::text", "h1, script::text",
    "p:empty", "a:contains(x)", "a:not(.b)::text", "p:has(script)::attr(x)", "p:is(script)::text",
    ":root", ".é::text", "script p::text", "script + p::text", "h1::foo", "h1::foo(a)", "a[", "",
]  # fmt: skip
XPATH_STRINGS = [
    "//title/text()", "span/small/text()", "./span/text()", "//div[@class='x']//span/text()",
    "//a/@href", ".//a/@href", "@href", "./@href", "//p//@href", "text()", "./text()", "../text()",
    "//*[@id='x']/div[2]/p/text()", "//a[contains(text(), 'Next')]/@href", "//a[text()='x']/@href",
    "//script/@src", "//script[1]/@src", "//h1/text() | //h2/text()", "//p[not(@class)]/text()",
    "//td[text()='a|b']/following-sibling::td[1]/text()", "//ul/li[position()<3]/a/text()",
    "//div[@class='script' and contains(@id, 'style')]/p/text()", "//li[last()]/a/@href",
    "//meta[@property='og:title']/@content", "//b[1]/following-sibling::text()[1]",
    "//p/text()[normalize-space()]", "//p[has-class('a')]/text()", "//p[re:test(@id, 'a')]/text()",
    "//p[normalize-space(@id) = 'a']/text()", "//li/ancestor::div/h2/text()",
]  # fmt: skip
XPATH_ELEMENTS = [
    "//h1",
    "//p/../..",
    "//h1 | //h2/text()",
    "..",
    "/html/body/div[5]/div/ul/li",
    "//div/p[1]",
]
XPATH_UNSAFE = [
    "//script/text()", "//SCRIPT/text()", "//script", "//script[contains(text(), 'a')]/@src", "//*",
    "//script[contains(., 'window.__STATE__')]/text()", "//*[@id='a']/text()", "//div/*",
    "//div[@id='a']//text()", "//text()", "string(//h1)", "normalize-space(//h1/text())",
    "//a[contains(., 'Next')]/@href", "//a[.='x']/@href", "//div[h2='a']/p/text()", "id('x')",
    "//div[script]/p/text()", "//div/node()", "//*/text()", "//div/descendant::text()",
    "//div/self::script", "//div/following-sibling::*/text()", "//*[text()='a']/b/text()",
    "//a[@id=$x]", "//comment()", "(//p)[1]/text()", "//p[count(//script) > 1]/text()", "",
    "//p[string-length() > 5]/text()", "//style", "//p[1]/following::script/text()", "//@*",
    "//p | //script", ".//..", "//div//..",
]  # fmt: skip


@pytest.mark.parametrize("selector", CSS_STRINGS)
def test_css_of_strings(selector: str) -> None:
    query = read_css(selector, ELEMENTS)
    assert query is not None
    assert query.strings


@pytest.mark.parametrize("selector", CSS_ELEMENTS)
def test_css_of_elements(selector: str) -> None:
    query = read_css(selector, ELEMENTS)
    assert query is not None
    assert not query.strings


@pytest.mark.parametrize("selector", CSS_UNSAFE)
def test_css_that_may_see_scripts(selector: str) -> None:
    assert read_css(selector, ELEMENTS) is None


@pytest.mark.parametrize("path", XPATH_STRINGS)
def test_xpath_of_strings(path: str) -> None:
    query = read_xpath(path, ELEMENTS)
    assert query is not None
    assert query.strings


@pytest.mark.parametrize("path", XPATH_ELEMENTS)
def test_xpath_of_elements(path: str) -> None:
    query = read_xpath(path, ELEMENTS)
    assert query is not None
    assert not query.strings


@pytest.mark.parametrize("path", XPATH_UNSAFE)
def test_xpath_that_may_see_scripts(path: str) -> None:
    assert read_xpath(path, ELEMENTS) is None


def test_words_are_those_that_a_script_may_have() -> None:
    selector = "#state::text, .a > [data-x]::text, div.b::text, .c::attr(id)"
    query = read_css(selector, ELEMENTS)
    assert query is not None
    assert query.words == {"state", "a", "data-x"}


def test_other_elements() -> None:
    assert read_css("title::text", {"title"}) is None
    assert read_xpath("//title/text()", {"title"}) is None
    assert read_css("script::text", {"title"}) is not None


PAGE = """<html><head><title>t</title><base href=/b><script src=x>window.a = 1</script>
<style class=a>p {}</style><meta name=description content=m property=og:title></head>
<body id=main class=quote><script id=state>s = 1</script><h1 class=author id=dic_area>one</h1>
<div class=x id=x><span class=text itemprop=name data-x>two<script class=b>b = 1</script></span>
<div><p>three<style>p {}</style> four</p></div><div class=style><p class=a id=a>five</p></div></div>
<ul><li><a href=1>Next</a><li class=next><a href=2><script>x</script>x</a></ul><article><p>six
<script id=author>c = 1</script></p></article><b>seven</b> eight<table><tr><td>a|b<td>nine<tr><td>
ten<td>eleven</table><script>end = 1</script></body></html>"""


@pytest.mark.parametrize("selector", [*CSS_STRINGS, *CSS_ELEMENTS])
def test_css_finds_the_same_without_scripts(selector: str) -> None:
    query = read_css(selector, ELEMENTS)
    assert query is not None
    assert found("css", selector, PAGE) == found("css", selector, stripped(query.words))


@pytest.mark.parametrize("path", [*XPATH_STRINGS, *XPATH_ELEMENTS])
def test_xpath_finds_the_same_without_scripts(path: str) -> None:
    assert found("xpath", path, PAGE) == found("xpath", path, stripped(frozenset()))


CSS_PARTS = (
    "script style p span div li a * .a .b .author #state #id [class] [id=a] :first-child "
    ":nth-child(2) :not(.a) :has(script) :contains(x) ::text ::attr(id) ::attr(src) > + ~ ,"
).split(" ")
XPATH_PARTS = (
    "/ // ./ .// .. . p span div li a b td * script style text() node() @id @src @class @* self:: "
    "following-sibling:: parent:: descendant:: [1] [last()] [@id] [@class='a'] [text()='x'] "
    "[contains(.,'=')] [contains(text(),'1')] [not(@id)] [.='x'] [p] [script] [position()>1] | "
    "[normalize-space()] [starts-with(@id,'s')] [string-length()>5] string( normalize-space( )"
).split(" ")


@settings(max_examples=400)
@given(st.lists(st.sampled_from([*CSS_PARTS, " "]), min_size=1, max_size=7).map("".join))
def test_no_css_that_counts_as_harmless_sees_a_difference(selector: str) -> None:
    query = read_css(selector, ELEMENTS)
    if query is not None:
        assert found("css", selector, PAGE) == found("css", selector, stripped(query.words))


@settings(max_examples=400)
@given(st.lists(st.sampled_from(XPATH_PARTS), min_size=1, max_size=7).map("".join))
def test_no_xpath_that_counts_as_harmless_sees_a_difference(path: str) -> None:
    query = read_xpath(path, ELEMENTS)
    if query is not None:
        assert found("xpath", path, PAGE) == found("xpath", path, stripped(query.words))


def stripped(words: frozenset[str]) -> str:
    result = strip_elements(PAGE.encode(), keep_words=words).decode()
    assert "end = 1" not in result
    return result


def found(kind: str, query: str, page: str) -> list[str]:
    """Return the strings that are found, from the top and from below, or the paths of elements."""
    response = HtmlResponse("https://example.com/", body=page.encode())
    starts = [response.selector, *response.css("h1, b, td, #x")]
    results = [result for start in starts for result in getattr(start, kind)(query)]
    return [
        result.root if isinstance(result.root, str) else path_of(result.root) for result in results
    ]


def path_of(element: object) -> str:
    return element.getroottree().getpath(element)  # type: ignore[attr-defined, no-any-return]
