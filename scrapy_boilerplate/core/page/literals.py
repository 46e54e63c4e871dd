"""Values of JavaScript literals: what a page's scripts assign where it is no JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_MOST_DEPTH = 100
MOST_TOKENS = 400_000  # tokens that are read of a page's scripts

# Each alternative begins with other characters, and reads each of them once.
_TOKEN = re.compile(
    r"(?P<space>[\s,:]+|//[^\n]*)|(?P<comment>/\*)"
    r"|(?P<text>\"[^\"\\]*(?:\\.[^\"\\]*)*\"|'[^'\\]*(?:\\.[^'\\]*)*'|`[^`\\]*(?:\\.[^`\\]*)*`)"
    r"|(?P<open>[\[{])|(?P<close>[\]}])|(?P<skip>[()])"
    r"|(?P<word>[\w$.!+-]+)|(?P<other>.)",
    re.S,
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|x([0-9a-fA-F]{2})|(.))", re.S)
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}
_PREFIXES = ("new", "void")  # words before a value


def load_literal(text: str, start: int = 0, budget: Iterator[int] | None = None) -> tuple[Any, int]:
    r"""Return the value of the object or array at *start* of a script, and where it ends.

    Strings are read, other values are ``None``, calls are left out. Each token takes one of the
    *budget* of a page. Raises :exc:`ValueError` for what is code, too deep or too long.

    >>> load_literal(r"{a: 'it\'s', b: [`x`, !0, new Date('2024'), {c: void 0,},], /* d */}; e()")
    ({'a': "it's", 'b': ['x', None, None, {'c': None}]}, 68)
    """
    whole: list[Any] = []
    holders: list[Any] = [whole]
    keys: list[str | None] = [None]
    calls, at = 0, start
    for _ in iter(range(MOST_TOKENS)) if budget is None else budget:
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup == "other" or len(holders) > _MOST_DEPTH:
            break
        kind, token, at = match.lastgroup, match[0], match.end()
        if kind == "comment":
            at = text.find("*/", at) + 2
            if at < match.end():
                break
            continue
        is_open = len(holders) > 1
        if kind == "skip":
            calls += 1 if token == "(" else -1
        elif kind == "space" or calls or token in _PREFIXES:
            continue
        elif kind == "close":
            if not is_open:
                break
            holders.pop()
            keys.pop()
            if len(holders) == 1:
                return whole[0], at
        elif isinstance(holders[-1], dict) and keys[-1] is None:
            if kind == "open":
                break
            keys[-1] = _text(token)
        else:
            value: Any = {"{": {}, "[": []}.get(token)
            if kind == "text":
                value = _text(token)
            if keys[-1] is None:
                holders[-1].append(value)
            else:
                holders[-1][keys[-1]] = value
                keys[-1] = None
            if kind == "open":
                holders.append(value)
                keys.append(None)
            elif not is_open:
                if kind == "text":
                    return value, at
                break
    raise ValueError("this is not a literal")


def _text(token: str) -> str:
    """Return the text of a string or a name."""
    if token[0] not in "\"'`":
        return token
    text = _ESCAPE.sub(_unescaped, token[1:-1])
    # Two halves of a character are escaped one by one.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unescaped(match: re.Match[str]) -> str:
    four, point, two, other = match.groups()
    if other is not None:
        return _CONTROLS.get(other, other)
    code = int(four or point or two, 16)
    return chr(code) if code <= 0x10FFFF else ""
