"""From web archives to files of rows: every page of every archive, once."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from time import monotonic

from scrapy_boilerplate.core.api import choose_method
from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.core.names import unknown
from scrapy_boilerplate.learn.keys import KeyFunction
from scrapy_boilerplate.tools.isolation import Isolated
from scrapy_boilerplate.tools.places import Place, inside
from scrapy_boilerplate.tools.row_files import ROW_FORMATS, row_file
from scrapy_boilerplate.tools.rows import (
    MEMORY,
    SECONDS,
    PageRows,
    Row,
    check_columns,
    model_version,
    rows_of,
)
from scrapy_boilerplate.tools.site_models import rules_text, site_models
from scrapy_boilerplate.tools.warc.archived_pages import PageReader, told_pages
from scrapy_boilerplate.tools.warc.finished import by_name, note_file, unfinished


@dataclass(frozen=True, slots=True)
class ArchiveReport:
    """Counts of an archive's records by outcome."""

    archive: str  # its path
    # Records (records/response), lost ones (damaged/corrupt), pages, reasons
    counts: Mapping[str, int]
    seconds: float
    is_new: bool = True  # False if an earlier call had finished it
    error: str | None = None  # why it could not be read to its end


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
    columns: Sequence[str] | None = None,
    on_row: Callable[[Row], object] = id,
    progress: Callable[[ArchiveReport], object] = id,
    **options: object,
) -> list[ArchiveReport]:
    """Extract all pages of web archives, and write a file of rows for each.

    *paths* are WARC files, compressed or not, WACZ files, or indexes, by which records are read
    that *reader* selects; it also has the limits on records and bodies. *output* is a folder or its
    address, such as ``s3://bucket/rows``. *format* is ``parquet`` or ``jsonl``; *columns* are some
    of :data:`~scrapy_boilerplate.tools.rows.COLUMNS` (default: all), and others take no time.
    *extractor* and *options* are those of :func:`~scrapy_boilerplate.extract`. *sites* is the
    address of a store whose models are applied, *rules* the path of a file of rules, which add to
    what was learned, *key* what counts as one site.

    Pages are read in *processes* (default: one for each processor), where each may take *seconds*
    and *memory* bytes; one that hangs or crashes costs its row, whose ``reason`` says so. A file
    appears when it is whole. Archives that an earlier call has finished are not read again, unless
    their size or time has changed, or something of them could not be read. *on_row* gets each
    row, *progress* the report of each archive. Several calls may write to one
    folder at the same time, each its own archives: one keeps about eight processors busy. Their
    notes are in ``OUTPUT.progress``.

    Raises :exc:`ValueError` for an unknown format, extractor or option, if two archives have the
    same name, and if *output* has rows of another archive of that name or by another extractor. An
    archive that cannot be read to its end does not stop the others: its last row and its report
    have the error, and the next call reads it again.
    """
    if format not in ROW_FORMATS:
        raise ValueError(unknown("format", format, list(ROW_FORMATS)))
    names, manual = check_columns(columns), rules_text(rules)
    archives = by_name(paths)
    reader = reader or PageReader()
    method, switches = choose_method(extractor, options)
    how = {
        "format": format,
        "extractor": f"{method!r}, {switches!r}",
        "model": model_version(method),
        "sites": sites,
        "rules": manual if rules else None,
        "key": repr(key) if sites or rules else None,
        "selection": repr(reader.selection) if reader.selection else None,
        "columns": None if columns is None else list(names),
    }
    left, finished = unfinished(output, how, archives)
    reports = {
        name: ArchiveReport(**{**report, "is_new": False}) for name, report in finished.items()
    }
    for report in reports.values():
        progress(report)
    number = processes or os.cpu_count() or 1
    what = PageRows, extractor, options, names
    with (
        site_models(sites if left else None, key, manual) as models,
        Isolated(*what, processes=number, seconds=seconds, memory=memory) as pool,
    ):
        for name, archive in left.items():
            file, own, began = f"{name}.{format}", reader.anew(), monotonic()
            outcomes = Counter[str]()
            with row_file(inside(output, file), format, names) as write:
                for row in rows_of(told_pages(archive.path, own), pool, models):
                    write(row)
                    outcomes[(row["reason"] or "text").partition(":")[0]] += 1
                    on_row(row)
                counts = dict(sorted({**own.counts, **outcomes}.items()))
                took = round(monotonic() - began, 1)
                report = ArchiveReport(archive.path, counts, took, error=own.error)
                note_file(output, how, file, archive, asdict(report))
            reports[name] = report
            progress(report)
    return [reports[name] for name in archives]
