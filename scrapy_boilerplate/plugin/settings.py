"""The settings of the Scrapy side: names, defaults and types in one table, and their reading."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from inspect import signature
from os import PathLike, fspath
from os.path import exists
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple, TypeGuard

from scrapy.settings import BaseSettings
from scrapy.utils.job import job_dir
from scrapy.utils.project import data_path

from scrapy_boilerplate.core.names import unknown, why
from scrapy_boilerplate.core.page.budget import MAX_NODES
from scrapy_boilerplate.learn.options import FREEZE_PAGES, LearningOptions
from scrapy_boilerplate.learn.rule_files import load_rules
from scrapy_boilerplate.learn.stores import StoreError, open_store

_LEAST_PAGES = LearningOptions().safe_pages


class Setting(NamedTuple):
    """What a setting is when it is absent or ``None``, and its type, a key of ``_READERS``."""

    default: object
    type: str


# Their meanings are in docs/settings.md
SETTINGS: dict[str, Setting] = {
    "BOILERPLATE_ENABLED": Setting(True, "bool"),
    "BOILERPLATE_EXTRACTOR": Setting("auto", "extractor"),
    "BOILERPLATE_OPTIONS": Setting({}, "dict"),
    "BOILERPLATE_FIELDS": Setting({"text": "text"}, "dict"),
    "BOILERPLATE_HTML_FIELD": Setting(None, "str"),
    "BOILERPLATE_MAX_BODY": Setting(50_000_000, "int"),
    "BOILERPLATE_MAX_NODES": Setting(MAX_NODES, "int"),
    "BOILERPLATE_REPORT": Setting(True, "file"),
    "BOILERPLATE_STRIP": Setting(False, "bool"),
    "BOILERPLATE_SITES": Setting(True, "bool"),
    "BOILERPLATE_SITE_KEY": Setting("host", "key"),
    "BOILERPLATE_SITE_STORE": Setting(None, "str"),
    "BOILERPLATE_SITE_RULES": Setting(None, "str"),
    "BOILERPLATE_SITE_FREEZE_PAGES": Setting(FREEZE_PAGES, "pages"),
}

_Check = Callable[[Any, Any], object]


def _count(least: int) -> _Check:
    """Return a check that a result is the whole number that was written, and not too small."""
    return lambda result, value: (
        least <= result == (int(value) if isinstance(value, str) else value)
        and not isinstance(value, bool)
    )


SWITCHED = {"true": True, "1": True, "false": False, "0": False}  # on the command line
_SWITCHES = {*SWITCHED, "yes", "no", "on", "off", "none"}  # that nobody means as a name

# By type: what reads a value, what it must be, and whether what was read is right.
_READERS: dict[str, tuple[str, str, _Check]] = {
    "bool": ("getbool", "True or False", lambda _, value: str(value).lower() in SWITCHED),
    "int": ("getint", "a whole number, 0 or more", _count(0)),
    "pages": ("getint", f"a whole number, {_LEAST_PAGES} or more", _count(_LEAST_PAGES)),
    "dict": ("getdict", "a dict, or a JSON object on the command line", lambda *_: True),
    "str": ("get", "a string that names a field, file or address", lambda read, _: _is_name(read)),
    "file": ("get", "True, False or the path of a file", lambda read, _: _is_file(read)),
    "extractor": ("get", "an extractor's name or an extractor", lambda *_: True),
    "key": ("get", "host, domain, path or a function of an address", lambda read, _: _is_key(read)),
}


def _is_name(result: object) -> TypeGuard[str]:
    return isinstance(result, str) and result.strip().lower() not in {"", *_SWITCHES}


def _is_file(result: object) -> bool:
    return isinstance(result, bool) or (
        _is_name(result) and "\0" not in result and "://" not in result
    )


def _is_key(result: object) -> bool:
    if not callable(result):
        return result in ("host", "domain", "path")
    with suppress(ValueError):  # it is compiled, and does not say
        signature(result).bind("https://a.example/")  # TypeError: it takes no address
    return True


def read(settings: BaseSettings, name: str) -> Any:
    """Return the value of a setting, checked; raise :exc:`ValueError` for one of the wrong type."""
    row, value = SETTINGS[name], settings.get(name)
    if value is None or value == row.default:
        return row.default
    method, wanted, is_right = _READERS[row.type]
    try:
        result = getattr(settings, method)(name)
        if isinstance(result, PathLike):
            result = fspath(result)
        if row.type == "file":
            result = SWITCHED.get(str(result).lower(), result)
        right = result is not None and is_right(result, value)
    except (TypeError, ValueError, OverflowError):  # of infinity
        right = False
    if not right:
        raise ValueError(f"{name} must be {wanted}, not {value!r}")
    return result


def store_address(settings: BaseSettings) -> str:
    """Return where sites are kept: ``BOILERPLATE_SITE_STORE`` or its default."""
    return read(settings, "BOILERPLATE_SITE_STORE") or default_store(settings)


def default_store(settings: BaseSettings) -> str:
    return str(data_folder(settings) / "sites.sqlite")


def data_folder(settings: BaseSettings) -> Path:
    """Return where a crawl keeps its files: in its job directory, otherwise in ``.scrapy``."""
    folder = job_dir(settings)
    if folder is not None:
        return Path(folder, "boilerplate")
    try:
        return Path(data_path("boilerplate", createdir=False))
    except OSError:  # the project's folder cannot be written
        return Path(".scrapy", "boilerplate").absolute()


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


def wrong_places(settings: BaseSettings) -> Iterator[str]:
    """Yield why rules cannot be read, the store not be opened, or the report not be written."""
    if read_valid(settings, "BOILERPLATE_SITES"):
        rules = read_valid(settings, "BOILERPLATE_SITE_RULES")
        named, default = read_valid(settings, "BOILERPLATE_SITE_STORE"), default_store(settings)
        try:
            if rules is not None:
                load_rules(rules)
        except ValueError as error:
            yield f"BOILERPLATE_SITE_RULES: {error}"
        try:
            if named is not None or exists(default):
                open_store(named or default).close()
        except (StoreError, ValueError, OSError) as error:
            yield f"BOILERPLATE_SITE_STORE: {error}"
    report = read_valid(settings, "BOILERPLATE_REPORT")
    if isinstance(report, str) and (why := _why_unwritable(Path(report))):
        yield (
            f"BOILERPLATE_REPORT: cannot write {report} ({why}); give the path of a file, "
            "or False for no report"
        )


def _why_unwritable(path: Path) -> str:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            return "it is a folder"
        if path.is_symlink() or (path.exists() and not path.is_file()):
            return "it is a link, a pipe or a device"  # which a report would replace
        with TemporaryFile(dir=path.parent):
            return ""
    except (OSError, ValueError) as error:
        return why(error)
