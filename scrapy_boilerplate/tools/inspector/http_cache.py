"""The pages of a site that Scrapy's HTTP cache holds on disk. Nothing is unpickled."""

from __future__ import annotations

import ast
import os
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from w3lib.encoding import http_content_type_encoding
from w3lib.http import headers_raw_to_dict

from scrapy_boilerplate.learn.keys import KeyFunction
from scrapy_boilerplate.learn.samples import SAMPLE
from scrapy_boilerplate.tools.inspector.session import StoredPage

MOST_LOOKED_AT = 20_000
"""Most responses whose address is read, to find those of one site."""

_MOST_BODY_BYTES = 50_000_000  # of a page, unpacked
_GZIP = b"\x1f\x8b"
_GZIP_OR_ZLIB = 47  # for zlib: whichever of the two it is


def cached_pages(folder: Path, url: str, key: KeyFunction) -> Iterator[StoredPage]:
    """Yield pages of the site of *url* from the folder of ``FilesystemCacheStorage``, at most 100.

    Responses that are no HTML, that failed, or that are packed in another way than gzip or deflate
    are left out, and so is what cannot be read. *key* makes a site's key from an address.
    """
    site = key(url)
    # The files that tell the addresses: spider, two digits of the fingerprint, all of it.
    metas = islice(folder.glob("*/??/*/meta"), MOST_LOOKED_AT)
    found = (_page(meta.parent, site, key) for meta in metas)
    return islice((page for page in found if page is not None and page.url != url), SAMPLE)


def _page(folder: Path, site: str, key: KeyFunction) -> StoredPage | None:
    try:
        told = ast.literal_eval(_bytes(folder / "meta").decode())
        url = str(told["response_url"])
        if told["status"] != 200 or key(url) != site:
            return None
        sent = headers_raw_to_dict(_bytes(folder / "response_headers")) or {}
        headers = {name.lower(): values[-1] for name, values in sent.items() if values}
        kind = headers.get(b"content-type", b"").decode("latin-1")
        body = _unpacked(
            _bytes(folder / "response_body"), headers.get(b"content-encoding", b"identity")
        )
    except (OSError, EOFError, ValueError, KeyError, TypeError, SyntaxError, zlib.error):
        return None
    if body is None or "html" not in kind.lower():
        return None
    return StoredPage(url, body, url, http_content_type_encoding(kind))


def _bytes(path: Path) -> bytes:
    """Return what a file holds, which the cache may have packed (``HTTPCACHE_GZIP``)."""
    if os.path.getsize(path) > _MOST_BODY_BYTES:
        raise ValueError("too large")
    data = path.read_bytes()
    is_packed = (path.parent / "meta").read_bytes().startswith(_GZIP)
    return _inflated(data) if is_packed else data


def _unpacked(body: bytes, encoding: bytes) -> bytes | None:
    """Return a body without its content encoding; ``None`` if that is not known here."""
    name = encoding.strip().lower()
    if name in (b"gzip", b"x-gzip", b"deflate"):
        return _inflated(body)
    return body if name == b"identity" else None


def _inflated(data: bytes) -> bytes:
    unpacked = zlib.decompressobj(_GZIP_OR_ZLIB).decompress(data, _MOST_BODY_BYTES)
    if not unpacked:
        raise ValueError("nothing in it")
    return unpacked
