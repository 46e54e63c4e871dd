"""Bounds of each record of a web archive, also where the archive is damaged.

An archive is one segment, or, if compressed, one segment for each gzip member or zstd frame: most
often that of one record. Within a segment a record ends where its length says, if what follows is
the end of the segment or the next record. If not, its length is wrong: the record is lost, and
reading goes on at the next place that looks like the beginning of a record. If a member cannot be
unpacked, reading goes on at the next member that holds a record.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import IO, Literal, NamedTuple

from scrapy_boilerplate.tools.warc.http_bodies import (
    GZIP,
    STREAM_ERRORS,
    ZSTD,
    Stream,
    ZlibStream,
    ZstdStream,
    zstd,
)

# Its bytes or its length are wrong, it is cut off, or it is too long
Damage = Literal["corrupt", "truncated", "too_large"]

MOST_HEADER = 64 << 10  # of a record's own

MOST_REWINDS = 3  # how often what a wrong length has skipped is unpacked again, in one member

_CHUNK = 1 << 18
_DICTIONARY = b"\x5d\x2a\x4d\x18"  # of a frame that holds what the others are unpacked with
_MOST_DICTIONARY = 16 << 20  # bytes
_MAGIC, _FIRST_LINE = b"WARC/", b"WARC/1.0\r\n"
# No quantifier can match what follows it: no backtracking. A literal beginning is found fast.
_CONTENT_LENGTH = re.compile(rb"\r?\n[Cc]ontent-[Ll]ength:[ \t]*(\d{1,18})[ \t]*\r?\n")
_RECORD_BEGINNING = re.compile(rb"\nWARC/1\.[01]\r?\n(?=[A-Za-z-]{4,40}:)")
_MOST_BEGINNING = 64  # bytes that _RECORD_BEGINNING looks at
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")


class Frame(NamedTuple):
    """A record, or what is left of one."""

    data: bytes  # its header and its block; of a lost record what is known of its header

    damage: Damage | None = None
    offset: int = 0  # of it in the file, or of the member that holds it


def frames(file: IO[bytes], most: int) -> Iterator[Frame]:
    """Yield the records of a *file* that can seek; one of more than *most* bytes is lost."""
    begin = file.tell()
    first = file.read(len(_MAGIC))
    start: int | None = begin
    packing = _Packing(GZIP, ZlibStream)
    if first.startswith((ZSTD, _DICTIONARY)):
        packing = _zstd_packing(file, begin)
        start = file.tell()
    elif not first.startswith(GZIP):
        start = None
        if first != _MAGIC:
            start = packing.next_start(file, begin)
            if start is None:
                packing = _Packing(ZSTD, ZstdStream)
                start = packing.next_start(file, begin)
        if start is None:
            yield from _records(_Segment(file, begin), most)
            return
        yield Frame(b"", "corrupt", begin)
    while start is not None:
        member = _Segment(file, start, packing)
        yield from _records(member, most)
        before, start = start, member.next_start()
        if member.is_followed_by_junk:
            yield Frame(b"", "corrupt", before)


_MOST_FIRST = {GZIP: 512, ZSTD: _CHUNK}  # packed bytes that give the first ones


class _Packing(NamedTuple):
    magic: bytes
    make: Callable[[], Stream]

    def next_start(self, file: IO[bytes], start: int) -> int | None:
        kept, at = b"", start
        file.seek(start)
        while chunk := file.read(_CHUNK):
            data = kept + chunk
            found = data.find(self.magic)
            while found >= 0:
                if self._holds_record(file, at + found):
                    return at + found
                found = data.find(self.magic, found + 1)
            kept = data[-len(self.magic) + 1 :]
            at += len(data) - len(kept)
            file.seek(at + len(kept))
        return None

    def _holds_record(self, file: IO[bytes], start: int) -> bool:
        file.seek(start)
        stream = self.make()
        try:
            return stream.unpack(file.read(_MOST_FIRST[self.magic]), len(_MAGIC)) == _MAGIC
        except STREAM_ERRORS:
            return False


def _zstd_packing(file: IO[bytes], begin: int) -> _Packing:
    """Read the dictionary of a ``.warc.zst``, if it begins with one; *file* is behind it then."""
    file.seek(begin)
    dictionary = None
    if file.read(len(_DICTIONARY)) == _DICTIONARY:
        data = file.read(min(int.from_bytes(file.read(4), "little"), _MOST_DICTIONARY))
        end = file.tell()
        try:
            if data.startswith(ZSTD):
                data = zstd.ZstdDecompressor().decompress(data, _MOST_DICTIONARY)
            dictionary = zstd.ZstdDict(data)
        except (zstd.ZstdError, ValueError):  # damaged: no record can be unpacked
            pass
        file.seek(end)
    else:
        file.seek(begin)
    return _Packing(ZSTD, partial(ZstdStream, dictionary))


class _Segment:
    """The bytes of one gzip member or zstd frame, or, without *packing*, those of a file."""

    is_followed_by_junk = False  # bytes that are no member stood before the next one
    rewinds = 0  # how often it was unpacked again

    def __init__(self, file: IO[bytes], start: int, packing: _Packing | None = None) -> None:
        self._file, self._start, self.packing = file, start, packing
        self._floor = 0  # what stands before is not held
        self._restart(0)

    def _restart(self, at: int) -> None:
        self._window, self._offset = bytearray(), 0
        if self.packing is None:  # nothing is sought beyond the end
            self._offset = min(at, self._file.seek(0, 2) - self._start)
        self._file.seek(self._start + self._offset)
        self._stream = self.packing.make() if self.packing else Stream()
        self.is_broken = False
        self.is_cut = self.packing is None  # where a record is not whole

    def place(self, at: int) -> int:
        """Return where the byte at an offset stands in the file, or the member that holds it."""
        return self._start + (0 if self.packing else at)

    def forget(self, before: int) -> None:
        self._floor = before

    def read(self, at: int, size: int) -> bytes:
        """Return the bytes at an offset, fewer at the end or where the member is damaged."""
        is_behind = at < self._offset
        if is_behind or (at > self._offset + len(self._window) and not self.packing):
            self._restart(at)
            self.rewinds += is_behind and self.packing is not None
        while self._offset + len(self._window) < at + size:
            data = self._some() if self.packing else self._file.read(_CHUNK)
            if not data:
                break
            self._window += data
            passed = min(max(self._floor - self._offset, 0), len(self._window))
            del self._window[:passed]
            self._offset += passed
        begin = max(at - self._offset, 0)
        with memoryview(self._window) as window:
            return bytes(window[begin : begin + size])

    @property
    def is_whole(self) -> bool:
        return self.packing is None or self._stream.is_over

    def _some(self) -> bytes:
        data = b""
        while not (data or self._stream.is_over or self.is_broken or self.is_cut):
            packed = b"" if self._stream.is_full else self._file.read(_CHUNK >> 2)
            is_end = not packed and not self._stream.is_full
            try:
                data = self._stream.unpack(packed, _CHUNK)
            except STREAM_ERRORS:
                self.is_broken = True
                break
            self.is_cut = is_end and not data and not self._stream.is_over
        return data

    def next_start(self) -> int | None:
        assert self.packing is not None
        while not self._stream.is_over and self._some():
            pass
        if self._stream.is_over:
            end = self._file.seek(-len(self._stream.unused), 1)
            magic = self.packing.magic
            if self._file.read(len(magic)) == magic:
                return end
            start = self.packing.next_start(self._file, end)
            self._file.seek(end)
            junk = self._file.read(_CHUNK if start is None else min(start - end, _CHUNK))
            self.is_followed_by_junk = bool(junk.strip(b"\0"))
            return start
        return self.packing.next_start(self._file, self._start + 1)


def _records(segment: _Segment, most: int) -> Iterator[Frame]:
    at: int | None = _text_at(segment, 0)
    if at is None and not segment.is_whole:
        yield Frame(b"", "truncated" if segment.is_cut else "corrupt", segment.place(0))
    while at is not None:
        frame, after = _record(segment, at, most)
        yield frame._replace(offset=segment.place(at))
        at = None if after is None else _text_at(segment, after)


def _record(segment: _Segment, at: int, most: int) -> tuple[Frame, int | None]:
    """Return the record at an offset, and where to look for the next one."""
    segment.forget(at)
    head = _head(segment, at)
    length = _CONTENT_LENGTH.search(head)
    if length is None:
        return _lost(segment, head, at + 1)
    size = len(head) + int(length[1])
    after = at + size
    if size <= most:
        data = segment.read(at, size)
        is_whole = len(data) == size and _ends_at(segment, after)
        if is_whole and not (at == 0 and segment.is_broken):
            return Frame(data), after
    else:
        segment.forget(after - 1)
        if segment.read(after - 1, 1) and _ends_at(segment, after):
            return Frame(head, "too_large"), after
        if segment.rewinds >= MOST_REWINDS:
            return Frame(head, "corrupt"), after
    return _lost(segment, head, at + len(head) - 2)


def _lost(segment: _Segment, head: bytes, at: int) -> tuple[Frame, int | None]:
    """Return what is left of a record, and where another one begins, *at* an offset or later."""
    after = _next_beginning(segment, at)
    is_record = head or segment.packing
    is_cut = segment.is_cut and is_record and after is None
    return Frame(head, "truncated" if is_cut else "corrupt"), after


def _head(segment: _Segment, at: int) -> bytes:
    """Return the header of a record, with the blank line after it; nothing if it has none."""
    for size in (2048, MOST_HEADER):
        data = segment.read(at, size)
        end = _BLANK_LINE.search(data) if data.startswith(_MAGIC) else None
        if end is not None:
            return data[: end.end()]
    return b""


def _ends_at(segment: _Segment, at: int) -> bool:
    """Return whether a record can end there."""
    rest = segment.read(at, _MOST_BEGINNING)
    left = rest.lstrip(b"\r\n")
    return not left or (left != rest and _is_like_magic(left))


def _is_like_magic(data: bytes) -> bool:
    """Return whether a record begins with *data*: damage to one record must not cost another."""
    return sum(one == other for one, other in zip(data, _FIRST_LINE, strict=False)) >= 7


def _next_beginning(segment: _Segment, at: int) -> int | None:
    """Return where something looks like the beginning of a record; ``None`` if nothing does."""
    while True:
        segment.forget(at)
        data = segment.read(at, _CHUNK)
        match = _RECORD_BEGINNING.search(data)
        if match is not None:
            return at + match.start()
        if len(data) < _CHUNK:
            return None
        at += _CHUNK - _MOST_BEGINNING


def _text_at(segment: _Segment, at: int) -> int | None:
    """Return where the line breaks at an offset end; ``None`` if nothing follows them."""
    while data := segment.read(at, 4096):
        text = data.lstrip(b"\r\n")
        if text:
            return at + len(data) - len(text)
        at += len(data)
        segment.forget(at)
    return None
