"""From web archives to files of rows: every page of every archive, once."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from time import monotonic

from scrapy_boilerplate.core.api import choose_method
from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.core.names import unknown
from scrapy_boilerplate.learn.keys import KeyFunction
from scrapy_boilerplate.learn.stores.models import StoredModels
from scrapy_boilerplate.tools.isolation import Isolated
from scrapy_boilerplate.tools.places import (
    Place,
    file_size,
    inside,
    is_remote,
    local_copy,
    make_folder,
    read_bytes,
    whole_file,
)
from scrapy_boilerplate.tools.row_files import FINISHED, ROW_FORMATS
from scrapy_boilerplate.tools.rows import (
    MEMORY,
    SECONDS,
    PageRows,
    Row,
    model_version,
    rows_of,
)
from scrapy_boilerplate.tools.warc.pages import (
    MOST_BODY,
    MOST_RECORD,
    ArchiveError,
    PageReader,
    archive_pages,
)


@dataclass(frozen=True, slots=True)
class ArchiveReport:
    """Counts of an archive's records by outcome."""

    archive: str
    """Its path."""
    counts: Mapping[str, int]
    """Records by type (``records/response``), those that are lost (``damaged/corrupt``,
    ``damaged/truncated``, ``damaged/too_large``), ``pages``, and pages with ``text`` or by the
    reason why they have none."""
    seconds: float
    """How long it took."""
    is_new: bool = True
    """Whether it was read now; ``False`` if an earlier call had finished it."""
    error: str | None = None
    """Why it could not be read to its end; then nothing is written of it."""


def extract_archives(
    paths: Iterable[Place],
    output: Place,
    *,
    format: str = "parquet",
    extractor: str | Extractor = "auto",
    sites: str | None = None,
    key: str | KeyFunction = "host",
    processes: int | None = None,
    seconds: float = SECONDS,
    memory: int | None = MEMORY,
    most_record: int = MOST_RECORD,
    most_body: int = MOST_BODY,
    on_row: Callable[[Row], None] | None = None,
    progress: Callable[[ArchiveReport], None] | None = None,
    **options: object,
) -> list[ArchiveReport]:
    """Extract all pages of web archives, and write a file of rows for each archive.

    *paths* are WARC files, compressed or not, or WACZ files. *output* is a folder, or the address
    of one, such as ``s3://bucket/rows``, which pyarrow opens. *format* is ``parquet`` or ``jsonl``;
    the columns are :data:`~scrapy_boilerplate.tools.rows.COLUMNS`. *extractor* and *options* are
    those of :func:`~scrapy_boilerplate.extract`. *sites* is the address of a store whose models are
    applied, as in ``BOILERPLATE_SITE_STORE``, *key* what counts as one site.

    Pages are read in *processes* (default: one for each processor), where each may take *seconds*
    and *memory* bytes; one that hangs or crashes costs its row, whose ``reason`` says so. Records
    of more than *most_record* bytes and bodies of more than *most_body* are not read, damaged
    records are skipped; the reports count them. A file appears when it is whole. Archives that an
    earlier call has finished are not read again. *on_row* gets each row that is written, *progress*
    the report of each archive.

    Raises :exc:`ValueError` for an unknown format, extractor or option, if two archives have the
    same name, and if *output* holds rows of another archive of that name or by another method;
    :exc:`FileNotFoundError` if an archive is not there. An archive that cannot be read to its end
    does not stop the others; its report has the error.
    """
    if format not in ROW_FORMATS:
        raise ValueError(unknown("format", format, list(ROW_FORMATS)))
    archives = _by_name(paths)
    make_folder(inside(output, FINISHED))
    method, switches = choose_method(extractor, options)
    how = {
        "format": format,
        "extractor": f"{method!r}, {switches!r}",
        "model": model_version(method),
        "sites": sites,
        "key": repr(key) if sites else None,
    }
    jobs = [_Job(name, path, output, how) for name, path in archives.items()]
    before = [job.report_before() for job in jobs]  # which may find mistakes
    reports = []
    with ExitStack() as stack:
        models = None
        if sites:
            store = stack.enter_context(local_copy(sites))
            models = stack.enter_context(closing(StoredModels(store, key)))
        processes = processes or os.cpu_count() or 1
        pool = stack.enter_context(
            Isolated(
                PageRows, extractor, options, processes=processes, seconds=seconds, memory=memory
            )
        )
        for job, report in zip(jobs, before, strict=True):
            if report is None:
                reader = PageReader(most_record, most_body)
                rows = rows_of(archive_pages(job.archive, reader), pool, models)
                report = job.run(rows, reader, on_row)
            reports.append(report)
            if progress is not None:
                progress(report)
    return reports


def _by_name(paths: Iterable[Place]) -> dict[str, str]:
    """Return the archives by the name under which their rows are written."""
    archives: dict[str, str] = {}
    for each in paths:
        path = os.fspath(each)
        if not is_remote(path):
            os.stat(path)  # raises if it is not there
        name = path.rstrip("/").rpartition("/")[2]
        for suffix in (".gz", ".zst", ".warc", ".wacz"):
            name = name.removesuffix(suffix)
        if archives.setdefault(name, path) != path:
            raise ValueError(
                f"{path} and {archives[name]} have the same name; give them other output folders"
            )
    return archives


class _Job:
    """One archive and what is written of it."""

    def __init__(self, name: str, path: str, folder: Place, how: Mapping[str, str | None]) -> None:
        self.archive = path
        self._format = str(how["format"])
        size = None if is_remote(path) else file_size(path)
        self._how = {"archive": path, "bytes": size, **how}
        self._rows = inside(folder, f"{name}.{self._format}")
        self._finished = inside(folder, FINISHED, f"{name}.json")

    def report_before(self) -> ArchiveReport | None:
        """Return what an earlier call has read of the archive."""
        noted = read_bytes(self._finished)
        if noted is None:
            return None
        known = json.loads(noted)
        differ = [name for name, value in self._how.items() if known["how"].get(name) != value]
        if differ:
            raise ValueError(
                f"{self._finished} belongs to rows with another {', '.join(differ)}; "
                "give another output folder, or remove it to begin anew"
            )
        if file_size(self._rows) is None:
            return None
        return ArchiveReport(**{**known["report"], "is_new": False})

    def run(
        self, rows: Iterable[Row], reader: PageReader, on_row: Callable[[Row], None] | None
    ) -> ArchiveReport:
        """Write the rows of the archive, which *reader* reads."""
        began = monotonic()
        found: Counter[str] = Counter()
        error = None
        try:
            with whole_file(self._rows) as file, ROW_FORMATS[self._format](file) as write:
                for row in rows:
                    found[(row["reason"] or "text").partition(":")[0]] += 1
                    write(row)
                    if on_row is not None:
                        on_row(row)
        except ArchiveError as failed:
            error = str(failed)
        counts = dict(sorted({**reader.counts, **found}.items()))
        report = ArchiveReport(self.archive, counts, round(monotonic() - began, 1), error=error)
        if error is None:
            with whole_file(self._finished) as file:
                known = {"how": self._how, "report": asdict(report)}
                file.write(json.dumps(known, indent=1).encode())
        return report
