"""Serve the folders below ``sites/``, each as a site of its own on a port of this machine.

``python example_project/server.py 8000`` serves them at 8000 and the ports after it.
"""

from __future__ import annotations

import html
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from os import PathLike
from pathlib import Path
from threading import Event, Thread

SITES = Path(__file__).parent / "sites"


class _Handler(SimpleHTTPRequestHandler):
    """Files of a site's folder; its front page links to all of them."""

    def do_GET(self) -> None:
        if self.path == "/":
            self._send_front_page()
        else:
            super().do_GET()

    def _send_front_page(self) -> None:
        root = Path(self.directory)
        pages = sorted(path.relative_to(root).as_posix() for path in root.rglob("*.html"))
        links = (f'<li><a href="/{page.removesuffix("index.html")}">{page}</a>' for page in pages)
        name = html.escape(root.name)
        body = f"<!DOCTYPE html><title>{name}</title><h1>{name}</h1><ul>{''.join(links)}</ul>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def list_directory(self, path: str | PathLike[str]) -> None:
        """Show no folders: the sites had none."""
        self.send_error(404)

    def log_message(self, *args: object) -> None:
        """Stay silent: the crawl has a log of its own."""


@contextmanager
def serve(folder: Path, port: int = 0) -> Iterator[str]:
    """Serve one folder, on a free port unless one is given; give its address."""
    server = ThreadingHTTPServer(("127.0.0.1", port), partial(_Handler, directory=str(folder)))
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def serve_all(port: int = 0) -> Iterator[dict[str, Path]]:
    """Serve every site, on free ports or from *port* on; give the folder behind each address."""
    folders = [
        path for path in sorted(SITES.iterdir()) if path.is_dir() and path.name != "LICENSES"
    ]
    with ExitStack() as stack:
        yield {
            stack.enter_context(serve(folder, port and port + number)): folder
            for number, folder in enumerate(folders)
        }


if __name__ == "__main__":
    with serve_all(int(sys.argv[1]) if len(sys.argv) > 1 else 0) as sites:
        for address, folder in sites.items():
            print(f"{folder.name}: {address}", flush=True)
        try:
            input("Press Enter to stop.\n")
        except EOFError:  # no terminal: until the process is ended
            Event().wait()
