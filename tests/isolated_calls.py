"""Functions for processes of their own that do what a call says: crash, hang, raise, or answer.

They are no part of a test's module, of which each process would import all that it imports.
"""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path


class Shout:
    """Answers in capitals, except where it is told otherwise."""

    def __init__(self, mark: str = "") -> None:
        if mark == "broken":
            raise ValueError("no model")
        self.mark = mark

    def __call__(self, word: str) -> str:
        if word == "hang":
            time.sleep(3600)
        if word == "loop":
            re.match("(a*)*b", "a" * 99)  # which keeps the interpreter's lock
        if word == "raise":
            raise ValueError("no such page")
        if word == "die":
            os.abort()
        if word == "end":
            os._exit(0)
        if word.startswith("kill"):
            mark = Path(word.removeprefix("kill").strip() or "/")
            if not mark.exists() or mark == Path("/"):
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)
        if word == "greedy":
            return str(len(bytearray(1 << 34)))
        if word == "pid":
            time.sleep(0.02)  # so that one process alone cannot answer all before others begin
            return str(os.getpid())
        return word.upper() + self.mark


class Odd:
    """Answers with what is no plain value."""

    def __call__(self, word: str) -> object:
        return Shout() if word == "odd" else word


class KilledAtStart:
    """Is killed as often as there are marks, and then says what it gets."""

    def __init__(self, folder: str) -> None:
        for mark in Path(folder).iterdir():
            mark.unlink()
            os.kill(os.getpid(), signal.SIGKILL)

    def __call__(self, word: str) -> str:
        return word
