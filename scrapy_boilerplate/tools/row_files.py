"""Files of rows, in the formats that hold them."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from typing import IO
from uuid import NAMESPACE_URL, uuid5

from scrapy_boilerplate.tools.places import Place, inside, make_folder, whole_file
from scrapy_boilerplate.tools.rows import COLUMNS, Row

ROWS, BYTES = 1000, 32 << 20
"""Rows, and bytes of their texts, that are written to a Parquet file at once."""


WET_COLUMNS = ("id", "url", "date", "text", "language")
"""The columns that a WET file holds."""

WriteRow = Callable[[Row], object]
"""Writes a row."""


def row_line(row: Row) -> str:
    """Return a row as a line of JSON."""
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"), default=str) + "\n"


@contextmanager
def _json_lines(file: IO[bytes], columns: tuple[str, ...], most_bytes: int) -> Iterator[WriteRow]:
    yield lambda row: file.write(
        row_line({name: row[name] for name in columns}).encode("utf-8", "replace")
    )


@contextmanager
def _parquet(file: IO[bytes], columns: tuple[str, ...], most_bytes: int) -> Iterator[WriteRow]:
    """Write rows some at a time."""
    from pyarrow.parquet import ParquetWriter

    from scrapy_boilerplate.tools.batch import arrow_schema, rows_to_table

    rows: list[Row] = []
    size = 0
    with ParquetWriter(file, arrow_schema(columns), compression="zstd") as writer:

        def flush() -> None:
            nonlocal size
            if rows:
                writer.write_table(rows_to_table(rows, columns))
            rows.clear()
            size = 0

        def write(row: Row) -> None:
            nonlocal size
            rows.append(row)
            size += 2 * len(row["text"] or "")
            if len(rows) >= ROWS or size >= most_bytes:
                flush()

        yield write
        flush()


@contextmanager
def _wet(file: IO[bytes], columns: tuple[str, ...], most_bytes: int) -> Iterator[WriteRow]:
    """Write texts as records of a WET file, as Common Crawl has them; a row without text none."""
    from scrapy_boilerplate import __version__

    about = f"software: scrapy_boilerplate {__version__}\r\nextracted: main content\r\n"
    file.write(_record({"WARC-Type": "warcinfo", "Content-Type": "application/warc-fields"}, about))

    def write(row: Row) -> None:
        if row["text"]:
            headers = {
                "WARC-Type": "conversion",
                "WARC-Target-URI": row["url"],
                "WARC-Date": row["date"],
                "WARC-Refers-To": row["id"] and f"<{row['id']}>",
                "WARC-Identified-Content-Language": row["language"],
                "Content-Type": "text/plain",
            }
            file.write(_record(headers, row["text"]))

    yield write


def _record(headers: Mapping[str, str | None], text: str) -> bytes:
    """Return a record as a gzip member; the same one has the same id."""
    block = text.encode("utf-8", "replace")
    digest = base64.b32encode(hashlib.sha1(block, usedforsecurity=False).digest()).decode()
    known = {"WARC-Date": _NO_DATE, **{name: value for name, value in headers.items() if value}}
    known["WARC-Record-ID"] = f"<urn:uuid:{uuid5(NAMESPACE_URL, f'{known} {digest}')}>"
    known |= {"WARC-Block-Digest": f"sha1:{digest}", "Content-Length": str(len(block))}
    lines = [f"{name}: {' '.join(value.split())}" for name, value in known.items()]
    head = "\r\n".join(["WARC/1.0", *lines, "", ""])
    data = head.encode("utf-8", "replace") + block + b"\r\n\r\n"
    return gzip.compress(data, 6, mtime=0)


_NO_DATE = "1970-01-01T00:00:00Z"

ROW_FORMATS: dict[str, Callable[..., AbstractContextManager[WriteRow]]] = {
    "jsonl": _json_lines,
    "parquet": _parquet,
    "wet": _wet,
}
"""What writes rows to an open file, by format; the file is complete after the ``with``."""

_SUFFIXES = {"wet": "warc.wet.gz"}


class RowFiles:
    """Files in a folder that rows are divided among, by their hosts and by number.

    The files are begun under *name* and appear together, at the end of the ``with``: all of them,
    or none if it raised. With *buckets* the rows of a host go to the folder ``bucket=N``. A file
    has at most *most_rows*.
    """

    def __init__(
        self,
        name: str,
        folder: Place,
        format: str,
        most_rows: int | None = None,
        buckets: int | None = None,
        columns: tuple[str, ...] = tuple(COLUMNS),
    ) -> None:
        self._folder, self._name, self._format = folder, name, format
        self._most_rows, self._buckets = most_rows, buckets
        write_rows, most_bytes = ROW_FORMATS[format], BYTES // (buckets or 1)
        self._open = partial(write_rows, columns=columns, most_bytes=most_bytes)
        self._stack = ExitStack()
        self._files: dict[str, tuple[WriteRow, list[int]]] = {}
        self.names: list[str] = []
        """The files, within the folder."""
        self.rows = 0

    def __enter__(self) -> RowFiles:
        if not self._buckets:  # an archive without any rows has a file, too
            self._begin("")
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.__exit__(*error)  # type: ignore[arg-type]

    @property
    def has_room(self) -> bool:
        """Whether the rows of another archive may go to the same files."""
        return self._most_rows is not None and self.rows < self._most_rows * (self._buckets or 1)

    def write(self, row: Row) -> None:
        """Write a row to the file of its host."""
        part = f"bucket={bucket(row['host'], self._buckets)}" if self._buckets else ""
        write, written = self._files.get(part) or self._begin(part)
        if written[0] == self._most_rows:
            write, written = self._begin(part)
        write(row)
        written[0] += 1
        self.rows += 1

    def _begin(self, part: str) -> tuple[WriteRow, list[int]]:
        number = sum(name.rpartition("/")[0] == part for name in self.names)
        name = f"{self._name}.part{number}" if number else self._name
        if part:
            make_folder(inside(self._folder, part))
        steps = [*filter(None, [part]), f"{name}.{_SUFFIXES.get(self._format, self._format)}"]
        file = self._stack.enter_context(whole_file(inside(self._folder, *steps)))
        write = self._stack.enter_context(self._open(file))
        self.names.append("/".join(steps))
        self._files[part] = write, [0]
        return self._files[part]


def bucket(host: str | None, buckets: int) -> int:
    """Return the part of *buckets* that the rows of a host go to.

    >>> bucket("a.example", 16)
    12
    """
    return zlib.crc32((host or "").encode("utf-8", "replace")) % buckets
