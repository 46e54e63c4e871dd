"""Settings of the project that the commands run in."""

from __future__ import annotations

from typing import Any

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from scrapy_boilerplate.core.answer.document.switches import split
from scrapy_boilerplate.core.methods import Extractor, get_extractor
from scrapy_boilerplate.plugin.settings import read


def project_method(settings: BaseSettings) -> Extractor:
    """Return the project's default method."""
    extractor: str | Extractor = read(settings, "BOILERPLATE_EXTRACTOR")
    if not isinstance(extractor, str):
        return extractor
    _, options = split(read(settings, "BOILERPLATE_OPTIONS"))
    return get_extractor(extractor, **options)


def project_overrides(settings: BaseSettings) -> dict[str, Any]:
    """Return the settings that the command line names, for the process that fetches."""
    highest = SETTINGS_PRIORITIES["cmdline"]
    return {name: settings[name] for name in settings if settings.getpriority(name) == highest}
