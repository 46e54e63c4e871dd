"""Models as files that a person reads and edits."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

from scrapy_boilerplate.sites.model import SiteModel

__all__ = ["dump_models", "load_models"]


def dump_models(models: Iterable[SiteModel], format: str = "json") -> str:
    """Write models as JSON, or as YAML if PyYAML is installed.

    >>> print(dump_models([SiteModel("a.example", pages=3)]))
    [
      {
        "site": "a.example",
        "pages": 3
      }
    ]
    """
    forms = [model.to_dict() for model in models]
    if format == "json":
        return json.dumps(forms, indent=2, ensure_ascii=False)
    text: str = _yaml(format).safe_dump(forms, sort_keys=False, allow_unicode=True)
    return text


def load_models(text: str, format: str = "json") -> dict[str, SiteModel]:
    """Read what :func:`dump_models` wrote or a person did: one rule or a list of them, by site.

    Raises :exc:`ValueError` that names what is wrong.

    >>> load_models('[{"site": "a.example", "containers": ["div.story"], "drop": [".share"]}]')[
    ...     "a.example"].rule.drop
    ('.share',)
    """
    try:
        forms = json.loads(text) if format == "json" else _yaml(format).safe_load(text)
    except Exception as error:
        if isinstance(error, (ImportError, LookupError)):
            raise
        raise ValueError(f"the rules are no {format.upper()}: {error}") from error
    if isinstance(forms, Mapping):
        forms = [forms]
    if not isinstance(forms, list):
        raise ValueError("rules are a list of mappings with the key 'site'")
    models = [SiteModel.from_dict(form) for form in forms]
    return {model.site: model for model in models}


def _yaml(format: str) -> Any:
    if format != "yaml":
        raise ValueError(f"Unknown format {format!r}; choose one of: json, yaml")
    try:
        return import_module("yaml")
    except ImportError as error:
        raise ImportError("YAML needs the package PyYAML; JSON needs nothing") from error
