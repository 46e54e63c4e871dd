"""Dates of publication and of the last change."""

from __future__ import annotations

from collections.abc import Iterator

from scrapy_boilerplate.core.answer.metadata.bylines import Visible
from scrapy_boilerplate.core.answer.metadata.dates import find_written_date, read_date, url_date
from scrapy_boilerplate.core.answer.metadata.declared import Declared
from scrapy_boilerplate.core.answer.metadata.subject import Subject

LONGEST_FOREIGN = 40
"""Characters of a date in another language than English, in an element that is named a date."""

_PUBLISHED = ("article:published_time", "og:article:published_time", "datepublished",
              "og:published_time", "parsely-pub-date", "sailthru.date", "pubdate",
              "cxenseparse:publishtime", "citation_publication_date", "citation_date",
              "dc.date.issued", "dcterms.issued", "dc.date", "publish-date", "publish_date",
              "date", "dcterms.created", "dc.date.created", "originalpublicationdate",
              "article.published", "published", "og:publish_date")  # fmt: skip
_MODIFIED = ("article:modified_time", "og:article:modified_time", "og:updated_time",
             "datemodified", "dcterms.modified", "dc.date.modified", "last-modified",
             "lastmod", "revised", "article.updated")  # fmt: skip
_DAY_FIRST = "en-gb en-au en-nz en-ie en-in en-za".split()


def page_dates(
    declared: Declared, subject: Subject, visible: Visible, language: str
) -> dict[str, tuple[str, str]]:
    """Return the dates of publication and of the last change, with where they stand.

    Their keys are those of :class:`~scrapy_boilerplate.core.answer.metadata.Metadata`; a date
    that is not known is missing.
    """
    found: dict[str, tuple[str, str]] = {}

    def add(name: str, date: str, raw: str, source: str) -> None:
        if date and name not in found:
            found[name] = date, source
            found[f"{name}_raw"] = raw, source

    code = language.lower()
    day_first = bool(code) and (not code.startswith("en") or code in _DAY_FIRST)
    for name, source, text in _declared(declared, subject):
        if name not in found:
            date = read_date(text, day_first=day_first, language=code[:2])
            add(name, date, text, source)
    if "date_published" in found:
        return found
    for name, source, text in _shown(visible, declared.url):
        date, raw = find_written_date(text, day_first=day_first)
        if not date and source != "text" and len(text) <= LONGEST_FOREIGN:
            date, raw = read_date(text, day_first=day_first, language=code[:2]), text
        add(name, date, "" if source == "url" else raw, source)
        if "date_published" in found:
            break
    return found


def _declared(declared: Declared, subject: Subject) -> Iterator[tuple[str, str, str]]:
    for entity in (subject.main, subject.page):
        if entity is not None:
            yield "date_published", entity.source, entity.text("datePublished")
            yield "date_modified", entity.source, entity.text("dateModified")
            yield "date_published", entity.source, entity.text("dateCreated", "uploadDate")
    for field, names in (("date_published", _PUBLISHED), ("date_modified", _MODIFIED)):
        for name in names:
            for content in declared.metas.get(name, ())[:1]:
                yield field, name, content


def _shown(visible: Visible, url: str) -> Iterator[tuple[str, str, str]]:
    for source, text, is_change in visible.dates():
        yield ("date_modified" if is_change else "date_published"), source, text
    yield "date_published", "url", url_date(url)
