"""A worker's task: read a page, extract it, make the answer, by the arguments of the run."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from scrapy_boilerplate.core.answer.extraction import OUTPUTS, Extraction
from scrapy_boilerplate.core.api import choose_method
from scrapy_boilerplate.core.caching import cached_property
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.learn.rule_files import load_rules
from scrapy_boilerplate.learn.stores.models import StoredModels
from scrapy_boilerplate.tools.cli.inputs import SourceError, read_page
from scrapy_boilerplate.tools.cli.outputs import FORMATS, PageAnswer, to_json
from scrapy_boilerplate.tools.isolation import Failure
from scrapy_boilerplate.tools.page_fingerprints import PageFingerprint, PageFingerprints
from scrapy_boilerplate.tools.rows import FAILURES, InputPage, PageRows, Row
from scrapy_boilerplate.tools.tables import explanation_lines, metadata_record

RECORD = ("text", "kind", "confidence", "extractor")  # fields of a record if none are asked for


def fingerprinting(args: Namespace) -> Callable[[InputPage], PageFingerprint | None]:
    fingerprint = PageFingerprints(choose_method(args.extractor, args.options)[0])
    return lambda page: fingerprint(read_page(page, args.url, args.addresses))


class Extracting:
    def __init__(self, args: Namespace) -> None:
        self._args = args
        self._rows = PageRows(args.extractor, args.options, args.columns)

    def __call__(self, page: InputPage) -> tuple[object, ...]:
        """Return a page's :class:`PageAnswer` as a tuple; raise what an extractor raises."""
        try:
            answer = self._answer(page)
        except SourceError as error:
            answer = failed(self._args, page, str(error))
        return tuple(answer)

    def _answer(self, file: InputPage) -> PageAnswer:
        args = self._args
        given = read_page(file, args.url, args.addresses)
        if given.html is None:
            reason = given.reason or "no_body"
            if reason.startswith(FAILURES):
                return failed(args, file, reason.removeprefix("error: "), reason)
            return PageAnswer({"reason": reason} if args.as_rows else "", reason=reason)
        page = given.parsed()
        if not page.is_html and file.file:
            return failed(args, file, "it is not HTML", "not_html")
        model = self._models(page.url) if self._models is not None and page.url else None
        is_stray = self._models is not None and not page.url
        if args.as_rows:
            row = self._rows.found(given._replace(model=model), page)
            return PageAnswer(row, "", row["reason"] or "", is_stray)
        answer = self._rows.answer(page, model)
        text, values, is_empty = self._shown(page, model, answer)
        if text is None:
            text = _record(args, file, page.url, values)
        reason = answer.kind if is_empty else ""
        return PageAnswer(text, "", reason, is_stray)

    @cached_property
    def _models(self) -> StoredModels | None:
        """Opened where pages are read, after any fork."""
        args = self._args
        if args.sites is None and args.rules is None:
            return None
        return StoredModels(args.sites, args.key, args.rules and load_rules(args.rules))

    def _shown(
        self, page: Page, model: bytes | None, answer: Extraction
    ) -> tuple[str | None, dict[str, Any], bool]:
        """Return what is shown: a text, or values of a record; and whether it is nothing."""
        args, is_record = self._args, FORMATS[self._args.format].is_record
        if args.explain:
            blocks = self._rows.explain(page, model)
            text = None if is_record else explanation_lines(blocks)
            return text, {"blocks": [asdict(each) for each in blocks]}, not blocks
        about = metadata_record(answer.metadata, page.url) if args.with_metadata else {}
        render = FORMATS[args.format].render
        if render is not None:
            return render(answer, about), {}, not answer.text
        values = {name: OUTPUTS[name](answer) for name in args.fields or RECORD}
        return None, {**values, **({"metadata": about} if about else {})}, not answer.text


def failed(args: Namespace, page: InputPage, error: str, reason: str = "") -> PageAnswer:
    url, reason = page.url or args.url, reason or f"error: {error}"
    output: str | Row = ""
    if args.as_rows:
        output = {"url": url, "reason": reason}
    elif FORMATS[args.format].is_record:
        output = _record(args, page, url, {"error": error})
    return PageAnswer(output, error, reason)


def lost(args: Namespace, page: InputPage, answer: Failure) -> PageAnswer:
    errors = {
        "timeout": f"it took longer than {args.timeout:g} seconds",
        "crashed": f"it ended its process ({answer.message or 'no answer'})",
        "error": answer.message,
    }
    return failed(args, page, errors[answer.reason], answer.as_reason)


def _record(args: Namespace, page: InputPage, url: str | None, values: Mapping[str, Any]) -> str:
    named = {"file": page.name} if page.file == page.name else {}
    record = {**named, "url": url, **values}
    if args.format == "jsonl":
        return to_json(record) + "\n"
    return to_json(record, indent=2)
