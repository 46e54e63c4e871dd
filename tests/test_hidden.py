"""Text that a browser hides by attributes: kept and marked, or dropped from every output."""

from __future__ import annotations

import pytest

from scrapy_boilerplate import explain, extract

P = "<p>The harbour was closed in the morning, because of the wind, and no boat went out.</p>"
Q = "<p>Every year in May the boats are painted, and the children choose the colours.</p>"
HIDDEN = "The answer to the second question is that nobody may swim there, not even in August."
HIDES = [
    "hidden", "hidden=hidden", "aria-hidden=true", "style='display:none'",
    "style='color: red; DISPLAY : none !important'",
    "style='visibility:hidden'", "style='opacity:0'", "style='opacity: 0.0;'",
    "style='font-size:0px'",
    "style='position:absolute;left:-9999px'",
    "style='text-indent:-9999px'",
    "style='position:absolute;clip:rect(0 0 0 0)'",
]  # fmt: skip
SHOWS = [
    "", "hidden=until-found", "aria-hidden=false", "style='opacity:0.9'", "style='opacity:01'",
    "style='font-size:0.9em'", "style='left:-2px'", "style='text-indent:-9px'",
    "style='background:url(data:display:none.png)'",
    "data-style='display:none'",
]  # fmt: skip
OUTPUTS = ("text", "markdown", "html", "tei", "prevertical")


def page(attribute: str) -> str:
    box = f"<div class=more {attribute}><p>{HIDDEN}</p></div>"
    return f"<title>Harbour</title><main><h1>Harbour</h1>{P}{Q}{box}{Q}{P}</main>"


@pytest.mark.parametrize("name", ["auto", "mss", "bte", "scoring"])
@pytest.mark.parametrize("attribute", HIDES)
def test_hidden_text_stays_and_is_marked_or_goes(attribute: str, name: str) -> None:
    kept = extract(page(attribute), extractor=name)
    assert HIDDEN in kept.text
    assert any(each.hidden for each in kept.main if HIDDEN in each.text)
    assert not all(each.hidden for each in kept.main) or len(kept.main) == 1
    dropped = extract(page(attribute), extractor=name, hidden="drop")
    for output in OUTPUTS:
        assert "nobody may swim" not in str(getattr(dropped, output))
        assert "boats are painted" in str(getattr(dropped, output))
    reasons = [e.reason for e in explain(page(attribute), extractor=name)
               if HIDDEN in e.text]  # fmt: skip
    assert all("a browser hides it" in reason for reason in reasons)


@pytest.mark.parametrize("attribute", SHOWS)
def test_what_a_browser_shows_stays(attribute: str) -> None:
    found = extract(page(attribute), hidden="drop")
    assert HIDDEN in found.text
    assert not any(each.hidden for each in found.main)


NOTE = "If you are new here, you may want to read our letter, which comes every Monday."
BOX = "<div style='display:none'><p>{}</p></div>"
OPENED = [
    "<table><tr><td>Pier<td>West<tr style='display:none'><td>Bay<td>{}<tr><td>A<td>East</table>",
    "<ul><li>Boats, that are painted<li style='display:none'>{}<li>Ropes of all kinds</ul>",
    BOX.replace("<div", "<div class=read-more"), f"<section class=accordion>{BOX}</section>",
    "<button>All of it</button>" + BOX, BOX + "<p><a href=#>All of it</a></p>",
    "<h2>Where may I swim?</h2>" + BOX,
    "<p>More <a href=#rest>below</a>.</p>" + BOX.replace("<div", "<div id=rest"),
    "<p>More <b onclick=\"open_('rest')\">below</b>.</p>" + BOX.replace("<div", "<div id=rest"),
]  # fmt: skip


@pytest.mark.parametrize("box", [BOX, BOX.replace("<div", "<div id=rest"), BOX * 2])
def test_what_no_reader_can_open_is_no_text(box: str) -> None:
    found = f"<title>Harbour</title><main><h1>Harbour</h1>{{}}{P}{Q}{P}{Q}</main>"
    assert NOTE not in extract(found.format(box.format(NOTE, NOTE))).text
    assert "boats are painted" in extract(found.format(box.format(NOTE, NOTE))).text


@pytest.mark.parametrize("box", OPENED)
def test_what_a_reader_opens_is_text(box: str) -> None:
    found = f"<title>Harbour</title><main><h1>Harbour</h1>{P}{Q}{box.format(HIDDEN)}{Q}{P}</main>"
    assert HIDDEN in extract(found).text


def test_a_text_that_scripts_show_is_text() -> None:
    found = f"<title>Harbour</title><main><h1>Harbour</h1>{P}{BOX.format(Q + P + HIDDEN)}</main>"
    assert HIDDEN in extract(found).text


def test_a_hidden_comment_goes_with_the_rest() -> None:
    comments = "".join(
        f"<li class=comment id=comment-{n}{' hidden' if n == 2 else ''}><b class=fn>Reader {n}</b>"
        f"<time datetime=2026-01-0{n}>{n} Jan</time><p>I think number {n} is a good point, and I "
        "will tell my neighbour of it.</p></li>"
        for n in range(1, 5)
    )
    html = (
        f"<title>Harbour</title><article><h1>Harbour</h1>{(P + Q) * 3}</article>"
        f"<section id=comments><ol class=commentlist>{comments}</ol></section>"
    )
    assert [each.author for each in extract(html).comments] == [f"Reader {n}" for n in (1, 2, 3, 4)]
    dropped = extract(html, hidden="drop").comments
    assert [each.author for each in dropped] == ["Reader 1", "Reader 3", "Reader 4"]
