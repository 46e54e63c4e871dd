"""Pages shown with marks: every text is marked, nothing runs, nothing is loaded."""

from __future__ import annotations

import gzip
import pickle
import re
from html import unescape
from pathlib import Path

import pytest
from lxml import html as lxml_html
from markup import HOSTILE

from scrapy_boilerplate import Comparison, Page, compare, explain, extract
from scrapy_boilerplate.core.answer.overlay import POLICY, marked_page

FIXTURES = sorted((Path(__file__).parent / "fixtures" / "gate").rglob("*.html.gz"))
HTML = "<title>T</title><ul><li><a href=/>Home</a></ul><p>One two <b>three</b> four five six."


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: "/".join(path.parts[-3::2]))
def test_every_text_is_marked_once(path: Path) -> None:
    page = Page.parse(gzip.decompress(path.read_bytes()))
    document = lxml_html.fromstring(marked_page(page, lambda text: f' data-t="{text}"'))
    marks = {int(mark.get("data-t")): mark.text_content() for mark in document.iter("b-t")}
    assert list(marks) == list(range(page.text_at.size))
    bounds = zip(page.text_start.tolist(), page.text_stop.tolist(), strict=True)
    for number, (start, stop) in enumerate(bounds):
        assert "".join(marks[number].split()) == "".join(page.buffer[start:stop].split())


def test_nothing_of_a_hostile_page_runs_or_loads() -> None:
    page = Page.parse(HOSTILE)
    written = marked_page(page, lambda text: f' data-t="{text}"')
    for tag in re.findall(r"<[^!/][^>]*>", written):
        name = re.match(r"<([\w-]+)", tag)
        assert name is not None
        assert name[1] not in "script iframe object embed svg math link base form input".split()
        bare = re.sub(r'"[^"]*"', '""', tag)
        assert not re.search(r"\s(?:on\w+|href|src\w*|action|formaction|ping|data|poster)=", bare)
    document = lxml_html.fromstring(written)
    assert not document.xpath("//@*[starts-with(name(), 'on')] | //@href | //@src")
    (policy,) = document.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert policy == POLICY
    assert written.index("Content-Security-Policy") < written.index("<style>")
    assert not document.xpath("//script | //iframe | //base | //meta[@http-equiv='refresh']")
    assert [mark.text.strip() for mark in document.iter("b-t")][:2] == ["Text one", "Text two"]


def test_a_style_sheet_cannot_end_its_element() -> None:
    page = Page.parse("<body><p>Text")
    style = page.root.makeelement("style")
    style.text = "p{}</style><script>run()</script><!--"
    page.root.insert(0, style)
    written = marked_page(Page(page.root), lambda text: "")
    assert written.count("</style>") == written.count("<style>") == 2
    assert not lxml_html.fromstring(written).xpath("//script")


# -- as a notebook shows it ----------------------------------------------------------------------


def test_reprs_are_short() -> None:
    html = HTML + "<p>More text, and more of it, for all who read it." * 1000
    for shown in (extract(html), explain(html), compare(html), explain(html)[0]):
        assert len(repr(shown)) < 250, repr(shown)
    assert repr(extract(html, extractor="mss")).startswith("<Extraction by mss: article, 11")
    assert repr(explain(HTML, extractor="mss")) == "<Explanations of 3 blocks, 1 of them kept>"
    assert "mean agreement from 1.00" in repr(compare(HTML, ["mss"]))


def test_a_notebook_shows_the_page_in_a_frame_where_nothing_runs() -> None:
    short = compare(HTML, ["bte", "auto"])
    assert 'title="bte, auto">three' in unescape(short._repr_html_())
    for shown in (extract(HTML), explain(HTML), compare(HTML), extract(HOSTILE)):
        made = shown._repr_html_()
        assert '<iframe sandbox="" srcdoc="' in made
        match = re.search(r'srcdoc="([^"]*)"', made)
        assert match is not None
        document = lxml_html.fromstring(unescape(match[1]))
        assert not document.xpath("//script")
        marks = {mark.text.strip(): mark.get("class") for mark in document.iter("b-t")}
        if not isinstance(shown, Comparison) and "Home" in marks:
            assert marks["Home"].startswith("left")
            assert marks["three"].startswith("kept")
    assert "probability" in explain(HTML)._repr_html_()


def test_without_its_page_an_answer_shows_its_text() -> None:
    again = pickle.loads(pickle.dumps(extract(HTML)))
    assert again._repr_html_() == "<pre>One two three four five six.</pre>"
    assert pickle.loads(pickle.dumps(explain(HTML))) == tuple(explain(HTML))
