"""Cut what ``script`` and ``style`` elements hold from an HTML body before anyone parses it.

On an ordinary page nearly half of the bytes are scripts and styles. One scan takes them out, so
that code that keeps, searches or parses the body need not deal with them. The tags stay: the tree
has the same elements with the same attributes, and nothing that was apart comes together.

The scan reads the page as the tokenizer of the HTML standard does
(https://html.spec.whatwg.org/multipage/parsing.html#tokenization), with the changes of tokenizer
state that the tree builder asks for. An element without an end tag reaches to the end of the page,
and a start tag that the page breaks off within is no element. One whose end parsers in use see in
different places stays, such as ``<script/>``, which ends there for lxml but not for browsers. In
``svg`` and ``math``, where ``script`` and ``style`` may hold tags, the scan ends at such a one:
only a tree could tell.
"""

from __future__ import annotations

import codecs
import html
import re
from collections.abc import Callable, Collection
from itertools import chain
from typing import NamedTuple

from w3lib.encoding import read_bom, to_unicode

from scrapy_boilerplate.core.strip._scan_native import Scan

STRIPPABLE = frozenset("script style iframe noembed noframes textarea title xmp".split())
"""Elements that can be cut without a tree: their content is plain text to the tokenizer, so the
first matching end tag ends them."""
CODE = frozenset(("script", "style"))  # elements that are cut unless others are named


class Element(NamedTuple):
    """An element of plain text, by offsets in the page."""

    name: str
    """In lower case."""
    start: int
    content: int
    """Where the content begins, and the start tag ends."""
    content_end: int
    end: int
    """Where the end tag ends."""
    doubtful: bool
    """Whether parsers in use disagree about the end."""


_SPACE = r"\t\n\f\r "  # the whitespace of the standard; \s would add the vertical tab
_NAME = rf"[^{_SPACE}/>][^{_SPACE}/>=]*"  # may begin with "="
_EQUALS = rf"[{_SPACE}]*=[{_SPACE}]*"
_VALUE = rf"""(?:"[^"]*(?:"|\Z)|'[^']*(?:'|\Z)|[^{_SPACE}>"'][^{_SPACE}>]*)"""
_ATTRIBUTE = re.compile(rf"(?P<name>{_NAME})(?:{_EQUALS}(?P<value>{_VALUE}?))?".encode())
# Elements within svg and math that hold HTML again.
_INTEGRATION = frozenset("foreignobject desc annotation-xml mi mo mn ms mtext".split())
# Tags that end an open svg or math.
_BREAKOUT = frozenset(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li "
    "listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var "
    "/p /br".split()
)
_SCAN = Scan(Element, (STRIPPABLE, ("svg", "math"), _INTEGRATION, _BREAKOUT))


# Encodings in which a byte of markup is never a part of another character. The rest (UTF-16,
# UTF-32, ISO-2022, UTF-7, EBCDIC, …) is decoded first.
_ASCII_SUPERSET = re.compile(
    r"ascii|utf-8|cp(?:437|866|874|932|949|950|125\d)|iso8859-\d+|koi8-\w|mac-\w+|tis-620|"
    r"shift_jis|euc_jp|euc_kr|big5(?:hkscs)?|gb(?:2312|k|18030)"
)

# https://mimesniff.spec.whatwg.org/#javascript-mime-type. With parameters it is none of them, and a
# browser does not run the script.
_JAVASCRIPT = frozenset(
    "application/ecmascript application/javascript application/x-ecmascript "
    "application/x-javascript text/ecmascript text/javascript text/javascript1.0 "
    "text/javascript1.1 text/javascript1.2 text/javascript1.3 text/javascript1.4 "
    "text/javascript1.5 text/jscript text/livescript text/x-ecmascript text/x-javascript".split()
)
# What browsers run or apply. Any other type makes a data block, which only scripts read.
_CODE = {"script": _JAVASCRIPT | {"module"}, "style": frozenset({"text/css"})}
_DEFAULT_TYPE = {"script": "text/javascript", "style": "text/css"}


find_surplus: Callable[[bytes], tuple[list[tuple[int, int]], bool]] = _SCAN.surplus
"""Return ranges of a page in UTF-8 that hold the attributes of a tag beyond the first 500, and
whether it is sure where the HTML standard has tags."""


def strip_elements(
    body: bytes, encoding: str = "utf-8", *, elements: Collection[str] = CODE
) -> bytes:
    """Return *body* without what its *elements* hold; *body* itself if there is nothing to cut.

    >>> strip_elements(b"<p>one<script src=x>if (a < b) { f('<p>') }</script> two</p>")
    b'<p>one<script src=x></script> two</p>'

    *encoding* is the one that the body is decoded with; a byte order mark overrides it, and stays.
    The result decodes to the same text less what was cut. *elements* are names out of
    :data:`STRIPPABLE`. A ``script`` is cut only if it is JavaScript as the standard defines it, a
    ``style`` only if it is CSS, so data blocks stay:

    >>> strip_elements(b'<script type="application/json">{}</script><script>f()</script>')
    b'<script type="application/json">{}</script><script></script>'

    Time and memory are linear in the size of the body. No body raises; :exc:`ValueError` says that
    a name cannot be cut, and :exc:`LookupError` that Python does not know the encoding.
    """
    names, codec = check_elements(elements), _codec(body, encoding)
    if _ASCII_SUPERSET.fullmatch(codec):
        kept = _kept(body, names)
    else:
        errors = "surrogatepass" if codec.startswith("utf-") else "strict"
        try:
            text = body.decode(codec, errors)
            if text.encode(codec, errors) != body:
                return body
            page = text.encode("utf-8", "surrogatepass")
            pieces = _kept(page, names)
            kept = [p.decode("utf-8", "surrogatepass").encode(codec, errors) for p in pieces]
        except UnicodeError:  # no way from the text back to the same bytes
            return body
    result = b"".join(kept)
    return result if len(kept) > 1 and _reads_as(result, kept, codec) else body


def _kept(page: bytes, names: frozenset[str]) -> list[bytes]:
    """Return what is before, between and behind the code that *page* holds."""
    code = (
        element
        for element in _SCAN.elements(page)
        if element.name in names and _is_code(element, page)
    )
    cuts = chain.from_iterable((element.content, element.content_end) for element in code)
    bounds = [0, *cuts, len(page)]
    return [page[start:end] for start, end in zip(bounds[::2], bounds[1::2], strict=True)]


def check_elements(elements: Collection[str]) -> frozenset[str]:
    """Return the names in lower case, or raise :exc:`ValueError` that tells which are possible."""
    if isinstance(elements, str):
        raise ValueError(f"elements must be a list of element names, not the string {elements!r}")
    for name in elements:
        if not isinstance(name, str) or name.lower() not in STRIPPABLE:
            possible = ", ".join(sorted(STRIPPABLE))
            raise ValueError(f"{name!r} cannot be stripped; choose from {possible}")
    return frozenset(name.lower() for name in elements)


def _codec(body: bytes, encoding: str) -> str:
    """Return Python's name of the codec that w3lib, and so ``response.text``, would decode with."""
    codec = read_bom(body)[0] or codecs.lookup(encoding).name.removesuffix("-sig")
    return f"{codec}-be" if codec in {"utf-16", "utf-32"} else codec


def _reads_as(result: bytes, kept: list[bytes], codec: str) -> bool:
    """Return whether each piece reads as before. Each ends and begins with a tag, but who knows."""
    if codec == "utf-8":
        return True  # where no character has a part that looks like a bracket
    return to_unicode(result, codec) == "".join(to_unicode(piece, codec) for piece in kept)


def _is_code(element: Element, page: bytes) -> bool:
    """Return whether an element's content is there, and certainly is what browsers run or apply."""
    if element.doubtful or element.content == element.content_end:
        return False
    tag = page[element.start : element.content].lower()
    kind = _type(element.name, tag) if element.name in _CODE else ""
    return kind in _CODE.get(element.name, ("",))


def _type(name: str, tag: bytes) -> str:
    """Return the type of a script or style from its start tag, which is in lower case."""
    if b"type" not in tag and b"language" not in tag and b"&" not in tag:
        return _DEFAULT_TYPE[name]  # nearly all elements
    attributes: dict[bytes, str] = {}
    for attribute in _ATTRIBUTE.finditer(tag, len(name) + 1, len(tag) - 1):
        value = (attribute["value"] or b"").decode("latin-1")
        value = value[1:-1] if value[:1] in {'"', "'"} else value
        attributes.setdefault(attribute["name"], html.unescape(value))
    kind = attributes.get(b"type")
    if kind is not None:
        # A style's type is compared as it is.
        value = kind.strip("\t\n\f\r ") if name == "script" else kind
        return value if kind else _DEFAULT_TYPE[name]
    language = attributes.get(b"language") if name == "script" else None
    return f"text/{language}" if language else _DEFAULT_TYPE[name]
