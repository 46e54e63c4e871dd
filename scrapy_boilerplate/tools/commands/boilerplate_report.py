"""``scrapy boilerplate-report``: what a crawl has found, site by site."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from scrapy.settings import BaseSettings

from scrapy_boilerplate.tools.commands.project import ProjectCommand
from scrapy_boilerplate.tools.report.crawl_figures import CrawlFigures
from scrapy_boilerplate.tools.report.extension import newest_report, read_report
from scrapy_boilerplate.tools.report.summary import report_text

__all__ = ["Command"]


class Command(ProjectCommand):
    usage = "[FILE ...] [options]"
    about = "Show what a crawl has found on each site (scrapy_boilerplate)"

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--sites", type=int, default=50, help="number of sites to show (default: 50)"
        )

    def work(self, args: list[str], opts: Namespace, settings: BaseSettings) -> int:
        print(report_text(_figures(args, settings), most=opts.sites), end="")
        return 0


def _figures(names: list[str], settings: BaseSettings) -> CrawlFigures:
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
