"""Where answers go: standard output, a file, or a folder with a file for each page."""

from __future__ import annotations

import os
import re
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol, TextIO
from urllib.parse import urlsplit

from scrapy_boilerplate.cli.formats import Format
from scrapy_boilerplate.cli.sources import STDIN, PageFile
from scrapy_boilerplate.cli.work import Row

__all__ = ["FileSink", "FolderSink", "Sink", "is_folder"]

_ODD = re.compile(r"[^\w.-]+")
_LONGEST_NAME = 150  # characters of a file's name


class Sink(Protocol):
    """Takes the rows of a run, in order."""

    def write(self, row: Row) -> None:
        """Write one row."""

    def close(self) -> None:
        """Write what stands after the last row."""


class FileSink:
    """All answers one after the other in one stream."""

    def __init__(
        self, path: str | None, format: Format, *, is_single: bool, headings: bool
    ) -> None:
        self._format, self._is_single = format, is_single
        self._headings = headings and not is_single
        self._rows = 0
        with ExitStack() as stack:
            self._file: TextIO = sys.stdout
            if path is not None:
                self._file = stack.enter_context(Path(path).open("w", encoding="utf-8"))
            elif hasattr(sys.stdout, "reconfigure"):
                sys.stdout.reconfigure(encoding="utf-8")
            self._close = stack.pop_all().close
        self._file.write(format.single if is_single else format.start)

    def write(self, row: Row) -> None:
        """Write one row; one without an answer leaves no trace but in a file of records."""
        if row.error and not row.output:
            return
        if self._rows:
            self._file.write("\n" if self._headings else self._format.between)
        if self._headings:
            self._file.write(f"==> {row.page.name} <==\n")
        self._file.write(row.output)
        self._file.flush()
        self._rows += 1

    def close(self) -> None:
        """Write what stands after the last row."""
        if not self._is_single:
            self._file.write(self._format.end)
        elif self._rows and self._format.is_record and self._format.end:
            self._file.write("\n")
        self._file.flush()
        self._close()


class FolderSink:
    """A file for each page, in the folders that the pages lie in below the one that was named."""

    def __init__(self, folder: str, format: Format) -> None:
        self._folder, self._format = folder, format
        self._taken: set[str] = set()

    def write(self, row: Row) -> None:
        """Write the file of one row; there is none for a page that has no answer."""
        if row.error:
            return
        path = self._path(row.page)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        output = row.output if row.output.endswith("\n") else f"{row.output}\n"
        Path(path).write_text(self._format.single + output, encoding="utf-8")

    def close(self) -> None:
        """Do nothing: each file is complete."""

    def _path(self, page: PageFile) -> str:
        """Return a path that no other page of this run has."""
        inside = os.path.relpath(page.path, page.folder) if page.folder else _file_name(page)
        stem = re.sub(r"(?:\.x?html?)?(?:\.gz)?\Z", "", inside) or "page"
        path, number = stem, 1
        while path in self._taken:
            number += 1
            path = f"{stem}-{number}"
        self._taken.add(path)
        return os.path.join(self._folder, path + self._format.suffix)


def _file_name(page: PageFile) -> str:
    if page.name == STDIN:
        return "stdin"
    if page.path == page.name:
        return os.path.basename(page.path)
    parts = urlsplit(page.name)
    name = "_".join(filter(None, [parts.netloc, parts.path.strip("/"), parts.query]))
    return _ODD.sub("_", name)[:_LONGEST_NAME].strip(".") or "page"


def is_folder(output: str) -> bool:
    """Tell whether ``-o`` names a folder: one that is there, or a name that ends in a slash."""
    return output.endswith(("/", os.sep)) or os.path.isdir(output)
