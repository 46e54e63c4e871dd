"""Names: where others register theirs, and messages that give the nearest right one."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

ENTRY_POINT_GROUP = "scrapy_boilerplate.core.methods"
"""Entry points under which other packages register their methods."""


def nearest(name: object, known: Iterable[str]) -> str | None:
    """Return the known name that is nearest to *name*; ``None`` if none is near.

    >>> nearest("MMS", ["bte", "mss"]), nearest("tag", ["tag_score"])
    ('mss', 'tag_score')
    """
    written = str(name).lower()
    folded = {each.lower(): each for each in known}
    longer = [each for each in folded if len(written) > 2 and each.startswith(written)]
    matches = longer or get_close_matches(written, folded, n=1)
    return folded[matches[0]] if matches else None


def unknown(what: str, name: object, known: Iterable[str]) -> str:
    """Return a message about a wrong name, with the nearest known name or all of them.

    >>> unknown("extractor", "mms", ["bte", "mss"])
    "Unknown extractor 'mms'; did you mean 'mss'?"
    >>> unknown("extractor", "lynx", ["bte", "mss"])
    "Unknown extractor 'lynx'; choose one of: bte, mss"
    """
    names = list(known)
    meant = nearest(name, names)
    hint = f"did you mean {meant!r}?" if meant else f"choose one of: {', '.join(names) or 'none'}"
    return f"Unknown {what} {name!r}; {hint}"


def why(error: BaseException, *, named: bool = False) -> str:
    """Return what an error says; of the system's without its number, and *named*, of which file.

    >>> why(FileNotFoundError(2, "No such file or directory", "a.html"), named=True)
    'a.html: No such file or directory'
    """
    said, file = getattr(error, "strerror", None), getattr(error, "filename", None)
    return (f"{file}: {said}" if named and file else str(said)) if said else str(error)
