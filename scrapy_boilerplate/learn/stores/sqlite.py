"""A store in one SQLite file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import sleep
from typing import Any

from scrapy_boilerplate.learn.model import SiteModel
from scrapy_boilerplate.learn.options import FREEZE_PAGES
from scrapy_boilerplate.learn.stores import MOST_BYTES, SiteStore, StoreError

VERSION = 1
APPLICATION = 0x42504C31  # "BPL1", tells our files from those of other programs

_TABLES = (
    "CREATE TABLE IF NOT EXISTS states (site TEXT PRIMARY KEY, state BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS rules (site TEXT PRIMARY KEY, rule TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS forgotten (site TEXT PRIMARY KEY, generation INTEGER NOT NULL)",
)


def connect(path: str | Path, application: int, version: int) -> sqlite3.Connection:
    """Open or create a database file of ours.

    Write-ahead logging makes every transaction whole or absent, also if the process is killed.
    Raises :exc:`StoreError` for a file of another program or version.
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
        try:
            used = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if used:
                found = [
                    database.execute(f"PRAGMA {name}").fetchone()[0]
                    for name in ("application_id", "user_version")
                ]
                if found != [application, version]:
                    raise StoreError(
                        f"{path} was not written by this version of scrapy_boilerplate; "
                        "give another path, or remove the file to start over"
                    )
            else:
                _write_ahead(database)
                database.execute(f"PRAGMA application_id = {application}")
                database.execute(f"PRAGMA user_version = {version}")
            database.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            database.close()
            raise
    except (OSError, sqlite3.Error) as error:
        raise StoreError(
            f"Cannot open {path}: {error}; give another path, or remove the file to start over"
        ) from error
    return database


def _write_ahead(database: sqlite3.Connection) -> None:
    """Switch a new file to write-ahead logging; it stays so.

    SQLite's own waiting for a lock leaves out this statement, so that two processes which create
    one file at once would fail.
    """
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
        self, path: str | Path, pages: int = FREEZE_PAGES, max_bytes: int = MOST_BYTES
    ) -> None:
        super().__init__(pages, max_bytes)
        self._path = path
        self._database = connect(path, APPLICATION, VERSION)
        for table in _TABLES:
            self._execute(table)

    def _execute(self, statement: str, *values: Any) -> list[Any]:
        try:
            return self._database.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise StoreError(f"{self._path}: {error}") from error

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold the lock for writing, so that nobody writes between our reading and writing."""
        self._execute("BEGIN IMMEDIATE")
        try:
            yield
            self._execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # what has failed may have rolled back itself
                self._database.execute("ROLLBACK")
            raise

    def _state(self, site: str) -> bytes | None:
        rows = self._execute("SELECT state FROM states WHERE site = ?", site)
        return bytes(rows[0][0]) if rows else None

    def _generation(self, site: str) -> int:
        rows = self._execute("SELECT generation FROM forgotten WHERE site = ?", site)
        return int(rows[0][0]) if rows else 0

    def save(self, site: str, state: bytes) -> bytes:
        """Merge *state* with what is there of *site*, in one transaction."""
        with self._writing():
            union, is_new = self._merged(site, state)
            if is_new:
                self._execute("INSERT OR REPLACE INTO states VALUES (?, ?)", site, union)
                self._evict()
        return union

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

    def sites(self) -> Iterator[str]:
        """Yield the sites that have a state, sorted."""
        return (row[0] for row in self._execute("SELECT site FROM states ORDER BY site"))

    def forget(self, site: str) -> bool:
        """Remove state and rule of *site*; return whether there was any."""
        with self._writing():
            generation = self._next_generation(site)
            before = self._database.total_changes
            for table in ("states", "rules"):
                self._execute(f"DELETE FROM {table} WHERE site = ?", site)
            known = self._database.total_changes > before
            if known:
                self._execute("INSERT OR REPLACE INTO forgotten VALUES (?, ?)", site, generation)
            return known

    def rules(self) -> dict[str, SiteModel]:
        """Return the rules that were written by hand, by site."""
        return self._read_rules(self._execute("SELECT site, rule FROM rules ORDER BY site"))

    def save_rule(self, rule: SiteModel) -> None:
        """Store a rule in place of the present one."""
        form = json.dumps(rule.to_dict(), ensure_ascii=False)
        self._execute("INSERT OR REPLACE INTO rules VALUES (?, ?)", rule.site, form)

    def close(self) -> None:
        """Close the file."""
        self._database.close()
