"""``scrapy boilerplate-inspect``: a page as the project's crawl sees it, in the inspector."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from contextlib import ExitStack
from pathlib import Path

from scrapy.commands import ScrapyCommand
from scrapy.utils.project import data_path

from scrapy_boilerplate.learn.stores import StoreError, open_store
from scrapy_boilerplate.plugin.extensions import store_address
from scrapy_boilerplate.plugin.settings import read
from scrapy_boilerplate.tools.cli.arguments import add_inspector_arguments
from scrapy_boilerplate.tools.cli.sources import SourceError
from scrapy_boilerplate.tools.commands.project import project_method, project_overrides
from scrapy_boilerplate.tools.inspector.running import run_inspect

__all__ = ["Command"]


class Command(ScrapyCommand):
    """Shows what was kept of a page and why, and writes rules for its site."""

    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}  # noqa: RUF012 - like Scrapy's own commands

    def syntax(self) -> str:
        """Return the usage, after the command's name."""
        return "[options] URL|FILE"

    def short_desc(self) -> str:
        """Return the line of ``scrapy --help``."""
        return "Show in the browser what is kept of a page and why (scrapy_boilerplate)"

    def add_options(self, parser: ArgumentParser) -> None:
        """Add our options to Scrapy's."""
        super().add_options(parser)
        add_inspector_arguments(parser)

    def run(self, args: list[str], opts: Namespace) -> None:
        """Show the page, with what the project's store knows of its site."""
        assert self.settings is not None  # Scrapy sets them before it runs a command
        opts.rules = opts.rules or read(self.settings, "BOILERPLATE_SITE_RULES")
        try:
            with ExitStack() as stack:
                store = None
                address = store_address(self.settings)
                if "://" in address or Path(address).exists():
                    store = open_store(
                        address, read(self.settings, "BOILERPLATE_SITE_FREEZE_PAGES")
                    )
                    stack.callback(store.close)
                self.exitcode = run_inspect(
                    opts,
                    settings=project_overrides(self.settings),
                    method=project_method(self.settings),
                    key=read(self.settings, "BOILERPLATE_SITE_KEY"),
                    store=store,
                    cache=Path(data_path(self.settings["HTTPCACHE_DIR"])),
                    project=True,
                )
        except ValueError as error:
            self._fail(str(error), 2)
        except (SourceError, StoreError, ImportError, OSError) as error:
            self._fail(str(error), 1)

    def _fail(self, message: str, code: int) -> None:
        print("boilerplate-inspect:", " ".join(message.split()), file=sys.stderr)
        self.exitcode = code
