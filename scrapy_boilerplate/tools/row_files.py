"""Files of rows, in the formats that hold them."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import IO
from uuid import NAMESPACE_URL, uuid5

from scrapy_boilerplate.tools.places import Place, whole_file
from scrapy_boilerplate.tools.rows import Row

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
def _json_lines(file: IO[bytes], columns: tuple[str, ...]) -> Iterator[WriteRow]:
    yield lambda row: file.write(
        row_line({name: row[name] for name in columns}).encode("utf-8", "replace")
    )


@contextmanager
def _parquet(file: IO[bytes], columns: tuple[str, ...]) -> Iterator[WriteRow]:
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
            if len(rows) >= ROWS or size >= BYTES:
                flush()

        yield write
        flush()


@contextmanager
def _wet(file: IO[bytes], columns: tuple[str, ...]) -> Iterator[WriteRow]:
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

ROW_FORMATS: dict[str, Callable[[IO[bytes], tuple[str, ...]], AbstractContextManager[WriteRow]]] = {
    "jsonl": _json_lines,
    "parquet": _parquet,
    "wet": _wet,
}
"""What writes rows to an open file, by format; the file is complete after the ``with``."""

_SUFFIXES = {"wet": "warc.wet.gz"}


def file_of(name: str, format: str) -> str:
    """Return the name of the file that holds the rows of an archive called *name*."""
    return f"{name}.{_SUFFIXES.get(format, format)}"


@contextmanager
def row_file(place: Place, format: str, columns: tuple[str, ...]) -> Iterator[WriteRow]:
    """Open a file of rows, which appears when it is whole."""
    with whole_file(place) as file, ROW_FORMATS[format](file, columns) as write:
        yield write
