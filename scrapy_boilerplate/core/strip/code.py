"""Tell from a module's source whether it can see what stripping cuts.

A module is read as a whole, without following its data: any object may be a response. That is
simple, and every mistake is on the safe side. The names of attributes tell what a response or a
selector can show. Attributes that are not listed as harmless here count as doubtful, also new ones
of a new version of Scrapy.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from scrapy import Selector
from scrapy.http import HtmlResponse
from scrapy.selector import SelectorList

from scrapy_boilerplate.core.strip.queries import read_css, read_xpath

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["Doubt", "ModuleCode"]

_READERS = {"css": read_css, "xpath": read_xpath}
# Methods that take a selector, and the position of it: those of selectors, then of item loaders.
_QUERIES = {
    f"{prefix}{kind}": position
    for prefix, position in (("", 0), ("nested_", 0), ("get_", 0), ("add_", 1), ("replace_", 1))
    for kind in _READERS
}
_GIVES_STRINGS = re.compile("(get|add|replace)_")
# Methods that make strings of what a selector has found: all text of an element, if it is one.
_SERIALIZERS = frozenset("get getall extract extract_first re re_first".split())
_HARMLESS = frozenset(
    "attrib attributes cb_kwargs certificate copy drop encoding flags follow follow_all headers "
    "ip_address meta namespaces protocol register_namespace remove_namespaces replace request "
    "response status type url urljoin _encoding _flags _headers _url".split()
)
_OF_PAGES = {
    name
    for names in (dir(HtmlResponse), dir(Selector), set(dir(SelectorList)) - set(dir(list)))
    for name in names
    if not name.startswith("__")
}
_TELLING = frozenset(_OF_PAGES - _HARMLESS - _SERIALIZERS - _READERS.keys())
"""Attributes of responses and selectors that may show what was cut, such as ``body``."""

# What reads a response in ways that no attribute shows, or finds attributes by name.
_TELLING_NAMES = frozenset(
    "CSVFeedSpider Shell XMLFeedSpider __dict__ __getattribute__ __import__ attrgetter csviter "
    "eval exec import_module inspect_response marshal methodcaller open_in_browser pickle shelve "
    "vars xmliter xmliter_lxml".split()
)
_IN_FORMAT = re.compile(r"\{\w*(?:\[[^\]]*\])*\.(\w+)")  # "{response.text}".format(…)


class Doubt(Exception):  # noqa: N818  not an error
    """A place in the code that may see what is cut."""


class _Place(NamedTuple):
    """A node of the syntax tree and the function around it."""

    node: ast.AST
    function: str


class ModuleCode:
    """The source of the module *name*, whose selectors must not see what *elements* hold.

    Raises :exc:`SyntaxError` if *source* is not Python.
    """

    def __init__(self, name: str, source: str, elements: Collection[str]) -> None:
        self.name = name
        self.words: set[str] = set()
        """Classes, ids and attributes that the selectors name elements by."""
        self._elements = elements
        self._places = list(_places(ast.parse(source)))
        self._called = {
            id(place.node.func) for place in self._places if isinstance(place.node, ast.Call)
        }

    def imports(self) -> Iterator[tuple[str, int, list[str]]]:
        """Yield each imported module, the level of a relative import, and what is taken of it."""
        for node, _ in self._places:
            if isinstance(node, ast.Import):
                yield from ((alias.name, 0, []) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield node.module or "", node.level, [alias.name for alias in node.names]

    def check(self) -> None:
        """Raise :exc:`Doubt` at the first place that may see what is cut."""
        try:
            for node, function in self._places:  # noqa: B007
                self._check(node)
        except Doubt as doubt:
            line = getattr(node, "lineno", 1)
            raise Doubt(f"{self.name}, line {line}{function}, {doubt}") from None

    def _check(self, node: ast.AST) -> None:
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            _check_attribute(node.attr, is_called=id(node) in self._called)
        elif isinstance(node, ast.Name):
            _check_name(node.id)
        elif isinstance(node, ast.alias):
            _check_name(node.name.rpartition(".")[2])
        elif isinstance(node, ast.MatchClass):
            for name in node.kwd_attrs:
                _check_attribute(name)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node.value == "link_text":  # in the meta of a crawl spider's requests
                raise Doubt("uses 'link_text'")
            for name in _IN_FORMAT.findall(node.value):
                _check_attribute(name)
        elif isinstance(node, ast.Call):
            self._check_call(node)

    def _check_call(self, call: ast.Call) -> None:
        if any(keyword.arg == "restrict_text" for keyword in call.keywords):
            raise Doubt("uses restrict_text")
        if isinstance(call.func, ast.Name) and call.func.id == "getattr":
            names = self._strings(call.args[1]) if len(call.args) > 1 else None
            if names is None:
                raise Doubt("uses getattr() with a name that is not written out")
            for name in names:
                _check_attribute(name)
        elif isinstance(call.func, ast.Attribute):
            if call.func.attr in _QUERIES:
                self._query(call, call.func.attr)
            elif call.func.attr in _SERIALIZERS:
                self._check_serializer(call, call.func)

    def _query(self, call: ast.Call, method: str) -> bool:
        """Return whether a call with a selector gives strings only; note the selector's words."""
        position = _QUERIES[method]
        arguments = call.args[position : position + 1] or [
            keyword.value for keyword in call.keywords if keyword.arg in ("query", *_READERS)
        ]
        selectors = self._strings(arguments[0]) if arguments else None
        if selectors is None:
            raise Doubt(f"calls .{method}() with a selector that is not written out")
        strings = True
        for selector in selectors:
            query = _READERS[method.rpartition("_")[2]](selector, self._elements)
            if query is None or (_GIVES_STRINGS.match(method) and not query.strings):
                raise Doubt(f"calls .{method}({selector!r})")
            self.words |= query.words
            strings = strings and query.strings
        return strings

    def _check_serializer(self, call: ast.Call, function: ast.Attribute) -> None:
        strings = self._gives_strings(function.value, frozenset())
        if strings is None and function.attr == "get" and call.args:
            # That of a dict, unless it has a default only.
            strings = not (isinstance(call.args[0], ast.Constant) and not call.args[0].value)
        if not strings:
            raise Doubt(f"calls .{function.attr}(), which may give all that an element holds")

    # -- values ------------------------------------------------------------------------------

    def _gives_strings(self, value: ast.expr, above: frozenset[str]) -> bool | None:
        """Return whether *value* is a selector of strings; ``None`` if it may be anything."""
        if isinstance(value, ast.Subscript):
            return self._gives_strings(value.value, above)
        if isinstance(value, ast.Name) and value.id not in above:
            bound = self._bindings.get(value.id, [None])
            above |= {value.id}
            found = [self._gives_strings(b, above) if b else None for b in bound]
            return True if all(found) else None
        if (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Attribute)
            and value.func.attr in _READERS
        ):
            return self._query(value, value.func.attr)
        return None

    def _strings(self, value: ast.expr, above: frozenset[str] = frozenset()) -> list[str] | None:
        """Return all strings that *value* may be or hold; ``None`` if they are not written out."""
        parts: list[ast.expr | None]
        if isinstance(value, ast.Constant):
            return [value.value] if isinstance(value.value, str) else None
        if isinstance(value, (ast.List, ast.Tuple)):
            parts = [*value.elts]
        elif isinstance(value, ast.Name) and value.id not in above:
            parts = self._bindings.get(value.id, [None])
            above |= {value.id}
        else:
            return None
        found = [self._strings(part, above) if part else None for part in parts]
        return None if None in found else [s for strings in found if strings for s in strings]

    @cached_property
    def _bindings(self) -> dict[str, list[ast.expr | None]]:
        """The values of each name, anywhere in the module; ``None`` for unknown ones."""
        bindings: dict[str, list[ast.expr | None]] = {}
        values: dict[int, ast.expr] = {}
        for node, _ in self._places:
            if isinstance(node, ast.Assign) and not isinstance(node.value, ast.List):  # it may grow
                values |= {id(target): node.value for target in node.targets}
            elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value:
                values[id(node.target)] = node.value
            elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
                values[id(node.target)] = node.iter
        for node, _ in self._places:
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                bindings.setdefault(node.id, []).append(values.get(id(node)))
            for name in _other_names(node):
                bindings.setdefault(name, []).append(None)
        return bindings


def _check_attribute(name: str, *, is_called: bool = False) -> None:
    if name in _TELLING:
        raise Doubt(f"uses .{name}")
    if not is_called and (name in _QUERIES or name in _SERIALIZERS):
        raise Doubt(f"passes .{name} on")
    _check_name(name)


def _check_name(name: str) -> None:
    if name in _TELLING_NAMES:
        raise Doubt(f"uses {name}")


def _places(tree: ast.Module) -> Iterator[_Place]:
    """Yield the nodes that can run, all but docstrings and what is for type checkers only."""
    stack = [_Place(tree, "")]
    while stack:
        place = stack.pop()
        node, function = place
        yield place
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            function = f" in {node.name}()"
        children: list[ast.AST] = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            children = [*node.orelse]
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            children = []
        stack += [_Place(child, function) for child in reversed(children)]


_NAMED = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler),
    *(ast.MatchAs, ast.MatchStar),
)
_ADDING = frozenset({"append", "extend", "insert"})


def _other_names(node: ast.AST) -> Iterator[str]:
    """Yield names that *node* binds to what no expression shows, or adds something to."""
    if isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).partition(".")[0]
    elif isinstance(node, _NAMED):
        yield node.name or ""
    elif isinstance(node, (ast.Global, ast.Nonlocal)):
        yield from node.names
    elif isinstance(node, (ast.Attribute, ast.Subscript)) and (
        not isinstance(node.ctx, ast.Load) or getattr(node, "attr", "") in _ADDING
    ):
        yield getattr(node.value, "id", "")
