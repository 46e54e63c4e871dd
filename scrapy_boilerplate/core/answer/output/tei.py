"""A document as TEI P5, the XML of corpora and editions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

from scrapy_boilerplate.core.answer.document.nodes import (
    Caption,
    Cell,
    Code,
    Definition,
    DefinitionList,
    Document,
    Figure,
    Formula,
    Heading,
    Image,
    InlineCode,
    Item,
    LineBreak,
    Link,
    List,
    Node,
    Note,
    NoteReference,
    Paragraph,
    Quote,
    Row,
    Rule,
    Styled,
    Table,
    Term,
    Text,
)

TEI_NAMESPACE = "http://www.tei-c.org/ns/1.0"

_NAMES: dict[type[Node], str] = {
    Heading: "ab",
    Paragraph: "p",
    Quote: "quote",
    List: "list",
    Item: "item",
    Note: "note",
    DefinitionList: "list",
    Term: "item",
    Definition: "item",
    Table: "table",
    Row: "row",
    Cell: "cell",
    Figure: "figure",
    Caption: "head",
    Styled: "hi",
    Link: "ref",
}
_INLINE = (Styled, Link)
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Values = Mapping[str, object]
"""Values of the metadata by name, as ``Metadata.to_dict()`` gives them."""


def tei(document: Document, metadata: Values) -> str:
    """Return a document as a ``TEI`` element with its header.

    TEI P5, https://tei-c.org/guidelines/p5. A heading is an ``ab`` of the type ``head``, since TEI
    allows its own ``head`` only where a section begins. Code is ``ab`` or ``hi``, which all subsets
    of TEI have.

    >>> from scrapy_boilerplate import extract
    >>> page = "<h1>A title</h1><p>Some <b>text</b> to be kept here."
    >>> written = tei(extract(page, extractor="mss", tag_score=0.0).document, {"title": "A title"})
    >>> print(written[written.index("<body>") :], end="")
    <body>
    <ab type="head" rend="h1">A title</ab>
    <p>Some <hi rend="strong">text</hi> to be kept here.</p>
    </body></text></TEI>
    """
    pieces = [f'<TEI xmlns="{TEI_NAMESPACE}">\n', *_header(metadata), "<text><body>\n"]
    captions = 0  # that are open: a head holds no paragraphs
    for _, node, begins in document.events():
        if isinstance(node, Caption):
            captions += 1 if begins else -1
        if isinstance(node, Paragraph) and captions:
            continue
        pieces.append(_opening(node) if begins else _closing(node))
    if not document.nodes:
        pieces.append("<p/>\n")
    pieces.append("</body></text></TEI>\n")
    return _NOT_IN_XML.sub("", "".join(pieces))


def tei_corpus_start(title: str = "") -> str:
    """Return the beginning of a ``teiCorpus``, up to its first ``TEI``."""
    return f'<teiCorpus xmlns="{TEI_NAMESPACE}">\n' + "".join(_header({"title": title}))


# -- the header --------------------------------------------------------------------------------


def _header(metadata: Values) -> Iterator[str]:
    title, publisher = _text(metadata, "title"), _text(metadata, "site_name")
    authors = "".join(f"<author>{escape(name)}</author>" for name in _texts(metadata, "authors"))
    named = f"<title>{escape(title)}</title>{authors}"
    yield f"<teiHeader><fileDesc><titleStmt>{named}</titleStmt>\n"
    license_ = _text(metadata, "license")
    available = f"<availability><p>{escape(license_)}</p></availability>" if license_ else ""
    yield "<publicationStmt>"
    yield f"<publisher>{escape(publisher or 'unknown')}</publisher>{available}</publicationStmt>\n"
    yield f"<sourceDesc><bibl>{named}{''.join(_source(metadata))}</bibl></sourceDesc></fileDesc>\n"
    profile = "".join(_profile(metadata))
    if profile:
        yield f"<profileDesc>{profile}</profileDesc>"
    yield "</teiHeader>\n"


def _source(metadata: Values) -> Iterator[str]:
    for name, kind in (("date_published", "published"), ("date_modified", "modified")):
        date = _text(metadata, name)
        if date:
            yield f"<date type={quoteattr(kind)} when={quoteattr(date)}>{escape(date)}</date>"
    address = _text(metadata, "url") or _text(metadata, "canonical_url")
    if address:
        yield f"<ptr target={quoteattr(address)}/>"


def _profile(metadata: Values) -> Iterator[str]:
    description, language = _text(metadata, "description"), _text(metadata, "language")
    if description:
        yield f"<abstract><p>{escape(description)}</p></abstract>"
    if language:
        yield f"<langUsage><language ident={quoteattr(language)}>{escape(language)}</language>"
        yield "</langUsage>"
    terms = [*_texts(metadata, "tags"), *filter(None, [_text(metadata, "section")])]
    if terms:
        words = "".join(f"<term>{escape(term)}</term>" for term in terms)
        yield f"<textClass><keywords>{words}</keywords></textClass>"


def _text(metadata: Values, name: str) -> str:
    return " ".join(str(metadata.get(name) or "").split())


def _texts(metadata: Values, name: str) -> Sequence[str]:
    values = metadata.get(name)
    return [str(value) for value in values] if isinstance(values, (list, tuple)) else []


# -- the text ----------------------------------------------------------------------------------


def _opening(node: Node) -> str:
    """Return the start tag of a node, or all of it if it holds no others."""
    if isinstance(node, Text):
        return escape(node.text)
    if isinstance(node, LineBreak):
        return "<lb/>"
    if isinstance(node, Rule):
        return '<milestone unit="section" rend="rule"/>\n'
    if isinstance(node, InlineCode):
        return f'<hi rend="code">{escape(node.text)}</hi>'
    if isinstance(node, Formula):
        return f'<formula notation="TeX">{escape(node.tex)}</formula>'
    if isinstance(node, Image):
        described = f"<desc>{escape(node.alt)}</desc>" if node.alt else ""
        return f"<graphic url={quoteattr(node.src)}>{described}</graphic>"
    if isinstance(node, NoteReference):
        return f'<ref rend="note">{node.number}</ref>'
    if isinstance(node, Code):
        language = f" rend={quoteattr(node.language)}" if node.language else ""
        return f'<ab type="code"{language}>{escape(node.text)}</ab>\n'
    return f"<{_NAMES[type(node)]}{_attributes(node)}>"


def _closing(node: Node) -> str:
    return f"</{_NAMES[type(node)]}>" + ("" if isinstance(node, _INLINE) else "\n")


def _attributes(node: Node) -> str:
    if isinstance(node, Note):
        return f' place="end" n="{node.number}"'
    if isinstance(node, Heading):
        return f' type="head" rend="h{node.level}"'
    if isinstance(node, List):
        return f' rend="{"numbered" if node.ordered else "bulleted"}"'
    if isinstance(node, Styled):
        return f' rend="{node.style}"'
    if isinstance(node, Link):
        return f" target={quoteattr(node.href)}"
    if isinstance(node, Cell):
        spans = (("cols", node.colspan), ("rows", node.rowspan))
        spanned = "".join(f' {name}="{span}"' for name, span in spans if span > 1)
        return ' role="label"' * node.header + spanned
    return _REND.get(type(node), "")


_REND: dict[type[Node], str] = {
    DefinitionList: ' rend="glossary"',
    Term: ' rend="term"',
    Definition: ' rend="definition"',
}
