"""Find out whether any code of a project can see what stripping cuts.

The spider, the components in the settings, and what these import get responses. If all of their
source was found, and nothing in it can see scripts and styles, then stripping changes nothing. In
doubt the survey says that code sees them: for an unknown package, for missing source, for a name
whose meaning is not clear.
"""

from __future__ import annotations

import inspect
import sys
import sysconfig
from collections.abc import Iterator
from importlib.metadata import entry_points
from importlib.util import find_spec, resolve_name
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scrapy_boilerplate.core.names import ENTRY_POINT_GROUP
from scrapy_boilerplate.core.strip.code import Doubt, ModuleCode

if TYPE_CHECKING:
    from collections.abc import Collection
    from importlib.machinery import ModuleSpec

    from scrapy import Request, Spider
    from scrapy.settings import BaseSettings

# Packages that see of a page only what the selectors of others give them.
_KNOWN = frozenset(
    "attr attrs dateparser dateutil itemadapter itemloaders number_parser parsel price_parser "
    "pydantic pytz scrapy scrapy_boilerplate tldextract tqdm twisted typing_extensions w3lib "
    "yarl zope".split()
)
_STDLIB = sysconfig.get_path("stdlib")
# Components that get responses.
_COMPONENTS = ("SPIDER_MIDDLEWARES", "EXTENSIONS", "LOG_FORMATTER")
# Components that get items, which may hold a response; but the packages that they use see neither.
_ITEM_COMPONENTS = ("ITEM_PIPELINES", "ITEM_PROCESSOR")


class Survey(NamedTuple):
    """A project's code as the survey reads it."""

    doubt: str | None
    """The first place that may see what is cut; ``None`` if there is none."""

    words: frozenset[str] = frozenset()
    """Classes, ids and attributes in selectors: elements with one of them must stay."""

    modules: frozenset[str] = frozenset()
    """The modules that were read."""

    def covers(self, request: Request) -> bool:
        """Return whether the functions that get the answer to *request* were read."""
        return all(
            function is None or self._covers(module_of(function))
            for function in (request.callback, request.errback)
        )

    def _covers(self, module: str) -> bool:
        return module in self.modules or module.startswith("scrapy.spiders")


def module_of(function: object) -> str:
    """Return the module that the code of *function* stands in, whatever it wraps."""
    namespace = getattr(function, "__globals__", None) or {}
    return str(namespace.get("__name__") or getattr(function, "__module__", None))


def make_survey(
    spider: Spider | None,
    settings: BaseSettings,
    elements: Collection[str],
    components: Collection[object] = (),
) -> Survey:
    """Read all code that gets the responses of *spider*, in search of what sees *elements*.

    *components* are those that get responses besides the ones that are known by their settings.
    """
    reader = _CodeReader(type(spider), settings, elements)
    try:
        for module in (
            *_spider_modules(spider),
            *_component_modules(settings, _COMPONENTS),
            *map(_module, components),
            *(point.module for point in entry_points(group=ENTRY_POINT_GROUP)),
        ):
            reader.read(module)
        modules = frozenset(reader.seen)
        for module in _component_modules(settings, _ITEM_COMPONENTS):
            reader.read(module, strict=False)
    except Doubt as doubt:
        return Survey(str(doubt))
    except Exception as error:  # whatever it is, the code was not read to its end
        return Survey(f"the code could not be read: {type(error).__name__}: {error}")
    return Survey(None, frozenset(reader.words), modules)


def _spider_modules(spider: Spider | None) -> Iterator[str]:
    """Yield the modules of the spider's classes and methods."""
    for owner in (spider, *type(spider).__mro__):
        if isinstance(owner, type):
            if _is_known(owner.__module__):
                continue
            if not _has_source(owner):
                raise Doubt(f"the source of {owner.__qualname__} can't be found")
            yield owner.__module__
        yield from (module_of(member) for member in vars(owner).values() if callable(member))


def _has_source(kind: type) -> bool:
    """Return whether a class stands in its module's file; one made by ``exec`` does not."""
    try:  # some versions of Python take any class for one of the file, by the number of its line
        return f"class {kind.__name__}" in inspect.getsource(kind)
    except (OSError, TypeError):
        return False


def _component_modules(settings: BaseSettings, names: Collection[str]) -> Iterator[str]:
    """Yield the modules of the components that are switched on."""
    for name in names:
        if f"{name}_BASE" in settings:
            orders = settings.getwithbase(name).items()
            yield from (_module(component) for component, order in orders if order is not None)
        elif settings.get(name):
            yield _module(settings[name])


def _module(component: object) -> str:
    """Return the module of a class or another object, or of one that is given by its path."""
    if isinstance(component, str):
        return component.rpartition(".")[0]
    return str(getattr(component, "__module__", type(component).__module__))


class _CodeReader:
    """Reads modules and what they import, each once."""

    def __init__(self, spider: type, settings: BaseSettings, elements: Collection[str]) -> None:
        self.seen: set[str] = set()
        self.words: set[str] = set()
        self._elements = elements
        roots = [spider.__module__, *settings.getlist("SPIDER_MODULES")]
        self._own = {root.partition(".")[0] for root in roots}

    def read(self, module: str, *, strict: bool = True) -> None:
        """Read *module* and the modules of the project that it imports.

        Raises :exc:`Doubt`, if *strict* also for packages that are not known.
        """
        queue = [(module, "the project")]
        while queue:
            name, importer = queue.pop()
            if name in self.seen or _is_known(name):
                continue
            if not self._is_own(name):
                if strict:
                    raise Doubt(f"{importer} uses {name}, which may read them")
                continue
            self.seen.add(name)
            source, package = _source(name)
            code = ModuleCode(name, source, self._elements)
            code.check()
            self.words |= code.words
            for imported, level, parts in code.imports():
                base = resolve_name("." * level + imported, package) if level else imported
                queue += [(n, name) for n in _modules(base, parts)]

    def _is_own(self, name: str) -> bool:
        """Return whether a module belongs to the project and not to an installed package."""
        if name.partition(".")[0] in self._own:
            return True
        path = getattr(sys.modules.get(name), "__file__", None) or ""
        return bool(path) and not {"site-packages", "dist-packages"} & set(Path(path).parts)


def _source(name: str) -> tuple[str, str]:
    """Return the source of a module, loaded or not, and the package that it is in."""
    try:
        if name in sys.modules:
            module = sys.modules[name]
            return inspect.getsource(module), module.__package__ or ""
        spec = _find(name)
        return spec.loader.get_source(name), spec.parent  # type: ignore[union-attr, return-value]
    except (AttributeError, ImportError, OSError, TypeError):
        raise Doubt(f"the source of {name} can't be found") from None


def _modules(base: str, parts: list[str]) -> Iterator[str]:
    """Yield the modules that an import loads: *base*, its packages, and those among *parts*."""
    names = base.split(".")
    yield from (".".join(names[: end + 1]) for end in range(len(names)))
    if not _is_known(base):
        yield from (name for part in parts if _find(name := f"{base}.{part}"))


def _find(name: str) -> ModuleSpec | None:
    """Find a module without loading any; ``None`` if there is none, or its package not loaded."""
    parent = name.rpartition(".")[0]
    if parent and not hasattr(sys.modules.get(parent), "__path__"):
        return None
    return find_spec(name)


def _is_known(name: str) -> bool:
    top = name.partition(".")[0]
    if top in sys.stdlib_module_names:  # unless the project has a module of that name
        path = getattr(sys.modules.get(top), "__file__", None)
        return path is None or path.startswith(_STDLIB)
    return top in _KNOWN
