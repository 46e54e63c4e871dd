"""The text of a page says what the page shows: tables, code, formulas, wholes."""

from __future__ import annotations

import pytest

from scrapy_boilerplate import Page, extract

PROSE = "<p>It rained all day in the town, and nobody went out to look at the river, or at us.</p>"


def text_of(part: str, **options: object) -> str:
    """Return what is extracted of *part* between paragraphs of an article."""
    page = f"<h1>A title</h1>{PROSE * 3}{part}{PROSE * 3}"
    text = extract(page, **options).text
    before, after = f"{PROSE[3:-4]}\n\n", f"\n\n{PROSE[3:-4]}"
    return text.partition(before * 3)[2].rpartition(after * 3)[0]


# -- tables and code ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("<table><tr><td>one<td><td>three</table>", "one\t\tthree"),
        ("<table><tr><td>Line one<br>Line two<td>B</table>", "Line one Line two\tB"),
        (
            "<table><tr><th>a<th>b<th>c<tr><td>1<td><td>3<tr><td><td>2<td>3</table>",
            "a\tb\tc\n1\t\t3\n\t2\t3",
        ),
        ("<pre>def f():<br>    <b>return</b> 1</pre>", "def f():\n    return 1"),
        (
            "<pre><code><div class='cm-line'><span>if</span> x:</div>"
            "<div class='cm-line'>  <span>y</span>()</div></code></pre>",
            "if x:\n  y()",
        ),
        (
            "<pre><code><span style='display:block'>if x:</span>"
            "<span style='display:block'>    <i>y</i>()</span></code></pre>",
            "if x:\n    y()",
        ),
        (
            "<pre><code><span class='token-line'><span>if x:</span><br></span>"
            "<span class='token-line'><span>  </span><span>y()</span><br></span></code></pre>",
            "if x:\n  y()",
        ),
    ],
)
@pytest.mark.parametrize("method", ["auto", "mss-tuned", "energy"])
def test_text_is_laid_out_as_shown(part: str, expected: str, method: str) -> None:
    assert text_of(part, extractor=method) == expected


def test_a_dropped_cell_keeps_its_place() -> None:
    page = Page.parse("<table><tr><td>a<td>b<td>c<tr><td>d<td>e<td>f</table>")
    assert page.join([(0, 1), (2, 4), (5, 6)], ["a", "c\nd", "f"]) == "a\t\tc\nd\t\tf"
    view = page.restricted(page.words * 0 + [1, 0, 1, 1, 0, 1] > 0)
    assert view.lay_out(0, 4) == "a\t\tc\nd\t\tf"


def test_dropped_lines_of_code_end_a_line() -> None:
    page = Page.parse("<pre><div>a</div><div>b</div><div>  <b>c</b></div></pre>")
    assert page.join([(0, 1), (2, 3)], ["a", "  c"]) == "a\n  c"
