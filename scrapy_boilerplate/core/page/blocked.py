"""Pages that stand in place of another: challenges, walls of logins and consent, parked domains.

Two signs of different kinds tell one, because a page of text may have any one of them: it may be
about robots, have a login beside it, or come with the status of an error. A page with more than
:data:`MOST_BLOCKED_WORDS` words is none of them, and pays nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
from lxml import etree

from scrapy_boilerplate.core.caching import cached_property
from scrapy_boilerplate.core.page import wall_words as words
from scrapy_boilerplate.core.page.arrays import Int64
from scrapy_boilerplate.core.page.lenient import attribute_of, text_of
from scrapy_boilerplate.core.page.paragraphs import Paragraphs

STATUS, MARKUP, TITLE, DEMAND, NO_TEXT = (
    "its HTTP status",
    "its markup",
    "its title",
    "what it asks for",
    "no text of its own",
)
"""The kinds of signs."""


class Block(NamedTuple):
    """What stands in place of a page's own text."""

    name: words.BlockName
    signs: tuple[str, ...]
    """The signs that tell it: at least two, of different kinds."""

    @property
    def reason(self) -> str:
        """Why nothing of the page is kept."""
        return f"it seems blocked ({self.name}: {', '.join(self.signs)})"


MOST_BLOCKED_WORDS = 250
_FEW, _HARDLY_ANY, _NONE = 120, 50, 5
"""Words of a blocked page: one that its markup or title tells, one that only its words tell, and
one that its scripts write."""
_RUNNING, _BESIDE_DEMAND, _OF_ERROR = 8, 30, 60
"""Words of running text: the fewest of a page of text, and of one that has the title of a wall and
its demand, or the status of an error."""
_FIRST = 100  # characters of a block in which the fewest are looked for
_LOOSE = 25  # most words outside of links and forms on a page without a text of its own
_OF_COOKIES = 4  # fewest words of privacy in a question about cookies; "cookie" counts twice
_MOST_LINKS_BLOCKED, _MOST_FIELDS = 5, 20
"""Links of a page that is told by words, since others have menus; fields that are looked at."""

_STATUSES, _SERVER_ERROR = frozenset((401, 402, 403, 407, 429, 451)), 500
_MOST_READ, _LONGEST_ADDRESS, _LONGEST_LABEL = 4000, 300, 60
"""Characters of a page's text or of a script, of an address, and of a button."""

_ASKING: tuple[words.BlockName, ...] = ("challenge", "parked", "script")
"""What only a demand and no text of its own may tell."""
_TAGS = ("input", "meta", "script", "iframe", "noscript", "form")
_AT_ONCE = re.compile(r"\s*\d?\s*[;,]\s*(?:url\s*=)?\s*\S", re.I)
_BESIDE = frozenset(("header", "nav", "aside", "footer"))
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n")
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{1,2}|\w[^\W\u3040-\u9fff]*")


def find_block(page: Paragraphs, status: int | None) -> Block | None:
    """Return what stands in place of a page's own text, ``None`` for nearly all pages."""
    if len(page.buffer) > _MOST_READ or (count := int(page.words.sum())) > MOST_BLOCKED_WORDS:
        return None
    signs = _Signs(page, status, count)
    return next((block for block, most in signs.blocks() if count <= most), None)


class _Signs:
    """The signs of a short page: what its markup, its titles and its sentences say."""

    def __init__(self, page: Paragraphs, status: int | None, count: int) -> None:
        self._page, self._status, self._count = page, status, count
        self._groups = words.SAID.groups_in(page.buffer)
        first = page.lay_out_all(page.blocks[:1])
        titles = page.title.lower(), first[0].lower().strip() if first else ""
        self._has_text = self._is_text()
        self._titles = titles if self._has_text else (*titles, self._headline())
        self._own: dict[words.BlockName, list[int]] = {}

    @cached_property
    def _has_menu(self) -> bool:
        return int(np.count_nonzero(self._page.has_tag(("a",)))) > _MOST_LINKS_BLOCKED

    @cached_property
    def _texts(self) -> list[str]:
        return [text.lower() for text in self._page.lay_out_all(self._page.blocks)]

    def blocks(self) -> Iterator[tuple[Block, int]]:
        """Yield what may stand in place of the page, and the most words that it has then."""
        titled = frozenset(
            name for name, each in words.TITLES.items() if any(map(each.fullmatch, self._titles))
        )
        is_refusal = "denied" in titled
        status = self._status
        is_error = status is not None and (status in _STATUSES or status >= _SERVER_ERROR)
        is_titled = is_error or titled or any(map(words.DOMAIN.fullmatch, self._titles))
        may_ask = self._groups & words.ASKS and not self._has_menu
        if is_titled or may_ask or not self._has_text:
            marks = frozenset(_marks(self._page, self._count))
            # With none of these only a page of hardly any words has two signs.
            if is_titled or marks or (may_ask and self._count <= _HARDLY_ANY):
                yield from self._told_by_words(marks, is_refusal=is_refusal, is_error=is_error)
            if "missing" in titled:
                signs = {TITLE: True, NO_TEXT: self._is_bare("missing")}
                yield from _told("missing", signs, MOST_BLOCKED_WORDS)
        if self._groups & words.OF_COOKIES and not self._has_menu and self._asks_consent():
            yield Block("consent", (DEMAND, NO_TEXT)), MOST_BLOCKED_WORDS

    def _headline(self) -> str:
        """Return the first ``h1``, which a logo may stand above; it tells a page without text."""
        heads = self._page.has_tag(("h1",)).nonzero()[0]
        return self._page.said_by(int(heads[0])).lower().strip() if heads.size else ""

    def _is_text(self) -> bool:
        """Tell whether a block of running text asks for nothing, as on nearly all pages."""
        page, asks_login = self._page, words.DEMANDS["login"].search
        if page.may_have("refresh") and self._count <= _HARDLY_ANY:
            return False
        starts, stops = page.text_start.data, page.text_stop.data
        for first, after in page.blocks.tolist():
            start, stop = starts[first], stops[after - 1]
            if stop - start < _RUNNING:  # a word has a character at least
                continue
            if len(_WORD.findall(page.buffer, start, min(start + _FIRST, stop))) >= _RUNNING:
                said = " ".join(page.buffer[start:stop].lower().split())
                may_ask = words.SAID.groups_in(said) & (words.ASKS | words.OF_FOOT)
                if not (may_ask or (page.may_have("password") and asks_login(said))):
                    return True
        return False

    def _told_by_words(
        self, marks: frozenset[str], *, is_refusal: bool, is_error: bool
    ) -> Iterator[tuple[Block, int]]:
        if is_error:
            is_short = self._running("denied") < _OF_ERROR
            signs = {STATUS: True, TITLE: is_refusal, NO_TEXT: is_short}
            yield from _told("status", signs, MOST_BLOCKED_WORDS)
        for name in (*_ASKING, *(("denied",) if is_refusal else ())):
            is_known, asks = name in marks, self._asks(name)
            if not (is_known or is_refusal or asks):
                continue
            is_wall = is_known or self._running(name) < _BESIDE_DEMAND
            if name == "parked":
                is_titled = asks and any(map(words.DOMAIN.fullmatch, self._titles))
            else:
                is_titled = is_refusal and name != "script"
            is_named = is_wall and is_titled
            has_demand = is_wall and asks and name != "denied"
            bare = self._is_bare(name)
            signs = {MARKUP: is_known, TITLE: is_named, DEMAND: has_demand, NO_TEXT: bare}
            most = _FEW if is_known or is_named else _HARDLY_ANY
            yield from _told(name, signs, MOST_BLOCKED_WORDS if is_known and is_titled else most)
        # A form may have a captcha, too: where it is the page's, the headline demands it.
        if "captcha" in marks and any(map(words.DEMANDS["challenge"].search, self._titles)):
            is_bare = self._is_bare("challenge")
            signs = {MARKUP: True, TITLE: is_refusal and is_bare, DEMAND: self._asks("challenge")}
            yield from _told("challenge", signs, _HARDLY_ANY)
        if "login" in marks:
            yield from _told("login", {MARKUP: True, NO_TEXT: self._is_login()}, _FEW)
        if "redirect" in marks:
            bare = self._is_bare("redirect")
            yield from _told("redirect", {MARKUP: True, NO_TEXT: bare}, _HARDLY_ANY)

    # -- words -------------------------------------------------------------------------------

    def _asks(self, name: words.BlockName) -> bool:
        """Return whether a sentence asks for what a wall of that name asks for."""
        if self._has_menu or any(map(words.HOW_TO.match, self._titles)):
            return False
        if name in _ASKING and not self._groups & words.ASKS:
            return False
        asks, told = words.DEMANDS[name].search, words.TOLD.search
        if not any(map(asks, self._texts)):
            return False
        sentences = (sentence for block in self._sentences for sentence, _ in block)
        return any(asks(sentence) and not told(sentence) for sentence in sentences)

    @cached_property
    def _sentences(self) -> list[list[tuple[str, int]]]:
        """The sentences of each block, and how many words each has."""
        return [
            [(each, len(_WORD.findall(each))) for each in map(str.strip, split) if each]
            for split in map(_SENTENCE_END.split, self._texts)
        ]

    def _running(self, name: words.BlockName) -> int:
        """Count the words of running text, without what a wall of that name asks for."""
        return sum(count for count in self._own_words(name) if count >= _RUNNING)

    def _own_words(self, name: words.BlockName) -> list[int]:
        """Count the words of each block, without what a wall of that name asks for."""
        if name not in self._own:
            # What refuses may ask for anything.
            asked = (*_ASKING, name) if name in words.TITLES else (name,)
            others: list[Callable[[str], object]] = [_is_of_foot]
            others += [words.DEMANDS[each].search for each in asked]
            others += [each.fullmatch for each in words.TITLES.values()]
            self._own[name] = [
                sum(count for each, count in block if not any(says(each) for says in others))
                for block in self._sentences
            ]
        return self._own[name]

    def _is_bare(self, name: words.BlockName) -> bool:
        """Return whether a page has no text of its own, but for what a wall asks for."""
        page = self._page
        own = self._own_words(name)
        if any(count >= _RUNNING for count in own):
            return False
        inside = page.in_link | page.texts_inside(page.has_tag(("form",)))
        loose = page.per_block(page.words * ~inside).tolist() if own else ()
        return sum(map(int, map(min, own, loose))) < _LOOSE

    def _is_login(self) -> bool:
        """Return whether the page is for the login: no headline with a text stands behind it."""
        page = self._page
        forms = page.has_tag(("form",)).nonzero()[0]
        after = page.last_text[forms].min() if forms.size else page.text_at.size
        is_heading = page.texts_inside(page.has_tag(("h1", "h2")))
        heads = is_heading[after:].nonzero()[0]
        if not heads.size:
            return self._is_bare("login")
        behind = page.words[after + heads[0] :][~is_heading[after + heads[0] :]]
        return self._is_bare("login") and int(behind.sum()) < _RUNNING

    # -- consent -----------------------------------------------------------------------------

    def _asks_consent(self) -> bool:
        """Return whether the page is a question about cookies, with a button to answer."""
        own = self._page.buffer.lower()
        said = f"{self._titles[0]} {own}"
        named = words.COOKIES if _says(own, words.COOKIES) else (words.TRACKING,)
        if 2 * sum(map(said.count, named)) + len(words.PRIVACY.findall(said)) < _OF_COOKIES:
            return False
        about = [
            row
            for row, text in enumerate(self._texts)
            if _says(text, named)
            and words.US.search(text)
            and any(each.search(text) for each in (words.USE, words.PRIVACY, words.ACCEPT))
        ]
        starts = self._page.block_starts
        box = self._box_of_question(starts[about])
        if box is None:
            return False
        # Without a box of its own, the question stands behind the page's text.
        return not any(
            not box[0] <= start < box[1]
            or (row < about[0] and not words.PRIVACY.search(self._texts[row]))
            for row, start in enumerate(starts.tolist())
            if len(_WORD.findall(self._texts[row])) >= _RUNNING
        )

    def _box_of_question(self, about: Int64) -> tuple[int, int] | None:
        """Return the texts in the smallest element with a button to accept, and cookies."""
        page = self._page
        buttons = page.has_tag(("button", "a", "input", "form")).nonzero()[0]
        for button in buttons[: _MOST_LINKS_BLOCKED * _MOST_FIELDS].tolist():
            label = page.said_by(button).lower()
            if len(label) > _LONGEST_LABEL or not words.ACCEPT.search(label):
                continue
            above = button
            while above >= 0:
                first, last = int(page.first_text[above]), int(page.last_text[above])
                if ((first <= about) & (about < last)).any():
                    return first, last
                above = int(page.parent[above])
        return None


def _says(said: str, parts: Iterable[str]) -> bool:
    return any(map(said.__contains__, parts))


def _is_of_foot(said: str) -> bool:
    """Tell whether a text has what stands in a page's foot."""
    return bool(words.SAID.groups_in(said) & words.OF_FOOT)


def _told(name: words.BlockName, signs: dict[str, bool], most: int) -> Iterator[tuple[Block, int]]:
    """Yield a block that two signs tell."""
    found = tuple(sign for sign, is_there in signs.items() if is_there)
    if len(found) > 1:
        yield Block(name, found), most


# -- markup ----------------------------------------------------------------------------------


def _marks(page: Paragraphs, count: int) -> Iterator[str]:
    """Yield what the markup of a page of *count* words may stand for."""
    shown = list(page.strings)
    passwords = 0
    for node in page.root.iter(*_TAGS):
        if node.tag == "input":
            if (
                passwords < _MOST_FIELDS
                and (attribute_of(node, "type") or "").lower() == "password"
            ):
                passwords += 1
                if _is_main(node):
                    yield "login"
        elif node.tag == "meta":
            if _leads_away(node):
                yield "redirect"
        elif node.tag == "noscript":
            said = "".join(islice(map(str, node.itertext()), _MOST_READ))[:_MOST_READ]
            if count <= _NONE and words.SCRIPT.search(said.lower()):
                yield "script"
        else:
            shown += (_short(node, name) for name in ("src", "action"))
            if node.tag == "script":
                shown.append((text_of(node) or "")[:_MOST_READ])
    said = "\n".join(shown).lower()
    if words.CHALLENGES.search(said):
        yield "challenge"
    if "captcha" in said:
        yield "captcha"
    if words.PARKED.search(said) or attribute_of(page.root, "data-adblockkey"):
        yield "parked"


def _is_main(field: etree._Element) -> bool:
    """Return whether a field is shown, and stands in the main part of a page."""
    for above in field.iterancestors():
        if above.tag in _BESIDE:
            return False
        if "display:none" in (attribute_of(above, "style") or "").replace(" ", ""):
            return False
    return True


def _leads_away(meta: etree._Element) -> bool:
    """Return whether a ``meta`` shows another page at once, also to browsers with scripts."""
    if (attribute_of(meta, "http-equiv") or "").lower() != "refresh":
        return False
    above = meta.getparent()
    is_for_all = above is None or above.tag != "noscript"
    return is_for_all and bool(_AT_ONCE.match(_short(meta, "content")))


def _short(node: etree._Element, name: str) -> str:
    """Return the beginning of an attribute's value, which may hold a whole image."""
    return (attribute_of(node, name) or "")[:_LONGEST_ADDRESS]
