"""Callouts: each is a quotation that begins with its kind and its own title."""

# ruff: noqa: E501  (pages as generators write them)
from __future__ import annotations

import numpy as np
import pytest

from scrapy_boilerplate import Page, extract
from scrapy_boilerplate.core.answer.document import build_document, nodes

PROSE = "<p>It rained all day in the town, and nobody went out to look at the river, or at us.</p>"
SAID = "The pier is slippery when it rains, so hold the rope."
BODY = f"<p>{SAID}</p>"


def page_of(part: str) -> str:
    return f"<title>A title</title><article><h1>A title</h1>{PROSE * 4}{part}{PROSE * 3}</article>"


KINDS = {
    "Sphinx": (
        "<div class='admonition warning'><p class='admonition-title'>Warning</p>{}</div>",
        "WARNING",
    ),
    "Sphinx, own title": (
        "<div class='admonition-mind-the-rope admonition'><p class='admonition-title'>Mind the rope</p>{}</div>",
        "NOTE] Mind the rope",
    ),
    "Sphinx, see also": (
        "<div class='admonition seealso'><p class='admonition-title'>See also</p>{}</div>",
        "SEEALSO",
    ),
    "Sphinx, German": (
        "<div class='admonition note'><p class='admonition-title'>Bemerkung</p>{}</div>",
        "NOTE] Bemerkung",
    ),
    "MkDocs": (
        "<div class='admonition danger'><p class='admonition-title'>Mind the rope</p>{}</div>",
        "DANGER] Mind the rope",
    ),
    "MkDocs, details": (
        "<details class='warning'><summary>Warning</summary>{}</details>",
        "WARNING",
    ),
    "MkDocs, own summary": (
        "<details class='tip' open><summary>Mind the rope</summary>{}</details>",
        "TIP] Mind the rope",
    ),
    "ReadMe": (
        "<blockquote class='callout callout_warn' theme='🚧'><h3 class='callout-heading'><span class='callout-icon'>🚧</span>Mind the rope</h3>{}</blockquote>",
        "WARNING] Mind the rope",
    ),
    "Mintlify": (
        "<div class='callout my-4 rounded-2xl' data-callout-type='tip'><div data-component-part='callout-icon'><svg></svg></div><div data-component-part='callout-content'>{}</div></div>",
        "TIP",
    ),
    "GitHub": (
        "<div class='markdown-alert markdown-alert-caution' dir='auto'><p class='markdown-alert-title' dir='auto'><svg class='octicon'><path/></svg>Caution</p>{}</div>",
        "CAUTION",
    ),
    "Docusaurus": (
        "<div class='theme-admonition theme-admonition-info admonition_xJq3 alert alert--info'><div class='admonitionHeading_Gvgb'><span class='admonitionIcon_Rf37'><svg></svg></span>Mind the rope</div><div class='admonitionContent_BuS1'>{}</div></div>",
        "INFO] Mind the rope",
    ),
    "Docusaurus 2": (
        "<div class='admonition admonition-caution alert alert--warning'><div class='admonition-heading'><h5><span class='admonition-icon'></span>caution</h5></div><div class='admonition-content'>{}</div></div>",
        "CAUTION",
    ),
    "VitePress": (
        "<div class='danger custom-block'><p class='custom-block-title'>DANGER</p>{}</div>",
        "DANGER",
    ),
    "VitePress, GitHub's": (
        "<div class='important custom-block github-alert'><p class='custom-block-title'>IMPORTANT</p>{}</div>",
        "IMPORTANT",
    ),
    "VuePress": (
        "<div class='hint-container tip'><p class='hint-container-title'>Tip</p>{}</div>",
        "TIP",
    ),
    "Starlight": (
        "<aside aria-label='Tip' class='starlight-aside starlight-aside--tip'><p class='starlight-aside__title' aria-hidden='true'><svg></svg>Tip</p><div class='starlight-aside__content'>{}</div></aside>",
        "TIP",
    ),
    "Obsidian": (
        "<div data-callout='todo' class='callout'><div class='callout-title'><div class='callout-icon'><svg></svg></div><div class='callout-title-inner'>Mind the rope</div></div><div class='callout-content'>{}</div></div>",
        "TODO] Mind the rope",
    ),
    "Asciidoctor": (
        "<div class='admonitionblock note'><table><tr><td class='icon'><i class='fa icon-note' title='Note'></i></td><td class='content'>{}</td></tr></table></div>",
        "NOTE",
    ),
    "Asciidoctor, no icons": (
        "<div class='admonitionblock tip'><table><tbody><tr><td class='icon'><div class='title'>Tip</div></td><td class='content'><div class='title'>Mind the rope</div><div class='paragraph'>{}</div></td></tr></tbody></table></div>",
        "TIP] Mind the rope",
    ),
    "Bootstrap": ("<div class='alert alert-danger' role='alert'>{}</div>", "DANGER"),
    "Bootstrap, primary": (
        "<div class='alert alert-primary' role='alert'><h4 class='alert-heading'>Mind the rope</h4>{}</div>",
        "NOTE] Mind the rope",
    ),
    "Bootstrap's docs": (
        "<div class='bd-callout bd-callout-info'><strong>Info:</strong> {}</div>",
        "INFO",
    ),
    "Quarto": (
        "<div class='callout callout-style-default callout-tip callout-titled'><div class='callout-header d-flex align-content-center'><div class='callout-icon-container'><i class='callout-icon'></i></div><div class='callout-title-container flex-fill'><span class='screen-reader-only'>Tip</span>Mind the rope</div></div><div class='callout-body-container callout-body'>{}</div></div>",
        "TIP] Mind the rope",
    ),
    "Minimal Mistakes": ("<div class='notice--warning'>{}</div>", "WARNING"),
    "Minimal Mistakes, p": (f"<p class='notice--info'>{SAID}</p>", "INFO"),
    "Chirpy": ("<blockquote class='prompt-tip'>{}</blockquote>", "TIP"),
    "Hexo NexT": ("<div class='note warning'>{}</div>", "WARNING"),
    "Hexo Fluid": ("<div class='note note-info'>{}</div>", "INFO"),
    "Hugo": (
        "<div class='admonition tip'><div class='admonition-header'><svg></svg><span>Tip</span></div><div class='admonition-content'>{}</div></div>",
        "TIP",
    ),
    "Hugo Book": ("<blockquote class='book-hint warning'>{}</blockquote>", "WARNING"),
    "Docsy": (
        "<div class='alert alert-warning' role='alert'><h4 class='alert-heading'>Warning</h4>{}</div>",
        "WARNING",
    ),
    "mdBook": (
        "<div id='admonition-note' class='admonition admonish-note' role='note'><div class='admonition-title'><div id='admonition-note-title'><p>Note</p></div><a class='admonition-anchor-link' href='#admonition-note'></a></div><div>{}</div></div>",
        "NOTE",
    ),
    "MDN": (
        f"<div class='notecard note' id='sect1'><p><strong>Note:</strong> {SAID}</p></div>",
        "NOTE",
    ),
    "DocBook": (
        "<div class='note' style='margin-left: 0.5in'><h3 class='title'>Note</h3>{}</div>",
        "NOTE",
    ),
    "Doxygen": ("<dl class='section warning'><dt>Warning</dt><dd>{}</dd></dl>", "WARNING"),
    "Microsoft Learn": ("<div class='IMPORTANT'><p>Important</p>{}</div>", "IMPORTANT"),
    "a developers' site": (
        f"<aside class='caution'><strong>Caution:</strong> <span>{SAID}</span></aside>",
        "CAUTION",
    ),
    "Confluence": (
        "<div class='confluence-information-macro confluence-information-macro-note'><p class='title conf-macro-render'>Mind the rope</p><span class='aui-icon'></span><div class='confluence-information-macro-body'>{}</div></div>",
        "NOTE] Mind the rope",
    ),
    "an emoji": (
        "<div class='callout callout-warning'><div class='callout-title'>⚠️ Warning</div>{}</div>",
        "WARNING",
    ),
}


@pytest.mark.parametrize("name", KINDS)
def test_a_callout_says_its_kind(name: str) -> None:
    part, mark = KINDS[name]
    answer = extract(page_of(part.replace("{}", BODY)))
    (found,) = [node for node in answer.document.nodes if isinstance(node, nodes.Callout)]
    kind, _, title = mark.partition("] ")
    assert (found.kind, found.title) == (kind.lower(), title)
    assert f"\n> [!{mark if title else mark + ']'}\n> {SAID}\n" in answer.markdown
    heading = f"<p><strong>{title}</strong></p>\n" if title else ""
    begin = f'<aside role="note" data-callout="{kind.lower()}">\n{heading}'
    assert f"{begin}<p>{SAID}</p>\n</aside>" in answer.html
    assert f'<note type="callout" rend="{kind.lower()}">' in answer.tei


@pytest.mark.parametrize(
    "part",
    [
        "<div class='note'>{}</div>",
        "<p class='tip'>Tips for visitors: come early, bring bread, and mind the rope on the pier.</p>",
        "<details><summary>More</summary>{}</details>",
        "<div class='hint'>{}</div>",
        "<p class='important'>{}</p>",
        "<div class='tip-jar'><h3>Mind the rope</h3>{}</div>",
        "<ul><li class='alert alert-info'>One thing or the other.</li><li>Two things of these.</li></ul>",
    ],
)
def test_what_is_no_callout(part: str) -> None:
    assert "[!" not in extract(page_of(part.replace("{}", BODY))).markdown


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
