"""An extractor for pipelines of NeMo Curator. Needs the package ``nemo-curator``."""

from __future__ import annotations

from typing import Any

from nemo_curator.stages.text.download.html_extractors.base import HTMLExtractorAlgorithm

from scrapy_boilerplate.core.api import extract
from scrapy_boilerplate.core.methods import Extractor

__all__ = ["BoilerplateExtractor"]


class BoilerplateExtractor(HTMLExtractorAlgorithm):
    """Gives ``CommonCrawlHTMLExtractor`` the paragraphs of a page's main content.

    *extractor* and *options* are those of :func:`~scrapy_boilerplate.extract`. No stop words are
    needed: the methods do not depend on the language.
    """

    def __init__(self, extractor: str | Extractor = "auto", **options: Any) -> None:
        extract("", extractor=extractor, **options)  # which may find mistakes
        self._extractor, self._options = extractor, options

    def extract_text(
        self, html: str, stop_words: frozenset[str] = frozenset(), language: str = ""
    ) -> list[str] | None:
        """Return the paragraphs; ``None`` for a page without any."""
        text = extract(html, extractor=self._extractor, **self._options).text
        return text.split("\n\n") if text else None
