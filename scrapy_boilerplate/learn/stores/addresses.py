"""Addresses of stores, as they may be shown."""

from __future__ import annotations

import re

# One class and one fixed mark each, the first one from the start: no backtracking.
_CREDENTIALS = re.compile(r"\A([A-Za-z+]*:?/*)(?=[^@]*@).*@", re.DOTALL)
_SECRET = re.compile(r"([?&][^=&]*(?:pass|user|auth|token|secret|key)[^=&]*=)[^&]*", re.IGNORECASE)


def shown_address(address: str) -> str:
    """Return an address without user, password and secret options, also if it is mistyped.

    >>> shown_address("redis://:secret@host:6379/0"), shown_address("redis:/me:se/cret@host")
    ('redis://***@host:6379/0', 'redis:/***@host')
    >>> shown_address("redis://host/0?password=secret&db=1"), shown_address("sites.sqlite")
    ('redis://host/0?password=***&db=1', 'sites.sqlite')
    """
    return _SECRET.sub(r"\1***", _CREDENTIALS.sub(r"\1***@", address))
