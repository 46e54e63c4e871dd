"""Compressed streams with one face: unpacked some bytes at a time, never more than asked for."""

from __future__ import annotations

import sys
import zlib
from typing import Any, Protocol

import brotli

if sys.version_info >= (3, 14):
    from compression import zstd as zstd
else:
    from backports import zstd as zstd

GZIP, ZSTD = b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd"
"""First bytes of a gzip member and of a zstd frame."""

STREAM_ERRORS: tuple[type[Exception], ...] = (zlib.error, brotli.error, zstd.ZstdError)
"""Errors of damaged streams."""


class Stream(Protocol):
    """Unpacks a stream."""

    def unpack(self, data: bytes, most: int) -> bytes:
        """Take *data* and return the next bytes, about *most*; none if it needs more data."""

    @property
    def is_full(self) -> bool:
        """Whether it may have more to give without further data."""

    @property
    def is_over(self) -> bool:
        """Whether its end was reached."""

    @property
    def unused(self) -> bytes:
        """The bytes after the end."""


class ZlibStream:
    """A gzip member, or the formats of zlib."""

    def __init__(self, wbits: int = 31) -> None:
        self._stream = zlib.decompressobj(wbits)

    def unpack(self, data: bytes, most: int) -> bytes:
        """Return the next bytes."""
        return self._stream.decompress(self._stream.unconsumed_tail + data, most)

    @property
    def is_full(self) -> bool:
        """Whether it has more to give."""
        return bool(self._stream.unconsumed_tail)

    @property
    def is_over(self) -> bool:
        """Whether its end was reached."""
        return self._stream.eof

    @property
    def unused(self) -> bytes:
        """The bytes after the end."""
        return self._stream.unused_data


class ZstdStream:
    """A zstd frame, with the dictionary that it needs."""

    def __init__(self, dictionary: Any = None) -> None:
        self._stream = zstd.ZstdDecompressor(zstd_dict=dictionary)

    def unpack(self, data: bytes, most: int) -> bytes:
        """Return the next bytes."""
        return bytes(self._stream.decompress(data, most))

    @property
    def is_full(self) -> bool:
        """Whether it has more to give."""
        return not (self._stream.needs_input or self._stream.eof)

    @property
    def is_over(self) -> bool:
        """Whether its end was reached."""
        return bool(self._stream.eof)

    @property
    def unused(self) -> bytes:
        """The bytes after the end."""
        return bytes(self._stream.unused_data)


class BrotliStream:
    """A brotli stream; what follows its end is not told."""

    unused = b""

    def __init__(self) -> None:
        self._stream: Any = brotli.Decompressor()

    def unpack(self, data: bytes, most: int) -> bytes:
        """Return the next bytes."""
        return bytes(self._stream.process(data, output_buffer_limit=most))

    @property
    def is_full(self) -> bool:
        """Whether it has more to give."""
        return not self._stream.can_accept_more_data()

    @property
    def is_over(self) -> bool:
        """Whether its end was reached."""
        return bool(self._stream.is_finished())
