"""Old module paths of the package, which resolve with a deprecation warning."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

__all__: list[str] = []

_PACKAGE = "scrapy_boilerplate"
_MOVED = {
    "adapters": "tools.adapters",
    "addon": "tools.addon",
    "batch": "tools.batch",
    "downloadermiddlewares": "plugin.downloadermiddlewares",
    "duplication": "tools.duplication",
    "errors": "plugin.errors",
    "exporters": "plugin.exporters",
    "extensions": "plugin.extensions",
    "extractors": "core.methods",
    "extractors.auto": "core.auto",
    "output": "core.answer.output",
    "pipelines": "plugin.pipelines",
    "poet": "plugin.poet",
    "rows": "tools.rows",
    "sites": "learn",
    "spark": "tools.spark",
    "spidermiddlewares": "plugin.spidermiddlewares",
    "stripping": "core.strip",
    "testing": "tools.testing",
    "warc": "tools.warc",
}
"""Paths of version 0.1 that users may have in settings or imports, and where they are now."""


class _Alias(Loader):
    """Loads a module under its old name: the same object as under the new one."""

    def __init__(self, new: str) -> None:
        self._new = new

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module at its new place."""
        module = import_module(self._new)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Undo what the import did to a module that has run under its new name."""
        module.__spec__ = self._spec


class _MovedFinder(MetaPathFinder):
    """Finds modules by their old names."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Return what loads the module at its new place, with a warning."""
        package, *parts = name.split(".")
        old = [".".join(parts[:size]) for size in (2, 1)]
        found = next((path for path in old if path in _MOVED), None)
        if package != _PACKAGE or found is None:
            return None
        below = parts[1 + found.count(".") :]
        new = ".".join([_PACKAGE, _MOVED[found], *below])
        warnings.warn(f"{name} is now {new}", DeprecationWarning, stacklevel=2)
        return ModuleSpec(name, _Alias(new))


def install() -> None:
    """Let the old paths be imported."""
    if not any(isinstance(finder, _MovedFinder) for finder in sys.meta_path):
        sys.meta_path.insert(
            0, _MovedFinder()
        )  # before the one that would run a file a second time
