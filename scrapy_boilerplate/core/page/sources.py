"""Text of a page that no browser without scripts shows: JSON, templates, ``noscript``.

Pages that scripts put together keep their article in a state of JSON or in a template, images and
embeds in ``noscript``, and articles behind a paywall in JSON-LD. Such a source is used where the
visible tree has next to no running text, or a shorter beginning of the same text, and never else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from copy import deepcopy
from itertools import islice
from typing import Any, NamedTuple

from lxml import etree

from scrapy_boilerplate.core.page.declared_texts import declared_texts
from scrapy_boilerplate.core.page.lenient import attribute_of, tail_of, text_of
from scrapy_boilerplate.core.page.literals import load_literal
from scrapy_boilerplate.core.page.parser import parse_text
from scrapy_boilerplate.core.page.walk import Walk

LITTLE_PROSE = 1000
"""Characters outside of links; JSON is read only on a page that shows no more."""
LEAST_HIDDEN, TIMES_THE_PROSE = 400, 2
"""Characters of hidden text that is used: so many, so many times the visible text outside of links,
and more than all visible text."""

_MOST_JSON, _MOST_VALUES = 2_000_000, 200_000
"""Characters of one script, and values in it, that are looked through; the rest is left out."""
_LEAST_SCRIPT, _MOST_ASSIGNMENTS = 500, 20
_LEAST_PARAGRAPH = 40
"""Characters of a string that may be a paragraph."""
_MOSTLY = 0.6
"""Share of letters in prose, and of one value in the text of its group that is all of it."""
_MOST_PARAGRAPHS = 500
"""Visible paragraphs that are compared with a hidden text."""
_PROBES, _PROBE = 5, 40
"""Pieces of a text, and characters of each, that tell whether it is visible."""

# Each of these patterns reads a character once, so that none can backtrack.
_TAG = re.compile(r"<[^<>]*>")
_MARKUP = re.compile(r"<(?:p|br|div|h[1-6]|ul|ol|blockquote|section|article|figure)[\s/>]", re.I)
_CODE = re.compile(r"function\s?\(|=>|\{\{|\}\}|;\s*\}|</script", re.I)
_ASSIGNED = re.compile(
    # Also what SvelteKit and Remix give to a function, and Nuxt returns from one.
    r"(?:=|\bdata:|\.enqueue\(|__NUXT__=\(function\([\w$,]*\)\{return)\s*(?:JSON\.parse\()?"
    r"(?=[\[{\"'])"
)
_PUSHED = re.compile(r"__next_f\.push\((?=\[)")
_ROW = re.compile(rb"([0-9a-f]*):(?:T([0-9a-f]+),)?")
_ID = re.compile(r"\d|^[0-9a-f]{16,}$|:")
"""Keys that are names of things rather than of properties."""
ELEMENTS = ("noscript", "template")
"""Elements whose content is a part of the tree, and can be shown where it stands."""
SHOWN = "/html/body/main[1]/article[1]"
"""Where a tree shows what other sources hold."""
_LEAST_IN_ELEMENT = 1000
"""Characters of these; "Please enable JavaScript" and a form are shorter than a page's text."""
_TITLES = ("headline", "title", "name")
_IS_TEMPLATE = re.compile(r"template|^text/html$|handlebars|mustache", re.I)


class Hidden(NamedTuple):
    """The text that a page hides."""

    root: etree._Element
    """A tree that holds it: the page's own, or a copy of it."""
    source: str
    """The element that holds it, and its path in JSON: ``#__NEXT_DATA__: props.post.body``."""
    shows: frozenset[str] = frozenset()
    """Names of the elements of that tree that count as visible."""


class HiddenText(NamedTuple):
    """Paragraphs of a source, as text or as HTML."""

    source: str
    """As :attr:`Hidden.source`."""
    values: list[str]
    title: str = ""
    """The title that stands beside them."""

    @property
    def size(self) -> int:
        """Characters of text."""
        return sum(map(_size, self.values))

    @property
    def letters(self) -> str:
        """Text without white space, by which it is known again."""
        return letters("".join(map(_plain, self.values)))


def may_hide_text(read: Walk) -> bool:
    """Return whether a page has an element that may hold its text, and must be looked through."""
    if read.prose < LITTLE_PROSE:
        return read.hidden >= LEAST_HIDDEN or read.prose < LEAST_HIDDEN
    return read.article >= read.prose / TIMES_THE_PROSE


def find_hidden(root: etree._Element, read: Walk) -> Hidden | None:
    """Return the tree of a page with its hidden text, if that is the better part of it.

    *read* is what the page shows. Takes linear time, and never raises.
    """
    has_scripts = read.hidden >= LEAST_HIDDEN
    is_bare = read.prose < LITTLE_PROSE
    found = list(_texts(root, is_bare=is_bare) if has_scripts else _in_attributes(root))
    if not found:
        return None
    least = max(LEAST_HIDDEN, TIMES_THE_PROSE * read.prose, _size(read.buffer))
    sizes = [each.size for each in found]
    for size, text in sorted(zip(sizes, found, strict=True), key=lambda pair: -pair[0]):
        if size < LEAST_HIDDEN:
            break
        if size >= least or (text.source == "json-ld: articleBody" and _goes_on(text, read.buffer)):
            return show(root, text)
    return None


def hidden_texts(root: etree._Element, phrases: Collection[str] = ()) -> list[HiddenText]:
    """Return the texts of all sources of a page, however short, and whatever the page shows.

    Scripts without any of the *phrases* are left out, if there are any. Takes linear time, and
    never raises.
    """
    return list(_texts(root, is_bare=True, phrases=phrases))


def show(root: etree._Element, text: HiddenText) -> Hidden:
    """Return the tree of a page with one of its hidden texts."""
    if text.source in ELEMENTS:
        return Hidden(root, text.source, frozenset((text.source,)))
    return Hidden(_shown(root, text), text.source)


def _texts(
    root: etree._Element, *, is_bare: bool, phrases: Collection[str] | None = None
) -> Iterator[HiddenText]:
    """Yield the texts of all sources of a page; with *phrases*, none is too short."""
    if is_bare:
        yield from _in_attributes(root)
    inside: set[etree._Element] = set()  # what stands in a template is read with it
    for node in root.iter("script", *ELEMENTS):
        if node in inside or attribute_of(node, "shadowrootmode") is not None:
            continue  # which the page shows
        yield from _texts_of(node, is_bare=is_bare, phrases=phrases)
        if node.tag in ELEMENTS:
            inside.update(node.iter("script", *ELEMENTS))
    if is_bare:
        yield from _in_stream(root)


def _texts_of(
    node: etree._Element, *, is_bare: bool, phrases: Collection[str] | None
) -> Iterator[HiddenText]:
    """Yield what a script, a template or a ``noscript`` holds; JSON only on a bare page."""
    kind = (attribute_of(node, "type") or "").lower()
    name = attribute_of(node, "id") or ""
    if node.tag in ELEMENTS:
        if node.tag == "template" and not is_bare:
            return
        shown = " ".join(" ".join(_texts_in(node)).split())
        least = _LEAST_IN_ELEMENT if phrases is None else 0
        if len(shown) >= least and "{{" not in shown:
            yield HiddenText(node.tag, [shown])
        return
    text = text_of(node) or ""
    if not (_LEAST_SCRIPT if phrases is None else 0) <= len(text) <= _MOST_JSON:
        return
    if phrases and not any(each in text for each in phrases):
        return
    if "ld+json" in kind:
        if "articleBody" in text or is_bare:
            data = load_json(text)
            yield from _of_json(data, "json-ld", only=("articleBody", "text"))
            if is_bare:
                for type_, values, title in declared_texts(data):
                    yield HiddenText(f"json-ld: {type_}", values, title)
    elif not is_bare:
        return
    elif _IS_TEMPLATE.search(kind):
        if "{{" not in text:
            yield HiddenText(f"script#{name}" if name else f"script[{kind}]", [text])
    elif "json" in kind:
        yield from _of_json(load_json(text), f"#{name}" if name else kind)
    elif not kind or "javascript" in kind or kind == "module":
        yield from _of_code(text)


def _texts_in(top: etree._Element) -> Iterator[str]:
    """Yield the texts in an element, without those of scripts and styles."""
    for node in top.iter():
        if isinstance(node.tag, str) and node.tag not in ("script", "style"):
            yield text_of(node) or ""
        if node is not top:
            yield tail_of(node) or ""


def _in_attributes(root: etree._Element) -> Iterator[HiddenText]:
    """Yield what ``data-`` attributes of JSON hold, in which some frameworks keep their state."""
    body = root.find("body")
    for node in body[:_MOST_ASSIGNMENTS] if body is not None else ():
        for name in node.keys() if isinstance(node.tag, str) else ():
            value = attribute_of(node, name) or "" if name.startswith("data-") else ""
            if value[:1] in ("{", "[") and _LEAST_SCRIPT <= len(value) <= _MOST_JSON:
                yield from _of_json(load_json(value), f"[{name}]")


# -- JSON ------------------------------------------------------------------------------------


def load_json(text: str) -> Any:
    r"""Return the value of JSON, ``None`` if it is broken or nested too deeply.

    >>> load_json('{"a": "line\nbreak"}'), load_json("[" * 100_000), load_json("NaN")
    ({'a': 'line\nbreak'}, None, None)
    """
    try:
        return json.loads(text, strict=False, parse_constant=lambda constant: None)
    except (ValueError, RecursionError):
        return None


def _of_code(text: str) -> Iterator[HiddenText]:
    """Yield what JavaScript assigns as JSON."""
    for value in _decoded(text, _ASSIGNED):
        if isinstance(value, str):
            value = load_json(value)
        # Settings and labels of a program are many short texts; articles are one, or HTML.
        for found in _of_json(value, "script"):
            if len(found.values) == 1 or all(map(_MARKUP.search, found.values)):
                yield found


def _in_stream(root: etree._Element) -> Iterator[HiddenText]:
    """Yield what scripts stream in pieces: the rows of React's server components."""
    texts = (text_of(node) or "" for node in root.iter("script"))
    pushed = [
        value[1]
        for text in texts
        if "__next_f.push(" in text and len(text) <= _MOST_JSON
        for value in _decoded(text, _PUSHED)
        if isinstance(value, list) and len(value) > 1 and isinstance(value[1], str)
    ]
    for row in _rows("".join(pushed).encode("utf-8", "replace")):
        yield from _of_json(row, "__next_f")


def _decoded(text: str, before: re.Pattern[str]) -> Iterator[Any]:
    """Yield the JSON or JavaScript values behind a pattern; each part of the text is read twice."""
    decoder = json.JSONDecoder(strict=False)
    start = 0
    for _ in range(_MOST_ASSIGNMENTS):
        match = before.search(text, start)
        if match is None:
            return
        start = match.end()
        for read in (decoder.raw_decode, load_literal):
            try:
                value, start = read(text, start)
            except (ValueError, RecursionError):
                continue
            yield value
            break


def _rows(stream: bytes) -> Iterator[Any]:
    """Yield the values of a stream of server components: rows of JSON, and texts of known size."""
    start = 0
    while match := _ROW.match(stream, start):
        size = match.group(2)
        if size is not None:
            stop = match.end() + int(size[:8], 16)
            yield {"text": stream[match.end() : stop].decode("utf-8", "replace")}
        else:
            stop = stream.find(b"\n", match.end())
            stop = len(stream) if stop < 0 else stop + 1
            yield load_json(stream[match.end() : stop].decode("utf-8", "replace"))
        start = stop


class _JsonStrings:
    """The strings in JSON with one path, but for numbers and names of things."""

    def __init__(self) -> None:
        self.values: list[str] = []
        self.holder: Any = None
        self.holders = 0
        self._open: int | None = None

    def add(self, value: str, holder: Any, above: int) -> None:
        """Add a string; one that is a piece of a paragraph is joined to those beside it."""
        is_piece = isinstance(holder, dict) and (
            holder.get("type") == "text" or holder.get("_type") == "span" or "marks" in holder
        )
        if is_piece and self._open == above:
            self.values[-1] += value
        elif is_piece or _is_prose(value):
            self.values.append(value)
            self.holders += holder is not self.holder
            self.holder = holder
        self._open = above if is_piece else None


def _of_json(data: Any, name: str, only: tuple[str, ...] = ()) -> Iterator[HiddenText]:
    """Yield the strings of *data* that are prose, by their path."""
    groups: dict[tuple[str, ...], _JsonStrings] = {}
    todo: list[tuple[Any, tuple[str, ...], Any, int]] = [(data, (), None, 0)]
    for _ in range(_MOST_VALUES):
        if not todo:
            break
        value, path, holder, above = todo.pop()
        if isinstance(value, str):
            may_be_json = value[:1] in ("{", "[") and len(value) > _LEAST_PARAGRAPH
            inner = load_json(value) if may_be_json else None
            if inner is not None:  # JSON in JSON
                todo.append((inner, path, holder, above))
            elif not only or path[-1:] in [(each,) for each in only]:
                groups.setdefault(path, _JsonStrings()).add(value, holder, above)
        elif isinstance(value, dict):
            for key, each in reversed(value.items()):
                todo.append((each, _below(path, "*" if _ID.search(key) else key), value, above))
        elif isinstance(value, list):
            below = _below(path, "*")
            todo += [(each, below, holder, id(value)) for each in reversed(value)]
    for path, group in groups.items():
        values = group.values
        if len(values) > 1 and not only:
            longest = max(values, key=len)
            if len(longest) >= _MOSTLY * sum(map(len, values)):
                values = [longest]
        if values:
            title = group.holder if group.holders == 1 else None
            shown = path[-1] if only else ".".join(path)
            yield HiddenText(f"{name}: {shown}", values, _title_in(title))


def _below(path: tuple[str, ...], key: str) -> tuple[str, ...]:
    """Return the path of a value; elements of one name inside one another count once."""
    if key == "*" and path[-3:-1] == (*path[-1:], "*"):
        return path[:-1]
    return (*path, key) if len(path) < 30 else path


def _title_in(holder: Any) -> str:
    """Return the title beside a text."""
    if not isinstance(holder, dict):
        return ""
    found = (holder.get(name) for name in _TITLES)
    return next((each for each in found if isinstance(each, str) and len(each) < 300), "")


# -- prose -----------------------------------------------------------------------------------


def _is_prose(value: str) -> bool:
    """Return whether a string reads as text rather than as code, an address or a name."""
    text = _plain(value[:2000])
    if len(text) < _LEAST_PARAGRAPH or _CODE.search(text):
        return False
    letters = sum(map(str.isalpha, text)) + text.count(" ")
    has_words = text.count(" ") * 15 > len(text) or not text.isascii()
    return letters >= _MOSTLY * len(text) and has_words


def _plain(value: str) -> str:
    """Return a text, or the text of HTML, with white space collapsed."""
    return " ".join(_TAG.sub(" ", value).split())


def _size(value: str) -> int:
    return len(_plain(value))


def letters(text: str) -> str:
    """Return a text without white space."""
    return "".join(text.split())


def _goes_on(text: HiddenText, visible: str) -> bool:
    """Return whether a page shows the beginning of a text, and none of the rest of it."""
    shown = letters(visible)
    return text.letters[:_PROBE] in shown and is_unseen(text, shown)


def begins_in(text: HiddenText, shown: str) -> bool:
    """Return whether a piece of a text's beginning, which may be its title, is among letters."""
    whole = text.letters[: _PROBES * _PROBE]
    starts = range(0, len(whole), _PROBE)
    return any(whole[start : start + _PROBE] in shown for start in starts)


def is_unseen(text: HiddenText, shown: str) -> bool:
    """Return whether nothing of a text's second half is among the letters of a page."""
    whole = text.letters
    last = max(0, len(whole) - _PROBE)
    half = min(len(whole) // 2, last)
    starts = range(half, last + 1, max(1, (last - half) // _PROBES))
    return not any(whole[start : start + _PROBE] in shown for start in starts)


# -- the tree --------------------------------------------------------------------------------


def _shown(root: etree._Element, text: HiddenText) -> etree._Element:
    """Return a copy of a tree that shows a hidden text first, and what was shown of it no more."""
    copy = deepcopy(root)
    body = copy.find("body")
    if body is None:
        body = etree.SubElement(copy, "body")
    whole = letters("".join(map(_plain, text.values)))
    for each in list(islice(body.iter("p"), _MOST_PARAGRAPHS)):
        shown = letters("".join(each.itertext()))
        if len(shown) >= _PROBE and shown in whole:
            each.tag = "template"
    main = etree.Element("main")
    article = etree.SubElement(main, "article")
    if text.title:
        etree.SubElement(article, "h1").text = _clean(_plain(text.title))
    for value in text.values:
        if _MARKUP.search(value):
            part = etree.SubElement(article, "section" if len(text.values) > 1 else "div")
            _move(parse_text(f"<div>{value}</div>"), part)
        else:
            for line in filter(str.strip, value.splitlines()):
                etree.SubElement(article, "p").text = _clean(line.strip())
    body.insert(0, main)
    return copy


def _move(parsed: etree._Element, part: etree._Element) -> None:
    """Move what stands in the ``body`` of a parsed piece of HTML into a *part* of a page."""
    body = parsed.find("body")
    for each in body if body is not None else ():
        part.append(each)


def _clean(text: str) -> str:
    """Return a text that a tree can hold."""
    return "".join(each for each in text if each.isprintable() or each == "\t")
