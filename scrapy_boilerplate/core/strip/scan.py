"""Find the elements of an HTML page whose content is plain text, such as ``script``.

The scan reads the page as the tokenizer of the HTML standard does
(https://html.spec.whatwg.org/multipage/parsing.html#tokenization), with the changes of tokenizer
state that the tree builder asks for. So ``<script>`` in a comment, an attribute value or a
``textarea`` is text, and ``<script><!--<script></script>--></script>`` is one element.

As in the standard, an element without an end tag reaches to the end of the page, and a start tag
that the page breaks off within is no element. An element whose end parsers in use see in different
places is doubtful, such as ``<script/>``, which ends there for lxml but not for browsers.

The scan ends at an element that is doubtful in ``svg`` or ``math``, where ``script`` and ``style``
may hold tags, and would end elsewhere when read as HTML. Which of the two it is, only a tree could
tell.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from scrapy_boilerplate.core.native import load_native

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ATTRIBUTE", "PLAIN_TEXT", "Element", "find_elements"]

PLAIN_TEXT = frozenset(
    {"script", "style", "iframe", "noembed", "noframes", "textarea", "title", "xmp"}
)
"""Elements whose content the tokenizer reads as plain text, so the first matching end tag ends
them. Any other element may hold another of its name, or end without a tag."""


class Element(NamedTuple):
    """An element whose content is plain text to the tokenizer, by offsets in the page."""

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


def _compiled(pattern: str) -> re.Pattern[bytes]:
    return re.compile(pattern.encode())


_NAME = rf"[^{_SPACE}/>][^{_SPACE}/>=]*"  # may begin with "="
_EQUALS = rf"[{_SPACE}]*=[{_SPACE}]*"
_VALUE = rf"""(?:"[^"]*(?:"|\Z)|'[^']*(?:'|\Z)|[^{_SPACE}>"'][^{_SPACE}>]*)"""
# Some attributes and the end of their tag. Cannot backtrack far: all is optional, so nothing fails;
# the alternatives begin with different characters; a run of spaces is read three times at most.
# The bound of the repetition keeps the memory of the regex engine small, see _end_of_tag().
_REST = rf"(?:[{_SPACE}]+|/(?!>)|{_NAME}(?:{_EQUALS}{_VALUE}?)?){{0,256}}(?P<close>/?>)?"
_REST_OF_TAG = _compiled(_REST)
ATTRIBUTE = _compiled(rf"(?P<name>{_NAME})(?:{_EQUALS}(?P<value>{_VALUE}?))?")
"""An attribute of a tag; its value may stand in quotes."""
# The beginning of a tag, comment, doctype or processing instruction.
_MARKUP = _compiled(rf"<(?:(?P<tag>/?[a-zA-Z][^{_SPACE}/>]*)|[!?]|/(?=[^a-zA-Z>]))")
_QUOTE_OR_BRACKET = _compiled("[\"'<]")
# The searches below look for a fixed beginning and then for at most a few characters more.
_COMMENT_END = _compiled(r"--!?>")
_RAW_TEXT_END = {name: _compiled("<" + _tags(f"/{name}")) for name in PLAIN_TEXT}
_SCRIPT_EVENT = _compiled(rf"<(?:!--|{_tags('/script')})")
_ESCAPED_EVENT = _compiled(rf"-->|<{_tags('script', '/script')}")

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
_EVENT = _compiled(rf"<(?:{_BOGUS_COMMENT}|(?P<tag>{_tags(*PLAIN_TEXT, *_FOREIGN, 'plaintext')}))")
_FOREIGN_TAGS = [slash + name for name in _FOREIGN | _INTEGRATION for slash in ("", "/")]
_FOREIGN_EVENT = _compiled(
    rf"<(?:{_BOGUS_COMMENT}|"
    rf"(?P<tag>{_tags(*PLAIN_TEXT, *_FOREIGN_TAGS, *_BREAKOUT, 'plaintext')}))"
)


def _find_elements(page: bytes) -> list[Element]:
    found: list[Element] = []
    foreign: list[str] = []  # the open svg, math and integration points
    position = 0
    while event := (_FOREIGN_EVENT if foreign else _EVENT).search(page, position):
        start = event.start()
        if not _is_surely_outside(page, position, start):
            position = _read_up_to(page, position, start)
            if position < 0:
                return found
            if position > start:
                continue
        if not event["tag"]:
            position = _end_of_comment(page, start, in_foreign=bool(foreign))
            if position < 0:
                return found
            continue
        name = event["tag"].lower().decode()
        position, close = _end_of_tag(page, event.end())
        if not close or name == "plaintext":
            return found  # all that follows is lost in the tag, or text
        if name in PLAIN_TEXT:
            element = _element(page, name, start, position, close, foreign)
            if foreign and element.doubtful:
                return found
            found.append(element)
            position = element.end
        else:
            _follow(foreign, name, is_empty=close == b"/>")
    return found


def _is_surely_outside(page: bytes, position: int, start: int) -> bool:
    """Tell from the last few characters that *start* is outside of markup, in nearly all cases.

    *position* is outside, and between the two there are only ordinary tags, comments and text. So
    if *start* is within a comment, no ``-->`` follows the last ``<!--``. If it is within a tag, but
    outside of a value in quotes, then the ``<`` of the tag or a closing quote follows the last
    ``>``. And if it is within such a value, an ``=`` precedes the last quote of its kind.
    """
    if position == start:
        return True
    comment = page.rfind(b"<!--", position, start)
    if comment >= 0 and page.find(b"-->", comment + 2, start) < 0:
        return False
    after_bracket = page.rfind(b">", position, start) + 1 or position
    if _QUOTE_OR_BRACKET.search(page, after_bracket, start):
        return False
    for quote in (b'"', b"'"):
        last = page.rfind(quote, position, after_bracket)
        if last >= 0 and page[last - 1] in b"=\t\n\f\r ":
            before = page[max(position, last - 50) : last].rstrip(b"\t\n\f\r ")
            if not before or before.endswith(b"="):
                return False
    return True


def _read_up_to(page: bytes, position: int, start: int) -> int:
    """Return *start*, or the end of the markup around it, or -1 if that has no end."""
    while position < start:
        markup = _MARKUP.search(page, position, start)
        if not markup:
            return start
        if markup["tag"]:
            position, close = _end_of_tag(page, markup.end())
            position = position if close else -1
        else:
            position = _end_of_comment(page, markup.start())
        if position < 0:
            return -1
    return position


def _end_of_tag(page: bytes, position: int) -> tuple[int, bytes]:
    """Return where the tag ends and with what, ``>`` or ``/>``; nothing if the page ends before.

    *position* is behind the name or an attribute.
    """
    if page.startswith(b">", position):  # most tags of interest have no attributes
        return position + 1, b">"
    rest = _REST_OF_TAG.match(page, position)
    while rest and not rest["close"] and rest.end() < len(page):
        # One step at least: each character but ">" and "/>" begins an attribute or is between two.
        rest = _REST_OF_TAG.match(page, rest.end())
    return (rest.end(), rest["close"] or b"") if rest else (position, b"")


def _end_of_comment(page: bytes, start: int, *, in_foreign: bool = False) -> int:
    """Return the end of a comment, doctype or the like, or -1 for none or if in doubt about it."""
    if page.startswith(b"<!--", start):
        if page.startswith((b">", b"->"), start + 4):  # <!--> and <!---> are whole comments
            return page.index(b">", start) + 1
        end = _COMMENT_END.search(page, start + 4)
        return end.end() if end else -1
    end_of_bogus = page.find(b">", start + 2) + 1 or -1
    if in_foreign and page.startswith(b"<![CDATA[", start):
        return end_of_bogus if page.endswith(b"]]>", start + 9, end_of_bogus) else -1
    return end_of_bogus


def _element(
    page: bytes, name: str, start: int, content: int, close: bytes, foreign: list[str]
) -> Element:
    """Return the element whose start tag reaches from *start* to *content* and ends in *close*."""
    if close == b"/>" and foreign and foreign[-1] in _FOREIGN:
        return Element(name, start, content, content, content, doubtful=False)  # empty, as in XML
    end_tag = _end_of_content(page, name, content)
    content_end = end = len(page)
    if end_tag:
        content_end = end_tag.start()
        end, _ = _end_of_tag(page, end_tag.end())
    doubtful = close == b"/>" or (bool(foreign) and not _is_plain(page[content:content_end]))
    return Element(name, start, content, content_end, end, doubtful)


def _end_of_content(page: bytes, name: str, position: int) -> re.Match[bytes] | None:
    """Return the beginning of the end tag of the element whose content begins at *position*."""
    if name == "script":
        return _end_of_script(page, position)
    return _RAW_TEXT_END[name].search(page, position)


def _end_of_script(page: bytes, position: int) -> re.Match[bytes] | None:
    """Return the beginning of the end tag of a script, minding ``<!--`` and a ``<script>`` within.

    After ``<!--`` the first ``<script`` takes the next ``</script`` for itself, until ``-->``.
    """
    events, nested = _SCRIPT_EVENT, False
    while event := events.search(page, position):
        position = event.end()
        found = event.group().lower()
        if found == b"<!--":
            events, nested = _ESCAPED_EVENT, False
            position -= 2  # these dashes may be those of "-->"
        elif found == b"-->":
            events, nested = _SCRIPT_EVENT, False
        elif found == b"<script":
            nested = True
        elif nested:
            nested = False
        else:
            return event
    return None


def _is_plain(content: bytes) -> bool:
    """Tell whether *content* has no markup but one CDATA section, and so ends where it seems to."""
    before, cdata, after = content.partition(b"<![CDATA[")
    return b"<" not in before and b"<" not in after and (not cdata or b"]]>" in after)


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


# -- which scan is used ----------------------------------------------------------------------

_NATIVE = "core.strip._scan_native"


def _compiled_scan() -> Callable[[bytes], list[Element]] | None:
    scan = load_native(_NATIVE, "Scan")
    if scan is None:
        return None
    found: Callable[[bytes], list[Element]] = scan(
        Element, (PLAIN_TEXT, _FOREIGN, _INTEGRATION, _BREAKOUT)
    ).elements
    return found


find_elements: Callable[[bytes], list[Element]] = _compiled_scan() or _find_elements
"""Return the elements of a page that hold plain text, in order, until there is doubt.

The page is in UTF-8 or another encoding in which a byte of markup is never a part of another
character.
"""
