"""Destinations of answers: standard output, a file, or a folder with a file for each page."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from io import TextIOWrapper
from typing import TextIO

from scrapy_boilerplate.core.page.addresses import parts_of
from scrapy_boilerplate.tools.cli.formats import Format
from scrapy_boilerplate.tools.cli.inputs import STDIN
from scrapy_boilerplate.tools.cli.work import PageAnswer
from scrapy_boilerplate.tools.places import inside, make_folder, opened, whole_file
from scrapy_boilerplate.tools.row_files import row_file
from scrapy_boilerplate.tools.rows import InputPage
from scrapy_boilerplate.tools.tables import printable

_ODD = re.compile(r"[^\w.-]+")
# What looks like the heading of another page's text
_HEADING = re.compile(r"^(?===> )", re.MULTILINE)
_LONGEST_FILE_NAME = 150  # bytes of a file's name
_ESCAPE = "backslashreplace"  # a file's name may be no UTF-8; its bytes are escaped as JSON does it


Sink = Callable[[InputPage, PageAnswer], None]  # after the `with` its files are whole


@contextmanager
def stream_sink(
    path: str | None, format: Format, *, is_single: bool, headings: bool
) -> Iterator[Sink]:
    written = 0
    with ExitStack() as stack:
        file: TextIO = sys.stdout
        if path is not None:
            file = TextIOWrapper(
                stack.enter_context(whole_file(path)), encoding="utf-8", errors=_ESCAPE
            )
            stack.callback(file.detach)
        elif hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(encoding="utf-8", errors=_ESCAPE)
        file.write(format.single if is_single else format.start)

        def write(page: InputPage, answer: PageAnswer) -> None:
            nonlocal written
            if _is_nothing(page, answer):
                return
            if written:
                file.write("\n" if headings else format.between)
            text = str(answer.output)
            if headings:
                file.write(f"==> {printable(page.name)} <==\n")
                text = _HEADING.sub("\\\\", text)
            file.write(text)
            file.flush()
            written += 1

        yield write
        if not is_single:
            file.write(format.end)
        elif written and format.is_record and format.end:
            file.write("\n")
        file.flush()


@contextmanager
def rows_sink(path: str, columns: tuple[str, ...]) -> Iterator[Sink]:
    with row_file(path, "parquet", columns) as write_row:

        def write(page: InputPage, answer: PageAnswer) -> None:
            assert isinstance(answer.output, dict)
            write_row(answer.output)

        yield write


@contextmanager
def folder_sink(folder: str, format: Format) -> Iterator[Sink]:
    """Write a file for each page that has an answer, in the folders that it lies in."""
    make_folder(folder)
    taken: set[str] = set()

    def write(page: InputPage, answer: PageAnswer) -> None:
        if answer.error or _is_nothing(page, answer):
            return
        path = _free_path(page, taken) + format.suffix
        if os.path.dirname(path):
            make_folder(inside(folder, os.path.dirname(path)))
        output = str(answer.output)
        output = output if output.endswith("\n") else f"{output}\n"
        with opened(inside(folder, path), "wb") as file:
            file.write((format.single + output).encode(encoding="utf-8", errors=_ESCAPE))

    yield write


def _free_path(page: InputPage, taken: set[str]) -> str:
    """Return a path in the folder that no other page of this run has, without its ending."""
    inside = os.path.relpath(page.file, page.folder) if page.folder else _file_name(page)
    stem = re.sub(r"(?:\.x?html?)?(?:\.gz)?\Z", "", inside) or "page"
    path, number = stem, 1
    while path in taken:
        number += 1
        path = f"{stem}-{number}"
    taken.add(path)
    return path


def _is_nothing(page: InputPage, answer: PageAnswer) -> bool:
    """Return whether a page leaves no trace: a failure, or a record without a body."""
    return not answer.output and (bool(answer.error) or page.archive is not None)


def _file_name(page: InputPage) -> str:
    if page.name == STDIN:
        return "stdin"
    if page.file == page.name:
        return os.path.basename(page.file)
    parts = parts_of(page.name)
    name = "_".join(filter(None, [parts.netloc, parts.path.strip("/"), parts.query]))
    short = _ODD.sub("_", name).encode("utf-8", "replace")[:_LONGEST_FILE_NAME]
    return short.decode("utf-8", "ignore").strip(".") or "page"
