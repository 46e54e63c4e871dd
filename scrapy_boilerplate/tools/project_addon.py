"""The add-on of a project: ``ADDONS = {"scrapy_boilerplate.Addon": 500}``."""

from __future__ import annotations

from scrapy_boilerplate.plugin import addon
from scrapy_boilerplate.tools.report.extension import BoilerplateReport


class Addon(addon.Addon):
    """Enables the plugin's components and the report.

    A component that the project's settings already list keeps its order there, or stays off with
    ``None``. The add-on changes nothing with ``BOILERPLATE_ENABLED = False``.
    """

    COMPONENTS = (*addon.Addon.COMPONENTS, ("EXTENSIONS", BoilerplateReport))
