"""Cut what ``script`` and ``style`` elements hold from an HTML body, before anyone parses it."""

from scrapy_boilerplate.core.strip.stripping import CODE, STRIPPABLE, strip_elements

__all__ = ["CODE", "STRIPPABLE", "strip_elements"]
