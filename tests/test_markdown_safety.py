"""No text of a page becomes markup that the page did not have: in Markdown, by two renderers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from html import unescape
from html.parser import HTMLParser

import mistune
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from scrapy_boilerplate import extract
from scrapy_boilerplate.core.answer.document import nodes
from scrapy_boilerplate.core.answer.document.nodes import Document, Node
from scrapy_boilerplate.core.answer.output.markdown import markdown

HTML = "<img src=x onerror=alert(1)>"
HOSTILE = (
    *(HTML, f"\n{HTML}", f"\r{HTML}", f"a\n\n{HTML}\n\nb", f"a\r\r{HTML}", f"\x0b\x0c{HTML}"),
    *(f"`{HTML}", f"```\n{HTML}", f"``` {HTML}", f"~~~\n{HTML}\n~~~", f"x\n```\n{HTML}\n```x"),
    *(f"$ {HTML} $", f"$${HTML}$$", f"\\{HTML}", f"\\\\{HTML}", "a\\", "a\\\\", "\\`", "`a`", "``"),
    *(f"x) {HTML}", f"x>{HTML}", f'x" {HTML}', f"]({HTML})", f"]: {HTML}", "![x](javascript:a)"),
    *("[x](javascript:alert(1))", "[x]: javascript:a", "<javascript:a>", "<http://a.example>"),
    *("<!--", "-->", "<?x", "<![CDATA[", "</p>", "</code>", "<script>a</script>", "&lt;img&gt;"),
    *("# a", "\n# a", "> a", "\n> a", "- a", "1. a", "***", "---", "===", "a\n===", "\t a"),
    "    a",
    *("| a | b |", "a|b", "\\|", f"| {HTML} |\n", "*a*", "**a**", "_a_", "~~a~~", "<br>", "&#60;b"),
    *("\u2028# a", "\u2029", "\x85", "\ufeff", "\x1f", "\xa0# a", "[x] a", "[^1]", "$a$", "a$b$c"),
)

# mistune before 3.3 ends a row at \v and \f, which no text of a page holds.
RENDERERS: dict[str, Callable[[str], str]] = {
    "markdown-it": MarkdownIt("commonmark", {"html": True})
    .enable(["table", "strikethrough"])
    .render,
    "mistune": mistune.create_markdown(escape=False, plugins=["strikethrough", "table"]),  # type: ignore[dict-item]
    "markdown-it without HTML": MarkdownIt("commonmark", {"html": False})
    .enable(["table", "strikethrough"])
    .render,
    "mistune without HTML": mistune.create_markdown(plugins=["strikethrough", "table"]),  # type: ignore[dict-item]
}

Made = Callable[[str], list[Node]]


def in_a_line(node: Node) -> list[Node]:
    return [nodes.Text("a "), node, nodes.Text(" b "), nodes.InlineCode("c <b>")]


NODES: dict[str, Made] = {
    "text": lambda text: [nodes.Text(text)],
    "code": lambda text: in_a_line(nodes.InlineCode(text)),
    "formula": lambda text: in_a_line(nodes.Formula(text)),
    "display": lambda text: [nodes.Formula(text, display=True), nodes.Text(" b <b>")],
    "alt": lambda text: [nodes.Image("https://a.example/a", text)],
    "caption": lambda text: [nodes.Image("https://a.example/a", "a", text)],
    "source": lambda text: [nodes.Image(text, "a")],
    "link": lambda text: [nodes.Link(text), nodes.Text("a")],
    "linked": lambda text: [nodes.Link("https://a.example/"), nodes.Text(text)],
    "embedded": lambda text: [nodes.Link(text, embed=True), nodes.Text(text)],
    "reference": lambda text: [nodes.Text("a"), nodes.NoteReference(1, text), nodes.Text("b")],
    "styled": lambda text: [nodes.Text("a"), nodes.Styled("em"), nodes.Text(text), nodes.Text("b")],
}
"""Nodes of a line, of which some string is hostile; what one holds comes right after it."""

HOLDERS: dict[str, list[Node]] = {
    "paragraph": [nodes.Paragraph()],
    "heading": [nodes.Heading(2)],
    "item": [nodes.List(), nodes.Item(), nodes.Paragraph()],
    "quoted": [nodes.Quote(), nodes.Paragraph()],
    "callout": [nodes.Callout("tip", "a"), nodes.Paragraph()],
    "cell": [nodes.Table(), nodes.Row(), nodes.Cell(), nodes.Paragraph()],
    "term": [nodes.DefinitionList(), nodes.Term()],
    "definition": [nodes.DefinitionList(), nodes.Definition(), nodes.Paragraph()],
    "caption": [nodes.Figure(), nodes.Caption()],
    "note": [nodes.Note(2), nodes.Paragraph()],
}


def document(row: list[Node], inner: int) -> Document:
    """Return a document in which each node but the last *inner* ones holds all after it."""
    size = len(row)
    ends = [size if n < size - inner else n + 1 for n in range(size)]
    for n, node in enumerate(row):
        if isinstance(node, (nodes.Link, nodes.Styled)):
            ends[n] = n + 2
    return Document(tuple(row), tuple(ends), lambda: ("/",) * size)


class Tags(HTMLParser):
    """Notes the tags of a rendered text, with the names of their attributes."""

    HARMLESS = frozenset(("em", "strong", "del", "s", "br", "code", "sup"))

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.HARMLESS:
            self.found.append(" ".join([tag, *sorted(name for name, _ in attrs)]))

    def handle_comment(self, data: str) -> None:
        self.found.append("comment")

    def handle_decl(self, decl: str) -> None:
        self.found.append("declaration")

    def handle_pi(self, data: str) -> None:
        self.found.append("instruction")


def tags(rendered: str) -> list[str]:
    parser = Tags()
    parser.feed(rendered)
    parser.close()
    return parser.found


def check(make: Callable[[str], Document], hostile: str, renderer: str) -> None:
    written, plain = markdown(make(hostile)), markdown(make("word"))
    render = RENDERERS[renderer]
    assert tags(render(written)) == tags(render(plain)) or not written.strip(), written


def test_every_string_of_a_node_is_tried() -> None:
    """A new kind of node, or a new string of one, must come into the tests below."""
    word = "word"
    made = [*(each for make in NODES.values() for each in make(word)), nodes.Code(word, word)]
    made.append(nodes.Callout(word, word))
    tried = {
        (type(n), each.name) for n in made for each in fields(n) if getattr(n, each.name) == word
    }
    kinds = [each for each in vars(nodes).values() if isinstance(each, type)]
    strings = {
        (kind, each.name)
        for kind in kinds
        if issubclass(kind, Node) and kind is not Node
        for each in fields(kind)
        if "str" in str(each.type)
    }
    assert strings == tried


@pytest.mark.parametrize("renderer", RENDERERS)
@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("kind", NODES)
def test_no_string_of_a_line_becomes_markup(kind: str, holder: str, renderer: str) -> None:
    def make(text: str) -> Document:
        line = NODES[kind](text)
        return document([*HOLDERS[holder], *line], len(line))

    for hostile in HOSTILE:
        check(make, hostile, renderer)


@pytest.mark.parametrize("renderer", RENDERERS)
@pytest.mark.parametrize(
    "holder", [[], [nodes.Quote()], [nodes.List(), nodes.Item()]], ids=["", "quote", "item"]
)
def test_no_code_becomes_markup(holder: list[Node], renderer: str) -> None:
    for hostile in HOSTILE:
        check(lambda text: document([*holder, nodes.Code(text)], 1), hostile, renderer)
        language = document([*holder, nodes.Code("a", hostile)], 1)
        found = tags(RENDERERS[renderer](markdown(language)))
        assert {tag.split()[0] for tag in found} <= {"pre", "blockquote", "ul", "li"}, hostile


@pytest.mark.parametrize("renderer", RENDERERS)
def test_no_callout_becomes_markup(renderer: str) -> None:
    for hostile in HOSTILE:

        def make(text: str) -> Document:
            rest = [nodes.Paragraph(), nodes.Text("a")]
            return document([nodes.Callout(text, text), *rest], 1)

        check(make, hostile, renderer)


@given(st.lists(st.sampled_from([*HOSTILE, "a", " ", "\n", "`", "$", "\\", "<b>"]), max_size=4))
def test_no_mix_of_them_becomes_markup(parts: list[str]) -> None:
    for kind in ("text", "code", "formula", "alt"):

        def make(text: str, kind: str = kind) -> Document:
            line = NODES[kind](text)
            return document([nodes.Paragraph(), *line], len(line))

        check(make, "".join(parts), "markdown-it")


@pytest.mark.parametrize(
    "note", ["javascript:alert(1)", "http://x.test 'a title'", "//x.test\n(a title)", "\\\\x.test"]
)
def test_no_note_is_an_address(note: str) -> None:
    """For renderers without footnotes, to which ``[^1]: address`` defines a link."""
    text = "It rained all day in the town and the people stayed at home. " * 5
    html = (
        f"<h1>Head</h1><p>{text} See <sup id=r1><a href='#n1'>1</a></sup> here.</p><p>{text}</p>"
        f"<ol><li id=n1>{note}<p>More.</p></li></ol>"
    )
    markdown = extract(html).markdown
    assert "[^1]: " in markdown
    for render in RENDERERS.values():
        shown = render(markdown)
        assert "<a " not in shown
        assert note.split()[0] in unescape(shown)


def test_no_language_of_code_ends_its_fence() -> None:
    language = f"x&#10;```&#10;{HTML.replace('<', '&lt;')}"
    page = f'<p>A text of some words.</p><pre data-lang="{language}">a\nb</pre>'
    assert "onerror" not in extract(page).markdown
    good = "<p>A text of some words.</p><pre data-lang='C++'>int a;\nint b;</pre>"
    assert "```c++\n" in extract(good).markdown


def test_no_formula_is_raw_html() -> None:
    alt = HTML.replace("<", "&lt;")
    page = f"<p>A formula <math alttext='{alt}'><mi>x</mi></math> in a text of some words.</p>"
    written = extract(page).markdown
    assert "<img" not in written
    assert "\\lt img" in written
