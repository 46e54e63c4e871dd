"""The pages that the operands name, one after the other."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from scrapy_boilerplate.tools.cli.archives import archived_pages
from scrapy_boilerplate.tools.cli.fetching import Fetcher
from scrapy_boilerplate.tools.cli.progress import RunCounts
from scrapy_boilerplate.tools.cli.sources import STDIN, PageFile, is_address, is_archive, listed


class SourcePages:
    """The pages that *operands* name; what must be fetched, by *settings*, comes into *folder*.

    With *project* the other settings of the crawl are those of the project.
    """

    def __init__(
        self,
        operands: Sequence[str],
        folder: str,
        settings: Mapping[str, Any],
        *,
        project: bool = False,
    ) -> None:
        self._operands, self._folder = operands, folder
        self._settings, self._project = settings, project
        self._fetched: list[PageFile] = []

    def read(self, counts: RunCounts | None = None) -> Iterator[PageFile | None]:
        """Yield the pages in order, and ``None`` while the next one is on its way.

        May be called again: nothing is fetched twice. *counts* gets damaged records of archives.
        """
        fetched = self._fetch()
        for page in listed(self._operands):
            if is_address(page.name):
                yield from _up_to_next(fetched)
            elif is_archive(page.path):
                yield from archived_pages(page.path, counts)
            else:
                yield self._from_stdin() if page.name == STDIN else page

    def _fetch(self) -> Iterator[PageFile | None]:
        """Yield the pages of addresses; they are fetched the first time."""
        urls = [operand for operand in self._operands if is_address(operand)]
        if len(self._fetched) == len(urls):
            yield from self._fetched
            return
        with Fetcher(urls, self._folder, self._settings, project=self._project) as fetcher:
            for page in fetcher:
                if page is not None:
                    self._fetched.append(page)
                yield page

    def _from_stdin(self) -> PageFile:
        path = Path(self._folder) / "stdin"
        if not path.exists():
            with path.open("wb") as file:
                shutil.copyfileobj(sys.stdin.buffer, file)
        return PageFile(STDIN, str(path))


def _up_to_next(pages: Iterator[PageFile | None]) -> Iterator[PageFile | None]:
    """Yield ``None`` until the next page is there, then the page."""
    for page in pages:
        yield page
        if page is not None:
            return
