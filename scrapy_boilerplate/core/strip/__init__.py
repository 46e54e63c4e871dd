"""Cut what ``script`` and ``style`` elements hold from an HTML body, before anyone parses it."""

from scrapy_boilerplate.core.strip.elements import STRIPPABLE, check_elements, strip_elements

__all__ = ["STRIPPABLE", "check_elements", "strip_elements"]
