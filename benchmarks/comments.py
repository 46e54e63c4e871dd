"""Measures comments and posts on pages whose own are known: of generators, or marked by hand.

    python -m benchmarks.comments ../shared/data/made
    python -m benchmarks.comments ../shared/data --marked
    python -m benchmarks.comments ../shared/data/wcxb-dev --posts

With ``--marked``, the pages are real ones: ``comments_marked.json`` has for each the selectors of
its comments, or nothing where it has none. A list is a selector with the pattern of the part that
counts. A found comment is right if its words are those of one of the page's, but for a tenth.
Authors, dates and parents are counted on right ones. With ``--posts``, ``posts.json`` has for each
of some threads, one a host, the selector of the elements that hold what was written. A found post
is right if it holds most of the words of one of them that are no quotes, and hardly others.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

from lxml import etree, html

from benchmarks import data
from benchmarks.commands import a_folder, command
from benchmarks.tables import share, table
from scrapy_boilerplate import extract
from scrapy_boilerplate.core.answer.posts import Post
from scrapy_boilerplate.core.page.decoding import decode
from scrapy_boilerplate.core.page.text import tokens

MARKS, POSTS = (Path(__file__).with_name(f"{name}.json") for name in ("comments_marked", "posts"))
ALIKE = 0.9  # F1 of the words of two texts that are the same
ALIKE_POSTS = 0.7  # shares from which on two posts are: signatures and lines about it may differ
_QUOTES = "blockquote, [class*='quote'], [class*='Quote'], script, style"
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
        for row in data.rows(listed):
            said = [(each, _counted(each["text"])) for each in row["comments"] or []]
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
    return _counted(" ".join(texts))


def matched(
    found: Sequence[Post],
    expected: Sequence[Comment],
    likeness: Callable[[Post, Comment], float],
    least: float = ALIKE,
) -> dict[int, int]:
    """Return for each found one that is right the number of the expected one, the best first."""
    pairs: dict[int, int] = {}
    alike = sorted(
        (-likeness(post, each), number, other)
        for number, post in enumerate(found)
        for other, each in enumerate(expected)
    )
    for value, number, other in alike:
        if -value >= least and number not in pairs and other not in pairs.values():
            pairs[number] = other
    return pairs


def _alike(post: Post, comment: Comment) -> float:
    words = _counted(post.text)
    shared = max(
        2 * (words & each).total() / max(1, words.total() + each.total())
        for each in (comment.text, comment.written)
    )
    return shared + 1e-3 * (post.author == comment.author)


def count(found: Sequence[Post], expected: Sequence[Comment]) -> Counter[str]:
    """Count found, expected and right comments, and right authors, dates and parents of these."""
    pairs = matched(found, expected, _alike)
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


# -- posts -----------------------------------------------------------------------------------


def posts_table(folder: Path, *, wrong: bool = False) -> str:
    """Return a Markdown table of precision and recall, also without what tells a thread."""
    marks = json.loads(POSTS.read_text(encoding="utf-8"))
    ways = {"as it is": (1, 1), "no address": (0, 1), "no classes": (1, 0), "neither": (0, 0)}
    counts = {way: Counter[str]() for way in ways}
    for page in data.read(folder):
        if page.id not in marks:
            continue
        root = html.document_fromstring(page.html)
        expected = [each for each in map(_post, root.cssselect(marks[page.id])) if each.written]
        bare = _without_names(page.html)
        for way, (address, names) in ways.items():
            answer = extract(page.html if names else bare, url=page.url if address else None)
            right = len(matched(answer.posts, expected, _holds, ALIKE_POSTS))
            found = len(answer.posts)
            counts[way].update(found=found, expected=len(expected), right=right, pages=1)
            if wrong and not right == found == len(expected):
                print(f"{page.id} {way}: {found} found, {right} of {len(expected)} right")
    rows = [
        [way, *(share(count["right"] / max(1, count[of])) for of in ("found", "expected"))]
        for way, count in counts.items()
    ]
    first = counts["as it is"]
    head = f"{first['pages']} threads, {first['expected']} posts"
    return table([head, "precision", "recall"], rows)


def _holds(post: Post, marked: Comment) -> float:
    """Return the share of words that are in the post, or that of its own words if it is less."""
    words = _counted(post.text)
    return min(
        (words & marked.text).total() / max(1, words.total()),
        (words & marked.written).total() / marked.written.total(),
    )


def _post(element: html.HtmlElement) -> Comment:
    copied = deepcopy(element)
    for quote in copied.cssselect(_QUOTES):
        if quote is not copied:
            quote.drop_tree()
    words, own = (_counted(each.text_content()) for each in (element, copied))
    return Comment("", "", words, own, None)


def _counted(text: str) -> Counter[str]:
    return Counter(tokens(text))


def _without_names(source: bytes) -> bytes:
    root = html.document_fromstring(source)
    for element in root.iter(etree.Element):
        for name in ("class", "id"):
            element.attrib.pop(name, None)
    written: bytes = html.tostring(root, encoding="utf-8")
    return written


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("data", type=a_folder, help="folder of made pages, or of all sets")
    parser.add_argument("--marked", action="store_true", help="measure pages marked by hand")
    parser.add_argument("--posts", action="store_true", help="measure posts of marked threads")
    parser.add_argument("--wrong", action="store_true", help="print the pages that have errors")
    given = parser.parse_args()
    if given.posts:
        print(posts_table(given.data, wrong=given.wrong))
        return
    read, parts = (marked_pages, PARTS) if given.marked else (made_pages, PARTS[:2])
    print(comments_table(read(given.data), parts, wrong=given.wrong))


if __name__ == "__main__":
    main()
