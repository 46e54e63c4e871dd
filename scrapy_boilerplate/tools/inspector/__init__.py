"""The inspector: a page in the browser, with what each method made of it, and why."""

from __future__ import annotations

from scrapy_boilerplate.tools.inspector.page_view import Inspected, Known, inspector_html
from scrapy_boilerplate.tools.inspector.server import InspectorServer

__all__ = ["Inspected", "InspectorServer", "Known", "inspector_html"]
