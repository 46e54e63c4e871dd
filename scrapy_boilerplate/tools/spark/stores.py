"""Moves site models between tables and the stores of crawls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from scrapy_boilerplate.learn import LearningOptions, SiteState
from scrapy_boilerplate.learn.stores import SiteStore, open_store

_SITES = 10_000  # that become a part of a table at once


def save_models(models: DataFrame, store: str) -> None:
    """Merge the states of *models*, a table of :func:`learn_sites`, into a site store.

    *store* is its address, as in ``BOILERPLATE_SITE_STORE``. The workers write to Redis; the driver
    writes a SQLite file. Raises :exc:`StoreError`.
    """
    states = models.select("site", "state").where("state IS NOT NULL")
    if "://" in store and not store.startswith("sqlite:"):
        states.foreachPartition(partial(_save, store=store))
    else:
        _save(states.toLocalIterator(), store)


def _save(rows: Iterable[Any], store: str) -> None:
    opened = open_store(store)
    try:
        for row in rows:
            opened.save(row["site"], bytes(row["state"]))
    finally:
        opened.close()


def load_models(spark: SparkSession, store: str) -> DataFrame:
    """Return the sites of a store as a table of :func:`learn_sites`.

    Rules that a person wrote are the models of their sites. Raises :exc:`StoreError`.
    """
    schema = "site string, pages int, state binary, model binary"
    opened = open_store(store)
    try:
        rows = _rows(opened)
        table = spark.createDataFrame([], schema)
        while part := list(islice(rows, _SITES)):
            table = table.union(spark.createDataFrame(part, schema))
        return table
    finally:
        opened.close()


def _rows(store: SiteStore) -> Iterator[tuple[str, int, bytes, bytes | None]]:
    rules = store.rules()
    options = LearningOptions()
    for site in sorted({*store.sites(), *rules}):
        data = store.load(site)
        state = SiteState() if data is None else SiteState.from_bytes(data)
        model = rules[site] if site in rules else state.learn(site, options)
        yield site, model.pages, state.to_bytes(), model.to_bytes() if model.useful else None
