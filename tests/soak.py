"""Soak test: ``python -m tests.soak --minutes 60``, and ``--plain`` for Scrapy without the add-on.

Each round crawls fifty hosts. Every third page has one of the seventeen faults of ``FAULTS``. The
crawl is stopped or killed at random instants, or killed so many times (``--kills``), and resumed
until it ends by itself; then every item that a callback has returned is looked for in what the item
pipelines have delivered. A round
depends on the seed and its number, apart from the instants. What is wrong is listed, and the
folder of its round is kept.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from threading import Event, Lock, Thread
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]  # the tests import one another by name

from generated_sites import Made, Site

HOSTS = [f"127.0.1.{number}" for number in range(1, 51)]
PAGES = 16
"""Pages a host."""
HANGS = 600
"""Seconds after which a crawl hangs."""
STOPS: dict[str, list[int]] = {
    "SIGKILL": [signal.SIGKILL],
    "Ctrl-C": [signal.SIGINT],
    "Ctrl-C twice": [signal.SIGINT, signal.SIGINT],
    "SIGTERM": [signal.SIGTERM],
}


# -- the server ------------------------------------------------------------------------------


class Handler(BaseHTTPRequestHandler):
    """Answers ``/NUMBER`` on each host, with the page's fault if it has one."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server

    def do_GET(self) -> None:
        """Answer with the page of this host and number."""
        host = self.headers["Host"].partition(":")[0]
        number = int(re.sub(r"\D", "", self.path) or 0)
        fault = self.server.round.fault(host, number)
        FAULTS[fault](self, self.server.round.page(host, number).html.encode())

    def reply(
        self, body: bytes, content_type: str = "text/html", status: int = 200, **headers: str
    ) -> None:
        """Send a whole answer."""
        self.send_response(status)
        for name, value in {"Content-Type": content_type, **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        if "Content_Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write nothing."""


def cut_short(handler: Handler, body: bytes) -> None:
    """Promise more bytes than come."""
    handler.reply(body, Content_Length=str(len(body) + 1000))
    handler.close_connection = True


def once_busy(handler: Handler, body: bytes) -> None:
    """Answer 503 to the first request."""
    first = handler.server.first_time(handler.headers["Host"] + handler.path)
    handler.reply(body, status=503 if first else 200)


def slowly(handler: Handler, body: bytes) -> None:
    """Send the body in pieces."""
    handler.reply(body[:200], Content_Length=str(len(body)))
    for start in range(200, len(body), 1500):
        handler.wfile.flush()
        time.sleep(0.3)
        handler.wfile.write(body[start : start + 1500])


def stall(handler: Handler, _: bytes) -> None:
    """Never answer."""
    handler.server.stopped.wait(60)
    handler.close_connection = True


def elsewhere(handler: Handler, _: bytes) -> None:
    """Redirect to a sound page of another host."""
    port = handler.server.server_address[1]
    handler.reply(b"", status=302, Location=f"http://{HOSTS[0]}:{port}/1000")


def hangs_up(handler: Handler, body: bytes) -> None:
    """Promise more than is sent, and close the connection."""
    handler.reply(body[:100], Content_Length=str(len(body)))
    handler.connection.shutdown(2)


BOMB = gzip.compress(b"<p>a " * 2_000_000)
DEEP = b"<div>" * 5000 + b"deep down there are some words to be read</div>"
ODD = rb"<p>\ud800 some words \udc00 \x00\x01 and \u200b others</p>" * 20
WIDE = b"<p " + b" ".join(b"a%d=1" % n for n in range(10_000)) + b" class='" + b"x" * 1_000_000

FAULTS: dict[str, Callable[[Handler, bytes], None]] = {
    "": Handler.reply,
    "hangs up": hangs_up,
    "cut short": cut_short,
    "error 500": lambda handler, body: handler.reply(body, status=500),
    "busy once": once_busy,
    "redirect loop": lambda handler, _: handler.reply(b"", status=302, Location=handler.path),
    "redirect to another host": elsewhere,
    "slow": slowly,
    "never answers": stall,
    "empty": lambda handler, _: handler.reply(b""),
    "false charset": lambda handler, body: handler.reply(body, "text/html; charset=utf-16"),
    "an image": lambda handler, _: handler.reply(b"\x89PNG\r\n\x1a\n" + os.urandom(2000)),
    "cut gzip": lambda handler, body: handler.reply(
        gzip.compress(body)[:-40], Content_Encoding="gzip"
    ),
    "bomb": lambda handler, _: handler.reply(BOMB, Content_Encoding="gzip"),
    "deep": lambda handler, body: handler.reply(body + DEEP),
    "lone surrogates": lambda handler, _: handler.reply(ODD, "text/html; charset=unicode_escape"),
    "wide": lambda handler, body: handler.reply(body + WIDE + b"'>wide"),
    "JSON": lambda handler, _: handler.reply(b'{"text": "no page"}'),
}


_AS_MADE = {"", "slow", "busy once", "deep"}
"""Faults with which the text of the page is there."""


class Server(ThreadingHTTPServer):
    """All hosts of a round."""

    request_queue_size = 256
    daemon_threads = True

    def __init__(self, made: Round) -> None:
        super().__init__(("0.0.0.0", 0), Handler)
        self.round = made
        self.stopped = Event()
        self.asked: set[str] = set()
        self.lock = Lock()
        Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def first_time(self, address: str) -> bool:
        """Return whether *address* is asked for the first time."""
        with self.lock:
            first = address not in self.asked
            self.asked.add(address)
        return first

    def handle_error(self, request: object, client_address: object) -> None:
        """Print what went wrong, unless the other side has hung up."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)

    def stop(self) -> None:
        """Let go of those who wait, and close."""
        self.stopped.set()
        self.shutdown()
        self.server_close()


# -- a round ---------------------------------------------------------------------------------


@dataclass
class Round:
    """Which page has which fault, and when the crawl is stopped."""

    seed: int
    number: int
    plain: bool
    kills: int
    folder: Path
    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    megabytes: float = 0

    def fault(self, host: str, number: int) -> str:
        """Return the name of the page's fault, ``""`` for two pages in three."""
        random = Random(f"{self.seed} {self.number} {host} {number}")
        faulty = number < PAGES and random.random() < 1 / 3
        return random.choice(list(FAULTS)[1:]) if faulty else ""

    def page(self, host: str, number: int) -> Made:
        """Return the page as its host has made it, before any fault."""
        site = Site(host, seed=HOSTS.index(host), container=f"story{HOSTS.index(host) % 5}")
        return site.tag_page(number) if number % 8 == 7 else site.article(number)

    def run(self) -> None:
        """Crawl, stop, resume, and look at what came out."""
        server = Server(self)
        try:
            urls = [
                f"http://{host}:{server.server_address[1]}/{number}"
                for number in range(PAGES)
                for host in HOSTS
            ]
            (self.folder / "urls").write_text("\n".join(urls))
            random = Random(f"{self.seed} {self.number}")
            stops = random.choices(list(STOPS), k=random.randint(1, 4))
            for stop in [*(stops if not self.kills else ["SIGKILL"] * self.kills), ""]:
                self.crawl(stop, random.uniform(0.1, 1.5 if self.kills else 12))
        finally:
            server.stop()
        self.look()

    def crawl(self, stop: str, after: float) -> None:
        """Run the crawl until it ends by itself or *after* seconds, then *stop* it."""
        self.counts["runs"] += 1
        program = [sys.executable, str(ROOT / "tests" / "soak_crawl.py"), str(self.folder)]
        logs = len(list(self.folder.glob("*.log")))
        child = subprocess.Popen([*program, "plain" if self.plain else "learning"])
        self.wait_for(lambda: len(list(self.folder.glob("*.log"))) > logs)
        if self.kills and stop:  # when it delivers, so that it comes on
            before = len(_lines(self.folder / "delivered"))
            self.wait_for(lambda: len(_lines(self.folder / "delivered")) > before, child.pid)
        pid, status, usage = _wait(child.pid, after if stop else HANGS)
        if pid == 0 and stop:
            self.counts[stop] += 1
            for number in STOPS[stop]:
                os.kill(child.pid, number)
                time.sleep(0.2)
            pid, status, usage = _wait(child.pid, HANGS)
        if pid == 0:
            self.wrong.append("a crawl hangs")
            child.kill()
            os.wait4(child.pid, 0)
            return
        child.returncode = os.waitstatus_to_exitcode(status)
        self.megabytes = max(self.megabytes, usage.ru_maxrss / 1024)
        if stop in {"SIGKILL", "Ctrl-C twice"}:  # Scrapy's queue on disk does not survive these
            shutil.rmtree(self.folder / "job" / "requests.queue", ignore_errors=True)
            (self.folder / "job" / "requests.seen").unlink(missing_ok=True)
        elif child.returncode:
            self.wrong.append(f"a crawl ends with status {child.returncode}")

    def wait_for(self, is_so: Callable[[], bool], pid: int = 0) -> None:
        """Wait until something is so, for a minute at most, or a process has ended."""
        for _ in range(3000):
            if is_so() or (pid and os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)):
                break
            time.sleep(0.02)

    def look(self) -> None:
        """Count what the callbacks returned, and what has come of it."""
        returned = _lines(self.folder / "returned")
        items = [json.loads(line) for line in _lines(self.folder / "delivered")]
        delivered = Counter(url for url, _ in items)
        log = "".join(path.read_text(errors="replace") for path in self.folder.glob("*.log"))
        self.counts["pages with an item"] += len(set(returned))
        self.counts["pages parsed again"] += len(returned) - len(set(returned))
        self.counts["items delivered"] += len(items)
        self.counts["lost"] += len(set(returned) - set(delivered))
        self.counts["twice"] += len(items) - len(delivered)
        self.counts["sound pages never seen"] += sum(
            not self.fault(*_address(url)) and url not in delivered
            for url in (self.folder / "urls").read_text().split()
        )
        self.counts["another page's text"] += sum(not self.is_own(*item) for item in items)
        found = re.findall(r"\n\S+ \S+ \[(scrapy_boilerplate\S*)\] (?:ERROR|CRITICAL): (.*)", log)
        self.wrong += [f"{name}: {message}" for name, message in found]
        self.counts["lines of the plugin in tracebacks"] += log.count("/scrapy_boilerplate/")
        limits = ["lost", "twice", "another page's text"]
        self.wrong += [f"{name}: {self.counts[name]}" for name in limits if self.counts[name]]

    def is_own(self, url: str, text: str) -> bool:
        """Return whether an article's text is that of its own page; other pages have any."""
        host, number = _address(url)
        if self.plain or number >= PAGES or self.fault(host, number) not in _AS_MADE:
            return True
        own = self.page(host, number).gold
        return not own or own.split("\n\n")[3][:60] in text


def _wait(pid: int, seconds: float) -> tuple[int, int, Any]:
    """Wait for a child; the first value is 0 if it still runs after *seconds*."""
    until = time.monotonic() + seconds
    while True:
        found = os.wait4(pid, os.WNOHANG)
        if found[0] or time.monotonic() > until:
            return found
        time.sleep(0.02)


def _address(url: str) -> tuple[str, int]:
    """Return the host and number of an address."""
    host, path = url.removeprefix("http://").split("/", 1)
    return host.partition(":")[0], int(path)


def _lines(path: Path) -> list[str]:
    """Return the whole lines of a file, which a kill may have cut."""
    lines = path.read_text().splitlines(keepends=True) if path.exists() else []
    return [line[:-1] for line in lines if line.endswith("\n")]


# -- the command -----------------------------------------------------------------------------


def main() -> int:
    """Soak, print the counts, and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.soak", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first round")
    parser.add_argument("--rounds", type=int, default=10**9, help="at most so many")
    parser.add_argument("--kills", type=int, default=0, help="SIGKILLs of each crawl")
    parser.add_argument("--plain", action="store_true", help="without the add-on")
    options = parser.parse_args()
    total: Counter[str] = Counter()
    wrong: list[str] = []
    megabytes: list[float] = []
    until = time.monotonic() + 60 * options.minutes
    for number in range(options.first, options.first + options.rounds):
        if time.monotonic() > until:
            break
        folder = Path(tempfile.mkdtemp(prefix=f"soak-{number}-"))
        made = Round(options.seed, number, options.plain, options.kills, folder)
        made.run()
        total.update(made.counts, rounds=1)
        megabytes.append(made.megabytes)
        wrong += [f"round {number}: {line} ({folder})" for line in made.wrong]
        if not made.wrong:
            shutil.rmtree(folder)
        print(f"round {number}: {dict(made.counts)}", *made.wrong, sep="\n  ", flush=True)
    for name, count in sorted(total.items()):
        print(f"{name:34} {count:8}")
    print(
        f"most memory of a crawl: first round {megabytes[0]:.0f} MB, most {max(megabytes):.0f} MB"
    )
    print(*wrong, sep="\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
