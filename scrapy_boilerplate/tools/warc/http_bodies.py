"""The bodies of HTTP messages, unpacked, never beyond a limit."""

from __future__ import annotations

import re
import sys
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

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
    def __init__(self) -> None:
        self._stream: Any = zstd.ZstdDecompressor()

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


# -- bodies ----------------------------------------------------------------------------------

MOST_ENCODINGS = 4  # of one body, each of which may unpack a bomb

_STEP = 1 << 16  # bytes that are unpacked at once
_CHUNK_SIZE = re.compile(
    rb"[ \t]*([0-9A-Fa-f]{1,8})[^\r\n]{0,200}\r?\n"
)  # exclusive: no backtracking


class Body(NamedTuple):
    data: bytes
    is_cut: bool  # its end is missing


class BodyError(Exception):
    """A body that cannot be read; the text says why."""


def decode_body(body: bytes, transfer: str | None, content: str | None, most: int) -> Body:
    r"""Return the body that an HTTP message carries.

    *transfer* and *content* are its headers ``Transfer-Encoding`` and ``Content-Encoding``. Many
    archives keep these headers, but store the body without the encodings: a body that does not
    begin as its encoding does is returned as it is. Raises :exc:`BodyError` with ``too_large`` if
    it has more than *most* bytes, or ``bad_encoding`` if it is damaged or its encoding not known.

    >>> import gzip
    >>> decode_body(b"5\r\n<p>On\r\n1\r\ne\r\n0\r\n\r\n", "chunked", None, 100)
    Body(data=b'<p>One', is_cut=False)
    >>> decode_body(gzip.compress(b"<p>One")[:-4], None, "gzip", 100)
    Body(data=b'<p>One', is_cut=True)
    """
    names = [*_names(content), *_names(transfer)]
    if len(names) > MOST_ENCODINGS:
        raise BodyError("bad_encoding")
    is_cut = False
    for name in reversed(names):
        body, is_cut_here = _decoded(body, name, most)
        is_cut |= is_cut_here
    if len(body) > most:
        raise BodyError("too_large")
    return Body(body, is_cut)


def _names(header: str | None) -> Iterator[str]:
    for name in (header or "").lower().split(","):
        if name.strip() not in ("", "identity", "none"):
            yield name.strip().removeprefix("x-")


def _decoded(body: bytes, name: str, most: int) -> Body:
    if name == "chunked":
        return _join_chunks(body)
    stream = _stream_of(name, body)
    return Body(body, False) if stream is None else _unpack(body, stream, most)


def _join_chunks(body: bytes) -> Body:
    """Put chunks together, up to a damaged one; what is not in chunks is returned as it is."""
    parts: list[bytes] = []
    at = 0
    while line := _CHUNK_SIZE.match(body, at):
        size = int(line[1], 16)
        if not size:
            return Body(b"".join(parts), False)
        parts.append(body[line.end() : line.end() + size])
        at = line.end() + size
        if body[at : at + 2] == b"\r\n":
            at += 2
        elif body[at : at + 1] == b"\n":
            at += 1
    return Body(b"".join(parts), True) if parts else Body(body, False)


# -- compression -----------------------------------------------------------------------------


def _unpack(body: bytes, stream: Stream, most: int) -> Body:
    parts: list[bytes] = []
    left = most
    for at in range(0, len(body), _STEP):
        data = body[at : at + _STEP]
        try:
            while True:
                if stream.is_over:
                    data = stream.unused + data
                    if not data.startswith(GZIP[:2]):  # not a further member
                        break
                    stream = ZlibStream()
                part = stream.unpack(data, _STEP)
                data = b""
                if not part and not stream.is_over:
                    break
                parts.append(part)
                left -= len(part)
                if left < 0:
                    raise BodyError("too_large")
        except STREAM_ERRORS as error:
            raise BodyError("bad_encoding") from error
    return Body(b"".join(parts), not stream.is_over)


def _stream_of(name: str, body: bytes) -> Stream | None:
    """Return what unpacks a body; ``None`` for one that was stored without its encoding."""
    if name == "gzip":
        return ZlibStream() if body.startswith(GZIP[:2]) else None
    if name == "zstd":
        return ZstdStream() if body.startswith(ZSTD) else None
    if name not in ("deflate", "br"):
        raise BodyError("bad_encoding")
    if body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"<", b"{")):
        return None
    if name == "br":
        return BrotliStream()
    has_header = body[:1] == b"x" and int.from_bytes(body[:2], "big") % 31 == 0
    return ZlibStream(zlib.MAX_WBITS if has_header else -zlib.MAX_WBITS)
