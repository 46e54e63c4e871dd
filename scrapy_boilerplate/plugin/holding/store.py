"""Held pages and their items, on disk; what was read of a page stays in memory if there is room."""

from __future__ import annotations

import logging
import os
import sqlite3
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from weakref import ref

from scrapy_boilerplate.core.page.responses import without_tree
from scrapy_boilerplate.learn.stores import StoreError
from scrapy_boilerplate.learn.stores.sqlite import connect
from scrapy_boilerplate.learn.template import share_view
from scrapy_boilerplate.plugin.holding import limits
from scrapy_boilerplate.plugin.holding.forms import pack_item, pack_response, unpack_response

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.http import TextResponse

    from scrapy_boilerplate.core.answer.extraction import Extraction
    from scrapy_boilerplate.core.methods import Extractor
    from scrapy_boilerplate.core.page import Page

logger = logging.getLogger(__name__)

VERSION = 3
APPLICATION = 0x42504831  # "BPH1"

_SCHEMA = (
    # Files of version 0.1 have a further column, "found", which is not read.
    "CREATE TABLE IF NOT EXISTS pages (id INTEGER PRIMARY KEY AUTOINCREMENT, site TEXT NOT NULL, "
    "request TEXT NOT NULL, response TEXT NOT NULL, body BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS items (id INTEGER PRIMARY KEY AUTOINCREMENT, "
    "page INTEGER NOT NULL, item TEXT NOT NULL, going INTEGER NOT NULL DEFAULT 0)",
    "CREATE INDEX IF NOT EXISTS items_of_page ON items (page)",
    "CREATE TRIGGER IF NOT EXISTS last_item AFTER DELETE ON items "
    "WHEN NOT EXISTS (SELECT 1 FROM items WHERE page = OLD.page) "
    "BEGIN DELETE FROM pages WHERE id = OLD.page; END",
)
"""Nothing is ever removed but items: a page goes with its last one."""

RESERVE_BYTES = 1 << 20
"""Bytes on disk that are given free when it is full, so that items which go are noted as gone."""

MEMORY_BYTES = 32_000_000
"""Most bytes of memory for held pages as they were read; those beyond it are read again."""

_OVERHEAD = 20_000  # bytes of a page's own objects, and of what the site's learner knows of it

_INSERT_ITEM = "INSERT INTO items (page, item) VALUES (?, ?)"

_TEMPORARY = ("synchronous = OFF", "journal_mode = MEMORY", "locking_mode = EXCLUSIVE")
"""Settings of a file that only this process reads: no log is written beside it."""


def held_file(folder: str) -> Path:
    """Return where the items of a crawl with that job directory are held."""
    return Path(folder, "boilerplate", "held.sqlite")


def count_held(folder: str) -> int:
    """Return how many items are held in that job directory; 0 if that cannot be read."""
    try:
        with closing(sqlite3.connect(f"file:{held_file(folder)}?mode=ro", uri=True)) as database:
            return int(database.execute("SELECT count(*) FROM items").fetchone()[0])
    except sqlite3.Error:
        return 0


class HeldAnswer(NamedTuple):
    """A page as it was read when it was held, without its tree, and what was found on it."""

    page: Page
    extractor: Extractor
    extraction: Extraction
    size: int
    """Bytes in memory."""

    @classmethod
    def of(
        cls, page: Page, extractor: Extractor, found: Extraction, most: int
    ) -> HeldAnswer | None:
        """Return the page without its tree; ``None`` if it takes more than *most* bytes."""
        size = page.nbytes + _OVERHEAD
        light = without_tree(page) if size <= most else None
        if light is None:
            return None
        share_view(page, light)
        return cls(light, extractor, found.on(light), size)

    def found(self, page: Page, extractor: Extractor) -> Extraction | None:
        """Return what was found, if it was on this very page and by this method."""
        return self.extraction if page is self.page and extractor == self.extractor else None


@dataclass(eq=False, slots=True)
class HeldPage:
    """A page in the store, with those of its items that have not arrived yet."""

    number: int
    site: str
    request: str
    """Tells its request from others."""
    items: list[int]
    """The numbers of its items."""
    size: int
    """Bytes of what was written."""
    sent: Counter[int] | None = None
    """Digests of the items that were sent on, if an earlier run has left the page."""
    is_untaught: bool = False
    """Whether its site may still learn from it, because an earlier run has left it."""
    waits_as_first: bool = False
    """Whether no page of its site was known when it came."""
    answer: HeldAnswer | None = None
    """The page as it was read, if there is room in memory."""
    response: ref[TextResponse] | None = None
    """The response, while anybody uses it."""
    pinned: TextResponse | None = None
    """The response, if items of it go on at once while others still wait: all share it."""


class HeldStore:
    """Keeps items and their pages in one file until they have arrived.

    What is kept survives the process if *folder* is given, the crawl's job directory; else the
    file is temporary. Only its owner may read it. A file that cannot be read is set aside, and a
    new one takes its place. Raises :exc:`StoreError`, :exc:`OSError` or :exc:`sqlite3.Error` if
    that cannot be either.
    """

    def __init__(self, folder: str | None = None) -> None:
        self._temporary = None if folder else tempfile.TemporaryDirectory()
        path = held_file(folder or self._temporary.name)  # type: ignore[union-attr]
        self._database = _open(path)
        if self._temporary is not None:
            for choice in _TEMPORARY:
                self._database.execute(f"PRAGMA {choice}")
        self._bytes = 0  # of what is held
        self._most_bytes = limits.MOST_BYTES
        self._memory_left = MEMORY_BYTES
        self._last: TextResponse | None = None  # which the next item of the page can share
        self._arrived: set[int] = set()  # items that could not be removed yet
        self._reserve = path.with_suffix(".reserve")
        if self._temporary is None:
            with suppress(OSError):
                self._reserve.unlink(missing_ok=True)  # a link would have its target written
                self._reserve.touch(mode=0o600)
                self._reserve.write_bytes(bytes(RESERVE_BYTES))

    # -- writing -----------------------------------------------------------------------------

    def add(
        self,
        site: str,
        request: str,
        response: TextResponse,
        item: object,
        spider: Spider,
        replaced: HeldPage | None = None,
    ) -> HeldPage | None:
        """Keep the first item of a response; return its page, or ``None`` if there is no room.

        A page that it replaces goes in the same moment. Raises :exc:`CannotStoreError` if response
        or item would not come back as they were.
        """
        form, head = pack_item(item), pack_response(response, spider)
        # Without compression a body takes four times the bytes, and half the time.
        plenty = 4 * (self._bytes + len(response.body)) < self._most_bytes
        body = zlib.compress(response.body, 0 if plenty else 1)
        size = len(form) + len(head) + len(body)
        if self._bytes + size > self._most_bytes:
            return None
        with self._database as transaction:  # all of it or nothing, also if the process is killed
            transaction.execute("BEGIN IMMEDIATE")
            if replaced is not None:
                self._delete_items_of(replaced)
            number = self._insert(
                "INSERT INTO pages (site, request, response, body) VALUES (?, ?, ?, ?)",
                *(site, request, head, body),
            )
            numbers = [self._insert(_INSERT_ITEM, number, form)]
        self._bytes += size
        return HeldPage(number, site, request, numbers, size, response=ref(response))

    def add_item(self, page: HeldPage, item: object) -> bool:
        """Keep a further item of a page; return whether there was room for it."""
        form = pack_item(item)
        if self._bytes + len(form) > self._most_bytes:
            return False
        page.items.append(self._insert(_INSERT_ITEM, page.number, form))
        page.size += len(form)
        self._bytes += len(form)
        return True

    def _insert(self, statement: str, *values: str | bytes | int) -> int:
        """Insert a row; return its number."""
        return self._database.execute(statement, values).lastrowid or 0

    def _delete_items_of(self, page: HeldPage) -> None:
        self._database.execute("DELETE FROM items WHERE page = ?", (page.number,))

    def mark(self, number: int) -> None:
        """Note that an item is on its way."""
        if self._temporary is None:
            self._with_reserve(
                lambda: self._database.execute("UPDATE items SET going = 1 WHERE id = ?", (number,))
            )

    def _with_reserve(self, write: Callable[[], object]) -> None:
        """Write what makes items go only once; on a full disk in the space that is reserved."""
        try:
            write()
        except sqlite3.OperationalError as full:
            if not self._reserve.exists():
                raise
            try:
                self._reserve.unlink()
            except OSError:  # the disk can't be written at all
                raise full from None
            write()

    def remove(self, page: HeldPage, number: int) -> None:
        """Forget an item that has arrived, and its page with the last one.

        If that fails it is done with the next one.
        """
        page.items.remove(number)
        if not page.items:
            self._forget(page)
        self._arrived.add(number)
        self._with_reserve(self._remove_arrived)

    def _remove_arrived(self) -> None:
        self._database.executemany(
            "DELETE FROM items WHERE id = ?", [(number,) for number in self._arrived]
        )
        self._arrived.clear()

    def remove_page(self, page: HeldPage) -> None:
        """Forget a page with its items."""
        self._forget(page)
        self._delete_items_of(page)

    def _forget(self, page: HeldPage) -> None:
        self._bytes -= page.size
        page.size = 0
        page.pinned = None
        if page.answer is not None:
            self._memory_left += page.answer.size
            page.answer = None

    # -- in memory ---------------------------------------------------------------------------

    def keep_answer(
        self, page: HeldPage, read: Page, extractor: Extractor, found: Extraction
    ) -> None:
        """Keep what a method found on a page, so that it need not be read again, if it fits in."""
        answer = HeldAnswer.of(read, extractor, found, self._memory_left)
        if answer is not None:
            page.answer = answer
            self._memory_left -= answer.size

    # -- reading -----------------------------------------------------------------------------

    def pages(self) -> list[HeldPage]:
        """Return all pages that an earlier run has left, in the order in which they came."""
        rows = self._database.execute(
            "SELECT pages.id, site, request, group_concat(items.id), length(body) + "
            "length(response) + sum(length(item)) "
            "FROM pages JOIN items ON items.page = pages.id GROUP BY pages.id ORDER BY pages.id"
        )
        left = [
            HeldPage(page, site, request, sorted(map(int, items.split(","))), size, Counter(), True)
            for page, site, request, items, size in rows
        ]
        self._bytes += sum(page.size for page in left)
        return left

    def in_doubt(self) -> int:
        """Return how many items were on their way when the process was killed."""
        (number,) = self._database.execute("SELECT count(*) FROM items WHERE going").fetchone()
        return int(number)

    def item(self, number: int) -> str | None:
        """Return an item, packed; ``None`` if it was removed."""
        row = self._database.execute("SELECT item FROM items WHERE id = ?", (number,)).fetchone()
        return None if row is None else row[0]

    def response(self, page: HeldPage, spider: Spider) -> TextResponse:
        """Return the response of a page, or one like it if that is gone.

        Consecutive items of a page share it. May raise any exception if the spider's callback has
        changed.
        """
        response = page.response() if page.response is not None else None
        if response is None:
            form, body = self._database.execute(
                "SELECT response, body FROM pages WHERE id = ?", (page.number,)
            ).fetchone()
            response = unpack_response(form, zlib.decompress(body), spider)
            page.response = ref(response)
        self._last = response
        return response

    def close(self) -> int:
        """Close the file; a temporary one goes.

        Returns how many items that have arrived could not be removed: a later run sends them again.
        """
        self._last = None
        if self._arrived:
            with suppress(sqlite3.Error):
                self._with_reserve(self._remove_arrived)
        with suppress(sqlite3.Error):
            self._database.close()
        with suppress(OSError):
            self._reserve.unlink(missing_ok=True)
        if self._temporary is not None:
            self._temporary.cleanup()
            return 0
        return len(self._arrived)


def _open(path: Path, *, is_new: bool = False) -> sqlite3.Connection:
    """Open the file; one that is broken is renamed, so that what it holds can be looked at."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink():
        logger.error("Items do not wait in a file behind a link, which is now %s", _set_aside(path))
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    path.chmod(0o600)  # one of an earlier version
    database = None
    try:
        database = connect(path, APPLICATION, VERSION)
        for statement in _SCHEMA:
            database.execute(statement)
        (verdict,) = database.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise sqlite3.DatabaseError(verdict)
    except (StoreError, sqlite3.Error) as error:
        if database is not None:
            database.close()
        reason = error.__cause__ or error
        if is_new or isinstance(reason, (OSError, sqlite3.OperationalError)):
            raise  # it may be sound, and in use or out of reach
        aside = _set_aside(path)
        logger.error(
            "Cannot read the items that an earlier run held: %s. The file is now %s; the crawl "
            "goes on without them",
            *(reason, aside),
        )
        return _open(path, is_new=True)
    return database


def _set_aside(path: Path) -> Path:
    """Rename the file and what belongs to it."""
    number = 1
    while (aside := path.with_name(f"{path.name}.broken-{number}")).exists():
        number += 1
    for end in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            Path(f"{path}{end}").rename(f"{aside}{end}")
    return aside
