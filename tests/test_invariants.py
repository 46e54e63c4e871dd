"""What must never happen, whatever comes in: the invariants of a single page as properties."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st
from lxml import etree
from lxml import html as lxml_html
from markup import documents, methods, tree_pages
from parsel import Selector
from scrapy.http import HtmlResponse

from scrapy_boilerplate import Page, explain, extract, extractor_names
from scrapy_boilerplate.core.answer.extraction import OUTPUTS
from scrapy_boilerplate.tools.testing.promises import check_page
from scrapy_boilerplate.tools.testing.timing import PATIENCE

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "example_project/sites").rglob("*.html"))


anything = st.one_of(
    documents,
    tree_pages(),
    st.binary(max_size=60),
    st.text(max_size=40),
    st.text(st.sampled_from("<>/!-&;='\" \nabpdiv{[]}1é日\0\x01\ud800\udc00\ufeff"), max_size=80),
    st.text(st.characters(min_codepoint=0xD800, max_codepoint=0xDFFF), max_size=4).map(
        "<p>{}".format
    ),
)
any_bytes = st.one_of(
    st.binary(max_size=60),
    st.binary(max_size=30).map(b"<p>".__add__),
    st.builds(
        lambda text, codec: text.encode(codec, "ignore"),
        documents,
        st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252", "shift_jis", "utf-7"]),
    ),
)
encodings = st.none() | st.sampled_from(
    [
        *("utf-8", "latin-1", "utf-16", "shift_jis", "rot13", "idna", "none", "", "\ud800"),
        *("\n", "a" * 99),
    ]
)


FEWER = settings(max_examples=40)  # each example runs every method


# -- 1. Nothing raises -------------------------------------------------------------------------


@FEWER
@given(anything)
@example("\ud800")
@example("<p>a\x00b&#0;&#1;\x01\ud800&#xd800;</p>\udfff")
@example("<p>" + "\x1c\x1d\x85\u2028" + "</p>")
@example("</html>")
@example("<html></html></html>x")
def test_every_method_keeps_its_promises(html: str | bytes) -> None:
    """Kept and removed are the tree's visible text, less what shows nothing."""
    page = Page.parse(html)
    for method in methods():
        assert check_page(method, page) == method.extract(Page.parse(html))


@given(any_bytes, encodings)
@example(b'<meta charset="idna"><p>\xff', None)
@example(b"\xff\xfe\x00\xd8<\x00p\x00>\x00", None)
@example(b"\xff\xfe\x00\x00", "utf-16")
@example(b"", "")
def test_no_bytes_raise(html: bytes, encoding: str | None) -> None:
    answer = extract(html, encoding=encoding)
    for form in (bytearray(html), memoryview(html)):
        assert extract(form, encoding=encoding) == answer
    explain(html, encoding=encoding)


def test_a_tree_without_elements_is_empty() -> None:
    for root in (etree.Comment("a"), etree.ProcessingInstruction("a", "b"), etree.Entity("amp")):
        for name in extractor_names():
            answer = extract(root, extractor=name)
            assert [make(answer) for make in OUTPUTS.values()]
            assert not answer.text
            assert not "".join(each.text for each in answer.explain())


@FEWER
@given(documents)
def test_no_tree_raises(html: str) -> None:
    page = Page.parse(html)
    for node in page.root.iter():
        extract(node)
    extract(page.root.getroottree())


# -- 2. The tree stays as it is ----------------------------------------------------------------


@FEWER
@given(documents)
def test_the_tree_of_a_response_stays_as_it_is(html: str) -> None:
    response = HtmlResponse("http://example.com/", body=html.encode("utf-8", "replace"))
    selector = response.selector
    before = etree.tostring(selector.root.getroottree())
    links = selector.css("a").getall()
    page = Page.from_selector(selector, source=response.text)
    for method in methods():
        answer = method.extract(page)
        assert [make(answer) for make in OUTPUTS.values()]
        method.explain(page)
    for form in (response, selector, selector.root, response.css("p")):
        extract(form)
    assert etree.tostring(selector.root.getroottree()) == before
    assert selector.css("a").getall() == links
    assert response.selector is selector


# -- 3. Nothing recurses -----------------------------------------------------------------------


# -- 4. Same input, same output ----------------------------------------------------------------

PAGES = [
    "<p>a<b class='x y' id=z>b</b><o:p>c</o:p>",
    "<div><x1>a</x1><x2>b</x2><x3>c</x3></div>" * 5,
    "<html><body><p>one</p></body></html><p>two",
    "<div>" * 3000 + "deep",
    b"\xff\xfe<\x00p\x00>\x00a\x00",
    "Grüße <p>aus Köln".encode("cp1252"),
]
PROGRAM = """
import sys, json, random
from pathlib import Path
from scrapy_boilerplate import Page, extractor_names, get_extractor
sys.path.insert(0, sys.argv[1])
from test_invariants import PAGES, answers_of
pages = [*PAGES, *(Path(path).read_bytes() for path in sys.argv[3:])]
order = list(range(len(pages)))
random.Random(sys.argv[2]).shuffle(order)
answers = {number: answers_of(pages[number]) for number in order}
print(json.dumps([answers[number] for number in range(len(pages))]))
"""


def answers_of(html: str | bytes) -> list[str]:
    page = Page.parse(html)
    return [repr((method.extract(page), method.explain(page))) for method in methods()]


def test_same_in_every_process_and_order() -> None:
    paths = [str(path) for path in EXAMPLES[::16]]
    pages = [*PAGES, *(Path(path).read_bytes() for path in paths)]
    expected = [answers_of(page) for page in pages]
    for seed, threads in (("0", "1"), ("1", "4")):
        environment = {
            **os.environ,
            "PYTHONHASHSEED": seed,
            "PYTHONPATH": str(ROOT),
            # BLAS shares the rows of a large product among threads, and may round by how.
            **dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), threads),
        }
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(ROOT / "tests"), seed, *paths],
            capture_output=True,
            text=True,
            env=environment,
            cwd=ROOT,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stderr
        for page, (there, here) in enumerate(zip(json.loads(done.stdout), expected, strict=True)):
            for method, answer, wanted in zip(methods(), there, here, strict=True):
                assert answer == wanted, f"page {page}, {method!r}, hash seed {seed}"


@given(documents)
def test_the_same_page_by_any_way_in(html: str) -> None:
    clean = html.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    answer = extract(html)
    assert extract(clean) == answer
    selector = Selector(text=clean, type="html")
    page = Page.from_selector(selector, source=clean)
    assert extract(page) == answer
    if page.is_html and not page.reparsed:
        assert extract(selector) == extract(selector.root) == answer


@given(documents)
def test_a_shared_parser_does_not_matter(html: str) -> None:
    parser = etree.HTMLParser(huge_tree=True)
    try:
        root = lxml_html.document_fromstring(html.encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, AssertionError):  # nothing in it
        return
    before = extract(root)
    lxml_html.document_fromstring("<div>" * 3000, parser=parser)
    assert extract(root) == before
