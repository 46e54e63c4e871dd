"""The add-on: one line in a project's settings enables everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.settings import SETTINGS_PRIORITIES

from scrapy_boilerplate.downloadermiddlewares import BoilerplateDownloaderMiddleware
from scrapy_boilerplate.extensions import BoilerplateSiteLearning
from scrapy_boilerplate.holding.item_processor import BoilerplateItemPipelineManager
from scrapy_boilerplate.pipelines import BoilerplatePipeline
from scrapy_boilerplate.settings import read
from scrapy_boilerplate.spidermiddlewares import BoilerplateSpiderMiddleware

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

__all__ = ["Addon"]

EXPORTERS = {"prevertical": "scrapy_boilerplate.exporters.PreverticalItemExporter"}
"""Feed exporters by format; a format that the project's settings name is left alone."""

FALLBACK = "BOILERPLATE_FALLBACK_ITEM_PROCESSOR"


class Addon:
    """Enables the plugin's components: ``ADDONS = {"scrapy_boilerplate.Addon": 500}``.

    A component that the project's settings already list keeps its order there, or stays off with
    ``None``. The project's own item processor still runs, behind ours. The add-on changes nothing
    with ``BOILERPLATE_ENABLED = False``.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the components that the settings do not name; keep the project's item processor."""
        if not read(settings, "BOILERPLATE_ENABLED"):
            return
        for name, component in (
            ("DOWNLOADER_MIDDLEWARES", BoilerplateDownloaderMiddleware),
            ("SPIDER_MIDDLEWARES", BoilerplateSpiderMiddleware),
            ("ITEM_PIPELINES", BoilerplatePipeline),
            ("EXTENSIONS", BoilerplateSiteLearning),
        ):
            settings.setdefault_in_component_priority_dict(name, component, component.ORDER)
        exporters = {**EXPORTERS, **settings.getdict("FEED_EXPORTERS")}
        priority = max(settings.getpriority("FEED_EXPORTERS") or 0, SETTINGS_PRIORITIES["addon"])
        settings.set("FEED_EXPORTERS", exporters, priority=priority)
        settings.set(FALLBACK, settings["ITEM_PROCESSOR"], priority="addon")
        priority = max(settings.getpriority("ITEM_PROCESSOR") or 0, SETTINGS_PRIORITIES["addon"])
        settings.set("ITEM_PROCESSOR", BoilerplateItemPipelineManager, priority=priority)
