"""An extractor for pipelines of datatrove. Needs the package ``datatrove``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from datatrove.data import Document
from datatrove.pipeline.extractors.base import BaseExtractor
from datatrove.utils.typeshelper import StatHints

from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.tools.rows import MEMORY, SECONDS, InputPage, PageRows, page_pool, page_row
from scrapy_boilerplate.tools.site_models import FindModel, site_models

__all__ = ["BoilerplateExtractor"]

_STATS = {"timeout": "timeout", "crashed": "broken_process", "error": "clean_error"}


class BoilerplateExtractor(BaseExtractor):
    """Replaces the HTML of documents by their main content; documents without any are dropped.

    A document's address, ``metadata["url"]``, goes to the extractor. Its metadata get ``title``,
    ``kind`` and ``confidence``, unless they have them. Each document may take *timeout* seconds
    and *memory* bytes in a process of its own; one that hangs or crashes is dropped and counted,
    as datatrove's own extractors count it. *output* is ``text`` or ``markdown``; *extractor* and
    *options* are those of :func:`~scrapy_boilerplate.extract`. *sites* is the address of a store
    whose models are applied, *key* what counts as one site.
    """

    name = "scrapy_boilerplate"

    def __init__(
        self,
        extractor: str | Extractor = "auto",
        *,
        output: Literal["text", "markdown"] = "text",
        timeout: float = SECONDS,
        memory: int | None = MEMORY,
        sites: str | None = None,
        key: str = "host",
        **options: object,
    ) -> None:
        super().__init__(timeout)
        self._make = extractor, options, (output, "metadata")
        self._lend, self._output = page_pool(*self._make, seconds=timeout, memory=memory), output
        self._sites, self._key = sites, key

    def extract(self, text: str) -> str:
        return PageRows(*self._make)(InputPage(text))[self._output]

    def run(
        self, data: Iterable[Document], rank: int = 0, world_size: int = 1
    ) -> Iterator[Document]:
        with site_models(self._sites, self._key) as models, self._lend() as pool:
            answers = pool.pairs((each, _page(each, models)) for each in data)
            while True:
                with self.track_time():
                    pair = next(answers, None)
                if pair is None:
                    return
                document, answer = pair
                if self._take(document, page_row(InputPage(None), answer)):
                    yield document

    def _take(self, document: Document, row: dict[str, Any]) -> bool:
        """Put what was found into a document; tell whether that is anything."""
        self.stat_update(StatHints.total)
        if row["text"] is None:
            self.stat_update(_STATS.get(row["reason"].partition(":")[0], "clean_error"))
            return False
        self.stat_update("extracted")
        document.text = row[self._output]
        found = {"title": row["metadata"]["title"], "kind": row["kind"]}
        found["confidence"] = row["confidence"]
        for name, value in found.items():
            document.metadata.setdefault(name, value)
        if not document.text:
            self.stat_update(StatHints.dropped)
            return False
        self.stat_update(StatHints.forwarded)
        self.update_doc_stats(document)
        return True


def _page(document: Document, models: FindModel) -> InputPage:
    url = document.metadata.get("url")
    model = models(url) if models is not None and url else None
    return InputPage(document.text, url, model=model)
