"""Paths of version 0.1 still resolve, with a warning."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from scrapy_boilerplate import _moved

OLD_PATHS = [
    ("scrapy_boilerplate.downloadermiddlewares", "BoilerplateDownloaderMiddleware"),
    ("scrapy_boilerplate.spidermiddlewares", "BoilerplateSpiderMiddleware"),
    ("scrapy_boilerplate.pipelines", "BoilerplatePipeline"),
    ("scrapy_boilerplate.extensions", "BoilerplateSiteLearning"),
    ("scrapy_boilerplate.exporters", "TEIItemExporter"),
    ("scrapy_boilerplate.errors", "ConfigurationError"),
    ("scrapy_boilerplate.sites", "extract_site"),
    ("scrapy_boilerplate.sites.rules", "load_rules"),
    ("scrapy_boilerplate.duplication", "duplication"),
    ("scrapy_boilerplate.testing", "ExtractorContract"),
    ("scrapy_boilerplate.extractors", "get_extractor"),
]

LOAD = """
import json, sys, warnings
from importlib import import_module
found = []
for module, name in json.loads(sys.argv[1]):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        old = getattr(import_module(module), name)
    warned = [str(item.message) for item in seen if item.category is DeprecationWarning]
    found.append((old.__module__, any(module in message for message in warned)))
print(json.dumps(found))
"""


def test_an_old_path_is_the_same_object_and_warns() -> None:
    command = [sys.executable, "-c", LOAD, json.dumps(OLD_PATHS)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    warned = set()
    for (module, _), (now, warns) in zip(OLD_PATHS, json.loads(done.stdout), strict=True):
        assert now.split(".")[0] == "scrapy_boilerplate"
        assert now.split(".")[1] in {"core", "learn", "plugin", "tools"}
        assert warns or module in warned  # once for each module
        warned.add(module)


def test_an_unknown_path_is_unknown() -> None:
    with pytest.raises(ModuleNotFoundError, match="nothing"):
        __import__("scrapy_boilerplate.nothing")


def test_every_new_path_exists() -> None:
    for new in set(_moved._MOVED.values()) - {"tools.spark", "tools.warc", "tools.batch"}:  # extras
        __import__(f"scrapy_boilerplate.{new}")
