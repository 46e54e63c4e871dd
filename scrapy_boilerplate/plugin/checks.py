"""Checks before a crawl begins, with one message for all mistakes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_boilerplate.learn.rule_files import load_rules
from scrapy_boilerplate.learn.stores import StoreError, open_store
from scrapy_boilerplate.plugin.errors import stop
from scrapy_boilerplate.plugin.settings import default_store, mistakes, read_valid

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from scrapy_boilerplate.plugin.choices import Chooser


def check(settings: BaseSettings, chooser: Chooser) -> None:
    """Check the settings, the spider and all that they name.

    Raises :exc:`~scrapy_boilerplate.plugin.errors.ConfigurationError`, which stops the crawl, with
    every mistake.
    """
    stop(
        [
            *mistakes(settings),
            *chooser.mistakes(),
            *_wrong_paths(settings),
            *_wrong_report(settings),
        ]
    )


def _wrong_report(settings: BaseSettings) -> Iterator[str]:
    """Yield why the file of the report could not be written."""
    report = read_valid(settings, "BOILERPLATE_REPORT")
    if not isinstance(report, str):
        return
    path, why = Path(report), ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            why = "it is a folder"
        elif not os.access(path.parent, os.W_OK):
            why = "no right to write there"
    except OSError as error:
        why = error.strerror or str(error)
    if why:
        yield (
            f"BOILERPLATE_REPORT: cannot write {report} ({why}); give the path of a file, "
            "or False for no report"
        )


def _wrong_paths(settings: BaseSettings) -> Iterator[str]:
    """Yield why the file of rules cannot be read and why the store cannot be opened."""
    if not read_valid(settings, "BOILERPLATE_SITES"):
        return
    rules = read_valid(settings, "BOILERPLATE_SITE_RULES")
    named, default = read_valid(settings, "BOILERPLATE_SITE_STORE"), default_store(settings)
    try:
        if rules is not None:
            load_rules(rules)
    except ValueError as error:
        yield f"BOILERPLATE_SITE_RULES: {error}"
    try:
        if named is not None or Path(default).exists():
            open_store(named or default).close()
    except (StoreError, ValueError, OSError) as error:
        yield f"BOILERPLATE_SITE_STORE: {error}"
