"""Feed exporters of corpus formats, ``prevertical`` and ``tei``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exporters import BaseItemExporter

from scrapy_boilerplate.core.answer.document import from_text
from scrapy_boilerplate.core.answer.output import TextBlock, prevertical, tei, tei_corpus_start

if TYPE_CHECKING:
    from typing_extensions import Self

FEED_EXPORTERS = {
    "prevertical": "scrapy_boilerplate.plugin.exporters.PreverticalItemExporter",
    "tei": "scrapy_boilerplate.plugin.exporters.TEIItemExporter",
}
"""Exporters by format. The add-on enables them for ``FEEDS``. Scrapy checks the options ``-o`` and
``-O`` before add-ons run, so for these a project imports this dict in its settings."""


class _CorpusExporter(BaseItemExporter):
    """Writes the field of the format as it is, or makes it of the other fields."""

    format: ClassVar[str]  # the output that holds the whole format

    def __init__(
        self, file: BinaryIO, *, outputs: Mapping[str, str] | None = None, **options: Any
    ) -> None:
        super().__init__(dont_fail=True, **options)
        self._file = file
        self._outputs = outputs or {}

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: BinaryIO, **options: Any) -> Self:
        """Create an exporter that reads fields by ``BOILERPLATE_FIELDS``, whatever their names."""
        return cls(file, outputs=crawler.settings.getdict("BOILERPLATE_FIELDS"), **options)

    def export_item(self, item: Any) -> None:
        adapter = ItemAdapter(item)
        wanted = self.fields_to_export
        names = wanted if isinstance(wanted, Mapping) else {n: n for n in wanted or adapter}
        fields = {named: adapter[name] for name, named in names.items() if name in adapter}
        whole = fields.pop(self._field(self.format), None)
        if not whole:
            text = str(fields.pop(self._field("text"), None) or "")
            whole = self._made(text, fields)
        self._write(str(whole))

    def _field(self, output: str) -> str:
        return next((name for name, each in self._outputs.items() if each == output), output)

    def _write(self, text: str) -> None:
        self._file.write(text.encode(self.encoding or "utf-8", "xmlcharrefreplace"))

    def _made(self, text: str, fields: Mapping[str, Any]) -> str:
        raise NotImplementedError


class PreverticalItemExporter(_CorpusExporter):
    """Writes a ``doc`` element for each item.

    An item with a field ``prevertical``, which the output of that name fills, is written as it is.
    Of any other the field ``text`` becomes paragraphs, and fields with a text or a number become
    attributes.
    """

    format = "prevertical"

    def _made(self, text: str, fields: Mapping[str, Any]) -> str:
        paragraphs = (each for each in text.split("\n\n") if each.strip())
        attributes = {
            name: value
            for name, value in fields.items()
            if isinstance(value, (str, int, float)) and not isinstance(value, bool)
        }
        return prevertical(map(TextBlock, paragraphs), attributes)


class TEIItemExporter(_CorpusExporter):
    """Writes a ``teiCorpus`` with a ``TEI`` element for each item.

    An item with a field ``tei``, which the output of that name fills, is written as it is. Of any
    other the field ``text`` becomes paragraphs, and metadata such as ``title``, ``authors`` and
    ``url`` go into the header.
    """

    format = "tei"

    def start_exporting(self) -> None:
        self._write(f'<?xml version="1.0" encoding="{self.encoding or "utf-8"}"?>\n')
        self._write(tei_corpus_start("Corpus"))

    def finish_exporting(self) -> None:
        self._write("</teiCorpus>\n")

    def _made(self, text: str, fields: Mapping[str, Any]) -> str:
        named = {self._outputs.get(name, name): value for name, value in fields.items()}
        return tei(from_text(text), {**fields, **named})
