"""An extractor for pipelines of NeMo Curator. Needs the package ``nemo-curator``."""

from __future__ import annotations

from nemo_curator.stages.text.download.html_extractors.base import HTMLExtractorAlgorithm

from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.tools.rows import MEMORY, SECONDS, InputPage, page_pool, page_row

__all__ = ["BoilerplateExtractor"]


class BoilerplateExtractor(HTMLExtractorAlgorithm):
    """Gives ``CommonCrawlHTMLExtractor`` the paragraphs of a page's main content.

    *extractor* and *options* are those of :func:`~scrapy_boilerplate.extract`. No stop words are
    needed: the methods do not depend on the language. Each page may take *seconds* and *memory*
    bytes in another process; one that hangs or crashes has no paragraphs.
    """

    def __init__(
        self,
        extractor: str | Extractor = "auto",
        *,
        seconds: float = SECONDS,
        memory: int | None = MEMORY,
        **options: object,
    ) -> None:
        self._lend = page_pool(extractor, options, ["text"], seconds=seconds, memory=memory)

    def extract_text(
        self, html: str, stop_words: frozenset[str] = frozenset(), language: str = ""
    ) -> list[str] | None:
        """Return the paragraphs; ``None`` for a page without any."""
        page = InputPage(html)
        with self._lend() as pool:
            text = page_row(page, pool(page))["text"]
        return text.split("\n\n") if text else None
