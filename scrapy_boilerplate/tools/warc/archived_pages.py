"""The web pages of an archive: what its records say, and the HTML in them."""

from __future__ import annotations

import base64
import hashlib
import io
import os
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import itemgetter
from typing import IO, Any

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from scrapy_boilerplate.core.names import why
from scrapy_boilerplate.learn.keys import registered_domain
from scrapy_boilerplate.tools.places import inside, is_index, is_remote, opened, read_ranges
from scrapy_boilerplate.tools.rows import InputPage, robots_noindex, tdm_reserved
from scrapy_boilerplate.tools.warc.http_bodies import BodyError, decode_body
from scrapy_boilerplate.tools.warc.index import RECORD_NAMES, Place, Selection, is_range

MOST_RECORD = 64 << 20  # header and all; Common Crawl cuts pages off at one or five MiB

MOST_BODY = 16 << 20  # of a page, unpacked

MOST_DIGESTS = 1 << 20  # that are remembered, to find pages that come again

_PAGE_RECORDS = WarcRecordType.response | WarcRecordType.resource | WarcRecordType.conversion


@dataclass
class PageReader:
    """Reads the pages of one archive, and counts what it meets.

    A page is a response, resource or conversion that says that it is HTML, or does not say what it
    is; a revisit of one is a page without a body. Other records and other types are only counted.

    >>> reader = PageReader()
    >>> [page.reason for page in reader.pages(io.BytesIO(b"no archive"))], dict(reader.counts)
    (['damaged: corrupt'], {'damaged/corrupt': 1})
    """

    most_record: int = MOST_RECORD
    most_body: int = MOST_BODY
    selection: Selection | None = None
    # Records (records/response), lost ones (damaged/corrupt), pages
    counts: Counter[str] = field(default_factory=Counter)
    error: str | None = None  # why the archive could not be read to its end
    _digests: dict[bytes, None] = field(default_factory=dict, repr=False)

    def anew(self) -> PageReader:
        return replace(self, counts=Counter(), error=None, _digests={})

    def pages(
        self, file: IO[bytes], archive: str | None = None, start: int = 0
    ) -> Iterator[InputPage]:
        """Yield the pages of a *file* that can seek, which begins at *start* of its *archive*.

        Where FastWARC cannot go on, reading begins anew at what looks like another record.
        """
        begin: int | None = file.tell()
        is_told = False  # the damage before what is read now
        while begin is not None:
            file.seek(begin)
            at, url = begin, None
            try:
                for record in ArchiveIterator(file, parse_http=False):
                    at, url, is_told = record.stream_pos, _address(record) or None, False
                    page = self._page(record)
                    url = None
                    if page is not None:
                        yield page._replace(archive=archive, offset=start + at)
                return
            except (EOFError, OSError, ValueError) as error:
                if not is_told:
                    damage = "truncated" if isinstance(error, EOFError) else "corrupt"
                    page = self._lost(url, damage)
                    yield page._replace(archive=archive, offset=start + at)
            is_told, begin = True, _next_beginning(file, max(at, begin) + 1)

    def _page(self, record: WarcRecord) -> InputPage | None:
        """Return the page of a record, if it has one; raise :exc:`EOFError` for a part of one."""
        length = record.content_length
        is_large = length > self.most_record
        if is_large:
            found = record.consume()
        else:
            record.freeze()
            found = record.content_length
        if found < length or "Content-Length" not in record.headers:
            raise EOFError
        if is_large:
            return self._lost(_address(record) or None, "too_large")
        record.parse_http()
        page = self._read(record)
        self.counts["pages"] += page is not None
        return page

    def _lost(self, url: str | None, damage: str) -> InputPage:
        self.counts[f"damaged/{damage}"] += 1
        return InputPage(None, url=url, reason=f"damaged: {damage}")

    def _read(self, record: WarcRecord) -> InputPage | None:
        kind = record.record_type
        self.counts[f"records/{kind}"] += 1
        is_revisit = kind == WarcRecordType.revisit
        if not (kind & _PAGE_RECORDS or is_revisit) or not _may_be_html(record):
            return None
        if self.selection is not None and not self.selection.has(_known(record)):
            return None
        headers, http = record.headers, record.http_headers
        page = InputPage(
            None,
            id=(record.record_id or "").strip("<>") or None,
            url=_address(record) or None,
            date=headers.get("WARC-Date"),
            encoding="utf-8" if kind == WarcRecordType.conversion else None,
            truncated=headers.get("WARC-Truncated") is not None,
        )
        if http is not None:
            robots = ", ".join(http.get_multiple("X-Robots-Tag")) or None
            page = page._replace(
                status=http.status_code,
                encoding=record.http_charset,
                content_type=http.get("Content-Type"),
                x_robots_tag=robots,
                noindex=robots_noindex(robots),
                tdm_reservation=tdm_reserved(http.get("tdm-reservation")),
            )
        if is_revisit:
            return page._replace(reason="revisit")
        if page.status is not None and not 200 <= page.status < 300:
            return page._replace(reason="status")
        return self._with_body(page, record)

    def _with_body(self, page: InputPage, record: WarcRecord) -> InputPage:
        http = record.http_headers
        names = "Transfer-Encoding", "Content-Encoding"
        transfer, content = (http.get(name) if http is not None else None for name in names)
        try:
            body, is_cut = decode_body(record.reader.read(), transfer, content, self.most_body)
        except BodyError as error:
            return page._replace(reason=str(error))
        if http is not None and not (transfer or content):
            is_cut = len(body) < _length(http)
        digest = hashlib.sha1(body, usedforsecurity=False).digest()
        name = "sha1:" + base64.b32encode(digest).decode()
        page = page._replace(truncated=page.truncated or is_cut, digest=name)
        if self._is_known(digest):
            return page._replace(reason="duplicate")
        return page._replace(html=body)

    def _is_known(self, digest: bytes) -> bool:
        is_known = digest in self._digests
        self._digests.pop(digest, None)
        self._digests[digest] = None
        if len(self._digests) > MOST_DIGESTS:
            del self._digests[next(iter(self._digests))]
        return is_known


# How a gzip member, a zstd frame, or a record begins
_BEGINNING = re.compile(rb"\x1f\x8b\x08|\x28\xb5\x2f\xfd|(?<=\n)WARC/1\.[01]\r\n")
_FIRST_CHUNK, _LAST_CHUNK, _LONGEST_BEGINNING = 1 << 11, 1 << 18, 16  # bytes


def _next_beginning(file: IO[bytes], at: int) -> int | None:
    """Return where something begins as a record does, at an offset or later."""
    file.seek(at)
    data, size = b"", _FIRST_CHUNK  # junk may hold many such places
    while chunk := file.read(size):
        data += chunk
        found = _BEGINNING.search(data)
        if found is not None:
            return at + found.start()
        at += max(len(data) - _LONGEST_BEGINNING, 0)
        data, size = data[-_LONGEST_BEGINNING:], min(2 * size, _LAST_CHUNK)
    return None


def _type(record: WarcRecord) -> str:
    own = record.headers.get("Content-Type")
    kind = record.http_content_type if record.is_http_parsed else own
    return (kind or "").partition(";")[0].strip().lower()


def _may_be_html(record: WarcRecord) -> bool:
    if record.is_http and not record.is_http_parsed:  # which could not be read
        return False
    kind = _type(record)
    return not kind or "html" in kind or kind == "application/octet-stream"


def _known(record: WarcRecord) -> dict[str, str]:
    url = _address(record)
    http = record.http_headers
    return {
        "url": url,
        "url_host_registered_domain": registered_domain(url),
        "status": str(http.status_code) if http is not None else "",
        "mime": _type(record),
    }


def _length(http: Any) -> int:
    text = (http.get("Content-Length") or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0


def _address(record: WarcRecord) -> str:
    return (record.headers.get("WARC-Target-URI") or "").strip("<> ")


_NO_PAGES = re.compile(r"\.w[ae]t(?:\.gz)?\Z", re.IGNORECASE)


class ArchiveError(OSError):
    """An archive that cannot be opened, or not be read to its end."""


def archive_pages(path: str | os.PathLike[str], reader: PageReader) -> Iterator[InputPage]:
    """Yield the pages of the archive at *path*, in order; *reader* counts what it meets.

    *path* names a WARC file, a WACZ file or an index (:mod:`~scrapy_boilerplate.tools.warc.index`),
    whose records are read from their archives. An address such as ``s3://bucket/name.warc.gz`` is
    opened by the file systems of pyarrow. Raises :exc:`ArchiveError`, also for Common Crawl's WET
    and WAT files, which hold texts and metadata of pages.
    """
    path = os.fspath(path)
    if _NO_PAGES.search(path.partition("?")[0]):
        raise ArchiveError(
            f"{path}: it contains no pages; read the WARC file from which it was made"
        )
    try:
        if is_index(path):
            selection = reader.selection or Selection()
            base = selection.base or os.path.split(path.partition("?")[0])[0]
            places, bad_lines = selection.places(path)
            for line in bad_lines:
                reader.counts["damaged/index"] += 1
                yield InputPage(None, reason=f"damaged: line {line} of the index", archive=path)
            yield from record_pages(places, base, replace(reader, selection=None))
            return
        if reader.selection is not None and not reader.selection.where.keys() <= RECORD_NAMES:
            raise ValueError(f"records can be selected by {', '.join(sorted(RECORD_NAMES))}")
        for file in _open(path):
            yield from reader.pages(file, path)
        if not reader.counts:
            raise ArchiveError(f"{path}: it contains no records")
    except ArchiveError:
        raise
    except (OSError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise ArchiveError(f"{path}: {why(error)}") from error


def told_pages(path: str, reader: PageReader) -> Iterator[InputPage]:
    """Yield the pages of an archive; its error is a last page without a body."""
    try:
        yield from archive_pages(path, reader)
    except ArchiveError as error:
        reader.error = str(error)
        reader.counts["damaged/archive"] += 1
        reason = f"archive: {reader.error.removeprefix(f'{path}: ')}"  # a row names its archive
        yield InputPage(None, reason=reason, archive=path)


def record_pages(places: Iterable[Place], base: str, reader: PageReader) -> Iterator[InputPage]:
    """Yield the pages of records, ordered by archive, below the folder or address *base*."""
    most = reader.most_record + (1 << 20)  # packed bytes may be a little more
    for name, records in groupby(places, itemgetter(0)):
        found, path, read = list(records), _below(base, name), 0
        ranges = [(at, min(size, most)) for _, at, size in found if path and is_range(at, size)]
        for _ in found[len(ranges) :]:
            reader.counts["damaged/index"] += 1
            yield InputPage(None, reason="damaged: place in the index", archive=str(name))
        if path is None or not ranges:
            continue
        try:
            for (offset, _), data in zip(ranges, read_ranges(path, ranges), strict=True):
                read += 1
                yield from reader.pages(io.BytesIO(data), path, offset)
        except (OSError, ValueError) as error:
            reason = f"archive: {len(ranges) - read} of its records cannot be read: {why(error)}"
            reader.counts["damaged/archive"] += len(ranges) - read
            yield InputPage(None, reason=reason, archive=path)


def _below(base: str, name: object) -> str | None:
    """Return the path of an archive that an index names; ``None`` if it is not below *base*."""
    if not isinstance(name, str) or "\0" in name or ".." in name.split("/"):
        return None
    if not (is_remote(name) or os.path.isabs(name)):
        return inside(base, name) if base else name
    return name if base and name.startswith(base.rstrip("/") + "/") else None


def _open(path: str) -> Iterator[IO[bytes]]:
    """Yield the archive at *path*, or each of those in a WACZ file, open."""
    with opened(path) as file:
        if not path.partition("?")[0].lower().endswith(".wacz"):
            yield file
            return
        with zipfile.ZipFile(file) as folder:
            for name in sorted(folder.namelist()):
                if name.startswith("archive/") and not name.endswith("/"):
                    with folder.open(name) as archive:
                        yield archive
