"""The report as text: a line for the log, a table for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from scrapy_boilerplate.tools.report.crawl_figures import CrawlFigures, SiteFigures, confidence_of
from scrapy_boilerplate.tools.tables import counted, number_text, printable, table

_HEAD = ("site", "pages", "article", "confidence", "by model", "state", "learned")
_MOST_IN_LINE = 3  # sites that a line of the log names


def report_line(figures: CrawlFigures, *, most: int = _MOST_IN_LINE) -> str:
    """Return one line about a crawl so far, with the sites that have most pages.

    >>> from scrapy_boilerplate import extract
    >>> figures = CrawlFigures("news")
    >>> figures.add("a.example", "https://a.example/", extract("<p>Rain.", extractor="mss"))
    >>> report_line(figures, most=0)
    '1 page of 1 site, article 100 %'
    """
    total = figures.total()
    parts = [f"{counted(total.pages, 'page')} of {counted(len(figures.sites), 'site')}"]
    parts = [", ".join([*parts, *_shares(total)])]
    for site, each in figures.ordered()[:most]:
        own = [] if len(figures.sites) == 1 else [counted(each.pages, "page"), *_shares(each)]
        learned = f" ({each.learned})" if each.learned else ""
        parts.append(f"{site}: {', '.join([*own, each.state])}{learned}")
    return printable("; ".join([*parts, *_least(figures, most)]))


def _least(figures: CrawlFigures, most: int) -> Iterator[str]:
    pages = (page for _, each in figures.ordered()[:most] for page in each.lookouts.values())
    worst = min(pages, key=confidence_of, default=None)
    if worst is not None:
        why = f"{worst.why} {_sure(worst.confidence, '')}".rstrip()
        yield f"to check: {worst.url} ({why})"


def _shares(figures: SiteFigures) -> Iterator[str]:
    yield f"article {_percent(figures.article_share)}"
    if figures.mean_confidence is not None:
        yield f"confidence {_sure(figures.mean_confidence)}"
    if figures.change is not None:
        yield f"text {_change(figures)} by models"


def report_text(figures: CrawlFigures, *, most: int = 50) -> str:
    """Return the report as a table, then the pages to check, of the first *most* sites."""
    shown = figures.ordered()[:most]
    rows = [_HEAD, *((site, *_cells(each)) for site, each in shown)]
    lines = [f"{figures.spider}, {_when(figures)}", report_line(figures, most=0), ""]
    lines += table(rows, right=range(1, 5)).splitlines()
    left = len(figures.sites) - most
    if left > 0:
        lines.append(f"… and {counted(left, 'more site')}; --sites shows more")
    if any(each.lookouts for _, each in shown):
        lines += ["", "pages to check, with scrapy boilerplate-inspect URL"]
    for site, each in shown:
        lines += [site] if each.lookouts else []
        for page in each.ordered_lookouts():
            lines.append(f"  {_sure(page.confidence, '    ')}  {page.url}  {page.why}")
    return "".join(f"{printable(line)}\n" for line in lines)


def _cells(each: SiteFigures) -> Iterator[str]:
    yield number_text(each.pages)
    yield _percent(each.article_share)
    yield _sure(each.mean_confidence)
    yield from (_change(each), each.state, each.learned)


def _change(figures: SiteFigures) -> str:
    return "-" if figures.change is None else f"{100 * figures.change:+.0f} %"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _sure(confidence: float | None, unknown: str = "-") -> str:
    """Return a confidence with two digits; never 1.00, which would claim certainty."""
    return unknown if confidence is None else f"{min(confidence, 0.99):.2f}"


def _when(figures: CrawlFigures) -> str:
    start, end = (time.replace("T", " ")[:16] for time in (figures.started, figures.updated))
    end = end[11:] if end[:10] == start[:10] else end
    span = start if start.endswith(end) else f"{start} to {end}"
    return f"{span} UTC ({figures.finished or 'not finished'})"
