"""Which archives are finished, noted in a folder beside that of the rows.

A run may end at any instant, and several may write to one folder. So a run notes which files it is
about to name (``NAME.json``), and an archive is finished when all of them are there. It looks only
at notes about its own archives. One of which something could not be read is noted, so that its rows
are replaced, but never finished.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, cast

from scrapy_boilerplate.tools.places import (
    Place,
    file_states,
    files_below,
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
    """An archive that is read."""

    path: str
    state: str
    """What changes when it is replaced."""


class Progress:
    """The notes of a folder of *rows*; *how* says what these depend on."""

    def __init__(self, rows: Place, how: Mapping[str, object]) -> None:
        self._rows, self._how, self._folder = rows, how, progress_folder(rows)

    def unfinished(
        self, paths: Mapping[str, str]
    ) -> tuple[dict[str, Archive], dict[str, Mapping[str, Any]]]:
        """Return which archives are to be read, and the reports of the others.

        *paths* are theirs by name. What is there of the first is removed. Raises :exc:`ValueError`
        if rows of one of them were written in another way.
        """
        make_folder(self._folder)
        make_folder(self._rows)
        states = map(Archive, paths.values(), file_states([*paths.values()]))
        archives = dict(zip(paths, states, strict=True))
        finished: dict[str, Mapping[str, Any]] = {}
        places = [path for path in files_in(self._folder) if _name(path).endswith(_NOTE)]
        there = set(files_below(self._rows)) if places else set()
        with ThreadPoolExecutor(_READERS) as threads:
            for path, data in zip(places, threads.map(read_bytes, places), strict=True):
                note = _read_note(path, data)
                if archives.keys().isdisjoint(note["archives"]):
                    continue  # of another run, or another kind
                if self._is_open(path, note, archives) or not there.issuperset(note["files"]):
                    for name in there.intersection(note["files"]):
                        remove(inside(self._rows, *name.split("/")))
                    remove(path)
                else:
                    finished.update(
                        (name, note["archives"][name]["report"])
                        for name in note["archives"].keys() & archives.keys()
                    )
        return {name: each for name, each in archives.items() if name not in finished}, finished

    def _is_open(self, path: str, note: Mapping[str, Any], archives: Mapping[str, Archive]) -> bool:
        """Return whether one of the archives of a note is to be read again."""
        known = note["archives"]
        own = known.keys() & archives.keys()
        for name in own:
            was = {"archive": known[name]["path"], **note["how"]}
            now = {"archive": archives[name].path, **self._how}
            differ = [what for what, value in now.items() if was.get(what) != value]
            if differ:
                raise ValueError(
                    f"{path} belongs to rows with another {', '.join(differ)}; "
                    "choose another output folder, or remove that file and its rows"
                )
        again = {
            name
            for name in own
            if known[name]["state"] != archives[name].state or _is_damaged(known[name]["report"])
        }
        others = known.keys() - own
        if again and others:
            raise ValueError(
                f"{path}: {', '.join(sorted(again))} must be read again, and it shares "
                f"files of rows with {', '.join(sorted(others))}: name these as well"
            )
        return bool(again)

    def begin(
        self, files: Sequence[str], archives: Mapping[str, tuple[Archive, Mapping[str, Any]]]
    ) -> None:
        """Note that *files* are about to appear, with the rows of archives and their reports."""
        noted = {
            name: {**archive._asdict(), "report": report}
            for name, (archive, report) in archives.items()
        }
        note = json.dumps({"how": self._how, "files": files, "archives": noted}, indent=1)
        with whole_file(inside(self._folder, next(iter(archives)) + _NOTE)) as file:
            file.write(note.encode())


def _read_note(path: str, data: bytes | None) -> Mapping[str, Any]:
    """Return a note, an empty one for another kind; raise :exc:`ValueError` if it is damaged."""
    try:
        note = json.loads(data or b"{}")
        if "how" not in note:
            return {"archives": {}}
        "".join([*note["how"].keys(), *note["files"]])
        for archive in note["archives"].values():
            report = archive["report"]
            known = (archive["path"], archive["state"], report["archive"], report["seconds"])
            hash((*known, *report["counts"].keys()))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(
            f"{path} is damaged; remove its folder and that of the rows to start over"
        ) from error
    return cast("Mapping[str, Any]", note)


def _is_damaged(report: Mapping[str, Any]) -> bool:
    """Return whether something of an archive could not be read; a limit is no damage."""
    return any(
        name.startswith("damaged/") and name != "damaged/too_large" for name in report["counts"]
    )


def _name(path: str) -> str:
    return path.partition("?")[0] if is_remote(path) else path
