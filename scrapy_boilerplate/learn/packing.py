"""The serialised form of a site's state."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING

from scrapy_boilerplate.learn.envelope import StateError, compressed, decompressed
from scrapy_boilerplate.learn.model import SiteModel
from scrapy_boilerplate.learn.sketch import Sketch

if TYPE_CHECKING:
    from scrapy_boilerplate.learn.state import SiteState

MAGIC = b"BPS\x03"
"""First bytes of a state's serialised form; the last one is the version."""

_HEADER = struct.Struct("<IBIIBHII")
_COUNTER = struct.Struct("<BIIH")
_ENTRY = struct.Struct("<QH")

_OLD_MAGIC = b"BPS\x02"  # of states without strangers, epoch and drift
_OLD_HEADER = struct.Struct("<IBIBHII")
_OLD_COUNTER = struct.Struct("<BII")


def packed(state: SiteState) -> bytes:
    """Return a state as bytes, the same for the same state."""
    names = json.dumps(
        {f"{number:x}": name for number, name in sorted(state.names.items())},
        ensure_ascii=False,
        separators=(",", ":"),
    ).encode("utf-8", "surrogatepass")
    parts = [
        _HEADER.pack(
            *(state.generation, state.restarts, state.checks, state.epoch, len(state.counts)),
            *(len(state.sketches), len(names), len(state.frozen)),
        )
    ]
    parts += [_COUNTER.pack(worker, *count) for worker, count in sorted(state.counts.items())]
    for number, data in sorted(state.sketches.items()):
        parts += [_ENTRY.pack(number, len(data)), data]
    return compressed(b"".join([*parts, names, state.frozen]), MAGIC, 6)


def unpacked(data: bytes, state: SiteState) -> SiteState:
    """Read what :func:`packed` wrote into a new *state*. Raises :exc:`StateError`."""
    is_old = data[: len(_OLD_MAGIC)] == _OLD_MAGIC
    reader = _ByteReader(decompressed(data, _OLD_MAGIC if is_old else MAGIC))
    try:
        return _read(reader, state, is_old=is_old)
    except (struct.error, ValueError, AttributeError, RecursionError) as error:
        raise StateError(f"damaged site state: {error}") from error


class _ByteReader:
    """Reads bytes from the first to the last."""

    def __init__(self, body: bytes) -> None:
        self._body, self._offset = body, 0

    def numbers(self, layout: struct.Struct) -> tuple[int, ...]:
        found: tuple[int, ...] = layout.unpack(self.take(layout.size))
        return found

    def take(self, size: int) -> bytes:
        self._offset += size
        if self._offset > len(self._body):
            raise ValueError("wrong length")
        return self._body[self._offset - size : self._offset]

    def end(self) -> None:
        if self._offset != len(self._body):
            raise ValueError("wrong length")


def _read(reader: _ByteReader, state: SiteState, *, is_old: bool) -> SiteState:
    """Read a site's state from the bytes, and check all of it."""
    header = reader.numbers(_OLD_HEADER if is_old else _HEADER)
    state.generation, state.restarts, state.checks = header[:3]
    state.epoch = 0 if is_old else header[3]
    counters, pages, names_size, frozen_size = header[-4:]
    for _ in range(counters):
        worker, seen, misses, *rest = reader.numbers(_OLD_COUNTER if is_old else _COUNTER)
        state.counts[worker] = seen, misses, sum(rest)
    sketches: dict[int, bytes] = {}
    for _ in range(pages):
        number, size = reader.numbers(_ENTRY)
        sketches[number] = reader.take(size)
        Sketch.from_bytes(sketches[number])
    names = json.loads(reader.take(names_size).decode("utf-8", "surrogatepass"))
    state.frozen = reader.take(frozen_size)
    reader.end()
    if state.frozen:
        SiteModel.from_bytes(state.frozen)
    pairs = {int(number, 16): name for number, name in names.items()}
    if not all(isinstance(name, str) for name in pairs.values()):
        raise ValueError("names must be text")
    state.remember(sketches.items(), pairs)
    return state
