"""A web server for crawl tests: pages from a dict or a function, in a thread of this process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple

from scrapy import version_info

from scrapy_boilerplate.tools.inspector import InspectorServer
from scrapy_boilerplate.tools.inspector.session import Session


class Reply(NamedTuple):
    """What the server answers with."""

    body: str | bytes
    content_type: str = "text/html; charset=utf-8"
    status: int = 200
    headers: Mapping[str, str] = {}


Pages = Mapping[str, str | bytes | Reply] | Callable[[str], str | bytes | Reply | None]


class _Server(ThreadingHTTPServer):
    """A server to which a crawler that hangs up, or is killed, is nothing to write about."""

    request_queue_size = 128  # fifty hosts may connect at once

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print what went wrong, unless it is only that the other side has gone."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class MockServer:
    """Serves *pages*, a dict or a function of the path (with its query); 404 for all else.

    With the *address* ``0.0.0.0`` every host of this machine, such as 127.0.0.2, is served.

    >>> with MockServer({"/": "<p>Hello"}) as server:
    ...     from urllib.request import urlopen
    ...     urlopen(server.url("/")).read()
    b'<p>Hello'
    """

    def __init__(self, pages: Pages, address: str = "127.0.0.1") -> None:
        find = pages if callable(pages) else pages.get
        self.requests: list[str] = []
        """Paths in the order in which they were asked for."""
        asked = self.requests

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # or each reply waits 40 ms

            def do_GET(self) -> None:
                asked.append(self.path)
                found = find(self.path)
                reply = found if isinstance(found, Reply) else Reply(found or "")
                body = reply.body.encode() if isinstance(reply.body, str) else reply.body
                self.send_response(404 if found is None else reply.status)
                self.send_header("Content-Type", reply.content_type)
                self.send_header("Content-Length", str(len(body)))
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: Any) -> None:
                """Write nothing."""

        self._server = _Server((address, 0), Handler)
        self._thread = Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        """Return the address of a path."""
        return f"http://{host}:{self._server.server_address[1]}{path}"

    def __enter__(self) -> MockServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@contextmanager
def serving(session: Session) -> Iterator[InspectorServer]:
    """Serve the inspector from a thread."""
    with InspectorServer(session) as server:
        thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


REACTORS: dict[str, dict[str, Any]] = {
    "asyncio": {},
    "select": {"TWISTED_REACTOR": None},
    "none": {"TWISTED_REACTOR_ENABLED": False},
}
if version_info < (2, 15):
    del REACTORS["none"]
