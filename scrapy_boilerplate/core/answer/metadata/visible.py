"""Places where a reader sees who wrote a page, and when: by-lines, elements named so, ``time``."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.answer.metadata._evidence_native import Words
from scrapy_boilerplate.core.caching import cached_property
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page.arrays import Bool
from scrapy_boilerplate.core.page.tags import HEADINGS

_SPACE = re.compile(r"[^\S\t\n]+")
LINE_WORDS = 40  # words of an element that may be a by-line
MOST_FOUND = 12  # elements of each kind that are read
_MOST_LINKS_READ = 100
_MOST_NAME = 6  # words of a link that may be a name
_LONGEST_STAMP = 12  # words of an element that is a date
_NEXT, _NEARER, _FAR = 3, 10, 40
"""Blocks between the title and what stands next to it, near it and far from it."""
_LEAST_OF_TEASER = 2  # words of the link in an item with a date, which is that of another page
_LONGEST_USER = 2  # words of a heading that is the name of who wrote a post
_LEAST_LIST = 3  # what elements of one make say from which on they are those of a list of texts

_TO_AUTHOR = re.compile(
    r"(?:(?:https?:)?//(?P<host>[^/?#]*))?(?:[^?#]*/(?:authors?|staff|contributors?|columnists?|"
    r"reporters?|journalists?|autor(?:en|es)?|auteurs?|autori|redakt\w+|writers?)/[^/?#]|"
    r"[^?#]*\?(?:.*&)?author=)"
)  # the address of a page about an author

_FIRST, AUTHOR, DATE, _IN_COMMENTS, _BESIDE = 1, 2, 4, 8, 16
"""Roles of a class or id, bits of a number."""
_WORDS = {
    _FIRST: "author by elementor most page posted read side site user",
    AUTHOR: "author authors author-name authorname postauthor entryauthor articleauthor byline "
    "bylines by-line writer contributor contributors posted-by postedby poster user-name username "
    "creator autor autoren autores auteur auteurs autore autori verfasser",
    DATE: "date dates datetime dateline postdate entrydate articledate pubdate publishdate "
    "publicationdate time timestamp publish published publishedat datepublished posted postedon "
    "updated created byline meta postmeta articlemeta entrymeta",
    _IN_COMMENTS: "comment comments commentlist commentslist commentarea cmt respond responses "
    "disqus reply replies",
    _BESIDE: "side-bar sidebar aside widget related recommend recommended recommends "
    "recommendation recommendations popular trending latest recent teaser teasers promo carousel "
    "slider most-read most-viewed mostread mostviewed read-next readnext newsletter menu reference "
    "references reflist footnotes bibliography navigation postnavigation nav pager pagination "
    "site-footer page-footer copyright",
}
_ROLES: dict[str, int] = {"elementor-widget": 0}
for _role, _words in _WORDS.items():
    for _word in _words.split():
        _ROLES[_word] = _ROLES.get(_word, 0) | _role
_ROLES_OF = Words(_ROLES)
_MAY_SAY = Words(
    dict.fromkeys(
        "by postedby writtenby reportedby told von par por di da door av af przez oleh author "
        "authors".split(),
        1,
    )
)  # what is in each line that names its author without a sign or a date
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
        self.starts = page.blocks[:, 0].copy()  # a column is copied for each search
        self.title_block = self.block_of(title)

    def block_of(self, text: int) -> int:
        return int(self.starts.searchsorted(text, side="right")) - 1

    @cached_property
    def words(self) -> NDArray[np.int64]:
        return cumulative(self.page.words)

    @cached_property
    def marked(self) -> list[tuple[int, tuple[str, ...]]]:
        marked = self.page.declarations[2]
        ordinals = np.array([ordinal for ordinal, _ in marked], dtype=np.int64)
        found = self.page.ordinal.searchsorted(ordinals).clip(max=self.page.ordinal.size - 1)
        is_there = self.page.ordinal[found] == ordinals
        pairs = zip(found.tolist(), marked, is_there.tolist(), strict=True)
        return [(element, own) for element, (_, own), is_seen in pairs if is_seen]

    @cached_property
    def roles(self) -> NDArray[np.int64]:
        page = self.page
        roles = _ROLES_OF.of_names(page.strings)
        for role, others in ((AUTHOR, _NO_AUTHOR), (_IN_COMMENTS, _NO_COMMENTS)):
            for number in np.flatnonzero(roles & role).tolist():
                if others.search(page.strings[number]):
                    roles[number] &= ~role
        found: NDArray[np.int64] = roles.take(page.class_id) | roles.take(page.id_id)
        for element, (itemprop, property_, *_) in self.marked:
            if _AUTHORED.search(itemprop) or _AUTHORED.search(property_):
                found[element] |= AUTHOR
        return found

    def is_short(self, element: int) -> bool:
        first, last = self.page.first_text[element], self.page.last_text[element]
        return bool(0 < self.words[last] - self.words[first] <= _LONGEST_STAMP)

    # -- regions -----------------------------------------------------------------------------

    @cached_property
    def is_beside(self) -> Bool:
        """Whether each element stands among comments, or in what is beside the text."""
        # What the title or most words stand in is not, whatever its name, such as `with-sidebar`.
        page, roles = self.page, self.roles
        beside = page.has_tag(("aside", "nav", "figcaption")) | ((roles & _BESIDE) > 0)
        if "footer" in page.tag_names:
            in_article = page.count_above(page.has_tag(("article",))) > 0
            beside |= page.has_tag(("footer",)) & ~in_article
        beside &= (roles & (AUTHOR | DATE)) == 0
        return (page.count_above(self._apart(beside)) > 0) | self.in_comments

    def _links_elsewhere(self, spot: Spot) -> bool:
        """Return whether a place stands in an item, beside a link of several words."""
        if not self._is_item[spot.element] or (not spot.text and self.page.in_link[spot.first]):
            return False
        start, stop = self.page.blocks[self.block_of(spot.first)].tolist()
        return bool(self.linked[stop] - self.linked[start] >= _LEAST_OF_TEASER)

    @cached_property
    def _is_item(self) -> Bool:
        return self.page.count_above(self.page.has_tag(("li",))) > 0

    @cached_property
    def _is_apart(self) -> Bool:
        return self.page.count_above(self.page.has_tag(("nav", "figcaption"))) > 0

    @cached_property
    def in_comments(self) -> Bool:
        """Whether each element stands among comments."""
        # What begins right below the title is none: it is the first post of a thread.
        page = self.page
        flags = (self.roles & _IN_COMMENTS) > 0
        for element, (*_, kind) in self.marked:
            if kind and _IS_COMMENT.search(kind):
                flags[element] = True
        if not flags.any():  # as on most pages
            return flags
        if self.title >= 0:
            flags &= page.first_text >= self._after_first_post(np.flatnonzero(flags))
        return page.count_above(self._apart(flags)) > 0

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

    def _apart(self, flags: Bool) -> Bool:
        first, last = self.page.first_text, self.page.last_text
        flags = flags & ((first > self.title) | (last <= self.title))
        flags &= 2 * (self.words[last] - self.words[first]) <= self.words[-1]
        return flags

    def facts(self, spots: Sequence[Spot], values: Sequence[Any]) -> Iterator[dict[str, float]]:
        """Yield the facts of the places where *values* stand."""
        for spot, is_listed in zip(spots, self._in_list(spots, values), strict=True):
            yield {spot.source: 1, "one of a list": is_listed, **self._region(spot)}

    @cached_property
    def teasers(self) -> NDArray[np.int64]:
        """Of each text node, 1 if the last heading up to it is a link, -1 if it is none."""
        page = self.page
        flags = page.has_tag(("h1", "h2", "h3", "h4", "h5")) & (page.last_text > page.first_text)
        start, stop = page.first_text[flags], page.last_text[flags]
        words = self.words[stop] - self.words[start]
        is_link = (words > _LONGEST_USER) & (words == self.linked[stop] - self.linked[start])
        last = np.zeros(page.text_at.size + 1, dtype=np.int64)
        last[start] = np.where(is_link & (start > self.title), 1, -1)
        at = np.maximum.accumulate(np.where(last != 0, np.arange(last.size), 0))
        return last[at]

    def _region(self, spot: Spot) -> dict[str, float]:
        facts: dict[str, float] = {
            "of a teaser": self.teasers[spot.first] > 0 and spot.first > self.title
        }
        if self.in_comments[spot.element]:
            facts["in comments"] = 1
        elif self.is_beside[spot.element]:
            facts["beside"] = 1
        away = self.block_of(spot.first) - self.title_block
        if self.title < 0:
            return facts
        if 0 < away <= _NEXT and not self._is_apart[spot.element]:
            facts.pop("beside", None)  # a class says so of all that is not the text
        if -_NEXT <= away <= _NEXT:
            facts["next to title"] = 1
        elif self._links_elsewhere(spot):
            facts["of a teaser"] = 1
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
        page, beside = self.page, self.is_beside
        said: dict[tuple[int, int], dict[Any, int]] = defaultdict(dict)
        makes = [(int(page.tag[each.element]), int(page.class_id[each.element])) for each in spots]
        for each, make, value in zip(spots, makes, values, strict=True):
            if not beside[each.element]:
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
            and (
                self.title < 0
                or self._after_title <= each.first
                or of_links[make]
                or _fall(list(said[make]))
            )
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

    def named(self, role: int) -> Iterator[Spot]:
        found = self._short(((self.roles & role) > 0) & ~self.page.has_tag(HEADINGS), LINE_WORDS)
        if found.size:
            found = found[~self.is_beside[found]]
        for element in self._nearest(found, MOST_FOUND):
            yield self._spot("class", element)

    def _short(self, flags: Bool, most: int) -> NDArray[np.int64]:
        found = np.flatnonzero(flags)
        sizes = self.words[self.page.last_text[found]] - self.words[self.page.first_text[found]]
        return found[(sizes > 0) & (sizes <= most)]

    def _nearest(self, elements: NDArray[np.int64], most: int) -> list[int]:
        """Return some elements after the title, and some before it."""
        after = self.page.first_text[elements] > self.title
        later, earlier = elements[after], elements[~after]
        return [*later[:most].tolist(), *earlier[-most:].tolist()]

    def _spot(self, source: str, element: int) -> Spot:
        first, last = int(self.page.first_text[element]), int(self.page.last_text[element])
        text = self._list_text(element, first, last) or self._apart_text(first, last)
        return Spot(source, element, first, text)

    def _list_text(self, element: int, start: int, stop: int) -> str:
        """Return "A; B" for the texts of several elements of one make; empty for other texts."""
        page = self.page
        # A word may stand before or between them: "By", "and".
        is_name = (page.words[start:stop] > 1) & ~self.is_raised[start:stop]
        texts = (start + np.flatnonzero(is_name)).tolist()
        parents = [int(page.text_parent[at]) for at in texts]
        makes = {(int(page.tag[each]), int(page.class_id[each])) for each in parents}
        if len({*parents, element}) < max(len(texts), 2) + 1 or len(makes) > 1:
            return ""
        return "; ".join(" ".join(page.lay_out(at, at + 1).split()) for at in texts)

    @cached_property
    def is_raised(self) -> Bool:
        """Whether each text stands in `sup`, as the marks behind names do."""
        page = self.page
        if "sup" not in page.tag_names:
            return np.zeros(page.text_at.size, dtype=bool)
        return (page.count_above(page.has_tag(("sup",))) > 0)[page.text_parent]

    def _apart_text(self, start: int, stop: int) -> str:
        """Return the text of some text nodes, with a tab where two of them touch: "By|Ada Berg"."""
        page = self.page
        begins = page.text_start[start + 1 : stop].tolist()
        touches = [
            at
            for at, begin in enumerate(begins, start + 1)
            if page.buffer[begin - 1 : begin + 1].isalnum()
        ]
        raised = {*(start + np.flatnonzero(self.is_raised[start:stop])).tolist()}
        if not raised:
            edges = [start, *touches, stop]
            return "\t".join(page.lay_out_all(np.array([edges[:-1], edges[1:]]).T))
        edges = sorted({start, *touches, *raised, *(at + 1 for at in raised), stop})
        spans = [each for each in pairwise(edges) if each[0] not in raised]
        text = ""
        for each in page.lay_out_all(np.array(spans, dtype=np.int64).reshape(-1, 2)):
            text += "\t" + each if (text[-1:] + each[:1]).isalnum() and text else each
        return text

    def lines(self, after: int, before: int = 3) -> Iterator[tuple[Spot, int]]:
        """Yield short blocks around the title that may say who or when, those after it first."""
        # After each, the text node that begins the next short block, −1 for none.
        page, at = self.page, self.title_block
        later = range(at + 1, min(at + 1 + after, len(page.blocks)))
        spans = page.blocks[[*later, *range(at - 1, max(at - 1 - before, -1), -1)]]
        spans = spans[self.words[spans[:, 1]] - self.words[spans[:, 0]] <= LINE_WORDS]
        evident = _MAY_SAY.evident(page.buffer, page.text_start, page.text_stop, spans)
        following = [*spans[1:, 0].tolist(), -1]
        for (start, stop), after, may_say in zip(spans.tolist(), following, evident, strict=False):
            if may_say:
                spot = Spot("text", int(page.text_parent[start]), start, self.line(start, stop))
                yield spot, after if after > start else -1

    def line(self, start: int, stop: int) -> str:
        return _SPACE.sub(" ", self._apart_text(start, stop)).strip().replace("\n", "\t")

    def links(self) -> list[Spot]:
        known = self.page.declarations[3]
        if not known:
            return []
        page, spots = self.page, []
        nearest = self._nearest(self._short(page.has_tag(("a",)), _MOST_NAME), _MOST_LINKS_READ)
        for element, ordinal in zip(nearest, page.ordinal[nearest].tolist(), strict=True):
            if ordinal not in known:
                continue
            relation, address = known[ordinal]
            if "author" in relation.lower():
                spots.append(self._spot("rel=author", element))
            elif address and self._leads_to_author(address):
                spots.append(self._spot("link", element))
        return spots[: 2 * MOST_FOUND]

    def _leads_to_author(self, href: str) -> bool:
        match = _TO_AUTHOR.match(href[:_LONGEST_LINK].lower())
        if match is None or match["host"] is None or not self.page.url:
            return match is not None
        return site_part(match["host"]) in self.page.url


def _ascend(values: Sequence[Any]) -> bool:
    """Return whether dates are those of posts in their order: teasers are the newest first."""
    first = list(values[:_LEAST_LIST])
    return isinstance(first[0], str) and first == sorted(first)


def _fall(values: Sequence[Any]) -> bool:
    """Return whether values are dates from the newest to the oldest, as in a list."""
    return (
        len(values) > _LEAST_LIST
        and isinstance(values[0], str)
        and (list(values) == sorted(values, reverse=True))
    )


def site_part(host: str) -> str:
    """Return the part of a host that names the site, mostly: its longest one."""
    return max(host.lower().split("."), key=len)
