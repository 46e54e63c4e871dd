"""No regular expression of the package takes more than linear time on what a page can hold.

Each compiled pattern is attacked with texts made from its own syntax: what its long repeats match,
again and again, with and without what stands before them, and then something that fits nowhere.
"""

from __future__ import annotations

import importlib
import pkgutil
import random
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from time import process_time
from typing import Any

import pytest

import scrapy_boilerplate
from scrapy_boilerplate import extract

if sys.version_info >= (3, 11):
    from re import _compiler as compiler
    from re import _constants as codes
    from re import _parser as parser
else:
    import sre_compile as compiler
    import sre_constants as codes
    import sre_parse as parser

Nodes = list[tuple[Any, Any]]

BOUNDS = {
    "core.answer.metadata.authors": 300,
    "core.answer.metadata.dates": 300,
    "core.answer.metadata.declared": 100,
    "core.answer.metadata.labels": 120,
    "core.answer.metadata.publication": 300,
    "core.answer.metadata.titles": 400,
    "core.answer.metadata.visible": 300,
    "core.answer.next_page._OF_ONE_TEXT": 300,
    "core.answer.posts.unit_signs": 200,
    "core.answer.posts.values": 200,
    "core.answer.posts.units": 100,
    "core.page.blocked._AT_ONCE": 300,
    "core.page.responses": 1024,
    "core.page.sources._TITLE_PARTS": 300,
    "core.page.unseen": 1000,
    "learn.stores": 200,
}
"""Characters at most that a module gives its patterns, or that one: of a line, an address."""

UNBOUNDED = 12_000
ANCHORED = {"_UTF_16"}  # patterns that are only asked for a match at the start, by a name of a loop
LONG = 20  # rounds that a repeat may take, from which on it is attacked
SIGNS = "\n\t\x00 !\"#&'(),-./0159:;<=>?@AZ[]_az{|}\xa0·é–中"
ONES = (codes.LITERAL, codes.NOT_LITERAL, codes.ANY, codes.IN)
REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT)

PACKAGE = Path(scrapy_boilerplate.__file__).parent


def patterns() -> Iterator[tuple[str, str, re.Pattern[Any]]]:
    """Yield each pattern that a module holds, after the names of the module and of the pattern."""
    for info in pkgutil.walk_packages(scrapy_boilerplate.__path__, "scrapy_boilerplate."):
        if info.name.endswith("__main__"):
            continue
        try:
            module = importlib.import_module(info.name)
        except ImportError:  # an extra that is not installed
            continue
        for name, value in vars(module).items():
            many = list(value.values()) if isinstance(value, dict) else value
            for each in many if isinstance(many, list | tuple) else [many]:
                if isinstance(each, re.Pattern):
                    yield info.name.removeprefix("scrapy_boilerplate."), name, each


@cache
def is_anchored(module: str, name: str) -> bool:
    """Return whether a module asks for a match of a pattern only at the start of a text."""
    path = PACKAGE.joinpath(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    file = file if file.exists() else path.with_suffix(".pyx")
    used = set(re.findall(rf"\b{name}(?:\[[^]]*\])?\.(\w+)", file.read_text("utf-8")))
    return name in ANCHORED or (bool(used) and used <= {"match", "fullmatch"})


class Attacks:
    """Makes texts from the syntax of a pattern."""

    def __init__(self, pattern: re.Pattern[Any]) -> None:
        text = pattern.pattern
        self._tree = parser.parse(text if isinstance(text, str) else text.decode("latin-1"))
        self._flags = pattern.flags & (re.IGNORECASE | re.DOTALL)
        self._random = random.Random(0)

    def __iter__(self) -> Iterator[tuple[str, str, str]]:
        """Iterate over beginnings, units to repeat, and ends."""
        found = set()
        for before, body in self._repeats(self._tree.data, []):
            for _ in range(3):
                unit, start = self._text(body) or "x", self._text(before)
                ends = [(start, each, end) for each in (unit, start + unit) for end in ("\x00", "")]
                found.update(ends)
        return iter(sorted(found))

    def _repeats(self, nodes: Nodes, before: Nodes) -> Iterator[tuple[Nodes, Nodes]]:
        for op, value in nodes:
            for body in self._inner(op, value):
                if op in REPEATS and (value[1] is codes.MAXREPEAT or value[1] >= LONG):
                    yield before, body
                yield from self._repeats(body, before)
            before = [*before, (op, value)]

    def _inner(self, op: Any, value: Any) -> list[Nodes]:
        """Return what a node of the syntax holds; more than one for alternatives."""
        if op is codes.BRANCH:
            return [list(each) for each in value[1]]
        if op in REPEATS or op is codes.SUBPATTERN:
            return [list(value[-1])]
        return [list(value[1])] if op in (codes.ASSERT, codes.ASSERT_NOT) else []

    def _text(self, nodes: Nodes) -> str:
        """Return a text that matches the nodes, but for what they say of its surroundings."""
        parts = []
        for op, value in nodes:
            if op in ONES:
                parts.append(self._sign(op, value))
            elif op is codes.BRANCH or op is codes.SUBPATTERN:
                parts.append(self._text(self._random.choice(self._inner(op, value))))
            elif op in REPEATS:
                times = max(value[0], min(int(value[1]), self._random.randint(0, 2)))
                parts += [self._text(list(value[2])) for _ in range(times)]
        return "".join(parts)

    def _sign(self, op: Any, value: Any) -> str:
        matches = compiler.compile(parser.SubPattern(self._tree.state, [(op, value)]), self._flags)
        found = [sign for sign in SIGNS if matches.match(sign)]
        if found or op is not codes.IN:
            return self._random.choice(found) if found else chr(value)
        _, first = value[-1]  # letters that are not among the signs
        return chr(first[0] if isinstance(first, tuple) else first)


def seconds(
    pattern: re.Pattern[Any], attack: tuple[str, str, str], size: int, *, anchored: bool
) -> float:
    """Return the seconds of the processor that a pattern takes on an attack of *size* signs."""
    start, unit, end = attack
    text: Any = (start + unit * (size // len(unit)))[: size - 1] + end
    if isinstance(pattern.pattern, bytes):
        text = text.encode("latin-1", "replace")
    begin = process_time()
    if anchored:
        pattern.match(text)
        pattern.fullmatch(text)
    else:
        for _ in pattern.finditer(text):
            pass
    return process_time() - begin


def takes_long(
    pattern: re.Pattern[Any], most: int = UNBOUNDED, *, anchored: bool = False
) -> tuple[str, str, str] | None:
    """Return an attack on a pattern that takes more than linear time, if there is one.

    *most* is the length of the longest text that it is given.
    """
    for attack in Attacks(pattern):
        if most < UNBOUNDED:
            if seconds(pattern, attack, most, anchored=anchored) > 1:
                return attack
        elif seconds(pattern, attack, most // 4, anchored=anchored) > 0.01:
            # Four times the text takes four times as long, or sixteen times.
            few, many = (
                min(seconds(pattern, attack, size, anchored=anchored) for _ in range(3))
                for size in (most // 4, most)
            )
            if many > 9 * few:
                return attack
    return None


@pytest.mark.slow
def test_no_pattern_takes_more_than_linear_time() -> None:
    found = {}
    for module, name, pattern in patterns():
        most = BOUNDS.get(f"{module}.{name}", BOUNDS.get(module, UNBOUNDED))
        anchored = is_anchored(module, name)
        found[f"{module}.{name}"] = takes_long(pattern, most, anchored=anchored)
    assert len(found) > 100
    assert {name: attack for name, attack in found.items() if attack} == {}


def test_the_attack_finds_what_is_quadratic() -> None:
    assert takes_long(re.compile(r"-->\s*;?\s*\Z"))
    assert not takes_long(re.compile(r"-->\s*\Z"))


@pytest.mark.parametrize(
    "head",
    [
        f"<title>Rain in May {'-' * 99}x</title>",
        f"<script type='application/ld+json'>{{}}-->{' ' * 500_000}x</script>",
    ],
    ids=["dashes in a title", "white space after a comment in JSON-LD"],
)
def test_metadata_of_pages_that_once_hung(head: str) -> None:
    extraction = extract(head + "<h1>Rain in May</h1>" + "<p>It rained for days on end." * 20)
    assert extraction.title == "Rain in May"
