"""The compiled walk and the one in Python give the same arrays."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from parsel import Selector

from scrapy_boilerplate.core.page import native as native_parts
from scrapy_boilerplate.core.page import walk as walking
from scrapy_boilerplate.tools.testing.timing import PATIENCE

native = walking.native_walk()
needs_native = pytest.mark.skipif(native is None, reason="the compiled walk was not built here")

FRAGMENTS = [
    *("<p>", "</p>", "<div class='a b'>", "<div class=''>", "</div>", "<br>", "<b id=x>", "</b>"),
    *("text", " ", "\u00a0", "\u3000\u2003", "é", "日本", "😀", "&amp;", "&nbsp;", "&#1;", "\n"),
    *("<!-- c -->", "<?pi x?>", "<script>", "</script>", "<svg><title>s</title>", "</svg>"),
    *("<title>t</title>", "<head>", "</head>", "<noscript><title>n</title></noscript>"),
    *("<o:p>", "</o:p>", "<my-tag CLASS=c id>", "</my-tag>", "<table><tr><td>", "</table>"),
]


def assert_same(root: etree._Element) -> None:
    assert native is not None
    compiled, python = native(root), walking.walk_in_python(root)
    for name, one, other in zip(python._fields, compiled, python, strict=True):
        if isinstance(other, np.ndarray):
            assert one.dtype == other.dtype, name
            assert one.tolist() == other.tolist(), name
        else:
            assert one == other, name


@needs_native
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join))
def test_same_on_generated_pages(html: str) -> None:
    assert_same(Selector(text=html, type="html").root)


@needs_native
@pytest.mark.parametrize(
    "xml",
    [
        "<a/>",
        "<a>x<![CDATA[<y>]]>z<!-- -->\u00a0<B class='q'>t</B>u</a>",
        "<h:html xmlns:h='http://www.w3.org/1999/xhtml'><h:head><h:title>T</h:title></h:head>"
        "<h:body><h:p h:class='no' class='yes' id='i&amp;j'>x</h:p><h:svg/></h:body></h:html>",
        "<!DOCTYPE a [<!ENTITY e 'text'>]><a id='&e;x'>one &e; two<b/>&e;</a>",
        "<TITLE>root</TITLE>",
        "<script>hidden<title>t</title></script>",
        "<!DOCTYPE a [<!ATTLIST b class CDATA 'given' id CDATA 'x'>]>"
        "<a>t<b>u</b><b class='own'/></a>",
    ],
)
@pytest.mark.parametrize("resolve", [True, False])
def test_same_on_xml(xml: str, resolve: bool) -> None:
    assert_same(etree.fromstring(xml, parser=etree.XMLParser(resolve_entities=resolve)))


@needs_native
def test_same_below_any_element_and_on_trees_built_by_hand() -> None:
    root = etree.Element("div", {"class": "c"})
    for number in range(600):  # more names than the compiled walk caches
        child = etree.SubElement(root, f"x{number}")
        child.text, child.tail = "a", " b "
        child.append(etree.Comment("c"))
        child[0].tail = "after"
    for element in [root, root[3], root[3][0]]:
        assert_same(element)


@needs_native
def test_same_on_deep_trees() -> None:
    root = node = etree.Element("div")
    for _ in range(20_000):
        node = etree.SubElement(node, "div")
    node.text = "deep"
    assert_same(root)


@needs_native
def test_same_on_real_pages() -> None:
    pages = sorted((Path(__file__).parent.parent / "example_project/sites").rglob("*.html"))
    assert len(pages) > 30
    for path in pages:
        assert_same(Selector(text=path.read_text(encoding="utf-8"), type="html").root)


@needs_native
def test_other_arguments_are_refused() -> None:
    assert native is not None
    for wrong in (None, "html", object()):
        with pytest.raises(TypeError):
            native(wrong)


def fake_module(monkeypatch: pytest.MonkeyPatch, **attributes: object) -> None:
    monkeypatch.delenv(native_parts.SWITCH, raising=False)
    monkeypatch.setattr(native_parts, "import_module", lambda name: SimpleNamespace(**attributes))


def test_falls_back_when_built_for_another_lxml(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    fake_module(monkeypatch, COMPILED_AGAINST="1.0", walk=walking.walk_in_python)
    assert walking.native_walk() is None
    assert "built for lxml 1.0" in caplog.text


def test_falls_back_when_the_compiled_walk_reads_wrongly(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def wrong(root: etree._Element) -> walking.Walk:
        return walking.walk_in_python(root)._replace(title="")

    fake_module(monkeypatch, COMPILED_AGAINST=etree.__version__, walk=wrong)
    assert walking.native_walk() is None
    assert "Reinstall" in caplog.text


def test_falls_back_when_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(native_parts, "import_module", missing)
    assert walking.native_walk() is None


def test_the_switch_takes_the_python_walk() -> None:
    code = (
        "from scrapy_boilerplate import extract; from scrapy_boilerplate.core.page import walk;"
        "assert walk.walk is walk.walk_in_python;"
        "assert extract('<p>One two three four.').text == 'One two three four.'"
    )
    subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        timeout=PATIENCE,
        env={native_parts.SWITCH: "1", "PATH": ""},
    )
