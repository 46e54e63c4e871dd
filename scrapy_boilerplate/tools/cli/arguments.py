"""Arguments of the command line."""

from __future__ import annotations

import json
import os
from argparse import (
    ArgumentParser,
    ArgumentTypeError,
    Namespace,
    RawTextHelpFormatter,
    _ArgumentGroup,
)
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NoReturn

from scrapy_boilerplate import __version__
from scrapy_boilerplate.core.answer.extraction import check_output
from scrapy_boilerplate.core.api import choose_method
from scrapy_boilerplate.core.methods import extractor_names
from scrapy_boilerplate.tools.cli.outputs import FORMATS
from scrapy_boilerplate.tools.cli.work import RECORD
from scrapy_boilerplate.tools.rows import check_columns

_EXAMPLES = """examples:
  scrapy-boilerplate extract page.html
  curl -s https://example.com/ | scrapy-boilerplate extract - --url https://example.com/
  scrapy-boilerplate extract https://example.com/ --format markdown --with-metadata
  scrapy-boilerplate extract mirror/ --learn-sites --format jsonl -o pages.jsonl
  scrapy-boilerplate extract *.warc.gz --format parquet -o rows/
  scrapy-boilerplate extract page.html --explain | less -S"""

_EXIT = (
    "exit status: 0 if all pages were read, 1 if some were not, 2 for wrong usage, 130 after Ctrl-C"
)


class _CommandParser(ArgumentParser):
    """Reports an error in one line and refers to ``--help``."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"scrapy-boilerplate: {message}; see: {self.prog} --help\n")


def parsers() -> tuple[ArgumentParser, dict[str, ArgumentParser]]:
    """Return the parser of the whole command line, and that of each command."""
    main = _CommandParser(
        prog="scrapy-boilerplate",
        description="Extract the main content of web pages.",
        formatter_class=RawTextHelpFormatter,
    )
    main.add_argument("--version", action="version", version=__version__)
    commands = main.add_subparsers(title="commands", metavar="COMMAND")
    _add_extract(
        commands.add_parser(
            "extract",
            help="write the main content of files, folders or addresses",
            description="Write the main content of web pages.",
            epilog=f"{_EXAMPLES}\n\n{_EXIT}",
            formatter_class=RawTextHelpFormatter,
        )
    )
    inspect = commands.add_parser(
        "inspect",
        help="show a page in your browser with kept and dropped text marked",
        description="Show a page in your browser with kept and dropped text marked; write rules.",
    )
    inspect.set_defaults(command="inspect", sources=[])
    add_inspector_arguments(inspect)
    _add_settings(inspect)
    return main, dict(commands.choices)


def add_inspector_arguments(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("page", metavar="PAGE", help="file (.gz too), URL, or - for standard input")
    _add_method(parser)
    add("--url", help="URL of the page, if PAGE is a file")
    more = "folder of other pages of the site, to learn it and to preview rules"
    add("--site", metavar="FOLDER", action="append", default=[], dest="others", help=more)
    _add_key(parser)
    add("--rules", metavar="FILE", help="file to write rules to")
    add("--port", type=int, default=0, help="port on 127.0.0.1 (default: any free port)")
    add("--no-browser", action="store_true", help="only print the URL")
    add("-o", "--output", metavar="FILE", help="write a single HTML file instead")


def _add_method(parser: ArgumentParser | _ArgumentGroup) -> None:
    names = f"extractor: {', '.join(extractor_names())} (default: auto)"
    parser.add_argument("--extractor", metavar="NAME", default="auto", help=names)
    favor = "prefer clean text (precision) or complete text (recall); for auto"
    parser.add_argument("--favor", choices=("balanced", "precision", "recall"), help=favor)
    option = "option of extract(), such as tables=false; may be repeated"
    _add_pairs(parser, "--option", dest="options", help=option)


def _add_key(parser: ArgumentParser | _ArgumentGroup) -> None:
    what = "what counts as one site (default: host)"
    parser.add_argument("--key", choices=("host", "domain", "path"), help=what)


def _add_pairs(
    parser: ArgumentParser | _ArgumentGroup, *names: str, metavar: str = "NAME=VALUE", **more: str
) -> None:
    parser.add_argument(*names, metavar=metavar, type=_pair, action="append", default=[], **more)  # type: ignore[arg-type]


def _add_settings(parser: ArgumentParser | _ArgumentGroup) -> None:
    setting = "Scrapy setting for fetching pages; may be repeated"
    _add_pairs(parser, "-s", "--set", dest="settings", help=setting)


def extractor_options(args: Namespace) -> dict[str, object]:
    """Return the options of the method; raise :exc:`ValueError` for an unknown one."""
    options: dict[str, object] = dict(args.options)
    if args.favor is not None:
        options["favor"] = args.favor
    try:
        choose_method(args.extractor, options)
    except (ImportError, TypeError) as error:  # of an extra; a value of the wrong type
        raise ValueError(str(error)) from error
    return options


_HELP = {
    "sources": "file (.gz too), web archive (.warc, .warc.gz, .wacz), index of records (.cdxj,\n"
    ".cdxj.gz, or .parquet of Common Crawl), folder, URL, or - for standard input",
    "rules": "JSON file of rules, which add to what is learned",
    "sites": "apply the models of this store, which a crawl or an earlier run wrote;\n"
    "with --learn-sites, add to it",
    "output": "output file; a folder (existing, or ending in /) gets one file per page, or per\n"
    "archive for jsonl and parquet, and skips finished archives",
}


def _add_extract(parser: ArgumentParser) -> None:
    parser.set_defaults(command="extract")
    parser.add_argument("sources", metavar="SOURCE", nargs="*", help=_HELP["sources"])
    more = "read more sources from FILE, one per line; - for standard input"
    parser.add_argument("--files-from", metavar="FILE", help=more)
    index = parser.add_argument_group("records of archives")
    add = index.add_argument
    where = (
        "read only records with these values; names: host, domain, status, mime; of an index\n"
        "also language"
    )
    _add_pairs(index, "--where", dest="where", help=where, metavar="NAME=VALUE,...")
    at = "folder or URL of the archives (default: the folder of the index)"
    add("--archives", metavar="FOLDER", help=at)
    method = parser.add_argument_group("extractor")
    _add_method(method)
    learn = "read all pages first to learn their sites, then extract them"
    method.add_argument("--learn-sites", action="store_true", help=learn)
    method.add_argument("--sites", metavar="STORE", help=_HELP["sites"])
    method.add_argument("--rules", metavar="FILE", help=_HELP["rules"])
    _add_key(method)
    method.add_argument("--url", help="URL of the page, if there is only one")
    known = "URLs of the files: JSON Lines with 'file' and 'url'"
    method.add_argument("--addresses", metavar="FILE", help=known)
    output = parser.add_argument_group("output")
    add = output.add_argument
    add("--format", choices=tuple(FORMATS), default="text", help="(default: text)")
    names = f"outputs in a record of json and jsonl (default: {','.join(RECORD)})"
    add("--fields", metavar="NAME,...", type=_names(partial(map, check_output)), help=names)
    about = "add title, authors, dates and other metadata, as front matter or in the record"
    add("--with-metadata", action="store_true", help=about)
    why = "show each block with the reason why it was kept or dropped"
    add("--explain", action="store_true", help=why)
    add("-o", "--output", metavar="PATH", help=_HELP["output"])
    most = "columns to write, separated by commas; other columns are not computed (default: all)"
    add("--columns", metavar="NAME,...", type=_names(check_columns), help=most)
    work = parser.add_argument_group("work")
    add = work.add_argument
    jobs = "number of processes (default: one per processor)"
    add("-j", "--jobs", type=_above_zero(int), default=os.cpu_count() or 1, help=jobs)
    most = "time limit per page (default: 60)"
    add("--timeout", metavar="SECONDS", type=_above_zero(float), help=most)
    _add_settings(work)
    add("-q", "--quiet", action="store_true", help="hide the progress bar and the summary")


_AS_JSON = {"True": "true", "False": "false", "None": "null"}  # as Python writes them


def _pair(pair: str) -> tuple[str, object]:
    """Read ``NAME=VALUE``; a value that is JSON is read as that, any other is text."""
    name, equals, value = pair.partition("=")
    if not equals or not name:
        raise ArgumentTypeError(f"{pair!r} is not NAME=VALUE")
    try:
        return name, json.loads(_AS_JSON.get(value, value))
    except ValueError:
        return name, value


def _names(check: Callable[[Iterator[str]], Iterable[str]]) -> Callable[[str], tuple[str, ...]]:
    """Return what reads names between commas, which *check* refuses by :exc:`ValueError`."""

    def read(names: str) -> tuple[str, ...]:
        try:
            return tuple(check(name.strip() for name in names.split(",")))
        except ValueError as error:
            raise ArgumentTypeError(str(error)) from error

    return read


def _above_zero(kind: type[int | float]) -> Callable[[str], float]:
    def number(text: str) -> float:
        found = kind(text)
        if not found > 0:
            raise ArgumentTypeError("must be more than 0")
        return found

    return number
