"""The text of a page says what the page shows: tables, code, formulas, wholes."""

from __future__ import annotations

import re

import numpy as np
import pytest
from cases import PROSE, column, rows
from hypothesis import given
from hypothesis import strategies as st
from markup import screen_only_of

from scrapy_boilerplate import Page, extract
from scrapy_boilerplate.core.answer.document.code import read_code
from scrapy_boilerplate.core.auto.wholes import complete


def text_of(part: str, **options: object) -> str:
    """Return what is extracted of *part* between paragraphs of an article."""
    page = f"<h1>A title</h1>{PROSE * 3}{part}{PROSE * 3}"
    text = extract(page, **options).text
    before, after = f"{PROSE[3:-4]}\n\n", f"\n\n{PROSE[3:-4]}"
    return text.partition(before * 3)[2].rpartition(after * 3)[0]


# -- tables and code ---------------------------------------------------------------------------


@pytest.mark.parametrize(("part", "expected"), rows("laid_out_by_methods"))
@pytest.mark.parametrize("method", ["auto", "mss-tuned", "energy"])
def test_text_is_laid_out_as_shown(part: str, expected: str, method: str) -> None:
    assert text_of(part, extractor=method) == expected


PIECES = st.sampled_from(["a", " ", "  b", "\n", "c\n", "\n  ", "<br>"])
LINES = st.recursive(
    PIECES,
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag.split()[0]}>",
        st.sampled_from(["div", "span", "code", "b", "span style='display:block'"]),
        st.lists(inner, max_size=4),
    ),
    max_leaves=12,
)


@given(st.lists(LINES, max_size=5).map("".join))
def test_code_is_laid_out_as_it_is_read(code: str) -> None:
    """The text of code is what Markdown has, but for blank lines around it and bars in it."""
    page = Page.parse(f"<p>x</p> <pre>{code}</pre>")
    typed = read_code(page.root.find(".//pre"), screen_only_of(page))
    shown = page.lay_out(1, page.text_at.size), typed
    blank = r"(?m)^ *\n" if page.screen_only.size else r"\A(?: *\n)*"
    text, read = (re.sub(blank, "", each.rstrip()) for each in shown)
    assert text == read


def test_a_dropped_cell_keeps_its_place() -> None:
    page = Page.parse("<table><tr><td>a<td>b<td>c<tr><td>d<td>e<td>f</table>")
    assert page.join([(0, 1), (2, 4), (5, 6)], ["a", "c\nd", "f"]) == "a\t\tc\nd\t\tf"
    view = page.restricted(page.words * 0 + [1, 0, 1, 1, 0, 1] > 0)
    assert view.lay_out(0, 4) == "a\t\tc\nd\t\tf"


def test_numbers_of_lines_beside_blocks_with_an_empty_line() -> None:
    rows = ["<b>import</b> os", "", "<i>def</i> f():", "    <b>return</b> 1"]
    code = "".join(
        f"<div><span>{number}</span><div>{row}\n</div></div>" for number, row in enumerate(rows, 1)
    )
    page = Page.parse(f"<p>x</p><pre>{code}</pre>")
    typed = read_code(page.root.find(".//pre"), screen_only_of(page))
    assert typed == "import os\n\ndef f():\n    return 1"
    assert page.lay_out(1, page.text_at.size).split() == "import os def f(): return 1".split()


def test_dropped_lines_of_code_end_a_line() -> None:
    page = Page.parse("<pre><div>a</div><div>b</div><div>  <b>c</b></div></pre>")
    assert page.join([(0, 1), (2, 3)], ["a", "  c"]) == "a\n  c"


# -- what is for the screen only ---------------------------------------------------------------


@pytest.mark.parametrize(("part", "expected"), rows("screen_only"))
def test_what_is_for_the_screen_only_is_gone(part: str, expected: str) -> None:
    page = Page.parse(f"<p>a</p>{part}<p>b</p>")
    assert page.lay_out(0, page.text_at.size) == f"a\n\n{expected}\n\nb"


@pytest.mark.parametrize("part", column("no_screen_only"))
def test_what_looks_like_it_stays(part: str) -> None:
    page = Page.parse(part)
    assert page.screen_only.size == 0


def test_a_button_that_copies_is_no_part_of_its_heading() -> None:
    html = "<h1>Function sum <button id=c>Copy item path</button></h1><p>It adds two numbers.</p>"
    assert Page.parse(html).lay_out_all(Page.parse(html).blocks)[0] == "Function sum"
    link = "<h2>Rules: <a href=/elision>Copy elision</a></h2><p>It copies no object.</p>"
    assert Page.parse(link).lay_out_all(Page.parse(link).blocks)[0] == "Rules: Copy elision"


# -- wholes ------------------------------------------------------------------------------------


def completed(html: str, kept: str, likely: float) -> str:
    """Return the text of a page of which the blocks that say *kept* were kept, and what goes on."""
    page = Page.parse(html)
    texts = page.lay_out_all(page.blocks)
    keep = np.array([kept in text for text in texts])
    keep = complete(page, keep, np.full(keep.size, likely))
    return "|".join(text for text, is_kept in zip(texts, keep.tolist(), strict=True) if is_kept)


@pytest.mark.parametrize(("likely", "html", "expected"), rows("completed"))
def test_what_is_kept_in_part_is_kept_whole_if_it_is_likely(
    likely: str, html: str, expected: str
) -> None:
    assert completed(html, "yes", float(likely)) == expected


@pytest.mark.parametrize(
    ("likely", "between", "above"), [(0.03, False, False), (0.14, True, False), (0.16, True, True)]
)
def test_headings_of_kept_text(likely: float, between: bool, above: bool) -> None:
    page = "<h1>yes t</h1><h2>no</h2><p>no<h2>A</h2><p>yes a<h2>B</h2><p>yes b<p>no<h2>yes t</h2>"
    assert ("|B|" in completed(f"{page}", "yes", likely)) is between
    assert ("|A|" in completed(f"{page}", "yes", likely)) is above
