"""The report as one HTML page: nothing runs in it, nothing is loaded from outside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from scrapy_boilerplate.tools.report.figures import CrawlFigures, Lookout, SiteFigures
from scrapy_boilerplate.tools.report.svg import bars, histogram, pairs
from scrapy_boilerplate.tools.report.text import learned_text, number_text, percent, when

MOST_DRAWN = 30
"""Sites that a plot shows."""

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

STYLE = """
:root { color-scheme: light dark; --back: #fff; --text: #1b1b1b; --line: #c8c8c8; --soft: #f3f3f3;
  --link: #0b57a4; --bar: #0b62c4; --rest: #d5d9de; --before: #c46a0b }
@media (prefers-color-scheme: dark) { :root { --back: #1c1d1f; --text: #e8e8e8; --line: #4a4c50;
  --soft: #292b2e; --link: #8ab8f5; --bar: #6db3ff; --rest: #45494f; --before: #f0a355 } }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; font: 15px/1.45 system-ui, sans-serif;
  color: var(--text); background: var(--back) }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem }
dl { display: flex; flex-wrap: wrap; gap: .6rem; margin: 1rem 0 }
dl div { background: var(--soft); padding: .5rem .9rem; border-radius: 4px }
dd { margin: 0; font-size: 1.25rem }
svg { width: 100%; height: auto; max-width: 45rem; display: block }
svg text { font: 12px system-ui, sans-serif; fill: var(--text) }
.bar, .after { fill: var(--bar) } .rest { fill: var(--rest) } .before { fill: var(--before) }
.axis { stroke: var(--line) } .change { stroke: var(--bar); stroke-width: 2 }
div.wide { overflow-x: auto }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .2rem .5rem; border-bottom: 1px solid var(--line);
  overflow-wrap: anywhere; vertical-align: top }
td.n, th.n { text-align: right; white-space: nowrap }
a { color: var(--link) }
"""


def report_html(figures: CrawlFigures) -> str:
    """Return the report as a page in one file, light or dark as the reader's system is.

    >>> made = report_html(CrawlFigures("news"))
    >>> "<script" in made, "src=" in made
    (False, False)
    """
    title = f"Crawl of {figures.spider}"
    return "".join(
        (
            '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">',
            '<meta name="referrer" content="no-referrer">',
            '<meta name="viewport" content="width=device-width">',
            f"<title>{escape(title)}</title><style>{STYLE}</style></head><body><main>",
            f"<h1>{escape(title)}</h1><p>{escape(when(figures))}</p>",
            *_summary(figures),
            *_plots(figures),
            *_table(figures),
            *_lookouts(figures),
            "</main></body></html>\n",
        )
    )


def _summary(figures: CrawlFigures) -> Iterator[str]:
    total = figures.total()
    sure = total.mean_confidence
    yield "<dl>"
    for name, value in (
        ("sites", number_text(len(figures.sites))),
        ("pages", number_text(total.pages)),
        ("with an article", percent(total.article_share)),
        ("mean confidence", "-" if sure is None else f"{sure:.2f}"),
        ("repeated text, method alone", percent(total.repeated_before)),
        ("with site models", percent(total.repeated_after)),
    ):
        yield f"<div><dt>{name}</dt><dd>{value}</dd></div>"
    yield "</dl>"


def _plots(figures: CrawlFigures) -> Iterator[str]:
    ordered = figures.ordered()[:MOST_DRAWN]
    if not ordered:
        return
    yield "<h2>Pages, and how many hold an article</h2>"
    yield bars(
        "Pages of each site; the dark part holds an article",
        [
            (
                *(site, each.pages, each.article_share),
                f"{number_text(each.pages)}, {percent(each.article_share)}",
            )
            for site, each in ordered
        ],
    )
    total = figures.total()
    if total.rated:
        yield "<h2>Confidence: pages in each tenth</h2>"
        yield histogram("Number of pages by confidence", total.confidences)
    changes = [
        (
            *(site, each.repeated_before, each.repeated_after),
            f"{percent(each.repeated_before)} → {percent(each.repeated_after)}",
        )
        for site, each in ordered
        if each.repeated_before is not None and each.repeated_after is not None
    ]
    if changes:
        yield "<h2>Repeated text: by the method alone, and with what was learned</h2>"
        yield pairs("Share of the kept text that stands on other pages of the site too", changes)


def _table(figures: CrawlFigures) -> Iterator[str]:
    names = ("pages", "article", "confidence", "repeated before", "after")
    yield "<h2>Sites</h2><div class=wide><table><thead><tr><th>site</th>"
    yield "".join(f"<th class=n>{name}</th>" for name in names)
    yield "<th>state</th><th>what was learned</th></tr></thead><tbody>"
    for site, each in figures.ordered():
        yield f"<tr><td>{escape(site)}</td>"
        yield "".join(f"<td class=n>{value}</td>" for value in _numbers(each))
        yield f"<td>{escape(each.state)}</td><td>{escape(learned_text(each.learned))}</td></tr>"
    yield "</tbody></table></div>"


def _numbers(each: SiteFigures) -> Iterator[str]:
    yield number_text(each.pages)
    yield percent(each.article_share)
    yield "-" if each.mean_confidence is None else f"{each.mean_confidence:.2f}"
    for share in (each.repeated_before, each.repeated_after):
        yield "-" if share is None else percent(share)


def _lookouts(figures: CrawlFigures) -> Iterator[str]:
    shown = [(site, each) for site, each in figures.ordered() if each.lookouts]
    if shown:
        yield "<h2>Pages to look at</h2><p><code>scrapy boilerplate-inspect URL</code> shows "
        yield "what was kept of one, and why.</p>"
    for site, each in shown:
        yield f"<h3>{escape(site)}</h3><ul>{''.join(_items(each.lookouts))}</ul>"


def _items(pages: Iterable[Lookout]) -> Iterator[str]:
    for page in sorted(pages, key=lambda each: 1.0 if each.confidence is None else each.confidence):
        sure = "" if page.confidence is None else f" ({page.confidence:.2f})"
        yield f"<li>{_link(page.url)}: {escape(page.why)}{sure}</li>"


def _link(url: str) -> str:
    """Return a link, if the address is one of the web; a page may have any."""
    if not url.lower().startswith(("http://", "https://")):
        return escape(url)
    return f'<a href="{escape(url)}" rel="noreferrer noopener">{escape(url)}</a>'
