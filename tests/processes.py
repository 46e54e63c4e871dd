"""Runs Python commands in processes that have imported Scrapy and this package already.

Importing takes a second of each process that a test starts. So one process imports for all tests
of a worker, and forks for each command. What runs is a process like any other: it has its own
memory and environment, can be killed, and ends as Python ends. What a test says of imports, hash
seeds, or what else the interpreter reads when it starts needs :mod:`subprocess` itself.
"""

from __future__ import annotations

import atexit
import builtins
import gc
import importlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from types import CodeType, ModuleType
from typing import Any, NamedTuple

from scrapy_boilerplate.tools.testing.timing import PATIENCE

IMPORTED = (
    *("scrapy.cmdline", "scrapy.crawler", "scrapy.core.downloader.handlers.http11"),
    *("scrapy.extensions.feedexport", "twisted.web.client", "sqlite3", "attrs", "pydantic"),
    *("scrapy_boilerplate.plugin.addon", "scrapy_boilerplate.plugin.extensions"),
    *("scrapy_boilerplate.tools.cli", "scrapy_boilerplate.tools.report.extension"),
)
LONGEST = 1 << 18  # most bytes of the arguments and the environment of a command


def run(
    command: Sequence[object],
    *,
    cwd: os.PathLike[str] | str | None = None,
    env: Mapping[str, str] | None = None,
    input: str = "",
    check: bool = False,
    together: bool = False,
    timeout: float = PATIENCE,
) -> subprocess.CompletedProcess[str]:
    """Run a Python command as ``subprocess.run`` does; return what it wrote, as text.

    *together*: errors, too, are in what it wrote to its output.
    """
    words = [str(word) for word in command]
    if not hasattr(socket, "send_fds"):
        return subprocess.run(
            words,
            cwd=cwd,
            env=env,
            input=input,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if together else subprocess.PIPE,
            text=True,
            check=check,
            timeout=timeout,
        )
    assert words[0] == sys.executable
    request = {"words": words[1:], "cwd": str(cwd or Path.cwd()), "env": dict(env or os.environ)}
    with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
        given.write(input.encode())
        given.seek(0)
        ours, theirs = socket.socketpair()
        with ours, ours.makefile() as answers:
            with theirs:
                files: list[Any] = [theirs, given, out, out if together else err]
                message = json.dumps(request).encode()
                socket.send_fds(_importer(), [message], [file.fileno() for file in files])
            ours.settimeout(timeout)
            pid = int(answers.readline())
            try:
                status = int(answers.readline())
            except TimeoutError:
                os.kill(pid, signal.SIGKILL)
                raise subprocess.TimeoutExpired(words, timeout) from None
        for file in (out, err):
            file.seek(0)
        done = subprocess.CompletedProcess(words, status, out.read().decode(), err.read().decode())
    if check:
        done.check_returncode()
    return done


@cache
def _importer() -> socket.socket:
    """Start the process that imports; return what it hears."""
    ours, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
    command = [sys.executable, __file__, str(theirs.fileno())]
    process = subprocess.Popen(command, pass_fds=[theirs.fileno()])
    theirs.close()

    def stop() -> None:
        ours.close()
        process.wait()

    atexit.register(stop)
    return ours


# -- crawls ----------------------------------------------------------------------------------------


class Crawled(NamedTuple):
    """What a crawl has left in the files that begin with its output's name."""

    items: list[dict[str, Any]]
    stats: dict[str, Any]
    log: str
    status: int = 0
    errors: str = ""


def spider(name: str, arguments: object, output: Path, settings: object = None) -> list[str]:
    """Return the command that has a spider of ``crawl.py`` run; warnings are errors in it."""
    script = str(Path(__file__).with_name("crawl.py"))
    words = [name, json.dumps(arguments), str(output), json.dumps(settings or {})]
    return [sys.executable, "-W", "error", script, *words]


def crawled(output: Path, done: subprocess.CompletedProcess[str] | None = None) -> Crawled:
    """Read what a crawl has left."""
    feed, stats, log = (
        path.read_text() if (path := output.with_suffix(end)).exists() else ""
        for end in (".jsonl", ".json", ".log")
    )
    found = Crawled([*map(json.loads, feed.splitlines())], json.loads(stats or "{}"), log)
    return found if done is None else found._replace(status=done.returncode, errors=done.stderr)


# -- the process that imports ----------------------------------------------------------------------


def serve(requests: socket.socket) -> list[str] | None:
    """Fork for each request; return what to run, in a process of its own, or None at the end."""
    for name in IMPORTED:
        importlib.import_module(name)
    assert "twisted.internet.reactor" not in sys.modules  # which is for the command to choose
    gc.freeze()
    while True:
        message, files, _, _ = socket.recv_fds(requests, LONGEST, 4)
        with suppress(ChildProcessError):  # if there is none left; their time counts as ours
            while os.waitpid(-1, os.WNOHANG if message else 0)[0]:
                pass
        if not message:
            return None
        if os.fork() == 0:
            requests.close()
            return _watched(json.loads(message), *files)
        for file in files:
            os.close(file)


def _watched(request: dict[str, Any], answers: int, *files: int) -> list[str]:
    """Fork once more: one process tells how the other ends, which returns what it is to run."""
    pid = os.fork()
    if pid:
        os.write(answers, f"{pid}\n".encode())
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os.write(answers, f"{status}\n".encode())
        os._exit(0)
    os.close(answers)
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    random.seed()
    words: list[str] = request["words"]
    while words[:1] == ["-W"]:
        sys.warnoptions.append(words[1])
        action, _, category = words[1].partition("::")
        warnings.simplefilter(action, getattr(builtins, category or "Warning"))
        del words[:2]
    return words


def execute(words: list[str]) -> None:
    """Run a command as the interpreter does: a script, ``-c`` or ``-m``."""
    main = ModuleType("__main__")
    main.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = main
    code: CodeType
    if words[0] == "-c":
        sys.argv[:], sys.path[0] = ["-c", *words[2:]], ""
        code = compile(words[1], "<string>", "exec")
    elif words[0] == "-m":
        import runpy

        sys.argv[:], sys.path[0] = words[1:], os.getcwd()
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        return
    else:
        sys.argv[:], sys.path[0] = words, str(Path(words[0]).resolve().parent)
        main.__file__ = words[0]
        code = compile(Path(words[0]).read_bytes(), words[0], "exec")
    exec(code, main.__dict__)


if __name__ == "__main__":
    asked = serve(socket.socket(fileno=int(sys.argv[1])))
    if asked is not None:
        execute(asked)
