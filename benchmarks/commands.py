"""What the commands share: arguments whose paths are looked at before any work, and processes."""

from __future__ import annotations

import os
from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


def command(doc: str | None) -> ArgumentParser:
    """Return a parser that describes its command as the module's *doc* does."""
    return ArgumentParser(description=doc, formatter_class=RawDescriptionHelpFormatter)


def a_folder(name: str) -> Path:
    """Return a folder that is there."""
    if not os.path.isdir(name):
        raise ArgumentTypeError(f"there is no folder {name}")
    return Path(name)


def a_file(name: str) -> Path:
    """Return a file that is there."""
    if not os.path.isfile(name):
        raise ArgumentTypeError(f"there is no file {name}")
    return Path(name)


def new_folder(name: str) -> Path:
    """Return a folder to write into; it is made if it is not there."""
    try:
        os.makedirs(name, exist_ok=True)
    except OSError as error:
        raise ArgumentTypeError(f"cannot make the folder {name}: {error.strerror}") from error
    if not os.access(name, os.W_OK):
        raise ArgumentTypeError(f"cannot write into the folder {name}")
    return Path(name)


def new_file(name: str) -> Path:
    """Return a file to write; its folder is made if it is not there."""
    path = Path(name)
    new_folder(str(path.parent))
    if path.is_dir():
        raise ArgumentTypeError(f"{name} is a folder, not a file")
    return path


def in_processes(
    work: Callable[[Task], Result], tasks: Sequence[Task], processes: int
) -> list[Result]:
    """Return what *work* makes of each task, so many at a time; any function will do."""
    if processes == 1:
        return list(map(work, tasks))
    _shared.append((work, tasks))  # forked processes see what is there when they start
    with get_context("fork").Pool(processes) as pool:
        results = pool.map(_work, range(len(tasks)), chunksize=1)
    _shared.pop()
    return results


_shared: list[tuple[Callable[[Any], Any], Sequence[Any]]] = []


def _work(number: int) -> Any:
    work, tasks = _shared[-1]
    return work(tasks[number])
