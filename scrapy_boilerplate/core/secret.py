"""The secret of this process that decides where keys stand in a hash table."""

from __future__ import annotations

import secrets

SECRET = (secrets.randbits(64), secrets.randbits(64))
"""Two numbers of 64 bits, so that no page can make its texts collide; no answer depends on them."""
