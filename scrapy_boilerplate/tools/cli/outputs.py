"""What is written of pages, in each format, and where it goes: a file, a folder, a terminal."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from html import escape
from io import TextIOWrapper
from typing import Any, NamedTuple, TextIO, cast

from scrapy_boilerplate.core.answer.extraction import MADE_OUTPUTS, Extraction
from scrapy_boilerplate.core.answer.output import tei_corpus_start
from scrapy_boilerplate.core.page.addresses import parts_of
from scrapy_boilerplate.tools.cli.inputs import STDIN
from scrapy_boilerplate.tools.places import inside, make_folder, opened, whole_file
from scrapy_boilerplate.tools.row_files import row_file
from scrapy_boilerplate.tools.rows import InputPage, Row
from scrapy_boilerplate.tools.tables import printable

_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'

Values = Mapping[str, Any]


class Format(NamedTuple):
    suffix: str  # of files that hold one answer each
    render: Callable[[Extraction, Values], str] | None = None  # None for records
    single: str = ""  # before a single answer …
    start: str = ""  # … before several …
    between: str = ""
    end: str = ""  # … and after them
    named: bool = False  # a heading says which page each of several answers is of

    @property
    def is_record(self) -> bool:
        return self.render is None


def _text_of(output: str) -> Callable[[Extraction, Values], str]:
    return lambda extraction, values: front_matter(values) + _line(getattr(extraction, output))


def _html(extraction: Extraction, values: Values) -> str:
    if not values:
        return _line(extraction.html)
    language = values.get("language")
    lines = [
        f'<!DOCTYPE html>\n<html lang="{escape(language)}">' if language else "<!DOCTYPE html>",
        '<meta charset="utf-8">',
        f"<title>{escape(extraction.title)}</title>",
    ]
    for name, value in values.items():
        text = ", ".join(value) if isinstance(value, list) else str(value)
        lines.append(f'<meta name="{escape(name)}" content="{escape(text)}">')
    return "\n".join([*lines, _line(extraction.html)])


def _line(text: str) -> str:
    return text if text.endswith("\n") or not text else f"{text}\n"


def front_matter(values: Values) -> str:
    """Return the lines that many tools read before a text, as YAML; nothing without *values*."""
    if not values:
        return ""
    lines = [f"{name}: {to_json(value)}" for name, value in values.items()]
    return "\n".join(["---", *lines, "---", "", ""])


def to_json(value: object, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent, default=str)


# Their files hold more than metadata, as front matter, and the text
_OWN = {
    "html": Format("", _html, named=True),
    "tei": Format(
        "",
        lambda extraction, _: extraction.tei,
        single=_XML,
        start=_XML + tei_corpus_start("Corpus"),
        end="</teiCorpus>\n",
    ),
    "prevertical": Format("", lambda extraction, _: extraction.prevertical),
}


FORMATS: dict[str, Format] = {
    "text": Format(".txt", _text_of("text"), named=True),
    **{
        name: _OWN.get(name, Format("", _text_of(name), named=True))._replace(suffix=output.suffix)
        for name, output in MADE_OUTPUTS.items()
        if output.suffix
    },
    "json": Format(".json", start="[\n", between=",\n", end="\n]\n"),
    "jsonl": Format(".jsonl"),
    "parquet": Format(".parquet"),
}


# -- where it goes ---------------------------------------------------------------------------

_ODD = re.compile(r"[^\w.-]+")
# What looks like the heading of another page's text
_HEADING = re.compile(r"^(?===> )", re.MULTILINE)
_LONGEST_FILE_NAME = 150  # bytes of a file's name
_ESCAPE = "backslashreplace"  # a file's name may be no UTF-8; its bytes are escaped as JSON does it


class PageAnswer(NamedTuple):
    output: str | Row = ""  # a text, or the part of a row that comes from the body
    error: str = ""  # why there is none
    reason: str = ""  # why there is no text
    is_stray: bool = False  # no model was looked for, since its address is not known


Sink = Callable[[InputPage, PageAnswer], object]  # after the `with` its files are whole


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
        yield lambda page, answer: write_row(cast(Row, answer.output))


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
