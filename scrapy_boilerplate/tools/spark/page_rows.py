"""Rows of the pages in a data frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import islice
from typing import Any, Literal, NamedTuple

import pyarrow as pa
from pyarrow.compute import field
from pyarrow.dataset import dataset
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, min_by, posexplode, udf
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.learn import site_key
from scrapy_boilerplate.learn.keys import KeyFunction, parents
from scrapy_boilerplate.tools.batch import arrow_schema, by_address, rows_to_table
from scrapy_boilerplate.tools.isolation import LendPool
from scrapy_boilerplate.tools.places import is_remote, located
from scrapy_boilerplate.tools.rows import (
    MEMORY,
    SECONDS,
    InputPage,
    check_columns,
    page_pool,
    rows_of,
)
from scrapy_boilerplate.tools.spark.archives import KEPT, of_archives, read_warcs

_SITE, _MODEL = "boilerplate_site", "boilerplate_model"  # columns that come and go


class PageColumns(NamedTuple):
    """The columns of a data frame that hold what is known of its pages."""

    html: str
    url: str | None
    encoding: str | None
    model: str = _MODEL
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
        known = {
            name: batch.column(column) for name, column in self._asdict().items() if column in names
        }
        for number in range(batch.num_rows):
            page = InputPage(**{name: values[number].as_py() for name, values in known.items()})
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
    models: DataFrame | str | None = None,
    join: Literal["broadcast", "site"] = "broadcast",
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

    *models* is a table of :func:`learn_sites`, or the folder or address of one as Parquet files,
    which each worker reads by pyarrow; *key* is what it took for one site. Each worker has all
    models that are of use (``broadcast``), which come through the driver unless they are files, or
    each page gets that of its site by a join (``site``), which moves the pages between workers: for
    more models than a worker has memory for.

    With *isolate* each worker reads pages in another process, where a page may take *seconds* and
    *memory* bytes: one that hangs or crashes costs its row. Raises :exc:`ValueError` for an unknown
    extractor or option, and for a column that is not there.
    """
    names = check_columns(columns)
    pool = page_pool(extractor, options, names, isolate=isolate, seconds=seconds, memory=memory)
    given = PageColumns.of(df, html, url, encoding)
    if models is not None and url is None:
        raise ValueError("models need the URLs of pages: name their column with url=")
    if models is not None and join == "site":
        table = df.sparkSession.read.parquet(models) if isinstance(models, str) else models
        df, models = _with_models(df, table, str(url), key), None
    ours = {*given, _SITE} - {given.url, given.date}
    kept = [name for name in df.columns if name not in ours]
    new = (*(name for name in names if name not in kept),)
    work = partial(_extracted, columns=given, kept=kept, new=new, pool=pool)
    made = from_arrow_schema(arrow_schema(new))
    schema = StructType([*(df.schema[name] for name in kept), *made])
    return df.mapInArrow(partial(work, find=_finder(models, key)), schema)


FindModels = Callable[[], Callable[[str], bytes | None] | None]
"""Makes in a worker what gives the model of a page's site by its address, if there are models."""


def _finder(models: DataFrame | str | None, key: str | KeyFunction) -> FindModels:
    if models is None:
        return _no_models
    if isinstance(models, str):
        return partial(_models_of_files, models, key)
    useful = models.select("site", "model").where(col("model").isNotNull()).toArrow()
    return partial(_models_of_table, useful, key)


def _no_models() -> None:
    return None


def extract_warcs(
    spark: SparkSession,
    paths: Iterable[str],
    *,
    extractor: str | Extractor = "auto",
    columns: Sequence[str] | None = None,
    models: DataFrame | str | None = None,
    join: Literal["broadcast", "site"] = "broadcast",
    key: str | KeyFunction = "host",
    **more: Any,
) -> DataFrame:
    """Return the rows of web archives, as :func:`extract` of :func:`read_warcs` does.

    A task reads an archive and extracts it, so that no HTML leaves its worker, unless by *join* it
    goes to the models of its site. The arguments are those of these functions.
    """
    if join == "site" and models is not None:
        more |= {"extractor": extractor, "columns": columns, "models": models, "key": key}
        return extract(read_warcs(spark, paths), join=join, **more)
    limits = {name: more.pop(name) for name in ("isolate", "seconds", "memory") if name in more}
    names = (*dict.fromkeys((*KEPT, *check_columns(columns))),)
    pool = page_pool(extractor, more, names, **limits)
    find = _finder(models, key)

    def rows(archives: Iterator[Iterator[InputPage]]) -> Iterator[pa.RecordBatch]:
        models_of = find()
        with pool() as mapper:
            for pages in archives:
                made = rows_of(pages, mapper, models_of)
                while part := list(islice(made, _ROWS)):
                    yield from rows_to_table(part, names).combine_chunks().to_batches()

    return of_archives(spark, paths, rows, from_arrow_schema(arrow_schema(names)))


_ROWS = 256  # of a batch


def _extracted(
    batches: Iterator[pa.RecordBatch],
    columns: PageColumns,
    kept: list[str],
    new: tuple[str, ...],
    pool: LendPool,
    find: FindModels,
) -> Iterator[pa.RecordBatch]:
    """Extract the batches of a partition: the columns that are *kept*, and *new* ones."""
    models = find()
    with pool() as mapper:
        for batch in batches:
            table = rows_to_table(list(rows_of(columns.pages(batch), mapper, models)), new)
            made = [column.combine_chunks() for column in table.columns]
            arrays = [*(batch.column(name) for name in kept), *made]
            yield pa.RecordBatch.from_arrays(arrays, [*kept, *new])


def _models_of_table(table: pa.Table, key: str | KeyFunction) -> Callable[[str], bytes | None]:
    """Return what gives a page's model by its address, from a table of sites and models."""
    rows = {site: number for number, site in enumerate(table["site"].to_pylist())}
    models = table["model"]
    return by_address(lambda site: models[rows[site]].as_py() if site in rows else None, key)


@lru_cache(1)  # for the tasks of a worker, one after the other
def _models_of_files(path: str, key: str | KeyFunction) -> Callable[[str], bytes | None]:
    system, within = located(path) if is_remote(path) else (None, path)
    known = dataset(within, filesystem=system, format="parquet")
    return _models_of_table(
        known.to_table(columns=["site", "model"], filter=~field("model").is_null()), key
    )


def _with_models(df: DataFrame, models: DataFrame, url: str, key: str | KeyFunction) -> DataFrame:
    """Return pages with the models of their sites; Spark divides the pages of large sites."""
    site_of = udf(lambda url: site_key(key)(url or ""), "string")
    return df.withColumn(_SITE, site_of(col(url))).join(_resolved(models), _SITE, "left")


def _resolved(models: DataFrame) -> DataFrame:
    """Return each site with its model, or with that of its nearest parent that has one."""
    own = models.where(col("model").isNotNull())
    lacking = models.where(col("model").isNull())
    parents_of = udf(lambda site: list(parents(site)), "array<string>")
    wanted = lacking.select("site", posexplode(parents_of("site")).alias("distance", "parent"))
    found = wanted.join(own.select(col("site").alias("parent"), "model"), "parent")
    nearest = found.groupBy("site").agg(min_by("model", "distance").alias("model"))
    both = own.select("site", "model").union(nearest)
    return both.select(col("site").alias(_SITE), col("model").alias(_MODEL))
