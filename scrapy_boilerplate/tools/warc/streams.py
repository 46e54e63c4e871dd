"""Compressed streams with one face: unpacked some bytes at a time, never more than asked for."""

from __future__ import annotations

import sys
import zlib
from typing import Any

import brotli

if sys.version_info >= (3, 14):
    from compression import zstd as zstd
else:
    from backports import zstd as zstd

# First bytes of a gzip member and of a zstd frame
GZIP, ZSTD = b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd"

STREAM_ERRORS: tuple[type[Exception], ...] = (zlib.error, brotli.error, zstd.ZstdError)


class Stream:
    is_full = False  # it may have more to give without further data
    is_over = False
    unused = b""  # bytes after the end

    def unpack(self, data: bytes, most: int) -> bytes:
        """Take *data* and return the next bytes, about *most*; none if it needs more data."""
        raise NotImplementedError


class ZlibStream(Stream):
    """A gzip member, or the formats of zlib."""

    def __init__(self, wbits: int = 31) -> None:
        self._stream = zlib.decompressobj(wbits)

    def unpack(self, data: bytes, most: int) -> bytes:
        part = self._stream.decompress(self._stream.unconsumed_tail + data, most)
        self.is_full, self.is_over = bool(self._stream.unconsumed_tail), self._stream.eof
        self.unused = self._stream.unused_data
        return part


class ZstdStream(Stream):
    """A zstd frame, with the dictionary that it needs."""

    def __init__(self, dictionary: Any = None) -> None:
        self._stream: Any = zstd.ZstdDecompressor(zstd_dict=dictionary)

    def unpack(self, data: bytes, most: int) -> bytes:
        part = bytes(self._stream.decompress(data, most))
        self.is_over, self.unused = self._stream.eof, self._stream.unused_data
        self.is_full = not (self._stream.needs_input or self.is_over)
        return part


class BrotliStream(Stream):
    """A brotli stream; what follows its end is not told."""

    def __init__(self) -> None:
        self._stream: Any = brotli.Decompressor()

    def unpack(self, data: bytes, most: int) -> bytes:
        part = bytes(self._stream.process(data, output_buffer_limit=most))
        self.is_full = not self._stream.can_accept_more_data()
        self.is_over = self._stream.is_finished()
        return part
