"""Paths of version 0.1 still resolve, with a warning."""

from __future__ import annotations

import subprocess
import sys

import pytest

from scrapy_boilerplate import _moved

OLD_PATHS = [
    ("scrapy_boilerplate.downloadermiddlewares", "BoilerplateDownloaderMiddleware"),
    ("scrapy_boilerplate.spidermiddlewares", "BoilerplateSpiderMiddleware"),
    ("scrapy_boilerplate.pipelines", "BoilerplatePipeline"),
    ("scrapy_boilerplate.extensions", "BoilerplateSiteLearning"),
    ("scrapy_boilerplate.extensions", "BoilerplateReport"),
    ("scrapy_boilerplate.exporters", "TEIItemExporter"),
    ("scrapy_boilerplate.errors", "ConfigurationError"),
    ("scrapy_boilerplate.sites", "extract_site"),
    ("scrapy_boilerplate.sites.rules", "load_rules"),
    ("scrapy_boilerplate.duplication", "duplication"),
    ("scrapy_boilerplate.testing", "ExtractorContract"),
    ("scrapy_boilerplate.extractors", "get_extractor"),
]

LOAD = """
import sys, warnings
from importlib import import_module
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    old = getattr(import_module(sys.argv[1]), sys.argv[2])
warned = [str(item.message) for item in seen if item.category is DeprecationWarning]
assert any(sys.argv[1] in message for message in warned)
print(old.__module__)
"""


@pytest.mark.parametrize(("module", "name"), OLD_PATHS)
def test_an_old_path_is_the_same_object_and_warns(module: str, name: str) -> None:
    command = [sys.executable, "-c", LOAD, module, name]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("scrapy_boilerplate.")
    assert done.stdout.strip().split(".")[1] in {"core", "learn", "plugin", "tools"}


def test_an_unknown_path_is_unknown() -> None:
    with pytest.raises(ModuleNotFoundError, match="nothing"):
        __import__("scrapy_boilerplate.nothing")


def test_every_new_path_exists() -> None:
    for new in set(_moved._MOVED.values()) - {"tools.spark", "tools.warc", "tools.batch"}:  # extras
        __import__(f"scrapy_boilerplate.{new}")
