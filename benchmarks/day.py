"""A day's run in small: web archives with poison among their pages, and workers that are killed.

    python -m benchmarks.day build/day --data ../shared/data/{wcxb-dev,sites} --records 1000000

Archives of a thousand records are made of the labelled pages, again and again under other
addresses, a request, a response and its metadata each, as Common Crawl has them. Among them are
pages that crash the method, hang, raise, or take all memory, tags of 100 000 attributes, deep
trees and bombs, and in every second archive records that are damaged or cut off. Batch after batch
is extracted; meanwhile a worker is killed for every hundred pages, by turns the process that
answers and one above it, and once a batch the whole command, which then begins again. Then it is
checked that each page has one row, that each page which is no poison has the text that it always
had, and that each poison has the reason it must have.
"""

from __future__ import annotations

import argparse
import gzip
import random
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import ClassVar

import psutil
from pyarrow.parquet import read_table

from benchmarks.archives import labelled, record
from benchmarks.data import LabelledPage
from scrapy_boilerplate.core.auto import Auto
from scrapy_boilerplate.core.methods import Verdict
from scrapy_boilerplate.core.page import Page

RECORDS = 1000
"""Records of an archive, about; a third of them are pages."""

BATCH = 20
"""Archives that are made, extracted and removed together."""

SECONDS = 5.0
"""What a page may take."""

_PAGES_A_KILL = 100
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n%s\r\n"


@dataclass(frozen=True, slots=True)
class Poisoned(Auto):
    """``auto``, but pages that say so crash it, hang it, or take all memory."""

    name: ClassVar[str] = "poisoned"

    def judge(self, page: Page) -> Verdict:
        """Judge a page, if it lets us."""
        if "poison" in page.buffer:
            if "poison: crash" in page.buffer:
                import ctypes

                ctypes.string_at(0)
            while "poison: hang" in page.buffer:
                pass
            if "poison: raise" in page.buffer:
                raise ValueError("poison")
            if "poison: memory" in page.buffer:
                bytearray(1 << 40)
        return Auto.judge(self, page)


_REASONS = {
    "crash": "crashed: SIGSEGV",
    "hang": "timeout",
    "raise": "error: ValueError",
    "memory": "error: MemoryError",
}
_EVERY = {"crash": 1, "raise": 1, "memory": 5, "hang": 20}
"""In every so many archives there is one."""


@dataclass
class Made:
    """What must be found of an archive."""

    pages: dict[str, int | None]
    """The number of the source of each page by its record's id, ``None`` for those that only must
    have a row."""
    poison: dict[str, str]
    """The beginning of the reason of the others."""
    damaged: int
    """Records that are lost."""


def make(path: Path, number: int, sources: Iterator[tuple[int, LabelledPage]]) -> Made:
    """Write an archive; by turns it is plain, of gzip members, or of zstd frames."""
    from scrapy_boilerplate.tools.warc.streams import zstd

    made = Made({}, {}, 0)
    records: list[bytes] = []

    def add(name: str, body: bytes, header: bytes = b"", url: str = "") -> str:
        id = f"{number}-{name}"
        url = url or f"https://n{number}.example/{name}"
        records.append(record("request", f"{id}-q", url, b"GET / HTTP/1.1\r\n\r\n"))
        records.append(record("response", id, url, _HEAD % header + body))
        records.append(record("metadata", f"{id}-m", url, b"fetchTimeMs: 1"))
        return f"urn:uuid:{id}"

    for at, (source, page) in enumerate(islice(sources, RECORDS // 3)):
        body = page.html + b"<!-- %d %d -->" % (number, at)  # else it would be a duplicate
        made.pages[add(f"p{at}", body, url=page.url or "")] = source
    for name, every in _EVERY.items():
        if number % every == 0:
            words = f"<p>poison: {name} " + "and a few words more to be a page of some length " * 9
            made.poison[add(name, words.encode())] = _REASONS[name]
    attributes = b"".join(b" a%d=b" % n for n in range(100_000))
    made.pages[add("attributes", b"<p%s>Some words of text" % attributes)] = None
    made.pages[add("deep", b"<div>" * 50_000 + b"Some words of text")] = None
    bomb = gzip.compress(gzip.compress(bytes(1 << 26)))
    made.poison[add("bomb", bomb, b"Content-Encoding: gzip, gzip\r\n")] = "too_large"
    order = random.Random(number)
    order.shuffle(records)
    pack = (
        lambda each: each,
        lambda each: gzip.compress(each, 0),
        lambda each: zstd.compress(each, 1),
    )
    packed = [pack[number % 3](each) for each in records]
    if number % 2:  # the others are finished once they are read
        # In a response: a plain header that is cut off cannot be told from the next one.
        whole = next(each for each, raw in zip(packed, records, strict=True) if len(raw) > 4000)
        broken = whole[: len(whole) // 2] + (b"" if number % 3 else b"\r\n")
        packed.insert(len(packed) // 2, broken)
        made.damaged = 1
        if number % 10 == 1:
            packed.append(
                pack[number % 3](record("response", "cut", "https://a.example/", b"x" * 999))[:-99]
            )
            made.damaged = 2
    path.write_bytes(b"".join(packed))
    return made


def extract(batch: str, processes: int) -> None:
    """Extract the archives of a batch, from where it stands."""
    from scrapy_boilerplate.tools.warc import extract_archives

    folder = Path(batch)
    is_over = False
    while not is_over:  # the reader of an archive may be killed twice
        reports = extract_archives(
            sorted(folder.glob("*.warc*")),
            folder / "rows",
            extractor=Poisoned(),
            processes=processes,
            seconds=SECONDS,
        )
        is_over = not any(report.error for report in reports)


class Run:
    """The whole run and what it has seen."""

    def __init__(self, folder: Path, data: list[Path], processes: int) -> None:
        self._folder, self._processes = folder, processes
        self._sources = cycle(enumerate(labelled(data)))
        self._random = random.Random(0)
        self._texts: dict[int, str | None] = {}
        self.seen: Counter[str] = Counter()
        self.memory: list[int] = []
        """The most bytes of each batch."""

    def batch(self, first: int) -> None:
        """Make archives, extract them, and check the rows."""
        folder = self._folder / f"{first:06}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        suffix = ("", ".gz", ".zst")
        made = [
            make(folder / f"{number:06}.warc{suffix[number % 3]}", number, self._sources)
            for number in range(first, first + BATCH)
        ]
        self.memory.append(0)
        pages = sum(len(each.pages) for each in made)
        dies_after: float | None = self._random.randrange(pages // 4, pages // 2) / 50  # seconds
        while not self._extracted(folder, dies_after):
            self.seen["commands killed"] += 1
            dies_after = None
        self._check(folder, made)
        shutil.rmtree(folder)

    def _extracted(self, folder: Path, dies_after: float | None) -> bool:
        """Run the command, and kill processes of it; tell whether it came to its end."""
        code = (
            "import sys; from benchmarks.day import extract; extract(sys.argv[1], int(sys.argv[2]))"
        )
        process = psutil.Popen([sys.executable, "-c", code, str(folder), str(self._processes)])
        began, kills, used = time.monotonic(), 0, 0.0
        while process.poll() is None:
            time.sleep(1)
            with suppress(psutil.Error):
                below = process.children(recursive=True)
                used = self._look([process, *below]) or used
                if used > (kills + 1) * _PAGES_A_KILL * 0.02:
                    kills += 1
                    self._kill(below, kills % 10 == 0)
                if dies_after is not None and time.monotonic() - began > dies_after:
                    process.kill()
        self.seen["processor seconds"] += round(used)
        if process.returncode not in (0, -signal.SIGKILL):
            raise SystemExit(f"the command ended with {process.returncode}")
        return process.returncode == 0

    def _look(self, processes: list[psutil.Process]) -> float:
        used, bytes_ = 0.0, 0
        for each in processes:
            with suppress(psutil.Error):
                used += sum(each.cpu_times())  # with those of children that have ended
                bytes_ += each.memory_full_info().pss
        self.memory[-1] = max(self.memory[-1], bytes_)
        return used

    def _kill(self, below: list[psutil.Process], is_server: bool) -> None:
        """Kill one that answers, or its server."""
        having = [each for each in below if bool(each.children()) == is_server]
        if having:
            self._random.choice(having).kill()
            self.seen["servers killed" if is_server else "workers killed"] += 1

    def _check(self, folder: Path, made: list[Made]) -> None:
        known: dict[str, int | None] = {}
        poison: dict[str, str] = {}
        for each in made:
            known |= each.pages
            poison |= each.poison
        rows = Counter[str]()
        for path in sorted((folder / "rows").glob("*.parquet")):
            for row in read_table(path, columns=["id", "text_digest", "reason"]).to_pylist():
                if (row["reason"] or "").startswith("damaged"):
                    self.seen["rows of damaged records"] += 1
                    continue
                rows[row["id"]] += 1
                self._check_row(row, known, poison)
        expected = known.keys() | poison.keys()
        self.seen["records"] += BATCH * RECORDS
        self.seen["pages"] += len(expected)
        self.seen["poison"] += len(poison) + sum(source is None for source in known.values())
        self.seen["rows"] += rows.total()
        self.seen["rows lost"] += len(expected - rows.keys())
        self.seen["rows doubled"] += sum(count - 1 for count in rows.values())
        self.seen["rows of nothing"] += len(rows.keys() - expected)
        self.seen["damaged records"] += sum(each.damaged for each in made)

    def _check_row(
        self, row: dict[str, str | None], known: dict[str, int | None], poison: dict[str, str]
    ) -> None:
        id, reason = row["id"] or "", row["reason"] or ""
        source = known.get(id)
        if id in poison:
            if not reason.startswith(poison[id]):
                self.seen[f"{poison[id]}, but {reason}"] += 1
        elif reason.startswith(("crashed", "timeout", "error")):
            self.seen[f"good pages: {reason}"] += 1
        elif source is not None:
            text = self._texts.setdefault(source, row["text_digest"])
            self.seen["other texts"] += text != row["text_digest"]

    def show(self) -> None:
        """Show what was seen."""
        most = [f"{size / 2**20:.0f}" for size in self.memory]
        print(dict(self.seen), "most MiB of the batches:", *most[:3], "…", *most[-3:], flush=True)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where archives come and go")
    parser.add_argument("--data", nargs="+", type=Path, required=True)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    run = Run(given.folder, given.data, given.processes)
    for first in range(0, -(-given.records // RECORDS), BATCH):
        run.batch(first)
        run.show()


if __name__ == "__main__":
    main()
