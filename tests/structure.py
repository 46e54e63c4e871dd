"""An oracle for outputs: the structure of HTML as a flat list, whatever wrote it."""

from __future__ import annotations

from urllib.parse import unquote

from lxml import etree
from lxml import html as lxml_html
from markdown_it import MarkdownIt

__all__ = ["of_html", "of_markdown", "words_of_html", "words_of_markdown"]

_PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_TRANSPARENT = frozenset("html body p thead tbody tr figure figcaption caption dl dt dd".split())
"""Elements that one of the two outputs has and the other spells without them."""
_ONE_LINE = frozenset("h1 h2 h3 h4 h5 h6 td".split())  # elements that Markdown has on one line …
_FLATTENED = frozenset("br ul ol li blockquote".split())
"""… where these are written one after the other."""
_SAME = {"s": "del", "th": "td", "aside": "blockquote"}

_INLINE = frozenset(
    "a abbr b code del em font graphic hi i img ins mark ref s strong sub sup span".split()
)

Token = tuple[str, ...]


def of_html(markup: str) -> list[Token]:
    """Return the tags and texts of HTML in their order; white space is collapsed."""
    return _in_one_order(_without_empty_cells(_merged(_tokens(markup))))


def of_markdown(text: str) -> list[Token]:
    """Return the same of Markdown, by another parser than ours."""
    return of_html(_PARSER.render(text))


def _tokens(markup: str) -> list[Token]:
    body = lxml_html.document_fromstring(f"<html><body>{markup}</body></html>").body
    tokens: list[Token] = []
    depth = 0  # of elements in which an end of line may be white space
    for event, element in etree.iterwalk(body, events=("start", "end")):
        name = _SAME.get(element.tag, element.tag)
        begins = event == "start"
        if name == "strong" and _is_title(element):
            name = "p"  # Markdown has the title of a callout in the line of its mark
        depth += (1 if begins else -1) * (name in _ONE_LINE)
        if name in _TRANSPARENT or (depth and name in _FLATTENED):
            tokens.append(("text", " "))
        elif name == "input" and begins:  # which the other parser leaves as text
            box = "[x] " if element.get("checked") is not None else "[ ] "
            tokens.append(("text", box))
        elif begins:
            tokens.append((name, *_attributes(element, name)))
        elif name not in ("img", "br", "hr", "input"):
            tokens.append((f"/{name}",))
        if element.tag == "aside" and begins:
            tokens.append(("text", f"[!{element.get('data-callout').upper()}] "))
        text = element.text if begins else element.tail if element is not body else None
        if text:
            tokens.append(("text", text))
    return tokens


def _is_title(element: etree._Element) -> bool:
    above = element.getparent()
    callout = above.getparent()
    is_first = callout is not None and callout.tag == "aside" and callout[0] is above
    return is_first and len(above) == 1 and not above.text and not element.tail


def _attributes(element: etree._Element, name: str) -> Token:
    if name == "a":
        return (unquote(element.get("href") or ""),)
    if name == "img":
        return (unquote(element.get("src") or ""), " ".join((element.get("alt") or "").split()))
    return (element.get("start") or "1",) if name == "ol" else ()


def _merged(tokens: list[Token]) -> list[Token]:
    """Join neighbouring texts, collapse their white space, and leave out blank ones."""
    found: list[Token] = []
    for token in tokens:
        if token[0] == "text":
            before = found.pop()[1] if found and found[-1][0] == "text" else ""
            token = ("text", before + token[1])
        found.append(token)
    stripped = [("text", " ".join(t[1].split())) if t[0] == "text" else t for t in found]
    return [token for token in stripped if token != ("text", "")]


_EMPHASIS = {("em",): 0, ("strong",): 0, ("/em",): 1, ("/strong",): 1}


def _in_one_order(tokens: list[Token]) -> list[Token]:
    """Return strong emphasis with ``em`` outside: in Markdown ``***`` opens both."""
    found: list[Token] = []
    for token in tokens:
        if found and token in _EMPHASIS and _EMPHASIS[token] == _EMPHASIS.get(found[-1]):
            found[-1:] = sorted([found[-1], token])
        else:
            found.append(token)
    return found


def _without_empty_cells(tokens: list[Token]) -> list[Token]:
    """Leave out empty cells: Markdown fills rows up with them."""
    found: list[Token] = []
    for token in tokens:
        if token == ("/td",) and found and found[-1] == ("td",):
            found.pop()
        else:
            found.append(token)
    return found


def words_of_html(markup: str) -> str:
    """Return what an HTML or XML fragment says, with spaces around all but inline elements."""
    pieces: list[str] = []
    root = lxml_html.fragment_fromstring(markup, create_parent="div")
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if element.tag not in _INLINE:
            pieces.append(" ")
        pieces.append((element.text if event == "start" else element.tail) or "")
    return "".join(pieces)


def words_of_markdown(text: str) -> str:
    """Return what Markdown says, by another parser than ours."""
    return words_of_html(_PARSER.render(text))
