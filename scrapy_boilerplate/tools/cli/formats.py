"""Formats of a page's answer, with the text around the answers of one file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from html import escape
from typing import Any, NamedTuple

from scrapy_boilerplate.core.answer.extraction import MADE_OUTPUTS, Extraction
from scrapy_boilerplate.core.answer.output import tei_corpus_start

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
    """Return the fragment, or a whole page if there are metadata for its head."""
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
