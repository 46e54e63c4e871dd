"""Web archives as a table of pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from operator import itemgetter

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from scrapy_boilerplate.tools.batch import arrow_schema
from scrapy_boilerplate.tools.rows import InputPage
from scrapy_boilerplate.tools.warc.archived_pages import (
    PageReader,
    record_pages,
    told_pages,
)
from scrapy_boilerplate.tools.warc.index import PLACE

# Columns that say what is known of a page before it is read
OF_RECORDS = (*"id url date status digest content_type x_robots_tag archive offset".split(),)

_AS_IN_ROWS = (*OF_RECORDS, "noindex", "tdm_reservation", "reason", "truncated")
_SCHEMA = pa.schema(
    [*map(arrow_schema().field, _AS_IN_ROWS), ("encoding", pa.string()), ("html", pa.binary())]
)
_ROWS, _BYTES = 256, 16 << 20  # of a batch


def read_warcs(
    spark: SparkSession, paths: Iterable[str], *, reader: PageReader | None = None
) -> DataFrame:
    """Return the pages of web archives, a task an archive: the columns of
    :class:`~scrapy_boilerplate.tools.rows.InputPage`.

    *paths* are files that all workers see, or addresses such as ``s3://bucket/name.warc.gz``, which
    pyarrow opens. An archive that cannot be opened or not be read to its end is a last row with
    its error as ``reason``; a damaged record is a row with the reason ``damaged: …``. *reader* has
    the limits; ``PageReader(with_bodies=False)`` is enough for the *addresses* of
    :func:`learn_sites`.
    """
    return of_archives(spark, paths, _batches, from_arrow_schema(_SCHEMA), reader)


def of_archives(
    spark: SparkSession,
    paths: Iterable[str],
    make: Callable[[Iterator[Iterator[InputPage]]], Iterator[pa.RecordBatch]],
    schema: StructType,
    reader: PageReader | None = None,
) -> DataFrame:
    """Return what *make* makes of the pages of each archive, a task an archive."""
    names, reader = list(paths), reader or PageReader()
    numbers = spark.range(len(names), numPartitions=max(len(names), 1))  # each its own partition

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        chosen = (number for batch in batches for number in batch.column("id").to_pylist())
        return make(told_pages(names[n], reader.anew()) for n in chosen)

    return numbers.mapInArrow(work, schema)


def read_records(df: DataFrame, *, base: str = "", reader: PageReader | None = None) -> DataFrame:
    """Return the pages of the records that an index names, in the form of :func:`read_warcs`.

    *df* has rows of Common Crawl's columnar index, chosen as you like: ``warc_filename``,
    ``warc_record_offset`` and ``warc_record_length``. *base* is the address of the archives, such
    as ``s3://commoncrawl/``; only these records are read of them.
    """
    reader = reader or PageReader()
    places = df.select(*PLACE).repartition(PLACE[0]).sortWithinPartitions(*PLACE)

    def archives(batch: pa.RecordBatch) -> Iterator[Iterator[InputPage]]:
        rows = zip(*(column.to_pylist() for column in batch.columns), strict=True)
        for _, records in groupby(rows, itemgetter(0)):
            yield record_pages(records, base, reader.anew())

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return _batches(pages for batch in batches for pages in archives(batch))

    return places.mapInArrow(work, from_arrow_schema(_SCHEMA))


def _batches(archives: Iterator[Iterator[InputPage]]) -> Iterator[pa.RecordBatch]:
    for pages in archives:
        for part in _parts(pages):
            rows = [page._asdict() for page in part]
            yield pa.RecordBatch.from_pylist(rows, schema=_SCHEMA)


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
