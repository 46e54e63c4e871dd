"""What is known of one site: a set of page sketches until it is learned, then its model."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from scrapy_boilerplate.sites.envelope import StateError, compressed, decompressed
from scrapy_boilerplate.sites.learning import learn
from scrapy_boilerplate.sites.model import SiteModel
from scrapy_boilerplate.sites.options import FREEZE_PAGES, LearningOptions
from scrapy_boilerplate.sites.sketch import Sketch

__all__ = ["SiteState", "merge_states"]

MAGIC = b"BPS\x02"
"""First bytes of a state's serialised form; the last one is the version."""

WORKERS = 64
"""Counters that workers share out among them."""

_HEADER = struct.Struct("<IBIBHII")
_COUNTER = struct.Struct("<BII")
_ENTRY = struct.Struct("<QH")
_MOST_RESTARTS = 255
_UNSTABLE = 2  # times that a site was learned in vain until it may no more say "no article"
_PAGE_OVERHEAD = 250  # bytes that Python's own objects take for a page


@dataclass(slots=True)
class SiteState:
    """A site's state, which merges: the union of two states is that of all their pages.

    While a site is learned the state is a *set* of page sketches, of which those with the smallest
    page ids are kept. The ids are hashes, so that this is a random sample of the pages, the same
    one in whatever order they came, however often each came, and whichever states were merged on
    the way.
    """

    most: int = FREEZE_PAGES
    """Pages that are remembered."""
    generation: int = 0
    """How often the site was learned anew."""
    sketches: dict[int, bytes] = field(default_factory=dict)
    """Sketch by page id."""
    names: dict[int, str] = field(default_factory=dict)
    """Names of hashes in the sketches."""
    frozen: bytes = b""
    """The serialised model, once the site is learned; then there are no sketches."""
    restarts: int = 0
    """How often it was learned anew, less the checks that it has passed."""
    checks: int = 0
    """How many checks the learned site has passed."""
    counts: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Pages of the learned site since its last check, and how many of them had text but no
    container, by the number of the worker that has counted them: so the sums are right whatever is
    merged how often. Of two workers with one number the larger counts."""
    added: int = 0
    """Pages that were added to this object, those that were not remembered included."""

    def add(self, page_id: int, sketch: Sketch, names: dict[int, str]) -> None:
        """Remember a page; one that was remembered already counts once."""
        self.remember([(page_id, sketch.to_bytes())], names)

    def remember(self, entries: Iterable[tuple[int, bytes]], names: dict[int, str]) -> None:
        for number, data in entries:
            self.added += 1
            self.sketches[number] = max(self.sketches.get(number, b""), data)
        self.names |= names
        if len(self.sketches) > self.most:
            self.sketches = dict(sorted(self.sketches.items())[: self.most])
            self._forget_names()

    def _forget_names(self) -> None:
        """Forget the names that none of the remembered pages gave."""
        given = set().union(*(Sketch.from_bytes(data).named() for data in self.sketches.values()))
        self.names = {number: name for number, name in self.names.items() if number in given}

    @property
    def distinct(self) -> float:
        """Estimate how many different pages were seen, from the ids of those remembered.

        Exact while fewer were seen than are remembered.
        """
        if len(self.sketches) < self.most:
            return len(self.sketches)
        return max(len(self.sketches), (self.most - 1) * 2.0**64 / (max(self.sketches) + 1))

    def learn(self, site: str, options: LearningOptions) -> SiteModel:
        """Learn from what is remembered."""
        sketches = [Sketch.from_bytes(data) for _, data in sorted(self.sketches.items())]
        if self.unstable:  # by chance some of the pages may well have a container in common
            options = replace(options, template_share=max(options.template_share, options.coverage))
        model = learn(site, sketches, self.names, options)
        return replace(model, safe=False) if self.unstable else model

    @property
    def unstable(self) -> bool:
        """Whether the site was learned in vain too often: its pages have no template in common."""
        return self.restarts >= _UNSTABLE

    def freeze(self, model: SiteModel) -> None:
        """Keep the model and forget the pages."""
        self.frozen = model.to_bytes()
        self.sketches, self.names = {}, {}
        self.checks, self.counts = 0, {}

    def watch(self, worker: int, *, missed: bool) -> tuple[int, int]:
        """Count a page of the learned site; return how many there were, and how many missed."""
        pages, misses = self.counts.get(worker, (0, 0))
        self.counts[worker] = pages + 1, misses + missed
        totals = zip(*self.counts.values(), strict=True)
        return sum(next(totals)), sum(next(totals))

    def passed(self) -> None:
        """Note that the model still fits, and begin to count anew."""
        self.checks += 1
        self.restarts, self.counts = max(0, self.restarts - 1), {}

    def restart(self) -> None:
        """Forget the model and learn anew."""
        self.generation += 1
        self.restarts = min(self.restarts + 1, _MOST_RESTARTS)
        self.frozen = b""
        self.checks, self.counts = 0, {}

    @property
    def size(self) -> int:
        """Bytes of memory, about."""
        pages = sum(len(data) + _PAGE_OVERHEAD for data in self.sketches.values())
        names = sum(len(name) + _PAGE_OVERHEAD for name in self.names.values())
        return pages + names + len(self.frozen) + 3 * _PAGE_OVERHEAD

    # -- merging -----------------------------------------------------------------------------

    def merge(self, other: SiteState) -> None:
        """Take in another state of the same site.

        A later generation wins, then a learned site over one that is being learned; of two models
        the one of more pages is kept.
        """
        if (self.generation, bool(self.frozen)) != (other.generation, bool(other.frozen)):
            if (other.generation, bool(other.frozen)) > (self.generation, bool(self.frozen)):
                self._become(other)
        elif self.frozen:
            self._count(other)
            if _rank(other.frozen) > _rank(self.frozen):
                self.frozen = other.frozen
        else:
            self.restarts = max(self.restarts, other.restarts)
            self.remember(other.sketches.items(), other.names)

    def _count(self, other: SiteState) -> None:
        """Take in the counts of another state; those before the last check are done with."""
        if other.checks > self.checks:
            self.checks, self.restarts, self.counts = other.checks, other.restarts, {}
        if other.checks == self.checks:
            self.restarts = max(self.restarts, other.restarts)
            for worker, count in other.counts.items():
                self.counts[worker] = max(count, self.counts.get(worker, count))

    def _become(self, other: SiteState) -> None:
        self.generation, self.frozen = other.generation, other.frozen
        self.restarts, self.checks, self.counts = other.restarts, other.checks, dict(other.counts)
        self.sketches, self.names = {}, {}
        self.remember(other.sketches.items(), other.names)

    # -- bytes -------------------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        """Return a versioned, compact form; the same for the same state."""
        self._forget_names()
        names = json.dumps(
            {f"{number:x}": name for number, name in sorted(self.names.items())},
            ensure_ascii=False,
            separators=(",", ":"),
        ).encode("utf-8", "surrogatepass")
        parts = [
            _HEADER.pack(
                *(self.generation, self.restarts, self.checks, len(self.counts)),
                *(len(self.sketches), len(names), len(self.frozen)),
            )
        ]
        parts += [_COUNTER.pack(worker, *count) for worker, count in sorted(self.counts.items())]
        for number, data in sorted(self.sketches.items()):
            parts += [_ENTRY.pack(number, len(data)), data]
        return compressed(b"".join([*parts, names, self.frozen]), MAGIC, 6)

    @classmethod
    def from_bytes(cls, data: bytes, most: int = FREEZE_PAGES) -> SiteState:
        """Read what :meth:`to_bytes` wrote. Raises :exc:`StateError` for anything else."""
        body = decompressed(data, MAGIC)
        try:
            return _read(_Reader(body), cls(most))
        except (struct.error, ValueError, AttributeError, RecursionError) as error:
            raise StateError(f"damaged site state: {error}") from error


class _Reader:
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


def _read(reader: _Reader, state: SiteState) -> SiteState:
    """Return what the bytes say of a site, all of it checked."""
    state.generation, state.restarts, state.checks, *sizes = reader.numbers(_HEADER)
    counters, pages, names_size, frozen_size = sizes
    for _ in range(counters):
        worker, seen, misses = reader.numbers(_COUNTER)
        state.counts[worker] = seen, misses
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
        raise ValueError("names are text")
    state.remember(sketches.items(), pairs)
    return state


def _rank(frozen: bytes) -> tuple[int, bytes]:
    return SiteModel.from_bytes(frozen).pages, frozen


def merge_states(one: bytes, other: bytes, most: int = FREEZE_PAGES) -> bytes:
    """Return the serialised union of two serialised states of one site.

    The order does not matter, nor how states are grouped, nor that both hold the same pages. This
    is what a store does with a state that is there already.
    """
    state = SiteState.from_bytes(one, most)
    state.merge(SiteState.from_bytes(other, most))
    return state.to_bytes()
