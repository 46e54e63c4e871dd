"""A document as TEI P5, the XML of corpora and editions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from scrapy_boilerplate.core.answer.document import nodes
from scrapy_boilerplate.core.answer.document.nodes import Document, Node
from scrapy_boilerplate.core.answer.output.html import Tags, element, spans, written
from scrapy_boilerplate.core.page.addresses import web_address

TEI_NAMESPACE = "http://www.tei-c.org/ns/1.0"

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
    caption_end = 0  # of the last one: a head holds no paragraphs

    def tags(index: int, node: Node) -> Tags:
        nonlocal caption_end
        if isinstance(node, nodes.Caption):
            caption_end = document.ends[index]
        elif isinstance(node, nodes.Paragraph) and index < caption_end:
            return "", ""
        return _TAGS[type(node)](node)

    header = "".join(_header(metadata))
    text = written(document, tags) or "<p/>\n"
    whole = f'<TEI xmlns="{TEI_NAMESPACE}">\n{header}<text><body>\n{text}</body></text></TEI>\n'
    return _NOT_IN_XML.sub("", whole)


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
    address = web_address("", _text(metadata, "url") or _text(metadata, "canonical_url"))
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


def _list(node: nodes.List) -> Tags:
    return element("list", f' rend="{"numbered" if node.ordered else "bulleted"}"')


def _cell(node: nodes.Cell) -> Tags:
    return element("cell", ' role="label"' * node.header + spans(node, "cols", "rows"))


def _callout(node: nodes.Callout) -> Tags:
    title = f'<p><hi rend="strong">{escape(node.title)}</hi></p>\n' if node.title else ""
    return element("note", f' type="callout" rend={quoteattr(node.kind)}', f"\n{title}")


def _code(node: nodes.Code) -> Tags:
    language = f" rend={quoteattr(node.language)}" if node.language else ""
    return f'<ab type="code"{language}>{escape(node.text)}</ab>\n', ""


def _image(node: nodes.Image) -> Tags:
    said = filter(None, (node.alt, node.title))
    described = "".join(f"<desc>{escape(text)}</desc>" for text in said)
    return f"<graphic url={quoteattr(node.src)}>{described}</graphic>", ""


_TAGS: dict[type[Node], Callable[[Any], Tags]] = {
    nodes.Heading: lambda node: element("ab", f' type="head" rend="h{node.level}"'),
    nodes.Paragraph: lambda node: element("p"),
    nodes.Quote: lambda node: element("quote"),
    nodes.Callout: _callout,
    nodes.List: _list,
    nodes.Item: lambda node: element("item"),
    nodes.Note: lambda node: element("note", f' place="end" n="{node.number}"'),
    nodes.DefinitionList: lambda node: element("list", ' rend="glossary"'),
    nodes.Term: lambda node: element("item", ' rend="term"'),
    nodes.Definition: lambda node: element("item", ' rend="definition"'),
    nodes.Table: lambda node: element("table"),
    nodes.Row: lambda node: element("row"),
    nodes.Cell: _cell,
    nodes.Figure: lambda node: element("figure"),
    nodes.Caption: lambda node: element("head"),
    nodes.Code: _code,
    nodes.Rule: lambda node: ('<milestone unit="section" rend="rule"/>\n', ""),
    nodes.Styled: lambda node: element("hi", f' rend="{node.style}"', end=""),
    nodes.Link: lambda node: element("ref", f" target={quoteattr(node.href)}", end=""),
    nodes.Image: _image,
    nodes.InlineCode: lambda node: (f'<hi rend="code">{escape(node.text)}</hi>', ""),
    nodes.Formula: lambda node: (f'<formula notation="TeX">{escape(node.tex)}</formula>', ""),
    nodes.NoteReference: lambda node: (f'<ref rend="note">{node.number}</ref>', ""),
    nodes.LineBreak: lambda node: ("<lb/>", ""),
}
