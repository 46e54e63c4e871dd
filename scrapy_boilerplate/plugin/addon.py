"""The add-on: one line in a project's settings enables everything."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy.settings import SETTINGS_PRIORITIES
from scrapy.utils.misc import load_object

from scrapy_boilerplate.plugin.downloadermiddlewares import BoilerplateDownloaderMiddleware
from scrapy_boilerplate.plugin.exporters import FEED_EXPORTERS
from scrapy_boilerplate.plugin.extensions import BoilerplateSiteLearning
from scrapy_boilerplate.plugin.holding.item_processor import INNER, BoilerplateItemPipelineManager
from scrapy_boilerplate.plugin.holding.store import count_held, held_file
from scrapy_boilerplate.plugin.pipelines import BoilerplatePipeline
from scrapy_boilerplate.plugin.settings import read
from scrapy_boilerplate.plugin.spidermiddlewares import BoilerplateSpiderMiddleware

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

REPORT = "scrapy_boilerplate.tools.report.extension.BoilerplateReport"
"""The extension that gathers the report, by its path: what stands on the plugin is not imported."""


class Addon:
    """Enables the plugin's components: ``ADDONS = {"scrapy_boilerplate.Addon": 500}``.

    A component that the project's settings already list keeps its order there, or stays off with
    ``None``. The project's own item processor still runs, behind ours. The add-on changes nothing
    with ``BOILERPLATE_ENABLED = False``.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the components that the settings do not name; keep the project's item processor."""
        if not read(settings, "BOILERPLATE_ENABLED"):
            _warn_of_held_items(settings)
            return
        for name, component in (
            ("DOWNLOADER_MIDDLEWARES", BoilerplateDownloaderMiddleware),
            ("SPIDER_MIDDLEWARES", BoilerplateSpiderMiddleware),
            ("ITEM_PIPELINES", BoilerplatePipeline),
            ("EXTENSIONS", BoilerplateSiteLearning),
        ):
            settings.setdefault_in_component_priority_dict(name, component, component.ORDER)
        report = load_object(REPORT)
        settings.setdefault_in_component_priority_dict("EXTENSIONS", report, report.ORDER)
        exporters = {**FEED_EXPORTERS, **settings.getdict("FEED_EXPORTERS")}
        priority = max(settings.getpriority("FEED_EXPORTERS") or 0, SETTINGS_PRIORITIES["addon"])
        settings.set("FEED_EXPORTERS", exporters, priority=priority)
        settings.set(INNER, settings["ITEM_PROCESSOR"], priority="addon")
        priority = max(settings.getpriority("ITEM_PROCESSOR") or 0, SETTINGS_PRIORITIES["addon"])
        settings.set("ITEM_PROCESSOR", BoilerplateItemPipelineManager, priority=priority)


def _warn_of_held_items(settings: BaseSettings) -> None:
    """Warn if an earlier run with this job directory was killed while it held items."""
    folder = settings["JOBDIR"]
    number = count_held(folder) if folder else 0
    if number:
        logger.warning(
            "An earlier run left %d held items in %s. They stay there while BOILERPLATE_ENABLED is "
            "False; a run with this JOBDIR and BOILERPLATE_ENABLED=True sends them on first.",
            number,
            held_file(folder),
        )
