"""Prevertical text, and its feed exporter."""

from __future__ import annotations

import io
from typing import Any

import pytest
import scrapy
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from markup import documents
from scrapy.settings import Settings
from scrapy.utils.misc import load_object

from scrapy_boilerplate import Addon, extract
from scrapy_boilerplate.core.answer.output import TextBlock, prevertical
from scrapy_boilerplate.plugin.exporters import PreverticalItemExporter

PAGE = (
    "<title>On piers | Example</title><h1>On piers</h1><p>Piers &amp; boats are made of wood.</p>"
    "<div><a href=/a>Read</a> <a href=/b>on</a></div><p>The wood comes from the hills nearby.</p>"
)


def exported(*items: Any, **options: Any) -> str:
    file = io.BytesIO()
    exporter = PreverticalItemExporter(file, **options)
    exporter.start_exporting()
    for item in items:
        exporter.export_item(item)
    exporter.finish_exporting()
    return file.getvalue().decode(options.get("encoding", "utf-8"))


def test_headings_paragraphs_and_gaps() -> None:
    answer = extract(PAGE, url="https://example.com/piers", extractor="mss", tag_score=0.0)
    root = etree.fromstring(answer.prevertical)
    assert dict(root.attrib) == {"title": "On piers", "url": "https://example.com/piers"}
    assert [(p.get("heading"), p.text.strip()) for p in root.iterfind("p")][:2] == [
        ("1", "On piers"),
        ("0", "Piers & boats are made of wood."),
    ]
    tuned = extract(PAGE * 2, extractor="auto").prevertical
    assert tuned.count("<gap/>") >= 1


@given(documents)
def test_any_page(html: str) -> None:
    answer = extract(html, url="https://example.com/", extractor="mss", tag_score=0.0)
    root = etree.fromstring(answer.prevertical)
    words = " ".join(root.itertext()).split()
    assert words == answer.text.split()


@given(st.lists(st.text(max_size=9), max_size=3), st.text(max_size=9))
def test_everything_is_escaped(texts: list[str], title: str) -> None:
    written = prevertical(map(TextBlock, texts), {"title": title, "url": ""})
    assert written.startswith("<doc")
    assert written.endswith("</doc>\n")
    assert written.count("<") == 2 + 2 * len(texts)


def test_the_exporter() -> None:
    item = {"url": "https://example.com/?a&b", "text": "One.\n\nTwo\nlines.", "n": 3, "x": [1]}
    assert exported(item, {"prevertical": "<doc>\n</doc>\n", "text": "x"}) == (
        '<doc url="https://example.com/?a&amp;b" n="3">\n<p heading="0">\nOne.\n</p>\n'
        '<p heading="0">\nTwo\nlines.\n</p>\n</doc>\n<doc>\n</doc>\n'
    )
    chosen = exported(item, fields_to_export={"url": "address", "text": "text"})
    assert chosen.startswith('<doc address="https://example.com/?a&amp;b">\n')
    assert "&#233;" in exported({"text": "é"}, encoding="ascii")


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

    assert exported(Article(url="u", text="One.")) == (
        '<doc url="u">\n<p heading="0">\nOne.\n</p>\n</doc>\n'
    )
