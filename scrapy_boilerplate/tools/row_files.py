"""Files of rows, in the formats that hold them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import IO

from scrapy_boilerplate.tools.places import Place, whole_file
from scrapy_boilerplate.tools.rows import Row

# Rows that are written to a Parquet file at once, and bytes of their texts.
_MOST_ROWS, _MOST_BYTES = 1000, 32 << 20


WriteRow = Callable[[Row], object]


def row_line(row: Row) -> str:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"), default=str) + "\n"


@contextmanager
def _json_lines(file: IO[bytes], columns: tuple[str, ...]) -> Iterator[WriteRow]:
    yield lambda row: file.write(
        row_line({name: row[name] for name in columns}).encode("utf-8", "replace")
    )


@contextmanager
def _parquet(file: IO[bytes], columns: tuple[str, ...]) -> Iterator[WriteRow]:
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
            if len(rows) >= _MOST_ROWS or size >= _MOST_BYTES:
                flush()

        yield write
        flush()


# What writes rows to a file, complete after the `with`.
ROW_FORMATS: dict[str, Callable[[IO[bytes], tuple[str, ...]], AbstractContextManager[WriteRow]]] = {
    "jsonl": _json_lines,
    "parquet": _parquet,
}


@contextmanager
def row_file(place: Place, format: str, columns: tuple[str, ...]) -> Iterator[WriteRow]:
    with whole_file(place) as file, ROW_FORMATS[format](file, columns) as write:
        yield write
