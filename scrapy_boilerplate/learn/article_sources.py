"""Where the pages of a site hold articles that they do not show: JSON, templates, ``noscript``."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from zlib import crc32

import numpy as np

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.sources import (
    LEAST_HIDDEN,
    LITTLE_PROSE,
    HiddenText,
    begins_in,
    is_unseen,
    letters,
)
from scrapy_boilerplate.learn.facts import SiteFacts, Vote
from scrapy_boilerplate.learn.paths import Hashes, is_source, template_path_hash
from scrapy_boilerplate.learn.template import SinglePageResult, view_of

MOST_SOURCES = 4  # of a page that are remembered, and of a site
SAMPLED = 8  # one of so many pages with much text is looked through; a source is the same on all
_LEAST_PAGES, _LEAST_SHARE = 2, 0.1  # on which a source holds a text of their own
_MOST_TEXTS, _LEAST_TITLE = 20, 4  # the longest: all are compared with the page
_LINES, _BEGINNING, _TOP = 5, 60, 4000
_PHRASE, _PARTS = re.compile(r"\w[\w ,.]{11,}"), re.compile(r"[^\w,.]{2,}")


def holding(page: Page, extraction: Extraction, number: int) -> dict[str, int]:
    """Return the sources that hold the article of a page, each with a hash of its text."""
    # What the page was read from, what goes on as the kept text begins, and what stands beside
    # the document's title. *number* decides which pages of much text are sampled.
    shown = len(extraction.text)
    is_looked_at = shown < LITTLE_PROSE or number % SAMPLED == 0
    least = max(LEAST_HIDDEN, shown // 2)
    if not page.source and not (is_looked_at and page.hidden_bytes >= least):
        return {}
    phrases = () if page.source else _phrases(page.title, extraction.text)
    texts = _longest(page.hidden(phrases))
    kept = letters(extraction.text) if texts else ""
    found: dict[str, int] = {}
    for text in texts:
        if text.size < LEAST_HIDDEN or len(found) == MOST_SOURCES:
            break
        is_held = text.source == page.source or _has_title(text, page)
        if is_source(text.source) and (is_held or begins_in(text, kept)):
            found.setdefault(text.source, crc32(text.letters.encode("utf-8", "replace")))
    return found


def _longest(texts: Iterable[HiddenText]) -> list[HiddenText]:
    return sorted(texts, key=lambda text: -text.size)[:_MOST_TEXTS]


def _phrases(title: str, text: str) -> set[str]:
    """Return what a source has in plain letters if it has this title, or begins as a line does."""
    lines = [line[:_BEGINNING] for line in text[:_TOP].splitlines() if len(line) >= _BEGINNING]
    parts = *_PARTS.split(title)[:_LINES], *lines[:_LINES]
    found = map(_PHRASE.findall, parts)
    phrases = {max(each, key=len) for each in found if each}
    return phrases.union(json.dumps(phrase)[1:-1] for phrase in phrases)


def _has_title(text: HiddenText, page: Page) -> bool:
    own = " ".join(text.title.casefold().split())
    return len(own) >= _LEAST_TITLE and own in page.title.casefold()


def find_sources(held: Iterable[Hashes], names: Mapping[int, str]) -> tuple[Vote, ...]:
    """Return the sources of a site; a text that several pages hold counts once."""
    pages = list(held)
    rows = {tuple(row) for page in pages for row in page.reshape(-1, 2).tolist()}
    counts = Counter(names[source] for source, _ in sorted(rows) if source in names)
    least = max(_LEAST_PAGES, _LEAST_SHARE * len(pages))
    votes = [
        Vote(name, count, round(count / len(pages), 3))
        for name, count in counts.items()
        if count >= least
    ]
    return tuple(sorted(votes, key=lambda vote: (-vote.pages, vote.name))[:MOST_SOURCES])


def hashes_of(sources: Mapping[str, int]) -> Hashes:
    """Return the hash of each source's name, and that of its text."""
    rows = [number for name, text in sources.items() for number in (template_path_hash(name), text)]
    return np.array(rows, dtype=np.uint32)


# -- showing them ----------------------------------------------------------------------------

_PIECE = 8  # letters, which two texts hardly have in common by chance


def shown_page(facts: SiteFacts, page: Page, alone: SinglePageResult) -> Page:
    """Return a page with the text of a source of its site; itself if that is not its text."""
    # It is if it begins as the page does (or there is no text), goes on unseen, and adds more
    # than it lacks of what was found. On a page of lists it must have the page's title.
    sources = facts.all_sources
    if not sources or page.source in sources or not page.is_html:
        return page
    has_text = bool(page.text_at.size) and alone.has_text(facts.min_words)
    is_list, kept = alone.extraction.kind == "list", letters(alone.extraction.text)
    view, given = view_of(page), (sources, has_text, is_list, len(kept))
    if view.shown[0] != given:
        text = _own_text(page, sources, has_text, is_list, kept)
        view.shown = given, page.showing(text) if text else None
    return view.shown[1] or page


def _own_text(
    page: Page, sources: tuple[str, ...], has_text: bool, is_list: bool, kept: str
) -> HiddenText | None:
    """Return the text of one of the sources that is that of a page, if there is any."""
    shown = letters(page.buffer)
    for text in _longest(text for text in page.hidden() if text.source in sources):
        begins = not has_text or begins_in(text, shown)
        if not begins or not is_unseen(text, shown):
            continue
        if _has_title(text, page) if is_list else _adds_more(text, kept):
            return text
    return None


def _adds_more(text: HiddenText, kept: str) -> bool:
    own, known = (
        {letters[at : at + _PIECE] for at in range(len(letters))}
        for letters in (text.letters, kept)
    )
    return len(own - known) >= len(known - own)
