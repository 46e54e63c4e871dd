"""The settings of the Scrapy side: names, types, defaults and meanings in one table."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy.exceptions import ScrapyDeprecationWarning

from scrapy_boilerplate.core.names import unknown
from scrapy_boilerplate.core.page.budget import MAX_NODES

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


class Setting(NamedTuple):
    """One row of the table."""

    default: object
    """Value when the setting is absent or ``None``."""

    type: str
    """The type of its value, one of the keys of ``_READERS``."""

    meaning: str
    """One line for the documentation."""


SETTINGS: dict[str, Setting] = {
    "BOILERPLATE_ENABLED": Setting(True, "bool", "Whether the plugin's components do anything."),
    "BOILERPLATE_EXTRACTOR": Setting(
        "auto", "extractor", "Name of the extractor, or an extractor instance."
    ),
    "BOILERPLATE_OPTIONS": Setting(
        {}, "dict", "Options of `BOILERPLATE_EXTRACTOR`, and switches for all extractors."
    ),
    "BOILERPLATE_FIELDS": Setting(
        {"text": "text"},
        "dict",
        "Which item fields to fill: field → output. `{}` fills nothing by default.",
    ),
    "BOILERPLATE_HTML_FIELD": Setting(
        None, "str", "Item field with raw HTML, which is read instead of the response."
    ),
    "BOILERPLATE_MAX_BODY": Setting(
        50_000_000, "int", "Size in bytes of the largest body that is read. 0 means no limit."
    ),
    "BOILERPLATE_MAX_NODES": Setting(
        MAX_NODES,
        "int",
        "Number of tags that are read of a page, from its beginning. 0 means no limit.",
    ),
    "BOILERPLATE_REPORT": Setting(
        True,
        "file",
        "Whether a report of each crawl is gathered and logged, or the file it is written to. "
        "Default: `boilerplate/report.json` in the job directory, else "
        "`boilerplate/report-<spider>.json` in `.scrapy`.",
    ),
    "BOILERPLATE_STRIP": Setting(
        False,
        "bool",
        "Whether scripts and styles are cut from responses before they are parsed.",
    ),
    "BOILERPLATE_SITES": Setting(True, "bool", "Whether sites are learned while crawling."),
    "BOILERPLATE_SITE_KEY": Setting(
        "host",
        "key",
        "What counts as a site: `host`, `domain`, `path`, or a function of the address.",
    ),
    "BOILERPLATE_SITE_STORE": Setting(
        None,
        "str",
        "Where sites are kept: a file, or `redis://…`. Default: `boilerplate/sites.sqlite` in the "
        "job directory, else in `.scrapy`.",
    ),
    "BOILERPLATE_SITE_RULES": Setting(
        None, "str", "JSON or YAML file of rules written by hand. They win over what is learned."
    ),
    "BOILERPLATE_SITE_FREEZE_PAGES": Setting(20, "int", "Pages after which a site is learned."),
    "BOILERPLATE_SITE_HOLD": Setting(
        True, "bool", "Whether items are held until their site is learned, to get the better text."
    ),
    "BOILERPLATE_SITE_HOLD_SECONDS": Setting(
        120, "int", "Most seconds that a site's items are held."
    ),
}
"""Every setting by its name."""

DEPRECATED = {"BOILERPLATE_SITE_LOCK_PAGES": "BOILERPLATE_SITE_FREEZE_PAGES"}
"""Old name of a setting: new name. The old name works, with a warning, if the new one is not
set."""

_FIXED = "it is fixed now, leave it out"

REMOVED = {
    "BOILERPLATE_FALLBACK_ITEM_PROCESSOR": "leave it out: the add-on keeps your ITEM_PROCESSOR",
    "BOILERPLATE_STRIP_ELEMENTS": "script and style are cut; cut others in a middleware, with "
    "scrapy_boilerplate.core.strip.strip_elements()",
    "BOILERPLATE_STRIP_KEEP_TYPES": "types other than JavaScript and CSS stay; to keep more, set "
    "BOILERPLATE_STRIP = False, or meta={'boilerplate': {'strip': False}} in the requests",
    "BOILERPLATE_SITE_FORGET": "run `scrapy boilerplate-sites forget --all` before the crawl",
    "BOILERPLATE_SITE_STORE_BYTES": f"{_FIXED} (1 GiB)",
    "BOILERPLATE_SITE_FLUSH_SECONDS": f"{_FIXED} (60 seconds)",
    "BOILERPLATE_SITE_HOLD_PAGES": f"{_FIXED} (25 pages); BOILERPLATE_SITE_HOLD_SECONDS bounds "
    "the wait, and BOILERPLATE_SITE_HOLD = False holds nothing",
    "BOILERPLATE_SITE_HOLD_BYTES": f"{_FIXED} (256 MB on disk)",
    "BOILERPLATE_SITE_HOLD_MEMORY": f"{_FIXED} (32 MB)",
}
"""Settings that are gone, with what to do instead. Any of them stops the crawl at its start."""

_READERS: dict[str, tuple[str, str, Callable[[Any, Any], object]]] = {
    "bool": ("getbool", "True or False", lambda result, _: True),
    "int": (
        "getint",
        "a whole number, 0 or more",
        lambda result, value: 0 <= result == (int(value) if isinstance(value, str) else value),
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


def is_set(settings: BaseSettings, name: str) -> bool:
    """Return whether a setting of the table is set, by its name or an old one."""
    return settings.get(_name_in_use(settings, name)) is not None


def read(settings: BaseSettings, name: str) -> Any:
    """Return the value of a setting of the table, checked.

    Raises :exc:`ValueError`, which says what the value must be, for one of the wrong type.
    """
    row, name = SETTINGS[name], _name_in_use(settings, name)
    value = settings.get(name)
    if value is None or value == row.default:
        return row.default
    if name == "BOILERPLATE_STRIP" and value == "auto":
        message = f"{name} = 'auto' cuts nothing any more: set it to True, or leave it out"
        warnings.warn(message, ScrapyDeprecationWarning, stacklevel=1)
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


def read_valid(settings: BaseSettings, name: str) -> Any:
    """Return the value of a setting, or its default if the value is wrong."""
    try:
        return read(settings, name)
    except ValueError:
        return SETTINGS[name].default


def mistakes(settings: BaseSettings) -> Iterator[str]:
    """Yield a message for each wrong name or value of our settings."""
    for name in settings:
        if name in REMOVED:
            yield f"The setting {name} is gone: {REMOVED[name]}"
        elif name.startswith("BOILERPLATE_") and name not in SETTINGS and name not in DEPRECATED:
            yield unknown("setting", name, SETTINGS)
    for name in SETTINGS:
        try:
            read(settings, name)
        except ValueError as error:  # noqa: PERF203 - all of them are wanted
            yield str(error)


def _name_in_use(settings: BaseSettings, name: str) -> str:
    """Return the old name of a setting, with a warning, if only that is set, else *name*."""
    for old, new in DEPRECATED.items():
        if new == name and settings.get(old) is not None and settings.get(new) is None:
            message = f"The setting {old} is deprecated, use {new}"
            warnings.warn(message, ScrapyDeprecationWarning, stacklevel=1)  # once, whoever reads
            return old
    return name
