"""Indexes of archives: which records to read, and where they stand.

An index is a CDXJ file (``.cdxj``, ``.cdxj.gz``), as pywb and wb-manager write it, or a part of
Common Crawl's columnar index (``.parquet``), which needs pyarrow. It chooses records by what it
says of them, so that of an archive no more is read than these.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from gzip import GzipFile
from typing import IO, Any, cast

from scrapy_boilerplate.learn.keys import host
from scrapy_boilerplate.tools.places import opened

# Names in Common Crawl's columns, and in CDXJ.
_NAMES: Mapping[str, Sequence[str]] = {
    "host": ("url_host_name",),
    "domain": ("url_host_registered_domain",),
    "language": ("content_languages", "languages"),
    "status": ("fetch_status", "status"),
    "mime": ("content_mime_detected", "content_mime_type", "mime-detected", "mime"),
}

RECORD_NAMES = frozenset(("host", "domain", "status", "mime"))  # for archives without an index

PLACE = ("warc_filename", "warc_record_offset", "warc_record_length")

_MOST_LINE = 1 << 20  # bytes
_LINE_ERRORS = ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError

Place = tuple[str, int, int]  # the archive of a record, its offset and its length


@dataclass(frozen=True)
class Selection:
    """Chooses records of an index, or of an archive.

    *where* has values by ``host``, ``domain``, ``language``, ``status``, ``mime`` or any other
    name that the index has: a record must have one of the values of each. Archives without an index
    have the names in :data:`RECORD_NAMES`. *base* is the folder or
    the address of the archives, by default the folder of the index.

    >>> chosen = Selection({"language": ["deu", "nld"], "status": ["200"]})
    >>> chosen.has({"languages": "eng,deu", "status": "200"}), chosen.has({"status": "200"})
    (True, False)
    """

    where: Mapping[str, Sequence[str]] = field(default_factory=dict)
    base: str = ""

    def places(self, path: str) -> tuple[Iterable[Place], Sequence[int]]:
        """Return where the chosen records stand, in order, and the damaged lines."""
        if path.partition("?")[0].lower().endswith(".parquet"):
            return _rows(path, self), ()
        with opened(path) as file:
            is_packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            return _lines(cast(IO[bytes], GzipFile(fileobj=file)) if is_packed else file, self)

    def has(self, record: Mapping[str, Any]) -> bool:
        return all(
            not set(wanted).isdisjoint(_values(record, name)) for name, wanted in self.where.items()
        )

    def condition(self, columns: Sequence[str]) -> Any:
        """Return what chooses rows of a Parquet file, by which it skips what cannot be chosen."""
        import pyarrow.compute as pc

        chosen = pc.scalar(True)
        for name, wanted in self.where.items():
            column = next((each for each in _NAMES.get(name, (name,)) if each in columns), None)
            if column is None:
                raise ValueError(f"the index has no {name}; it has: {', '.join(columns)}")
            text = pc.field(column).cast("string")
            if name == "language":
                one = "|".join(map(re.escape, wanted))
                chosen &= pc.match_substring_regex(text, rf"(^|,)({one})(,|$)")
            elif name == "host":
                chosen &= pc.field(column).isin([*wanted, *(f"www.{each}" for each in wanted)])
            else:
                chosen &= text.isin(list(wanted))
        return chosen


def _values(record: Mapping[str, Any], name: str) -> Sequence[str]:
    if name == "host":
        return [host(record.get("url", ""))]
    value = next((record[each] for each in _NAMES.get(name, (name,)) if each in record), "")
    return str(value).split(",") if name == "language" else [str(value)]


def _lines(file: IO[bytes], selection: Selection) -> tuple[list[Place], list[int]]:
    places, bad, number = [], [], 0
    try:
        for number, line in enumerate(iter(partial(file.readline, _MOST_LINE), b""), 1):
            if line.isspace() or line.startswith((b"!", b" CDX")):  # a header
                continue
            try:
                record = json.loads(line[line.index(b"{") :])  # behind the sort key and the time
                if selection.has(record):
                    offset, length = int(record["offset"]), int(record["length"])
                    if not is_range(offset, length):
                        raise ValueError("no place in an archive")
                    places.append((str(record["filename"]), offset, length))
            except _LINE_ERRORS:
                bad.append(number)
    except (EOFError, zlib.error):  # the file is cut off, or damaged from here on
        bad.append(number + 1)
    return sorted(places), bad


def is_range(offset: Any, length: Any) -> bool:
    """Return whether a record can stand there, whatever an index holds."""
    is_whole = isinstance(offset, int) and isinstance(length, int)
    return is_whole and 0 <= offset < 1 << 62 and length > 0


def _rows(path: str, selection: Selection) -> Iterator[Place]:
    from pyarrow.parquet import read_schema, read_table

    with opened(path) as file:
        condition = selection.condition(read_schema(file).names)
        file.seek(0)
        found = read_table(file, columns=list(PLACE), filters=condition)
    for batch in found.sort_by([(name, "ascending") for name in PLACE]).to_batches():
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)
