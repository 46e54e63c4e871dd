"""Which archives are finished, noted in a folder beside that of the rows.

A run may end at any instant, and several may write to one folder. So a run notes which files it is
about to name before they appear (``NAME.begun``), and the archives as finished after that
(``NAME.json``). It looks only at notes about its own archives.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from scrapy_boilerplate.tools.places import (
    Place,
    file_state,
    files_below,
    files_in,
    inside,
    is_remote,
    make_folder,
    read_bytes,
    remove,
    whole_file,
)

_BEGUN, _FINISHED = ".begun", ".json"
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


class Progress:
    """The archives of one run that earlier runs have finished, and notes for later ones.

    *archives* are paths by name, *how* says what rows depend on. Raises :exc:`ValueError` if rows
    of one of the archives were written in another way.
    """

    def __init__(self, rows: Place, archives: Mapping[str, str], how: Mapping[str, object]) -> None:
        self._rows, self._archives, self._how = rows, archives, how
        self._folder = progress_folder(rows)
        make_folder(self._folder)
        make_folder(rows)
        self._states = dict.fromkeys(archives, "")
        with ThreadPoolExecutor(_READERS) as threads:
            states = threads.map(file_state, archives.values())
            self._states = dict(zip(archives, states, strict=True))
        self.finished: dict[str, Mapping[str, Any]] = {}
        """The reports of archives that need not be read again."""
        self._read_notes()

    def _read_notes(self) -> None:
        paths = [
            path for path in files_in(self._folder) if _name(path).endswith((_BEGUN, _FINISHED))
        ]
        there = set(files_below(self._rows)) if paths else set()
        with ThreadPoolExecutor(_READERS) as threads:
            for path, data in zip(paths, threads.map(read_bytes, paths), strict=True):
                note = json.loads(data or b"{}")
                if "how" not in note or self._archives.keys().isdisjoint(note["archives"]):
                    continue  # of another run, or another kind
                missing = [name for name in note["files"] if name not in there]
                if _name(path).endswith(_BEGUN) or missing or self._has_changed(path, note):
                    for name in {*note["files"]} - {*missing}:
                        remove(inside(self._rows, *name.split("/")))
                    remove(path)
                else:
                    self.finished.update(
                        (name, note["archives"][name]["report"])
                        for name in note["archives"].keys() & self._archives.keys()
                    )

    def _has_changed(self, path: str, note: Mapping[str, Any]) -> bool:
        """Return whether an archive of a finished note has been replaced since."""
        known = note["archives"]
        for name in known.keys() & self._archives.keys():
            was = {"archive": known[name]["path"], **note["how"]}
            now = {"archive": self._archives[name], **self._how}
            differ = [what for what, value in now.items() if was.get(what) != value]
            if differ:
                raise ValueError(
                    f"{path} belongs to rows with another {', '.join(differ)}; "
                    "choose another output folder, or remove that file and its rows"
                )
        changed = {n for n in known if n in self._states and known[n]["state"] != self._states[n]}
        others = known.keys() - self._archives.keys()
        if changed and others:
            raise ValueError(
                f"{path}: {', '.join(sorted(changed))} has changed, and shares files of rows with "
                f"{', '.join(sorted(others))}: name these, too"
            )
        return bool(changed)

    def begin(self, files: Sequence[str], reports: Mapping[str, Mapping[str, Any]]) -> None:
        """Note that *files* are about to appear, with the rows of the archives of *reports*."""
        archives = {
            name: {"path": self._archives[name], "state": self._states[name], "report": report}
            for name, report in reports.items()
        }
        self._note = json.dumps({"how": self._how, "files": files, "archives": archives}, indent=1)
        self._name = next(iter(reports))
        self._write(self._name + _BEGUN)

    def finish(self) -> None:
        """Note that all of them are there."""
        self._write(self._name + _FINISHED)
        remove(inside(self._folder, self._name + _BEGUN))

    def _write(self, name: str) -> None:
        with whole_file(inside(self._folder, name)) as file:
            file.write(self._note.encode())


def _name(path: str) -> str:
    return path.partition("?")[0] if is_remote(path) else path
