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
_LINE_BREAKS = re.compile(rb"[\r\n]+")
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
            yield from _Records(_Segment(file, begin), most)
            return
        yield Frame(b"", "corrupt", begin)
    while start is not None:
        member = _Segment(file, start, packing)
        yield from _Records(member, most)
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
    """One gzip member or zstd frame of a file; without *packing* all of the file."""

    is_followed_by_junk = False  # bytes that are no member stood before the next one

    def __init__(self, file: IO[bytes], start: int, packing: _Packing | None = None) -> None:
        self._file, self._start, self.packing = file, start, packing
        # How many bytes it has, once that is known.
        self.size = None if packing else file.seek(0, 2) - start
        self._restart()

    def _restart(self) -> None:
        self._file.seek(self._start)
        self._stream = self.packing.make() if self.packing else Stream()
        self._unpacked = 0
        self.is_broken = False
        self.is_cut = self.packing is None  # where a record is not whole

    def seek(self, offset: int) -> None:
        if self.packing is None:
            self._file.seek(self._start + offset)
            return
        if offset < self._unpacked:
            self._restart()
        while self._unpacked < offset and self._some(min(offset - self._unpacked, _CHUNK)):
            pass

    def place(self, offset: int) -> int:
        """Return where the byte at *offset* stands in the file, or the member that holds it."""
        return self._start + (0 if self.packing else offset)

    def read(self) -> bytes:
        """Return the next bytes; none at the end, or where the member is damaged."""
        return self._some(_CHUNK) if self.packing else self._file.read(_CHUNK)

    @property
    def is_whole(self) -> bool:
        return self.packing is None or self._stream.is_over

    def _some(self, most: int) -> bytes:
        data = b""
        while not (data or self._stream.is_over or self.is_broken or self.is_cut):
            packed = b"" if self._stream.is_full else self._file.read(_CHUNK >> 2)
            is_end = not packed and not self._stream.is_full
            try:
                data = self._stream.unpack(packed, most)
            except STREAM_ERRORS:
                self.is_broken = True
                break
            self.is_cut = is_end and not data and not self._stream.is_over
        self._unpacked += len(data)
        if not data:
            self.size = self._unpacked
        return data

    def next_start(self) -> int | None:
        assert self.packing is not None
        while not self._stream.is_over and self._some(_CHUNK):
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


def _is_like_magic(data: bytes) -> bool:
    """Return whether a record begins with *data*: damage to one record must not cost another."""
    return sum(one == other for one, other in zip(data, _FIRST_LINE, strict=False)) >= 7


class _Records:
    """The records of a segment, through a window that moves over it."""

    def __init__(self, segment: _Segment, most: int) -> None:
        self._segment, self._most = segment, most
        self._window = bytearray()
        self._offset = 0  # of the window in the segment
        self._is_over = False
        self._rewinds = 0

    def __iter__(self) -> Iterator[Frame]:
        is_empty = True
        while self._find_text():
            is_empty = False
            start = self._segment.place(self._offset)
            yield self._record()._replace(offset=start)
        if is_empty and not self._segment.is_whole:
            yield self._lost(b"", 0)._replace(offset=self._segment.place(0))

    def _record(self) -> Frame:
        head = self._head() if self._window.startswith(_MAGIC) else b""
        length = _CONTENT_LENGTH.search(head)
        if length is None:
            return self._lost(head, 1)
        size = len(head) + int(length[1])
        if size > self._most:
            return self._skipped(head, size)
        is_first = not self._offset
        is_whole = self._fill(size)
        if not is_whole or not self._ends_at(size) or (is_first and self._segment.is_broken):
            return self._lost(head, len(head) - 2)
        with memoryview(self._window) as window:
            data = bytes(window[:size])
        self._advance(size)
        return Frame(data)

    def _skipped(self, head: bytes, size: int) -> Frame:
        """Skip a record that is too long, unless its length is wrong."""
        start = self._offset
        if self._goes_beyond(start + size):
            return self._lost(head, len(head) - 2)
        self._seek(start + size)
        if self._ends_at(0) and not self._goes_beyond(start + size):
            return Frame(head, "too_large")
        self._rewinds += self._segment.packing is not None
        if self._rewinds > MOST_REWINDS:
            self._window.clear()
            return Frame(head, "corrupt")
        self._seek(start)
        return self._lost(head, len(head) - 2)

    def _goes_beyond(self, stop: int) -> bool:
        return self._segment.size is not None and self._segment.size < stop

    def _lost(self, head: bytes, after: int) -> Frame:
        """Move on to the next beginning of a record that is *after* bytes away or more."""
        self._advance(after)
        found = self._find_beginning()
        is_record = head or self._segment.packing
        is_cut = self._segment.is_cut and is_record and not found
        return Frame(head, "truncated" if is_cut else "corrupt")

    def _head(self) -> bytes:
        """Return the header of the record, with the blank line after it; nothing if it has none."""
        for size in (2048, MOST_HEADER):
            is_whole = self._fill(size)
            end = _BLANK_LINE.search(self._window, 0, size)
            if end is not None:
                return bytes(self._window[: end.end()])
            if not is_whole:
                break
        return b""

    def _ends_at(self, size: int) -> bool:
        """Return whether a record can end *size* bytes from here."""
        self._fill(size + _MOST_BEGINNING)
        rest = bytes(self._window[size : size + _MOST_BEGINNING])
        left = rest.lstrip(b"\r\n")
        return not left or (left != rest and _is_like_magic(left))

    def _find_beginning(self) -> bool:
        """Move on to what looks like the beginning of a record; tell whether there is any."""
        while True:
            is_more = self._fill(_CHUNK)
            match = _RECORD_BEGINNING.search(self._window)
            if match:
                self._advance(match.start())
                return True
            if not is_more:
                self._advance(len(self._window))
                return False
            self._advance(len(self._window) - _MOST_BEGINNING)

    def _find_text(self) -> bool:
        """Move on behind line breaks; tell whether anything is left."""
        while self._fill(len(_MAGIC)) or self._window:
            blank = _LINE_BREAKS.match(self._window)
            if blank is None:
                return True
            self._advance(blank.end())
        return False

    # -- the window --------------------------------------------------------------------------

    def _fill(self, size: int) -> bool:
        """Let the window hold *size* bytes; tell whether the segment has them."""
        while len(self._window) < size and not self._is_over:
            data = self._segment.read()
            self._is_over = not data
            self._window += data
        return len(self._window) >= size

    def _advance(self, size: int) -> None:
        size = min(size, len(self._window))
        del self._window[:size]
        self._offset += size

    def _seek(self, offset: int) -> None:
        self._segment.seek(offset)
        self._window.clear()
        self._offset, self._is_over = offset, False
