"""The inspector: a page in the browser, with what each method made of it, and why."""

from __future__ import annotations

from scrapy_boilerplate.inspector.document import inspector_html
from scrapy_boilerplate.inspector.inspected import Inspected, Known
from scrapy_boilerplate.inspector.server import InspectorServer

__all__ = ["Inspected", "InspectorServer", "Known", "inspector_html"]
