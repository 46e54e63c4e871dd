"""Finds the next page of an article or thread among the links of its page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

import numpy as np
from lxml import etree

from scrapy_boilerplate.core.answer.metadata import Metadata
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.addresses import web_address
from scrapy_boilerplate.core.page.lenient import attribute_of, tail_of, text_of
from scrapy_boilerplate.core.page.walk import local_name

MOST_PAGES = 99  # numbers above are those of articles, days or years

_PAGE_WORDS = (
    "page|pag|pagina|página|pagine|paging|seite|sida|side|strona|strana|stranka|stranica|sivu|"
    "oldal|sayfa|trang|halaman|lehekulg|pg|pgn|pn|pp|p"
)
_PAGE_NAME = re.compile(
    rf"(?:current|cur|this|start)?[-_]?(?:{_PAGE_WORDS})[-_]?"
    r"(?:num|no|nr|number|index|wanted|id|d)?",
    re.IGNORECASE,
)  # names of query parameters that number the pages of something; `comment_page` is not one

_OFFSET_NAME = re.compile(r"start|offset|st|s|skip", re.IGNORECASE)
"""Names of those that count the posts before a page of a thread."""

# A number has at most four digits, and neighbours that are none: no backtracking.
_NUMBERED = re.compile(
    rf"(?:(?P<mark>[/_,.;-])(?:(?P<word>{_PAGE_WORDS}|st|s|start)(?P<then>[/_,=.-]?))?)?"
    r"(?<!\d)(?P<number>\d{1,4})(?![\da-z])",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_BEGIN = re.compile(
    r"https?://(?:[^/?#]*@)?(?:www\.)?([^/?#]*)((?:/(?!(?:index|default)\b)[^\W\d_]+)?)", re.I
)  # server and first letters of the path, from which no number is cut
_MOST_NUMBERS = 6  # of a path that are looked at, from its end
_MOST_PARAMETERS = 20  # of an address
_MOST_OF_PATH = 300  # characters, from its end
_EXTENSION = re.compile(r"\.[a-z]{2,5}\Z|\.ht[a-z0-9]{1,3}\Z", re.IGNORECASE)
_INDEX = re.compile(r"/(?:index|default)\Z", re.IGNORECASE)
_DATE = re.compile(r"/(?:19|20)\d\d(?:[/-]\d{1,2}){0,2}\Z")
_OF_ONE_TEXT = re.compile(r"/[^/]*(?:\d{4}[^/]*|(?:[^-_/]+[-_]){3}[^/]*)\Z")
"""The end of the address of one text: a number as databases have it, or a title."""
_OF_LIST = re.compile(
    r"/(?:(?:sub|product-)?categor(?:y|ies|ia)|collections?|cat|tags?|browse|search|shop|market)/",
    re.IGNORECASE,
)
_IGNORED = re.compile(r"utm_.*|.*sess(?:ion)?_?id|sid|s|srsltid|fbclid|gclid|ref|rt|lang|highlight")
"""Parameters that follow a reader about and name no page."""

_NUMBER_TEXT = re.compile(rf"\W*(?:(?:{_PAGE_WORDS}|第)\W{{0,2}})?(\d{{1,2}})\W*[页頁]?\W*", re.I)
_NEXT_TEXT = re.compile(
    r"\W*(?:(?:go |continue )?(?:to )?(?:the )?next\b|continued?\b|weiter|n[äa]chste|page suivante|"
    r"suivant|siguiente|pr[oó]xim|successiv|avanti|seguinte|segueix|següent|volgende|n[äae]sta|"
    r"neste|næste|nast[eęě]pn|czytaj dalej|lire la suite|další|ďalši|naslednja|sljedeć|след|далее|"
    r"вперед|вперёд|наступн|"
    r"επόμεν|sonraki|következ|seuraava|järgmine|următoare|tiếp|trang sau|berikut|selanjutnya|"
    r"下一[页頁]|下[页頁]|后一页|後一頁|次の?ページ|次へ|다음|التالي|الصفحة التالية|הבא|"
    r"ถัดไป|अगला|بعدی)|[\s›»→>▶►]+\Z",
    re.IGNORECASE,
)
_SAYS_PAGE = re.compile(rf"\b(?:{_PAGE_WORDS[:-2]})\b|стран|σελίδα|[页頁]|ページ|페이지", re.I)
_LONGEST_TEXT = 60  # characters of a link to a page; a title is longer
_MOST_INSIDE = 50  # elements in a link that are looked at: links may hold links
_MOST_NEXT_LINKS = 1000  # links to pages of the same text that are looked at
_LISTS = "CollectionPage ItemList SearchResultsPage OfferCatalog Product ProductGroup".split()
_OTHER_PARTS = re.compile(
    r"(?<![a-z])(?:comments?|reviews?|replies|disqus|related|recommend\w*|calendar|kommentare?|"
    r"commentaires?|comentarios?|teasers?|materials|(?:article|post|blog|news)s?[-_]list)(?![a-z])",
    re.IGNORECASE,
)  # classes and anchors of what has pages of its own below an article


class _Reading(NamedTuple):
    """One way to read an address: as a page of something, or as that itself."""

    stem: tuple[str, str, frozenset[tuple[str, str]]]
    number: int | None = None
    mark: str = "?"
    """The separators before a number in the path, with … if more follows; ``?`` in the query."""
    word: str = ""  # the word that says what the number counts; empty for a bare number

    @property
    def is_offset(self) -> bool:
        """Whether the number counts the posts before."""
        return _OFFSET_NAME.fullmatch(self.word) is not None


def next_page(page: Page, *, is_thread: bool = False) -> str:
    """Return the address of the next page of the same article, absolute; empty without one.

    Needs the address of *page*, or one that the page declares. Compares addresses: the next page
    has the stem of this one and the next number. So neither the next article nor the next chapter
    is meant, whatever the link says. Takes linear time.

    >>> html = "<p>One.<p>1 <a href='?page=2'>2</a> <a href='?page=3'>3</a> <a href='/b'>Next</a>"
    >>> next_page(Page.parse(html, url="https://example.com/a"))
    'https://example.com/a?page=2'
    """
    links = _Links(page)
    own = {reading.stem: reading for reading in links.own()}
    stems = [host + path for host, path, _ in own]
    found: list[tuple[_Reading, _Reading, str, int]] = []
    for place, address in links if own else ():
        begin = _begin_of(address)
        for reading in _readings(address) if any(s.startswith(begin) for s in stems) else ():
            here = own.get(reading.stem)
            if here is None or reading.number is None:
                continue
            if is_thread or not (reading.is_offset or _is_of_list(reading)):
                found.append((here, reading, address, place))
    nodes = page.nodes_at({place for *_, place in found})
    steps = [_Step(*each, nodes[each[-1]]) for each in found]
    steps = [step for step in steps if _is_link(step.node)][:_MOST_NEXT_LINKS]
    pagers = {step.series for step in steps if step.is_numbered}
    steps = [step for step in steps if step.leads_on(step.series in pagers)]
    if steps and not is_thread:
        elements = page.ordinal.searchsorted([step.place for step in steps], side="right") - 1
        says = np.array([_OTHER_PARTS.search(each) is not None for each in page.strings])
        flags = (says[page.class_id] | says[page.id_id]) & ~page.has_tag(("body", "html"))
        beside = (page.count_above(flags) > 0)[elements].tolist()
        steps = [
            step
            for step, is_beside in zip(steps, beside, strict=True)
            if not (is_beside or _OTHER_PARTS.search(step.anchor))
        ]
    left = ((step.reading.number or 0, step.address.partition("#")[0]) for step in steps)
    return min(left, default=(0, ""))[1]


def is_list(metadata: Metadata) -> bool:
    """Return whether a page declares itself a list, or a part of the site and no article."""
    kind = metadata.page_type
    return kind in _LISTS or (kind.lower() == "website" and not metadata.date_published)


class _Links:
    """The links of a page with their absolute addresses."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._url = web_address(page.url or "", "")
        base, canonical = web_address(page.base_url, ""), page.declared_address("canonical")
        self._canonical = web_address(base, canonical) if canonical else ""
        self._base = base or self._canonical

    def own(self) -> Iterator[_Reading]:
        """Yield the readings of the page's own address; a later one says more."""
        # A page whose address is known cannot declare that of another server.
        if not self._url or _server(self._canonical) == _server(self._url):
            yield from _readings(self._canonical)
        yield from _readings(self._url)

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """Yield what may lead to a numbered page, after its number in the tree."""
        for place, href in self._page.values_with("href"):
            if len(href) < 3000 and _DIGIT.search(href):
                address = web_address(self._base, href)
                if address:
                    yield place, address


def _is_link(node: etree._Element) -> bool:
    tag = local_name(node.tag)
    return tag == "a" or (tag == "link" and "next" in _relations(node))


def _server(address: str) -> str:
    return urlsplit(address).netloc.rpartition("@")[2].lower().removeprefix("www.")


def _begin_of(address: str) -> str:
    """Return how the stem of each reading of an address begins, as far as that is soon told."""
    found = _BEGIN.match(address)
    return found[1].lower() + found[2] if found else ""


def _readings(address: str) -> Iterator[_Reading]:
    """Yield the ways to read an address: by itself first, then by each number that it has."""
    start, has_path, rest = address.partition("?/")
    if has_path:  # a path in the query, as some forums and newspapers have it
        address = f"{start}/{rest.replace('&', '?', 1)}"
    parts = urlsplit(address)
    host = _server(address)
    path = _INDEX.sub("", _EXTENSION.sub("", parts.path.rstrip("/")))
    query = parse_qsl(parts.query.replace(";", "&"), keep_blank_values=True)[:_MOST_PARAMETERS]
    kept = frozenset(each for each in query if not _IGNORED.fullmatch(each[0].lower()))
    if not path and not kept:
        return  # the pages of the home page are those of a list
    yield _Reading((host, path, kept))
    for name, value in query:
        topic_id, _, offset = value.rpartition(".")
        if _PAGE_NAME.fullmatch(name) or _OFFSET_NAME.fullmatch(name):
            if value.isdecimal() and len(value) <= 4:
                yield _Reading((host, path, kept - {(name, value)}), int(value), "?", name.lower())
        elif topic_id.isdecimal() and offset.isdecimal() and len(offset) <= 4:  # topic=5123.20
            topic = kept - {(name, value)} | {(name, topic_id)}
            yield _Reading((host, path, topic), int(offset), ".", "start")
    for number in list(_NUMBERED.finditer(path))[-_MOST_NUMBERS:]:
        before, after = _INDEX.sub("", path[: number.start()]), path[number.end() :]
        if before and not _DATE.search(before):
            mark = (number["mark"] or "") + (number["then"] or "") + ("…" if after else "")
            stem = (host, before + after, kept)
            yield _Reading(stem, int(number["number"]), mark, (number["word"] or "").lower())


def _is_of_list(reading: _Reading) -> bool:
    path = reading.stem[1]
    if _OF_LIST.search(f"{path}/"):
        return True
    is_blog = reading.mark == "//" and reading.word == "page"  # WordPress pages its lists so
    return is_blog and not any(map(str.isdecimal, path.rpartition("/")[2]))


class _Step(NamedTuple):
    """A link to an address that has the stem of the page's own, and a number."""

    here: _Reading
    reading: _Reading
    address: str
    place: int  # of the link in the tree
    node: etree._Element

    @property
    def anchor(self) -> str:
        """The place on a page that the link leads to."""
        return self.address.partition("#")[2].replace("_", "-")

    @property
    def series(self) -> tuple[object, ...]:
        """What all pages of a pager share."""
        return (self.reading.stem, self.reading.mark, self.reading.word)

    @property
    def is_numbered(self) -> bool:
        """Whether the link shows the number of another page, and nothing else."""
        return self.reading.number != self.here.number and _number_in(self.node) is not None

    def leads_on(self, has_pager: bool) -> bool:
        """Return whether the link says that it leads to the next page."""
        number, own = self.reading.number or 0, self.here.number
        says, is_next = _number_in(self.node), _says_next(self.node)
        if self.reading.is_offset:
            return number > (own or 0) and (is_next or (not own and says == 2))
        if number > MOST_PAGES or (says is None and not is_next):
            return False
        if own is None:  # this is the first page; some sites count from 0
            is_right = number in (1, 2) and says in (None, 2)
        else:
            is_right = number == own + 1 and says in (None, number, number + 1)
        if not is_right or self.reading.word or has_pager:
            return is_right
        # A bare number may be that of another text, and "next" may mean that one.
        says_page = _SAYS_PAGE.search(_text(self.node)) is not None
        if self.reading.mark != "/":
            return says_page and own in (None, 1)
        path = self.reading.stem[1][-_MOST_OF_PATH:]
        return own is None or says_page or _OF_ONE_TEXT.search(path) is not None


def _number_in(node: etree._Element) -> int | None:
    number = _NUMBER_TEXT.fullmatch(_text(node))
    return int(number[1]) if number is not None else None


def _says_next(node: etree._Element) -> bool:
    if "next" in _relations(node):
        return True
    labels = (_text(node), attribute_of(node, "title"), attribute_of(node, "aria-label"))
    if any(label and len(label) <= _LONGEST_TEXT and _NEXT_TEXT.match(label) for label in labels):
        return True
    return "next" in re.split(r"[\s_-]+", (attribute_of(node, "class") or "").lower())


def _text(node: etree._Element) -> str:
    """Return what a link shows: its text, or the words of its images."""
    pieces: list[str] = []
    alternatives: list[str] = []
    for each in islice(node.iter(), _MOST_INSIDE):
        if isinstance(each.tag, str):
            pieces.append(text_of(each) or "")
            if local_name(each.tag) == "img":
                alternatives.append(attribute_of(each, "alt") or "")
        if each is not node:
            pieces.append(tail_of(each) or "")
    text = " ".join("".join(pieces).split()) or " ".join(filter(None, alternatives))
    return text[: _LONGEST_TEXT + 1]


def _relations(node: etree._Element) -> list[str]:
    return (attribute_of(node, "rel") or "").lower().split()
