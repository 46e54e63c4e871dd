"""The settings of the Scrapy side: names, types, defaults and meanings in one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy.utils.job import job_dir
from scrapy.utils.project import data_path

from scrapy_boilerplate.core.names import unknown
from scrapy_boilerplate.core.page.budget import MAX_NODES
from scrapy_boilerplate.learn.options import FREEZE_PAGES, LearningOptions

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


LEAST_PAGES = LearningOptions().safe_pages
"""Fewest pages after which a site may be learned."""


class Setting(NamedTuple):
    """One row of the table."""

    default: object
    """Value when the setting is absent or ``None``."""

    type: str
    """The type of its value, one of the keys of ``_READERS``."""

    meaning: str
    """One line for the documentation."""


SETTINGS: dict[str, Setting] = {
    "BOILERPLATE_ENABLED": Setting(True, "bool", "Whether the plugin is enabled."),
    "BOILERPLATE_EXTRACTOR": Setting(
        "auto", "extractor", "Name of the method, or a method object."
    ),
    "BOILERPLATE_OPTIONS": Setting(
        {}, "dict", "Options of `BOILERPLATE_EXTRACTOR`, and switches for all methods."
    ),
    "BOILERPLATE_FIELDS": Setting(
        {"text": "text"},
        "dict",
        "Item fields to fill: field → output. `{}` fills nothing by default.",
    ),
    "BOILERPLATE_HTML_FIELD": Setting(
        None, "str", "Item field with HTML that replaces the response."
    ),
    "BOILERPLATE_MAX_BODY": Setting(
        50_000_000, "int", "Largest body that is read, in bytes. 0 means no limit."
    ),
    "BOILERPLATE_MAX_NODES": Setting(
        MAX_NODES,
        "int",
        "Number of tags read from the beginning of a page. 0 means no limit.",
    ),
    "BOILERPLATE_REPORT": Setting(
        True,
        "file",
        "Whether a report of each crawl is written and logged, or the file of the report. "
        "Default: `boilerplate/report.json` in the job directory, otherwise "
        "`boilerplate/report-<spider>.json` in `.scrapy`.",
    ),
    "BOILERPLATE_STRIP": Setting(
        False, "bool", "Whether scripts and styles are stripped from responses before parsing."
    ),
    "BOILERPLATE_SITES": Setting(True, "bool", "Whether sites are learned while crawling."),
    "BOILERPLATE_SITE_KEY": Setting(
        "host",
        "key",
        "What counts as a site: `host`, `domain`, `path`, or a function of the URL.",
    ),
    "BOILERPLATE_SITE_STORE": Setting(
        None,
        "str",
        "Store of learned sites: a file, or `redis://…`. Default: `boilerplate/sites.sqlite` in "
        "the job directory, otherwise in `.scrapy`.",
    ),
    "BOILERPLATE_SITE_RULES": Setting(
        None, "str", "JSON file of rules, which add to what is learned."
    ),
    "BOILERPLATE_SITE_FREEZE_PAGES": Setting(
        FREEZE_PAGES, "pages", "Number of pages after which a site is learned, 8 or more."
    ),
}
"""Every setting by its name."""

_READERS: dict[str, tuple[str, str, Callable[[Any, Any], object]]] = {
    "bool": ("getbool", "True or False", lambda result, _: True),
    "int": ("getint", "a whole number, 0 or more", lambda result, value: _is_count(result, value)),
    "pages": (
        "getint",
        f"a whole number, {LEAST_PAGES} or more",
        lambda result, value: _is_count(result, value, LEAST_PAGES),
    ),
    "dict": ("getdict", "a dict, or a JSON object on the command line", lambda result, _: True),
    "str": (
        "get",
        "a string that is not empty",
        lambda result, _: isinstance(result, str) and result,
    ),
    "file": (
        "get",
        "True, False or the path of a file",
        lambda result, _: isinstance(result, (bool, str)) and result != "",
    ),
    "extractor": ("get", "an extractor's name or an extractor", lambda result, _: True),
    "key": (
        "get",
        "host, domain, path or a function",
        lambda result, _: callable(result) or result in ("host", "domain", "path"),
    ),
}
"""By type: the method of Scrapy's settings that reads it, what a value must be, and whether what
was read of a value is right."""

_SWITCHED = {"true": True, "1": True, "false": False, "0": False}
"""What the command line can say for True and False."""


def _is_count(result: int, value: object, least: int = 0) -> bool:
    """Return whether *result*, which was read of *value*, is the same whole number."""
    return least <= result == (int(value) if isinstance(value, str) else value)


def read(settings: BaseSettings, name: str) -> Any:
    """Return the value of a setting of the table, checked.

    Raises :exc:`ValueError`, which says what the value must be, for one of the wrong type.
    """
    row, value = SETTINGS[name], settings.get(name)
    if value is None or value == row.default:
        return row.default
    method, wanted, is_right = _READERS[row.type]
    try:
        result = getattr(settings, method)(name)
        if row.type == "file":
            result = _SWITCHED.get(str(result).lower(), result)
        right = result is not None and is_right(result, value)
    except (TypeError, ValueError, OverflowError):  # of infinity
        right = False
    if not right:
        raise ValueError(f"{name} must be {wanted}, not {value!r}")
    return result


def store_address(settings: BaseSettings) -> str:
    """Return where the sites of a project are kept: ``BOILERPLATE_SITE_STORE`` or its default."""
    return read(settings, "BOILERPLATE_SITE_STORE") or default_store(settings)


def default_store(settings: BaseSettings) -> str:
    """Return the file for the sites of a project that names no other."""
    folder = job_dir(settings)
    if folder is not None:
        return str(Path(folder, "boilerplate", "sites.sqlite"))
    return data_path("boilerplate/sites.sqlite", createdir=False)


def read_valid(settings: BaseSettings, name: str) -> Any:
    """Return the value of a setting, or its default if the value is wrong."""
    try:
        return read(settings, name)
    except ValueError:
        return SETTINGS[name].default


def mistakes(settings: BaseSettings) -> Iterator[str]:
    """Yield a message for each wrong name or value of our settings."""
    for name in settings:
        if name.startswith("BOILERPLATE_") and name not in SETTINGS:
            yield unknown("setting", name, SETTINGS)
    for name in SETTINGS:
        try:
            read(settings, name)
        except ValueError as error:  # noqa: PERF203 - all of them are wanted
            yield str(error)
