"""Cuts a post to its text: without other posts, name, date, signature, buttons and quotations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from scrapy_boilerplate.core.answer.metadata.dates import read_date
from scrapy_boilerplate.core.answer.posts.unit_signs import (
    PostEvidence,
    flagged,
    is_date_line,
    used,
)
from scrapy_boilerplate.core.answer.posts.units import Units, make_of
from scrapy_boilerplate.core.caching import cached_property
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page._elements_native import number_keys
from scrapy_boilerplate.core.page.arrays import Bool, Int, ranks

LONGEST_META = 14  # words of a line that says who wrote, and when
MOST_BODIES = 24  # elements of a unit that may be its body
LEAST_OF_BODY, LEAST_OF_OTHERS = 0.2, 0.5
"""Share of a unit's words in an element that is named like a body and nothing else, and in another
that may be one."""
LEAST_LABELLED, LEAST_UNITS, MOST_UNITS = 0.5, 4, 50
"""Share of units that have a line which is a label, such as "Share this post"; units in which this
can be seen, and in which it is looked for."""
LEAST_SAME = 3  # words from which on a line that two or three units have is no text, link or not
LEAST_COMPARED, LEAST_COMMON, LEAST_HELD = 3, 0.75, 0.5
"""Units in which places can be compared, share of them that have a place, and of the words around
it that stand there."""
LEAST_OF_TITLE = 8  # characters of a title that a post may repeat above its text
MOST_QUOTES, LEAST_QUOTED = 50, 20
"""Quotations that are looked for in what stands before them, and characters of one."""
MOST_OF_SIGNATURE = 30  # words below its first line
MOST_STEPS_DOWN = 16  # elements from a unit down to its text

_BOXES = "div section article main td tr tbody table dd form blockquote".split()
_BODY = re.compile(
    r"(?:\A|[\s_-])(?:body|content|te[xks]t[eo]?|message|msg|entry|inner|inhalt|contenu|cuerpo)"
    r"(?:\Z|[\s_-])",
    re.IGNORECASE,
)
_ONLY_BODY = re.compile(
    r"(?:\A|[\s_-])(?:bbwrapper|post-?body|post-?content|postmsg|post_(?:body|message|content)|"
    r"message-?text|msg_text|(?:comment|reply)[_-]{0,2}(?:text|body)|comm-?text|usertext|user-?content|"
    r"cooked|md|prose|ipscomment_content|ipsentry__content|formatted-text|format_text)"
    r"(?:\Z|[\s_-])|\Apost\Z",
    re.IGNORECASE,
)  # what is hardly ever a name of anything else
_NO_BODY = re.compile(
    r"clamp|preview|muted|footer|header|meta|title|attribution|menu|button|code-?(?:block|box)",
    re.IGNORECASE,
)  # what names a small part that may be named like a body as well
_QUOTED = re.compile(
    r"(?:\A|[\s_-])(?:quoted?(?:-?text)?|quotebox|quotecontainer|bbcodequote|"
    r"bbcodeblock--(?:quote|unfurl)|ipsquote\S*|onebox\S*)(?:\Z|\s)",
    re.IGNORECASE,
)  # what others wrote, and what a link leads to
_ASIDE = re.compile(
    r"(?:\A|\s)(?:(?:(?!has|with|no|is|show)[a-z]+[_-]+)*(?:post|user|message)?signature|sig)"
    r"(?:[_-]+(?:text|content|body|wrap|wrapper|container))?(?:\Z|\s)|"
    r"(?:\A|\s)(?:reactionsbar|message-footer|line-clamp|last-?edit(?:ed)?|edited-?by)"
    r"(?:\Z|\s|-)",
    re.IGNORECASE,
)  # what stands below each post of a writer, what readers made of it, and previews of others
_FOOT = re.compile(
    r"(?:\A|[\s_-])(?:reply(?:[_-]?(?:link|button|btn))?|respond|says|edit|report|flag|likes?|votes?|"
    r"share|permalink|actions?|tools?|buttons?|controls?)(?:\Z|[\s_-])",
    re.IGNORECASE,
)
_WRITER = re.compile(r"profile|poster(?![a-z])|author", re.IGNORECASE)
MOST_OF_FOOT = 4  # words of a control that is named so
_RULE = re.compile(r"(?:[_=—-]\W*){4,}")
_EDITED = re.compile(
    r"(?i)\A\W*(?:\w\S*\s+(?:\S+\s+){,4}?)??(?:edi[ct]|modifi|geänd|bearb|.{,4}редакт|измен|編集|编辑|編輯|修改)"
)
_COMMENTS = re.compile(
    r"(?:\A|\s)(?:js-)?(?:post-)?comments(?:-(?:list|container|component|section))?(?:\Z|\s)"
)  # comments on a post
_CONTROLS = frozenset(
    "a abuse all and at author awaiting back by cancel click code collapse comment comments "
    "context delete down downvote edit expand flag follow from guest help helpful here hide "
    "in is joined junior less like likes link log logged me member moderation moderator more "
    "new next no of on op or parent permalink permanent post posted posts prev previous "
    "profile quote rate rating react registered replied replies reply report respond said "
    "save says select senior share show shrink sign thank thanks the this thread to top unlike up "
    "upvote vote votes website with wrote yes you your".split()
)
_WORD, _LETTERS = re.compile(r"\w+"), re.compile(r"[^\W\d_]+")
MOST_STEPS_UP = 16  # elements from a unit up to its holder


class Owners:
    """The text nodes of each unit that are in no other inside of it."""

    def __init__(self, page: Page, units: Units) -> None:
        self._page, self._units = page, units
        self.of_text = _innermost(units, page.text_at.size)
        """The innermost unit of each text node, −1 for none."""
        order = np.argsort(self.of_text, kind="stable")
        bounds = np.searchsorted(self.of_text[order], np.arange(units.elements.size + 1))
        self.own: Sequence[Int] = np.split(order, bounds)[1:-1]
        """Text nodes of each, ascending."""
        self._order = order[bounds[0] :]

    @cached_property
    def inside_units(self) -> Bool:
        """Whether each element stands in the text of a unit, itself left out."""
        page, units = self._page, self._units
        inside: Bool = page.last_text > page.first_text
        owner = self.of_text[page.first_text[inside]]
        inside[inside] = (owner >= 0) & (page.last_text[inside] <= units.stops[owner])
        inside[units.elements] = False
        return inside

    @cached_property
    def holders(self) -> Int:
        """The outermost element of each unit that begins with it, as many steps up for all."""
        # What answers a unit may stand in it, or beside it in its holder.
        page = self._page
        at: Int = self._units.elements
        for _ in range(MOST_STEPS_UP if at.size > 1 else 0):
            above = page.parent[at]
            begun = np.searchsorted(self._units.elements, above)
            if (above < 0).any() or (begun != np.arange(at.size)).any() or np.ptp(page.tag[above]):
                break  # another unit stands before one
            if len({make_of(page.strings[number]) for number in used(page.class_id[above])}) > 1:
                break
            at = above
        return at

    @cached_property
    def depths(self) -> list[int]:
        """How many units are around each, or hold what stands around it."""
        stops = np.maximum(self._units.stops, self._page.last_text[self.holders])
        depths: list[int] = []
        opened: list[int] = []  # the ends of those that are open, outermost first
        for start, stop in zip(self._units.starts.tolist(), stops.tolist(), strict=True):
            while opened and opened[-1] <= start:
                opened.pop()
            depths.append(len(opened))
            opened.append(stop)
        return depths

    def sums(self, words: Int, units: Int, starts: Int, stops: Int) -> Int:
        """Return how many *words* of text nodes each of *units* has of its own in a span."""
        nodes, before = self.of_text.size + 1, cumulative(words[self._order])
        keys = self.of_text[self._order] * nodes + self._order
        first, after = (np.searchsorted(keys, units * nodes + edge) for edge in (starts, stops))
        return before[after] - before[first]

    def inside(self, elements: Int, number: int, most: int) -> Iterator[tuple[int, int]]:
        """Yield the text nodes of the first *elements* that begin in a unit, itself left out."""
        page = self._page
        unit, last = int(self._units.elements[number]), int(self.own[number][-1])
        first = int(np.searchsorted(elements, unit, side="right"))
        for element in elements[first : first + most].tolist():
            start, stop = int(page.first_text[element]), int(page.last_text[element])
            if start > last:
                return
            if start < stop and self.of_text[start] == number:
                yield start, stop


def _innermost(units: Units, nodes: int) -> Int:
    owner = np.full(nodes, -1, dtype=np.int64)
    opened: list[int] = []  # units that are open, outermost first
    stops: list[int] = units.stops.tolist()
    at = 0
    for number, start in enumerate([*units.starts.tolist(), nodes]):
        while opened and stops[opened[-1]] <= start:
            inner = opened.pop()
            owner[at : stops[inner]] = inner
            at = max(at, stops[inner])
        if opened:
            owner[at:start] = opened[-1]
        at = max(at, start)
        opened.append(number)
    return owner


class Bodies:
    def __init__(self, evidence: PostEvidence, units: Units, owners: Owners) -> None:
        page = evidence.page
        self._page, self._dated, self._owners = page, evidence.dated, owners
        self._block_of = evidence.block_of
        self._title = " ".join(page.title.split()).casefold()
        inside = owners.inside_units
        self._names = np.union1d(page.class_id[inside], page.id_id[inside])
        no_body = self._are_named(_NO_BODY)
        only_body = self._are_named(_ONLY_BODY) & ~no_body
        body = only_body | (self._are_named(_BODY) & ~no_body)
        quotes = page.has_tag(("blockquote",)) & ~body
        quoted = self._are_named(_QUOTED)
        aside = self._are_named(_ASIDE)
        if not units.is_comment:
            aside |= self._are_named(_COMMENTS)
        sizes = evidence.words[page.last_text] - evidence.words[page.first_text]
        aside |= (self._are_named(_FOOT) | page.has_tag(("button",))) & (sizes <= MOST_OF_FOOT)
        aside |= page.has_tag(("form",)) & (page.count_below(page.has_tag(("textarea",))) > 0)
        of_others = quoted | (quotes & (page.count_below(page.has_tag(("cite",))) > 0))
        of_writer = page.has_tag(("dl",)) | (self._are_named(_WRITER) & ~body)
        in_quotes, in_others, in_aside, in_writer = (
            page.count_above(each & inside) > 0
            for each in (quoted | quotes, of_others, aside, of_writer)
        )
        is_once = _is_said_once(page)
        if quotes.any():  # what they repeat of the page is of others
            again = page.sum_inside(page.words * ~is_once)
            repeated = quotes & inside & (2 * again > sizes)
            for element in (quotes & inside & ~repeated).nonzero()[0][:MOST_QUOTES].tolist():
                start, stop = int(page.first_text[element]), int(page.last_text[element])
                text = page.lay_out(start, stop).strip()
                place = page.buffer.find(text) if len(text) >= LEAST_QUOTED else -1
                repeated[element] = 0 <= place < page.text_start[start]
            in_others |= page.count_above(repeated) > 0
        self._is_aside: Bool = in_aside[page.text_parent]
        """Whether each text node stands beside what was written …"""
        self.is_of_others: Bool = in_others[page.text_parent]
        """… or was written by others …"""
        self._is_counted: Bool = ~(in_aside | in_quotes | in_writer)[page.text_parent]
        """… or tells nothing of where the body is, as all quotations and details of writers."""
        self._in_only_body: Bool = page.texts_inside(only_body)
        self._candidates = tuple(
            ((named & ~in_quotes & ~in_aside).nonzero()[0], share)
            for named, share in ((only_body, LEAST_OF_BODY), (body, LEAST_OF_OTHERS))
        )
        is_when = evidence.dated & (page.words <= LONGEST_META)
        is_other = in_aside[page.text_parent] | page.in_link | is_when
        counted = page.words * (~is_other & is_once)
        places = _text_places(page, units, owners, counted)
        self._places = [
            None if place == unit else (int(page.first_text[place]), int(page.last_text[place]))
            for place, unit in zip(places.tolist(), units.elements.tolist(), strict=True)
        ]

    def _are_named(self, pattern: re.Pattern[str]) -> Bool:
        page, flags = self._page, flagged(self._page, self._names, pattern.search)
        return flags[page.class_id] | flags[page.id_id]

    def nodes(self, number: int, meta: set[int]) -> list[int]:
        own = self._owners.own[number]
        inside = self._element(number, own, meta)
        start, stop = inside or (int(own[0]), int(own[-1]) + 1)
        own = own[(own >= start) & (own < stop) & ~self._is_aside[own]]
        said = own[~self.is_of_others[own]]
        if self._page.words[said].any():
            own = said
        nodes = [node for node in own.tolist() if node not in meta]
        body: list[list[int]] = []
        for piece in self._pieces(nodes):
            words = self._words(piece[0], piece[-1] + 1)
            if len(words) > LONGEST_META or not (
                (is_control(words) and not (inside and self._is_said(piece)))
                or self._is_label(piece, words)
                or (not inside and not body and self._answers(piece))
                or (inside and not body and self._is_date(piece, words))
                or (not inside and self._is_meta(piece))
                or (not body and not self._in_only_body[piece[0]] and self._is_title(words))
            ):
                body.append(piece)
        text = [node for piece in self._without_notes(body) for node in piece]
        return text or (nodes if inside else self._thanks(nodes))

    def _without_notes(self, pieces: list[list[int]]) -> list[list[int]]:
        """Drop below a text what says when it was changed, and a short signature below a rule."""
        first, words = len(pieces), 0
        while first > 1 and words <= MOST_OF_SIGNATURE:
            first -= 1
            words += int(self._page.words[pieces[first]].sum())
        for at in range(first, len(pieces)):
            line = self._line(pieces[at])
            is_edit = self._dated[pieces[at]].any() and _EDITED.match(line)
            if is_edit or _RULE.match(line):
                return pieces[:at]
        return pieces

    def _is_title(self, words: list[str]) -> bool:
        """Return whether a line ends with the title of the page, as "Re: Ropes" does."""
        line = " ".join(words).casefold()
        said = line if line in self._title else line.partition(": ")[2]
        return len(said) >= LEAST_OF_TITLE and said in self._title

    def _is_said(self, nodes: list[int]) -> bool:
        """Return whether a line of a body is no control: it may say "Thank you" and no more."""
        return bool(self._in_only_body[nodes[0]]) and not self._page.in_link[nodes].any()

    def _is_label(self, nodes: list[int], words: list[str]) -> bool:
        """Return whether a short line is one of most units, or holds little but such links."""
        if label_of(words) in self._labels:
            return True
        links = [node for node in nodes if self._page.in_link[node]]
        are_labels = all(self._label(node) in self._labels for node in links)
        return len(links) > 1 and are_labels and self._is_link(nodes)

    def _label(self, node: int) -> str:
        return label_of(self._words(node, node + 1))

    def _answers(self, nodes: list[int]) -> bool:
        """Return whether a line leads to another place of the page, as "Reply to Ada" does."""
        leads = self._page.fragment[self._page.text_parent[nodes]] > 1
        return bool(leads.any()) and self._is_link(nodes)

    def _is_link(self, nodes: list[int]) -> bool:
        """Return whether hardly any words of a line stand beside its links."""
        others = (self._words(node, node + 1) for node in nodes if not self._page.in_link[node])
        said = [word for line in others if not is_control(line) for word in line]
        return len(label_of(said).split()) <= MOST_OF_FOOT

    def _thanks(self, nodes: list[int]) -> list[int]:
        """Return the first line that is no link, date or label of all: it may be "Thanks!" only."""
        for piece in self._pieces(nodes):
            if not self._is_meta(piece) and self._label(piece[0]) not in self._labels:
                return piece
        return []

    @cached_property
    def _labels(self) -> frozenset[str]:
        """Short lines that most units have."""
        units = self._owners.own[:MOST_UNITS]
        is_few = len(units) < LEAST_UNITS
        found: Counter[str] = Counter()
        for own in units if len(units) > 1 else ():
            lines = [
                label_of(words)
                for piece in self._pieces(own.tolist())
                if len(words := self._words(piece[0], piece[-1] + 1)) <= LONGEST_META
                and not (is_few and len(words) < LEAST_SAME and not self._page.in_link[piece].all())
            ]
            links = (self._words(node, node + 1) for node in own[self._page.in_link[own]].tolist())
            found.update({*lines, *(label_of(line) for line in links if "://" not in line[0])})
        least = len(units) if is_few else LEAST_LABELLED * len(units)
        return frozenset(label for label, n in found.items() if n >= least)

    def _element(self, number: int, own: Int, meta: set[int]) -> tuple[int, int] | None:
        """Return the text nodes of the innermost element that is named like a body."""
        words = np.where(self._is_counted[own], self._page.words[own], 0)
        for at, node in enumerate(own.tolist()):
            may_be_control = 0 < words[at] <= 3 and not self._in_only_body[node]
            if node in meta or (may_be_control and is_control(self._words(node, node + 1))):
                words[at] = 0
        total = int(words.sum())
        best = None
        for elements, least in self._candidates:
            around = best or (0, int(own[-1]) + 1)
            for start, stop in self._owners.inside(elements, number, MOST_BODIES):
                held = int(words[(own >= start) & (own < stop)].sum())
                is_most = held > least * total or not total  # it may be no more than a quotation
                if is_most and around[0] <= start and stop <= around[1]:
                    best = start, stop
        return best or self._places[number]

    def _words(self, start: int, stop: int) -> list[str]:
        return line_of(self._page, start, stop).split()

    def _pieces(self, nodes: list[int]) -> Iterator[list[int]]:
        """Divide text nodes where blocks begin, and where nodes between are missing."""
        piece: list[int] = []
        for node in nodes:
            if piece and (
                node != piece[-1] + 1 or self._block_of[node] != self._block_of[piece[-1]]
            ):
                yield piece
                piece = []
            piece.append(node)
        if piece:
            yield piece

    def _is_meta(self, nodes: list[int]) -> bool:
        if self._page.in_link[nodes].all():
            return True
        return bool(self._dated[nodes].any()) and is_date_line(self._line(nodes))

    def _line(self, nodes: list[int]) -> str:
        return line_of(self._page, nodes[0], nodes[-1] + 1)

    def _is_date(self, nodes: list[int], words: list[str]) -> bool:
        """Return whether a short line says when it was written, more than by a year."""
        line = " ".join(words)
        return bool(self._dated[nodes].any() and is_date_line(line) and read_date(line))


def _text_places(page: Page, units: Units, owners: Owners, words: Int) -> Int:
    """Return for each unit the element that holds its text, which may be the unit itself."""
    # It is reached by the same steps as in other units: down to the box with most words.
    at = units.elements.astype(np.int64)
    if at.size < LEAST_COMPARED:
        return at
    boxes = (owners.inside_units & page.has_tag(_BOXES)).nonzero()[0]
    owner = owners.of_text[page.first_text[boxes]]
    held = owners.sums(words, owner, page.first_text[boxes], page.last_text[boxes])
    siblings = (page.parent + 1).astype(np.int64) * len(page.names) + page.tag
    kind = (ranks(siblings) * len(page.names) + page.tag)[boxes]  # tag and place among its like
    around = owners.sums(words, np.arange(at.size), units.starts, units.stops).sum()
    for _ in range(MOST_STEPS_DOWN):
        below = (page.parent[boxes] == at[owner]).nonzero()[0]
        if not below.size:
            break
        group = number_keys(kind[below])
        total = np.bincount(group, held[below])
        total[np.bincount(group) < LEAST_COMMON * at.size] = 0
        best = int(total.argmax())
        if total[best] < max(1, LEAST_HELD * around):
            break
        chosen, around = below[group == best], total[best]
        at[owner[chosen]] = boxes[chosen]
    return at


def _is_said_once(page: Page) -> Bool:
    texts = [text.strip() for text in page.texts()]
    found = Counter(texts)
    return np.fromiter((found[text] == 1 for text in texts), bool, len(texts))


def is_control(words: list[str]) -> bool:
    """Return whether a short line is a control or a label, such as "Reply to this (3)"."""
    found = _WORD.findall(" ".join(words).casefold())
    return all(word in _CONTROLS or word.isdecimal() for word in found)


def label_of(words: list[str]) -> str:
    """Return what is left of a line that differs only in numbers and signs from unit to unit."""
    return " ".join(_LETTERS.findall(" ".join(words).casefold()))


def line_of(page: Page, start: int, stop: int) -> str:
    # One node is nearly all that is asked for, and soon read.
    text = page.text(start) if stop == start + 1 else page.lay_out(start, stop)
    return " ".join(text.split())
