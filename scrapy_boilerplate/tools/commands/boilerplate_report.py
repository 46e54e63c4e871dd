"""``scrapy boilerplate-report``: what a crawl has found, site by site."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path

from scrapy.settings import BaseSettings

from scrapy_boilerplate.tools.commands.project import ProjectCommand
from scrapy_boilerplate.tools.report import CrawlFigures, report_html, report_text
from scrapy_boilerplate.tools.report.extension import newest_report, read_report

__all__ = ["Command"]

FORMATS = {".html": "html", ".htm": "html", ".json": "json"}
"""Formats by the ending of the output file."""


class Command(ProjectCommand):
    """Shows the report of the last crawl, or of the files that are named, put together."""

    usage = "[FILE ...] [options]"
    about = "Show what a crawl has found on each site (scrapy_boilerplate)"

    def add_options(self, parser: ArgumentParser) -> None:
        """Add our options to Scrapy's."""
        super().add_options(parser)
        parser.add_argument(
            "--format",
            choices=("text", "json", "html"),
            help="format of the report (default: by the file name, otherwise text)",
        )
        parser.add_argument("-o", "--output", metavar="FILE", help="output file")
        parser.add_argument(
            "--sites", type=int, default=50, help="number of sites in the text (default: 50)"
        )

    def work(self, args: list[str], opts: Namespace, settings: BaseSettings) -> int:
        """Print or write the report."""
        figures = _figures(args, settings)
        form = opts.format or FORMATS.get(Path(opts.output or "").suffix.lower(), "text")
        written = _written(figures, form, opts.sites)
        if opts.output is None:
            print(written, end="")
        else:
            Path(opts.output).write_text(written, encoding="utf-8")
        return 0


def _figures(names: list[str], settings: BaseSettings) -> CrawlFigures:
    """Return the figures of the files, or of the project's last crawl."""
    newest = None if names else newest_report(settings)
    paths = [Path(name) for name in names] if newest is None else [newest]
    if not paths:
        raise ValueError(
            "no crawl of this project has written a report; crawl first, name a file, "
            "or use -s JOBDIR=…"
        )
    first, *others = map(read_report, paths)
    for other in others:
        first.merge(other)
    return first


def _written(figures: CrawlFigures, form: str, sites: int) -> str:
    if form == "html":
        return report_html(figures)
    if form == "json":
        return json.dumps(figures.to_dict(), ensure_ascii=False, indent=2) + "\n"
    return report_text(figures, most=sites)
