"""Tell which selectors can't see what stripping cuts.

Stripping changes what scripts and styles hold, and nothing else of the tree. So a selector finds
the same as before if it selects named elements, their attributes and their own text, as most do:
``h1::text``, ``//div[@class="price"]/span/text()``, ``a::attr(href)``. What takes the text of all
descendants (``div ::text``, ``//text()``, ``contains(., "x")``) or elements of any name may see it.

Only what is surely harmless is recognized. A selector that is not understood here counts as one
that sees scripts, whatever it says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import cssselect.parser as css

if TYPE_CHECKING:
    from collections.abc import Collection


class Query(NamedTuple):
    """The elements that a harmless selector selects."""

    strings: bool
    """Whether it gives text or attributes only, and no elements."""

    words: frozenset[str] = frozenset()
    """Classes, ids and attributes that it names elements by: scripts may have them, too."""


# CSS

_PLACES = frozenset(
    f"{which}-{of}"
    for which in ("first", "last", "only", "nth", "nth-last")
    for of in ("child", "of-type")
)
"""Pseudo-classes that say where an element stands."""


def read_css(selector: str, elements: Collection[str]) -> Query | None:
    """Return what a CSS selector selects, or ``None`` if it may see what *elements* hold.

    >>> read_css("#main > h1::text", {"script"})
    Query(strings=True, words=frozenset({'main'}))
    >>> read_css("script::text", {"script"})
    """
    try:
        parts = css.parse(selector)
    except css.SelectorError:
        return None
    words: set[str] = set()
    for part in parts:
        found = _words(part, elements)
        if found is None:
            return None
        words |= found
    return Query(all(part.pseudo_element for part in parts), frozenset(words))


def _words(part: css.Selector, elements: Collection[str]) -> set[str] | None:
    """Return the words of a selector without commas; ``None`` if it may see too much."""
    end = part.pseudo_element
    wants_attribute = isinstance(end, css.FunctionalPseudoElement) and end.name == "attr"
    if not (wants_attribute or end in (None, "text")):
        return None
    words: set[str] = set()
    for compound in _compounds(part.parsed_tree):
        known: set[str] = set()
        while not isinstance(compound, css.Element):
            if isinstance(compound, css.Class):
                known.add(compound.class_name)
            elif isinstance(compound, css.Hash):
                known.add(compound.id)
            elif isinstance(compound, css.Attrib):
                known.add(compound.attrib)
            elif getattr(compound, "ident", getattr(compound, "name", "")) not in _PLACES:
                return None
            compound = compound.selector
        name = compound.element
        if not wants_attribute and (name.lower() in elements if name else not known):
            return None
        words |= set() if name or wants_attribute else known
    # Only ASCII can be found in the bytes of any page.
    return words if all(re.fullmatch(r"[\w-]+", word, re.ASCII) for word in words) else None


def _compounds(tree: css.Tree) -> Iterator[css.Tree]:
    """Yield what stands between the combinators."""
    while isinstance(tree, css.CombinedSelector):
        yield tree.subselector
        tree = tree.selector
    yield tree


# XPath. An element's own text is that of its text nodes; "." would be that of all descendants.

_LITERAL = r"""(?:"[^"]*"|'[^']*')"""
_ATTRIBUTE = r"@[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?(?!:)"
_VALUE = rf"(?:{_ATTRIBUTE}|normalize-space\(\s*{_ATTRIBUTE}\s*\))"
_OWN_TEXT = r"(?:text\(\)|normalize-space\(\s*text\(\)\s*\))"
_NUMBER = r"(?:\d+|last\(\)(?:\s*-\s*\d+)?|position\(\)\s*[<>=!]+\s*(?:\d+|last\(\)))"


def _predicates(own: str) -> str:
    """Return a pattern for any predicates on an element's place and on what *own* matches."""
    call = rf"(?:contains|starts-with|re:test)\(\s*{own}\s*,\s*{_LITERAL}\s*\)"
    test = rf"(?:{call}|has-class\(\s*{_LITERAL}\s*\)|{own}(?:\s*!?=\s*{_LITERAL})?|{_NUMBER})"
    test = rf"(?:{test}|not\(\s*{test}\s*\))"
    return rf"(?:\[\s*{test}(?:\s+(?:and|or)\s+{test})*\s*\])*"


_SIBLING = r"(?:following|preceding)-sibling::"
_AXIS = rf"(?:(?:(?:ancestor|descendant)(?:-or-self)?|child|parent)::|{_SIBLING})?"
_NAMED = rf"{_AXIS}[A-Za-z_][\w-]*(?![\w(:-])\s*{_predicates(f'(?:{_VALUE}|{_OWN_TEXT})')}"
_ANY = rf"{_AXIS}\*{_predicates(_VALUE)}"
_TEXT = rf"text\(\)(?:\[(?:{_NUMBER}|normalize-space\(\))\])?"
# Elements on the way may have any name, but the elements that give text or are taken are named.
_WAY = rf"(?:\.?//?|(?:\.\./)+)?(?:(?:{_NAMED}|{_ANY})\s*//?\s*)*"


@cache  # and not at the start, of which it takes 40 ms
def _xpath() -> re.Pattern[str]:
    return re.compile(
        rf"\s*(?:(?P<element>{_WAY}{_NAMED}(?:/\.\.)*|\.\.(?:/\.\.)*)"
        rf"|(?P<attribute>{_WAY}{_ATTRIBUTE})"
        rf"|(?:{_WAY}{_NAMED}\s*/\s*|(?:\.{{1,2}}/)*)(?:{_SIBLING})?{_TEXT})\s*",
        re.ASCII,
    )


_NAME = re.compile(r"(?<![@\w.:-])[A-Za-z_][\w-]*(?![\w-]|\s*\(|::)", re.ASCII)
_BETWEEN_PATHS = re.compile(rf"\|(?=(?:[^\"']|{_LITERAL})*\Z)")


def read_xpath(path: str, elements: Collection[str]) -> Query | None:
    """Return what an XPath expression selects, or ``None`` if it may see what *elements* hold.

    >>> read_xpath("//div[@id='a']/p/text()", {"script"})
    Query(strings=True, words=frozenset())
    >>> read_xpath("//div[@id='a']//text()", {"script"})
    """
    strings = True
    for part in _BETWEEN_PATHS.split(path):
        match = _xpath().fullmatch(part)
        names = {name.lower() for name in _NAME.findall(re.sub(_LITERAL, "", part))}
        if match is None or not (
            names.isdisjoint(elements) or (match["attribute"] and "text()" not in part)
        ):
            return None
        strings = strings and not match["element"]
    return Query(strings)
