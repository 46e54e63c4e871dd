"""Destinations of answers: standard output, a file, or a folder with a file for each page."""

from __future__ import annotations

import os
import re
import sys
from contextlib import ExitStack
from io import TextIOWrapper
from types import TracebackType
from typing import NamedTuple, TextIO
from urllib.parse import urlsplit

from scrapy_boilerplate.tools.cli.formats import Format
from scrapy_boilerplate.tools.cli.sources import STDIN, PageFile
from scrapy_boilerplate.tools.places import inside, make_folder, whole_file, write_bytes
from scrapy_boilerplate.tools.row_files import Parquet
from scrapy_boilerplate.tools.rows import Row

_ODD = re.compile(r"[^\w.-]+")
_LONGEST_NAME = 150  # characters of a file's name


class Outcome(NamedTuple):
    """The outcome of a page."""

    page: PageFile
    output: str | Row = ""
    """The answer: written, or the row of a file of rows."""
    error: str = ""
    """Why there is none."""
    is_empty: bool = False
    """Whether the page was read but has no text."""

    @property
    def is_nothing(self) -> bool:
        """Whether it leaves no trace: a failure, or a record of an archive without a body."""
        return not self.output and (bool(self.error) or self.page.record is not None)


class Sink:
    """Takes the answers of a run, in order; left without an error, its files are whole."""

    def __init__(self) -> None:
        self._stack = ExitStack()

    def write(self, answer: Outcome) -> None:
        """Write one answer."""
        raise NotImplementedError

    def finish(self) -> None:
        """Write what stands after the last answer."""

    def __enter__(self) -> Sink:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._stack:
            if error is not None:
                raise error  # so that no half of a file takes the place of another
            self.finish()


class FileSink(Sink):
    """All answers one after the other in one stream."""

    def __init__(
        self, path: str | None, format: Format, *, is_single: bool, headings: bool
    ) -> None:
        super().__init__()
        self._format, self._is_single = format, is_single
        self._headings = headings and not is_single
        self._rows = 0
        self._file: TextIO = sys.stdout
        if path is not None:
            file = self._stack.enter_context(whole_file(path))
            self._file = TextIOWrapper(file, encoding="utf-8")
            self._stack.callback(self._file.detach)
        elif hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(encoding="utf-8")
        self._file.write(format.single if is_single else format.start)

    def write(self, answer: Outcome) -> None:
        """Write one answer."""
        if answer.is_nothing:
            return
        if self._rows:
            self._file.write("\n" if self._headings else self._format.between)
        if self._headings:
            self._file.write(f"==> {answer.page.name} <==\n")
        self._file.write(str(answer.output))
        self._file.flush()
        self._rows += 1

    def finish(self) -> None:
        """Write what stands after the last answer."""
        if not self._is_single:
            self._file.write(self._format.end)
        elif self._rows and self._format.is_record and self._format.end:
            self._file.write("\n")
        self._file.flush()


class ParquetSink(Sink):
    """A row for each page in one Parquet file."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._rows = Parquet(self._stack.enter_context(whole_file(path)))
        self._stack.callback(self._rows.close)

    def write(self, answer: Outcome) -> None:
        """Write the row of a page."""
        assert isinstance(answer.output, dict)
        self._rows.write(answer.output)


class FolderSink(Sink):
    """A file for each page, in the folders that the pages lie in below the one that was named."""

    def __init__(self, folder: str, format: Format) -> None:
        super().__init__()
        make_folder(folder)
        self._folder, self._format = folder, format
        self._taken: set[str] = set()

    def write(self, answer: Outcome) -> None:
        """Write the file of one answer; there is none for a page that has no answer."""
        if answer.error or answer.is_nothing:
            return
        path = self._path(answer.page)
        if os.path.dirname(path):
            make_folder(inside(self._folder, os.path.dirname(path)))
        output = str(answer.output)
        output = output if output.endswith("\n") else f"{output}\n"
        write_bytes(inside(self._folder, path), (self._format.single + output).encode())

    def _path(self, page: PageFile) -> str:
        """Return a path in the folder that no other page of this run has."""
        inside = os.path.relpath(page.path, page.folder) if page.folder else _file_name(page)
        stem = re.sub(r"(?:\.x?html?)?(?:\.gz)?\Z", "", inside) or "page"
        path, number = stem, 1
        while path in self._taken:
            number += 1
            path = f"{stem}-{number}"
        self._taken.add(path)
        return path + self._format.suffix


def _file_name(page: PageFile) -> str:
    if page.name == STDIN:
        return "stdin"
    if page.path == page.name:
        return os.path.basename(page.path)
    parts = urlsplit(page.name)
    name = "_".join(filter(None, [parts.netloc, parts.path.strip("/"), parts.query]))
    return _ODD.sub("_", name)[:_LONGEST_NAME].strip(".") or "page"
