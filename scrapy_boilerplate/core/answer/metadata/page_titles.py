"""The title of a page: reads where titles stand, and chooses."""

from __future__ import annotations

import html

import numpy as np

from scrapy_boilerplate.core.answer.metadata.declared import Declared
from scrapy_boilerplate.core.answer.metadata.entities import Entity
from scrapy_boilerplate.core.answer.metadata.subject import Subject
from scrapy_boilerplate.core.answer.metadata.title_choice import (
    TitleSurroundings,
    choose_title,
    surroundings,
)
from scrapy_boilerplate.core.answer.metadata.titles import Titles, words_of
from scrapy_boilerplate.core.page import Page

MOST_HEADINGS = 5
"""Headings of each level that may be the title."""


def page_title(page: Page, declared: Declared, subject: Subject) -> tuple[str, str]:
    """Return the title of a page and where it stands; empty texts without one."""
    titles, around = title_evidence(page, declared, subject)
    return choose_title(titles, around)


def title_evidence(
    page: Page, declared: Declared, subject: Subject
) -> tuple[Titles, TitleSurroundings]:
    """Return what stands where titles stand, and what it is compared with."""
    main, of_page = subject.main, subject.page
    titles = Titles(
        document=html.unescape(page.title),
        open_graph=declared.meta("og:title"),
        twitter=declared.meta("twitter:title"),
        headline=html.unescape(main.text("headline", "name", "title")) if main else "",
        named=html.unescape(of_page.text("name", "headline")) if of_page else "",
        headings=_headings(page, "h1")[:MOST_HEADINGS],
        second=_headings(page, "h2")[:3],
    )
    is_article = subject.group == "article" or declared.meta("og:type").lower() == "article"
    around = surroundings(
        titles,
        declared.url,
        site_names(declared, subject),
        subject.group,
        is_article=is_article,
    )
    return titles, around


def _headings(page: Page, tag: str) -> tuple[str, ...]:
    elements = np.flatnonzero(page.has_tag((tag,)))[: 2 * MOST_HEADINGS].tolist()
    texts = (
        " ".join(page.lay_out(int(page.first_text[each]), int(page.last_text[each])).split())
        for each in elements
    )
    return tuple(html.unescape(text) for text in texts if text)


def site_names(declared: Declared, subject: Subject) -> list[str]:
    """Return the names of the site, the most trustworthy first."""
    names = [declared.meta("og:site_name"), *(site.text("name") for site in subject.sites)]
    for entity in (subject.main, subject.page):
        if entity is not None:
            values = declared.of(entity, "publisher", "isPartOf")
            names += [value.text("name") for value in values if isinstance(value, Entity)]
    names += [declared.meta("application-name"), declared.meta("apple-mobile-web-app-title")]
    return [html.unescape(name) for name in names if name]


def title_text(page: Page, title: str) -> int:
    """Return the text node that the title begins with on the page; −1 if it is not there.

    Headings are tried first, then the other blocks of the first half of the page.
    """
    words = words_of(title)
    headings = page.has_tag(("h1", "h2", "h3")) & (page.last_text > page.first_text)
    first = -1
    for element in np.flatnonzero(headings)[: 4 * MOST_HEADINGS].tolist():
        start, stop = int(page.first_text[element]), int(page.last_text[element])
        if words_of(page.lay_out(start, stop)) == words:
            return start
        if first < 0 and page.names[page.tag[element]] == "h1":
            first = start
    return first
