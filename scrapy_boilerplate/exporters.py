"""Feed exporters of corpus formats: ``scrapy crawl news -O corpus.prevertical``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, BinaryIO

from itemadapter import ItemAdapter
from scrapy.exporters import BaseItemExporter

from scrapy_boilerplate.output.prevertical import TextBlock, prevertical

__all__ = ["PreverticalItemExporter"]

TEXT, DOCUMENT = "text", "prevertical"
"""Fields that hold the content: plain text, or a whole ``doc`` element."""


class PreverticalItemExporter(BaseItemExporter):
    """Writes a ``doc`` element for each item.

    An item with a field ``prevertical``, which the output of that name fills, is written as it is.
    Of any other the field ``text`` becomes paragraphs, and fields with a text or a number become
    attributes.
    """

    def __init__(self, file: BinaryIO, **options: Any) -> None:
        super().__init__(dont_fail=True, **options)
        self._file = file

    def export_item(self, item: Any) -> None:
        """Write one item."""
        adapter = ItemAdapter(item)
        wanted = self.fields_to_export
        names = wanted if isinstance(wanted, Mapping) else {n: n for n in wanted or adapter}
        fields = {named: adapter[name] for name, named in names.items() if name in adapter}
        document = fields.pop(DOCUMENT, None)
        if not document:
            text = str(fields.pop(TEXT, None) or "")
            paragraphs = (each for each in text.split("\n\n") if each.strip())
            attributes = {
                name: value
                for name, value in fields.items()
                if isinstance(value, (str, int, float)) and not isinstance(value, bool)
            }
            document = prevertical(map(TextBlock, paragraphs), attributes)
        encoding = self.encoding or "utf-8"
        self._file.write(str(document).encode(encoding, "xmlcharrefreplace"))
