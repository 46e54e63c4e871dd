"""The command ``extract``: sources → pages → answers → sink."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from scrapy_boilerplate.core.names import unknown
from scrapy_boilerplate.learn.rule_files import load_rules
from scrapy_boilerplate.learn.samples import SiteSamples
from scrapy_boilerplate.learn.stores.models import StoredModels
from scrapy_boilerplate.tools.cli.arguments import extractor_options
from scrapy_boilerplate.tools.cli.fetching import SourcePages
from scrapy_boilerplate.tools.cli.inputs import STDIN, is_archive, listed, load_addresses
from scrapy_boilerplate.tools.cli.outputs import (
    FORMATS,
    PageAnswer,
    Sink,
    folder_sink,
    rows_sink,
    stream_sink,
    to_json,
)
from scrapy_boilerplate.tools.cli.progress import RunCounts, bar, tell
from scrapy_boilerplate.tools.cli.work import Extracting, fingerprinting, lost
from scrapy_boilerplate.tools.isolation import Failure, Isolated, Mapper
from scrapy_boilerplate.tools.page_fingerprints import add_fingerprints, learned_sites, save_sites
from scrapy_boilerplate.tools.places import check_writable, inside, is_folder, is_index, local_copy
from scrapy_boilerplate.tools.row_files import ROW_FORMATS, row_line
from scrapy_boilerplate.tools.rows import (
    MEMORY,
    InputPage,
    Row,
    check_columns,
    failure_of,
    page_row,
)
from scrapy_boilerplate.tools.tables import counted

if TYPE_CHECKING:
    from scrapy_boilerplate.tools.warc import Selection


def run_extract(args: Namespace) -> int:
    with ExitStack() as stack:
        return _Run(args, stack).run()


_NO_MODEL = "no model or rule of a site was applied to them; see --addresses"

PAGE_SECONDS = 60.0  # without --timeout; a single page may take any time then


class _Run:
    def __init__(self, args: Namespace, stack: ExitStack) -> None:
        self._args, self._stack = args, stack
        folder = tempfile.TemporaryDirectory(prefix="scrapy-boilerplate-")
        self._folder = stack.enter_context(folder)
        self._operands = _operands(args)
        found = list(listed(self._operands))
        _tell_empty_folders(self._operands, found)
        paths = [page.file for page in found]
        self._archives = list(filter(is_archive, paths))
        self._total = None if self._archives else len(paths)
        self._is_single = self._total == 1
        self._are_archives = len(self._archives) == len(paths)
        self._has_limit = args.timeout is not None
        args.timeout = args.timeout or PAGE_SECONDS
        args.options, args.where = extractor_options(args), dict(args.where)
        args.addresses = load_addresses(args.addresses) if args.addresses else {}
        is_record = args.format in ("json", "jsonl") and not (args.fields or args.explain)
        args.as_rows = args.format == "parquet" or (is_record and bool(self._archives))
        is_in_files = args.as_rows and self._archives and args.format in ROW_FORMATS
        # Whether each archive becomes a file of rows in a folder.
        self._fills_folder = bool(is_in_files and args.output and is_folder(args.output))
        self._check()
        self._counts = RunCounts()
        self._pool: Isolated | None = None
        self._is_stopped = False
        self._pages = SourcePages(
            self._operands, self._folder, dict(args.settings), selection=self._selection()
        )
        before = signal.signal(signal.SIGINT, self._interrupted)
        stack.callback(signal.signal, signal.SIGINT, before)

    def _check(self) -> None:
        args = self._args
        if args.explain and args.format not in ("text", "json", "jsonl"):
            raise ValueError("--explain writes text, json or jsonl")
        if args.key and not (args.learn_sites or args.sites or args.rules):
            raise ValueError("--key needs --learn-sites, --sites or --rules")
        args.key = args.key or "host"
        if args.fields and args.format not in ("json", "jsonl"):
            raise ValueError("--fields needs --format json or jsonl")
        if args.columns and not args.as_rows:
            raise ValueError("--columns needs --format parquet, or json or jsonl with archives")
        if args.url and not self._is_single:
            raise ValueError("--url needs a single page; use --addresses for several")
        if self._operands.count(STDIN) > 1:
            raise ValueError("standard input (-) can be read only once")
        if self._archives:
            _need("fastwarc", "a web archive", "warc")
        if args.format == "parquet":
            _need("pyarrow", "--format parquet", "parquet")
        is_nowhere = not args.output or (is_folder(args.output) and not self._archives)
        if args.format == "parquet" and is_nowhere:
            raise ValueError("--format parquet writes a file: name it with -o")
        if args.where and not self._archives:
            raise ValueError("--where needs web archives")
        if args.archives and not any(map(is_index, self._archives)):
            raise ValueError("--archives needs an index: a .cdxj or .parquet file")
        if args.where and not all(map(is_index, self._archives)):
            from scrapy_boilerplate.tools.warc.index import RECORD_NAMES

            for name in args.where.keys() - RECORD_NAMES:
                raise ValueError(unknown("name of --where without an index", name, RECORD_NAMES))
        if self._fills_folder and not self._are_archives:
            raise ValueError(f"a file an archive goes to {args.output}: name other pages apart")
        if args.rules is not None:
            load_rules(args.rules)  # raises if there are none
        if args.sites and "://" not in args.sites and not args.learn_sites:
            Path(args.sites).stat()  # raises if it is not there

    def run(self) -> int:
        if self._args.output:
            check_writable(self._args.output)
        if self._args.learn_sites:
            self._learn()
        if self._is_stopped:
            return 130
        if self._fills_folder:
            try:
                self._fill_folder()
            except KeyboardInterrupt:  # the archives that are done have their files
                self._is_stopped = True
        else:
            if self._args.sites:  # which each worker opens
                self._args.sites = self._stack.enter_context(local_copy(self._args.sites))
                StoredModels(self._args.sites).close()  # raises once, not for each page
            self._write()
        counts = self._counts
        if self._is_single and counts.empty and not self._args.quiet:
            tell(f"{self._operands[0]}: no text was found; --explain shows why")
        has_failed = counts.failed > 0
        if not self._args.quiet and (has_failed or self._is_stopped or not self._is_single):
            tell(counts.line(stopped=self._is_stopped))
        return 130 if self._is_stopped else int(has_failed)

    def _write(self) -> None:
        with self._sink() as write:
            pages = self._pages.read()
            for page, found in self._answers(Extracting, pages, "extracting"):
                answer = self._answer(page, found)
                self._counts.add(answer.reason, failed=bool(answer.error))
                self._counts.strays += answer.is_stray
                if answer.error:
                    tell(f"{page.name}: {answer.error}")
                write(page, answer)
        if self._counts.strays:
            tell(f"{counted(self._counts.strays, 'page')} of no known address; {_NO_MODEL}")

    def _answer(self, page: InputPage, found: Any) -> PageAnswer:
        is_lost = isinstance(found, Failure)
        answer = lost(self._args, page, found) if is_lost else PageAnswer(*found)
        if isinstance(answer.output, str):
            return answer
        row = page_row(page, answer.output)
        if self._args.format == "parquet":
            return answer._replace(output=row)
        row = {name: row[name] for name in check_columns(self._args.columns)}
        is_line = self._args.format == "jsonl"
        return answer._replace(output=row_line(row) if is_line else to_json(row, indent=2))

    def _fill_folder(self) -> None:
        from scrapy_boilerplate.tools.warc import ArchiveReport, PageReader, extract_archives

        args, counts = self._args, self._counts

        def on_row(row: Row) -> None:
            shown.update()
            failure = failure_of(row)
            counts.add(row["reason"] or "", failed=failure is not None)
            if failure is not None:
                tell(failure)

        def on_archive(report: ArchiveReport) -> None:
            counts.known += not report.is_new

        with bar("extracting", None, hidden=not self._shows_bar()) as shown:
            extract_archives(
                self._archives,
                args.output,
                format=args.format,
                extractor=args.extractor,
                sites=args.sites,
                rules=args.rules,
                key=args.key,
                processes=args.jobs,
                seconds=args.timeout,
                reader=PageReader(selection=self._selection()),
                columns=args.columns,
                on_row=on_row,
                progress=on_archive,
                **args.options,
            )

    def _selection(self) -> Selection | None:
        if not (self._args.where or any(map(is_index, self._archives))):
            return None
        from scrapy_boilerplate.tools.warc import Selection

        where = {name: str(value).split(",") for name, value in self._args.where.items()}
        return Selection(where, self._args.archives or "")

    def _sink(self) -> AbstractContextManager[Sink]:
        args = self._args
        output, format = args.output, FORMATS[args.format]
        if args.format == "parquet":
            return rows_sink(output, check_columns(args.columns))
        if output is not None and is_folder(output):
            return folder_sink(output, format)
        headings = format.named and not self._is_single
        return stream_sink(output, format, is_single=self._is_single, headings=headings)

    # -- sites -----------------------------------------------------------------------------------

    def _learn(self) -> None:
        args, samples = self._args, SiteSamples(key=self._args.key)
        store, archives = f"{self._folder}/sites.sqlite", self._archives
        if self._fills_folder:  # where the next run goes on
            from scrapy_boilerplate.tools.warc import finished

            store = inside(finished.progress_folder(args.output), "sites.sqlite")
            known = finished.learned(args.output)
            archives = [path for path in archives if path not in known]
        args.sites = args.sites or store
        if self._fills_folder and not archives:
            return
        if self._are_archives:
            from scrapy_boilerplate.tools.warc import PageReader
            from scrapy_boilerplate.tools.warc.learning import teaching_pages

            reader = PageReader(selection=self._selection())
            pages = teaching_pages(archives, samples, reader)
        else:
            pages = (
                page for page in self._pages.read() if page.url is None or samples.wants(page.url)
            )
        fingerprints = self._answers(fingerprinting, pages, "learning sites")
        strays = add_fingerprints(samples, (fingerprint for _, fingerprint in fingerprints))
        if self._is_stopped:
            return
        save_sites(samples, args.sites)
        if self._fills_folder:
            finished.note_learned(args.output, archives)
        if strays:
            tell(f"{counted(strays, 'page')} of no known address; see --addresses")
        if not args.quiet:
            tell(f"{counted(learned_sites(samples), 'site')} learned")

    # -- answers ---------------------------------------------------------------------------------

    def _answers(
        self,
        make: Callable[[Namespace], Callable[[InputPage], Any]],
        pages: Iterable[InputPage],
        what: str,
    ) -> Iterator[tuple[InputPage, Any]]:
        """Yield each page, without its body, and what *make* makes of it."""
        args, calls = self._args, ((page._replace(html=None), page) for page in pages)
        if self._is_single and not self._has_limit:  # without another process
            yield from Mapper(make, args).pairs(calls)
            return
        with (
            Isolated(make, args, processes=args.jobs, seconds=args.timeout, memory=MEMORY) as pool,
            bar(what, self._total, hidden=not self._shows_bar()) as shown,
        ):
            self._pool = pool
            for pair in pool.pairs(calls):
                shown.update()
                yield pair
        self._pool = None

    def _shows_bar(self) -> bool:
        """Return whether there is a terminal for the bar, and no answers on it."""
        answers = self._args.output is None and sys.stdout.isatty()
        return sys.stderr.isatty() and not answers and not self._args.quiet

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        """Stop at the first Ctrl-C when what is done is written, at the second at once."""
        if self._is_stopped or self._pool is None:
            raise KeyboardInterrupt
        self._is_stopped = self._pool.is_stopped = True


def _need(module: str, what: str, extra: str) -> None:
    if find_spec(module) is None:
        raise ValueError(
            f"{what} needs {module}: pip install 'scrapy-boilerplate-removal[{extra}]'"
        )


def _tell_empty_folders(operands: Sequence[str], pages: Sequence[InputPage]) -> None:
    """Warn of folders without pages; raise :exc:`ValueError` if there is nothing else."""
    filled = {page.folder for page in pages}
    for operand in operands:
        if os.path.isdir(operand) and operand not in filled:
            message = f"{operand}: no page or web archive is in this folder"
            if not pages:
                raise ValueError(message)
            tell(message)


def _operands(args: Namespace) -> list[str]:
    """Return the sources that were named; raise :exc:`ValueError` if there are none."""
    operands, listing = [*args.sources], b""
    if args.files_from == STDIN:
        listing = sys.stdin.buffer.read()
    elif args.files_from:
        try:
            listing = Path(args.files_from).read_bytes()
        except OSError as error:
            raise ValueError(f"cannot read {args.files_from}: {error.strerror}") from error
    # Names as the system has them: not all are UTF-8.
    operands += [line.removesuffix("\r") for line in os.fsdecode(listing).split("\n")]
    operands = [operand for operand in operands if operand.strip()]
    if not operands and args.files_from:
        raise ValueError("the listing is empty")
    if not operands and sys.stdin.isatty():
        raise ValueError("no source; see: scrapy-boilerplate extract --help")
    return operands or [STDIN]
