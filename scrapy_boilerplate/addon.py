"""One line in a project's settings that switches everything on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_boilerplate.downloadermiddlewares import BoilerplateDownloaderMiddleware
from scrapy_boilerplate.extensions import (
    BoilerplateItemPipelineManager,
    BoilerplateSiteLearning,
)
from scrapy_boilerplate.pipelines import BoilerplatePipeline
from scrapy_boilerplate.spidermiddlewares import BoilerplateSpiderMiddleware

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

__all__ = ["Addon"]


class Addon:
    """Enables the plugin's components: ``ADDONS = {"scrapy_boilerplate.Addon": 500}``.

    A component that the project's own settings list stays as it is listed there: in another order,
    or off with ``None``. ``BOILERPLATE_ENABLED = False`` switches all of them off.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the components that the settings do not name."""
        for name, component in (
            ("DOWNLOADER_MIDDLEWARES", BoilerplateDownloaderMiddleware),
            ("SPIDER_MIDDLEWARES", BoilerplateSpiderMiddleware),
            ("ITEM_PIPELINES", BoilerplatePipeline),
            ("EXTENSIONS", BoilerplateSiteLearning),
        ):
            settings.setdefault_in_component_priority_dict(name, component, component.ORDER)
        settings.set("ITEM_PROCESSOR", BoilerplateItemPipelineManager, priority="addon")
