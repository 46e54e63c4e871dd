"""Compressed bytes that say what they hold, and in which version."""

from __future__ import annotations

import zlib

MOST_BYTES = 1 << 20
"""Bytes that may come out of compressed ones."""


class StateError(ValueError):
    """A serialised model or state is damaged, or has another version."""


def compressed(body: bytes, magic: bytes, level: int) -> bytes:
    """Return *body* compressed behind *magic*, whose last byte is the version."""
    return magic + zlib.compress(body, level)


def decompressed(data: bytes, magic: bytes) -> bytes:
    """Return what stands compressed behind *magic*. Raises :exc:`StateError`."""
    if data[: len(magic) - 1] != magic[:-1]:
        raise StateError("these bytes do not hold a site's state or model")
    if data[: len(magic)] != magic:
        raise StateError(f"version {data[len(magic) - 1 : len(magic)].hex()} is not supported")
    stream = zlib.decompressobj()
    try:
        body = stream.decompress(data[len(magic) :], MOST_BYTES)
    except zlib.error as error:
        raise StateError(f"damaged bytes: {error}") from error
    if not stream.eof:
        raise StateError("the bytes are cut short, or hold too much")
    return body
