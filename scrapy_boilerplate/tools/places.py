"""Files at paths, and at addresses such as ``s3://bucket/name``, which pyarrow opens."""

from __future__ import annotations

import errno
import io
import os
import re
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, Literal
from urllib.parse import unquote
from uuid import uuid4

from scrapy_boilerplate.core.names import why

Place = str | os.PathLike[str]

_REQUEST = 4 << 20  # bytes elsewhere that are read by one request

_AT_A_TIME = 8  # such requests

_INDEX = re.compile(r"(?:\.cdxj(?:\.gz)?|\.parquet|(?:\A|/)cdx-\d{1,9}\.gz)\Z", re.IGNORECASE)


def is_remote(place: Place) -> bool:
    return "://" in os.fspath(place)


def is_store(place: str) -> bool:
    """Return whether *place* is an address that a site store opens by itself."""
    return place.startswith(("redis", "sqlite:", "unix:"))


def is_index(place: str) -> bool:
    return _INDEX.search(place.partition("?")[0]) is not None


def inside(folder: Place, *names: str) -> str:
    """Return the place of a file in a folder.

    >>> inside("s3://bucket/rows/?region=eu-west-1", "a.parquet")
    's3://bucket/rows/a.parquet?region=eu-west-1'
    """
    if not is_remote(folder):
        return os.path.join(folder, *names)
    path, mark, query = os.fspath(folder).partition("?")
    return "/".join([path.rstrip("/"), *names]) + mark + query


def is_folder(place: str) -> bool:
    """Return whether *place* names a folder: one that is there, or a name that ends in a slash."""
    if not is_remote(place):
        return place.endswith(("/", os.sep)) or os.path.isdir(place)
    if place.partition("?")[0].endswith("/"):
        return True
    system, path = located(place)
    return bool(system.get_file_info(path).type.name == "Directory")


def is_special(place: Place) -> bool:
    return os.path.exists(place) and not os.path.isfile(place) and not os.path.isdir(place)


def make_folder(place: Place) -> None:
    if is_remote(place):
        system, path = located(place)
        system.create_dir(path, recursive=True)
    else:
        os.makedirs(place, exist_ok=True)


def file_state(place: Place) -> str:
    """Return what changes when a file is replaced; "" for one that is not there."""
    if is_remote(place):
        system, path = located(place)
        info = system.get_file_info(path)
        # Elsewhere in whole seconds.
        is_file = info.type.name == "File"
        return f"{info.size} bytes, {info.mtime_ns // 10**9}" if is_file else ""
    try:
        found = os.stat(place)
    except OSError:
        return ""
    return f"{found.st_size} bytes, {found.st_mtime_ns}"


def remove(place: Place) -> None:
    if is_remote(place):
        system, path = located(place)
        system.delete_file(path)
    else:
        os.unlink(place)


def read_bytes(place: Place) -> bytes | None:
    try:
        with opened(place) as file:
            return file.read()
    except FileNotFoundError:
        return None


def read_ranges(place: Place, ranges: Iterable[tuple[int, int]]) -> Iterator[bytes]:
    """Yield the bytes at each (offset, length) of a file; elsewhere several are read at a time."""
    if not is_remote(place):
        with opened(place) as file:
            for offset, length in ranges:
                file.seek(offset)
                yield file.read(length)
        return
    system, path = located(place)
    with system.open_input_file(path) as remote, ThreadPoolExecutor(_AT_A_TIME) as threads:
        coming = iter(ranges)
        while some := list(islice(coming, _AT_A_TIME)):
            yield from threads.map(lambda each: remote.read_at(each[1], each[0]), some)


@contextmanager
def opened(place: Place, mode: Literal["rb", "wb"] = "rb") -> Iterator[IO[bytes]]:
    if not is_remote(place):
        if mode == "rb" and is_special(place):
            raise OSError(errno.EINVAL, "it is a pipe or a device", os.fspath(place))
        with open(place, mode) as file:
            yield file
        return
    system, path = located(place)
    if mode == "wb":
        with system.open_output_stream(path) as remote:
            yield remote
        return
    with system.open_input_file(path) as remote, io.BufferedReader(remote, _REQUEST) as file:
        yield file


@contextmanager
def whole_file(place: Place) -> Iterator[IO[bytes]]:
    """Open a file that is at *place* when it is whole; a pipe is written to as it is."""
    if not is_remote(place):
        if is_special(place):
            with opened(place, "wb") as file:
                yield file
            return
        place = os.path.realpath(place)  # a link stays, such as /dev/stdout
    part = _part(place)
    try:
        with opened(part, "wb") as file:
            yield file
            if not is_remote(place):
                file.flush()
                os.fsync(file.fileno())
        if is_remote(place):
            system, path = located(place)
            system.move(located(part)[1], path)
        else:
            os.replace(part, place)
    except BaseException:
        with suppress(OSError, ValueError):
            remove(part)
        raise


def check_writable(place: str) -> None:
    """Raise :exc:`OSError` or :exc:`ValueError` if no file, or no folder, can be written there."""
    if is_folder(place):
        make_folder(place)
        place = inside(place, uuid4().hex)  # which no other run tries at the same time
    if is_remote(place) or not os.path.exists(place):
        part = _part(place)
        try:
            with opened(part, "wb"):
                pass
        except OSError as error:  # of the part, a name that nobody gave
            raise OSError(error.errno, f"cannot write it: {why(error)}", place) from error
        remove(part)


def _part(place: Place) -> str:
    path, mark, query = os.fspath(place).partition("?" if is_remote(place) else "\0")
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name}.{os.getpid()}.part") + mark + query


@contextmanager
def local_copy(place: Place, *, write: bool = False) -> Iterator[str]:
    """Give the path of a file, of one elsewhere a copy; *write* back what stands there then."""
    address = os.fspath(place)
    if not is_remote(place) or is_store(address):
        yield address
        return
    with TemporaryDirectory(prefix="scrapy-boilerplate-") as folder:
        path = os.path.join(folder, "copy")
        data = read_bytes(place)
        if data is not None:
            Path(path).write_bytes(data)
        yield path
        if write:
            with whole_file(place) as file:
                file.write(Path(path).read_bytes())


def located(place: Place) -> tuple[Any, str]:
    """Return the file system of an address, and the path in it; raise :exc:`ValueError`."""
    address = re.sub(r"\As3a(?=://)", "s3", os.fspath(place))
    if not address.startswith("s3://"):
        return _system(address)
    path, mark, query = address[5:].partition("?")
    host, _, path = path.partition("/")
    system, bucket = _system(f"s3://{host}{mark}{query}")
    return system, f"{bucket}/{unquote(path)}".rstrip("/")


@lru_cache(64)  # making one takes requests
def _system(address: str) -> tuple[Any, str]:
    try:
        from pyarrow.fs import FileSystem, FSSpecHandler, PyFileSystem
    except ImportError as error:
        raise ValueError(
            f"{address} needs pyarrow: pip install 'scrapy-boilerplate-removal[parquet]'"
        ) from error
    try:
        return FileSystem.from_uri(address)
    except ValueError as error:  # of a scheme that it does not know
        try:
            from fsspec.core import url_to_fs

            system, path = url_to_fs(address)
        except (ImportError, ValueError):
            raise ValueError(f"cannot open {address}: {error}") from error
    return PyFileSystem(FSSpecHandler(system)), path
