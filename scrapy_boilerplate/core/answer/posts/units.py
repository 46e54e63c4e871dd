"""Finds the comments or posts of a page: elements of one make, each with author and date.

Four kinds of evidence: names of classes and ids, numbers in ids, a date and an author in each unit,
and structured data. None of them is enough alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from scrapy_boilerplate.core.answer.posts.unit_signs import (
    COMMENT,
    HEADED,
    IN_COMMENT,
    SHORT,
    PostEvidence,
    flagged,
    is_date_line,
    names_comment,
    used,
)
from scrapy_boilerplate.core.caching import remember
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page._elements_native import number_keys
from scrapy_boilerplate.core.page._text_native import Phrases
from scrapy_boilerplate.core.page.arrays import Bool, Int, in_spans
from scrapy_boilerplate.core.page.lenient import attribute_of
from scrapy_boilerplate.core.page.tags import HEADINGS, PREFORMATTED

MOST_OF_LEAD = 4  # words of a first line that may be a name where nothing says so
LEAST_TEXT = 2  # words of a unit on average
LEAST_NUMBERED = 0.25
"""Share of units with a date or an author, where they are named and numbered …"""
LEAST_DATED = 0.5  # … where they are only named …
LEAST_SAID = 3
"""Words of a comment without a date, on average: a list of recent comments on other pages only
links to them."""
_MOST_LOOKED_AT, _MOST_LINES, _TITLE, _SHORT_TITLE = 50, 8, 4, 10
"""Units that are looked at, lines of each, and words and characters of a link that may be a title:
each character is a word in some languages."""
LEAST_WITHOUT_NAMES = 0.8
"""… and share with a date and an author, where they are not named as comments."""
_IN_CONTAINER, DIVIDED, BELOW = "item of comments", "comment beside a line", "post below a line"
_ANSWERED = "comment with a control to reply"
"""Names of comments that stand in elements without one, and of those without an element, which have
that of the line."""
_KIND_OF_PROPERTY = {"comment": "comment", "suggestedAnswer": "answer"}
_KIND_OF_TYPE = {"Comment": "comment", "Answer": "answer", "DiscussionForumPosting": "post"}
_DECLARED_TYPE = re.compile(r"\A\s*https?://schema\.org/(Comment|Answer|DiscussionForumPosting)\b")
_UNSEEN = re.compile(
    r"(?i)[ck]oment|komment|comment[ai]|cmt|dsq|reactie|yorum|hozzaszol|opini[aei]"
)  # of what says "comment", what is no feature
_POSTS = (
    "post message msg answer question topic thread windowbg forum discussion beitrag antwort "
    "respuesta mensaje risposta messaggio resposta mensagem".split()
)
_POST = re.compile(rf"{'|'.join(_POSTS)}|\b(?:email|journal|change)\b")
_UNIT = re.compile(f"{COMMENT.pattern}|{_POST.pattern}")
_MAY_BE_UNIT = Phrases([*IN_COMMENT, *_POSTS, "email", "journal", "change"])
_PART = Phrases(
    "list author autor auteur meta date datum fecha time form count link button btn head foot "
    "avatar title tool action control vote score user profile number signature menu nav tag share "
    "related structitem suggest similar recommend trending info details icon image img name policy "
    "notice reply- attach edit rating testimonial".split()
)  # what is a part of a unit, or holds units, or is neither
_RESPOND = re.compile(r"respond\b")
_CONTAINER = re.compile(
    r"(?:\A|[\s_-])(?:(?:all|the|post|blog\d*_)?[_-]?[ck]omm?ent[a-z]{0,5}(?:[_-]?(?:list[ea]?|block|"
    r"container|content|displayed|area|section|wrap|wrapper|thread|holder|inner|template|root|app|"
    r"embed))?|responses|replies|reacties|disqus_thread|respond_list)(?:\Z|\s)",
    re.IGNORECASE,
)
_WORDED = re.compile(r".*\D")
"""An id of a section, which has its name; that of a post ends in its number."""
_OTHERS = re.compile(r"testimonial|recent|latest|widget", re.IGNORECASE)
"""What is no container of comments on this page."""
_QUESTION, ANSWER = (
    re.compile(rf"(?:\A|\s){name}(?:\Z|\s)", re.IGNORECASE) for name in ("question", "answer")
)
_NO_LETTERS = re.compile(r"[\W\d_]+")
_TIME = re.compile(r"\d{1,2}(?:[:.]\d\d){1,2}")
_VERSION = re.compile(r"(?i)\W{0,3}(?:v|version|release)?\s?\d+\.\d")
"""The beginning of a heading in a list of changes."""
_MOST_STEPS_TO_TEXT = 16  # elements from a unit down to its first text that are looked at
_FACTOR = 1_000_003  # of a hash
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_MOST_STEPS_TO_UNIT, _MOST_AROUND = 16, 8
"""Elements around a comment that hold no other, and groups of comments around which is looked."""
_VARIES = re.compile(
    r"\A(?:even|odd|alt|first|last|new|hidden|active|by\w*|comment-author-.*|user-.*|has-.*|is-.*|"
    r"depth-?.*|thread-(?:even|odd|alt).*|.*[-_](?:even|odd|alt)|status-.*|type-.*|category-.*|"
    r"tag-.*|format-.*|hentry|collapsed|expanded|unread|js-.*|windowbg2?|bg[12]|online|offline|"
    r"staff|moderator|admin|op|.*\d.*)\Z"
)  # what may differ from unit to unit
_NUMBERED = re.compile(r"\A(.*?)[-_:]?(?:\d+|(?<=[-_])[\da-f]{10,})[-_\da-f]*\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Units:
    """Comments or posts, in document order."""

    elements: Int  # the element of each unit
    starts: Int  # first text node of each unit
    stops: Int  # after the last text node of each unit; a unit may hold others
    name: str  # what their elements have in common in class or id
    is_numbered: bool = False  # whether numbers in their ids tell them apart
    is_declared: bool = False  # whether the page says in microdata what they are
    signatures: Sequence[tuple[int, int]] = ()
    """First text node of each signature, which names who wrote, and last, which says when."""

    @classmethod
    def of(
        cls,
        page: Page,
        elements: Int,
        name: str,
        *,
        is_numbered: bool = False,
        is_declared: bool = False,
    ) -> Units:
        """Return units with their text nodes; a term of a list goes with its definitions."""
        starts = page.first_text[elements].astype(np.int64)
        stops = page.last_text[elements].astype(np.int64)
        if page.names[page.tag[elements[0]]] == "dt":
            following: dict[int, int] = {}  # the next term of each list
            for number, parent in reversed([*enumerate(page.parent[elements].tolist())]):
                stops[number] = following.get(parent, int(page.last_text[parent]))
                following[parent] = int(starts[number])
        return cls(elements, starts, stops, name, is_numbered, is_declared)

    @property
    def is_comment(self) -> bool:
        return bool(COMMENT.search(self.name))

    @property
    def is_post(self) -> bool:
        return bool(_POST.search(self.name)) and not self.is_comment

    @property
    def is_named(self) -> bool:
        return bool(_UNIT.search(self.name))

    def inside(self, texts: int) -> Bool:
        return in_spans(np.stack([self.starts, self.stops], axis=1), texts)


def are_no_posts(evidence: PostEvidence, units: Units) -> bool:
    """Return whether units are teasers that lead elsewhere, or sections of a text."""
    # A teaser's first line is a link; a section has a heading, and neither date nor author, but for
    # those of a version.
    page, most = evidence.page, LEAST_WITHOUT_NAMES
    starts, stops = units.starts[:_MOST_LOOKED_AT], units.stops[:_MOST_LOOKED_AT]
    dated = evidence.dates[stops] > evidence.dates[starts]
    ends = page.end[units.elements[:_MOST_LOOKED_AT]]
    signed = evidence.authors[ends] > evidence.authors[units.elements[:_MOST_LOOKED_AT]]
    ids = page.id_id[units.elements[:_MOST_LOOKED_AT]], page.id_id[page.text_parent[starts]]
    is_worded = flagged(page, np.concatenate(ids), _WORDED.fullmatch)
    is_section = evidence.headings[starts] & (is_worded[ids[0]] | is_worded[ids[1]]) & ~signed
    if share_of(is_section) >= most and share_of(dated) < LEAST_DATED:
        return True
    heads = page.texts(starts[evidence.headings[starts]])
    if sum(map(bool, map(_VERSION.match, heads))) >= most * starts.size:
        return True
    if not signed.any() and _are_times(evidence, starts):
        return True
    spans = zip(starts.tolist(), stops.tolist(), strict=True)
    titles = {_linked_title(evidence, *span) for span in spans}
    # Some titles are short, and answers repeat that of their thread.
    return len(titles - {""}) >= max(2, LEAST_DATED * starts.size)


def _are_times(evidence: PostEvidence, starts: Int) -> bool:
    """Return whether units begin with a time of the day, or of a recording, and no more."""
    texts = map(str.strip, evidence.page.texts(starts))
    bare = np.fromiter(map(bool, map(_TIME.fullmatch, texts)), bool)
    return share_of(bare & evidence.dated[starts]) >= LEAST_WITHOUT_NAMES


def _linked_title(evidence: PostEvidence, start: int, stop: int) -> str:
    """Return the heading above a unit, or its first line that is no name or date, if a link."""
    page, words, running = evidence.page, evidence.words, evidence.running
    block = int(evidence.block_of[start])
    block -= block > 0 and bool(evidence.headings[page.blocks[block - 1, 0]])
    for first, after in page.blocks[block:][:_MOST_LINES].tolist():
        if first >= stop:
            break
        if _is_broken_after(page, first, after):  # as in a row of a list of threads
            after = first + 1
        if words[after] - words[first] >= _TITLE and evidence.dates[after] == evidence.dates[first]:
            title = page.lay_out(first, after).casefold().removeprefix("re:").strip()
            leads_here = page.fragment[page.text_parent[first]] > 0 or len(title) < _SHORT_TITLE
            return title if running[after] == running[first] and not leads_here else ""
    return ""


def _is_broken_after(page: Page, first: int, after: int) -> bool:
    """Return whether a link is all that the first of several lines of a block has."""
    if after - first < 2 or not page.in_link[first] or page.in_link[first:after].all():
        return False
    return page.lay_out(first, after).startswith(page.lay_out(first, first + 1).strip() + "\n")


def may_have_comments(page: Page) -> bool:
    """Tell at little cost whether a page has comments by names or headings that are no features."""
    evidence = PostEvidence.of(page)
    names = (page.strings[number] for number in evidence.comment_names)
    return any(map(_UNSEEN.search, names)) or bool(evidence.below_headings)


def find_units(evidence: PostEvidence, *, only_comments: bool = False) -> list[Units]:
    """Return the likeliest comments and the likeliest other posts, the likelier ones first."""
    found: dict[bool, tuple[float, Units]] = {}
    left = _MOST_AROUND
    for units in _candidates(evidence, only_comments):
        if only_comments and not units.is_comment:
            continue
        score = _score(units, evidence)
        if score is None and units.is_comment and left:
            left -= 1
            around = _around(evidence, units)
            units, score = (around, _score(around, evidence)) if around else (units, None)
        best = found.get(units.is_comment)
        if score is not None and (best is None or score > best[0] + 1e-9):
            found[units.is_comment] = score, units
    if only_comments and not found:
        return [units for units in _with_controls(evidence) if _score(units, evidence) is not None]
    return [units for _, units in sorted(found.values(), key=lambda each: -each[0])]


def _score(units: Units, evidence: PostEvidence) -> float | None:
    starts, stops, words = units.starts, units.stops, evidence.words
    size = units.elements.size
    if (words[stops] - words[starts]).sum() < LEAST_TEXT * size:
        return None
    has_date = share_dated(evidence, units)
    ends = evidence.page.end[units.elements]
    has_author = share_of(evidence.authors[ends] > evidence.authors[units.elements])
    headed = evidence.linked_headings[stops] > evidence.linked_headings[starts]
    if units.is_declared:
        enough = True
    elif units.is_comment:
        many = units.is_numbered and size > 2
        has_lead = False
        if units.name == _IN_CONTAINER and size > 1 and has_date < LEAST_DATED:
            has_lead = are_led(evidence, units)
            has_author = max(has_author, float(has_lead))
        enough = (
            max(has_date, has_author) >= (LEAST_NUMBERED if many else LEAST_DATED)
            and (units.is_numbered or size > 1 or min(has_date, has_author) == 1)
            and (
                units.name not in (_IN_CONTAINER, DIVIDED)
                or has_lead
                or (
                    has_date >= LEAST_DATED > share_of(headed)
                    and size * has_date + has_author > 1  # or it is a text with its date
                    and not are_no_posts(evidence, units)
                )
            )
            and not _are_elsewhere(evidence, units)
            and (
                has_date >= LEAST_DATED
                or (evidence.said[stops] - evidence.said[starts]).sum() > LEAST_SAID * size
            )
        )
    else:
        enough = (
            size >= (2 if units.is_post or units.is_numbered else 3)
            and has_date >= LEAST_WITHOUT_NAMES
            and (has_author >= LEAST_WITHOUT_NAMES or (units.is_post and units.is_numbered))
            and share_of(headed) < LEAST_DATED  # or it is a list of articles
            and not are_no_posts(evidence, units)
        )
    if not enough:
        return None
    outer = np.maximum.accumulate(np.append(0, stops[:-1]))  # words of nested ones count once
    covered = words[np.maximum(stops, outer)] - words[np.maximum(starts, outer)]
    share = float(covered.sum()) / max(1, int(words[-1]))
    marks = 2.0 * units.is_named + units.is_numbered + has_date + has_author
    return marks + 2 * share + 0.2 * log(size)


def are_led(evidence: PostEvidence, units: Units) -> bool:
    """Return whether each unit begins with a bold name, which is that of another in most."""
    page, starts = evidence.page, units.starts
    is_bold = page.has_tag(("b", "strong", "cite"))[page.text_parent[starts]]
    texts = page.texts(starts[page.words[starts] <= MOST_OF_LEAD])
    leads = {_NO_LETTERS.sub("", text) for text in texts}
    said = evidence.words[units.stops] - evidence.words[starts] > page.words[starts]
    return bool((is_bold & said).all()) and 2 * len(leads) > starts.size


def _are_elsewhere(evidence: PostEvidence, units: Units) -> bool:
    """Return whether comments stand on other pages, as their names or most of their links say."""
    if evidence.elsewhere[units.elements[0]]:
        return True
    places, paths = evidence.places_elsewhere
    edges = np.stack([units.elements, evidence.page.end[units.elements]])[:, :_MOST_LOOKED_AT]
    first, after = places.searchsorted(
        np.append(evidence.page.ordinal, np.iinfo(np.int64).max)[edges]
    )
    found = {paths[at] for at in first[after > first].tolist()}
    return len(found) >= max(2.0, LEAST_DATED * int(first.size))


def share_of(flags: Bool) -> float:
    return float(np.count_nonzero(flags)) / flags.size


def share_dated(evidence: PostEvidence, units: Units) -> float:
    return share_of(evidence.dates[units.stops] > evidence.dates[units.starts])


def _candidates(evidence: PostEvidence, only_comments: bool) -> Iterator[Units]:
    """Yield the elements of one make that may be units; for comments, of makes that say so."""
    page = evidence.page
    comments = evidence.comment_names
    has_text = page.last_text > page.first_text
    has_text &= page.count_above(page.has_tag(PREFORMATTED)) == 0  # where code has comments
    yield from _named_alike(evidence, has_text, comments if only_comments else None)
    yield from _in_containers(evidence, has_text)
    yield from _declared(page, has_text)
    if not only_comments:
        yield from _answered_once(page, has_text)


def _named_alike(
    evidence: PostEvidence, has_text: Bool, strings: list[int] | None
) -> Iterator[Units]:
    """Yield elements of one make by class or by id, if enough of them have a text and a mark."""
    page, names = evidence.page, {"": 0}
    looked_at = np.full(len(page.strings), strings is None)
    looked_at[strings or []] = True
    count = np.bincount(page.class_id, minlength=1).tolist()
    classes, ids = (each[has_text & looked_at[each]] for each in (page.class_id, page.id_id))
    makes = _numbers(
        *(page, classes, names),
        lambda name, own: make_of(name) if count[own] > 1 or _is_unit(name.lower()) else "",
    )
    stems = _numbers(page, ids, names, lambda name, _: _stem(name))
    by_id = (has_text & (stems > 0)[page.id_id]).nonzero()[0]
    by_class = (has_text & (makes > 0)[page.class_id]).nonzero()[0]
    elements = np.concatenate([by_id, by_class])
    if not elements.size or not evidence.has_marks:
        return
    name = np.concatenate([stems[page.id_id[by_id]], makes[page.class_id[by_class]]])
    is_numbered = np.arange(elements.size) < by_id.size
    order = np.argsort(elements, kind="stable")  # as they stand on the page
    elements, name, is_numbered = elements[order], name[order], is_numbered[order]
    is_term = page.has_tag(("dt",))[elements]
    keys = (page.tag[elements].astype(np.int64) * len(names) + name) * 2 + is_numbered
    group = number_keys(keys)
    size = np.bincount(group)
    is_possible = np.bincount(group, is_term) > 0  # what belongs to them is told later
    is_possible |= _have_enough(page, elements, group, size, evidence)
    is_comment = np.fromiter(map(names_comment, names), bool, len(names))
    is_possible |= np.bincount(group, is_comment[name]) > 0  # what says by whom may be around
    is_possible &= (size > 1) | (np.bincount(group, is_numbered) > 0)
    members, ends = np.argsort(group, kind="stable"), np.cumsum(size)
    spans = zip((ends - size)[is_possible].tolist(), ends[is_possible].tolist(), strict=True)
    possible = [members[start:stop] for start, stop in spans]
    spelt = list(names)
    for rows in sorted(possible, key=lambda rows: int(rows[0])):
        own = spelt[name[rows[0]]]
        is_around = page.end[elements[rows[0]]] > elements[rows[rows.size - 1]]
        if names_comment(own) or (rows.size > 1 and not is_around):  # else it holds all others
            numbered = bool(is_numbered[rows[0]] or (stems[page.id_id[elements[rows]]] > 0).all())
            yield Units.of(page, elements[rows], own, is_numbered=numbered)


def _have_enough(page: Page, elements: Int, group: Int, size: Int, evidence: PostEvidence) -> Bool:
    """Return which groups of elements have the words and the marks that any units have."""
    starts, stops, ends = page.first_text[elements], page.last_text[elements], page.end[elements]
    words = np.bincount(group, evidence.words[stops] - evidence.words[starts])
    dated = np.bincount(group, evidence.dates[stops] > evidence.dates[starts])
    signed = np.bincount(group, evidence.authors[ends] > evidence.authors[elements])
    enough: Bool = np.maximum(dated, signed) >= LEAST_NUMBERED * size
    return enough & (words >= LEAST_TEXT * size)


def _numbers(
    page: Page, strings: Int, names: dict[str, int], name_of: Callable[[str, int], str]
) -> Int:
    """Return the number of the name that each string has in *names*, which grow; 0 for none."""
    numbers = np.zeros(len(page.strings), dtype=np.int64)
    for string in used(strings):
        numbers[string] = names.setdefault(name_of(page.strings[string], string), len(names))
    return numbers


def _declared(page: Page, has_text: Bool) -> Iterator[Units]:
    """Yield what the page calls comments, answers or posts in microdata."""
    found: dict[str, list[int]] = {}
    likely = (has_text & page.with_sign("unit")).nonzero()[0].tolist()
    for element, node in page.nodes(likely) if likely else ():
        match = _DECLARED_TYPE.match(attribute_of(node, "itemtype") or "")
        named = _KIND_OF_PROPERTY.get(attribute_of(node, "itemprop") or "")
        kind = _KIND_OF_TYPE[match[1]] if match else named
        if kind is not None and element:  # the root is none
            found.setdefault(kind, []).append(element)
    for kind, elements in found.items():
        if len(elements) > 1:
            yield Units.of(page, np.array(elements), kind, is_declared=True)


def _answered_once(page: Page, has_text: Bool) -> Iterator[Units]:
    """Yield a question with its only answer: more of these are of one make."""
    asks, answers = (
        (flagged(page, page.class_id, name.search)[page.class_id] & has_text).nonzero()[0]
        for name in (_QUESTION, ANSWER)
    )
    if asks.size == answers.size == 1 and asks[0] < answers[0]:
        yield Units.of(page, np.append(asks, answers), "answer")


def _with_controls(evidence: PostEvidence) -> Iterator[Units]:
    """Yield siblings of one tag, most of which can be answered, and those like them inside."""
    if evidence.replies.size < 2 or not evidence.has_marks:
        return
    page, (elements, group, size, held) = evidence.page, evidence.siblings
    is_reply = np.zeros(page.text_at.size, dtype=bool)
    is_reply[evidence.replies] = True
    before = cumulative(is_reply)
    can_be = before[page.last_text[elements]] > before[page.first_text[elements]]
    count = np.bincount(group, can_be, minlength=1)
    count[count < np.maximum(LEAST_WITHOUT_NAMES * size, 2)] = 0
    if count.any():
        best = np.lexsort((held, count))[count.size - 1]
        units = Units.of(page, elements[(group == best) & can_be], _ANSWERED)
        yield with_answers(evidence, units)


def _around(evidence: PostEvidence, units: Units) -> Units | None:
    """Return the outermost elements that hold one of *units* each, if they are of one make."""
    page, running = evidence.page, evidence.running
    said = running[units.stops] - running[units.starts]
    if said.sum() <= LEAST_SAID * units.elements.size and "repl" not in units.name:
        return None  # such as links to comments
    is_one = np.zeros(page.tag.size, dtype=bool)
    is_one[units.elements] = True
    before, at = cumulative(is_one), units.elements.astype(np.int64)
    for _ in range(_MOST_STEPS_TO_UNIT if at.size > 1 else 0):
        above = page.parent[at]
        is_alone = (above >= 0) & (before[page.end[above]] - before[above] == 1)
        if not is_alone.any():
            break
        at = np.where(is_alone, above, at)
    makes = {make_of(page.strings[number]) for number in page.class_id[at].tolist()}
    if (at == units.elements).all() or len(makes) > 1 or np.ptp(page.tag[at]):
        return None
    around = Units.of(page, at, units.name, is_numbered=units.is_numbered)
    is_dated = share_dated(evidence, around) >= LEAST_WITHOUT_NAMES
    return around if is_dated and not are_no_posts(evidence, around) else None


def _in_containers(evidence: PostEvidence, has_text: Bool) -> Iterator[Units]:
    """Yield the items of lists one or two levels below what holds comments, or texts in it."""
    # That is told by its name, or by a heading: then they stand behind it.
    page, names = evidence.page, evidence.comment_names
    is_named = np.zeros(len(page.strings), dtype=bool)
    for number in names:
        name = _CAMEL.sub("-", page.strings[number])
        is_named[number] = bool(_CONTAINER.search(name)) and not _OTHERS.search(name)
    named = (is_named[page.class_id] | is_named[page.id_id]) & has_text & ~page.has_tag(HEADED)
    parent = np.maximum(page.parent, 0)
    holders = [(parent == element, start) for element, start in evidence.below_headings]
    holders += [(named[parent], 0)] * bool(named.any())
    tags = ("li", "dt", "article", "div", "tr", "p") if holders else ()
    kinds = [page.has_tag((tag,)) for tag in tags]
    for is_child, start in holders:
        is_under = (is_child | is_child[parent]) & has_text & (page.first_text >= start)
        under = is_under.nonzero()[0]
        for is_kind in kinds:
            items = _of_one_parent(evidence, under[is_kind[under]])
            if items.size > 1 and start:  # what follows below a heading may be another part
                classes = page.class_id[items]
                is_like = classes == np.bincount(classes).argmax()
                is_like |= begin_as_most(page, items)
                items = items[: int(is_like.nonzero()[0].max()) + 1]
            if items.size:
                units = Units.of(page, items, _IN_CONTAINER)
                yield with_answers(evidence, units)
                yield units
        beside = _of_one_parent(evidence, under[is_child[under]])
        if beside.size > 1:
            yield from divided(evidence, beside)


def _of_one_parent(evidence: PostEvidence, items: Int) -> Int:
    """Return the elements of the outermost one that holds most dated ones, or most."""
    if not items.size:
        return items
    page, dates = evidence.page, evidence.dates
    parents = page.parent[items]
    is_dated = dates[page.last_text[items]] > dates[page.first_text[items]]
    counted = parents[is_dated] if is_dated.any() else parents
    return items[parents == np.bincount(counted).argmax()]


def divided(evidence: PostEvidence, siblings: Int, name: str = DIVIDED) -> Iterator[Units]:
    """Yield texts that stand side by side, if a line that says when begins or ends each of them."""
    page, words, dates = evidence.page, evidence.words, evidence.dates
    is_dated = dates[page.last_text[siblings]] > dates[page.first_text[siblings]]
    siblings = siblings[is_dated | ~page.has_tag(HEADINGS)[siblings]]
    first, stop = page.first_text[siblings], page.last_text[siblings]
    is_line = (dates[stop] > dates[first]) & (words[stop] - words[first] <= 2 * SHORT)
    for number in is_line.nonzero()[0].tolist():
        at = evidence.dated[first[number] : stop[number]].nonzero()[0] + first[number]
        rows = page.blocks[np.unique(evidence.block_of[at])]
        rows = rows.clip(first[number], stop[number]).tolist()  # a block may hold all of them
        is_line[number] = all(is_date_line(page.lay_out(*row).strip()) for row in rows)
    names: dict[str, int] = {}
    classes = _numbers(page, page.class_id[siblings], names, lambda name, _: make_of(name))
    makes = number_keys(page.tag[siblings] * (len(names) + 1) + classes[page.class_id[siblings]])
    lines = makes
    if name == BELOW:  # the same stands below each
        lines = number_keys(makes * len(page.names) + np.append(page.tag[siblings][1:], 0))
    count = np.bincount(lines, is_line, minlength=1)
    at = (is_line & (lines == count.argmax())).nonzero()[0]
    said = {page.lay_out(*span) for span in zip(first[at].tolist(), stop[at].tolist(), strict=True)}
    if len(said) < 2:  # or the page shows its own date twice
        return
    starts, stops = first[at], stop[at]
    if at[0] and name == DIVIDED:  # else each text begins with its line
        starts = np.append(first[0], stops[:-1])
    else:
        others = np.isin(makes[at[-1] :], makes[: at[-1]], invert=True)
        stops = np.append(starts[1:], stop[at[-1] + (others.argmax() or others.size) - 1])
    is_text = words[stops] - words[starts] > words[stop[at]] - words[first[at]]
    if share_of(is_text) >= LEAST_WITHOUT_NAMES:
        yield Units(siblings[at], starts.astype(np.int64), stops.astype(np.int64), name)


@remember(1 << 22)
def make_of(name: str) -> str:
    """Return what elements of one make have in common in their class; empty if nothing fits."""
    tokens = [token for token in name.lower().split()[:12] if not _VARIES.match(token)]
    parts = [*map(_is_part, tokens)]
    units = (t for t, is_part in zip(tokens, parts, strict=True) if not is_part and _is_unit(t))
    return next(units, "" if any(parts) else " ".join(tokens[:2]))


@remember(1 << 22)
def _stem(name: str) -> str:
    """Return what stands before the number in an id; empty without a number, or for a part."""
    match = _NUMBERED.match(name) if len(name) < 100 else None
    stem = match[1].lower() if match else ""
    is_unit = 0 < len(stem) <= 2 or _is_unit(stem)
    return stem if is_unit and not _is_part(stem) else ""


def _is_unit(name: str) -> bool:
    return bool(_MAY_BE_UNIT.groups_in(name) and _UNIT.search(name))


def _is_part(name: str) -> bool:
    return bool(_PART.groups_in(name) or ("respond" in name and _RESPOND.search(name)))


def name_of(page: Page, elements: Int) -> str:
    """Return what most of these elements have in common in their class; empty if nothing."""
    numbers = page.class_id[elements]
    return make_of(page.strings[int(np.bincount(numbers).argmax())])


# -- units of one make, told without any name: by the tags that lead down to their first text -----


def begin_as_most(page: Page, elements: Int) -> Bool:
    """Return for each of *elements* whether the way to its first text is that of most of them."""
    begins = _beginnings(page, elements)
    return begins == np.bincount(begins).argmax()


def with_answers(evidence: PostEvidence, units: Units) -> Units:
    """Return *units* with those like most of them that stand in them, as answers may."""
    page, dates = evidence.page, evidence.dates
    is_own = np.zeros(page.tag.size, dtype=bool)
    is_own[units.elements] = True
    inside = (page.count_above(is_own) > 0) & (page.tag == page.tag[units.elements[0]])
    every = (inside & (page.last_text > page.first_text)).nonzero()[0]
    begins, is_unit = _beginnings(page, every), is_own[every]
    dated = dates[page.last_text[every]] > dates[page.first_text[every]]
    dated |= share_of(dated[is_unit]) < LEAST_WITHOUT_NAMES  # else it is a row of a quotation
    every = every[is_unit | (dated & (begins == np.bincount(begins[is_unit]).argmax()))]
    return Units.of(page, every, units.name)


def _beginnings(page: Page, elements: Int) -> Int:
    """Return a number for each of *elements*: for the tags from it down to its first text."""
    at = page.text_parent[page.first_text[elements]].astype(np.int64)
    keys = np.zeros(at.size, dtype=np.int64)
    for _ in range(_MOST_STEPS_TO_TEXT):
        below = (at > elements).nonzero()[0]
        if not below.size:
            break
        keys[below] = keys[below] * _FACTOR + page.tag[at[below]] + 1
        at[below] = page.parent[at[below]]
    return number_keys(keys)
