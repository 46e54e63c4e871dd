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

MOST_ENCODINGS = 4  # of one body, each of which may unpack a bomb

_MOST_MEMBERS = 16  # of gzip in a body: each copies what is left

# First bytes of a gzip member and of a zstd frame
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"

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
    try:
        return _unpacked(body, name, most)
    except (zlib.error, brotli.error, zstd.ZstdError) as error:
        raise BodyError("bad_encoding") from error


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


def _unpacked(body: bytes, name: str, most: int) -> Body:
    """Return what *body* holds, or *body* if it was stored without its encoding."""
    magic = {"gzip": _GZIP, "zstd": _ZSTD, "deflate": b"", "br": b""}.get(name)
    if magic is None:
        raise BodyError("bad_encoding")
    is_markup = body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"<", b"{"))
    if not body.startswith(magic) or (not magic and is_markup):
        return Body(body, False)
    stream: Any
    if name == "br":
        stream = brotli.Decompressor()
        data = stream.process(body, output_buffer_limit=most + 1)
        is_whole = stream.is_finished()
    elif name == "zstd":
        stream = zstd.ZstdDecompressor()
        data, is_whole = stream.decompress(body, most + 1), stream.eof
    else:
        data, is_whole = _inflated(body, most)
    if len(data) > most:
        raise BodyError("too_large")
    return Body(bytes(data), not is_whole)


def _inflated(body: bytes, most: int) -> tuple[bytes, bool]:
    """Return what gzip members, or a stream of either form of ``deflate``, hold."""
    has_header = body[:1] == b"x" and int.from_bytes(body[:2], "big") % 31 == 0
    wbits = 31 if body.startswith(_GZIP) else 15 if has_header else -15
    data = b""
    for _ in range(_MOST_MEMBERS):
        stream = zlib.decompressobj(wbits)
        data += stream.decompress(body, most + 1 - len(data))
        body, wbits = stream.unused_data, 31
        if len(data) > most or not body.startswith(_GZIP):
            break
    return data, stream.eof
