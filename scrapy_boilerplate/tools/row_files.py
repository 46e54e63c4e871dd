"""Files of rows, in the formats that hold them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import IO, Protocol

from scrapy_boilerplate.tools.rows import Row

FINISHED = "_finished"
"""Folder beside files of rows that says what was read for them. Readers of folders of Parquet files
pass over names that begin so."""

ROWS, BYTES = 1000, 32 << 20
"""Rows, and bytes of their texts, that are written to a Parquet file at once."""


class RowWriter(Protocol):
    """Writes rows to a file, one after the other."""

    def write(self, row: Row) -> None:
        """Write a row."""

    def close(self) -> None:
        """Write what comes after the last row; the file stays open."""


def row_line(row: Row) -> str:
    """Return a row as a line of JSON."""
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"), default=str) + "\n"


class JsonLines:
    """Writes rows as lines of JSON."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, row: Row) -> None:
        """Write a row."""
        self._file.write(row_line(row).encode("utf-8", "replace"))

    def close(self) -> None:
        """Do nothing: each line is complete."""


class Parquet:
    """Writes rows as a Parquet file, some at a time."""

    def __init__(self, file: IO[bytes]) -> None:
        from pyarrow.parquet import ParquetWriter

        from scrapy_boilerplate.tools.batch import arrow_schema

        self._writer = ParquetWriter(file, arrow_schema(), compression="zstd")
        self._rows: list[Row] = []
        self._size = 0

    def write(self, row: Row) -> None:
        """Write a row, or keep it until there are enough."""
        self._rows.append(row)
        self._size += 2 * len(row["text"] or "")
        if len(self._rows) >= ROWS or self._size >= BYTES:
            self._write()

    def _write(self) -> None:
        from scrapy_boilerplate.tools.batch import rows_to_table

        if self._rows:
            self._writer.write_table(rows_to_table(self._rows))
        self._rows, self._size = [], 0

    def close(self) -> None:
        """Write the rows that are left, and what a reader looks for at the end."""
        self._write()
        self._writer.close()


ROW_FORMATS: dict[str, Callable[[IO[bytes]], RowWriter]] = {
    "jsonl": JsonLines,
    "parquet": Parquet,
}
"""What writes rows to a file, by format."""
