"""The project that the commands run in: its settings, and what all our commands share."""

from __future__ import annotations

from argparse import Namespace
from typing import Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from scrapy_boilerplate.core.api import choose_method
from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.learn.stores import StoreError
from scrapy_boilerplate.plugin.settings import read
from scrapy_boilerplate.tools.cli import failed
from scrapy_boilerplate.tools.cli.inputs import SourceError


class ProjectCommand(ScrapyCommand):
    """A command that says in one line why it cannot run."""

    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}  # noqa: RUF012 - like Scrapy's own commands

    usage: ClassVar[str]
    about: ClassVar[str]  # the line of scrapy --help
    misuse: ClassVar[type[Exception]] = UsageError  # its errors have the exit status 2, not 1

    def syntax(self) -> str:
        return self.usage

    def short_desc(self) -> str:
        return self.about

    def run(self, args: list[str], opts: Namespace) -> None:
        assert self.settings is not None  # Scrapy sets them before it runs a command
        try:
            self.exitcode = self.work(args, opts, self.settings)
        except (UsageError, StoreError, SourceError, ValueError, ImportError, OSError) as error:
            name = self.__module__.rpartition(".")[2].replace("_", "-")
            self.exitcode = failed(name, error, 2 if isinstance(error, self.misuse) else 1)

    def work(self, args: list[str], opts: Namespace, settings: BaseSettings) -> int:
        raise NotImplementedError


def project_method(settings: BaseSettings) -> Extractor:
    extractor: str | Extractor = read(settings, "BOILERPLATE_EXTRACTOR")
    options = read(settings, "BOILERPLATE_OPTIONS") if isinstance(extractor, str) else {}
    return choose_method(extractor, options)[0]


def project_overrides(settings: BaseSettings) -> dict[str, Any]:
    """Return the settings that the command line names, for the process that fetches."""
    highest = SETTINGS_PRIORITIES["cmdline"]
    return {name: settings[name] for name in settings if settings.getpriority(name) == highest}
