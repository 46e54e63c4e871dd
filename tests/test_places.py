"""Outputs at addresses: rows go to an object store, whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from archives import packed, record

for name in ("fastwarc", "pyarrow", "moto"):
    pytest.importorskip(name, reason=f"{name} is not installed; see the extra 'test-scale'")

import pyarrow.parquet as pq
from pyarrow.fs import FileSystem

from scrapy_boilerplate.tools.cli import main
from scrapy_boilerplate.tools.places import (
    check_writable,
    file_states,
    files_in,
    inside,
    whole_file,
)
from scrapy_boilerplate.tools.warc.finished import progress_folder

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning"),
]


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """Start an object store on this machine; return the address of a bucket, with its options."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    options = f"endpoint_override={host}:{port}&scheme=http&allow_bucket_creation=true"
    system, path = FileSystem.from_uri(f"s3://key:secret@rows/?{options}")
    system.create_dir(path)
    yield f"s3://key:secret@rows/?{options.partition('&allow')[0]}"
    server.stop()


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
    assert int(file_states([place])[0].split()[0]) > 300
    assert sorted(each.name for each in tmp_path.iterdir()) == archives


def test_a_file_a_page(bucket: str, archives: list[str]) -> None:
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
    assert file_states([place]) == [""]
    assert not [name for name in names(bucket) if "half" in name]
    check_writable(place)
    assert file_states([place]) == [""]


def test_a_listing_says_of_files_what_each_of_them_says(bucket: str) -> None:
    places = [inside(bucket, "listed", f"a b{number}.warc") for number in range(12)]
    for number, place in enumerate(places[:-1]):
        with whole_file(place) as file:
            file.write(bytes(number))
    found = file_states(places)
    assert found == [file_states([place])[0] for place in places]
    assert [state.partition(" ")[0] for state in found] == [*map(str, range(11)), ""]


def test_archives_at_an_address_with_options(
    bucket: str, archives: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    places = [inside(bucket, "in", name) for name in archives]
    for place, name in zip(places, archives, strict=True):
        with whole_file(place) as file:
            file.write(Path(name).read_bytes())
    folder = inside(bucket, "of-addresses", "")
    assert run(*places, "--format", "parquet", "-o", folder) == 0
    assert names(folder) == ["of-addresses/a.parquet", "of-addresses/b.parquet"]
    assert (
        main(["extract", "--extractor", "mss", *places, "--format", "parquet", "-o", folder]) == 0
    )
    assert "2 archives finished before" in capsys.readouterr().err


def test_an_address_as_spark_has_it(bucket: str) -> None:
    folder = bucket.replace("rows/", "rows/by-spark/")
    with whole_file(inside(folder, "one")) as file:
        file.write(b"1")
    of_spark = folder.replace("s3:", "s3a:", 1)
    assert files_in(of_spark) == [inside(of_spark, "one")]
