"""A store in one SQLite file."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from time import sleep
from typing import Any

from scrapy_boilerplate.core.names import why
from scrapy_boilerplate.learn.options import FREEZE_PAGES
from scrapy_boilerplate.learn.stores import (
    MOST_STORE_BYTES,
    STATES,
    Answer,
    Changes,
    SiteStore,
    StoreError,
)

VERSION = 1
_IS_TEXT = "typeof(site) = 'text'"  # others may write anything
IN_MEMORY = ":memory:"  # the name of no file, but of a database that its process forgets
APPLICATION = 0x42504C31  # "BPL1", tells our files from those of other programs

_TABLES = {
    "states": "CREATE TABLE states (site TEXT PRIMARY KEY, state BLOB NOT NULL)",
    "forgotten": "CREATE TABLE forgotten (site TEXT PRIMARY KEY, generation INTEGER NOT NULL)",
}


def connect(path: str | Path) -> sqlite3.Connection:
    """Open the file of a store, which is created for its owner alone."""
    # Write-ahead logging makes every transaction whole or absent, also if the process is killed.
    path = Path(path)
    try:
        # What is beside a file that can only be read cannot be written, either.
        is_writable = _is_writable(path)
        uri = f"file:{IN_MEMORY}" if str(path) == IN_MEMORY else path.absolute().as_uri()
        database = sqlite3.connect(
            uri if is_writable else f"{uri}?immutable=1",
            timeout=30,
            isolation_level=None,
            check_same_thread=False,
            uri=True,
        )
        try:
            database.execute("PRAGMA trusted_schema = OFF")
            if not _schema(database):
                _write_ahead(database)
                with database:
                    database.execute("BEGIN IMMEDIATE")
                    if not _schema(database):  # unless another process was faster
                        database.execute(f"PRAGMA application_id = {APPLICATION}")
                        database.execute(f"PRAGMA user_version = {VERSION}")
                        for table in _TABLES.values():
                            database.execute(table)
            found = [
                database.execute(f"PRAGMA {name}").fetchone()[0]
                for name in ("application_id", "user_version")
            ]
            # A view or a trigger in place of a table may do anything, or never end.
            if found != [APPLICATION, VERSION] or _schema(database) != _TABLES:
                raise StoreError(
                    f"{path} was not written by this version of scrapy_boilerplate; "
                    "choose another path, or remove the file to start again"
                )
            database.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            database.close()
            raise
    except (OSError, sqlite3.Error, ValueError) as error:  # a ValueError: no file has such a name
        shown = str(path).encode("utf-8", "backslashreplace").decode()
        raise StoreError(
            f"Cannot open {shown}: {why(error)}; "
            "choose another path, or remove the file to start again"
        ) from error
    return database


def _is_writable(path: Path) -> bool:
    """Return whether a file can be written; it is created if it is not there."""
    if str(path) == IN_MEMORY:
        return True
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError:  # such as of a read-only disk
        if not path.is_file():
            raise
        return False
    return True


def _schema(database: sqlite3.Connection) -> dict[str, str]:
    """Return what was created in a database, by name."""
    found = database.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    return {str(name): str(sql) for name, sql in found}


def _write_ahead(database: sqlite3.Connection) -> None:
    """Switch a new file to write-ahead logging, for which SQLite itself does not wait."""
    for pause in (*[0.01] * 100, None):
        try:
            database.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:  # noqa: PERF203 - the point is to try again
            if pause is None:
                raise
            sleep(pause)
        else:
            return


class SQLiteStore(SiteStore):
    """Keeps states in a file; processes of one machine may share it."""

    def __init__(
        self, path: str | Path, pages: int = FREEZE_PAGES, max_bytes: int = MOST_STORE_BYTES
    ) -> None:
        super().__init__(pages, max_bytes)
        self._path = path
        self._database = connect(path)

    def _execute(self, statement: str, *values: Any) -> list[Any]:
        try:
            return self._database.execute(statement, values).fetchall()
        except (sqlite3.Error, UnicodeError) as error:
            raise StoreError(f"{self._path}: {error}") from error

    def _get(self, table: str, site: str) -> Any:
        rows = self._execute(f"SELECT * FROM {table} WHERE site = ?", site)
        return rows[0][1] if rows else None

    def _sites(self) -> Iterator[str]:
        return (row[0] for row in self._execute(f"SELECT site FROM states WHERE {_IS_TEXT}"))

    def _change(
        self, decide: Callable[[str], tuple[Answer, Changes]], *sites: str
    ) -> dict[str, Answer]:
        answers: dict[str, Answer] = {}
        self._execute("BEGIN IMMEDIATE")  # nobody writes between our reading and writing
        try:
            for site in sites:
                answers[site], changes = decide(site)
                for table, value in changes.items():
                    if value is None:
                        self._execute(f"DELETE FROM {table} WHERE site = ?", site)
                    else:
                        self._execute(f"INSERT OR REPLACE INTO {table} VALUES (?, ?)", site, value)
                if changes.get(STATES) is not None:
                    self._evict()
            self._execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # what has failed may have rolled back itself
                self._database.execute("ROLLBACK")
            raise
        return answers

    def _evict(self) -> None:
        """Remove the states that were not written for the longest time while there is no room."""
        # A state that is written gets the highest number of all rows: they ascend with time.
        remove = (
            "DELETE FROM states WHERE rowid IN (SELECT rowid FROM states ORDER BY rowid LIMIT "
            "max(1, (SELECT max(rowid) - min(rowid) FROM states) / 100)) "
            "AND rowid < (SELECT max(rowid) FROM states)"
        )
        before = -1
        while self._used() > self._max_bytes and self._database.total_changes != before:
            before = self._database.total_changes
            self._execute(remove)

    def _used(self) -> int:
        """Return the bytes of the file that hold something."""
        pages, free, size = (
            int(self._execute(f"PRAGMA {name}")[0][0])
            for name in ("page_count", "freelist_count", "page_size")
        )
        return (pages - free) * size

    def writable(self) -> SQLiteStore:
        """Return this store; of a file that cannot be written, a copy in memory."""
        if _is_writable(Path(self._path)):
            return self
        copy = SQLiteStore(IN_MEMORY, self._pages, self._max_bytes)
        for table in _TABLES:
            rows = self._execute(f"SELECT * FROM {table}")
            copy._database.executemany(f"INSERT INTO {table} VALUES (?, ?)", rows)
        self.close()
        return copy

    def close(self) -> None:
        """Close the file."""
        self._database.close()
