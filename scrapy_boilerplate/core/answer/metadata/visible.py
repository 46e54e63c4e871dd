"""Places where a reader sees who wrote a page, and when: by-lines, elements named so, ``time``."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import scrapy_boilerplate.core.answer.metadata._evidence_native as native
from scrapy_boilerplate.core.caching import cached_property
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page.arrays import Bool
from scrapy_boilerplate.core.page.layout import LITERAL
from scrapy_boilerplate.core.page.tags import HEADINGS
from scrapy_boilerplate.core.page.walk import TagTable

_SPACE = re.compile(r"[^\S\t\n]{2,}|[^\S\t\n ]")  # what is more than a space
LINE_WORDS = 40  # words of an element that may be a by-line
MOST_FOUND = 12  # elements of each kind that are read
_MOST_LINKS_READ = 100
_MOST_NAME = 6  # words of a link that may be a name
_LONGEST_STAMP = 12  # words of an element that is a date
_NEXT, _NEARER, _FAR = 3, 10, 40
"""Blocks between the title and what stands next to it, near it and far from it."""
_LONGEST_USER = 2  # words of a heading that is the name of who wrote a post
_LEAST_LIST = 3  # what elements of one make say from which on they are those of a list of texts

_TO_AUTHOR = re.compile(
    r"(?:(?:https?:)?//(?P<host>[^/?#]*))?(?:[^?#]*/(?:authors?|staff|contributors?|columnists?|"
    r"reporters?|journalists?|autor(?:en|es)?|auteurs?|autori|redakt\w+|writers?)/[^/?#]|"
    r"[^?#]*\?(?:.*&)?author=|[^?#@]*/@[\w.-]+/?(?:[?#]|\Z))"
)  # the address of a page about an author

_TAGS = TagTable(
    {
        **dict.fromkeys(LITERAL, native.CODE),
        **dict.fromkeys(HEADINGS, native.HEADING),
        **dict.fromkeys(("nav", "figcaption"), native.APART | native.BESIDE),
        "aside": native.BESIDE,
        "footer": native.FOOTER,
        "article": native.ARTICLE,
    },
    other=0,
    dtype=np.uint32,
)
_WORDS = {
    native.FIRST: "author by elementor most page posted read side site user",
    native.AUTHOR: "author authors author-name authorname postauthor entryauthor articleauthor "
    "byline bylines by-line writer contributor contributors posted-by postedby poster user-name "
    "username creator autor autoren autores auteur auteurs autore autori verfasser",
    native.DATE: "date dates datetime dateline postdate entrydate articledate pubdate publishdate "
    "publicationdate time timestamp publish published publishedat datepublished posted postedon "
    "updated created byline meta postmeta articlemeta entrymeta",
    native.IN_COMMENTS: "comment comments commentlist commentslist commentarea cmt respond "
    "responses disqus reply replies kommentar kommentare commentaire commentaires comentario "
    "comentarios commento commenti reactie reacties kommentti kommentit komentarz "
    "komentarze yorum yorumlar",
    native.BESIDE: "side-bar sidebar aside widget related recommend recommended recommends "
    "recommendation recommendations popular trending latest recent teaser teasers promo carousel "
    "slider most-read most-viewed mostread mostviewed read-next readnext newsletter menu reference "
    "references reflist footnotes bibliography navigation postnavigation nav pager pagination "
    "site-footer page-footer copyright",
}
_ROLES: dict[str, int] = {"elementor-widget": 0}
for _role, _words in _WORDS.items():
    for _word in _words.split():
        _ROLES[_word] = _ROLES.get(_word, 0) | _role
_ROLES_OF = native.Words(_ROLES)
_NO_AUTHOR = re.compile(
    r"bio|about|avatar|image|img|photo|pic|social|related|box|desc|icon|role|title|"
    r"follow|count|share|form|login|popup|modal|menu|footer|sidebar|widget|search|nav",
    re.IGNORECASE,
)
_NO_COMMENTS = re.compile(r"open|closed|count|link|off|enabled", re.IGNORECASE)
_AUTHORED = re.compile(r"(?:\A|[:/\s])(?:author|creator)\Z")  # properties of RDFa
_IS_COMMENT = re.compile(r"/(?:User)?(?:Comments?|Review|Answer)\Z", re.IGNORECASE)
"""Types of items that readers write."""
_LONGEST_LINK = 300


class Spot(NamedTuple):
    source: str
    element: int
    first: int  # the text node that it begins in
    text: str


class Visible:
    """The lines and elements of a page that may name its author or its date."""

    def __init__(self, page: Page, title: int) -> None:
        self.page = page
        self.title = title
        """Index of the text node that the title begins with; −1 if it is not on the page."""
        self.title_block = self.block_of(title)

    def block_of(self, text: int) -> int:
        return int(self.page.block_of(text))

    @cached_property
    def words(self) -> NDArray[np.int64]:
        return cumulative(self.page.words)

    @cached_property
    def marked(self) -> list[tuple[int, tuple[str, ...]]]:
        marked, page = self.page.declarations[1], self.page
        if not marked:
            return []
        ordinals = np.array([ordinal for ordinal, _ in marked])
        found = page.ordinal.searchsorted(ordinals)
        is_there = page.ordinal.take(found, mode="clip") == ordinals
        pairs = zip(found.tolist(), marked, is_there.tolist(), strict=True)
        return [(element, own) for element, (_, own), is_seen in pairs if is_seen]

    @cached_property
    def roles(self) -> NDArray[np.uint32]:
        """What each element is by its tag, class, id and properties, a bit each."""
        page = self.page
        named = _ROLES_OF.of_names(page.strings)
        for role, others in ((native.AUTHOR, _NO_AUTHOR), (native.IN_COMMENTS, _NO_COMMENTS)):
            for number in (named & role).nonzero()[0].tolist():
                if others.search(page.strings[number]):
                    named[number] ^= role
        roles: NDArray[np.uint32] = named.take(page.class_id)
        roles |= named.take(page.id_id)
        roles |= _TAGS.of(page.names).take(page.tag)
        for element, (itemprop, property_, *_, kind) in self.marked:
            own = itemprop + property_
            may_say = "author" in own or "creator" in own
            if may_say and (_AUTHORED.search(itemprop) or _AUTHORED.search(property_)):
                roles[element] |= native.AUTHOR
            if kind and _IS_COMMENT.search(kind):
                roles[element] |= native.IN_COMMENTS
        return roles

    def is_short(self, element: int) -> bool:
        first, last = self.page.first_text[element], self.page.last_text[element]
        return bool(0 < self.words[last] - self.words[first] <= _LONGEST_STAMP)

    # -- regions -----------------------------------------------------------------------------

    @cached_property
    def around(self) -> NDArray[np.uint32]:
        """The roles of each element and of those around it, as ``native.roles_around`` says."""
        page, roles = self.page, self.roles
        comments = (roles & native.IN_COMMENTS).nonzero()[0]
        if self.title >= 0 and comments.size:
            # What begins right below the title is none: it is the first post of a thread.
            before = comments[page.first_text[comments] < self._after_first_post(comments)]
            roles = roles.copy()
            roles[before] ^= native.IN_COMMENTS
        tree = page.parent, page.first_text, page.last_text
        return native.roles_around(roles, *tree, self.words, self.title)

    def is_beside(self, element: int) -> bool:
        """Return whether an element stands among comments, or in what is beside the text."""
        return bool(self.around[element] & (native.BESIDE | native.IN_COMMENTS))

    def _after_first_post(self, elements: NDArray[np.int64]) -> int:
        """Return where the first post below the title ends: what others follow in its parent."""
        page = self.page
        later = elements[page.first_text[elements] > self.title]
        first = int(page.first_text[later].min(initial=page.text_at.size))
        if self.words[first] - self.words[self.title] > LINE_WORDS:
            return 0
        for element in later[page.first_text[later] == first].tolist():
            alike = later[page.parent[later] == page.parent[element]]
            if (page.first_text[alike] >= page.last_text[element]).any():
                return int(page.last_text[element])
        return 0

    def facts(self, spots: Sequence[Spot], values: Sequence[Any]) -> Iterator[dict[str, float]]:
        """Yield the facts of the places where *values* stand."""
        if not spots:
            return
        for spot, is_listed in zip(spots, self._in_list(spots, values), strict=True):
            yield {spot.source: 1, "one of a list": is_listed, **self._region(spot)}

    @cached_property
    def _headings(self) -> tuple[NDArray[np.int32], Bool]:
        """The text node that each heading begins with, and whether it is a link after the title."""
        page = self.page
        flags = page.has_tag(("h1", "h2", "h3", "h4", "h5")) & (page.last_text > page.first_text)
        start, stop = page.first_text[flags], page.last_text[flags]
        words = self.words[stop] - self.words[start]
        is_link = (words > _LONGEST_USER) & (words == self.linked[stop] - self.linked[start])
        return start, is_link & (start > self.title)

    def _is_of_teaser(self, text: int) -> bool:
        """Return whether the last heading up to a text node is that of a teaser."""
        starts, are_links = self._headings
        last = int(starts.searchsorted(text, side="right")) - 1
        if last < 0 or not are_links[last] or text <= self.title:
            return False
        return self.title < 0 or self._said(int(starts[last])) != self._said(self.title)

    def _said(self, text: int) -> str:
        return self.page.lay_out(text, text + 1).strip()

    def _region(self, spot: Spot) -> dict[str, float]:
        facts: dict[str, float] = {"of a teaser": self._is_of_teaser(spot.first)}
        around = int(self.around[spot.element])
        if around & native.IN_COMMENTS:
            facts["in comments"] = 1
        elif around & native.BESIDE:
            facts["beside"] = 1
        away = self.block_of(spot.first) - self.title_block
        if self.title < 0:
            return facts
        if 0 < away <= _NEXT and not around & native.APART:
            facts.pop("beside", None)  # a class says so of all that is not the text
        if -_NEXT <= away <= _NEXT:
            facts["next to title"] = 1
        elif away < 0:
            facts["before title"] = 1
        elif away <= _NEARER:
            facts["near title"] = 1
        elif away > _FAR:
            facts["far"] = 1
        return facts

    def _in_list(self, spots: Sequence[Spot], values: Sequence[Any]) -> list[bool]:
        """Return whether each spot is one of a list of teasers: of its make others say another."""
        # They stand below a heading after the title, or mostly links stand between them.
        page = self.page
        said: dict[tuple[int, int], dict[Any, int]] = defaultdict(dict)
        makes = [(int(page.tag[each.element]), int(page.class_id[each.element])) for each in spots]
        for each, make, value in zip(spots, makes, values, strict=True):
            if not self.is_beside(each.element):
                said[make].setdefault(value, each.first)
        of_links = dict[tuple[int, int], bool]()
        for make, each_said in said.items():
            start, stop = min(each_said.values()), max(each_said.values())
            linked = self.linked[stop] - self.linked[start]
            of_links[make] = 2 * linked > self.words[stop] - self.words[start]
        posts = {
            next(iter(each.values()))
            for make, each in said.items()
            if not of_links[make] and _ascend(list(each))
        }
        return [
            len(said[make]) >= _LEAST_LIST
            and each.first not in posts
            and (self.title < 0 or self._after_title <= each.first or of_links[make])
            for each, make in zip(spots, makes, strict=True)
        ]

    @property
    def title_place(self) -> int:
        starts = self.page.text_start
        return int(starts[max(self.title, 0)]) if starts.size else 0

    @cached_property
    def _after_title(self) -> int:
        """The text node that the next heading begins with, but for names above posts."""
        page = self.page
        headings = np.flatnonzero(page.has_tag(("h1", "h2", "h3", "h4")))
        first, last = page.first_text[headings], page.last_text[headings]
        is_name = self.words[last] - self.words[first] <= _LONGEST_USER
        return int(first[(first > self.title) & ~is_name].min(initial=page.text_at.size))

    @cached_property
    def linked(self) -> NDArray[np.int64]:
        return cumulative(self.page.words * self.page.in_link)

    # -- spots -------------------------------------------------------------------------------

    def named(self, role: int) -> list[Spot]:
        found = self._short((self.roles & (role | native.HEADING)) == role, LINE_WORDS)
        if found.size:
            found = found[(self.around.take(found) & (native.BESIDE | native.IN_COMMENTS)) == 0]
        return self._spots([("class", element) for element in self._nearest(found, MOST_FOUND)])

    def _short(self, flags: Bool, most: int) -> NDArray[np.int64]:
        found = flags.nonzero()[0]
        sizes = self.words[self.page.last_text[found]] - self.words[self.page.first_text[found]]
        return found[(sizes > 0) & (sizes <= most)]

    def _nearest(self, elements: NDArray[np.int64], most: int) -> list[int]:
        """Return some elements after the title, and some before it."""
        after = self.page.first_text[elements] > self.title
        later, earlier = elements[after], elements[~after]
        return [*later[:most].tolist(), *earlier[-most:].tolist()]

    def _spots(self, found: Sequence[tuple[str, int]]) -> list[Spot]:
        if not found:
            return []
        page, elements = self.page, [element for _, element in found]
        first, last = page.first_text[elements].tolist(), page.last_text[elements].tolist()
        texts = self._texts(zip(first, last, strict=True))
        return [
            Spot(*each, start, text) for each, start, text in zip(found, first, texts, strict=True)
        ]

    @cached_property
    def raised(self) -> frozenset[int]:
        """The text nodes in ``sup``, as the marks behind names are."""
        page = self.page
        if "sup" not in page.tag_names:
            return frozenset()
        return frozenset(page.texts_inside(page.has_tag(("sup",))).nonzero()[0].tolist())

    def _texts(self, spans: Iterable[tuple[int, int]]) -> list[str]:
        """Return the text of each span, without raised marks.

        Where two text nodes touch stands a tab: "By|Ada Berg".
        """
        page, raised = self.page, self.raised
        rows, texts, numbers = list[tuple[int, int]](), list[str](), list[int]()
        for start, stop in spans:
            edges = {start, stop}
            inner = page.text_start[start + 1 : stop].tolist() if stop > start + 1 else ()
            for at, begin in enumerate(inner, start + 1):
                touches = page.buffer[begin - 1 : begin + 1].isalnum()
                if touches or (raised and not raised.isdisjoint((at - 1, at))):
                    edges.add(at)
            pieces = [each for each in pairwise(sorted(edges)) if each[0] not in raised]
            rows += pieces
            numbers += [len(texts)] * len(pieces)
            texts.append("")
        laid_out = page.lay_out_all(np.array(rows, dtype=np.int64).reshape(-1, 2))
        for number, piece in zip(numbers, laid_out, strict=True):
            is_tab = (texts[number][-1:] + piece[:1]).isalnum() and texts[number]
            texts[number] += "\t" + piece if is_tab else piece
        return texts

    def lines(self, words: native.Words, after: int, before: int = 3) -> Iterator[tuple[Spot, int]]:
        """Yield short blocks around the title that may say who or when, those after it first."""
        # After each, the text node that begins the next short block, −1 for none.
        page, at = self.page, self.title_block
        later = range(at + 1, min(at + 1 + after, len(page.blocks)))
        spans = page.blocks[[*later, *range(at - 1, max(at - 1 - before, -1), -1)]]
        spans = spans[self.words[spans[:, 1]] - self.words[spans[:, 0]] <= LINE_WORDS]
        evident = words.evident(page.buffer, page.text_start, page.text_stop, spans)
        rows = spans.tolist()
        following = [*(start for start, _ in rows[1:]), -1]
        told = [each for each in zip(rows, following, evident, strict=False) if each[2]]
        lines = self.texts_of_lines([span for span, *_ in told])
        for ((start, _), after, _), line in zip(told, lines, strict=True):
            spot = Spot("text", int(page.text_parent[start]), start, line)
            yield spot, after if after > start else -1

    def texts_of_lines(self, spans: Iterable[tuple[int, int]]) -> list[str]:
        texts = self._texts(spans)
        return [_SPACE.sub(" ", text).strip().replace("\n", "\t") for text in texts]

    def line(self, block: int) -> str:
        return self.texts_of_lines([self.page.blocks[block].tolist()])[0]

    def links(self) -> list[Spot]:
        page, telling = self.page, self.page.telling
        if not telling:
            return []
        nearest = self._nearest(self._short(page.has_tag(("a",)), _MOST_NAME), _MOST_LINKS_READ)
        pairs = zip(nearest, page.ordinal[nearest].tolist(), strict=True)
        told = ((element, *telling[ordinal]) for element, ordinal in pairs if ordinal in telling)
        found = (
            ("rel=author" if "author" in relation.lower() else "link", element)
            for element, relation, address in told
            if "author" in relation.lower() or self._leads_to_author(address)
        )
        return self._spots([*islice(found, 2 * MOST_FOUND)])

    def _leads_to_author(self, href: str) -> bool:
        match = _TO_AUTHOR.match(href[:_LONGEST_LINK].lower())
        if match is None or match["host"] is None or not self.page.url:
            return match is not None
        return site_part(match["host"]) in self.page.url


def _ascend(values: Sequence[Any]) -> bool:
    """Return whether dates are those of posts in their order: teasers are the newest first."""
    first = list(values[:_LEAST_LIST])
    return isinstance(first[0], str) and first == sorted(first)


def site_part(host: str) -> str:
    """Return the part of a host that names the site, mostly: its longest one."""
    return max(host.lower().split("."), key=len)
