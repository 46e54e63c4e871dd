"""Pages made from labelled articles: index pages of their sites, and articles with a list below.

Few labelled sets have index pages, and none has many sites of them. So an article's element is
repeated with the titles and beginnings of other articles, as a blog or a section page does: in its
place (:func:`list_of`) or below it (:func:`with_list_below`). They teach what a list is, and what
is none. Their blocks are learned, too, with little weight: a list is content where it is the page,
and none below an article. So that no short article is taken for a part of a list, others are cut
short (:func:`cut_short`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from itertools import takewhile
from random import Random
from typing import TypeAlias
from urllib.parse import urlsplit

from lxml import etree, html

from benchmarks.data import LabelledPage
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.text import tokens

Element: TypeAlias = etree._Element

_HEADINGS = ("h1", "h2", "h3", "h4")
_LONG = 80  # characters from which on a line of the gold text is a paragraph
_LEAST_WORDS, _SAME, _MOST_PARAGRAPHS = 8, 0.8, 0.8
"""Words of a paragraph on the page, the share of them that is in one of the gold text, and the
share of the paragraphs that the article's element holds."""
_LEVELS, _WIDER = 3, 1.4
"""Elements that are climbed to find the heading, and how many times the words that may add."""
_ALONE = 0.3  # share of the short articles that stand alone
_WORDS = re.compile(r"\s*(?:[\u3005-\u30ff\u3400-\u9fff]|[^\s\u3005-\u30ff\u3400-\u9fff]+)")
_ENDS = (None, None, "»", "Read more", "Continue reading →", "(…)")
_SECTIONS = ("category/misc", "tag/politics", "blog", "archive/2014/05", "news", "topics/life")


def list_of(
    page: LabelledPage, others: Sequence[LabelledPage], random: Random
) -> LabelledPage | None:
    """Return *page* as an index page of *others*; ``None`` where its article is not found.

    Its gold text is the list, a line a unit.
    """
    found = _find_article(page)
    if found is None:
        return None
    unit, paragraphs = found
    parent, root = unit.getparent(), unit.getroottree().getroot()
    paragraphs_each = random.choice([1, 1, 1, 1, 2, 2, 3, 6])
    units = _units(unit, paragraphs, others, paragraphs_each, random)
    place = parent.index(unit)
    parent.remove(unit)
    for number, each in enumerate(units):
        parent.insert(place + number, each)
    gold = "\n".join(" ".join(each.itertext()) for each in units)
    _retitle(root, units, random)
    return replace(
        page,
        id=f"list of {page.id}",
        url=page.url and _address(page.url, random),
        html=_to_bytes(root),
        gold=gold,
        kind="index",
    )


def with_list_below(
    page: LabelledPage, others: Sequence[LabelledPage], random: Random
) -> LabelledPage | None:
    """Return *page* with a list of *others* below its article; ``None`` where that is not found."""
    found = _find_article(page)
    if found is None:
        return None
    unit, paragraphs = found
    box = etree.Element(random.choice(["div", "aside", "section", "ul"]))
    if random.random() < 0.5:
        etree.SubElement(box, "h3").text = random.choice(["Related", "More", "»", "Other news"])
    box.extend(_units(unit, paragraphs, others, 1, random))
    parent = unit.getparent()
    parent.insert(parent.index(unit) + 1, box)
    root = parent.getroottree().getroot()
    return replace(page, id=f"list below {page.id}", html=_to_bytes(root))


def cut_short(
    page: LabelledPage, others: Sequence[LabelledPage], random: Random
) -> LabelledPage | None:
    """Return *page* with the beginning of its article; ``None`` where that is not found.

    Some pages have nothing else, not even a heading, so that it tells of no kind. *others* are not
    looked at.
    """
    found = _find_article(page)
    if found is None:
        return None
    unit, paragraphs = found
    kept = paragraphs[: random.choice([1, 1, 1, 2, 3])]
    gold = [str(each.xpath("string()")) for each in kept]
    if random.random() < _ALONE:
        root = html.document_fromstring("<html><body></body></html>")
        place = random.choice([root[0], etree.SubElement(root[0], "div")])
        for paragraph in kept:
            paragraph.tail = "\n"
        place.extend(kept)
    else:
        root = unit.getroottree().getroot()
        gold = [*_lines_above(page, kept[0]), *gold]
        _cut(unit, kept[-1], paragraphs[-1])
    text = "\n".join(gold)
    return replace(page, id=f"short {page.id}", html=_to_bytes(root), gold=text, kind="page")


def _lines_above(page: LabelledPage, paragraph: Element) -> list[str]:
    """Return the lines of the gold text that stand above a paragraph."""

    def is_above(line: str) -> bool:
        return not _is_paragraph(paragraph, [set(tokens(line))])

    return list(takewhile(is_above, _lines(page)))


def _cut(unit: Element, first: Element, last: Element) -> None:
    """Take away what stands after the paragraph *first* of a unit, up to the paragraph *last*."""
    inside = list(unit.iter())
    end = {each: place + len(list(each.iter())) for place, each in enumerate(inside)}
    for each in inside[end[first] : inside.index(last) + 1]:
        if end[each] <= end[last]:
            _remove(each, unit)


def _find_article(page: LabelledPage) -> tuple[Element, list[Element]] | None:
    """Return the element of an article with its heading, and the paragraphs in it."""
    root = Page.parse(page.html, url=page.url).root
    wanted = [set(tokens(line)) for line in _paragraphs(page)]
    found = [e for e in root.iter(etree.Element) if _is_paragraph(e, wanted)]
    if not found:
        return None
    holds: dict[Element, int] = {}
    for each in found:
        for element in (each, *each.iterancestors()):
            holds[element] = holds.get(element, 0) + 1
    unit = found[len(found) // 2]
    while holds[unit] < _MOST_PARAGRAPHS * len(found):
        unit = unit.getparent()
    most = _WIDER * _words(unit)
    for _ in range(_LEVELS):
        above = unit.getparent()
        has_heading = next(unit.iter(*_HEADINGS), None) is not None
        if has_heading or above is None or above.tag in ("body", "html") or _words(above) > most:
            break
        unit = above
    if unit.tag in ("html", "body", "tbody", "tr", "td") or unit.getparent() is None:
        return None
    inside = set(unit.iter())
    return unit, [each for each in found if each in inside]


def _is_paragraph(element: Element, wanted: Sequence[set[str]]) -> bool:
    """Tell whether the text right in an element is one of the *wanted* paragraphs."""
    if element.tag in ("script", "style", "noscript", "title", "head", "body", "html"):
        return False
    own = set(tokens(" ".join([element.text or "", *(each.tail or "" for each in element)])))
    return len(own) > _LEAST_WORDS and any(len(own & each) >= _SAME * len(own) for each in wanted)


def _units(
    unit: Element,
    paragraphs: Sequence[Element],
    others: Sequence[LabelledPage],
    paragraphs_each: int,
    random: Random,
) -> list[Element]:
    """Return copies of an article's element, each with the beginning of another article."""
    tag, end = random.choice(["h2", "h2", "h3", None]), random.choice(_ENDS)
    numbers = [number for number, each in enumerate(unit.iter()) if each in set(paragraphs)]
    units = []
    for number in range(random.choice([3, 4, 5, 6, 8, 10, 10, 12, 15, 20])):
        other = others[number % len(others)]
        texts = _paragraphs(other) or ["—"]
        title = _lines(other)[0]
        if len(title) > _LONG or random.random() < 0.2:
            title = beginning_of(texts[0], random.randint(3, 9))
        link = {"href": "/" + "-".join(tokens(title)[:6])}
        copy = deepcopy(unit)
        copy.tail = "\n"
        copy.attrib.pop("id", None)
        inside = list(copy.iter())
        own = [inside[place] for place in numbers]
        for place, paragraph in enumerate(own[:paragraphs_each]):
            text = texts[place % len(texts)]
            if paragraphs_each == 1:
                text = beginning_of(text, random.choice([15, 25, 40, 55, 80, 200]))
                text += random.choice(["", "…", " [...]"])
            _empty(paragraph).text = text
        if end:
            etree.SubElement(own[min(len(own), paragraphs_each) - 1], "a", link).text = end
        for paragraph in own[paragraphs_each:]:
            _remove(paragraph, copy)
        _head(copy, tag, title, link)
        units.append(copy)
    return units


def _head(unit: Element, tag: str | None, title: str, link: dict[str, str]) -> None:
    """Make a linked *title* the one heading of a unit."""
    headings = [each for each in unit.iter(*_HEADINGS) if each is not unit]
    for heading in headings[1:]:
        _remove(heading, unit)
    if headings:
        head = _empty(headings[0])
        head.tag = tag or head.tag
    else:
        head = etree.Element(tag or "h2")
        unit.insert(0, head)
    etree.SubElement(head, "a", link).text = title


def _retitle(root: Element, units: Sequence[Element], random: Random) -> None:
    """Take away what the page says of its one article."""
    inside = {each for unit in units for each in unit.iter("h1")}
    for heading in list(root.iter("h1")):
        if heading not in inside and random.random() < 0.7:
            _remove(heading, root)
    for title in root.iter("title"):
        name = re.split(r"\s+[-|–»:·]\s+", title.text or "")[-1]
        title.text = random.choice([name, name, "Blog", f"Archive {name}"])
    for meta in list(root.iter("meta")):
        name = (meta.get("property") or meta.get("name") or "").lower()
        if name == "og:type":
            meta.set("content", "website")
        elif name.startswith("article:"):
            _remove(meta, root)
    for script in list(root.iter("script")):
        if "ld+json" in (script.get("type") or "") and random.random() < 0.8:
            _remove(script, root)


def _address(url: str, random: Random) -> str:
    """Return an address as index pages of a site have it."""
    address = urlsplit(url)
    segments = [segment for segment in address.path.split("/") if segment]
    paths = (
        "",
        random.choice(_SECTIONS),
        "/".join(segments[:-1]),
        "/".join(segments[:1]) + random.choice(["/page/2", "", "/index.html"]),
    )
    return f"{address.scheme}://{address.netloc}/{random.choice(paths)}"


def _lines(page: LabelledPage) -> list[str]:
    """Return the lines of the gold text, without characters that markup cannot hold."""
    lines = ("".join(filter(str.isprintable, line)).strip() for line in page.gold.split("\n"))
    return [line for line in lines if line]


def beginning_of(text: str, most: int) -> str:
    """Return the first words of a text, or characters of Chinese and Japanese.

    >>> beginning_of("The ferry sails", 2), beginning_of("渡し船は出ます", 2)
    ('The ferry', '渡し')
    """
    return "".join(_WORDS.findall(text)[:most]).strip()


def _paragraphs(page: LabelledPage) -> list[str]:
    """Return the long lines of the gold text."""
    return [line for line in _lines(page) if len(line) > _LONG]


def _words(element: Element) -> int:
    return len(tokens(" ".join(element.itertext(etree.Element))))


def _empty(element: Element) -> Element:
    """Take away what is in an element, and return it."""
    for child in list(element):
        element.remove(child)
    element.text = None
    return element


def _remove(element: Element, within: Element) -> None:
    """Take an element away with what follows it, unless it is *within* itself."""
    parent = element.getparent()
    if parent is not None and element is not within:
        parent.remove(element)


def _to_bytes(root: Element) -> bytes:
    """Return the page as a server sends it."""
    page: bytes = etree.tostring(root, encoding="utf-8", method="html")
    return page
