"""Learning sites as a group-by: fingerprints are combined where they are made, then by site."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.functions import col
from pyspark.sql.pandas.types import from_arrow_schema

from scrapy_boilerplate.core.api import choose_method
from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.learn import LearningOptions, SiteState
from scrapy_boilerplate.learn.keys import KeyFunction
from scrapy_boilerplate.learn.samples import SAMPLE, storable
from scrapy_boilerplate.learn.stores import open_store
from scrapy_boilerplate.tools.isolation import LendPool, kept_pool
from scrapy_boilerplate.tools.page_fingerprints import PageFingerprints, samples_of
from scrapy_boilerplate.tools.rows import MEMORY, SECONDS
from scrapy_boilerplate.tools.spark.page_rows import PageColumns, batches_of

_FINGERPRINTS = pa.schema([("site", pa.string()), ("state", pa.binary())])
_MODELS = pa.schema(
    [("site", pa.string()), ("pages", pa.int32()), ("state", pa.binary()), ("model", pa.binary())]
)


def learn_sites(
    df: DataFrame,
    *,
    html: str = "html",
    url: str = "url",
    encoding: str | None = None,
    extractor: str | Extractor = "auto",
    learning: LearningOptions | None = None,
    key: str | KeyFunction = "host",
    isolate: bool = True,
    seconds: float = SECONDS,
    memory: int | None = MEMORY,
    **options: object,
) -> DataFrame:
    """Return what is learned of the sites of the pages in *df*: ``site``, ``pages``, ``state``,
    ``model``.

    Each task keeps a bounded sample of the fingerprints of each site's pages, and reads no page
    that cannot belong to the sample; the samples are merged by site. So the result is that of
    :func:`~scrapy_boilerplate.learn.extract_site` on the same pages, however they are divided and
    ordered, and a site with ten million pages costs no more than one with a hundred. ``state`` is
    what crawls keep in their stores, ``model`` what is applied: ``None`` where nothing was learned.

    The other arguments are those of :func:`extract`. Write the result before you use it twice:
    Spark would learn again.
    """
    method, _ = choose_method(extractor, options)
    learning = learning or LearningOptions(freeze_pages=SAMPLE)
    columns = PageColumns.of(df, html, url, encoding)
    pool = partial(
        kept_pool, PageFingerprints, method, isolate=isolate, seconds=seconds, memory=memory
    )
    fingerprint = partial(_fingerprinted, columns=columns, learning=learning, key=key, pool=pool)
    names = [name for name in columns[:3] if name]
    readable = df.where(col("reason").isNull()) if "reason" in df.columns else df
    fingerprints = readable.select(*names).mapInArrow(fingerprint, from_arrow_schema(_FINGERPRINTS))
    by_site = fingerprints.repartition("site").sortWithinPartitions("site")
    return by_site.mapInArrow(partial(_merged, learning=learning), from_arrow_schema(_MODELS))


def _fingerprinted(
    batches: Iterator[pa.RecordBatch],
    columns: PageColumns,
    learning: LearningOptions,
    key: str | KeyFunction,
    pool: LendPool,
) -> Iterator[pa.RecordBatch]:
    """Sample the pages of a partition."""
    pages = (page for batch in batches for page in columns.pages(batch))
    with pool() as mapper:
        for samples in samples_of(pages, mapper, key, learning):
            rows = ({"site": site, "state": s.to_bytes()} for site, s in samples.states())
            yield from batches_of(rows, _FINGERPRINTS)


def _merged(
    batches: Iterable[pa.RecordBatch], learning: LearningOptions
) -> Iterator[pa.RecordBatch]:
    """Merge the samples of each site, which come one after the other, and learn the site."""
    rows = (row for batch in batches for row in batch.to_pylist())
    sites = groupby(rows, itemgetter("site"))
    return batches_of((_learned(site, parts, learning) for site, parts in sites), _MODELS)


def _learned(
    site: str, parts: Iterable[dict[str, Any]], learning: LearningOptions
) -> dict[str, Any]:
    state = SiteState(learning.freeze_pages)
    for part in parts:
        state.merge(SiteState.from_bytes(part["state"], learning.freeze_pages))
    model = state.learn(site, learning)
    return {
        "site": site,
        "pages": len(state.fingerprints),
        "state": storable(state, model).to_bytes(),
        "model": model.to_bytes() if model.useful else None,
    }


def save_models(models: DataFrame, store: str) -> None:
    """Merge the states of *models*, a table of :func:`learn_sites`, into a site store.

    *store* is its address, as in ``BOILERPLATE_SITE_STORE``. The workers write to Redis; the driver
    writes a SQLite file. Raises :exc:`StoreError`.
    """
    states = models.select("site", "state")
    if "://" in store and not store.startswith("sqlite:"):
        states.foreachPartition(partial(_save, store=store))
    else:
        _save(states.toLocalIterator(), store)


def _save(rows: Iterable[Any], store: str) -> None:
    with open_store(store) as opened:
        for row in rows:
            opened.save(row["site"], bytes(row["state"]))
