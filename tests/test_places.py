"""Outputs at addresses: rows go to an object store, whole or not at all."""

from __future__ import annotations

import json
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from archives import http, packed, record

for name in ("fastwarc", "pyarrow", "moto"):
    pytest.importorskip(name, reason=f"{name} is not installed; see the extra 'test-scale'")

import pyarrow.parquet as pq
from pyarrow.fs import FileSystem

from scrapy_boilerplate.tools.cli import main
from scrapy_boilerplate.tools.places import check_writable, file_state, inside, whole_file
from scrapy_boilerplate.tools.warc.finished import progress_folder

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning"),
]


class Faults:
    """Lets requests to an object store fail."""

    def __init__(self, app: Callable[..., Iterable[bytes]]) -> None:
        self._app = app
        self.asked = 0
        self.kind: Callable[[str, str, int], str] = lambda *_: ""
        """Says by method, path and number of a request how it fails, if it does."""

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterator[bytes]:
        self.asked += 1
        kind = self.kind(environ["REQUEST_METHOD"], environ["PATH_INFO"], self.asked)
        if kind in ("500 Internal Server Error", "503 Slow Down"):
            start(kind, [("Content-Length", "0")])
        elif kind == "reset":
            raise ConnectionResetError
        else:
            body = b"".join(self._app(environ, start))
            if kind == "slow":
                time.sleep(0.1)
            yield body[: len(body) // 2] if kind == "cut" else body


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    """Start an object store on this machine."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    assert server._server is not None
    server._server.app = Faults(server._server.app)
    yield server
    server.stop()


@pytest.fixture
def faults(server: Any) -> Iterator[Faults]:
    yield server._server.app
    server._server.app.kind = lambda *_: ""


@pytest.fixture(scope="module")
def bucket(server: Any) -> str:
    """Return the address of a bucket, with its options."""
    host, port = server.get_host_and_port()
    options = f"endpoint_override={host}:{port}&scheme=http&allow_bucket_creation=true"
    system, path = FileSystem.from_uri(f"s3://key:secret@rows/?{options}")
    system.create_dir(path)
    return f"s3://key:secret@rows/?{options.partition('&allow')[0]}"


@pytest.fixture
def archives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    for name, numbers in (("a", range(3)), ("b", range(3, 5))):
        path = tmp_path / f"{name}.warc.gz"
        path.write_bytes(packed([record(number) for number in numbers], "members"))
    return ["a.warc.gz", "b.warc.gz"]


def run(*arguments: str) -> int:
    return main(["extract", "--extractor", "mss", "-j", "1", "-q", *arguments])


def names(folder: str) -> list[str]:
    from pyarrow.fs import FileSelector

    system, path = FileSystem.from_uri(folder)
    found = system.get_file_info(FileSelector(path, recursive=True))
    return sorted(info.path.partition("/")[2] for info in found if info.type.name == "File")


def stored(bucket: str, folder: str, data: dict[str, bytes]) -> list[str]:
    places = [inside(bucket, folder, name) for name in data]
    for place, each in zip(places, data.values(), strict=True):
        with whole_file(place) as file:
            file.write(each)
    return places


@pytest.mark.parametrize("learn", [[], ["--learn-sites"]])
def test_a_folder_of_an_object_store(
    bucket: str, archives: list[str], tmp_path: Path, learn: list[str]
) -> None:
    folder = inside(bucket, f"folder{len(learn)}", "")
    arguments = ("--format", "parquet", *learn, "-o", folder)
    assert run(archives[0], *arguments) == 0
    assert run(*archives, *arguments) == 0
    found = [each.partition("/")[2] for each in names(folder)]
    assert found == ["a.parquet", "b.parquet"]
    beside = [each.partition("/")[2] for each in names(progress_folder(folder))]
    assert ("sites.sqlite" in beside) == bool(learn)
    system, path = FileSystem.from_uri(inside(folder, "b.parquet"))
    assert pq.read_table(path, filesystem=system).num_rows == 2
    assert sorted(each.name for each in tmp_path.iterdir()) == archives


@pytest.mark.parametrize("format", ["jsonl", "parquet", "text"])
def test_a_file_of_an_object_store(
    bucket: str, archives: list[str], tmp_path: Path, format: str
) -> None:
    place = inside(bucket, f"all.{format}")
    assert run(*archives, "--format", format, "-o", place) == 0
    assert int(file_state(place).split()[0]) > 300
    assert sorted(each.name for each in tmp_path.iterdir()) == archives
    if format == "text":
        folder = inside(bucket, "pages", "")
        assert run(archives[0], "-o", folder) == 0
        assert names(folder) == [f"pages/a.example_{number}.txt" for number in range(3)]


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
@pytest.mark.parametrize(
    ("place", "status"), [("nowhere/rows", 1), ("nowhere/rows/", 1), ("foo://bucket/rows/", 2)]
)
def test_where_nothing_can_be_written_no_page_is_read(
    bucket: str,
    archives: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    format: str,
    place: str,
    status: int,
) -> None:
    if status == 1:
        place = bucket.replace("rows/", place, 1)
    Path("bad.warc.gz").write_bytes(b"junk")
    assert run("bad.warc.gz", *archives, "--format", format, "-o", place) == status
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "bad.warc.gz" not in error
    assert sorted(each.name for each in tmp_path.iterdir()) == [*archives, "bad.warc.gz"]


def test_half_a_file_is_never_there(bucket: str) -> None:
    place = inside(bucket, "half.jsonl")

    def fail() -> None:
        with whole_file(place) as file:
            file.write(json.dumps({"a": 1}).encode())
            raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        fail()
    assert file_state(place) == ""
    assert not [name for name in names(bucket) if "half" in name]
    check_writable(place)
    assert file_state(place) == ""


def test_archives_at_an_address_with_options(
    bucket: str, archives: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    places = stored(bucket, "in", {name: Path(name).read_bytes() for name in archives})
    folder = inside(bucket, "of-addresses", "")
    arguments = ["extract", *places, "--extractor", "mss", "--format", "parquet", "-o", folder]
    assert main(arguments) == 0
    assert names(folder) == ["of-addresses/a.parquet", "of-addresses/b.parquet"]
    as_spark_has_it = folder.replace("s3:", "s3a:", 1)
    assert file_state(inside(as_spark_has_it, "a.parquet"))
    assert main(arguments) == 0
    assert "2 archives finished before" in capsys.readouterr().err


def urls(folder: str) -> Counter[str]:
    """Return how often the rows of a folder have each address."""
    system, path = FileSystem.from_uri(folder)
    table = pq.read_table(path, filesystem=system) if names(folder) else {"url": []}
    return Counter(map(str, table["url"]))


KINDS = ("500 Internal Server Error", "503 Slow Down", "reset", "cut", "slow")


def test_faults_of_an_object_store_lose_and_double_no_row(
    bucket: str, faults: Faults, capsys: pytest.CaptureFixture[str]
) -> None:
    """What fails once is asked again; of what fails always a line tells, and the next run goes on.

    First no rows of an archive can be written, then no notes; then a fifth of all requests fails.
    """
    bodies = [os.urandom(300_000).hex().encode() for _ in range(8)]  # of more than one request
    large = [record(n, http(b"<p>A few words. " + body)) for n, body in enumerate(bodies)]
    small = {f"{n}.warc.gz": packed([record(100 + n)], "members") for n in range(2)}
    places = stored(bucket, "faulty", {"large.warc": packed(large, "plain"), **small})
    folder = inside(bucket, "faulty-out", "")
    drawn = random.Random(1)

    def refused(part: str) -> Callable[[str, str, int], str]:
        return lambda method, path, _: (
            KINDS[1] if method in ("PUT", "POST") and part in path else ""
        )

    def now_and_then(*_: object) -> str:
        return drawn.choice(KINDS) if drawn.random() < 0.2 else ""

    for kind in (refused("/.1.parquet"), refused("progress/.1"), now_and_then):
        faults.kind = kind
        status = run(*places, "--format", "parquet", "-o", folder)
        faults.kind = lambda *_: ""
        assert bool(capsys.readouterr().err.strip()) == (status == 1) == (kind != now_and_then)
        assert set(urls(folder).values()) <= {1}
    expected = {f"https://a.example/{n}" for n in (*range(8), 100, 101)}
    assert urls(folder) == dict.fromkeys(expected, 1)


@pytest.mark.parametrize("kind", [KINDS[1], "cut"])
def test_an_archive_that_an_object_store_does_not_give_costs_itself_only(
    bucket: str, faults: Faults, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data = {f"{n}.warc.gz": packed([record(n)], "members") for n in range(3)}
    places = stored(bucket, f"only-{kind[:3]}", data)
    folder = inside(bucket, f"only-out-{kind[:3]}", "")
    faults.kind = lambda method, path, _: (
        kind if (method, path[-9:]) == ("GET", "1.warc.gz") else ""
    )
    assert run(*places, "--format", "parquet", "-o", folder) == 1
    assert "1.warc.gz" in capsys.readouterr().err
    # What could not be read is a row without an address.
    assert set(urls(folder)) == {"https://a.example/0", "https://a.example/2", "None"}
    faults.kind = lambda *_: ""
    assert run(*places, "--format", "parquet", "-o", folder) == 0
    assert urls(folder) == {f"https://a.example/{n}": 1 for n in range(3)}
