"""From units to values: who wrote each, when, and what."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.core.answer.metadata import Metadata
from scrapy_boilerplate.core.answer.metadata.dates import is_day_first, read_date, written_dates
from scrapy_boilerplate.core.answer.posts.bodies import (
    LONGEST_META,
    MOST_UNITS,
    Bodies,
    Owners,
    is_control,
    label_of,
    line_of,
)
from scrapy_boilerplate.core.answer.posts.unit_signs import (
    WHEN,
    PostEvidence,
    flagged,
    has_date,
    is_date_line,
)
from scrapy_boilerplate.core.answer.posts.units import BELOW, DIVIDED, MOST_OF_LEAD, Units, are_led
from scrapy_boilerplate.core.caching import cached_property
from scrapy_boilerplate.core.page.arrays import Bool, Int
from scrapy_boilerplate.core.page.layout import runs_of
from scrapy_boilerplate.core.page.lenient import attribute_of

LONGEST_POSTER, LONGEST_LINE = 50, 200
"""Characters of a name, and of a line that one is looked for in."""
MOST_NAMES = 12  # elements of a unit that may name its author
LEAST_LABELLED = 0.95
"""Share of units that begin with the same words, from which on these are no name: one person may
have written most."""
MOST_IN_TITLE = 3  # words beside the date in the title of another, as "See timeline at"
MOST_LETTERS = 2  # that stand in place of the picture of a writer
LEAST_LED = 0.8
"""Share of units that must begin with a line that may be a name where nothing says so."""

_SAID = re.compile(r"\A\W*(.{1,40}?)\s+(?:said|says|wrote|writes|commented|replied|posted)\b", re.I)
_WHOM = r":?\s+(.{1,40}?)\s*(?:\Z|\bon\b|\bat\b|[|,·•»(<—–]|(?<!\w)\d)"
_BY, _FROM = (re.compile(rf"\b{word}{_WHOM}", re.IGNORECASE) for word in ("by", "from"))
_BEFORE_NAME = re.compile(
    r"\A\W*(?:\w*(?:posted|publi|escrit|scritt|geschr|gespeich|enviad|soumis|inviat|geplaatst)"
    r"\w*\s\w{2,4}|(?:[^\W\d_]+\s)?by|from|author)\b:?\s*|\A\W*\d{1,4}[.):]?\s+",
    re.I,
)
_AFTER_NAME = re.compile(
    r"\s(?:said|says|wrote|writes|commented|on|schrieb|escribió|пишет|написала?|"
    r"(?:discussion|topic|thread) (?:starter|author)|#\d+)\W*\Z",
    re.I,
)
_MAY_BE_DATE = re.compile(r"\A.{0,20}\d.{4,40}\Z")
_DIGIT = re.compile(r"\d")
_LEVEL = re.compile(r"(?:\A|[\s_-])(?:depth|level|lvl|indent)[_-]?(\d{1,2})(?:\Z|\s)")
_SET_IN = re.compile(r"(?:(?:margin|padding)-left|indent)\s?:\s?(\d{1,4})")
"""How far comments are set in that answer others, but stand beside them."""
_INDENTING = ("style", "indent", "width", "height")
_SAYS = re.compile(r"(?:\A|\s)says(?:\Z|\s)")
_PING = re.compile(r"(?:\A|[\s_-])(?:ping|track)back(?:\Z|[\s_-])", re.IGNORECASE)
_JOINED = re.compile(
    r"\W*(?:join|registe?r|member since|inscri|iscri|dabei seit|mitglied seit|zarejestr|dołączy|"
    r"(?:за)?регистр|注册|登録|加入)",
    re.I,
)  # what labels the day on which somebody became a member
_PUBLISHED = ("datePublished", "dateCreated")


@dataclass(frozen=True, slots=True)
class Post:
    """A reader's text: a comment on an article, or a post of a thread."""

    author: str
    """Name of who wrote it; empty if it is not known."""
    date: str
    """ISO 8601 where the date can be read, else as the page has it, such as ``3 days ago``; empty
    if it is not known."""
    text: str
    """What was written, laid out for a reader."""
    depth: int
    """Number of posts that it answers inside of each other: 0 if it answers none."""
    xpath: str
    """Absolute XPath of the element that holds it."""


def read_posts(
    evidence: PostEvidence, units: Units, metadata: Metadata | None = None
) -> tuple[Post, ...]:
    """Return what stands in each unit; one without any words of its own is left out."""
    reader = _Reader(evidence, units, metadata)
    posts = map(reader.read, (~reader.are_links).nonzero()[0].tolist())
    return tuple(post for post in posts if post is not None)


def written_in(evidence: PostEvidence, units: Units) -> Bool:
    """Return which text nodes the texts of :func:`read_posts` are made of."""
    reader = _Reader(evidence, units, None)
    flags = np.zeros(evidence.page.text_at.size, dtype=bool)
    for number in range(units.elements.size):
        *_, body = reader.found_in(number)
        flags[body] = True
    return flags


def said_before(evidence: PostEvidence, stop: int, metadata: Metadata) -> tuple[str, str]:
    """Return author and date of the post before the text node *stop*, if they are said."""
    page, author, date = evidence.page, "", ""
    block_of = evidence.block_of
    for node in evidence.dated[:stop].nonzero()[0][:-MOST_NAMES:-1].tolist():
        line = line_of(page, *page.blocks[block_of[node]].tolist())
        if len(line.split()) <= LONGEST_META + MOST_NAMES:
            date = date or read_date(line, day_first=_day_first(evidence, metadata))
            match = _by_whom(line)
            author = author or (_name(WHEN.sub(" ", match[1])) if match else "")
    named = (evidence.names_author & (page.last_text <= stop)).nonzero()[0]
    for element in named[:-MOST_NAMES:-1].tolist():
        line = line_of(page, int(page.first_text[element]), int(page.last_text[element]))
        match = _by_whom(line)
        name = _name(match[1] if match else line)
        if name and not evidence.dated[page.first_text[element] : page.last_text[element]].all():
            return name, date
    return author, date


def _by_whom(line: str) -> re.Match[str] | None:
    return _BY.search(line) or _FROM.search(line)


class _Reader:
    def __init__(self, evidence: PostEvidence, units: Units, metadata: Metadata | None) -> None:
        page = evidence.page
        self._metadata = metadata
        self._page, self._units, self._dated = page, units, evidence.dated
        self._evidence = evidence
        self._block_of = evidence.block_of
        self._owners = Owners(page, units)
        self._bodies = Bodies(evidence, units, self._owners)
        self._named = evidence.names_author.nonzero()[0]

    @cached_property
    def _day_first(self) -> bool:
        return _day_first(self._evidence, self._metadata)

    @property
    def are_links(self) -> Bool:
        """Whether each unit only tells of a page elsewhere that links to this one."""
        page, holders = self._page, self._owners.holders
        named = flagged(page, page.class_id[holders], _PING.search)
        return named[page.class_id[holders]]

    def found_in(self, number: int) -> tuple[str, str, range, list[int]]:
        """Return a unit's author and date, and the text nodes of the date and of what was said."""
        own = self._owners.own[number]
        if not own.size:
            return "", "", range(0), []
        if self._units.signatures:
            return self._signed(number)
        author, author_nodes = self._author(number)
        date, date_nodes = self._date(own)
        again = {
            node
            for span in self._owners.inside(self._named, number, MOST_NAMES)
            if author and line_of(self._page, *span) == author
            for node in range(*span)
        }
        line: Iterable[int] = ()
        if self._units.name in (DIVIDED, BELOW):
            element = self._units.elements[number]
            line = range(self._page.first_text[element], self._page.last_text[element])
        body = self._bodies.nodes(number, {*author_nodes, *date_nodes, *again, *line})
        return author, date, date_nodes, body

    def _signed(self, number: int) -> tuple[str, str, range, list[int]]:
        """Return the same of a unit that ends with a signature."""
        start, at = self._units.signatures[number]
        date = read_date(line_of(self._page, at, at + 1), day_first=self._day_first)
        text = range(int(self._units.starts[number]), start)
        return _name(line_of(self._page, start, start + 1)), date, range(at, at + 1), [*text]

    def read(self, number: int) -> Post | None:
        author, date, date_nodes, body = self.found_in(number)
        nodes = np.array(body, dtype=np.int64).reshape(-1, 1)
        runs = runs_of(np.add(nodes, [0, 1]), np.ones(nodes.size, dtype=np.uint8))
        dash = " -–—\n" if self._units.signatures else None
        text = "\n\n".join(self._page.lay_out_all(runs)).strip().rstrip(dash).removeprefix(": ")
        if not text:
            return None
        author = author or self._unnamed(self._owners.own[number], body, date_nodes)
        date = self._declared_dates.get(number) or _unbracketed(date.removeprefix(author))
        return Post(author, date, text, self._depths[number], self._xpaths[number])

    @cached_property
    def _depths(self) -> list[int]:
        """How many units each answers: those around it, or as far as it is set in."""
        depths, page, units = self._owners.depths, self._page, self._units.elements
        starts = self._units.starts
        if any(depths) or units.size < 2:
            return depths
        names = (page.strings[name] for name in page.class_id[units].tolist())
        levels = {n: int(match[1]) for n, match in enumerate(map(_LEVEL.search, names)) if match}
        found = dict(levels)
        for ordinal, *said in () if levels else page.values_with(*_INDENTING):
            at = min(int(page.ordinal.searchsorted(ordinal)), page.ordinal.size - 1)
            number = int(units.searchsorted(at, side="right")) - 1
            if number < 0 or number in found or page.first_text[at] > starts[number]:
                continue
            style, indent, width, height = said
            match = _SET_IN.search(style or f"indent:{indent or (height == '1' and width)}")
            if match:
                found[number] = int(match[1])
        is_first = min(levels.values(), default=2) < 2 or len(found) == units.size
        least = min(found.values(), default=0) if is_first else 0  # else of one without any
        steps = {step: at for at, step in enumerate(sorted({least, *found.values()}))}
        return [steps[found.get(number, least)] for number in range(units.size)]

    @cached_property
    def _xpaths(self) -> list[str]:  # of all at once: one by one, each walks up to the root
        return self._page.xpaths(self._units.elements.tolist())

    @cached_property
    def _declared_dates(self) -> dict[int, str]:
        """The date that each unit declares, by its number: as published, or its first one."""
        page, units = self._page, self._units.elements
        ordinals = np.append(page.ordinal, np.iinfo(np.int64).max)
        begins, ends = ordinals[units].tolist(), ordinals[page.end[units]].tolist()
        published: dict[int, str] = {}
        first: dict[int, str] = {}
        around: list[int] = []  # units that the node at hand stands in, outermost first
        following = 0
        titled: dict[int, str] = {}
        places = [at for at, *_ in page.values_with("datetime", "content", "title")]
        for ordinal, node in page.nodes_at(places).items():
            named, value = attribute_of(node, "itemprop"), attribute_of(node, "datetime")
            title = attribute_of(node, "title") or ""
            is_titled = named not in _PUBLISHED and (node.tag != "time" or value is None)
            if is_titled and not (_MAY_BE_DATE.search(title) and _tells_date(title, node.text)):
                continue
            while following < len(begins) and begins[following] <= ordinal:
                around.append(following)
                following += 1
            while around and ends[around[-1]] <= ordinal:
                around.pop()
            if around:
                found = titled if is_titled else published if named else first
                value = title if is_titled else value or attribute_of(node, "content") or ""
                found.setdefault(around[-1], value)
        return {number: read_date(value) for number, value in (titled | first | published).items()}

    # -- author and date ---------------------------------------------------------------------

    def _author(self, number: int) -> tuple[str, range]:
        """Return the name in the first element that is named like an author, and its text."""
        named = [*self._owners.inside(self._named, number, MOST_NAMES)]
        named = [span for span in named if not self._bodies.is_of_others[span[0]]]
        first = range(0)
        for at, (start, stop) in enumerate(named):
            if self._dated[start:stop].any():
                name, bracket, _ = line_of(self._page, start, stop).partition(" (")
                if bracket and _name(name):  # and then the date
                    return _name(name), range(0)
                line = range(start, min(stop, int(self._page.blocks[self._block_of[start], 1])))
                if not first and not self._dated[line.start : line.stop].any():
                    first = line  # above the day on which somebody became a member
                continue
            within = [each for each in named[at + 1 :] if each[1] <= stop]
            if within and self._is_linked_line(start, within[0][0]):
                within = []  # which begins with the name, before rank and number of posts
            names = [_name(self._without_said(*span)) for span in (*within[:1], (start, stop))]
            name = next(filter(None, names), "")
            if name:
                return name, range(start, stop)
        lead = self._leads[number] or first
        name = _name(self._without_said(lead.start, lead.stop)) if lead else ""
        is_short = len(name) <= MOST_LETTERS  # then it may stand in place of a picture
        return ("", lead if name else range(0)) if is_short else (name, lead)

    def _is_linked_line(self, start: int, stop: int) -> bool:
        """Return whether a link is all that stands in the line from a text to a later one."""
        end = int(self._page.blocks[self._block_of[start], 1])
        return end <= stop and bool(self._page.in_link[start:end].all())

    def _without_said(self, start: int, stop: int) -> str:
        """Return the first line of a name, without the word "says" that each unit has after it."""
        said = self._says[start:stop].nonzero()[0]
        stop = start + int(said[0]) if said.size and said[0] else stop
        end = min(stop, int(self._page.blocks[self._block_of[start], 1]))
        if len({line_of(self._page, node, node + 1) for node in range(start, end)}) == 1:
            stop = start + 1  # once for readers, once for machines
        lines = self._page.lay_out(start, stop).strip().splitlines()
        return lines[0].removesuffix(self._same_end) if lines else ""

    @cached_property
    def _says(self) -> Bool:
        """Whether each text node is the word "says", by the name of its element."""
        page = self._page
        says = flagged(page, page.class_id, _SAYS.search)
        return page.texts_inside(says[page.class_id])

    @cached_property
    def _same_end(self) -> str:
        """The last word of the line of each author, where all have the same; else empty."""
        owned = [number for number, own in enumerate(self._owners.own[:MOST_NAMES]) if own.size]
        spans = (next(self._owners.inside(self._named, number, 1), None) for number in owned)
        lines = {self._page.lay_out(*span).strip().partition("\n")[0] for span in spans if span}
        ends = {line.rpartition(" ")[2] for line in lines}
        return " " + ends.pop() if len(ends) == 1 < len(lines) else ""

    @cached_property
    def _leads(self) -> list[range]:
        """The first line of each unit, where nothing is named and nearly all begin with a name."""
        none = [range(0)] * self._units.elements.size
        if self._named.size:
            return none
        if are_led(self._evidence, self._units):
            firsts = [own[:1].tolist() for own in self._owners.own]
            return [range(at, at + 1) for first in firsts for at in first or (0,)]
        leads, dates = [], self._evidence.dates
        for own in self._owners.own:
            start, stop = self._page.blocks[self._block_of[own[0]]].tolist() if own.size else (0, 0)
            words = int(self._page.words[start:stop].sum())
            first, after = self._page.blocks[self._block_of[own[own >= stop]]].T
            is_said = (dates[first] == dates[after]).any()  # something without a date follows
            is_line = 0 < words <= MOST_OF_LEAD and is_said and dates[start] == dates[stop]
            leads.append(range(start, stop) if is_line else range(0))
        labels = Counter(label_of(self._line(lead).split()) for lead in leads if lead)
        is_led = labels.total() >= LEAST_LED * len(leads)
        is_label = max(labels.values(), default=0) >= max(2, LEAST_LABELLED * len(leads))
        return leads if is_led and not is_label else none

    def _date(self, own: Int) -> tuple[str, range]:
        """Return the first date in a unit that is in no sentence, and the text that holds it."""
        # What cannot be read is returned as it is, unless it tells nothing, such as "at".
        unread: tuple[str, range] = ("", range(0))
        for node in own[self._dated[own]][:4].tolist():
            before = node - 1 if node and not self._dated[node - 1] else node
            labels = (line_of(self._page, each, each + 1) for each in (before, node))
            if any(map(_JOINED.match, labels)):
                continue
            lines: list[tuple[str, range]] = []
            for span in self._page.blocks[self._block_of[node]].tolist(), (node, node + 1):
                line = line_of(self._page, *span)
                if is_date_line(line):
                    lines.append((line, range(*span)))
            dates = [read_date(line, day_first=self._day_first) for line, _ in lines]
            for date, (_, nodes) in zip(dates, lines, strict=True):
                if date:  # the number in a name may be taken for a year
                    is_same = not dates[-1] or dates[-1][:10] == date[:10]
                    return date if is_same else dates[-1], nodes
            tells = lines and lines[-1][0]
            if tells and not unread[0] and (_DIGIT.search(tells) or WHEN.sub("", tells).strip()):
                unread = tells, lines[0][1]
        return unread

    def _unnamed(self, own: Int, body: list[int], date: range) -> str:
        """Return the name that a line before the text or beside the date says."""
        # "by Ada" tells most, then a link before the text, then the first words there.
        before = own[own < body[0]] if body else own
        before = before[before < own[0] + MOST_NAMES]
        up_to_date = (
            range(int(self._page.blocks[self._block_of[date[0]], 0]), date[0]) if date else date
        )
        spans = [nodes for nodes in (before.tolist(), date, up_to_date) if nodes]
        lines = [line_of(self._page, nodes[0], nodes[-1] + 1)[:LONGEST_LINE] for nodes in spans]
        name = _called(lines, _SAID, _BY)
        if name:
            return name
        linked, letters = self._page.in_link[before], ""
        for node in [*before[linked][:MOST_NAMES], *before[~linked][:MOST_NAMES]]:
            if not self._dated[node]:
                line = self._line([node])
                name = _name(line)
                if name and label_of(line.split()) not in self._labels:
                    is_long = not letters and len(name) > MOST_LETTERS
                    if is_long or (letters and _abbreviates(letters, name)):
                        return name
                    letters = letters or name
        if letters:
            return letters
        name = _called(lines, _FROM)
        if name:
            return name
        beside = [node for node in date if not self._dated[node]][:MOST_NAMES] or date
        return _name(_without_date(self._line(beside)))

    def _line(self, nodes: Sequence[int]) -> str:
        """Return on one line what of text nodes is no control."""
        lines = (line_of(self._page, node, node + 1) for node in nodes)
        return " ".join(line for line in lines if not is_control(line.split()))

    @cached_property
    def _labels(self) -> frozenset[str]:
        """The first texts that all units have, or all but one of many, such as "Rating:"."""
        found: Counter[str] = Counter()
        units = self._owners.own[:MOST_UNITS]
        for own in units:
            found.update({label_of(self._line([node]).split()) for node in own[:MOST_NAMES]})
        least = max(2, LEAST_LABELLED * len(units))
        return frozenset(label for label, count in found.items() if count >= least)


def _day_first(evidence: PostEvidence, metadata: Metadata | None) -> bool:
    """Tell whether 3/4/2025 is in April: as the dates of the page tell, else its language."""
    told = evidence.is_day_first
    return is_day_first(metadata.language if metadata else "") if told is None else told


def _called(lines: list[str], *forms: re.Pattern[str]) -> str:
    """Return the first name that lines say in one of these forms."""
    matches = (form.search(line) for line in lines for form in forms)
    return next(filter(None, (_name(_without_date(each[1])) for each in matches if each)), "")


def _tells_date(title: str, text: str | None) -> bool:
    """Return whether a title is a date, or says a few words more of the one that is shown."""
    is_shown = has_date(text or "") and not _JOINED.match(title)
    return is_date_line(title, MOST_IN_TITLE if is_shown else 0)


def _abbreviates(letters: str, name: str) -> bool:
    """Return whether *letters*, in place of a picture, are those that *name* or its parts begin
    with.
    """
    initials = "".join(part[0] for part in name.split())
    return any(each.casefold().startswith(letters.casefold()) for each in (name, initials))


def _unbracketed(text: str) -> str:
    text = text.strip(" (")
    return text if text.count("(") == text.count(")") else text.rstrip(" )")


def _without_date(text: str) -> str:
    if not _DIGIT.search(text):
        return text
    for start, stop, _ in reversed(written_dates(text)):
        text = f"{text[:start]} {text[stop:]}"
    return WHEN.sub(" ", text)


def _name(text: str) -> str:
    text = _AFTER_NAME.sub("", " " + " ".join(text[:LONGEST_LINE].split()))
    name = _BEFORE_NAME.sub("", text.strip()).split(" (")[0].split(" <")[0].strip(" ,:;-–—|·•#@()")
    is_name = (
        0 < len(name) <= LONGEST_POSTER
        and any(map(str.isalpha, name))
        and "://" not in name
        and not is_control([name])
    )
    return name if is_name else ""
