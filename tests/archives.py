"""Records and archives for tests, written byte by byte so that they can also be wrong.

Also the environment of commands that meet a method which fails on some of them.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from pathlib import Path
from typing import Any

HTML = "Content-Type: text/html; charset=utf-8\r\n"
PARAGRAPH = "This is the text of page {}, which is long enough to be kept by any method at all. "


def page(number: int) -> bytes:
    text = PARAGRAPH.format(number) * 3
    return f"<title>Page {number}</title><h1>Page {number}</h1><p>{text}".encode()


def http(body: bytes, headers: str = HTML, status: str = "200 OK") -> bytes:
    return f"HTTP/1.1 {status}\r\n{headers}\r\n".encode("latin-1") + body


def record(
    number: int,
    block: bytes | None = None,
    *,
    kind: str = "response",
    length: int | None = None,
    headers: str | None = "Content-Type: application/http; msgtype=response\r\n",
    url: str | None = None,
) -> bytes:
    block = http(page(number)) if block is None else block
    url = url or f"https://a.example/{number}"
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{number:08}>\r\n"
        f"WARC-Date: 2026-01-02T03:04:05Z\r\nWARC-Target-URI: {url}\r\n{headers}"
        f"Content-Length: {len(block) if length is None else length}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def packed(records: list[bytes], how: str) -> bytes:
    """Return an archive: ``plain``, a gzip member or ``zstd`` frame a record, ``one`` member."""
    if how == "zstd":
        from scrapy_boilerplate.tools.warc.http_bodies import zstd

        return b"".join(map(zstd.compress, records))
    if how == "members":
        return b"".join(gzip.compress(each, 6, mtime=0) for each in records)
    data = b"".join(records)
    return gzip.compress(data, 6, mtime=0) if how == "one" else data


def environment_with(packages: Path, method: str) -> dict[str, str]:
    """Return the environment of a process that knows another package's *method* by its name."""
    known = packages / "other-1.dist-info"
    known.mkdir()
    (known / "METADATA").write_text("Name: other\nVersion: 1\n")
    (known / "entry_points.txt").write_text(f"[scrapy_boilerplate.core.methods]\n{method}\n")
    path = [str(packages), str(Path(__file__).parent), *filter(None, sys.path)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path)}


def indexed(
    folder: Path, hosts: tuple[str, str] = ("www.one.example", "two.example")
) -> list[dict[str, Any]]:
    """Write two archives of pages of two hosts; return what an index says of their records."""
    entries = []
    for name in ("b", "a"):
        data = b""
        for n in range(6):
            url = f"https://{hosts[n % 2]}/{name}{n}"
            one = packed([record(n + 10 * (name == "b"), url=url)], "members")
            entry = {"url": url, "status": "200", "mime": "text/html", "offset": len(data)}
            entry |= {"languages": "eng,deu" if n < 2 else "nld", "length": len(one)}
            entries.append({**entry, "filename": f"crawl/{name}.warc.gz"})
            data += one
        (folder / "crawl").mkdir(parents=True, exist_ok=True)
        (folder / "crawl" / f"{name}.warc.gz").write_bytes(data)
    return entries[::-1]


def index_of(entries: list[dict[str, Any]], path: Path) -> str:
    """Write an index of these records, in the form that the name of the file says."""
    if path.suffix == ".parquet":
        import pyarrow as pa  # of an extra
        import pyarrow.parquet as pq

        columns = {
            "url_host_name": [entry["url"].split("/")[2] for entry in entries],
            "fetch_status": pa.array([int(entry["status"]) for entry in entries], pa.int16()),
            "content_mime_detected": [entry["mime"] for entry in entries],
            "content_languages": [entry["languages"] for entry in entries],
            "warc_filename": [entry["filename"] for entry in entries],
            "warc_record_offset": pa.array([entry["offset"] for entry in entries], pa.int64()),
            "warc_record_length": pa.array([entry["length"] for entry in entries], pa.int64()),
        }
        pq.write_table(pa.table(columns), path)
        return str(path)
    lines = [f"example,one)/x 20260102030405 {json.dumps(entry)}\n" for entry in entries]
    text = "".join(["!meta 0 \n", *lines]).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return str(path)
