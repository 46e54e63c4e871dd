"""The settings of the Scrapy side: names, types, defaults and meanings in one table."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy.exceptions import ScrapyDeprecationWarning

from scrapy_boilerplate.names import unknown
from scrapy_boilerplate.page.budget import MAX_NODES

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

__all__ = [
    "DEPRECATED",
    "SETTINGS",
    "Setting",
    "is_set",
    "mistakes",
    "read",
    "read_valid",
]


class Setting(NamedTuple):
    """One row of the table."""

    default: object
    """Value when the setting is absent or ``None``."""

    type: str
    """What it holds, one of the keys of ``_READERS``."""

    meaning: str
    """One line for the documentation."""


SETTINGS: dict[str, Setting] = {
    "BOILERPLATE_ENABLED": Setting(True, "bool", "Whether any component does anything."),
    "BOILERPLATE_FALLBACK_ITEM_PROCESSOR": Setting(
        "scrapy.pipelines.ItemPipelineManager",
        "class",
        "The item processor behind ours; the add-on puts the project's `ITEM_PROCESSOR` here.",
    ),
    "BOILERPLATE_EXTRACTOR": Setting(
        "auto", "extractor", "Name of the extractor, or an extractor instance."
    ),
    "BOILERPLATE_OPTIONS": Setting({}, "dict", "Options of `BOILERPLATE_EXTRACTOR`."),
    "BOILERPLATE_FIELDS": Setting(
        {"text": "text"},
        "dict",
        "What to fill in: item field → output. `{}` fills nothing by default.",
    ),
    "BOILERPLATE_HTML_FIELD": Setting(
        None, "str", "Item field that holds raw HTML, to be read in place of the response."
    ),
    "BOILERPLATE_MAX_BODY": Setting(
        50_000_000, "int", "Bytes; larger bodies are not read. 0 means no limit."
    ),
    "BOILERPLATE_MAX_NODES": Setting(
        MAX_NODES, "int", "Tags; of a page with more only the beginning is read. 0 means no limit."
    ),
    "BOILERPLATE_STRIP": Setting(
        "auto",
        "switch",
        "Whether scripts and styles are cut from responses before they are parsed; `auto`: if no "
        "code of the project can see them.",
    ),
    "BOILERPLATE_STRIP_ELEMENTS": Setting(
        ["script", "style"], "list", "Elements whose content is cut from responses."
    ),
    "BOILERPLATE_STRIP_KEEP_TYPES": Setting(
        [],
        "list",
        "Scripts and styles of these types stay; those that are no JavaScript or CSS do so anyway.",
    ),
    "BOILERPLATE_SITES": Setting(True, "bool", "Whether sites are learned while crawling."),
    "BOILERPLATE_SITE_KEY": Setting(
        "host", "key", "What a site is: `host`, `domain`, `path`, or a function of the address."
    ),
    "BOILERPLATE_SITE_STORE": Setting(
        None,
        "str",
        "Where sites are kept: a file, or `redis://…`. Default: `boilerplate/sites.sqlite` in the "
        "job directory, else in `.scrapy`.",
    ),
    "BOILERPLATE_SITE_FORGET": Setting(
        False,
        "bool",
        "Whether a crawl begins by forgetting what earlier ones have learned; rules stay.",
    ),
    "BOILERPLATE_SITE_RULES": Setting(
        None, "str", "JSON or YAML file of rules written by hand, which win over what is learned."
    ),
    "BOILERPLATE_SITE_FREEZE_PAGES": Setting(20, "int", "Pages after which a site is learned."),
    "BOILERPLATE_SITE_STORE_BYTES": Setting(
        1 << 30,
        "int",
        "Bytes that the store of sites takes at most; beyond them the sites leave that were not "
        "written for the longest time.",
    ),
    "BOILERPLATE_SITE_FLUSH_SECONDS": Setting(60, "int", "How often the store is written."),
    "BOILERPLATE_SITE_HOLD": Setting(
        True, "bool", "Whether items are held until their site is learned, for the better text."
    ),
    "BOILERPLATE_SITE_HOLD_PAGES": Setting(25, "int", "Pages of a site that are held at the most."),
    "BOILERPLATE_SITE_HOLD_BYTES": Setting(
        256_000_000, "int", "Bytes on disk that held pages and items take at the most."
    ),
    "BOILERPLATE_SITE_HOLD_SECONDS": Setting(
        120, "int", "Seconds that a site's items are held at the most."
    ),
}
"""Every setting by its name."""

DEPRECATED = {"BOILERPLATE_SITE_LOCK_PAGES": "BOILERPLATE_SITE_FREEZE_PAGES"}
"""Old name of a setting: new name. The old one works, with a warning, where the new one is not
set."""

# Type: the method of Scrapy's settings that reads it, what the message of a wrong value asks for.
_READERS = {
    "bool": ("getbool", "True or False"),
    "switch": ("getbool", "True, False or 'auto'"),
    "int": ("getint", "a whole number, 0 or more"),
    "dict": ("getdict", "a dict, or a JSON object on the command line"),
    "list": ("getlist", "a list, or names with commas between them"),
    "str": ("get", "a string that is not empty"),
    "class": ("get", "a class, or where to import it from"),
    "extractor": ("get", "an extractor's name or an extractor"),
    "key": ("get", "host, domain, path or a function"),
}


def is_set(settings: BaseSettings, name: str) -> bool:
    """Tell whether somebody has set a setting of the table, by its name or an old one."""
    return settings.get(_name_in_use(settings, name)) is not None


def read(settings: BaseSettings, name: str) -> Any:
    """Return the value of a setting of the table, checked.

    Raises :exc:`ValueError`, with what to write in its place, for a value of the wrong type.
    """
    row, name = SETTINGS[name], _name_in_use(settings, name)
    value = settings.get(name)
    if value is None or value == row.default:
        return row.default
    method, wanted = _READERS[row.type]
    try:
        result = getattr(settings, method)(name)
    except (TypeError, ValueError):
        result = None
    wrong = (
        result is None
        or (row.type == "int" and (result < 0 or result != _number(value)))
        or (row.type == "list" and not all(isinstance(x, str) and x.strip() for x in result))
        or (row.type == "key" and not (callable(result) or result in ("host", "domain", "path")))
        or (row.type == "str" and not (isinstance(result, str) and result))
    )
    if wrong:
        raise ValueError(f"{name} must be {wanted}, not {value!r}")
    return [name.strip() for name in result] if row.type == "list" else result


def read_valid(settings: BaseSettings, name: str) -> Any:
    """Return the value of a setting, or its default where :func:`mistakes` names its value."""
    try:
        return read(settings, name)
    except ValueError:
        return SETTINGS[name].default


def mistakes(settings: BaseSettings) -> Iterator[str]:
    """Yield what is wrong with the names and values of our settings."""
    for name in settings:
        if name.startswith("BOILERPLATE_") and name not in SETTINGS and name not in DEPRECATED:
            yield unknown("setting", name, SETTINGS)
    for name in SETTINGS:
        try:
            read(settings, name)
        except ValueError as error:  # noqa: PERF203 - all of them are wanted
            yield str(error)


def _name_in_use(settings: BaseSettings, name: str) -> str:
    """Return the old name of a setting where that is what was set, with a warning, else *name*."""
    for old, new in DEPRECATED.items():
        if new == name and settings.get(old) is not None and settings.get(new) is None:
            message = f"The setting {old} is deprecated, use {new}"
            warnings.warn(message, ScrapyDeprecationWarning, stacklevel=1)  # once, whoever reads
            return old
    return name


def _number(value: object) -> object:
    """Return what a number says before it is cut to a whole one."""
    return int(value) if isinstance(value, str) else value
