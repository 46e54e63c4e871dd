"""Items that wait for their site to be learned: on disk, with their pages."""

from __future__ import annotations

import json
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from itemadapter import ItemAdapter
from scrapy import Request
from scrapy.http import HtmlResponse

from scrapy_boilerplate.extraction import Extraction, Segment
from scrapy_boilerplate.sites.stores.sqlite import connect

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.http import Response, TextResponse

    from scrapy_boilerplate.extractors import Extractor
    from scrapy_boilerplate.page import Page

__all__ = ["CannotStoreError", "HoldingStore"]

VERSION = 2
APPLICATION = 0x42504831  # "BPH1"

_TABLES = (
    "CREATE TABLE IF NOT EXISTS pages (id INTEGER PRIMARY KEY, site TEXT NOT NULL, "
    "response TEXT NOT NULL, body BLOB NOT NULL, found BLOB)",
    "CREATE TABLE IF NOT EXISTS items (id INTEGER PRIMARY KEY, page INTEGER NOT NULL, "
    "item TEXT NOT NULL, going INTEGER NOT NULL DEFAULT 0)",
    "CREATE INDEX IF NOT EXISTS pages_of_site ON pages (site)",
    "CREATE INDEX IF NOT EXISTS items_of_page ON items (page)",
)


class CannotStoreError(ValueError):
    """An item or its request does not come back from disk as it was."""


class HoldingStore:
    """Keeps items and their pages in one file until they are let go.

    What is kept survives the process if *folder* is given, the crawl's job directory; else the
    file is temporary.
    """

    def __init__(self, folder: str | None = None) -> None:
        self._temporary = None if folder else tempfile.TemporaryDirectory()
        path = Path(folder or self._temporary.name, "boilerplate", "held.sqlite")  # type: ignore[union-attr]
        self._database = connect(path, APPLICATION, VERSION)
        self._responses: WeakValueDictionary[int, TextResponse] = WeakValueDictionary()
        self._last: TextResponse | None = None  # holds what was read last in the dictionary
        for table in _TABLES:
            self._database.execute(table)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Write all of it or nothing, also if the process is killed."""
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")

    def add(self, site: str, response: TextResponse, item: Any) -> tuple[int, int]:
        """Keep the first item of a response; return the page's number and the bytes that it takes.

        Raises :exc:`CannotStoreError` if the item, or the response's request, would not come back
        as it was.
        """
        item_form, form = _item_form(item), json.dumps(_response_form(response))
        body = zlib.compress(response.body, 1)
        with self._writing():
            cursor = self._database.execute(
                "INSERT INTO pages (site, response, body) VALUES (?, ?, ?)", (site, form, body)
            )
            number = cursor.lastrowid or 0
            self._add(number, item_form)
        self._responses[number] = response
        return number, len(body)

    def add_to(self, page: int, item: Any) -> bool:
        """Keep a further item of a page; ``False`` if none of the page's items waits any more.

        Raises :exc:`CannotStoreError` if the item would not come back as it was.
        """
        if not self._database.execute("SELECT 1 FROM pages WHERE id = ?", (page,)).fetchone():
            return False
        self._add(page, _item_form(item))
        return True

    def _add(self, page: int, form: str) -> None:
        self._database.execute("INSERT INTO items (page, item) VALUES (?, ?)", (page, form))

    def sites(self) -> dict[str, tuple[int, int]]:
        """Return for each site the number of its pages, and their bytes."""
        rows = self._database.execute(
            "SELECT site, count(*), sum(length(body)) FROM pages GROUP BY site ORDER BY min(id)"
        )
        return {site: (pages, size) for site, pages, size in rows}

    def in_doubt(self) -> int:
        """Return how many items were on their way when the process was killed."""
        (number,) = self._database.execute("SELECT count(*) FROM items WHERE going").fetchone()
        return int(number)

    def numbers(self, site: str) -> Iterator[int]:
        """Yield the numbers of a site's items, page by page, those that come meanwhile included."""
        last = (0, 0)
        while True:
            row = self._database.execute(
                "SELECT items.page, items.id FROM items JOIN pages ON pages.id = items.page "
                "WHERE pages.site = ? AND (items.page, items.id) > (?, ?) "
                "ORDER BY items.page, items.id LIMIT 1",
                (site, *last),
            ).fetchone()
            if row is None:
                return
            last = row
            yield row[1]

    def get(self, number: int, spider: Spider) -> tuple[Any, TextResponse]:
        """Return an item that goes now, and its response, or one like it if that is gone.

        Items of one page that are asked for in a row share their response. Raises an exception of
        any kind if the item's class or the spider's callback is no more what it was.
        """
        page, form = self._database.execute(
            "SELECT page, item FROM items WHERE id = ?", (number,)
        ).fetchone()
        response = self._responses.get(page)
        if response is None:
            row = self._database.execute(
                "SELECT response, body FROM pages WHERE id = ?", (page,)
            ).fetchone()
            response = _response(json.loads(row[0]), zlib.decompress(row[1]), spider)
            self._responses[page] = response
        self._last = response
        item = _item(form)
        self._database.execute("UPDATE items SET going = 1 WHERE id = ?", (number,))
        return item, response

    def keep(
        self, page: int, read: Page, extractor: Extractor, extraction: Extraction | None
    ) -> None:
        """Keep what a method found on a page, so that it need not be asked again."""
        if extraction is None:
            return
        try:
            form = json.dumps([_question(read, extractor), *_extraction_form(extraction)])
        except (TypeError, ValueError):  # a method of another make may answer with anything
            return
        found = zlib.compress(form.encode("utf-8", "surrogatepass"), 1)
        self._database.execute("UPDATE pages SET found = ? WHERE id = ?", (found, page))

    def known(self, number: int, read: Page, extractor: Extractor) -> Extraction | None:
        """Return what the same method found on the page of an item, if the page is the same."""
        row = self._database.execute(
            "SELECT found FROM pages WHERE id = (SELECT page FROM items WHERE id = ?)", (number,)
        ).fetchone()
        if row is None or row[0] is None:
            return None
        question, *form = json.loads(zlib.decompress(row[0]).decode("utf-8", "surrogatepass"))
        return _extraction(form) if question == _question(read, extractor) else None

    def remove(self, number: int) -> None:
        """Forget an item that was let go, and its page with the last one."""
        row = self._database.execute("SELECT page FROM items WHERE id = ?", (number,)).fetchone()
        if row is None:
            return
        with self._writing():
            self._database.execute("DELETE FROM items WHERE id = ?", (number,))
            self._database.execute(
                "DELETE FROM pages WHERE id = ? AND id NOT IN (SELECT page FROM items)", row
            )

    def close(self) -> None:
        """Close the file; a temporary one goes."""
        self._last = None
        self._database.close()
        if self._temporary is not None:
            self._temporary.cleanup()


# -- items: a class and fields of JSON types ------------------------------------------------------


def _item_form(item: Any) -> str:
    kind = type(item)
    try:
        fields = dict(ItemAdapter(item))
        form = json.dumps([kind.__module__, kind.__qualname__, fields])
        same = _item(form) == item
    except Exception as error:
        raise CannotStoreError(f"{kind.__name__}: {error}") from error
    if not same:
        raise CannotStoreError(f"{kind.__name__} does not come back from JSON as it was")
    return form


def _item(form: str) -> Any:
    module, name, fields = json.loads(form)
    kind: Any = import_module(module)
    for part in name.split("."):
        kind = getattr(kind, part)
    return kind(**fields)


# -- extractions: what a method found on a page --------------------------------------------------


def _question(page: Page, extractor: Extractor) -> list[Any]:
    """Return what tells a page and a method from others; a spider may change the tree it reads."""
    text = zlib.crc32(page.buffer.encode("utf-8", "surrogatepass"))
    return [repr(extractor), text, int(page.text_at.size), int(page.tag.size)]


def _extraction_form(extraction: Extraction) -> list[Any]:
    main = None if extraction.main is extraction.segments else _rows(extraction.main)
    rest = [extraction.kind, extraction.confidence, extraction.extractor]
    flags = [extraction.truncated, extraction.garbled]
    return [extraction.text, _rows(extraction.segments), main, *rest, *flags]


def _rows(segments: tuple[Segment, ...]) -> list[Any]:
    return [[each.text, each.xpath, each.role, each.score, each.span] for each in segments]


def _extraction(form: list[Any]) -> Extraction:
    text, segments, main, *rest = form
    found = _segments(segments)
    return Extraction(text, found, found if main is None else _segments(main), *rest)


def _segments(rows: list[Any]) -> tuple[Segment, ...]:
    return tuple(
        Segment(text, xpath, role, score, (start, stop))
        for text, xpath, role, score, (start, stop) in rows
    )


# -- responses: what item pipelines and listeners may look at -------------------------------------


def _response_form(response: Response) -> dict[str, Any]:
    request = response.request
    callback = getattr(request, "callback", None)
    name = getattr(callback, "__name__", None)
    owner = getattr(callback, "__self__", None)
    if callback is not None and (owner is None or not hasattr(owner, name or "")):
        raise CannotStoreError(f"{callback!r} is no method of the spider")
    meta = request.meta if request is not None else {}
    choice = meta.get("boilerplate")
    if choice is not None and not _is_json(choice):
        raise CannotStoreError("the choice in the request's meta is not of JSON types")
    return {
        "url": response.url,
        "status": response.status,
        "encoding": getattr(response, "encoding", None),
        "headers": [
            [key.decode("latin-1"), [value.decode("latin-1") for value in values]]
            for key, values in response.headers.items()
        ],
        "request": request.url if request is not None else response.url,
        "method": request.method if request is not None else "GET",
        "callback": name,
        "meta": {key: value for key, value in meta.items() if _is_json(value)},
    }


def _is_json(value: Any) -> bool:
    try:
        return bool(json.loads(json.dumps(value)) == value)
    except (TypeError, ValueError, RecursionError):
        return False


def _response(form: dict[str, Any], body: bytes, spider: Spider) -> HtmlResponse:
    callback = getattr(spider, form["callback"], None) if form["callback"] else None
    request = Request(form["request"], method=form["method"], callback=callback, meta=form["meta"])
    headers = {
        key.encode("latin-1"): [value.encode("latin-1") for value in values]
        for key, values in form["headers"]
    }
    return HtmlResponse(
        form["url"],
        status=form["status"],
        headers=headers,
        body=body,
        encoding=form["encoding"],
        request=request,
    )
