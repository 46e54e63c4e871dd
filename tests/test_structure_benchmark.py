"""How structure is measured: what is wanted of a page, and what counts as kept."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from benchmarks import speed
from benchmarks.data import LabelledPage
from benchmarks.markdown import measure as measure_markdown
from benchmarks.markdown import read_rendered
from benchmarks.methods import our_methods
from benchmarks.structure import FORMATS, OURS, measure, structure_table, survival
from benchmarks.structure_parts import PARTS, parts_of_answer, parts_of_page

URL = "https://example.com/a/b"


def wanted(html: str, gold: str, kind: str) -> list[object]:
    """Return the parts of a page of one kind, in their order."""
    return list(parts_of_page(html, URL, gold)[kind])


@pytest.mark.parametrize(
    ("html", "gold", "kind", "expected"),
    [
        ("<h2>A cat <a>¶</a></h2><h2>Share</h2><p>It sat.", "A cat\n\nIt sat.", "headings",
         [(2, ("a", "cat"))]),
        ("<ol start=3><li>one two<ul><li>three four</ul><li>no</ol>", "one two three four", "items",
         [(("one", "two"), (), 3), (("three", "four"), (("one", "two"),), 0)]),
        ("<ul><li><h3>A card</h3>of words</ul>", "A card of words", "items", []),
        ("<table><tr><th>a b<th>c d<tr><td rowspan=2>e f<td>g h<tr><td>i j</table>",
         "a b c d e f g h i j", "cells",
         [(("a", "b"), 0, ("a", "b")), (("c", "d"), 1, ("a", "b")), (("e", "f"), 0, ("e", "f")),
          (("g", "h"), 1, ("e", "f")), (("i", "j"), 1, ("i", "j"))]),
        ("<table><tr><td><h2>a b</h2><td>c d<tr><td>e<td>f</table>", "a b c d e f", "cells", []),
        ("<p>Run it:<pre>a  = 1\n  b()<br>c()\n</pre>", "Run it: a = 1 b() c()", "code",
         [("a  = 1\n  b()\nc()",)]),
        ("<pre><div>a b</div><div>c</div></pre>", "a b c", "code", []),
        ("<p>We <a href=../c#d>saw it</a> and <a href='#x'>this one</a>", "We saw it and this one",
         "links", [(("saw", "it"), "https://example.com/c#d")]),
        ("<base href=/z/><p>We <a href=c>saw it</a> today", "We saw it today", "links",
         [(("saw", "it"), "https://example.com/z/c")]),
        ("<figure><img><figcaption>A view of it</figcaption></figure><p>B.", "A view of it B.",
         "captions", [("a", "view", "of", "it")]),
    ],
)  # fmt: skip
def test_what_is_wanted(html: str, gold: str, kind: str, expected: list[object]) -> None:
    assert wanted(html, gold, kind) == expected


def test_a_part_that_is_not_gold_is_not_wanted() -> None:
    page = "<h1>News</h1><ul><li>Home page<li>All topics</ul><p>It <a href=/>rained</a> all day."
    found = parts_of_page(page, URL, "It rained all day.")
    assert {kind: parts.total() for kind, parts in found.items()} == {
        **dict.fromkeys(PARTS, 0),
        "links": 1,
    }


def test_kept_and_right() -> None:
    page = parts_of_page(
        "<ul><li>one two<ul><li>three</ul></ul><h2>Four</h2>", None, "one two three Four"
    )
    nested = parts_of_answer("<ul><li>one two<ul><li>three</li></ul></li></ul>", None)
    flat = parts_of_answer("<ul><li>one two</li><li>three</li></ul><h3>Four</h3>", None)
    inside = parts_of_answer("<ul><li>not gold<ul><li>one two<ul><li>three</ul></ul></ul>", None)
    assert survival(page, nested)["items"] == (1.0, 1.0)
    assert survival(page, flat)["items"] == (0.5, 0.5)
    assert survival(page, inside)["items"] == pytest.approx((1.0, 2 / 3))
    assert survival(page, flat)["headings"] == (0.0, 0.0)
    assert survival(page, nested)["headings"] == (0.0, None)
    assert survival(page, nested)["code"] == (None, None)


def test_nothing_comes_of_nothing() -> None:
    for html in ("", "<!-- c -->", " "):
        assert not any(parts_of_page(html, None, "words").values())
        assert parts_of_answer(html, None) == {kind: Counter() for kind in PARTS}


def test_the_tables() -> None:
    text = "It rained all day in the town, and nobody went out."
    html = "<h1>Rain</h1>" + f"<p>{text}</p>" * 4
    gold = "Rain\n\n" + f"{text}\n\n" * 4
    page = LabelledPage("1", html.encode(), gold, URL, "example.com", "article")
    shares = [measure([OURS], {}, page)]
    for form in FORMATS:
        for table in structure_table(shares, [OURS], form).split("\n\n"):
            row = table.splitlines()[-1].split("|")
            assert [cell.strip() for cell in row[1:4]] == [OURS, "1.000", "–"]
    methods = our_methods(["mss"])
    costs = speed.speed_table([speed.measure_methods(page.html, page.url, methods, 1)], methods)
    assert [line.split()[1] for line in costs.splitlines()[2:]] == ["lxml", "walk", "mss"]


def test_markdown_files_come_back(tmp_path: Path) -> None:
    readme = (
        "# A title\n\n" + "It rained all day, and nobody went out. " * 20 + "\n\n- one\n- two\n"
    )
    (tmp_path / "README.md").write_text(f"{readme}\n```py\nx = 1\n```\n")
    package = tmp_path / "boats.dist-info"
    package.mkdir()
    head = "Name: boats\nDescription-Content-Type: text/markdown\n\n"
    (package / "METADATA").write_text(f"{head}{readme}")
    pages = list(read_rendered(tmp_path))
    assert len(pages) == 4  # two files by two renderers
    found = measure_markdown(pages, OURS)
    assert [found[kind] for kind in ("headings", "items", "code")] == [(1.0, 1.0)] * 3
