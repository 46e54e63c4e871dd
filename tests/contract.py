"""What every extractor promises, as one test class: subclass it with a line, run it with pytest.

class TestMine(ExtractorContract):
    extractor = "mine"
"""

from __future__ import annotations

import dataclasses
import inspect
import pickle
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, ClassVar, get_args

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from lxml import etree
from timing import assert_linear

from scrapy_boilerplate import Extraction, Extractor, Page, extract, get_extractor
from scrapy_boilerplate.extraction import Kind, Role
from scrapy_boilerplate.page.characters import readable

INVISIBLE = frozenset(
    "script style noscript template head title iframe noframes noembed svg audio video canvas "
    "datalist".split()
)

ARTICLE = """<!DOCTYPE html><html lang="en"><head><title>Rain</title><style>p {}</style></head>
<body><nav><ul><li><a href="/">Home</a><li><a href="/n">News</a> | <li><a href="/x">X</a></ul></nav>
<div class="wrap"><div id="content"><h1>Rain in the <em>whole</em> town</h1><script>var a;</script>
<p>It rained all day in the town, and <a href="/n">nobody who lived there</a> went out to look at
it, since they had seen it all the week before.<br>It would rain again tomorrow.<!-- ad --></p>
<p>The river rose by 1.5 metres; the bridge, which is old, was closed.</p><pre>a  b
  c</pre><table><tr><td>Monday<td>12 mm<tr><td>Tuesday<td>31 mm</table></div>
<aside><div class="card"><a href="/1">One</a><p>A short teaser of it.</p></div>
<div class="card"><a href="/2">Two</a><p>Another teaser.</p></div>
<div class="card"><a href="/3">Three</a><p>The last teaser.</p></div></aside></div>
<footer>© 2026 <a href="/imprint">Imprint</a></footer></body></html>"""

CRAFTED: dict[str, str | bytes] = {
    "article": ARTICLE,
    "empty": "",
    "white space": " \n\t ",
    "empty elements": "<html><body><div><p></p><br><img></div></body></html>",
    "tags only": "<div>" * 50,
    "one text node": "<p>word",
    "bare text in body": "<body>Just a few words here.</body>",
    "symbols only": "<p>!?…</p><div>—</div>",
    "plain text": "No markup at all, only words. " * 20,
    "json": '{"text": "<p>not a page</p>"}',
    "image": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR<p>text</p>",
    "frameset": "<frameset><frame src='a'><noframes>no</noframes></frameset>",
    "text after the end": "<html><body><p>One.</p></body></html><p>Two.</p> three",
    "two documents": "<html><body><p>One.</p></body></html><html><body><p>Two.</p></body></html>",
    "no spaces": "<p>今日は雨が降りました。明日も降るでしょう。</p><ul><li><a>ホーム</a></ul>",
    "thai": "<div><p>สวัสดีชาวโลก วันนี้ฝนตกหนักมาก</p><a>หน้าแรก</a></div>",
    "right to left": "<p dir=rtl>هل هطل المطر؟ نعم، هطل المطر طوال اليوم.</p>",
    "marks and emoji": "<p>e\u0301te\u0301 👩‍👩‍👧 नमस्ते दुनिया।</p>",
    "controls": "<p>a\x00b\x01c&#1;\x0bd\ud800 e\u200b f\ufeff</p>",
    "cdata and names": "<svg:rect>t</svg:rect><![CDATA[x]]><?php 1 ?><o:p>y</o:p><a-b>z</a-b> q",
    "unclosed": "<p>one<p>two<b>bold<i>both</b>italic<li>item<td>cell<a href=x>link<a href=y>more",
    "links only": "<div><ul>" + "<li><a href=x>Entry of the menu</a>" * 30 + "</ul></div>",
    "link around all": "<a href=x><div><p>One two three.</p><p>Four five.</p></div></a>",
    "mixed content": "<div>one <b>two</b> three <p>four</p> five <a>six</a> seven</div>",
    "a comment between": "<p>one<!-- -->two</p><p>.<!-- -->!</p>",
    "comments only": "<!-- one --><p><!-- two --></p>",
    "hidden": "<details><summary>S</summary>D</details><dialog>A</dialog><p hidden>H</p>",
    "broken attributes": "<p " + "a=1 " * 3000 + ">text</p><td colspan=9007199254740991>c</td>",
    "deep": "<div>" * 5000 + "deep" + "</div>" * 5000 + "<p>after</p>",
    "siblings": "<p>a b c" * 3000,
    "line breaks": "<br>" * 3000 + "text<br>" * 100,
    "utf-16": "<p>Ein paar Wörter</p>".encode("utf-16"),
    "wrong charset": "<meta charset=ascii><p>Žluťoučký kůň</p>".encode("cp1250"),
}


def tree_pages() -> st.SearchStrategy[str]:
    """Pages of nested elements with text, links, comments and scripts, mostly well-formed."""
    words = st.sampled_from(
        [
            *("word", "Two words.", "A longer sentence, with commas, of eleven or more words. "),
            *(" | ", "…", " ", "\n", "日本語", "שלום", "&nbsp;", "&lt;", "1,5", "<!--c-->", "<br>"),
        ]
    )
    leaf = words | st.sampled_from(["<script>x()</script>", "<img>", "<a href=x>link</a>", "<hr>"])
    names = st.sampled_from(
        "div div p p a span b ul li table tr td h2 section article form pre o:p".split()
    )

    def element(children: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        def build(name: str, parts: list[str], repeat: int, closed: bool) -> str:
            return f"<{name}>{''.join(parts)}{f'</{name}>' if closed else ''}" * repeat

        content = st.lists(children, max_size=5)
        repeat = st.sampled_from([1, 1, 1, 2, 4])
        return st.builds(build, names, content, repeat, st.sampled_from([True, True, True, False]))

    inside = st.lists(st.recursive(leaf, element, max_leaves=25), max_size=6).map("".join)
    return inside | inside.map("<html><body>{}</body></html>".format)


def any_pages() -> st.SearchStrategy[str | bytes]:
    """Pages, text full of markup characters, and plain noise."""
    soup = st.text(st.sampled_from("<>/!-&;='\" \nabpdiv{}[]1é日\0\ud800"), max_size=80)
    return tree_pages() | soup | st.text(max_size=40) | st.binary(max_size=60)


def squeeze(text: str) -> str:
    """Return *text* without white space, and joiners: these depend on what stands beside them."""
    return "".join(text.translate({0x200C: None, 0x200D: None}).split())


def visible_text(node: Any) -> str:
    """Return what a page's text has of an element or text node, squeezed."""
    if isinstance(node, str):
        return squeeze(readable(str(node)))
    pieces: list[str] = []
    stack: list[Any] = [node]
    while stack:
        top = stack.pop()
        if isinstance(top, str):
            pieces.append(top)
            continue
        if top is not node:
            stack.append(top.tail or "")
        if isinstance(top.tag, str) and top.tag.rpartition("}")[2].lower() not in INVISIBLE:
            stack.extend(reversed(top))
            stack.append(top.text or "")
    return squeeze(readable("".join(pieces)))


def node_at(page: Page, xpath: str) -> Any:
    """Return the one node that *xpath* leads to in the page's tree."""
    (node,) = page.root.xpath(xpath)
    return node


def text_reader(page: Page) -> Callable[[str], str]:
    """Return a function from XPaths to what is shown of their nodes, which remembers."""
    return cache(lambda xpath: visible_text(node_at(page, xpath)))


def ancestors(node: Any) -> Iterator[Any]:
    """Yield the elements that hold an element or text node, the nearest first."""
    if not isinstance(node, str):
        yield from node.iterancestors()
        return
    parent = node.getparent()
    if node.is_tail:
        parent = parent.getparent()
    yield parent
    yield from parent.iterancestors()


def check(method: Extractor, page: Page) -> Extraction:
    """Assert all that a method promises for one page; return its answer."""
    before = etree.tostring(page.root)
    answer = method.extract(page)
    assert answer == method.extract(page), "the same page gives the same answer"
    text_at = text_reader(page)
    check_answer(method, page, answer)
    check_segments(page, answer, text_at)
    check_explanation(method, page, answer, text_at)
    if method.partitions:
        check_partition(page, answer)
    assert etree.tostring(page.root) == before, "the tree stays as it is"
    return answer


def check_answer(method: Extractor, page: Page, answer: Extraction) -> None:
    assert answer.extractor == method.name
    assert answer.kind in get_args(Kind)
    assert answer.truncated == page.truncated
    assert answer.garbled == page.garbled
    assert answer.confidence is None or 0 <= answer.confidence <= 1
    assert (answer.kind == "not_html") == (not page.is_html)
    assert bool(answer.main) == bool(answer.text)
    if not page.text_at.size:
        assert answer.kind in ("empty", "not_html")
        assert answer.segments == ()
    spans = [segment.span for segment in answer.main]
    assert page.join(spans, [segment.text for segment in answer.main]) == answer.text
    assert squeeze("".join(segment.text for segment in answer.main)) == squeeze(answer.text)


def check_segments(page: Page, answer: Extraction, text_at: Callable[[str], str]) -> None:
    stop = 0
    for segment in answer.segments:
        assert stop <= segment.span[0] < segment.span[1], "segments are disjoint and ascending"
        stop = segment.span[1]
        assert segment.text == page.lay_out(*segment.span)
        assert segment.role in get_args(Role)
        assert np.isfinite(segment.score)
        text = squeeze(segment.text)
        assert text
        assert text in text_at(segment.xpath), "a segment stands in its node"
    assert stop <= page.text_at.size
    kept = set(answer.main)
    assert answer.main == tuple(segment for segment in answer.segments if segment in kept)


def check_partition(page: Page, answer: Extraction) -> None:
    """Every text node lies under exactly one coherent node, and none holds another."""
    spans = [segment.span for segment in answer.segments]
    covered = [number for start, stop in spans for number in range(start, stop)]
    assert covered == list(range(page.text_at.size))
    nodes = [node_at(page, segment.xpath) for segment in answer.segments]
    elements = {node for node in nodes if not isinstance(node, str)}
    for node in nodes:
        assert not elements.intersection(ancestors(node))
    assert len({segment.xpath for segment in answer.segments}) == len(nodes)
    assert "".join(map(visible_text, nodes)) == visible_text(page.root)


def check_explanation(
    method: Extractor, page: Page, answer: Extraction, text_at: Callable[[str], str]
) -> None:
    explanation = method.explain(page)
    everything = squeeze("".join(part.text for part in explanation))
    assert everything == visible_text(page.root), "kept and removed are all text, in order"
    kept = [part for part in explanation if part.kept]
    assert squeeze("".join(part.text for part in kept)) == squeeze(answer.text)
    assert [part.xpath for part in kept] == [segment.xpath for segment in answer.main]
    assert [part.score for part in kept] == [segment.score for segment in answer.main]
    for part in explanation:
        assert part.reason.strip()
        assert squeeze(part.text) in text_at(part.xpath)


def many(part: str) -> Callable[[int], str]:
    """Return a maker of pages that repeat *part*."""
    return lambda times: f"<html><body><div>{part * times}</div></body></html>"


GROWING: dict[str, Callable[[int], str]] = {
    "paragraphs": many("<p>It rained all day in the town, and nobody went out to look.</p>"),
    "short paragraphs": many("<p>a b"),
    "links": many("<li><a href=x>Home page</a> of it</li>"),
    "cards": many("<div><h3><a href=x>Head</a></h3><p>A few more words than it.</p></div>"),
    "line breaks": many("text<br>"),
    "tables": many("<tr><td>a<td>b"),
    "nested": lambda times: ("<div>" * 100 + "word" + "</div>" * 100) * (times // 50),
}

RUNS = settings(
    max_examples=25,
    deadline=None,
    # The same tests run for each subclass, on an extractor that is made once a class.
    suppress_health_check=[HealthCheck.differing_executors, HealthCheck.too_slow],
)


class ExtractorContract:
    """The whole contract; a subclass says which extractor, with which options."""

    extractor: ClassVar[str]
    """Registered name."""

    options: ClassVar[dict[str, Any]] = {}
    """Options to run with."""

    @pytest.fixture(scope="class")
    @classmethod
    def method(cls) -> Extractor:
        """The extractor that is tested."""
        try:
            return get_extractor(cls.extractor, **cls.options)
        except ImportError as error:  # a method may need an extra
            pytest.skip(str(error))

    @pytest.mark.parametrize("name", CRAFTED)
    def test_crafted_pages(self, method: Extractor, name: str) -> None:
        check(method, Page.parse(CRAFTED[name]))

    @RUNS
    @given(tree_pages())
    def test_generated_pages(self, method: Extractor, html: str) -> None:
        check(method, Page.parse(html))

    @RUNS
    @given(any_pages())
    @example("<p>\ud800</p>")
    def test_any_input(self, method: Extractor, html: str | bytes) -> None:
        answer = check(method, Page.parse(html))
        assert extract(html, extractor=method) == answer, "a second parse gives the same answer"

    @RUNS
    @given(tree_pages(), st.randoms(use_true_random=False))
    def test_view_of_a_page(self, method: Extractor, html: str, random: Any) -> None:
        page = Page.parse(html)
        keep = np.array([random.random() < 0.7 for _ in range(page.text_at.size)], dtype=bool)
        view = page.restricted(keep)
        answer = method.extract(view)
        shown = squeeze("".join(part.text for part in method.explain(view)))
        assert shown == squeeze(view.buffer)
        assert squeeze("".join(s.text for s in answer.main)) == squeeze(answer.text)

    def test_article_is_found(self, method: Extractor) -> None:
        sentence = "It rained all day in the town and nobody who lived there went out to see. "
        body = "".join(f"<p>{sentence * 4}</p>" for _ in range(8))
        menu = "<ul>" + "<li><a href=x>Section</a></li>" * 12 + "</ul>"
        page = f"<body>{menu}<div><h1>Rain</h1>{body}</div>{menu}</body>"
        assert sentence.strip() in extract(page, extractor=method).text

    def test_deep_trees(self, method: Extractor) -> None:
        root = top = etree.Element("html")
        for number in range(5000):
            top = etree.SubElement(top, "div")
            top.text = None if number % 100 else "word "
        page = Page(root)
        assert squeeze("".join(part.text for part in method.explain(page))) == "word" * 50
        method.extract(page)

    @pytest.mark.parametrize("name", GROWING)
    def test_linear(self, method: Extractor, name: str) -> None:
        assert_linear(lambda times: Page.parse(GROWING[name](times)), method.extract, 500)

    def test_without_pickle(self, method: Extractor, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: Any, **__: Any) -> Any:
            raise AssertionError("an extractor reads no pickle")

        for name in ("load", "loads", "Unpickler"):
            monkeypatch.setattr(pickle, name, refuse)
        check(method, Page.parse(ARTICLE))

    def test_is_a_frozen_value(self, method: Extractor) -> None:
        assert dataclasses.is_dataclass(method)
        assert "__slots__" in vars(type(method))
        names = [field.name for field in dataclasses.fields(method)]
        for name in [*names, "another"]:
            with pytest.raises((dataclasses.FrozenInstanceError, AttributeError, TypeError)):
                setattr(method, name, 1)
        same = dataclasses.replace(method)
        assert same == method
        assert hash(same) == hash(method)

    def test_repr_tells_the_options(self, method: Extractor) -> None:
        assert dataclasses.is_dataclass(method)
        shown = [field.name for field in dataclasses.fields(method) if field.repr]
        assert repr(method).startswith(f"{type(method).__name__}(")
        assert all(f"{name}=" in repr(method) for name in shown)

    def test_every_option_has_a_default(self, method: Extractor) -> None:
        parameters = inspect.signature(type(method)).parameters.values()
        assert all(parameter.default is not parameter.empty for parameter in parameters)

    def test_unknown_option(self, method: Extractor) -> None:
        assert dataclasses.is_dataclass(method)
        with pytest.raises(ValueError, match="no_such_option") as error:
            get_extractor(method.name, no_such_option=1)
        for field in dataclasses.fields(method):
            assert field.name in str(error.value)

    def test_is_documented(self, method: Extractor) -> None:
        assert len(type(method).__doc__ or "") > 100
        assert ">>>" in (type(method).__doc__ or "")
