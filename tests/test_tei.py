"""TEI: well-formed for any page, valid by the TEI's own grammar, with the text of the answer."""

from __future__ import annotations

import io
import pickle
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from lxml import etree
from markup import documents

from scrapy_boilerplate import extract
from scrapy_boilerplate.core.answer.output.tei import TEI_NAMESPACE
from scrapy_boilerplate.plugin.exporters import TEIItemExporter

EXAMPLES = sorted((Path(__file__).parent.parent / "example_project/sites").rglob("*.html"))
PAGE = """<html lang=en><title>On piers | Example</title><meta name=author content="Ada Lovelace">
<meta property="article:published_time" content="2025-09-04T10:00:00Z">
<h1>On piers</h1>
<p>Piers &amp; <b>boats</b> are made of <a href="/wood">wood</a> &lt;mostly&gt;.</p>
<ol start=3><li>One of the items<li>Another one of them<ul><li>nested</ul></ol>
<table><caption>Lengths</caption><tr><th>Pier<th>Metres<tr><td>East<td colspan=2>12<br>13</table>
<figure><img src=/a.png alt="A pier"><figcaption><p>The pier in 1874</p></figcaption></figure>
<pre><code class=language-python>if a &lt; b:
    print("&amp;")</code></pre><blockquote><p>It was built in haste.</p></blockquote>
<dl><dt>Pier<dd>A thing to walk on above the water.</dl><hr>
<p>All of it <code>holds</code>, $ and <sub>below</sub>.</p></html>"""
KEEP = {"extractor": "mss", "tag_score": 0.0}


def q(path: str) -> str:
    return "/".join(f"{{{TEI_NAMESPACE}}}{name}" for name in path.split("/"))


def test_structure_and_header() -> None:
    root = etree.fromstring(extract(PAGE, url="https://example.com/piers", **KEEP).tei)
    title = root.find(f".//{q('titleStmt/title')}")
    assert title.text == "On piers"
    assert root.find(f".//{q('titleStmt/author')}").text == "Ada Lovelace"
    assert root.find(f".//{q('bibl/date')}").get("when").startswith("2025-09-04")
    assert root.find(f".//{q('bibl/ptr')}").get("target") == "https://example.com/piers"
    body = root.find(f".//{q('text/body')}")
    assert body.find(q("ab")).get("rend") == "h1"
    assert body.find(f"{q('p/ref')}").get("target") == "https://example.com/wood"
    assert body.find(f".//{q('table/head')}").text == "Lengths"
    assert 'if a < b:\n    print("&")' in [ab.text for ab in body.iter(q("ab"))]


@given(documents)
def test_any_page_is_well_formed_and_has_the_text(html: str) -> None:
    answer = extract(html, url="https://example.com/", **KEEP)
    body = etree.fromstring(answer.tei).find(q("text/body"))
    words = "".join("".join(body.itertext()).split())
    assert words == "".join(answer.text.split())


@pytest.mark.skipif(find_spec("trafilatura") is None, reason="it brings TEI's grammar for corpora")
@pytest.mark.parametrize("path", [None, *EXAMPLES[::12]], ids=lambda path: path and path.stem)
def test_it_is_valid(path: Path | None) -> None:
    folder = Path(str(find_spec("trafilatura").origin)).parent  # type: ignore[union-attr]
    grammar = etree.DTD(str(folder / "data" / "tei_corpus.dtd"))
    answer = extract(PAGE if path is None else path.read_bytes(), url="https://example.com/a")
    root = etree.fromstring(answer.tei)
    for name, instead in (("table", "p"), ("figure", "p"), ("formula", "seg")):  # it has none
        for node in list(root.iter(q(name))):
            tail, other = node.tail, etree.Element(q(instead))
            node.getparent().replace(node, other)
            other.tail = tail
    assert grammar.validate(root), grammar.error_log.filter_from_errors()


def exported(*items: Any, **options: Any) -> str:
    file = io.BytesIO()
    exporter = TEIItemExporter(file, **options)
    exporter.start_exporting()
    for item in items:
        exporter.export_item(item)
    exporter.finish_exporting()
    return file.getvalue().decode(options.get("encoding", "utf-8"))


def test_the_exporter() -> None:
    whole = extract(PAGE, url="https://example.com/piers", **KEEP).tei
    item = {"url": "https://example.com/?a&b", "title": "é & co", "text": "One.\n\nTwo\nlines."}
    corpus = etree.fromstring(exported({"tei": whole}, item).encode())
    found = corpus.findall(q("TEI"))
    assert len(found) == 2
    assert found[1].find(f".//{q('titleStmt/title')}").text == "é & co"
    assert [p.text for p in found[1].iterfind(f".//{q('body/p')}")] == ["One.", "Two"]
    assert etree.fromstring(exported(item, encoding="ascii").encode()) is not None


def test_it_outlives_its_page() -> None:
    answer = extract(PAGE, url="https://example.com/piers", **KEEP)
    assert pickle.loads(pickle.dumps(answer)).tei == answer.tei
