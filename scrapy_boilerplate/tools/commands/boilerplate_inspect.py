"""``scrapy boilerplate-inspect``: a page as the project's crawl sees it, in the inspector."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from contextlib import ExitStack
from pathlib import Path

from scrapy.settings import BaseSettings

from scrapy_boilerplate.learn.stores import open_store
from scrapy_boilerplate.plugin.settings import read, store_address
from scrapy_boilerplate.tools.cli.arguments import add_inspector_arguments
from scrapy_boilerplate.tools.cli.inspecting import run_inspect
from scrapy_boilerplate.tools.commands.project import (
    ProjectCommand,
    project_method,
    project_overrides,
)

__all__ = ["Command"]


class Command(ProjectCommand):
    usage = "[options] URL|FILE"
    about = "Show in the browser what is kept of a page and why (scrapy_boilerplate)"
    misuse = ValueError

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        add_inspector_arguments(parser)

    def work(self, args: list[str], opts: Namespace, settings: BaseSettings) -> int:
        opts.rules = opts.rules or read(settings, "BOILERPLATE_SITE_RULES")
        address, most = store_address(settings), read(settings, "BOILERPLATE_SITE_FREEZE_PAGES")
        with ExitStack() as stack:
            store = None
            if "://" in address or Path(address).exists():
                store = stack.enter_context(open_store(address, most))
            return run_inspect(
                opts,
                settings=project_overrides(settings),
                method=project_method(settings),
                key=read(settings, "BOILERPLATE_SITE_KEY"),
                store=store,
                project=True,
            )
