"""Cut what ``script`` and ``style`` elements hold from an HTML body before anyone parses it.

On an ordinary page nearly half of the bytes are scripts and styles. One scan takes them out, so
that code that keeps, searches or parses the body need not deal with them. The tags stay: the tree
has the same elements with the same attributes, and nothing that was apart comes together.

The scan reads the body as the tokenizer of the HTML standard does
(https://html.spec.whatwg.org/multipage/parsing.html#tokenization), with the changes of tokenizer
state that the tree builder asks for. So ``<script>`` in a comment, an attribute value or a
``textarea`` is text and stays, and ``<script><!--<script></script>--></script>`` is one element.
Where parsers in use read a passage differently, it stays too.

As in the standard, an element without an end tag reaches to the end of the body, and a start tag
that the body breaks off within is no element. An element stays if it is written ``<script/>``,
which ends there for lxml but not for browsers.

Everything from a passage on stays if it stands in ``svg`` or ``math``, where ``script`` and
``style`` may hold tags, and would end elsewhere when read as HTML. Which of the two it is, only a
tree could tell.
"""

from __future__ import annotations

import codecs
import html
import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from w3lib.encoding import read_bom, to_unicode

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

__all__ = ["STRIPPABLE", "check_elements", "strip_elements"]

STRIPPABLE = frozenset(
    {"script", "style", "iframe", "noembed", "noframes", "textarea", "title", "xmp"}
)
"""Elements that can be cut without a tree: the tokenizer reads their content as plain text, so the
first matching end tag ends them. Any other element may hold another of its name, or end without a
tag."""

_SPACE = r"\t\n\f\r "  # the whitespace of the standard; \s would add the vertical tab


def _tags(*names: str) -> str:
    """Return a pattern for what follows the ``<`` of these tags, up to the end of the name.

    Each letter is a class of two: faster than :data:`re.IGNORECASE`, and never more than ASCII. The
    look at the first letter spares most tags a walk through the alternatives.
    """
    initials = "".join(sorted({name[0] + name[0].upper() for name in names}))
    either = "|".join(
        "".join(f"[{c}{c.upper()}]" if c.isalpha() else c for c in name) for name in sorted(names)
    )
    return rf"(?=[{initials}])(?:{either})(?=[{_SPACE}/>])"


_NAME = rf"[^{_SPACE}/>][^{_SPACE}/>=]*"  # may begin with "="
_EQUALS = rf"[{_SPACE}]*=[{_SPACE}]*"
_VALUE = rf"""(?:"[^"]*(?:"|\Z)|'[^']*(?:'|\Z)|[^{_SPACE}>"'][^{_SPACE}>]*)"""
# Some attributes and the end of their tag. Cannot backtrack far: all is optional, so nothing fails;
# the alternatives begin with different characters; a run of spaces is read three times at most.
# The bound of the repetition keeps the memory of the regex engine small, see _end_of_tag().
_REST = rf"(?:[{_SPACE}]+|/(?!>)|{_NAME}(?:{_EQUALS}{_VALUE}?)?){{0,256}}(?P<close>/?>)?"
_REST_OF_TAG = re.compile(_REST)
_ATTRIBUTE = re.compile(rf"(?P<name>{_NAME})(?:{_EQUALS}(?P<value>{_VALUE}?))?")
# The beginning of a tag, comment, doctype or processing instruction.
_MARKUP = re.compile(rf"<(?:(?P<tag>/?[a-zA-Z][^{_SPACE}/>]*)|[!?]|/(?=[^a-zA-Z>]))")
_QUOTE_OR_BRACKET = re.compile("[\"'<]")
# The searches below look for a fixed beginning and then for at most a few characters more.
_COMMENT_END = re.compile(r"--!?>")
_RAW_TEXT_END = {name: re.compile("<" + _tags(f"/{name}")) for name in STRIPPABLE}
_SCRIPT_EVENT = re.compile(rf"<(?:!--|{_tags('/script')})")
_ESCAPED_EVENT = re.compile(rf"-->|<{_tags('script', '/script')}")

_FOREIGN = frozenset({"svg", "math"})
# Elements within svg and math that hold HTML again: there, the tags below do not end the svg.
_INTEGRATION = frozenset("foreignobject desc annotation-xml mi mo mn ms mtext".split())
# Tags that end an open svg or math. "font" does so too, with some attributes; left out to be safe.
_BREAKOUT = frozenset(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li "
    "listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var "
    "/p /br".split()
)
# What changes the state of the scan, in HTML and in foreign elements. All else is passed over.
_BOGUS_COMMENT = r"!(?!--)|\?|/[^a-zA-Z>]"
_EVENT = re.compile(rf"<(?:{_BOGUS_COMMENT}|(?P<tag>{_tags(*STRIPPABLE, *_FOREIGN, 'plaintext')}))")
_FOREIGN_TAGS = [slash + name for name in _FOREIGN | _INTEGRATION for slash in ("", "/")]
_FOREIGN_EVENT = re.compile(
    rf"<(?:{_BOGUS_COMMENT}|"
    rf"(?P<tag>{_tags(*STRIPPABLE, *_FOREIGN_TAGS, *_BREAKOUT, 'plaintext')}))"
)

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
_WORD = re.compile(r"[\w-]+")


def strip_elements(
    body: bytes,
    encoding: str = "utf-8",
    *,
    elements: Collection[str] = ("script", "style"),
    keep_types: Collection[str] = (),
    keep_words: Collection[str] = (),
) -> bytes:
    """Return *body* without what its *elements* hold; *body* itself if there is nothing to cut.

    >>> strip_elements(b"<p>one<script src=x>if (a < b) { f('<p>') }</script> two</p>")
    b'<p>one<script src=x></script> two</p>'

    *encoding* is the one that the body is decoded with; a byte order mark overrides it, and stays.
    The result has the same encoding and decodes to the same text less what was cut. Bytes that
    cannot be decoded stay as they are.

    *elements* are names out of :data:`STRIPPABLE`. A ``script`` is cut only if it is JavaScript as
    the standard defines it, by its ``type`` or without one; a ``style`` only if it is CSS. So data
    blocks stay, such as JSON-LD, JSON, templates and import maps:

    >>> strip_elements(b'<script type="application/json">{}</script><script>f()</script>')
    b'<script type="application/json">{}</script><script></script>'

    Elements of a type out of *keep_types* stay, too (case and parameters do not matter), and those
    with one of *keep_words* in their start tag, say as an ``id``:

    >>> strip_elements(b"<script id=state>a = 1</script><script>f()</script>", keep_words={"state"})
    b'<script id=state>a = 1</script><script></script>'

    An element also stays where parsers disagree about its end; the module says where.

    Time and memory are linear in the size of the body. No body raises; :exc:`ValueError` says that
    a name cannot be cut, and :exc:`LookupError` that Python does not know the encoding.
    """
    names = check_elements(elements)
    types = frozenset(_essence(value) for value in keep_types)
    words = frozenset(word.lower() for word in keep_words)
    return _without_code(body, _codec(body, encoding), names, types, words)


def _without_code(
    body: bytes, codec: str, names: frozenset[str], types: frozenset[str], words: frozenset[str]
) -> bytes:
    # One byte, one character: markup looks the same as in the real text, and no byte is lost.
    view = "latin-1" if _ASCII_SUPERSET.fullmatch(codec) else codec
    errors = "surrogatepass" if view.startswith("utf-") else "strict"
    try:
        text = body.decode(view, errors)
        if not _start_tag(names).search(text) or text.encode(view, errors) != body:
            return body
        cuts = [
            (element.content, element.content_end)
            for element in _elements(text)
            if element.name in names and element.is_code(types, words)
        ]
        kept = [piece.encode(view, errors) for piece in _between(cuts, text)]
    except UnicodeError:  # no way from the text back to the same bytes
        return body
    result = b"".join(kept)
    return result if cuts and _reads_as(result, kept, codec) else body


def check_elements(elements: Collection[str]) -> frozenset[str]:
    """Return the names in lower case, or raise :exc:`ValueError` that tells which are possible.

    >>> sorted(check_elements(["SCRIPT", "style"]))
    ['script', 'style']
    """
    if isinstance(elements, str):
        raise ValueError(f"elements must be a list of element names, not the string {elements!r}")
    for name in elements:
        if not isinstance(name, str) or name.lower() not in STRIPPABLE:
            possible = ", ".join(sorted(STRIPPABLE))
            raise ValueError(f"{name!r} cannot be cut before parsing; choose from {possible}")
    return frozenset(name.lower() for name in elements)


def _codec(body: bytes, encoding: str) -> str:
    """Return Python's name of the codec that w3lib, and so ``response.text``, would decode with."""
    codec = read_bom(body)[0] or codecs.lookup(encoding).name.removesuffix("-sig")
    return f"{codec}-be" if codec in {"utf-16", "utf-32"} else codec


def _between(cuts: list[tuple[int, int]], text: str) -> Iterator[str]:
    position = 0
    for start, end in cuts:
        yield text[position:start]
        position = end
    yield text[position:]


def _reads_as(result: bytes, kept: list[bytes], codec: str) -> bool:
    """Tell whether each piece reads as before. Each ends and begins with a tag, but who knows."""
    if codec == "utf-8":
        return True  # where no character has a part that looks like a bracket
    return to_unicode(result, codec) == "".join(to_unicode(piece, codec) for piece in kept)


@lru_cache(maxsize=16)
def _start_tag(names: frozenset[str]) -> re.Pattern[str]:
    """Match what cannot be missing where there is something to cut; (?!) never matches."""
    return re.compile(f"<{_tags(*names)}" if names else "(?!)")


class _Element(NamedTuple):
    """An element whose content is plain text to the tokenizer."""

    name: str  # lower case
    tag: str  # the start tag, with its attributes
    content: int  # where the content begins, and the start tag ends
    content_end: int  # where the content ends
    end: int  # of the end tag
    doubtful: bool  # parsers in use disagree about the end

    def is_code(self, keep_types: frozenset[str], keep_words: frozenset[str]) -> bool:
        """Tell whether the content is there, and certainly is what browsers run or apply."""
        if self.doubtful or self.content == self.content_end:
            return False
        tag = self.tag.lower()
        if keep_words and ("&" in tag or not keep_words.isdisjoint(_WORD.findall(tag))):
            return False
        kind = _type(self.name, tag) if self.name in _CODE else ""
        return kind in _CODE.get(self.name, ("",)) and _essence(kind) not in keep_types


def _type(name: str, tag: str) -> str:
    """Return the type of a script or style from its start tag, which is in lower case."""
    if "type" not in tag and "language" not in tag and "&" not in tag:
        return _DEFAULT_TYPE[name]  # nearly all elements
    attributes: dict[str, str] = {}
    for attribute in _ATTRIBUTE.finditer(tag, len(name) + 1, len(tag) - 1):
        value = attribute["value"] or ""
        value = value[1:-1] if value[:1] in {'"', "'"} else value
        attributes.setdefault(attribute["name"], html.unescape(value))
    if "type" in attributes:
        # A style's type is compared as it is.
        value = attributes["type"].strip("\t\n\f\r ") if name == "script" else attributes["type"]
        return value if attributes["type"] else _DEFAULT_TYPE[name]
    language = attributes.get("language") if name == "script" else None
    return f"text/{language}" if language else _DEFAULT_TYPE[name]


def _essence(mime_type: str) -> str:
    return mime_type.partition(";")[0].strip().lower()


def _elements(text: str) -> Iterator[_Element]:
    """Yield the elements with plain-text content, in order, until there is doubt."""
    foreign: list[str] = []  # the open svg, math and integration points
    position = 0
    while event := (_FOREIGN_EVENT if foreign else _EVENT).search(text, position):
        start = event.start()
        if not _is_surely_outside(text, position, start):
            position = _read_up_to(text, position, start)
            if position < 0:
                return
            if position > start:
                continue
        if not event["tag"]:
            position = _end_of_comment(text, start, in_foreign=bool(foreign))
            if position < 0:
                return
            continue
        name = event["tag"].lower()
        position, close = _end_of_tag(text, event.end())
        if not close or name == "plaintext":
            return  # all that follows is lost in the tag, or text
        if name in STRIPPABLE:
            element = _element(text, name, start, position, close, foreign)
            if foreign and element.doubtful:
                return
            yield element
            position = element.end
        else:
            _follow(foreign, name, is_empty=close == "/>")


def _is_surely_outside(text: str, position: int, start: int) -> bool:
    """Tell from the last few characters that *start* is outside of markup, in nearly all cases.

    *position* is outside, and between the two there are only ordinary tags, comments and text. So
    if *start* is within a comment, no ``-->`` follows the last ``<!--``. If it is within a tag, but
    outside of a value in quotes, then the ``<`` of the tag or a closing quote follows the last
    ``>``. And if it is within such a value, an ``=`` precedes the last quote of its kind.
    """
    if position == start:
        return True
    comment = text.rfind("<!--", position, start)
    if comment >= 0 and text.find("-->", comment + 2, start) < 0:
        return False
    after_bracket = text.rfind(">", position, start) + 1 or position
    if _QUOTE_OR_BRACKET.search(text, after_bracket, start):
        return False
    for quote in "\"'":
        last = text.rfind(quote, position, after_bracket)
        if last >= 0 and text[last - 1] in "=\t\n\f\r ":
            before = text[max(position, last - 50) : last].rstrip("\t\n\f\r ")
            if not before or before[-1] == "=":
                return False
    return True


def _read_up_to(text: str, position: int, start: int) -> int:
    """Return *start*, or the end of the markup around it, or -1 if that has no end."""
    while position < start:
        markup = _MARKUP.search(text, position, start)
        if not markup:
            return start
        if markup["tag"]:
            position, close = _end_of_tag(text, markup.end())
            position = position if close else -1
        else:
            position = _end_of_comment(text, markup.start())
        if position < 0:
            return -1
    return position


def _end_of_tag(text: str, position: int) -> tuple[int, str]:
    """Return where the tag ends and with what, ``>`` or ``/>``; nothing if *text* ends before.

    *position* is behind the name or an attribute.
    """
    if text.startswith(">", position):  # most tags of interest have no attributes
        return position + 1, ">"
    rest = _REST_OF_TAG.match(text, position)
    while rest and not rest["close"] and rest.end() < len(text):
        # One step at least: each character but ">" and "/>" begins an attribute or is between two.
        rest = _REST_OF_TAG.match(text, rest.end())
    return (rest.end(), rest["close"] or "") if rest else (position, "")


def _end_of_comment(text: str, start: int, *, in_foreign: bool = False) -> int:
    """Return the end of a comment, doctype or the like, or -1 for none or if in doubt about it."""
    if text.startswith("<!--", start):
        if text.startswith((">", "->"), start + 4):  # <!--> and <!---> are whole comments
            return text.index(">", start) + 1
        end = _COMMENT_END.search(text, start + 4)
        return end.end() if end else -1
    end_of_bogus = text.find(">", start + 2) + 1 or -1
    if in_foreign and text.startswith("<![CDATA[", start):
        return end_of_bogus if text.endswith("]]>", start + 9, end_of_bogus) else -1
    return end_of_bogus


def _element(
    text: str, name: str, start: int, content: int, close: str, foreign: list[str]
) -> _Element:
    """Return the element whose start tag reaches from *start* to *content* and ends in *close*."""
    tag = text[start:content]
    if close == "/>" and foreign and foreign[-1] in _FOREIGN:
        return _Element(name, tag, content, content, content, doubtful=False)  # empty, as in XML
    end_tag = _end_of_content(text, name, content)
    content_end = end = len(text)
    if end_tag:
        content_end = end_tag.start()
        end, _ = _end_of_tag(text, end_tag.end())
    doubtful = close == "/>" or (bool(foreign) and not _is_plain(text[content:content_end]))
    return _Element(name, tag, content, content_end, end, doubtful)


def _end_of_content(text: str, name: str, position: int) -> re.Match[str] | None:
    """Return the beginning of the end tag of the element whose content begins at *position*."""
    if name == "script":
        return _end_of_script(text, position)
    return _RAW_TEXT_END[name].search(text, position)


def _end_of_script(text: str, position: int) -> re.Match[str] | None:
    """Return the beginning of the end tag of a script, minding ``<!--`` and a ``<script>`` within.

    After ``<!--`` the first ``<script`` takes the next ``</script`` for itself, until ``-->``.
    """
    events, nested = _SCRIPT_EVENT, False
    while event := events.search(text, position):
        position = event.end()
        found = event.group().lower()
        if found == "<!--":
            events, nested = _ESCAPED_EVENT, False
            position -= 2  # these dashes may be those of "-->"
        elif found == "-->":
            events, nested = _SCRIPT_EVENT, False
        elif found == "<script":
            nested = True
        elif nested:
            nested = False
        else:
            return event
    return None


def _is_plain(content: str) -> bool:
    """Tell whether *content* has no markup but one CDATA section, and so ends where it seems to."""
    before, cdata, after = content.partition("<![CDATA[")
    return "<" not in before and "<" not in after and (not cdata or "]]>" in after)


def _follow(foreign: list[str], tag: str, *, is_empty: bool) -> None:
    """Update the open *foreign* elements at a tag; in doubt they stay open, which cuts less."""
    if tag in _BREAKOUT:
        while foreign and foreign[-1] in _FOREIGN:
            foreign.pop()
    elif tag[0] == "/":
        if tag[1:] == foreign[-1]:
            foreign.pop()
    elif not is_empty and (tag in _FOREIGN or tag in _INTEGRATION):
        foreign.append(tag)
