"""From web archives to files of rows: every page of every archive, once."""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic

from scrapy_boilerplate.core.api import choose_method
from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.core.names import unknown
from scrapy_boilerplate.learn.keys import KeyFunction
from scrapy_boilerplate.learn.stores.models import StoredModels
from scrapy_boilerplate.tools.isolation import Isolated
from scrapy_boilerplate.tools.places import Place, local_copy
from scrapy_boilerplate.tools.row_files import ROW_FORMATS, WET_COLUMNS, RowFiles
from scrapy_boilerplate.tools.rows import (
    MEMORY,
    SECONDS,
    PageRows,
    Row,
    check_columns,
    model_version,
    rows_of,
)
from scrapy_boilerplate.tools.warc.pages import ArchiveError, PageReader, archive_pages
from scrapy_boilerplate.tools.warc.progress import Progress


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
    rules: str | None = None,
    key: str | KeyFunction = "host",
    processes: int | None = None,
    seconds: float = SECONDS,
    memory: int | None = MEMORY,
    reader: PageReader | None = None,
    rows_per_file: int | None = None,
    buckets: int | None = None,
    columns: Sequence[str] | None = None,
    on_row: Callable[[Row], None] | None = None,
    progress: Callable[[ArchiveReport], None] | None = None,
    **options: object,
) -> list[ArchiveReport]:
    """Extract all pages of web archives, and write files of rows.

    *paths* are WARC files, compressed or not, WACZ files, or indexes, by which records are read
    that *reader* selects. *output* is a folder, or the address of one, such as
    ``s3://bucket/rows``, which pyarrow opens. *format* is ``parquet``, ``jsonl`` or
    ``wet``, which holds the texts only; *columns* are some of
    :data:`~scrapy_boilerplate.tools.rows.COLUMNS` (default: all), and others take no time.
    *extractor* and *options* are those of
    :func:`~scrapy_boilerplate.extract`. *sites* is the address of a store whose models are applied,
    as in ``BOILERPLATE_SITE_STORE``, *rules* the path of a file of rules, which add to what was
    learned, *key* what counts as one site.

    Each archive has a file of rows. With *rows_per_file* archives share a file until it has so many
    rows, and it never has more; with *buckets* rows are divided by their hosts into the folders
    ``bucket=0``, ``bucket=1`` ….

    Pages are read in *processes* (default: one for each processor), where each may take *seconds*
    and *memory* bytes; one that hangs or crashes costs its row, whose ``reason`` says so. *reader*
    has the limits on records and bodies; those beyond them and damaged ones are skipped and
    counted. A file appears when it is whole. Archives that an earlier call has finished are not
    read again, unless their size or time has changed. *on_row* gets each row that is written,
    *progress* the report of each archive. Several calls may write to one folder at the same time,
    each its own archives; notes for later calls are in the folder ``OUTPUT.progress``.

    Raises :exc:`ValueError` for an unknown format, extractor or option, if two archives have the
    same name, and if *output* holds rows of another archive of that name or by another method. An
    archive that is missing, empty or damaged so that it cannot be read to its end does not stop the
    others; its report has the error, and the next call reads it again.
    """
    if format not in ROW_FORMATS:
        raise ValueError(unknown("format", format, list(ROW_FORMATS)))
    names = WET_COLUMNS if format == "wet" else check_columns(columns)
    archives = _by_name(paths)
    reader = reader or PageReader()
    method, switches = choose_method(extractor, options)
    how = {
        "format": format,
        "extractor": f"{method!r}, {switches!r}",
        "model": model_version(method),
        "sites": sites,
        "rules": Path(rules).read_text(encoding="utf-8") if rules else None,
        "key": repr(key) if sites or rules else None,
        "selection": repr(reader.selection) if reader.selection else None,
        "buckets": buckets,
        "columns": None if columns is None else list(names),
    }
    reports: dict[str, ArchiveReport] = {}

    def report_all(new: Mapping[str, ArchiveReport]) -> None:
        reports.update(new)
        for report in new.values():
            if progress is not None:
                progress(report)

    known = Progress(output, archives, how)
    report_all(
        {name: ArchiveReport(**{**each, "is_new": False}) for name, each in known.finished.items()}
    )
    with ExitStack() as stack:
        models = None
        if sites or rules:
            store = stack.enter_context(local_copy(sites)) if sites else None
            models = stack.enter_context(closing(StoredModels(store, key, rules)))
        pool = stack.enter_context(
            Isolated(
                PageRows,
                extractor,
                options,
                names,
                processes=processes,
                seconds=seconds,
                memory=memory,
            )
        )
        left = deque(name for name in archives if name not in reports)
        while left:
            group: dict[str, ArchiveReport] = {}
            files = RowFiles(output, left[0], format, rows_per_file, buckets, names)
            with suppress(_BrokenError):
                with files:
                    while left and (not group or files.has_room):
                        name, own = left.popleft(), reader.anew()
                        rows = rows_of(archive_pages(archives[name], own), pool, models)
                        group[name] = _written(archives[name], rows, own, files, on_row)
                        if group[name].error is not None:  # the others get files without it
                            left.extendleft(each for each in reversed(group) if each != name)
                            group = {name: group[name]}
                            raise _BrokenError
                    known.begin(files.names, {name: asdict(each) for name, each in group.items()})
                known.finish()
            report_all(group)
    return [reports[name] for name in archives]


def _by_name(paths: Iterable[Place]) -> dict[str, str]:
    """Return the archives by the name under which their rows are written."""
    archives: dict[str, str] = {}
    for each in paths:
        path = os.fspath(each)
        name = path.rstrip("/").rpartition("/")[2]
        for suffix in (".gz", ".zst", ".warc", ".wacz", ".cdxj", ".parquet"):
            name = name.removesuffix(suffix)
        if archives.setdefault(name, path) != path:
            raise ValueError(
                f"{path} and {archives[name]} have the same name; give them other output folders"
            )
    return archives


class _BrokenError(Exception):
    """An archive cannot be read to its end: the files with its rows must not appear."""


def _written(
    archive: str,
    rows: Iterable[Row],
    reader: PageReader,
    files: RowFiles,
    on_row: Callable[[Row], None] | None,
) -> ArchiveReport:
    """Write the rows of an archive, whose pages *reader* counts."""
    began = monotonic()
    found: Counter[str] = Counter()
    error = None
    try:
        for row in rows:
            found[(row["reason"] or "text").partition(":")[0]] += 1
            files.write(row)
            if on_row is not None:
                on_row(row)
    except ArchiveError as failed:
        error = str(failed)
    counts = dict(sorted({**reader.counts, **found}.items()))
    return ArchiveReport(archive, counts, round(monotonic() - began, 1), error=error)
