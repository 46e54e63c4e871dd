"""Other pages with the same text: what a template may do to an article without changing it.

A model that answers otherwise when ``p`` becomes ``div`` has learned templates, not texts:
``training.invariance`` counts the pages whose answer changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import NamedTuple, TypeAlias

from lxml import etree

from benchmarks.data import LabelledPage
from scrapy_boilerplate.core.page.text import tokens
from training.made_pages import (
    Element,
    beginning_of,
    find_article,
    paragraphs_of,
    remove,
    title_of,
    to_bytes,
)

__all__ = ["CHANGES", "mutant"]

_PROMPTS = (
    *("Advertisement", "Read also:", "Related:", "Subscribe to our newsletter", "Follow us on X"),
    *("Sign up for free and get the news in your inbox every morning.", "Continue reading below"),
    *("Anzeige", "Lesen Sie auch:", "Mehr zum Thema", "Lire aussi :", "Publicité", "Ver también:"),
    *("Leggi anche", "Читайте также:", "Реклама", "Czytaj także:", "相关阅读", "広告", "関連記事"),
)
_AUTHOR_HEADINGS = ("About the author", "Über den Autor", "À propos de l’auteur", "作者", "Author")
_BIOGRAPHIES = (
    "{} writes about politics and society and has been with us since 2009.",
    "{} is a senior editor. Contact: editor@example.com, or on social media.",
    "{} arbeitet als freier Journalist in Berlin und schreibt für mehrere Zeitungen.",
    "{} est journaliste et vit à Lyon.",
)
_TEASER_HEADINGS = ("More from this author", "Latest posts", "Mehr von dieser Autorin", "Read next")
_COMMENT_HEADINGS = ("{} comments", "Comments", "{} Kommentare", "Commentaires", "Discussion ({})")
_NAMES = (
    *("Anna", "jsmith", "Peter K.", "Ольга", "小明", "Marek", "reader42", "M. Rossi", "Zoë", "tk"),
    *("Old Timer", "José", "Guest", "Dave from Leeds", "Nikos"),
)
_PATHS = ("{}", "2019/04/{}.html", "{}/", "news/{}-1029384", "p/{}", "?p=4711", "article/{}.php")


class Article(NamedTuple):
    """A page that is changed in place."""

    root: Element
    unit: Element  # the element of the article with its heading
    paragraphs: list[Element]
    others: Sequence[LabelledPage]  # articles that texts around this one are taken from


Change: TypeAlias = Callable[[Article, Random], None]


def mutant(
    page: LabelledPage, others: Sequence[LabelledPage], random: Random, name: str
) -> LabelledPage | None:
    """Return *page* with the change of this *name*; ``None`` where its article is not found.

    The gold text stays.
    """
    found = find_article(page)
    if found is None:
        return None
    unit, paragraphs = found
    article = Article(unit.getroottree().getroot(), unit, paragraphs, others)
    CHANGES[name](article, random)
    url = _address(page, random) if name == "address" else page.url
    return replace(page, id=f"mutant of {page.id}", html=to_bytes(article.root), url=url)


# -- markup ----------------------------------------------------------------------------------


def _divs(article: Article, random: Random) -> None:
    """Make paragraphs ``div`` elements."""
    for paragraph in article.paragraphs:
        if paragraph.tag == "p":
            paragraph.tag = "div"


def _wrapped(article: Article, random: Random) -> None:
    """Put each paragraph into one to three elements of its own."""
    levels = random.randint(1, 3)
    for paragraph in article.paragraphs:
        for _ in range(levels if paragraph is not article.unit else 0):
            _wrap(paragraph)


def _wrap(element: Element) -> None:
    parent, box = element.getparent(), etree.Element("div")
    box.tail, element.tail = element.tail, None
    parent.replace(element, box)
    box.append(element)


def _unwrapped(article: Article, random: Random) -> None:
    """Take away what holds nothing but one other element."""
    for each in list(article.root.iter("div", "section")):
        parent = each.getparent()
        if each is article.unit or parent is None or len(each) != 1 or _is_text(each.text):
            continue
        child = each[0]
        if isinstance(child.tag, str) and not _is_text(child.tail):
            child.tail = each.tail
            parent.replace(each, child)


def _is_text(text: str | None) -> bool:
    return bool(text and text.strip())


def _plain(article: Article, random: Random) -> None:
    """Make ``article``, ``main`` and ``section`` elements ``div`` elements."""
    for each in article.root.iter("article", "main", "section"):
        each.tag = "div"


def _joined(article: Article, random: Random) -> None:
    """Make one paragraph of neighbours, with ``br`` elements between them."""
    for one, other in reversed([*pairwise(article.paragraphs)]):
        if other.getprevious() is not one or _is_text(one.tail) or one.tag != other.tag:
            continue
        line = etree.SubElement(one, "br")
        etree.SubElement(one, "br").tail = other.text
        one.extend(other)
        one.tail = other.tail
        other.getparent().remove(other)
        article.paragraphs.remove(other)
        line.tail = "\n"


def _other_heading(article: Article, random: Random) -> None:
    """Make ``h1`` elements ``h2`` or ``div`` elements."""
    tag = random.choice(["h2", "div"])
    for heading in article.root.iter("h1"):
        heading.tag = tag


def _renamed(article: Article, random: Random) -> None:
    """Give classes and ids other names, the same ones the same."""
    names: dict[str, str] = {}
    for each in article.root.iter(etree.Element):
        for attribute in ("class", "id"):
            value = each.get(attribute)
            if value:
                new = (names.setdefault(name, _name(random)) for name in value.split())
                each.set(attribute, " ".join(new))


def _name(random: Random) -> str:
    return random.choice("abcdefgxyz") + "".join(random.choices("abcdefghijkmnpqrstu23456789", k=5))


# -- what stands around the text -------------------------------------------------------------


def _prompts(article: Article, random: Random) -> None:
    """Put prompts between paragraphs, some of them with a link."""
    for paragraph in random.sample(article.paragraphs, min(len(article.paragraphs), 3)):
        parent = paragraph.getparent()
        if paragraph is article.unit or parent is None or parent.tag in ("tr", "ul", "ol"):
            continue
        prompt = etree.Element(random.choice(["p", "div", "div", "aside"]))
        prompt.text = random.choice(_PROMPTS)
        if random.random() < 0.5:
            prompt.text += " "
            _link(prompt, random.choice(article.others))
        prompt.tail, paragraph.tail = paragraph.tail, "\n"
        parent.insert(parent.index(paragraph) + 1, prompt)


def _author(article: Article, random: Random) -> None:
    """Put a box about the author behind the text, and teasers below it."""
    box = etree.Element(random.choice(["div", "aside", "section"]))
    etree.SubElement(box, random.choice(["h2", "h3", "h4"])).text = random.choice(_AUTHOR_HEADINGS)
    text = random.choice(_BIOGRAPHIES).format(random.choice(_NAMES))
    etree.SubElement(box, "p").text = text
    etree.SubElement(box, "h3").text = random.choice(_TEASER_HEADINGS)
    teasers = etree.SubElement(box, "ul")
    for other in random.sample(article.others, min(len(article.others), random.randint(3, 6))):
        item = etree.SubElement(teasers, "li")
        _link(item, other)
        if random.random() < 0.5:
            etree.SubElement(item, "p").text = _beginning(other, random)
    _behind(article, box)


def _comments(article: Article, random: Random) -> None:
    """Put what readers wrote of other pages behind the text."""
    size = random.choice([2, 3, 5, 8, 15])
    box = etree.Element(random.choice(["div", "section"]))
    box.set(*random.choice([("class", "comments"), ("id", "comments"), ("class", "c")]))
    etree.SubElement(box, "h3").text = random.choice(_COMMENT_HEADINGS).format(size)
    rows, unit = random.choice([("ol", "li"), ("ul", "li"), ("div", "div")])
    comments = etree.SubElement(box, rows)
    for number in range(size):
        comment = etree.SubElement(comments, unit)
        etree.SubElement(comment, random.choice(["b", "cite", "span"])).text = random.choice(_NAMES)
        etree.SubElement(comment, "span").text = f" {number % 28 + 1}.3.2017, 1{number % 10}:03 "
        etree.SubElement(comment, "p").text = _beginning(random.choice(article.others), random)
        etree.SubElement(comment, "a", href="#").text = random.choice(["Reply", "Antworten", "↩"])
    _behind(article, box)


def _behind(article: Article, box: Element) -> None:
    parent = article.unit.getparent()
    box.tail = "\n"
    parent.insert(parent.index(article.unit) + 1, box)


def _link(element: Element, other: LabelledPage) -> None:
    title = title_of(other)
    link = {"href": "/" + "-".join(tokens(title)[:6])}
    etree.SubElement(element, "a", link).text = title


def _beginning(other: LabelledPage, random: Random) -> str:
    text = random.choice(paragraphs_of(other) or [title_of(other)])
    return beginning_of(text, random.choice([6, 12, 25, 40, 80]))


# -- what the page says of itself ------------------------------------------------------------


def _undeclared(article: Article, random: Random) -> None:
    """Take away ``meta`` elements, structured data and what names the page's address."""
    for each in list(article.root.iter("meta", "link", "script")):
        is_data = each.tag != "script" or "ld+json" in (each.get("type") or "")
        if is_data and each.get("charset") is None and not _is_text(each.tail):
            remove(each, article.root)


def _address(page: LabelledPage, random: Random) -> str:
    name = "-".join(tokens(title_of(page))[: random.randint(1, 6)]) or "page"
    return f"https://www.{_name(random)}.example/{random.choice(_PATHS).format(name)}"


def _as_it_is(article: Article, random: Random) -> None:
    """Leave the page: only its address is another one."""


CHANGES: dict[str, Change] = {
    "div paragraphs": _divs,
    "wrapped paragraphs": _wrapped,
    "fewer wrappers": _unwrapped,
    "plain sections": _plain,
    "joined paragraphs": _joined,
    "other heading": _other_heading,
    "prompts": _prompts,
    "comments": _comments,
    "author's box": _author,  # stands before the comments
    "no declarations": _undeclared,
    "address": _as_it_is,
    "renamed classes": _renamed,
}
"""Changes by name, in the order in which they are made."""
