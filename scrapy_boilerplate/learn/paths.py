"""Names of elements that hold on all pages of a site: labels, selectors, template paths, hashes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import mul
from typing import NamedTuple, TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.caching import remember
from scrapy_boilerplate.core.page.tags import HEADINGS

Hashes: TypeAlias = NDArray[np.uint32]

TEMPLATE_PATH_DEPTH = 4  # labels of a template path: the block's element and the nearest above
PATH_DEPTH = 3  # labels in the selector of an element that has no name of its own
NOT_CONTAINERS = frozenset(
    "* html body p a span em strong b i u s small sub sup code h1 h2 h3 h4 h5 h6 hgroup br img "
    "li dt dd tr td th tbody thead tfoot caption figcaption label option button select textarea "
    "pre".split()
)
"""Tags of elements that hold no article."""

ANY_TAG = "*"  # stands for a tag that a selector cannot name; such an element is no container


_UNSPEAKABLE = re.compile("[\x00-\x20\x7f-\x9f\ud800-\udfff\ufffe\uffff]")  # in CSS or XPath
_LONGEST_CLASS = 40  # characters of a name
_CSS_TAG = r"(?:[\w-]|\\[^\w-])+"  # all but word characters and hyphens is escaped
_TAG = re.compile(_CSS_TAG)
_LABEL = re.compile(rf"(?:\*|{_CSS_TAG})(?:[.#](.+))?", re.DOTALL)
_ONE_STEP = re.compile(rf"({_CSS_TAG})[.#](.+)", re.DOTALL)
_LONGEST_SOURCE = 200
_SOURCE = re.compile(r"noscript|template|script[#\[].+|[^:\s]+: .+")
_MOST_CLASSES = 6
CLASS_CHARACTERS = _LONGEST_CLASS * _MOST_CLASSES
"""Characters of a class attribute that are looked at."""
_MASK = 0xFFFFFFFFFFFFFFFF  # of 64 bits
_POWERS: list[int] = [
    pow(0x100000001B3, 2 * depth + 1, _MASK + 1) for depth in range(TEMPLATE_PATH_DEPTH)
]


# -- names -----------------------------------------------------------------------------------


def is_stable_name(name: str) -> bool:
    """Return whether a class or id is the same on many pages: digits number pages and posts."""
    letters = name.replace("-", "").replace("_", "")
    return letters.isalpha() and len(name) <= _LONGEST_CLASS and "-" not in (name[0], name[-1])


def css_tag(tag: str) -> str:
    """Return a tag as selectors name it, :data:`ANY_TAG` if they cannot."""
    if tag.isalnum() and len(tag) <= _LONGEST_CLASS:  # nearly all
        return tag
    if len(tag) > _LONGEST_CLASS or _UNSPEAKABLE.search(tag):
        return ANY_TAG
    return re.sub(r"[^\w-]", r"\\\g<0>", tag)


def _selectors(tag: str, class_name: str, identifier: str) -> Iterator[str]:
    """Yield the selectors ``tag#id`` and ``tag.class`` of an element, the surest first."""
    if identifier and tag not in HEADINGS:  # whose ids are anchors that say what the heading does
        yield f"{tag}#{identifier}"
    for token in dict.fromkeys(class_name[:CLASS_CHARACTERS].split()[:_MOST_CLASSES]):
        if is_stable_name(token):
            yield f"{tag}.{token}"


@remember(1 << 20)
def tags_of(path: str) -> frozenset[str]:
    """Return the tags that a template path names."""
    return frozenset(match[0] for step in path.split(" > ") if (match := _TAG.match(step)))


@remember(1 << 20)
def own_tag(selector: str) -> str:
    """Return the tag of a selector or path that the learner may have written, else an empty text.

    >>> own_tag("div.post"), own_tag("body > div > td"), own_tag("div .post"), own_tag("td.post")
    ('div', '', '', '')
    """
    *above, last = selector.split(" > ")
    tag = ""
    if above:
        is_own = len(above) + 1 == PATH_DEPTH or above[0] == "body"
        tag = last if is_own and _TAG.fullmatch(last) else ""
    elif (match := _ONE_STEP.fullmatch(last)) and is_stable_name(match[2]):
        tag = match[1]
    return "" if tag in NOT_CONTAINERS else tag


class TagClass(NamedTuple):
    """The names of elements of one tag, class and id, on all pages."""

    tag: str  # as selectors name it
    label: str  # the component in paths: the first selector, or the tag
    value: int  # 64 bits that stand for the label
    selectors: tuple[str, ...]  # if it may be a container …
    hashes: tuple[int, ...]  # … and their hashes; (0,) without any, and none if it may not


def stable_id(identifier: str) -> str:
    """Return an id that other pages have as well, else an empty text: most are their page's own."""
    return identifier if identifier and is_stable_name(identifier) else ""


def is_learned_name(name: str) -> bool:
    """Return whether a learner may have written a selector or template path: labels, and few."""
    steps = [_LABEL.fullmatch(step) for step in name.split(" > ", TEMPLATE_PATH_DEPTH)]
    return len(steps) <= TEMPLATE_PATH_DEPTH and all(
        step and (step[1] is None or is_stable_name(step[1])) for step in steps
    )


@remember(16 << 20, answer=1500)
def tag_class(tag: str, class_name: str, identifier: str) -> TagClass:
    """Return what elements are known by, on all pages of a site: by tag, class and stable id."""
    tag = css_tag(tag)
    found = _selectors(tag, class_name, identifier)
    if tag in NOT_CONTAINERS:  # the classes of the body name the section
        label = tag if tag in ("body", "html") else next(found, tag)
        return TagClass(tag, label, _value(label), (), ())
    names = tuple(found)
    values = [*map(_value, names)] or [_value(tag)]
    hashes = tuple([_fold(value * _POWERS[0]) for value in values])  # as paths of one step
    return TagClass(tag, names[0] if names else tag, values[0], names, hashes if names else (0,))


def is_source(name: str) -> bool:
    """Return whether a name may be that of a hidden text's source: one line, and short."""
    is_short = len(name) <= _LONGEST_SOURCE and name.isprintable()
    return is_short and _SOURCE.fullmatch(name) is not None


# -- hashes ----------------------------------------------------------------------------------


@remember(4 << 20)
def template_path_hash(path: str) -> int:
    """Return the hash of a path written as labels joined by ``" > "``."""
    steps = path.split(" > ")
    return _fold(sum(map(mul, map(_label_value, reversed(steps)), _POWERS)))


def _fold(value: int) -> int:
    return (value & _MASK) >> 32


def _value(name: str) -> int:
    return (crc32(name.encode("utf-8", "replace")) * 0x9E3779B97F4A7C15 + 1) & _MASK


_label_value = remember(1 << 20)(_value)


def path_powers(depth: int) -> NDArray[np.uint64]:
    """Return what the values of the nearest *depth* labels are multiplied by, nearest first."""
    return np.array(_POWERS[:depth], dtype=np.uint64)


def fold(hashes: NDArray[np.uint64]) -> Hashes:
    """Return 32 bits of each of 64-bit *hashes*."""
    return (hashes * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(32)).astype(np.uint32)
