"""What to say of a wrong name: the nearest right one, or all of them."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["nearest", "unknown"]


def nearest(name: object, known: Iterable[str]) -> str | None:
    """Return the known name that *name* was most likely meant to be, ``None`` if none is near.

    >>> nearest("MMS", ["bte", "mss"]), nearest("tag", ["tag_score"])
    ('mss', 'tag_score')
    """
    written = str(name).lower()
    folded = {each.lower(): each for each in known}
    longer = [each for each in folded if len(written) > 2 and each.startswith(written)]
    matches = get_close_matches(written, folded, n=1) or longer
    return folded[matches[0]] if matches else None


def unknown(what: str, name: object, known: Iterable[str]) -> str:
    """Say that there is no such name, and which is meant or which there are.

    >>> unknown("extractor", "mms", ["bte", "mss"])
    "Unknown extractor 'mms'; did you mean 'mss'?"
    >>> unknown("extractor", "lynx", ["bte", "mss"])
    "Unknown extractor 'lynx'; choose one of: bte, mss"
    """
    names = list(known)
    meant = nearest(name, names)
    hint = f"did you mean {meant!r}?" if meant else f"choose one of: {', '.join(names) or 'none'}"
    return f"Unknown {what} {name!r}; {hint}"
