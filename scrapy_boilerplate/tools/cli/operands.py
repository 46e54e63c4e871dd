"""The pages that the operands name, one after the other."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_boilerplate.tools.cli.fetching import fetched
from scrapy_boilerplate.tools.cli.inputs import STDIN, PageFile, is_address, is_archive, listed
from scrapy_boilerplate.tools.rows import row_name

if TYPE_CHECKING:
    from scrapy_boilerplate.tools.warc import Selection


class SourcePages:
    """The pages that *operands* name; what must be fetched comes into *folder*."""

    def __init__(
        self,
        operands: Sequence[str],
        folder: str,
        settings: Mapping[str, Any],
        *,
        project: bool = False,
        selection: Selection | None = None,
    ) -> None:
        self._operands, self._folder, self._selection = operands, folder, selection
        self._settings, self._project = settings, project
        self._fetched: list[PageFile] = []

    def read(self) -> Iterator[PageFile]:
        """Yield the pages in order. May be called again: nothing is fetched twice."""
        arriving = self._fetch()
        for page in listed(self._operands):
            if is_address(page.name):
                yield next(arriving)
            elif is_archive(page.path):
                yield from _archived(page.path, self._selection)
            else:
                yield self._from_stdin() if page.name == STDIN else page

    def _fetch(self) -> Iterator[PageFile]:
        urls = [operand for operand in self._operands if is_address(operand)]
        if len(self._fetched) == len(urls):
            yield from self._fetched
            return
        for page in fetched(urls, self._folder, self._settings, project=self._project):
            self._fetched.append(page)
            yield page

    def _from_stdin(self) -> PageFile:
        path = Path(self._folder) / "stdin"
        if not path.exists():
            with path.open("wb") as file:
                shutil.copyfileobj(sys.stdin.buffer, file)
        return PageFile(STDIN, str(path))


def _archived(path: str, selection: Selection | None) -> Iterator[PageFile]:
    """Yield the pages of an archive, at last one that says if it cannot be read to its end."""
    from scrapy_boilerplate.tools.warc import ArchiveError, PageReader, archive_pages

    reader = PageReader(selection=selection)
    try:
        for record in archive_pages(path, reader):
            name = row_name(record._asdict())
            yield PageFile(name, path, url=record.url, encoding=record.encoding, record=record)
    except ArchiveError as error:
        yield PageFile(path, path, error=str(error).removeprefix(f"{path}: "))
