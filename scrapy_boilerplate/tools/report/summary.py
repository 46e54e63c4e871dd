"""The report as text: a line for the log, a table for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scrapy_boilerplate.tools.report.crawl_figures import CrawlFigures, Learned, SiteFigures
from scrapy_boilerplate.tools.tables import counted, number_text, table

COLUMNS = ("site", "pages", "article", "confidence", "repeated", "state", "learned")
"""Columns of the table of sites."""

MOST_IN_LINE = 3
"""Sites that a line of the log names."""


def report_line(figures: CrawlFigures, *, most: int = MOST_IN_LINE) -> str:
    """Return one line about a crawl so far, with the sites that have most pages.

    >>> from scrapy_boilerplate import extract
    >>> figures = CrawlFigures("news")
    >>> figures.add("a.example", "https://a.example/", extract("<p>Rain.", extractor="mss"))
    >>> figures.count_repeats()
    >>> report_line(figures, most=0)
    '1 page of 1 site, article 100 %, repeated text 0 % → 0 %'
    """
    total = figures.total()
    parts = [f"{counted(total.pages, 'page')} of {counted(len(figures.sites), 'site')}"]
    parts = [", ".join([*parts, *_shares(total)])]
    for site, each in figures.ordered()[:most]:
        own = [] if len(figures.sites) == 1 else [counted(each.pages, "page"), *_shares(each)]
        learned = f" ({learned_text(each.learned)})" if each.learned is not None else ""
        parts.append(f"{site}: {', '.join([*own, each.state])}{learned}")
    return "; ".join([*parts, *_least(figures, most)])


def _least(figures: CrawlFigures, most: int) -> Iterator[str]:
    """Yield the page that most needs a check, if there is any."""
    pages = [page for _, each in figures.ordered()[:most] for page in each.lookouts]
    worst = min(pages, key=lambda page: (page.confidence is None, page.confidence), default=None)
    if worst is not None:
        why = f"{worst.why} {sure_text(worst.confidence, '')}".rstrip()
        yield f"to check: {worst.url} ({why})"


def _shares(figures: SiteFigures) -> Iterator[str]:
    yield f"article {percent(figures.article_share)}"
    if figures.mean_confidence is not None:
        yield f"confidence {sure_text(figures.mean_confidence)}"
    if figures.repeated_after is not None:
        yield f"repeated text {change(figures)}"


def report_text(figures: CrawlFigures, *, most: int = 50) -> str:
    """Return the report as a table, then the pages to check, of the first *most* sites."""
    rows = [[*COLUMNS], *table_rows(figures.ordered()[:most])]
    lines = [f"{figures.spider}, {when(figures)}", report_line(figures, most=0), ""]
    lines += table(rows, right=range(1, 5)).splitlines()
    left = len(figures.sites) - most
    if left > 0:
        lines.append(f"… and {counted(left, 'more site')}; --sites shows more")
    return "\n".join([*lines, *_lookouts(figures, most)]) + "\n"


def table_rows(sites: Iterable[tuple[str, SiteFigures]]) -> Iterator[list[str]]:
    """Yield the cells of each site, by :data:`COLUMNS`."""
    for site, each in sites:
        yield [
            site,
            number_text(each.pages),
            percent(each.article_share),
            sure_text(each.mean_confidence),
            "-" if each.repeated_after is None else change(each),
            each.state,
            learned_text(each.learned),
        ]


def _lookouts(figures: CrawlFigures, most: int) -> Iterator[str]:
    shown = figures.lookouts(most)
    if shown:
        yield "\npages to check, with scrapy boilerplate-inspect URL"
    for site, pages in shown:
        yield site
        for page in pages:
            yield f"  {sure_text(page.confidence, '    ')}  {page.url}  {page.why}"


def learned_text(learned: Learned | None) -> str:
    """Return what was learned of a site, in words.

    >>> learned_text(Learned(20, ("div.post",), 1, 12, 3))
    'div.post; 12 repeated texts, 3 paths'
    """
    if learned is None:
        return ""
    counts = [
        counted(number, what)
        for number, what in (
            (learned.repeats, "repeated text"),
            (learned.paths, "path"),
            (learned.sources, "hidden source"),
            (learned.templates if learned.templates > 1 else 0, "template"),
        )
        if number
    ]
    return "; ".join(filter(None, (", ".join(learned.containers), ", ".join(counts))))


def change(figures: SiteFigures) -> str:
    """Return the share of repeated text: with the method alone → with what was learned."""
    before, after = figures.repeated_before, figures.repeated_after
    return f"{percent(before)} → {percent(after)}"


def percent(share: float | None) -> str:
    """Return a share in percent."""
    return "?" if share is None else f"{100 * share:.0f} %"


def sure_text(confidence: float | None, unknown: str = "-") -> str:
    """Return a confidence with two digits; never 1.00, which would claim certainty."""
    return unknown if confidence is None else f"{min(confidence, 0.99):.2f}"


def when(figures: CrawlFigures) -> str:
    """Return the time that the figures cover, and how the crawl ended."""
    start, end = (time.replace("T", " ")[:16] for time in (figures.started, figures.updated))
    end = end[11:] if end[:10] == start[:10] else end
    span = start if start.endswith(end) else f"{start} to {end}"
    return f"{span} UTC ({figures.finished or 'not finished'})"
