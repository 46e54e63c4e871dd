"""Web archives as a table of pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from scrapy_boilerplate.tools.rows import InputPage
from scrapy_boilerplate.tools.warc.pages import (
    MOST_BODY,
    MOST_RECORD,
    ArchiveError,
    PageReader,
    archive_pages,
)

_SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("url", pa.string()),
        ("date", pa.string()),
        ("status", pa.int32()),
        ("encoding", pa.string()),
        ("html", pa.binary()),
        ("digest", pa.string()),
        ("reason", pa.string()),
        ("truncated", pa.bool_()),
        ("archive", pa.string()),
    ]
)
_ROWS, _BYTES = 256, 16 << 20  # of a batch


def read_warcs(
    spark: SparkSession,
    paths: Iterable[str],
    *,
    most_record: int = MOST_RECORD,
    most_body: int = MOST_BODY,
    with_bodies: bool = True,
) -> DataFrame:
    """Return the pages of web archives, a task an archive: the columns of
    :class:`~scrapy_boilerplate.tools.rows.InputPage`, and ``archive``.

    *paths* are files that all workers see, or addresses such as ``s3://bucket/name.warc.gz``, which
    pyarrow opens. An archive that cannot be opened or not be read to its end is a last row with
    its error as ``reason``. Damaged records are skipped; a last row of their archive counts them:
    ``damaged: 2 corrupt, 1 truncated``. Without bodies, addresses are read in a third of the time:
    enough for the *addresses* of :func:`learn_sites`.
    """
    names, reader = list(paths), PageReader(most_record, most_body, with_bodies)
    numbers = spark.range(len(names), numPartitions=max(len(names), 1))  # each its own partition
    read = partial(_read, names=names, reader=reader)
    return numbers.mapInArrow(read, from_arrow_schema(_SCHEMA))


def _read(
    batches: Iterator[pa.RecordBatch], names: Sequence[str], reader: PageReader
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for number in batch.column("id").to_pylist():
            archive = names[number]
            pages = _pages(archive, replace(reader, counts=Counter(), _digests={}))
            for part in _parts(pages):
                rows = [{**page._asdict(), "archive": archive} for page in part]
                yield pa.RecordBatch.from_pylist(rows, schema=_SCHEMA)


def _pages(archive: str, reader: PageReader) -> Iterator[InputPage]:
    try:
        yield from archive_pages(archive, reader)
    except ArchiveError as error:
        yield InputPage(None, reason=f"archive: {error}")
    damage = [
        f"{count} {name.removeprefix('damaged/')}"
        for name, count in sorted(reader.counts.items())
        if name.startswith("damaged/")
    ]
    if damage:
        yield InputPage(None, reason=f"damaged: {', '.join(damage)}")


def _parts(pages: Iterable[InputPage]) -> Iterator[list[InputPage]]:
    part: list[InputPage] = []
    size = 0
    for page in pages:
        part.append(page)
        size += len(page.html or b"")
        if len(part) >= _ROWS or size >= _BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part
