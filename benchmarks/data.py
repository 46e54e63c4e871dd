"""Readers of the labelled page sets: each yields the same :class:`LabelledPage`."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import tldextract


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """One page with the text that a person would extract from it."""

    id: str  # name of the page, unique in its set
    html: bytes = field(repr=False)  # the page as a server sent it
    gold: str = field(repr=False)  # the main content; empty where the page has none
    url: str | None  # address of the page, where it is known
    group: str
    """Pages of one group must not be on both sides of a split: the registered domain, the page
    itself where its address is not known."""
    kind: str
    """Page type of the set: ``article``, ``forum``, …, ``index``; ``page`` where it has none."""
    language: str | None = None  # language code, where the set names one
    site: str | None = None  # name of the site, where the set has many pages of each
    comments: str = field(default="", repr=False)
    """Readers' comments, where the set has them apart from the main content."""


@cache
def _suffixes() -> tldextract.TLDExtract:
    # The list that comes with the package: nothing is fetched, nothing is written.
    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)


def registered_domain(url: str) -> str:
    """Return the registered domain of *url*, or its host where it has none.

    >>> registered_domain("https://news.example.co.uk/a")
    'example.co.uk'
    """
    return _suffixes()(url).top_domain_under_public_suffix or urlsplit(url).hostname or ""


def read(folder: str | Path) -> Iterator[LabelledPage]:
    """Yield the pages of any of the sets, told apart by what the folder holds.

    Raises :exc:`FileNotFoundError` for a folder that holds none of them.
    """
    folder = Path(folder)
    for mark, reader in _READERS.items():
        if (folder / mark).exists():
            return reader(folder)
    if any(folder.glob("*/pages.jsonl")):
        return read_made(folder)
    if listed := sorted(folder.glob("*/gold.jsonl")):
        return chain.from_iterable(read(path.parent) for path in listed)
    raise FileNotFoundError(f"{folder} holds no page set that is known here")


def read_wcxb(folder: str | Path) -> Iterator[LabelledPage]:
    """Yield the pages of the WCXB development set, of seven page types.

    A page without a gold text (a shell that a script fills in) has an empty one.
    """
    for path in sorted(Path(folder, "ground-truth").glob("*.json")):
        label = json.loads(path.read_text(encoding="utf-8"))
        yield LabelledPage(
            id=path.stem,
            html=gunzip(Path(folder, "html", f"{path.stem}.html.gz")),
            gold=label["ground_truth"].get("main_content") or "",
            url=label["url"],
            group=registered_domain(label["url"]),
            kind=label["_internal"]["page_type"]["primary"],
        )


def read_extra(folder: str | Path) -> Iterator[LabelledPage]:
    """Yield the pages of one of the extra sets.

    Addresses are those that the pages name. Where a set names the page's host, that is its site.
    """
    kind = "article" if Path(folder).name in _SETS_OF_ARTICLES else "page"
    for label in rows(Path(folder, "gold.jsonl")):
        html = gunzip(Path(folder, "html", f"{label['id']}.html.gz"))
        url, html = _unwrap(html)
        url, host = url or _declared_url(html), label.get("host")
        known = url if host is None else f"http://{host}/"
        name = f"{Path(folder).name}/{label['id']}"
        yield LabelledPage(
            id=name,
            html=html,
            gold=label["text"],
            url=url,
            group=(known and registered_domain(known)) or name,
            kind=kind,
            language=label.get("language"),
            site=host,
            comments=label.get("comments", ""),
        )


def read_cleaneval(folder: str | Path) -> Iterator[LabelledPage]:
    """Yield the development pages of the CleanEval contest."""
    paths = Path(folder, "GoldStandard").glob("*.txt")
    for path in sorted(paths, key=lambda path: int(path.stem)):
        first, _, gold = _decode(path.read_bytes()).partition("\n")
        url, html = _unwrap(Path(folder, "input", f"{path.stem}.html").read_bytes())
        url = first.partition("URL:")[2].strip() or url
        yield LabelledPage(
            id=path.stem,
            html=html,
            gold=_SEGMENT_MARK.sub("", gold).strip(),
            url=url,
            group=(url and registered_domain(url)) or path.stem,
            kind="page",
            language="en",
        )


def read_sites(folder: str | Path) -> Iterator[LabelledPage]:
    """Yield the pages of one site, in document order."""
    folder = Path(folder)
    for label in rows(folder / "gold.jsonl"):
        yield LabelledPage(
            id=f"{folder.name}/{Path(label['file']).name.partition('.')[0]}",
            html=gunzip(folder / label["file"]),
            gold=label["text"],
            url=label["url"],
            group=folder.name,
            kind=label["kind"],
            language=label["lang"],
            site=folder.name,
        )


def read_made(folder: str | Path) -> Iterator[LabelledPage]:
    """Yield the pages of sites that real software built, in document order.

    Their titles are content. Sites of one generator are one group.
    """
    kinds = {"thread": "forum", "other": "page"}
    for path in sorted(Path(folder).glob("*/pages.jsonl")):
        for label in rows(path):
            title, gold = label["title"] or "", label["gold_text"]
            yield LabelledPage(
                id=f"{label['site']}/{Path(label['file']).name.partition('.')[0]}",
                html=gunzip(path.parent / label["file"]),
                gold=gold if gold.startswith(title) or not gold else f"{title}\n{gold}",
                url=label["url"],
                group=label["generator"],
                kind=kinds.get(label["kind"], label["kind"]),
                language=label["lang"],
                site=label["site"],
                comments="\n".join(comment["text"] for comment in label["comments"]),
            )


_SETS_OF_ARTICLES = ("articles-2012", "articles-zh", "news-2008", "news-2011")

_READERS: dict[str, Callable[[Path], Iterator[LabelledPage]]] = {
    "ground-truth": read_wcxb,
    "GoldStandard": read_cleaneval,
    "pages": read_sites,
    "html": read_extra,
}

# `<p>`, `<h>`, `<l>` open a segment and are never closed. No quantifier, no backtracking.
_SEGMENT_MARK = re.compile(r"<[phl]>", re.IGNORECASE)
# The contest's wrapper around a page. The classes exclude what ends them: no backtracking.
_WRAPPER = re.compile(rb'\s*<text id="([^"]*)"[^>]*>\s*')
_LINK = re.compile(rb"<(?:link|meta|base)\s[^>]*>", re.IGNORECASE)
_NAMES_PAGE = re.compile(rb"""canonical|og:url|<base\s""", re.IGNORECASE)
_ADDRESS = re.compile(rb"""(?:href|content)\s*=\s*["']?(https?://[^"'\s>]+)""", re.IGNORECASE)


def _unwrap(html: bytes) -> tuple[str | None, bytes]:
    """Take off the contest's ``<text id="URL" …>`` around the page."""
    match = _WRAPPER.match(html)
    if match is None:
        return None, html
    body = html[match.end() :].rstrip().removesuffix(b"</text>")
    return match[1].decode("latin-1"), body


def _declared_url(html: bytes) -> str | None:
    """Return the address that a page gives as its own, in a canonical link or ``base``."""
    for tag in _LINK.findall(html):
        address = _ADDRESS.search(tag) if _NAMES_PAGE.search(tag) else None
        if address is not None:
            return address[1].decode("latin-1")
    return None


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def gunzip(path: Path) -> bytes:
    with gzip.open(path) as file:
        return file.read()


def rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def fold_models(folder: Path | None) -> dict[str, str]:
    """Return for each page id the model of a fold that saw no page of its domain."""
    if folder is None:
        return {}
    named: dict[str, str] = json.loads((folder / "folds.json").read_text(encoding="utf-8"))
    return {page: str(folder / name) for page, name in named.items()}


def sample(pages: Sequence[LabelledPage], size: int | None) -> list[LabelledPage]:
    """Return the *size* pages whose ids hash lowest, in the order they came; all for ``None``.

    These are the same pages on every machine, whatever their order in the folder.
    """
    if size is None or size >= len(pages):
        return list(pages)
    chosen = {page.id for page in sorted(pages, key=_hash)[:size]}
    return [page for page in pages if page.id in chosen]


def _hash(page: LabelledPage) -> bytes:
    return blake2b(page.id.encode(), digest_size=8).digest()
