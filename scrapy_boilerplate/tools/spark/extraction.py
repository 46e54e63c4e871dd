"""Rows of the pages in a data frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.functions import col, min_by, posexplode, udf

from scrapy_boilerplate.core.api import choose_method
from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.learn import site_key
from scrapy_boilerplate.learn.keys import KeyFunction, parents
from scrapy_boilerplate.tools.batch import models_by_address, rows_to_table
from scrapy_boilerplate.tools.isolation import kept_pool
from scrapy_boilerplate.tools.rows import (
    COLUMNS,
    MEMORY,
    METADATA,
    SECONDS,
    PageInput,
    PageRows,
    Row,
    placed_row,
    rows_of,
)

_TYPES = {"bool": "boolean", "strings": "array<string>"}  # the others have our names
_SITE, _MODEL = "boilerplate_site", "boilerplate_model"  # columns that come and go


def extract(
    df: DataFrame,
    *,
    html: str = "html",
    url: str | None = "url",
    encoding: str | None = None,
    extractor: str | Extractor = "auto",
    models: DataFrame | None = None,
    join: Literal["broadcast", "site"] = "broadcast",
    key: str | KeyFunction = "host",
    isolate: bool = True,
    seconds: float = SECONDS,
    memory: int | None = MEMORY,
    **options: object,
) -> DataFrame:
    """Return *df* with the columns of :data:`~scrapy_boilerplate.tools.rows.COLUMNS` instead of
    the HTML.

    *html*, *url* and *encoding* name its columns: bytes or text, addresses, and what HTTP declares
    (default: the column ``encoding``, if there is one). Columns that *df* has already keep their
    values. Rows with a ``reason`` keep it and are not extracted; what is ``truncated`` stays so.
    *extractor* and *options* are those of :func:`~scrapy_boilerplate.extract`.

    *models* is a table of :func:`learn_sites`, *key* what it took for one site. Each worker gets
    all models that are of use (``broadcast``), or each page that of its site by a join (``site``),
    which moves the pages between workers: for more models than a worker has memory for.

    With *isolate* each worker reads pages in another process, where a page may take *seconds* and
    *memory* bytes: one that hangs or crashes costs its row. Raises :exc:`ValueError` for an unknown
    extractor or option, and for a column that is not there.
    """
    choose_method(extractor, options)  # which may find mistakes
    encoding = encoding or ("encoding" if "encoding" in df.columns else None)
    missing = [name for name in (html, url, encoding) if name and name not in df.columns]
    if missing:
        raise ValueError(f"no column {', '.join(missing)}; there are: {', '.join(df.columns)}")
    if models is not None and url is None:
        raise ValueError("models are found by the addresses of pages: name their column")
    useful: dict[str, bytes] = {}
    if models is not None and join == "broadcast":
        table = models.select("site", "model").where(col("model").isNotNull()).toArrow()
        useful = dict(zip(*(table[name].to_pylist() for name in table.column_names), strict=True))
    elif models is not None:
        df = _with_models(df, models, str(url), key)
    ours = (html, encoding, "reason", "truncated", _MODEL, _SITE)
    kept = [name for name in df.columns if name not in ours]
    new = [name for name in COLUMNS if name not in kept]
    work = _SparkExtraction(
        html, url, encoding, kept, new, extractor, options, useful, key, isolate, seconds, memory
    )
    old = [f"`{name}` {df.schema[name].dataType.simpleString()}" for name in kept]
    return df.mapInArrow(work, ", ".join([*old, *map(declared, new)]))


def declared(name: str) -> str:
    """Return a column of a row and its type, as Spark writes it."""
    kind = COLUMNS[name]
    if kind == "struct":
        parts = ", ".join(f"{part}: {_TYPES.get(each, each)}" for part, each in METADATA.items())
        return f"{name} struct<{parts}>"
    return f"{name} {_TYPES.get(kind, kind)}"


def _with_models(df: DataFrame, models: DataFrame, url: str, key: str | KeyFunction) -> DataFrame:
    """Return pages with the models of their sites; Spark divides the pages of large sites."""
    site_of = udf(partial(_site, key=key), "string")
    return df.withColumn(_SITE, site_of(col(url))).join(_resolved(models), _SITE, "left")


def _site(url: str | None, key: str | KeyFunction) -> str:
    return site_key(key)(url or "")


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


@dataclass(frozen=True)
class _SparkExtraction:
    """Extracts the batches of a partition."""

    html: str
    url: str | None
    encoding: str | None
    kept: list[str]
    new: list[str]
    extractor: str | Extractor
    options: Mapping[str, object]
    models: Mapping[str, bytes]
    key: str | KeyFunction
    isolate: bool
    seconds: float
    memory: int | None

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        find = models_by_address(self.models, self.key) if self.models else None
        with kept_pool(
            PageRows,
            self.extractor,
            self.options,
            isolate=self.isolate,
            seconds=self.seconds,
            memory=self.memory,
        ) as pool:
            for batch in batches:
                rows = list(rows_of(self._pages(batch, find), pool))
                yield self._batch(batch, rows)

    def _pages(
        self, batch: pa.RecordBatch, find: Callable[[str], bytes | None] | None
    ) -> Iterator[PageInput]:
        names = (self.html, self.url, self.encoding, _MODEL, "reason")
        columns = [_values(batch, name) for name in names]
        for html, url, encoding, model, reason in zip(*columns, strict=True):
            found = find(url) if find is not None and url else model
            yield None if reason else html, url, encoding, found

    def _batch(self, batch: pa.RecordBatch, rows: list[Row]) -> pa.RecordBatch:
        known = (_values(batch, name) for name in (self.url, "date", "reason", "truncated"))
        placed = []
        for row, url, date, reason, truncated in zip(rows, *known, strict=True):
            row["reason"] = reason or row["reason"]
            row["truncated"] = (truncated and row["text"] is not None) or row["truncated"]
            placed.append(placed_row(row, url, date if isinstance(date, str) else None))
        table = rows_to_table(placed).combine_chunks()
        made = [table[name].combine_chunks() for name in self.new]
        arrays = [*(batch.column(name) for name in self.kept), *made]
        return pa.RecordBatch.from_arrays(arrays, [*self.kept, *self.new])


def _values(batch: pa.RecordBatch, name: str | None) -> Iterable[Any]:
    if name is None or name not in batch.schema.names:
        return [None] * batch.num_rows
    return (value.as_py() for value in batch.column(name))
