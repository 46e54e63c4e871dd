"""Readers' comments of real pages, marked by hand: where each stands, not what it says.

``comments_marked.json`` has for each page the selectors of its comments, or nothing where it has
none. A list is a selector with the pattern of the part that counts.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lxml import etree, html

from benchmarks import data
from benchmarks.tables import share, table
from scrapy_boilerplate import extract
from scrapy_boilerplate.core.answer.posts import Post
from scrapy_boilerplate.core.page.decoding import decode
from scrapy_boilerplate.core.page.text import tokens

MARKS = Path(__file__).with_suffix(".json")
ALIKE = 0.9
"""F1 of the words of two texts that are the same."""
_LEFT_OUT = "script, style, textarea, noscript, select"
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()


class Comment(NamedTuple):
    """What a person sees of a comment."""

    author: str
    date: str
    """As the page shows it."""
    text: Counter[str]
    written: Counter[str]
    """Its words without quotations and titles, which may be left out."""
    parent: int | None
    """The number of the comment that it stands in."""


def marked_pages(folder: Path) -> Iterator[tuple[str, data.LabelledPage, list[Comment]]]:
    """Yield the marked pages of all sets, each with the comments that stand on it."""
    for name, marks in json.loads(MARKS.read_text(encoding="utf-8")).items():
        for page in data.read(folder / name):
            own = page.id.rpartition("/")[2] if name.startswith("extra/") else page.id
            if own in marks:
                yield f"{name} {own}", page, comments(page.html, marks[own]) if marks[own] else []


def comments(source: bytes, mark: Mapping[str, Any]) -> list[Comment]:
    """Return the comments of a page by its selectors."""
    root = html.document_fromstring(decode(source, None)[0])
    for each in [*root.iter(etree.Comment), *root.cssselect(_LEFT_OUT)]:
        each.drop_tree()
    units = root.cssselect(mark["unit"])
    if mark.get("rows"):
        units = [_with_following(unit, units) for unit in units]
    numbers = {unit: number for number, unit in enumerate(units)}
    found = []
    for unit in units:
        above = (numbers[each] for each in unit.iterancestors() if each in numbers)
        author, date = (_part(unit, mark.get(name), numbers) for name in ("author", "date"))
        full, written = (
            _words(unit, mark["text"], left, numbers)
            for left in (mark.get("drop"), ", ".join(filter(None, map(mark.get, ("drop", "may")))))
        )
        found.append(Comment(author, date, full, written, next(above, None)))
    return found


def _with_following(unit: html.HtmlElement, units: Sequence[html.HtmlElement]) -> html.HtmlElement:
    """Return an element around a unit and what follows it up to the next one."""
    around = html.Element("div")
    following = list(unit.itersiblings())
    unit.addprevious(around)
    for each in [unit, *following]:
        if each in units and each is not unit:
            break
        around.append(each)
    return around


def _own(
    unit: html.HtmlElement, selector: str, units: Mapping[html.HtmlElement, int]
) -> list[html.HtmlElement]:
    """Return what a selector finds in a unit, and not in another inside of it."""
    return [
        each
        for each in ([unit] if selector == "*" else unit.cssselect(selector))
        if next((up for up in [each, *each.iterancestors()] if up in units), unit) is unit
    ]


def _part(
    unit: html.HtmlElement, selector: str | list[str] | None, units: Mapping[html.HtmlElement, int]
) -> str:
    if not selector:
        return ""
    path, *told = [selector] if isinstance(selector, str) else selector
    pattern, *attribute = told or ["(.*)"]
    for each in _own(unit, path, units)[:1]:
        text = each.get(attribute[0], "") if attribute else each.text_content()
        match = re.search(pattern, " ".join(text.split()))
        return match[1] if match else ""
    return ""


def _words(
    unit: html.HtmlElement, text: str, left: str | None, units: Mapping[html.HtmlElement, int]
) -> Counter[str]:
    out = {*unit.cssselect(left)} if left else set()
    out |= {each for each in units if each is not unit}
    texts: list[str] = []
    seen: set[html.HtmlElement] = set()

    def read(element: html.HtmlElement) -> None:
        if element in out or element in seen:
            return
        seen.add(element)
        texts.append(element.text or "")
        for child in element:
            read(child)
            texts.append(child.tail or "")

    for each in _own(unit, text, units):
        read(each)
        texts.append("\n")
    return Counter(tokens(" ".join(texts)))


def matched(found: Sequence[Post], expected: Sequence[Comment]) -> dict[int, int]:
    """Return for each found comment that is right the number of the expected one."""
    pairs: dict[int, int] = {}
    for number, post in enumerate(found):
        words = Counter(tokens(post.text))
        best, right = ALIKE, None
        for other, each in enumerate(expected):
            if other in pairs.values():
                continue
            alike = max(_alike(words, each.text), _alike(words, each.written))
            alike += 1e-3 * (post.author == each.author)
            if alike >= best:
                best, right = alike, other
        if right is not None:
            pairs[number] = right
    return pairs


def _alike(one: Counter[str], other: Counter[str]) -> float:
    return 2 * (one & other).total() / max(1, one.total() + other.total())


def count(found: Sequence[Post], expected: Sequence[Comment]) -> Counter[str]:
    """Count found, expected and right comments, and right authors, dates and parents of these."""
    pairs = matched(found, expected)
    written = sum(bool(each.text) for each in expected)
    counts = Counter(found=len(found), expected=written, right=len(pairs))
    for number, other in pairs.items():
        post, gold = found[number], expected[other]
        above = [at for at in range(number) if found[at].depth == post.depth - 1]
        parent = pairs.get(above[-1]) if above and post.depth else None
        counts.update(
            authors=tokens(post.author) == tokens(gold.author),
            dates=is_date_of(post.date, gold.date),
            parents=parent == gold.parent,
        )
    return counts


def is_date_of(found: str, shown: str) -> bool:
    """Tell whether a date is the one that a page shows.

    >>> is_date_of("2012-11-08T10:00", "November 8th at 10 am"), is_date_of("2012-08-11", "11 Nov")
    (True, False)
    """
    day = re.match(r"(\d{4})-(\d\d)-(\d\d)", found)
    if day is None or not shown:
        return bool(found) == bool(shown) and not Counter(tokens(found)) - Counter(tokens(shown))
    numbers = [int(each) for each in re.findall(r"\d+", shown)]
    year, month, date = map(int, day.groups())
    named = {word[:3] for word in re.findall(r"[a-z]+", shown.lower())} & {*_MONTHS}
    is_year = {year, year % 100} & {*numbers} or not any(each > 1900 for each in numbers)
    is_worded = re.search(r"[^\W\d]{3}", shown)  # in another language
    is_month = _MONTHS[month - 1] in named if named else month in numbers or is_worded
    return bool(is_year and is_month and date in numbers)


def marked_table(folder: Path, *, wrong: bool = False) -> str:
    """Return a Markdown table of what is right on pages with comments and on those without."""
    total, pages, without, false = Counter[str](), 0, 0, 0
    for name, page, expected in marked_pages(folder):
        answer = extract(page.html, url=page.url)
        new = count(answer.comments, expected)
        without += not expected
        pages += bool(expected)
        false += not expected and bool(answer.comments)
        total += new
        if wrong and len({new[each] for each in ("found", "expected", "right", *_PARTS)}) > 1:
            print(name, answer.kind, dict(new))
    right = max(1, total["right"])
    cells = [str(pages), str(total["expected"])]
    cells += [share(total["right"] / max(1, total[each])) for each in ("found", "expected")]
    cells += [share(total[each] / right) for each in _PARTS]
    heads = ["pages", "comments", "precision", "recall", *_PARTS, "found on pages without"]
    return table(heads, [[*cells, f"{false} of {without}"]])


_PARTS = ("authors", "dates", "parents")
