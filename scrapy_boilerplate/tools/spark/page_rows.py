"""Web archives as a table of pages, and the rows of the pages in a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.learn.keys import KeyFunction
from scrapy_boilerplate.tools.batch import arrow_schema, rows_to_table
from scrapy_boilerplate.tools.isolation import LendPool
from scrapy_boilerplate.tools.rows import (
    MEMORY,
    SECONDS,
    InputPage,
    check_columns,
    page_pool,
    rows_of,
)
from scrapy_boilerplate.tools.site_models import FindModel, rules_text, site_models
from scrapy_boilerplate.tools.warc.archived_pages import PageReader, record_pages, told_pages
from scrapy_boilerplate.tools.warc.index import PLACE


class PageColumns(NamedTuple):
    html: str
    url: str | None
    encoding: str | None
    reason: str = "reason"
    date: str = "date"
    truncated: str = "truncated"
    noindex: str = "noindex"
    tdm_reservation: str = "tdm_reservation"

    @classmethod
    def of(cls, df: DataFrame, html: str, url: str | None, encoding: str | None) -> PageColumns:
        """Return the columns of *df*; raise :exc:`ValueError` for one that is not there."""
        encoding = encoding or ("encoding" if "encoding" in df.columns else None)
        missing = [name for name in (html, url, encoding) if name and name not in df.columns]
        if missing:
            raise ValueError(f"no column {', '.join(missing)}; there are: {', '.join(df.columns)}")
        return cls(html, url, encoding)

    def pages(self, batch: pa.RecordBatch) -> Iterator[InputPage]:
        """Yield the pages of a batch; those with a reason have no body any more."""
        names = set(batch.schema.names)
        known = {name: column for name, column in self._asdict().items() if column in names}
        for row in batch.select([*known.values()]).to_pylist():
            page = InputPage(**{name: row[column] for name, column in known.items()})
            date = page.date if isinstance(page.date, str) else None  # which users may have, too
            yield page._replace(html=None if page.reason else page.html, date=date)


def extract(
    df: DataFrame,
    *,
    html: str = "html",
    url: str | None = "url",
    encoding: str | None = None,
    extractor: str | Extractor = "auto",
    columns: Sequence[str] | None = None,
    models: str | None = None,
    rules: str | None = None,
    key: str | KeyFunction = "host",
    isolate: bool = True,
    seconds: float = SECONDS,
    memory: int | None = MEMORY,
    **options: object,
) -> DataFrame:
    """Return *df* with *columns* of :data:`~scrapy_boilerplate.tools.rows.COLUMNS` (default: all)
    instead of the HTML.

    *html*, *url* and *encoding* name its columns: bytes or text, addresses, and what HTTP declares
    (default: the column ``encoding``, if there is one). Columns that *df* has already keep their
    values. Rows with a ``reason`` keep it and are not extracted; what is ``truncated`` stays so.
    *extractor* and *options* are those of :func:`~scrapy_boilerplate.extract`.

    *models* is the folder or address of a table of :func:`learn_sites` as Parquet files, of which
    each worker reads those that are of use by pyarrow, or the address of a site store, which is
    asked for each site: for more models than a worker has memory for. *rules* is a file of rules,
    which is read here and adds to what was learned. *key* is what counts as one site.

    With *isolate* each worker reads pages in another process, where a page may take *seconds* and
    *memory* bytes: one that hangs or crashes costs its row. Raises :exc:`ValueError` for an unknown
    extractor or option, and for a column that is not there.
    """
    names = check_columns(columns)
    pool = page_pool(extractor, options, names, isolate=isolate, seconds=seconds, memory=memory)
    given = PageColumns.of(df, html, url, encoding)
    if (models or rules) and url is None:
        raise ValueError("models and rules need the URLs of pages: name their column with url=")
    ours = {*given} - {given.url, given.date}
    kept = [name for name in df.columns if name not in ours]
    new = (*(name for name in names if name not in kept),)
    models_of = partial(site_models, models, key, rules_text(rules))
    work = partial(_extracted, columns=given, kept=kept, new=new, pool=pool, models_of=models_of)
    made = from_arrow_schema(arrow_schema(new))
    schema = StructType([*(df.schema[name] for name in kept), *made])
    return df.mapInArrow(work, schema)


def _extracted(
    batches: Iterator[pa.RecordBatch],
    columns: PageColumns,
    kept: list[str],
    new: tuple[str, ...],
    pool: LendPool,
    models_of: Callable[[], AbstractContextManager[FindModel]],
) -> Iterator[pa.RecordBatch]:
    with pool() as mapper, models_of() as models:
        for batch in batches:
            table = rows_to_table(list(rows_of(columns.pages(batch), mapper, models)), new)
            made = [column.combine_chunks() for column in table.columns]
            arrays = [*(batch.column(name) for name in kept), *made]
            yield pa.RecordBatch.from_arrays(arrays, [*kept, *new])


def _tasks(spark: SparkSession, number: int) -> DataFrame:
    """Return numbers, each in a partition of its own."""
    return spark.range(number, numPartitions=max(number, 1))


def _numbers(batches: Iterable[pa.RecordBatch]) -> Iterator[int]:
    return (number for batch in batches for number in batch.column("id").to_pylist())


_AS_IN_ROWS = (
    "id url date status digest content_type x_robots_tag archive offset "
    "noindex tdm_reservation reason truncated"
).split()
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
    the limits.
    """
    names, reader = list(paths), reader or PageReader()

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return _batches_of_pages(
            page for n in _numbers(batches) for page in told_pages(names[n], reader.anew())
        )

    return _tasks(spark, len(names)).mapInArrow(work, from_arrow_schema(_SCHEMA))


def read_records(df: DataFrame, *, base: str = "", reader: PageReader | None = None) -> DataFrame:
    """Return the pages of the records that an index names, in the form of :func:`read_warcs`.

    *df* has rows of Common Crawl's columnar index, chosen as you like: ``warc_filename``,
    ``warc_record_offset`` and ``warc_record_length``. *base* is the address of the archives, such
    as ``s3://commoncrawl/``; only these records are read of them.
    """
    reader = reader or PageReader()
    places = df.select(*PLACE).repartition(PLACE[0]).sortWithinPartitions(*PLACE)

    def pages(batch: pa.RecordBatch) -> Iterator[InputPage]:
        rows = zip(*(column.to_pylist() for column in batch.columns), strict=True)
        for _, records in groupby(rows, itemgetter(0)):
            yield from record_pages(records, base, reader.anew())

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return _batches_of_pages(page for batch in batches for page in pages(batch))

    return places.mapInArrow(work, from_arrow_schema(_SCHEMA))


def _batches_of_pages(pages: Iterator[InputPage]) -> Iterator[pa.RecordBatch]:
    return batches_of((page._asdict() for page in pages), _SCHEMA)


def batches_of(rows: Iterable[dict[str, Any]], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Yield rows as batches that Spark can hold: of some rows, and some bytes of HTML."""
    part: list[dict[str, Any]] = []
    size = 0
    for row in rows:
        part.append(row)
        size += len(row.get("html") or b"")
        if len(part) >= _ROWS or size >= _BYTES:
            yield pa.RecordBatch.from_pylist(part, schema=schema)
            part, size = [], 0
    if part:
        yield pa.RecordBatch.from_pylist(part, schema=schema)
