"""Callouts: each is a quotation that begins with its kind and its own title."""

# ruff: noqa: E501  (pages as generators write them)
from __future__ import annotations

import numpy as np
import pytest
from cases import named, page_of

from scrapy_boilerplate import Page, extract
from scrapy_boilerplate.core.answer.document import build_document, nodes

SAID = "The pier is slippery when it rains, so hold the rope."
BODY = f"<p>{SAID}</p>"


@pytest.mark.parametrize(("part", "mark"), named("callouts"))
def test_a_callout_says_its_kind(part: str, mark: str) -> None:
    """*mark* is what stands in the mark of the quotation, nothing where there is none."""
    answer = extract(page_of(part.replace("{}", BODY).replace("{said}", SAID)))
    if not mark:
        assert "[!" not in answer.markdown
        return
    (found,) = [node for node in answer.document.nodes if isinstance(node, nodes.Callout)]
    kind, _, title = mark.partition("] ")
    assert (found.kind, found.title) == (kind.lower(), title)
    assert f"\n> [!{mark if title else mark + ']'}\n> {SAID}\n" in answer.markdown
    heading = f"<p><strong>{title}</strong></p>\n" if title else ""
    begin = f'<aside role="note" data-callout="{kind.lower()}">\n{heading}'
    assert f"{begin}<p>{SAID}</p>\n</aside>" in answer.html
    assert f'<note type="callout" rend="{kind.lower()}">' in answer.tei


def test_blocks_of_a_callout() -> None:
    inside = "<ol start='2'><li>Hold the rope of the pier.</li></ol><pre>ls</pre>"
    part = f"<div class='alert alert-info'>{inside}</div>"
    expected = "> [!INFO]\n>\n> 2. Hold the rope of the pier.\n>\n> ```\n> ls\n> ```\n"
    assert expected in extract(page_of(part)).markdown


def test_a_callout_in_a_cell_is_text() -> None:
    cell = "<td><div class='admonition tip'><p class='admonition-title'>Mind it</p><p>Hold it.</p></div></td>"
    part = f"<table><tr><th>Pier</th><th>Rope</th></tr><tr><td>Old pier</td>{cell}</tr></table>"
    assert "| Old pier | Mind it<br>Hold it. |" in extract(page_of(part)).markdown


@pytest.mark.parametrize("rest", ["<br>{}", "</p><p>{}", "\n{}"])
def test_a_mark_that_nothing_made_a_callout_of(rest: str) -> None:
    part = f"<blockquote><p>[!TIP]{rest.format(SAID)}</p></blockquote>"
    answer = extract(page_of(part))
    assert f"\n> [!TIP]\n> {SAID}\n" in answer.markdown
    assert answer.html.count("[!TIP]") == 0


def test_a_title_that_is_dropped_is_not_said() -> None:
    title = "<p class='admonition-title'>Mind the step</p>"
    page = Page.parse(f"<div class='admonition tip'>{title}<p>{SAID}</p></div>")
    for keep, said in (([True, True], "Mind the step"), ([False, True], "")):
        assert build_document(page, np.array(keep)).nodes[0] == nodes.Callout("tip", said)
