"""Steps of both commands: get the page, then write one file or serve it."""

from __future__ import annotations

import sys
import tempfile
import webbrowser
from argparse import Namespace
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from scrapy_boilerplate.core.api import choose_method
from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.learn.keys import KeyFunction
from scrapy_boilerplate.learn.memory import StateStore
from scrapy_boilerplate.tools.cli.arguments import extractor_options
from scrapy_boilerplate.tools.cli.fetching import SourcePages
from scrapy_boilerplate.tools.cli.inputs import SourceError, listed, read_page
from scrapy_boilerplate.tools.inspector.page_view import inspector_html
from scrapy_boilerplate.tools.inspector.server import InspectorServer
from scrapy_boilerplate.tools.inspector.session import Session
from scrapy_boilerplate.tools.rows import InputPage


def run_inspect(
    args: Namespace,
    *,
    settings: Mapping[str, Any],
    method: Extractor | None = None,
    key: str | KeyFunction = "host",
    store: StateStore | None = None,
    project: bool = False,
) -> int:
    """Run the command; *method*, *key* and *store* are the project's, where none other is named."""
    if method is None or args.extractor != "auto" or args.favor or args.options:
        method, _ = choose_method(args.extractor, extractor_options(args))
    first = _fetch_page(args.page, args.url, settings, project=project)
    others = [_stored(file, None) for file in listed(args.others)]
    session = Session(
        [first, *others],
        method=method,
        key=args.key or key,
        rules=args.rules or "site-rules.json",
        store=store,
    )
    if args.output is not None:
        Path(args.output).write_text(inspector_html(session.inspected()), encoding="utf-8")
        print(f"written to {args.output}", file=sys.stderr)
        return 0
    return _serve(session, args.port, browser=not args.no_browser)


def _fetch_page(
    name: str, url: str | None, settings: Mapping[str, Any], *, project: bool
) -> InputPage:
    with tempfile.TemporaryDirectory(prefix="scrapy-boilerplate-") as folder:
        for file in SourcePages([name], folder, settings, project=project).read():
            return _stored(file, url)
    raise SourceError(f"{name}: it contains no page")


def _stored(file: InputPage, url: str | None) -> InputPage:
    try:
        page = read_page(file, url)
        if page.html is None:
            raise SourceError((page.reason or "it has no body").removeprefix("error: "))
    except SourceError as error:
        raise SourceError(f"{file.name}: {error}") from error
    return page


def _serve(session: Session, port: int, *, browser: bool) -> int:
    with InspectorServer(session, port) as server, suppress(KeyboardInterrupt):
        print(
            f"The inspector is at {server.url}\nPress Ctrl-C to stop it.",
            file=sys.stderr,
            flush=True,
        )
        if browser:
            webbrowser.open(server.url)
        server.serve_forever()
    return 0
