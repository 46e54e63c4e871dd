"""Web archives at length: pages a second, processor time and memory, on one machine and on Spark.

    python -m benchmarks.archives make build/archives --data ../shared/data/{wcxb-dev,sites}
    python -m benchmarks.archives run build/archives --processes 1
    python -m benchmarks.archives isolation --data ../shared/data/wcxb-dev
    python -m benchmarks.archives spark build/archives --cores 2 --learn

``make`` writes archives with the labelled pages, again and again under other addresses. ``run``
extracts them and shows the processor time of a page and the memory of all processes over time;
``spark`` does so with the command for Spark. ``isolation`` compares extraction in a process of its
own with extraction in this one. Processor time is that of this process and all that it has started;
on a busy machine only that can be compared.
"""

from __future__ import annotations

import argparse
import gzip
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, perf_counter, thread_time
from uuid import UUID

from benchmarks.data import LabelledPage, read
from benchmarks.tables import table

ARCHIVES = 8
_MIB = 1 << 20


class Watch:
    """Processor time and memory of this process and all below it, looked at twice a second."""

    def __init__(self) -> None:
        import psutil

        self._me = psutil.Process()
        self._gone = psutil.Error
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._cpu: dict[int, float] = {}
        self._own = 0.0  # seconds that looking has cost
        self.memory: list[tuple[float, float]] = []
        """Seconds since the start, MiB of all processes; what they share counts once."""

    def __enter__(self) -> Watch:
        self._began = monotonic()
        self._count()  # others may have been started before
        self._before = sum(self._cpu.values())
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._count()
        self._stop.set()
        self._thread.join()
        self.seconds = monotonic() - self._began

    @property
    def cpu_seconds(self) -> float:
        return sum(self._cpu.values()) - self._before - self._own

    def _look(self) -> None:
        while not self._stop.wait(0.5):
            self._count()
            self._own = thread_time()

    def _count(self) -> None:
        mib = 0.0
        for process in (self._me, *self._me.children(recursive=True)):
            with suppress(self._gone):  # it has ended
                self._cpu[process.pid] = sum(process.cpu_times()[:2])
                mib += process.memory_full_info().pss / _MIB
        self.memory.append((monotonic() - self._began, mib))


def labelled(folders: list[Path]) -> list[LabelledPage]:
    return [page for folder in folders for page in read(folder)]


def record(id: str, url: str, block: bytes) -> bytes:
    """Return a response as Common Crawl writes it."""
    return (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{id}>\r\n"
        f"WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: {url}\r\n"
        "Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(block)}\r\n\r\n"
    ).encode() + b"%s\r\n\r\n" % block


def records(pages: list[LabelledPage], most: int) -> Iterator[bytes]:
    """Yield *most* compressed records, each under an address and with a comment of its own."""
    for number, page in enumerate(islice(cycle(pages), most)):
        again = number // len(pages)
        address = page.url or f"https://{page.group}/{number}"
        address = address.replace("://", f"://n{again}." if again else "://", 1)
        block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
        block += page.html + b"<!-- %d -->" % number  # else it would be a duplicate
        yield gzip.compress(record(str(UUID(int=number)), address, block), 1)


def make(folder: Path, data: list[Path], pages: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    made = records(labelled(data), pages)
    for number in range(ARCHIVES):
        part = islice(made, -(-pages // ARCHIVES))
        (folder / f"{number:05}.warc.gz").write_bytes(b"".join(part))


def run(folder: Path, processes: int, extractor: str, every: int) -> None:
    """Extract the archives; show after *every* so many pages what memory is in use."""
    from scrapy_boilerplate.tools.warc import extract_archives

    done = 0

    def on_rows(new: int) -> None:
        nonlocal done
        before, done = done, done + new
        if every and before // every < done // every:
            at, mib = watch.memory[-1]
            print(f"{done} pages, {at:.0f} s: {mib:.0f} MiB", flush=True)

    with TemporaryDirectory(dir=folder) as out, Watch() as watch:
        reports = extract_archives(
            sorted(map(str, folder.glob("*.warc.gz"))),
            out,
            extractor=extractor,
            processes=processes,
            on_rows=on_rows,
        )
        size = sum(path.stat().st_size for path in Path(out).glob("*.parquet"))
    _show(watch, sum(report.counts["pages"] for report in reports), size)


def _show(watch: Watch, pages: int, size: int) -> None:
    first, last = (
        watch.memory[: len(watch.memory) // 4 + 1],
        watch.memory[-len(watch.memory) // 4 :],
    )
    rows = {
        "pages": f"{pages}",
        "pages a second": f"{pages / watch.seconds:.1f}",
        "processor ms a page": f"{1000 * watch.cpu_seconds / pages:.2f}",
        "bytes of rows a page": f"{size // pages}",
        "most MiB in the first and the last quarter": ", ".join(
            f"{max(mib for _, mib in part):.0f}" for part in (first, last)
        ),
    }
    print(table(["", ""], [list(row) for row in rows.items()]))


def isolation(data: list[Path], extractor: str, pages: int) -> None:
    """Compare extraction in another process with extraction in this one, and with learning."""
    from scrapy_boilerplate import get_extractor
    from scrapy_boilerplate.tools.isolation import Isolated, Mapper
    from scrapy_boilerplate.tools.page_fingerprints import PageFingerprints
    from scrapy_boilerplate.tools.rows import InputPage, PageRows

    rows = labelled(data)
    rows = rows[:: max(1, len(rows) // pages)]
    values = [InputPage(row.html, row.url) for row in rows]
    method = get_extractor(extractor)
    results = []
    ways: list[tuple[str, Callable[[], Mapper], Callable[[list[object]], bool]]] = [
        ("in this process", lambda: Mapper(PageRows, method), all),
        ("in another", lambda: Isolated(PageRows, method, seconds=60), all),
        ("learning", lambda: Mapper(PageFingerprints, method), any),  # some pages teach nothing
    ]
    for name, make, are_made in ways * 2:
        pool = make()
        list(pool.map(values[:3]))
        with Watch() as watch:
            began = perf_counter()
            assert are_made(list(pool.map(values)))
            wall = perf_counter() - began
        results.append((name, 1000 * wall / len(values), 1000 * watch.cpu_seconds / len(values)))
        if isinstance(pool, Isolated):
            pool.close()
    shown = [[name, f"{wall:.2f}", f"{cpu:.2f}"] for name, wall, cpu in results]
    print(table(["", "ms a page", "processor ms a page"], shown))


def spark(folder: Path, cores: int, extractor: str, learn: bool) -> None:
    archives = sorted(map(str, folder.glob("*.warc.gz")))
    with TemporaryDirectory(dir=folder) as out, Watch() as watch:
        command = [sys.executable, "-m", "scrapy_boilerplate.tools.spark", *archives]
        command += ["--out", f"{out}/rows", "--master", f"local[{cores}]"]
        command += ["--extractor", extractor, *(["--learn"] if learn else [])]
        subprocess.run(command, check=True)
        from pyarrow.dataset import dataset

        pages = dataset(f"{out}/rows").count_rows()
        size = sum(path.stat().st_size for path in Path(out, "rows").rglob("*.parquet"))
    _show(watch, pages, size)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("what", choices=("make", "run", "isolation", "spark"))
    add("folder", nargs="?", type=Path, help="of the archives")
    add("--data", nargs="+", type=Path, default=[])
    add("--pages", type=int, default=20_000)
    add("--processes", type=int, default=1)
    add("--every", type=int, default=0, help="show memory after so many pages")
    add("--cores", type=int, default=1)
    add("--extractor", default="auto")
    add("--learn", action="store_true")
    given = parser.parse_args()
    if given.what == "make":
        make(given.folder, given.data, given.pages)
    elif given.what == "run":
        run(given.folder, given.processes, given.extractor, given.every)
    elif given.what == "isolation":
        isolation(given.data, given.extractor, min(given.pages, 400))
    else:
        spark(given.folder, given.cores, given.extractor, given.learn)


if __name__ == "__main__":
    main()
