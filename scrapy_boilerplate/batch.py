"""Many pages at once, as a table: the function that all engines call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import repeat
from typing import Any

import pyarrow as pa

from scrapy_boilerplate.extractors import Extractor
from scrapy_boilerplate.isolation import Isolated, Lost
from scrapy_boilerplate.rows import COLUMNS, METADATA, PageInput, PageRows, Row, empty_row
from scrapy_boilerplate.sites import SiteModel, site_key
from scrapy_boilerplate.sites.keys import KeyFunction
from scrapy_boilerplate.sites.samples import own_or_parents

__all__ = ["MEMORY", "SECONDS", "RowMaker", "arrow_schema", "extract_batch", "rows_to_table"]

SECONDS = 30.0
"""How long a page may take where pages are isolated. The slowest of 5 704 takes half a second."""

MEMORY = 2 << 30
"""Bytes of memory that the process of isolated pages may take."""

_TYPES = {
    "string": pa.string(),
    "int": pa.int32(),
    "float": pa.float32(),
    "bool": pa.bool_(),
    "strings": pa.list_(pa.string()),
}


@cache
def arrow_schema() -> pa.Schema:
    """Return :data:`~scrapy_boilerplate.rows.COLUMNS` as a schema of Arrow.

    >>> arrow_schema().field("text").type
    DataType(string)
    """
    metadata = pa.struct([(name, _TYPES[kind]) for name, kind in METADATA.items()])
    types = {**_TYPES, "struct": metadata}
    return pa.schema([(name, types[kind]) for name, kind in COLUMNS.items()])


def rows_to_table(rows: Sequence[Row]) -> pa.Table:
    """Return rows as a table with :func:`arrow_schema`."""
    return pa.Table.from_pylist(rows, schema=arrow_schema())


class RowMaker:
    """Makes rows of pages, one after the other, in a process of its own if *isolate* is set.

    *models* gives the serialised model of a page's site by its address, or ``None``. Close it, or
    use it in a ``with`` statement.
    """

    def __init__(
        self,
        extractor: str | Extractor = "auto",
        options: Mapping[str, object] | None = None,
        *,
        models: Callable[[str], bytes | None] | None = None,
        isolate: bool = True,
        seconds: float = SECONDS,
        memory: int | None = MEMORY,
    ) -> None:
        self._models = models
        self._isolated: Isolated | None = None
        if isolate:
            self._isolated = Isolated(PageRows, extractor, options, seconds=seconds, memory=memory)
        else:
            self._here = PageRows(extractor, options)

    def __enter__(self) -> RowMaker:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        if self._isolated is not None:
            self._isolated.close()

    def rows(
        self, pages: Iterable[tuple[bytes | str | None, str | None, str | None]]
    ) -> Iterator[Row]:
        """Yield the row of each (HTML, address, encoding that HTTP declares), in order."""
        inputs = map(self._input, pages)
        if self._isolated is None:
            return map(self._row, inputs)
        return map(_found, self._isolated.map(inputs))

    def _input(self, page: tuple[bytes | str | None, str | None, str | None]) -> PageInput:
        html, url, encoding = page
        return html, url, encoding, self._models(url) if self._models and url else None

    def _row(self, page: PageInput) -> Row:
        try:
            return self._here(page)
        except Exception as error:
            return _found(Lost("error", f"{type(error).__name__}: {error}"))


def _found(answer: Row | Lost) -> Row:
    if not isinstance(answer, Lost):
        return answer
    return empty_row(f"{answer.reason}: {answer.message}" if answer.message else answer.reason)


def extract_batch(
    html: Sequence[bytes | str | None] | pa.Array | pa.ChunkedArray,
    url: Sequence[str | None] | pa.Array | pa.ChunkedArray | None = None,
    *,
    extractor: str | Extractor = "auto",
    models: Mapping[str, SiteModel | bytes] | None = None,
    key: str | KeyFunction = "host",
    isolate: bool = False,
    seconds: float = SECONDS,
    memory: int | None = MEMORY,
    **options: object,
) -> pa.Table:
    """Return a table with a row for each page, in order, with the columns of :func:`arrow_schema`.

    *url* holds their addresses. *extractor* and *options* are those of
    :func:`~scrapy_boilerplate.extract`. *models* are applied to the pages of their sites and of
    these sites' sub-domains, by the site's *key*.

    With *isolate* the pages are read in another process, where each may take *seconds* and
    *memory* bytes: a page that hangs or crashes costs its row, whose ``reason`` says so. Without it
    a page that raises costs its row. Raises :exc:`ValueError` if *url* has another length than
    *html*, and for an unknown extractor or option.

    >>> table = extract_batch([b"<p>One two three four five.", b""], extractor="mss")
    >>> table["text"].to_pylist(), table["reason"].to_pylist()
    (['One two three four five.', ''], [None, 'empty'])
    """
    if url is not None and len(url) != len(html):
        raise ValueError(f"{len(html)} pages have {len(url)} addresses")
    addresses = repeat(None) if url is None else _values(url)
    maker = RowMaker(
        extractor,
        options,
        models=_by_address(models, key) if models else None,
        isolate=isolate,
        seconds=seconds,
        memory=memory,
    )
    with maker:
        pages = zip(_values(html), addresses, repeat(None), strict=False)
        rows = list(maker.rows(pages))
    if url is not None:
        for row, address in zip(rows, _values(url), strict=True):
            row["url"] = address
    return rows_to_table(rows)


def _values(column: Any) -> Iterator[Any]:
    if isinstance(column, (pa.Array, pa.ChunkedArray)):
        return (value.as_py() for value in column)
    return iter(column)


def _by_address(
    models: Mapping[str, SiteModel | bytes], key: str | KeyFunction
) -> Callable[[str], bytes | None]:
    site_of = site_key(key)

    def find(url: str) -> bytes | None:
        model = own_or_parents(site_of(url), models.get)
        return model.to_bytes() if isinstance(model, SiteModel) else model

    return find
