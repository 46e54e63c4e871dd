"""Reads the addresses that stand on pages, of which some are none."""

from __future__ import annotations

from urllib.parse import SplitResult, urljoin, urlsplit


def joined(base: str, value: str) -> str:
    """Return the absolute address of *value* on a page; an empty one where that cannot be told.

    >>> joined("https://a.example/b", "c"), joined("https://a.example/b", "http://[c")
    ('https://a.example/c', '')
    """
    try:
        return urljoin(base, value)
    except ValueError:  # such as a bracket that is not closed
        return ""


def parts_of(address: str) -> SplitResult:
    """Divide an address into its parts; all are empty where that cannot be told.

    >>> parts_of("https://a.example/b").path, parts_of("http://[c").path
    ('/b', '')
    """
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")
