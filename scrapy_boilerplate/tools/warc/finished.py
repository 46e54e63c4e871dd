"""Which archives are finished, noted in a folder beside that of the rows.

A run may end at any instant, and several may write to one folder. So a run notes which file it is
about to name (``NAME.json``), and an archive is finished when that is there. One of which something
could not be read is noted, so that its rows are replaced, but never finished.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, cast

from scrapy_boilerplate.tools.places import (
    Place,
    file_state,
    inside,
    is_remote,
    make_folder,
    read_bytes,
    remove,
    whole_file,
)

_NOTE = ".json"
_LEARNED = "learned"  # the archives from which sites were learned
_READERS = 16


def progress_folder(rows: Place) -> str:
    """Return the folder for notes and learned sites of a folder of *rows*.

    It stands beside it, so that readers of the rows find nothing else.

    >>> progress_folder("s3://bucket/rows/?region=eu-west-1")
    's3://bucket/rows.progress?region=eu-west-1'
    """
    if not is_remote(rows):
        return f"{os.path.abspath(rows)}.progress"
    path, mark, query = os.fspath(rows).partition("?")
    scheme, _, rest = path.rstrip("/").partition("://")
    name = f"{rest}.progress" if "/" in rest else f"{rest}/_progress"  # a bucket has no sibling
    return f"{scheme}://{name}{mark}{query}"


def by_name(paths: Iterable[Place]) -> dict[str, str]:
    """Return archives by the name of their files; raise :exc:`ValueError` if two have the same."""
    archives: dict[str, str] = {}
    for each in paths:
        path = os.fspath(each)
        name = (path.partition("?")[0] if is_remote(path) else path).rstrip("/").rpartition("/")[2]
        for suffix in (".gz", ".zst", ".warc", ".wacz", ".cdxj", ".parquet"):
            name = name.removesuffix(suffix)
        if archives.setdefault(name, path) != path:
            raise ValueError(
                f"{path} and {archives[name]} have the same name; use different output folders"
            )
    return archives


class Archive(NamedTuple):
    path: str
    state: str  # what changes when it is replaced


def unfinished(
    rows: Place, how: Mapping[str, object], paths: Mapping[str, str]
) -> tuple[dict[str, Archive], dict[str, Mapping[str, Any]]]:
    """Return which archives, by name, are to be read, and the reports of the others.

    Raises :exc:`ValueError` if there are rows of one that depend on something else than *how* says.
    """
    folder = progress_folder(rows)
    make_folder(folder)
    make_folder(rows)
    places = {name: inside(folder, name + _NOTE) for name in paths}
    finished: dict[str, Mapping[str, Any]] = {}
    with ThreadPoolExecutor(_READERS) as threads:
        states = map(Archive, paths.values(), threads.map(file_state, paths.values()))
        archives = dict(zip(paths, states, strict=True))
        notes = threads.map(read_bytes, places.values())
        for (name, place), data in zip(places.items(), notes, strict=True):
            if data is None:
                continue
            note = _read_note(place, data)
            was, now = {"archive": note["path"], **note["how"]}, {"archive": paths[name], **how}
            differ = [what for what, value in now.items() if was.get(what) != value]
            if differ:
                raise ValueError(
                    f"{place} belongs to rows with other options ({', '.join(differ)}); "
                    "choose another output folder, or remove that file and its rows"
                )
            file = inside(rows, note["file"])
            is_there = bool(file_state(file))
            if note["state"] != archives[name].state or _is_damaged(note["report"]):
                if is_there:
                    remove(file)
                remove(place)
            elif is_there:
                finished[name] = note["report"]
    return {name: each for name, each in archives.items() if name not in finished}, finished


def note_learned(rows: Place, archives: Iterable[str]) -> None:
    known = sorted({*learned(rows), *archives})
    with whole_file(inside(progress_folder(rows), _LEARNED)) as file:
        file.write(json.dumps(known, indent=1).encode())


def learned(rows: Place) -> set[str]:
    """Return the archives from which a run has learned; raise :exc:`ValueError` for its note."""
    place = inside(progress_folder(rows), _LEARNED)
    try:
        return set(json.loads(read_bytes(place) or b"[]"))
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError(f"{place} is damaged; remove it to learn from all archives") from error


def note_file(
    rows: Place, how: Mapping[str, object], file: str, archive: Archive, report: Mapping[str, Any]
) -> None:
    note = {"how": how, "file": file, **archive._asdict(), "report": report}
    name = file.rpartition(".")[0] + _NOTE
    with whole_file(inside(progress_folder(rows), name)) as noted:
        noted.write(json.dumps(note, indent=1).encode())


def _read_note(place: str, data: bytes) -> Mapping[str, Any]:
    try:
        note = json.loads(data)
        report = note["report"]
        "".join([note["file"], note["path"], note["state"], report["archive"], *note["how"].keys()])
        hash((report["seconds"], *report["counts"].keys()))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(
            f"{place} is damaged; remove its folder and that of the rows to start over"
        ) from error
    return cast("Mapping[str, Any]", note)


def _is_damaged(report: Mapping[str, Any]) -> bool:
    """Return whether something of an archive could not be read; a limit is no damage."""
    return any(
        name.startswith("damaged/") and name != "damaged/too_large" for name in report["counts"]
    )
