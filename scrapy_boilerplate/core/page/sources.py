"""Text of a page that no browser without scripts shows: JSON, templates, ``noscript``.

Pages that scripts put together keep their article in a state of JSON or in a template, images and
embeds in ``noscript``, and articles behind a paywall in JSON-LD. Such a source is used where the
visible tree has next to no running text, or a shorter beginning of the same text, and never else:
it must be longer than what the page shows, and this page's. JSON is that if it holds the page's
title or the end of its address, and is no list of other things, each with a title and an address.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from copy import deepcopy
from functools import partial
from html import unescape
from itertools import islice
from typing import Any, NamedTuple

from lxml import etree

from scrapy_boilerplate.core.page.declared_texts import declared_texts
from scrapy_boilerplate.core.page.lenient import attribute_of, tail_of, text_of
from scrapy_boilerplate.core.page.literals import MOST_TOKENS, load_literal
from scrapy_boilerplate.core.page.trees import parse_text
from scrapy_boilerplate.core.page.walk import Walk

LITTLE_PROSE = 1000  # characters outside of links; JSON is read only on a page that shows no more
LEAST_HIDDEN, TIMES_THE_PROSE = 400, 2
"""Characters of hidden text that is used: so many, so many times the visible text outside of links,
and more than all visible text."""

_MOST_JSON, _MOST_VALUES = 2_000_000, 200_000
"""Characters of one script, and values in it, that are looked through; the rest is left out."""
_LEAST_SCRIPT, _MOST_ASSIGNMENTS = 100, 20
_LEAST_PARAGRAPH = 40  # characters of a string that may be a paragraph
_MOSTLY = 0.6
"""Share of letters in prose, and of one value in the text of its group that is all of it."""
_MOST_PARAGRAPHS = 500  # visible paragraphs that are compared with a hidden text
_PROBES, _PROBE = 5, 40  # pieces of a text, and characters of each, that tell whether it is visible

# Each of these patterns reads a character once, so that none can backtrack.
_TAG = re.compile(r"<[^<>]*>")
_MARKUP = re.compile(r"<(?:p|br|div|h[1-6]|ul|ol|blockquote|section|article|figure)[\s/>]", re.I)
_ABOUT_SCRIPTS = re.compile(r"java ?script|\bscripts?\b|\bjs\b|browser|браузер|浏览器", re.I)
_CODE = re.compile(r"function\s?\(|=>|\{\{|\}\}|;\s*\}|</script", re.I)
_ASSIGNED = re.compile(
    # Also what SvelteKit and Remix give to a function, and Nuxt returns from one.
    r"(?:=|\bdata:|\.enqueue\(|__NUXT__=\(function\([\w$,]*\)\{return)\s*(?:JSON\.parse\()?"
    r"(?=[\[{\"'])"
)
_PUSHED = re.compile(r"__next_f\.push\((?=\[)")
_ROW = re.compile(rb"([0-9a-f]*):(?:T([0-9a-f]+),)?")
_ID = re.compile(r"\d|^[0-9a-f]{16,}$|:")  # keys that are names of things rather than of properties
ELEMENTS = ("noscript", "template")
"""Elements whose content is a part of the tree, and can be shown where it stands."""
SHOWN = "/html/body/main[1]/article[1]"  # where a tree shows what other sources hold
_LEAST_IN_ELEMENT = 1000
"""Characters of these, but for a ``noscript`` with prose; demands for scripts are shorter."""
_TITLES = ("headline", "title", "name")
_LINKS = frozenset(("url", "href", "link", "slug", "permalink", "path", "uri"))
_DISCUSSIONS = frozenset("posts comments replies answers messages".split())
"""Keys of lists whose entries are of one page, though each may have a name and an address."""
_OF_ONE_PAGE = frozenset(("json-ld", "template"))
"""Sources that hold other pages' texts only beside something that is shown."""
_LONGEST_KEY, _LONGEST_TITLE, _LEAST_NAME, _LEAST_IN_CODE = 60, 300, 4, 8
"""Characters of a key that is the name of a property, of a title, and of what tells a page, also
somewhere in a script."""
_TITLE_PARTS = re.compile(r"\s+[|–—·:»-]\s+|\s[|]|:\s")
_IN_HEAD = frozenset(("og:title", "twitter:title"))
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

    element: str
    """The element that holds it: ``#__NEXT_DATA__``."""
    values: list[str]
    title: str = ""
    """The title that stands beside them."""
    path: tuple[str, ...] = ()
    """The path in its JSON."""
    is_own: bool = True
    """Whether it is the page's own text, judged by the names beside it."""

    @property
    def source(self) -> str:
        """As :attr:`Hidden.source`; joined on demand, since JSON has many paths."""
        return f"{self.element}: {'.'.join(self.path)}" if self.path else self.element

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
        return read.hidden >= (1 if read.prose < _LEAST_PARAGRAPH else LEAST_HIDDEN)
    return read.article >= read.prose / TIMES_THE_PROSE


def find_hidden(root: etree._Element, read: Walk, addresses: Collection[str]) -> Hidden | None:
    """Return the tree of a page with its hidden text, if that is the better part of it."""
    is_bare, is_blank = read.prose < LITTLE_PROSE, read.prose < _LEAST_PARAGRAPH
    names, shown = _names(root, addresses), letters(read.buffer)
    least = _LEAST_PARAGRAPH if is_blank else LEAST_HIDDEN
    found = [
        each
        for each in _Sources(root, is_bare=is_bare, least=least, names=names).texts()
        if each.is_own
        or (begins_in(each, shown) if shown else False)
        or (is_blank and each.element in _OF_ONE_PAGE)
    ]
    least = max(LEAST_HIDDEN, TIMES_THE_PROSE * read.prose, _size(read.buffer))
    is_short = [
        is_blank and (each.element == "noscript" or _name(each.title) in names) for each in found
    ]
    if any(is_short):
        least = min(least, _LEAST_PARAGRAPH)
    sizes = zip((each.size for each in found), found, is_short, strict=True)
    for size, text, may_be_short in sorted(sizes, key=lambda each: -each[0]):
        if size < LEAST_HIDDEN and not may_be_short:
            continue
        if size >= least or (text.source == "json-ld: articleBody" and _goes_on(text, read.buffer)):
            return show(root, text)
    return None


def hidden_texts(root: etree._Element, phrases: Collection[str] = ()) -> list[HiddenText]:
    """Return the texts of all sources, of scripts only those with one of the *phrases*."""
    return list(_Sources(root, is_bare=True, phrases=phrases).texts())


def show(root: etree._Element, text: HiddenText) -> Hidden:
    """Return the tree of a page with one of its hidden texts."""
    if text.source in ELEMENTS:
        return Hidden(root, text.source, frozenset((text.source,)))
    return Hidden(_shown(root, text), text.source)


def _names(root: etree._Element, addresses: Collection[str]) -> frozenset[str]:
    """Return what tells a page: its titles, their parts, and the ends of its addresses."""
    found = []
    titled = (
        node
        for node in root.iter("title", "h1", "meta")
        if node.tag != "meta"
        or not _IN_HEAD.isdisjoint((attribute_of(node, "property"), attribute_of(node, "name")))
    )
    for node in islice(titled, _MOST_ASSIGNMENTS):
        value = attribute_of(node, "content") or "".join(_texts_in(node))
        found += [value, *_TITLE_PARTS.split(value[:_LONGEST_TITLE])]
    paths = [each.partition("?")[0].rstrip("/") for each in addresses]
    found += [*addresses, *paths, *(path.rpartition("/")[2] for path in paths)]
    return frozenset(each for each in map(_name, found) if len(each) >= _LEAST_NAME)


def _name(value: str) -> str:
    return " ".join(value[:_LONGEST_TITLE].casefold().split())


class _Sources:
    """Reads what a page holds besides what it shows: texts of any size if there are *phrases*."""

    def __init__(
        self,
        root: etree._Element,
        *,
        is_bare: bool,
        least: int = 0,
        names: Collection[str] = (),
        phrases: Collection[str] | None = None,
    ) -> None:
        self._root, self._is_bare, self._names, self._phrases = root, is_bare, names, phrases
        self._least, self._least_template, self._least_script = (
            (least, _LEAST_IN_ELEMENT, _LEAST_SCRIPT) if phrases is None else (0, 1, 0)
        )
        self._budget = iter(range(MOST_TOKENS))
        self._streamed: list[str] = []

    def texts(self) -> Iterator[HiddenText]:
        """Yield the texts of all sources; JSON only of a bare page."""
        if self._is_bare:
            yield from self._in_attributes()
        inside: set[etree._Element] = set()  # what stands in a template is read with it
        for node in self._root.iter("script", *ELEMENTS):
            if node in inside or attribute_of(node, "shadowrootmode") is not None:
                continue  # which the page shows
            if node.tag == "script":
                yield from self._in_script(node)
            else:
                yield from self._in_element(node)
                inside.update(node.iter("script", *ELEMENTS))
        if self._is_bare:
            yield from self._in_stream()

    def _in_element(self, node: etree._Element) -> Iterator[HiddenText]:
        shown = " ".join(" ".join(_texts_in(node)).split())
        if node.tag == "noscript":  # a demand for scripts is short
            is_prose = _is_prose(shown) and not _ABOUT_SCRIPTS.search(shown)
            if len(shown) >= max(self._least, 1 if is_prose else _LEAST_IN_ELEMENT):
                yield HiddenText("noscript", [shown])
        elif self._is_bare and len(shown) >= self._least_template and "{{" not in shown:
            said = shown.casefold()
            is_own = not self._names or any(name in said for name in self._names)
            yield HiddenText("template", [shown], is_own=is_own)

    def _in_script(self, node: etree._Element) -> Iterator[HiddenText]:
        text = text_of(node) or ""
        if len(text) > _MOST_JSON:
            return
        if "__next_f.push(" in text:
            self._streamed.append(text)
        if len(text) < self._least_script:
            return
        if self._phrases and not any(each in text for each in self._phrases):
            return
        kind = (attribute_of(node, "type") or "").lower()
        name = attribute_of(node, "id") or ""
        if "ld+json" in kind:
            if "articleBody" in text or self._is_bare:
                data = load_json(text)
                yield from self._of_json(data, "json-ld", only=("articleBody", "text"))
                if self._is_bare:
                    for type_, values, title in declared_texts(data):
                        yield HiddenText("json-ld", values, title, (type_,))
        elif not self._is_bare:
            return
        elif _IS_TEMPLATE.search(kind):
            if "{{" not in text:
                yield HiddenText(f"script#{name}" if name else f"script[{kind}]", [text])
        elif "json" in kind:
            yield from self._of_json(load_json(text), f"#{name}" if name else kind)
        elif not kind or "javascript" in kind or kind == "module":
            yield from self._in_code(text)

    def _in_attributes(self) -> Iterator[HiddenText]:
        """Yield what ``data-`` attributes hold, in which some frameworks keep their state."""
        body = self._root.find("body")
        for node in body[:_MOST_ASSIGNMENTS] if body is not None else ():
            for name in node.keys() if isinstance(node.tag, str) else ():
                value = attribute_of(node, name) or "" if name.startswith("data-") else ""
                if value[:1] in ("{", "[") and _LEAST_SCRIPT <= len(value) <= _MOST_JSON:
                    yield from self._of_json(load_json(value), f"[{name}]")

    def _in_code(self, text: str) -> Iterator[HiddenText]:
        """Yield what JavaScript assigns as JSON."""
        said = text.casefold()
        # A name may be an argument of the function that returns the text.
        is_own = any(len(name) >= _LEAST_IN_CODE and name in said for name in self._names)
        for value in _decoded(text, _ASSIGNED, self._budget):
            data = load_json(value) if isinstance(value, str) else value
            # Settings and labels of a program are many short texts; articles are one, or HTML.
            for found in self._of_json(data, "script", is_own=is_own):
                if len(found.values) == 1 or all(map(_MARKUP.search, found.values)):
                    yield found

    def _in_stream(self) -> Iterator[HiddenText]:
        """Yield what scripts stream in pieces: the rows of React's server components."""
        pushed = [
            value[1]
            for text in self._streamed
            for value in _decoded(text, _PUSHED, self._budget)
            if isinstance(value, list) and len(value) > 1 and isinstance(value[1], str)
        ]
        rows = list(_rows("".join(pushed).encode("utf-8", "replace")))
        yield from self._of_json(rows, "__next_f", depth=1)

    def _of_json(
        self,
        data: Any,
        name: str,
        *,
        only: tuple[str, ...] = (),
        depth: int = 0,
        is_own: bool = False,
    ) -> Iterator[HiddenText]:
        """Yield the strings that are prose, by their path without its first *depth* keys.

        They are the page's own if one of its names stands beside them.
        """
        groups: dict[tuple[str, ...], _JsonStrings] = {}
        is_own |= not self._names
        todo: list[tuple[Any, tuple[str, ...], Any, int]] = [(data, (), None, 0)]
        for _ in range(_MOST_VALUES):
            if not todo:
                break
            value, path, holder, above = todo.pop()
            if isinstance(value, str):
                if "<" not in value and "&lt;/" in value:  # escaped as if it stood in the page
                    value = unescape(value)
                may_be_json = value[:1] in ("{", "[") and len(value) > _LEAST_PARAGRAPH
                inner = load_json(value) if may_be_json else None
                if inner is not None:  # JSON in JSON
                    todo.append((inner, path, holder, above))
                    continue
                is_own = is_own or (len(value) <= _LONGEST_TITLE and _name(value) in self._names)
                if not only or path[-1:] in [(each,) for each in only]:
                    groups.setdefault(path, _JsonStrings()).add(value, holder, above)
            elif isinstance(value, dict):
                for key, each in reversed(value.items()):
                    is_name = len(key) > _LONGEST_KEY or _ID.search(key)
                    todo.append((each, _below(path, "*" if is_name else key), value, above))
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
                # Sections may have titles, too, but begin with what the page shows.
                listed = group.linked if self._least < LEAST_HIDDEN else group.titled
                is_list = 2 * listed > max(2, group.holders) and _DISCUSSIONS.isdisjoint(path)
                is_list |= path[-1:] == ("articleBody",) and group.holders > 1
                shown = path[-1:] if only else path[depth:] or ("",)
                yield HiddenText(name, values, _title_in(title), shown, is_own and not is_list)


def _texts_in(top: etree._Element) -> Iterator[str]:
    """Yield the texts in an element, without those of scripts and styles."""
    for node in top.iter():
        if isinstance(node.tag, str) and node.tag not in ("script", "style"):
            yield text_of(node) or ""
        if node is not top:
            yield tail_of(node) or ""


# -- JSON ------------------------------------------------------------------------------------


def load_json(text: str) -> Any:
    """Return the value of JSON, ``None`` if it is broken or nested too deeply."""
    try:
        return json.loads(text, strict=False, parse_constant=lambda constant: None)
    except (ValueError, RecursionError):
        return None


def _decoded(text: str, before: re.Pattern[str], budget: Iterator[int]) -> Iterator[Any]:
    """Yield the JSON or JavaScript values behind a pattern, as far as the *budget* goes."""
    decoder = json.JSONDecoder(strict=False)
    start = 0
    for _ in range(_MOST_ASSIGNMENTS):
        match = before.search(text, start)
        if match is None:
            return
        start = match.end()
        for read in (decoder.raw_decode, partial(load_literal, budget=budget)):
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
        self.holders = self.titled = self.linked = 0
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
            if holder is not self.holder and isinstance(holder, dict):
                self.holders += 1
                has_title = any(name in holder for name in _TITLES)
                self.titled += has_title
                self.linked += has_title and not _LINKS.isdisjoint(holder)
            self.holder = holder
        self._open = above if is_piece else None


def _below(path: tuple[str, ...], key: str) -> tuple[str, ...]:
    """Return the path of a value; elements of one name inside one another count once."""
    if key == "*" and path[-3:-1] == (*path[-1:], "*"):
        return path[:-1]
    return (*path, key) if len(path) < 30 else path


def _title_in(holder: Any) -> str:
    if not isinstance(holder, dict):
        return ""
    found = (holder.get(name) for name in _TITLES)
    return next((each for each in found if isinstance(each, str) and len(each) < 300), "")


# -- prose -----------------------------------------------------------------------------------


def _is_prose(value: str) -> bool:
    """Return whether a string reads as text rather than as code, an address or a name."""
    text = _plain(value[:2000]) if len(value) >= _LEAST_PARAGRAPH else ""
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
            parsed = parse_text(f"<div>{value}</div>").find("body")
            part.extend(() if parsed is None else parsed)
        else:
            for line in filter(str.strip, value.splitlines()):
                etree.SubElement(article, "p").text = _clean(line.strip())
    body.insert(0, main)
    return copy


def _clean(text: str) -> str:
    """Return a text that a tree can hold."""
    return "".join(each for each in text if each.isprintable() or each == "\t")
