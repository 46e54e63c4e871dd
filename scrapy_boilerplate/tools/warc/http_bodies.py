"""The body of an HTTP message: chunks put together, compression undone, never beyond a limit."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from scrapy_boilerplate.tools.warc.streams import (
    STREAM_ERRORS,
    ZSTD,
    BrotliStream,
    Stream,
    ZlibStream,
    ZstdStream,
)

MOST_ENCODINGS = 4  # of one body, each of which may unpack a bomb

_GZIP = b"\x1f\x8b"
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
    if name not in _DECODERS:
        raise BodyError("bad_encoding")
    begins, make = _DECODERS[name]
    if not begins(body):
        return Body(body, False)
    return _unpack(body, make(body), most)


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


def _unpack(body: bytes, make: Callable[[], Stream], most: int) -> Body:
    parts: list[bytes] = []
    left, stream = most, make()
    for at in range(0, len(body), _STEP):
        data = body[at : at + _STEP]
        try:
            while True:
                if stream.is_over:
                    data = stream.unused + data
                    if not data.startswith(_GZIP):  # not a further member
                        break
                    stream = make()
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


def _looks_packed(body: bytes) -> bool:
    """Tell a compressed body from one that was stored without its encoding, for brotli."""
    return not body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"<", b"{"))


def _inflater(body: bytes) -> Callable[[], Stream]:
    """Return what unpacks ``deflate``: zlib's format, or that without its header."""
    has_header = body[:1] == b"x" and int.from_bytes(body[:2], "big") % 31 == 0
    return partial(ZlibStream, zlib.MAX_WBITS if has_header else -zlib.MAX_WBITS)


_DECODERS: dict[str, tuple[Callable[[bytes], bool], Callable[[bytes], Callable[[], Stream]]]] = {
    "gzip": (lambda body: body.startswith(_GZIP), lambda _: ZlibStream),
    "deflate": (_looks_packed, _inflater),
    "br": (_looks_packed, lambda _: BrotliStream),
    "zstd": (lambda body: body.startswith(ZSTD), lambda _: ZstdStream),
}
