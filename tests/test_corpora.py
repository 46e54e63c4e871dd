"""TEI and prevertical text, and their feed exporters: well-formed for any page, with its text."""

from __future__ import annotations

import pickle
from importlib.util import find_spec
from pathlib import Path

import pytest
import scrapy
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from markup import documents
from scraping import exported
from scrapy.settings import Settings
from scrapy.utils.misc import load_object

from scrapy_boilerplate import Addon, extract
from scrapy_boilerplate.core.answer.output import TextBlock, prevertical
from scrapy_boilerplate.core.answer.output.tei import TEI_NAMESPACE
from scrapy_boilerplate.plugin.exporters import PreverticalItemExporter, TEIItemExporter

# -- TEI ---------------------------------------------------------------------------------------

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
def test_tei_of_any_page_is_well_formed_and_has_the_text(html: str) -> None:
    answer = extract(html, url="https://example.com/", **KEEP)
    body = etree.fromstring(answer.tei).find(q("text/body"))
    words = "".join("".join(body.itertext()).split())
    assert words == "".join(answer.text.split())


@pytest.mark.skipif(find_spec("trafilatura") is None, reason="it brings TEI's grammar for corpora")
@pytest.mark.parametrize("path", [None, *EXAMPLES[::12]], ids=lambda path: path and path.stem)
def test_it_is_valid(path: Path | None) -> None:
    folder = Path(str(find_spec("trafilatura").origin)).parent
    grammar = etree.DTD(str(folder / "data" / "tei_corpus.dtd"))
    answer = extract(PAGE if path is None else path.read_bytes(), url="https://example.com/a")
    root = etree.fromstring(answer.tei)
    for name, instead in (("table", "p"), ("figure", "p"), ("formula", "seg")):  # it has none
        for node in list(root.iter(q(name))):
            tail, other = node.tail, etree.Element(q(instead))
            node.getparent().replace(node, other)
            other.tail = tail
    assert grammar.validate(root), grammar.error_log.filter_from_errors()


def test_the_exporter_of_tei() -> None:
    whole = extract(PAGE, url="https://example.com/piers", **KEEP).tei
    item = {"url": "https://example.com/?a&b", "title": "é & co", "text": "One.\n\nTwo\nlines."}
    corpus = etree.fromstring(exported(TEIItemExporter, {"tei": whole}, item).encode())
    found = corpus.findall(q("TEI"))
    assert len(found) == 2
    assert found[1].find(f".//{q('titleStmt/title')}").text == "é & co"
    assert [p.text for p in found[1].iterfind(f".//{q('body/p')}")] == ["One.", "Two"]
    assert etree.fromstring(exported(TEIItemExporter, item, encoding="ascii").encode()) is not None


def test_it_outlives_its_page() -> None:
    answer = extract(PAGE, url="https://example.com/piers", **KEEP)
    assert pickle.loads(pickle.dumps(answer)).tei == answer.tei


# -- prevertical text ----------------------------------------------------------------------------

GAPS = (
    "<title>On piers | Example</title><h1>On piers</h1><p>Piers &amp; boats are made of wood.</p>"
    "<div><a href=/a>Read</a> <a href=/b>on</a></div><p>The wood comes from the hills nearby.</p>"
)


def test_headings_paragraphs_and_gaps() -> None:
    answer = extract(GAPS, url="https://example.com/piers", **KEEP)
    root = etree.fromstring(answer.prevertical)
    assert dict(root.attrib) == {"title": "On piers", "url": "https://example.com/piers"}
    assert [(p.get("heading"), p.text.strip()) for p in root.iterfind("p")][:2] == [
        ("1", "On piers"),
        ("0", "Piers & boats are made of wood."),
    ]
    tuned = extract(GAPS * 2, extractor="auto").prevertical
    assert tuned.count("<gap/>") >= 1


@given(documents)
def test_prevertical_of_any_page(html: str) -> None:
    answer = extract(html, url="https://example.com/", **KEEP)
    root = etree.fromstring(answer.prevertical)
    words = " ".join(root.itertext()).split()
    assert words == answer.text.split()


@given(st.lists(st.text(max_size=9), max_size=3), st.text(max_size=9))
def test_everything_is_escaped(texts: list[str], title: str) -> None:
    written = prevertical(map(TextBlock, texts), {"title": title, "url": ""})
    assert written.startswith("<doc")
    assert written.endswith("</doc>\n")
    assert written.count("<") == 2 + 2 * len(texts)


def test_the_exporter_of_prevertical() -> None:
    item = {"url": "https://example.com/?a&b", "text": "One.\n\nTwo\nlines.", "n": 3, "x": [1]}
    assert exported(
        PreverticalItemExporter, item, {"prevertical": "<doc>\n</doc>\n", "text": "x"}
    ) == (
        '<doc url="https://example.com/?a&amp;b" n="3">\n<p heading="0">\nOne.\n</p>\n'
        '<p heading="0">\nTwo\nlines.\n</p>\n</doc>\n<doc>\n</doc>\n'
    )
    chosen = exported(
        PreverticalItemExporter, item, fields_to_export={"url": "address", "text": "text"}
    )
    assert chosen.startswith('<doc address="https://example.com/?a&amp;b">\n')
    assert "&#233;" in exported(PreverticalItemExporter, {"text": "é"}, encoding="ascii")


@pytest.mark.parametrize("priority", ["project", "cmdline"])
def test_the_add_on_names_it(priority: str) -> None:
    settings = Settings()
    settings.set("FEED_EXPORTERS", {"mine": "a.b"}, priority=priority)
    Addon().update_settings(settings)
    named = settings.getdict("FEED_EXPORTERS")
    assert load_object(named["prevertical"]) is PreverticalItemExporter
    assert named["mine"] == "a.b"
    theirs = Settings({"FEED_EXPORTERS": {"prevertical": "a.b"}})
    Addon().update_settings(theirs)
    assert theirs.getdict("FEED_EXPORTERS")["prevertical"] == "a.b"


def test_items_of_a_class() -> None:
    class Article(scrapy.Item):
        url = scrapy.Field()
        text = scrapy.Field()

    assert exported(PreverticalItemExporter, Article(url="u", text="One.")) == (
        '<doc url="u">\n<p heading="0">\nOne.\n</p>\n</doc>\n'
    )


def test_exporters_know_fields_by_their_outputs() -> None:
    outputs = {"body": "text", "date": "date_published", "by": "authors", "headline": "title"}
    item = {"body": "One.\n\nTwo.", "date": "2025-05-04", "by": ["Ada"], "headline": "On piers"}
    written = exported(TEIItemExporter, item, outputs=outputs)
    for part in ("<title>On piers</title><author>Ada</author>", 'when="2025-05-04"', "<p>Two.</p>"):
        assert part in written
    assert "\nTwo.\n</p>" in exported(PreverticalItemExporter, item, outputs=outputs)
