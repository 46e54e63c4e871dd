"""The pages that operands name. Those of addresses are fetched through Scrapy, politely."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_boilerplate.tools.cli.inputs import STDIN, is_address, is_archive, listed
from scrapy_boilerplate.tools.rows import InputPage, row_name

if TYPE_CHECKING:
    from scrapy.http import Response
    from scrapy.settings import Settings
    from twisted.python.failure import Failure

    from scrapy_boilerplate.tools.warc import Selection


class SourcePages:
    """The pages that *operands* name; what must be fetched comes into *folder*."""

    def __init__(
        self,
        operands: Sequence[str],
        folder: str,
        settings: Mapping[str, Any],
        *,
        project: bool = False,
        selection: Selection | None = None,
    ) -> None:
        self._operands, self._folder, self._selection = operands, folder, selection
        self._settings, self._project = settings, project
        self._fetched: list[InputPage] = []

    def read(self) -> Iterator[InputPage]:
        """Yield the pages in order. May be called again: nothing is fetched twice."""
        arriving = self._fetch()
        for page in listed(self._operands):
            if is_address(page.name):
                yield next(arriving)
            elif is_archive(page.file):
                yield from _archived(page.file, self._selection)
            else:
                yield self._from_stdin() if page.name == STDIN else page

    def _fetch(self) -> Iterator[InputPage]:
        urls = [operand for operand in self._operands if is_address(operand)]
        if len(self._fetched) == len(urls):
            yield from self._fetched
            return
        for page in fetched(urls, self._folder, self._settings, project=self._project):
            self._fetched.append(page)
            yield page

    def _from_stdin(self) -> InputPage:
        path = Path(self._folder) / "stdin"
        if not path.exists():
            with path.open("wb") as file:
                shutil.copyfileobj(sys.stdin.buffer, file)
        return InputPage(None, name=STDIN, file=str(path))


def _archived(path: str, selection: Selection | None) -> Iterator[InputPage]:
    from scrapy_boilerplate.tools.warc.archived_pages import PageReader, told_pages

    for page in told_pages(path, PageReader(selection=selection)):
        yield page._replace(name=row_name(page._asdict()))


# Settings of the crawl, unless a project or the user says otherwise.
POLITE = {
    "ROBOTSTXT_OBEY": True,
    "DOWNLOAD_DELAY": 1.0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
    "DOWNLOAD_TIMEOUT": 60,
    "DOWNLOAD_MAXSIZE": 128 << 20,
    "RETRY_TIMES": 1,
    "USER_AGENT": "scrapy_boilerplate (+https://scrapy.org)",
}

_ALWAYS = {
    "HTTPERROR_ALLOW_ALL": True,  # we say so ourselves
    "TELNETCONSOLE_ENABLED": False,
    "LOG_ENABLED": False,
    "BOILERPLATE_ENABLED": False,  # the page is wanted as it was sent, and nothing is learned
}


def fetched(
    urls: list[str], folder: str, settings: Mapping[str, Any], *, project: bool = False
) -> Iterator[InputPage]:
    """Fetch addresses in another process, into files of *folder*; yield a page each, in order."""
    context = get_context("spawn")
    connection, theirs = context.Pipe(duplex=False)
    arguments = (urls, folder, dict(settings), project, theirs)
    process = context.Process(target=_crawl, args=arguments, daemon=True)
    process.start()
    theirs.close()
    arrived: dict[int, InputPage] = {}
    try:
        for number, url in enumerate(urls):
            while number not in arrived:
                try:
                    at, page = connection.recv()
                except (EOFError, OSError):
                    at, page = number, _failed(url, "the crawl has ended without it")
                arrived[at] = page
            yield arrived.pop(number)
    finally:
        process.kill()
        process.join()
        connection.close()


def _failed(url: str, error: str) -> InputPage:
    return InputPage(None, url, reason=f"error: {error}", name=url)


def _settings(settings: Mapping[str, Any], *, project: bool) -> Settings:
    from scrapy.settings import Settings
    from scrapy.utils.project import get_project_settings

    found = get_project_settings() if project else Settings(POLITE)
    found.setdict(_ALWAYS, priority="cmdline")
    found.setdict(dict(settings), priority="cmdline")
    return found


def _crawl(
    urls: list[str], folder: str, settings: Mapping[str, Any], project: bool, connection: Connection
) -> None:
    import signal

    import scrapy
    from scrapy.crawler import CrawlerProcess

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent says when to stop

    class FetchSpider(scrapy.Spider):
        name = "scrapy-boilerplate"

        async def start(self) -> Any:
            for number, url in enumerate(urls):
                yield scrapy.Request(
                    url,
                    callback=self.arrived,
                    errback=self.failed,
                    dont_filter=True,
                    cb_kwargs={"number": number},
                    priority=-number,
                )

        def arrived(self, response: Response, number: int) -> None:
            page = _stored(response, urls[number], folder, number)
            connection.send((number, page))

        def failed(self, failure: Failure) -> None:
            number = failure.request.cb_kwargs["number"]  # type: ignore[attr-defined]
            reason = failure.getErrorMessage() or type(failure.value).__name__
            connection.send((number, _failed(urls[number], f"cannot fetch it: {reason}")))

    process = CrawlerProcess(_settings(settings, project=project))
    process.crawl(FetchSpider)
    process.start(install_signal_handlers=False)


def _stored(response: Response, url: str, folder: str, number: int) -> InputPage:
    from w3lib.encoding import http_content_type_encoding

    from scrapy_boilerplate.core.page import holds_html

    if response.status >= 400:
        return _failed(url, f"HTTP status {response.status}")
    header = (response.headers.get("Content-Type") or b"").decode("latin-1")
    if not holds_html(response):
        return _failed(url, f"it is not HTML but {header or 'of no type'}")
    path = os.path.join(folder, f"{number}.html")
    with open(path, "wb") as file:
        file.write(response.body)
    encoding = http_content_type_encoding(header)
    return InputPage(None, response.url, encoding, name=url, file=path)
