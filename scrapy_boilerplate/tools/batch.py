"""Many pages at once, as a table: the function that all engines call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import pyarrow as pa

from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.learn import SiteModel, site_key
from scrapy_boilerplate.learn.keys import KeyFunction, own_or_parents
from scrapy_boilerplate.tools.rows import (
    COLUMNS,
    MEMORY,
    METADATA,
    SECONDS,
    InputPage,
    Row,
    check_columns,
    page_pool,
    rows_of,
)

__all__ = ["arrow_schema", "extract_batch", "rows_to_table"]

_TYPES = {
    "string": pa.string(),
    "int": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "bool": pa.bool_(),
    "timestamp": pa.timestamp("us", tz="UTC"),
    "strings": pa.list_(pa.string()),
}


@lru_cache(16)
def arrow_schema(columns: tuple[str, ...] = tuple(COLUMNS)) -> pa.Schema:
    """Return *columns* of :data:`~scrapy_boilerplate.tools.rows.COLUMNS` as a schema of Arrow."""
    metadata = pa.struct([(name, _TYPES[kind]) for name, kind in METADATA.items()])
    types = {**_TYPES, "struct": metadata}
    return pa.schema([(name, types[COLUMNS[name]]) for name in columns])


def rows_to_table(rows: Sequence[Row], columns: tuple[str, ...] = tuple(COLUMNS)) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=arrow_schema(columns))


def extract_batch(
    html: Sequence[bytes | str | None] | pa.Array | pa.ChunkedArray,
    url: Sequence[str | None] | pa.Array | pa.ChunkedArray | None = None,
    *,
    extractor: str | Extractor = "auto",
    columns: Sequence[str] | None = None,
    models: Mapping[str, SiteModel | bytes] | None = None,
    key: str | KeyFunction = "host",
    isolate: bool = False,
    seconds: float = SECONDS,
    memory: int | None = MEMORY,
    **options: object,
) -> pa.Table:
    """Return a table with a row for each page, in order, with the columns of :func:`arrow_schema`.

    *url* holds their addresses. *columns* names those that you want (default: all); others take no
    time. *extractor* and *options* are those of :func:`~scrapy_boilerplate.extract`. *models* are
    applied to the pages of their sites and of these sites' sub-domains, by the site's *key*.

    With *isolate* the pages are read in another process, where each may take *seconds* and
    *memory* bytes: a page that hangs or crashes costs its row, whose ``reason`` says so. Without it
    a page that raises costs its row. Raises :exc:`ValueError` if *url* has another length than
    *html*, and for an unknown extractor or option, :exc:`TypeError` for a single page.

    >>> table = extract_batch([b"<p>One two three four five.", b""], extractor="mss")
    >>> table["text"].to_pylist(), table["reason"].to_pylist()
    (['One two three four five.', ''], [None, 'empty'])
    """
    if isinstance(html, (str, bytes)):
        raise TypeError("extract_batch takes a list of pages; extract reads a single one")
    if url is not None and len(url) != len(html):
        raise ValueError(f"{len(html)} pages have {len(url)} addresses")
    addresses = [None] * len(html) if url is None else list(_values(url))
    addresses = [each if isinstance(each, str) else None for each in addresses]  # pandas has NaN
    names = check_columns(columns)
    pool = page_pool(extractor, options, names, isolate=isolate, seconds=seconds, memory=memory)
    known = {
        site: model.to_bytes() if isinstance(model, SiteModel) else model
        for site, model in (models or {}).items()
    }
    site_of = site_key(key)
    find = (lambda url: own_or_parents(site_of(url), known.get)) if known else None
    with pool() as mapper:
        pages = map(InputPage, _values(html), addresses)
        return rows_to_table(list(rows_of(pages, mapper, find)), names)


def _values(column: Any) -> Iterator[Any]:
    if isinstance(column, (pa.Array, pa.ChunkedArray)):
        return (value.as_py() for value in column)
    return iter(column)
