"""Measures comments on pages whose comments are known: of generators, or marked by hand.

    python -m benchmarks.comments ../shared/data/made
    python -m benchmarks.comments ../shared/data --marked

With ``--marked``, the pages are real ones: ``comments_marked.json`` has for each the selectors of
its comments, or nothing where it has none. A list is a selector with the pattern of the part that
counts. A found comment is right if its words are those of one of the page's, but for a tenth.
Authors, dates and parents are counted on right ones.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
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

MARKS = Path(__file__).with_name("comments_marked.json")
ALIKE = 0.9  # F1 of the words of two texts that are the same
_LEFT_OUT = "script, style, textarea, noscript, select"
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()


class Comment(NamedTuple):
    """What a person sees of a comment."""

    author: str
    date: str  # as the page shows it
    text: Counter[str]
    written: Counter[str]  # its words without quotations and titles, which may be left out
    parent: int | None  # the number of the comment that it stands in


class Known(NamedTuple):
    """A page and the comments that stand on it."""

    group: str  # its generator, or ``marked``
    page: data.LabelledPage
    comments: list[Comment]


def marked_pages(folder: Path) -> Iterator[Known]:
    for name, marks in json.loads(MARKS.read_text(encoding="utf-8")).items():
        for page in data.read(folder / name):
            own = page.id.rpartition("/")[2] if name.startswith("extra/") else page.id
            if own in marks:
                yield Known("marked", page, comments(page.html, marks[own]) if marks[own] else [])


def made_pages(folder: Path) -> Iterator[Known]:
    """Yield the pages of generators; of which comment another is an answer they do not say."""
    pages = {f"{page.site} {page.url}": page for page in data.read_made(folder)}
    for listed in sorted(folder.glob("*/pages.jsonl")):
        for row in map(json.loads, listed.read_text(encoding="utf-8").splitlines()):
            said = [(each, Counter(tokens(each["text"]))) for each in row["comments"] or []]
            found = [
                Comment(each["author"], str(each.get("date") or "")[:10], words, words, None)
                for each, words in said
            ]
            yield Known(row["generator"], pages[f"{row['site']} {row['url']}"], found)


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
            if alike > best or (right is None and alike == best):
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


PARTS = ("authors", "dates", "parents")


def comments_table(known: Iterator[Known], parts: Sequence[str], *, wrong: bool = False) -> str:
    """Return a Markdown table by group: what is right, and how often comments are found in vain."""
    totals: dict[str, Counter[str]] = defaultdict(Counter)
    for group, page, expected in known:
        answer = extract(page.html, url=page.url)
        found = answer.comments if group == "marked" else answer.comments or answer.posts
        new = count(found, expected)
        new.update(pages=bool(expected), without=not expected, vain=not expected and bool(found))
        totals[group] += new
        if wrong and len({new[each] for each in ("found", "expected", "right", *parts)}) > 1:
            print(page.id, page.url, answer.kind, dict(new))
    rows = []
    for group, total in sorted(totals.items()):
        shares = [("right", "found"), ("right", "expected"), *((part, "right") for part in parts)]
        cells = [share(total[part] / max(1, total[whole])) for part, whole in shares]
        counts = [str(total[name]) for name in ("pages", "expected")]
        rows.append([group, *counts, *cells, f"{total['vain']} of {total['without']}"])
    heads = ["group", "pages", "comments", "precision", "recall", *parts, "found on pages without"]
    return table(heads, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path, help="the folder of made pages, or of all sets")
    parser.add_argument("--marked", action="store_true", help="measure pages marked by hand")
    parser.add_argument("--wrong", action="store_true", help="print the pages that have errors")
    given = parser.parse_args()
    read, parts = (marked_pages, PARTS) if given.marked else (made_pages, PARTS[:2])
    print(comments_table(read(given.data), parts, wrong=given.wrong))


if __name__ == "__main__":
    main()
