"""Serves the inspector to the browser of this machine, and takes its rules."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import Any
from urllib.parse import parse_qs, urlsplit

from scrapy_boilerplate.tools.inspector.page_view import inspector_html, policy
from scrapy_boilerplate.tools.inspector.session import Session

_MOST_REQUEST_BYTES = 1 << 16  # of a request's body


class InspectorServer(ThreadingHTTPServer):
    """Serves a :class:`Session` on 127.0.0.1, under an address that only its user knows.

    The token in the address is drawn at random. Requests without it, for another host name or from
    a document of another origin are refused, so other pages in the browser can neither read nor
    post.
    """

    daemon_threads = True

    def __init__(self, session: Session, port: int = 0) -> None:
        self.session = session
        self.token = secrets.token_urlsafe(24)
        self.lock = Lock()
        super().__init__(("127.0.0.1", port), _Handler)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def url(self) -> str:
        return f"{self.origin}/{self.token}/"


class _RefusedError(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    server: InspectorServer
    server_version = "scrapy-boilerplate"
    sys_version = ""

    def do_GET(self) -> None:
        self._answer(self._document)

    def do_POST(self) -> None:
        self._answer(self._act)

    def log_message(self, *args: Any) -> None:
        """Write nothing."""

    def _answer(self, make: Callable[[str], tuple[str, str]]) -> None:
        try:
            content_type, body, status = *make(self._checked_path()), 200
        except (_RefusedError, ValueError, OSError, RecursionError) as error:
            status, content_type = getattr(error, "status", 400), "application/json"
            body = json.dumps({"error": str(error)})
        data = body.encode("utf-8", "replace")
        self.send_response(status)
        self.send_header("Content-Type", f"{content_type}; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Content-Security-Policy", f"{policy()}; frame-ancestors 'none'")
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _checked_path(self) -> str:
        """Return what follows the token; raise :exc:`_RefusedError` for all that is not ours."""
        if self.headers.get("Host") != urlsplit(self.server.origin).netloc:
            raise _RefusedError(403, "wrong host")
        if self.headers.get("Origin") not in (None, self.server.origin):
            raise _RefusedError(403, "wrong origin")
        is_ours = self.headers.get("Sec-Fetch-Site") in (None, "none", "same-origin")
        if self.command != "GET" and not is_ours:  # a link to the inspector may stand anywhere
            raise _RefusedError(403, "wrong site")
        _, token, rest = [*self.path.split("/", 2), "", ""][:3]
        if not secrets.compare_digest(token.encode(), self.server.token.encode()):
            raise _RefusedError(404, "not found")
        return rest

    def _document(self, path: str) -> tuple[str, str]:
        parts = urlsplit(path)
        if parts.path:
            raise _RefusedError(404, "not found")
        number = int(parse_qs(parts.query).get("page", ["0"])[0])
        with self.server.lock:
            inspected = self.server.session.inspected(number)
            return "text/html", inspector_html(inspected, with_server=True)

    def _act(self, path: str) -> tuple[str, str]:
        actions: Mapping[str, Callable[..., dict[str, Any]]] = {
            "selectors": self.server.session.selectors,
            "effect": self.server.session.effect,
            "save": self.server.session.save,
        }
        if path not in actions:
            raise _RefusedError(404, "not found")
        if self.headers.get("Content-Type") != "application/json":
            raise _RefusedError(415, "not JSON")
        length = int(self.headers.get("Content-Length") or 0)
        if not 0 <= length <= _MOST_REQUEST_BYTES:
            raise _RefusedError(413, "too large")
        asked = json.loads(self.rfile.read(length))
        if not isinstance(asked, dict):
            raise ValueError("not a mapping")
        with self.server.lock:
            try:
                return "application/json", json.dumps(actions[path](**asked))
            except TypeError as error:
                raise ValueError(str(error)) from error


_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
