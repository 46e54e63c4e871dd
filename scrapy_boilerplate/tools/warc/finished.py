"""Which archives are finished, noted in a folder beside that of the rows.

A run may end at any instant, and several may write to one folder. So a run notes which file it is
about to name (``NAME.json``), and an archive is finished when that is there. One of which something
could not be read is noted, so that its rows are replaced, but never finished.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, cast

from scrapy_boilerplate.tools.places import (
    Place,
    file_state,
    files_in,
    inside,
    is_remote,
    make_folder,
    read_bytes,
    remove,
    whole_file,
)

_NOTE = ".json"
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


class Archive(NamedTuple):
    path: str
    state: str  # what changes when it is replaced


class Progress:
    """The notes of a folder of *rows*; *how* says what these depend on."""

    def __init__(self, rows: Place, how: Mapping[str, object]) -> None:
        self._rows, self._how, self._folder = rows, how, progress_folder(rows)

    def unfinished(
        self, paths: Mapping[str, str]
    ) -> tuple[dict[str, Archive], dict[str, Mapping[str, Any]]]:
        """Return which archives, by name, are to be read, and the reports of the others."""
        make_folder(self._folder)
        make_folder(self._rows)
        left: dict[str, Archive] = {}
        finished: dict[str, Mapping[str, Any]] = {}
        noted = {name.removesuffix(_NOTE) for name in files_in(self._folder)} & paths.keys()
        there = set(files_in(self._rows)) if noted else set()
        places = {name: inside(self._folder, name + _NOTE) for name in noted}
        with ThreadPoolExecutor(_READERS) as threads:
            states = threads.map(file_state, paths.values())
            notes = dict(zip(places, threads.map(read_bytes, places.values()), strict=True))
            for (name, path), state in zip(paths.items(), states, strict=True):
                archive = left[name] = Archive(path, state)
                if name not in noted:
                    continue
                place, note = places[name], _read_note(places[name], notes[name])
                self._check(place, note, archive)
                is_there = note["file"] in there
                if note["state"] != state or _is_damaged(note["report"]):
                    if is_there:
                        remove(inside(self._rows, note["file"]))
                    remove(place)
                elif is_there:
                    finished[name] = note["report"]
                    del left[name]
        return left, finished

    def _check(self, place: str, note: Mapping[str, Any], archive: Archive) -> None:
        """Raise :exc:`ValueError` if a note is of rows that were written in another way."""
        was = {"archive": note["path"], **note["how"]}
        now = {"archive": archive.path, **self._how}
        differ = [what for what, value in now.items() if was.get(what) != value]
        if differ:
            raise ValueError(
                f"{place} belongs to rows with another {', '.join(differ)}; "
                "choose another output folder, or remove that file and its rows"
            )

    def begin(self, name: str, file: str, archive: Archive, report: Mapping[str, Any]) -> None:
        """Note that *file* is about to appear, with the rows of an archive and its report."""
        note = {"how": self._how, "file": file, **archive._asdict(), "report": report}
        with whole_file(inside(self._folder, name + _NOTE)) as noted:
            noted.write(json.dumps(note, indent=1).encode())


def _read_note(place: str, data: bytes | None) -> Mapping[str, Any]:
    """Return a note; raise :exc:`ValueError` if it is damaged."""
    try:
        note = json.loads(data or b"")
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
