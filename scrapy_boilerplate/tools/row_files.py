"""Files of rows, in the formats that hold them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import IO

from scrapy_boilerplate.tools.rows import Row

FINISHED = "_finished"
"""Folder beside files of rows that says what was read for them. Readers of folders of Parquet files
pass over names that begin so."""

ROWS, BYTES = 1000, 32 << 20
"""Rows, and bytes of their texts, that are written to a Parquet file at once."""


WriteRow = Callable[[Row], object]
"""Writes a row."""


def row_line(row: Row) -> str:
    """Return a row as a line of JSON."""
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"), default=str) + "\n"


@contextmanager
def _json_lines(file: IO[bytes]) -> Iterator[WriteRow]:
    yield lambda row: file.write(row_line(row).encode("utf-8", "replace"))


@contextmanager
def _parquet(file: IO[bytes]) -> Iterator[WriteRow]:
    """Write rows some at a time."""
    from pyarrow.parquet import ParquetWriter

    from scrapy_boilerplate.tools.batch import arrow_schema, rows_to_table

    rows: list[Row] = []
    size = 0
    with ParquetWriter(file, arrow_schema(), compression="zstd") as writer:

        def flush() -> None:
            nonlocal size
            if rows:
                writer.write_table(rows_to_table(rows))
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


ROW_FORMATS: dict[str, Callable[[IO[bytes]], AbstractContextManager[WriteRow]]] = {
    "jsonl": _json_lines,
    "parquet": _parquet,
}
"""What writes rows to an open file, by format; the file is complete after the ``with``."""
