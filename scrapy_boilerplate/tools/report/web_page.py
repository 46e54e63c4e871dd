"""The report as one HTML page: nothing runs in it, nothing is loaded from outside."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from importlib.resources import files

from scrapy_boilerplate.tools.report.crawl_figures import BINS, CrawlFigures
from scrapy_boilerplate.tools.report.summary import (
    COLUMNS,
    change,
    percent,
    sure_text,
    table_rows,
    when,
)
from scrapy_boilerplate.tools.tables import number_text

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def report_html(figures: CrawlFigures) -> str:
    """Return the report as a page in one file, light or dark as the reader's system is.

    >>> made = report_html(CrawlFigures("news"))
    >>> "<script" in made, "src=" in made
    (False, False)
    """
    title = f"Crawl of {figures.spider}"
    style = (files(__package__) / "assets/report.css").read_text(encoding="utf-8")
    return "".join(
        (
            '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">',
            '<meta name="referrer" content="no-referrer">',
            '<meta name="viewport" content="width=device-width">',
            f"<title>{escape(title)}</title><style>{style}</style></head><body><main>",
            f"<h1>{escape(title)}</h1><p>{escape(when(figures))}</p>",
            *_summary(figures),
            *_confidences(figures),
            *_table(figures),
            *_lookouts(figures),
            "</main></body></html>\n",
        )
    )


def _summary(figures: CrawlFigures) -> Iterator[str]:
    total = figures.total()
    yield "<dl>"
    for name, value in (
        ("site" if len(figures.sites) == 1 else "sites", number_text(len(figures.sites))),
        ("page" if total.pages == 1 else "pages", number_text(total.pages)),
        ("with an article", percent(total.article_share)),
        ("mean confidence", sure_text(total.mean_confidence)),
        ("repeated text", "-" if total.repeated_after is None else change(total)),
    ):
        yield f"<div><dt>{name}</dt><dd>{value}</dd></div>"
    yield "</dl>"


def _confidences(figures: CrawlFigures) -> Iterator[str]:
    total = figures.total()
    if not total.rated:
        return
    yield "<h2>Pages by confidence</h2><div class=columns role=img "
    yield f'aria-label="{", ".join(map(str, total.confidences))}">'
    most = max(total.confidences)
    for number, pages in enumerate(total.confidences):
        tall, beginning = f"{70 * pages / most:.0f}%", f"{number / BINS:.1f}"
        count = number_text(pages) if pages else ""
        yield f'<span>{count}<i style="height: {tall}"></i>{beginning}</span>'
    yield "</div>"


def _table(figures: CrawlFigures) -> Iterator[str]:
    yield "<h2>Sites</h2><div class=wide><table><thead><tr>"
    yield "".join(f"<th{_kind(at)}>{name}</th>" for at, name in enumerate(COLUMNS))
    yield "</tr></thead><tbody>"
    for row in table_rows(figures.ordered()):
        yield "<tr>"
        for at, cell in enumerate(row):
            name = COLUMNS[at]
            bar = f' style="--long: {cell.replace(" ", "")}"' if name == "article" else ""
            yield f'<td{_kind(at, bool(bar))}{bar} data-name="{name}">{escape(cell)}</td>'
        yield "</tr>"
    yield "</tbody></table></div>"


def _kind(at: int, is_bar: bool = False) -> str:
    return f' class="n{" bar" if is_bar else ""}"' if 0 < at < 5 else ""


def _lookouts(figures: CrawlFigures) -> Iterator[str]:
    shown = figures.lookouts()
    if shown:
        yield "<h2>Pages to check</h2><p><code>scrapy boilerplate-inspect URL</code> shows "
        yield "what was kept and why.</p>"
    for site, pages in shown:
        yield f"<h3>{escape(site)}</h3><ul>"
        for page in pages:
            sure = "" if page.confidence is None else f" ({sure_text(page.confidence)})"
            yield f"<li>{_link(page.url)}: {escape(page.why)}{sure}</li>"
        yield "</ul>"


def _link(url: str) -> str:
    """Return a link, if the address is one of the web; a page may have any."""
    if not url.lower().startswith(("http://", "https://")):
        return escape(url)
    shown = escape(url).replace("/", "/<wbr>")
    return f'<a href="{escape(url)}" rel="noreferrer noopener">{shown}</a>'
