"""The add-on that enables the plugin's components."""

from __future__ import annotations

from typing import Any, ClassVar

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from scrapy_boilerplate.plugin.downloadermiddlewares import BoilerplateDownloaderMiddleware
from scrapy_boilerplate.plugin.exporters import FEED_EXPORTERS
from scrapy_boilerplate.plugin.extensions import BoilerplateSiteLearning
from scrapy_boilerplate.plugin.pipelines import BoilerplatePipeline
from scrapy_boilerplate.plugin.settings import read_valid
from scrapy_boilerplate.plugin.spidermiddlewares import BoilerplateSpiderMiddleware


class Addon:
    """Enables the components for pages and items; ``scrapy_boilerplate.Addon`` adds the report.

    A component that the project's settings already list keeps its order there, or stays off with
    ``None``. With ``BOILERPLATE_ENABLED = False``, the add-on changes nothing.
    """

    COMPONENTS: ClassVar[tuple[tuple[str, Any], ...]] = (
        ("DOWNLOADER_MIDDLEWARES", BoilerplateDownloaderMiddleware),
        ("SPIDER_MIDDLEWARES", BoilerplateSpiderMiddleware),
        ("ITEM_PIPELINES", BoilerplatePipeline),
        ("EXTENSIONS", BoilerplateSiteLearning),
    )

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the components and feed formats that the settings do not name."""
        if not read_valid(settings, "BOILERPLATE_ENABLED"):
            return
        for name, component in self.COMPONENTS:
            settings.setdefault_in_component_priority_dict(name, component, component.ORDER)
        exporters = {**FEED_EXPORTERS, **settings.getdict("FEED_EXPORTERS")}
        priority = max(settings.getpriority("FEED_EXPORTERS") or 0, SETTINGS_PRIORITIES["addon"])
        settings.set("FEED_EXPORTERS", exporters, priority=priority)
