"""Files of rows, written beside their place and moved there when they are whole."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from scrapy_boilerplate.rows import Row

__all__ = ["FORMATS", "whole_file"]

ROWS, BYTES = 1000, 32 << 20
"""Rows, and bytes of HTML's text, that are written at once."""


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing that is at *path* when it is whole, and never before."""
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _write_jsonl(rows: Iterable[Row], file: IO[bytes]) -> None:
    for row in rows:
        line = json.dumps(row, ensure_ascii=False, separators=(",", ":"))
        file.write(line.encode("utf-8", "replace") + b"\n")


def _write_parquet(rows: Iterable[Row], file: IO[bytes]) -> None:
    from pyarrow.parquet import ParquetWriter

    from scrapy_boilerplate.batch import arrow_schema, rows_to_table

    with ParquetWriter(file, arrow_schema(), compression="zstd") as writer:
        for part in _parts(rows):
            writer.write_table(rows_to_table(part))


def _parts(rows: Iterable[Row]) -> Iterator[list[Row]]:
    part: list[Row] = []
    size = 0
    for row in rows:
        part.append(row)
        size += 2 * len(row["text"] or "")
        if len(part) >= ROWS or size >= BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part


FORMATS: dict[str, Callable[[Iterable[Row], IO[bytes]], None]] = {
    "jsonl": _write_jsonl,
    "parquet": _write_parquet,
}
"""What writes rows to a file, by format."""
