"""What several test modules share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from mockserver import MockServer
from portal import portal
from scrapy import version_info
from scrapy.utils.reactor import install_reactor
from storing import Redis, start_redis

from scrapy_boilerplate.tools.isolation import Mapper

if version_info < (2, 15):  # it makes no crawler without one
    install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")

# No time limit for one example, the machine may be busy; and the same examples on all machines.
# `--hypothesis-profile=search` looks for new ones.
settings.register_profile("suite", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None)
settings.load_profile("suite")


def pytest_configure(config: pytest.Config) -> None:
    """Let pytest-xdist take the files in our order instead of by their number of tests."""
    config.option.loadscopereorder = False


def pytest_xdist_auto_num_workers() -> int:
    """Let ``-n auto`` start more than a worker a processor: tests with processes wait for them."""
    return (os.cpu_count() or 1) + 2


ALONE = "test_limits.py"  # whose tests share nothing


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put files with processes of their own first: they are slow, and none ends a run alone.

    Of the slow tests those of one file come last: with ``--dist loadgroup`` they fill the end.
    """
    is_slow = config.option.markexpr == "slow"
    items.sort(
        key=lambda item: (is_slow and item.path.name == ALONE, not _starts_processes(item.path))
    )
    for item in items:
        if item.path.name != ALONE:
            item.add_marker(pytest.mark.xdist_group(item.path.name))


@cache
def _starts_processes(path: Path) -> bool:
    text = path.read_text(encoding="utf-8")
    return any(name in text for name in ("processes", "subprocess", "mockserver", "portal"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the development data, which is no part of the repository."""
    root = Path(__file__).parent.parent
    data = Path(os.environ.get("BOILERPLATE_SHARED") or root.parent / "shared") / "data"
    if not data.is_dir():
        pytest.skip(f"no development data at {data}; see the variable BOILERPLATE_SHARED")
    return data


@pytest.fixture
def command(capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """A function that calls one of a list of arguments; it gives exit status, output and errors."""

    def call(main: Callable[[list[str]], Any], *arguments: str) -> tuple[int, str, str]:
        try:
            code = main(list(arguments))
        except SystemExit as stop:
            code = int(str(stop.code))
        return (code, *capfd.readouterr())

    return call


class Here(Mapper, AbstractContextManager["Here"]):
    """Takes the place of processes that cost a test a second each until they have started."""

    is_stopped = False

    def __init__(self, make: Callable[..., Callable[[Any], Any]], *args: Any, **_: Any) -> None:
        super().__init__(make, *args)

    def __exit__(self, *error: object) -> None:
        """Nothing has to end."""


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the command line read pages in this process."""
    modules = ["cli.extracting", *(["warc.archive_rows"] if find_spec("fastwarc") else [])]
    for module in modules:
        monkeypatch.setattr(f"scrapy_boilerplate.tools.{module}.Isolated", Here)


@pytest.fixture(scope="session")
def redis_server() -> Iterator[Redis]:
    """A Redis server for all tests of a worker."""
    server = start_redis()
    yield server
    server.stop()


@pytest.fixture(params=["sqlite", "redis"])
def shared_store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty store that several workers may use."""
    if request.param == "redis":
        server: Redis = request.getfixturevalue("redis_server")
        return server.address()
    return str(tmp_path / "folder" / "shared.sqlite")


@pytest.fixture
def urls() -> Iterator[list[str]]:
    """The addresses of a portal: 30 articles and six lists."""
    with MockServer(portal) as server:
        yield [server.url(f"/a{number}") for number in range(30)] + [
            server.url(f"/tag/{number}") for number in range(6)
        ]
