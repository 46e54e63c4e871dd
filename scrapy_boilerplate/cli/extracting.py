"""The command ``extract``: sources → pages → rows → sink."""

from __future__ import annotations

import shutil
import signal
import sys
import tempfile
from argparse import Namespace
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from time import monotonic, sleep
from types import FrameType
from typing import TypeVar

from scrapy_boilerplate.cli.addresses import load_addresses
from scrapy_boilerplate.cli.arguments import extractor_options
from scrapy_boilerplate.cli.fetching import Fetcher
from scrapy_boilerplate.cli.formats import FORMATS
from scrapy_boilerplate.cli.learning import learn_sites
from scrapy_boilerplate.cli.pool import Pool, Task
from scrapy_boilerplate.cli.progress import shown, tell
from scrapy_boilerplate.cli.sinks import FileSink, FolderSink, Sink, is_folder
from scrapy_boilerplate.cli.sources import STDIN, PageFile, is_address, listed
from scrapy_boilerplate.cli.work import RECORD, Extracting, Learning, Row, Show

__all__ = ["run_extract"]

Answer = TypeVar("Answer")

_WAIT = 0.05  # seconds until it is looked again whether a page has come


def run_extract(args: Namespace) -> int:
    """Run the command; return its exit status. Raises :exc:`ValueError` for wrong usage."""
    run = _Extraction(args)
    with run:
        return run.run()


class _Extraction:
    """One run of the command."""

    def __init__(self, args: Namespace) -> None:
        self._args = args
        self._operands = _operands(args)
        self._reading = {
            "extractor": args.extractor,
            "options": extractor_options(args),
            "addresses": load_addresses(args.addresses) if args.addresses else {},
            "url": args.url,
            "key": args.key,
        }
        self._show: Show = args.show or "answer"
        self._check()
        self._stack = ExitStack()
        self._fetched: list[PageFile] = []
        self._pool: Pool[object] | None = None
        self._is_stopped = False

    def __enter__(self) -> _Extraction:
        self._folder = self._stack.enter_context(
            tempfile.TemporaryDirectory(prefix="scrapy-boilerplate-")
        )
        before = signal.signal(signal.SIGINT, self._interrupted)
        self._stack.callback(signal.signal, signal.SIGINT, before)
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def _check(self) -> None:
        args = self._args
        if args.show and not (args.format == "text" or FORMATS[args.format].is_record):
            raise ValueError("--compare and --explain write text, json or jsonl")
        if args.fields and not FORMATS[args.format].is_record:
            raise ValueError("--fields is for json and jsonl")
        if self._operands.count(STDIN) > 1:
            raise ValueError("standard input (-) can be read only once")

    def run(self) -> int:
        """Extract all pages; return the exit status."""
        began, counts = monotonic(), _Counts()
        first = list(islice(self._listed(), 2))
        if self._args.url and len(first) > 1:
            raise ValueError("--url is for a single page; give --addresses for several")
        is_single = len(first) == 1
        models = self._learn(is_single) if self._args.learn_sites else {}
        if self._is_stopped:
            return 130
        task = Extracting(
            **self._reading,
            show=self._show,
            format=self._args.format,
            fields=self._args.fields or RECORD,
            with_metadata=self._args.with_metadata,
            models=models,
        )
        sink = self._sink(is_single)
        try:
            for row in self._answers(task, "extracting", is_single):
                counts.add(row)
                if row.error:
                    tell(f"{row.page.name}: {row.error}")
                sink.write(row)
        finally:
            sink.close()
        if not self._args.quiet and (counts.failed or self._is_stopped or not is_single):
            tell(counts.line(monotonic() - began, stopped=self._is_stopped))
        return 130 if self._is_stopped else int(counts.failed > 0)

    def _learn(self, is_single: bool) -> dict[str, bytes]:
        task = Learning(**self._reading)
        models, strays = learn_sites(self._answers(task, "learning sites", is_single))
        if strays:
            tell(f"{_count(strays, 'page')} of no known address; see --addresses")
        if not self._args.quiet:
            tell(f"{_count(len(models), 'site')} learned")
        return models

    def _sink(self, is_single: bool) -> Sink:
        output, format = self._args.output, FORMATS[self._args.format]
        if output is not None and is_folder(output):
            return FolderSink(output, format)
        headings = (format.named or self._show != "answer") and not self._args.no_heading
        headings = headings and not format.is_record
        return FileSink(output, format, is_single=is_single, headings=headings)

    # -- pages -----------------------------------------------------------------------------------

    def _listed(self) -> Iterator[PageFile]:
        return listed(self._operands)

    def _pages(self) -> Iterator[PageFile | None]:
        """Yield the pages, those of addresses when they are there."""
        fetched = self._fetch()
        for page in self._listed():
            if is_address(page.name):
                yield from _up_to_next(fetched)
            else:
                yield self._from_stdin() if page.name == STDIN else page

    def _fetch(self) -> Iterator[PageFile | None]:
        """Yield the pages of addresses; they are fetched the first time."""
        urls = [operand for operand in self._operands if is_address(operand)]
        if len(self._fetched) == len(urls):
            yield from self._fetched
            return
        with Fetcher(urls, self._folder, self._args.settings) as fetcher:
            for page in fetcher:
                if page is not None:
                    self._fetched.append(page)
                yield page

    def _from_stdin(self) -> PageFile:
        path = Path(self._folder) / "stdin"
        if not path.exists():
            with path.open("wb") as file:
                shutil.copyfileobj(sys.stdin.buffer, file)
        return PageFile(STDIN, str(path))

    # -- answers ---------------------------------------------------------------------------------

    def _answers(self, task: Task[Answer], what: str, is_single: bool) -> Iterator[Answer]:
        if is_single:
            for page in self._pages():
                if page is None:
                    sleep(_WAIT)
                else:
                    yield task(page)
            return
        is_shown = self._shows_bar()
        total = sum(1 for _ in self._listed()) if is_shown else None
        with Pool(task, self._args.jobs, self._args.timeout) as pool:
            self._pool = pool  # type: ignore[assignment]
            answers = pool.run(self._pages())
            yield from shown(answers, what, total) if is_shown else answers

    def _shows_bar(self) -> bool:
        """Tell whether there is a terminal for the bar, and no answers on it."""
        answers = self._args.output is None and sys.stdout.isatty()
        return sys.stderr.isatty() and not answers and not self._args.quiet

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        """Stop at the first Ctrl-C when what is done is written, at the second at once."""
        if self._is_stopped or self._pool is None:
            raise KeyboardInterrupt
        self._is_stopped = self._pool.is_stopped = True


class _Counts:
    """What became of the pages."""

    def __init__(self) -> None:
        self.pages = self.failed = self.empty = 0

    def add(self, row: Row) -> None:
        self.pages += 1
        self.failed += bool(row.error)
        self.empty += row.is_empty

    def line(self, seconds: float, *, stopped: bool) -> str:
        parts = [_count(self.pages, "page"), f"{self.failed} failed"]
        if self.empty:
            parts.append(f"{self.empty} without text")
        rate = self.pages / max(seconds, 1e-9)
        text = f"{', '.join(parts)}; {seconds:.1f} s, {rate:.0f} pages/s"
        return f"stopped after {text}" if stopped else text


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _up_to_next(pages: Iterator[PageFile | None]) -> Iterator[PageFile | None]:
    """Yield ``None`` until the next page is there, then the page."""
    for page in pages:
        yield page
        if page is not None:
            return


def _operands(args: Namespace) -> list[str]:
    """Return the sources that were named; raise :exc:`ValueError` if there are none."""
    operands = list(args.sources)
    if args.files_from == STDIN:
        operands += sys.stdin.read().splitlines()
    elif args.files_from:
        try:
            operands += Path(args.files_from).read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise ValueError(f"cannot read {args.files_from}: {error.strerror}") from error
    operands = [operand for operand in operands if operand.strip()]
    if not operands:
        raise ValueError("no source is named; see: scrapy-boilerplate extract --help")
    return operands
