"""A store in Redis, for workers on many machines."""

from __future__ import annotations

from collections.abc import Callable
from time import time
from typing import Any, TypeVar

from scrapy_boilerplate.learn.options import FREEZE_PAGES
from scrapy_boilerplate.learn.stores import (
    MOST_STORE_BYTES,
    STATES,
    Answer,
    Changes,
    SiteStore,
    StoreError,
    shown_address,
)

PREFIX = "scrapy_boilerplate:1:"  # of every key; the number is the version of what they hold
# When each state was written, as a sorted set; and the bytes of all states.
WRITTEN, SIZE = (f"{PREFIX}{name}" for name in ("states_written", "states_size"))

_EVICT = """
local size = redis.call('EXISTS', KEYS[3]) == 1 and redis.call('INCRBY', KEYS[3], ARGV[2])
if not size or redis.call('HLEN', KEYS[1]) ~= redis.call('ZCARD', KEYS[2]) then
    size = 0  -- the first state, or the server was short of memory and has evicted a key
    for _, site in ipairs(redis.call('HKEYS', KEYS[1])) do
        redis.call('ZADD', KEYS[2], 'NX', 0, site)
        size = size + redis.call('HSTRLEN', KEYS[1], site)
    end
    for _, site in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
        if redis.call('HEXISTS', KEYS[1], site) == 0 then redis.call('ZREM', KEYS[2], site) end
    end
    redis.call('SET', KEYS[3], size)
end
while size > tonumber(ARGV[1]) do
    local oldest = redis.call('ZPOPMIN', KEYS[2])[1]
    if not oldest then break end
    size = redis.call('DECRBY', KEYS[3], redis.call('HSTRLEN', KEYS[1], oldest))
    redis.call('HDEL', KEYS[1], oldest)
end
"""
"""Adds the bytes of a change, then deletes the states written first until all take few enough."""

T = TypeVar("T")


class RedisStore(SiteStore):
    """Keeps states in hashes of a Redis database, by site.

    Merging is optimistic: if another worker writes the same site meanwhile, it is tried again.
    Needs the extra ``redis``.
    """

    def __init__(
        self, address: str, pages: int = FREEZE_PAGES, max_bytes: int = MOST_STORE_BYTES
    ) -> None:
        super().__init__(pages, max_bytes)
        try:
            import redis
            from redis.backoff import NoBackoff
            from redis.retry import Retry
        except ImportError as error:
            raise StoreError(
                "A site store in Redis needs the redis package: "
                "pip install 'scrapy-boilerplate-removal[redis]'"
            ) from error
        self._errors = redis.RedisError, UnicodeError
        retry = Retry(NoBackoff(), 1)  # after a lost connection; the address may set others
        try:
            self._redis: Any = redis.Redis.from_url(
                address, socket_timeout=10, socket_connect_timeout=10, retry=retry
            )
        except ValueError:  # whose text may hold a part of the password
            raise StoreError(
                f"{shown_address(address)!r} is not the URL of a Redis database; write "
                "redis://user:password@host:port/database, with %23, %2F, %3F and %40 for #, /, ? "
                "and @ in a password"
            ) from None
        try:
            answer = self._do(self._redis.ping)
        except (AttributeError, TypeError, ValueError, RecursionError):
            answer = None
        if answer is not True:  # redis-py 6 returns False for other answers
            raise StoreError(f"{shown_address(address)} is no Redis database")

    def _do(self, call: Callable[..., T], *values: Any) -> T:
        try:
            return call(*values)
        except self._errors as error:
            raise StoreError(f"Redis: {error}") from error

    def _get(self, table: str, site: str) -> Any:
        return self._do(self._redis.hget, PREFIX + table, site)

    def _sites(self) -> list[str]:
        return [
            key.decode(errors="replace") for key in self._do(self._redis.hkeys, PREFIX + STATES)
        ]

    def _change(
        self, decide: Callable[[str], tuple[Answer, Changes]], *sites: str
    ) -> dict[str, Answer]:
        # A field of a hash cannot be watched: these keys stand for them.
        watched = [f"{PREFIX}written:{site}" for site in sites]

        def write(pipe: Any) -> dict[str, Answer]:
            made = {site: decide(site) for site in sites}
            before = {site: pipe.hstrlen(PREFIX + STATES, site) for site in sites}
            pipe.multi()
            for site, (_, changes) in made.items():
                self._write(pipe, site, changes, before[site])
            for key in watched:
                pipe.set(key, 1, ex=60)
            return {site: answer for site, (answer, _) in made.items()}

        return self._do(lambda: self._redis.transaction(write, *watched, value_from_callable=True))

    def _write(self, pipe: Any, site: str, changes: Changes, before: int) -> None:
        """Add to a pipe what changes of a site whose state took so many bytes."""
        for table, value in changes.items():
            if value is None:
                pipe.hdel(PREFIX + table, site)
            else:
                pipe.hset(PREFIX + table, site, value)
        if STATES in changes:
            pipe.zrem(WRITTEN, site)
            state = changes[STATES] or b""
            if state:
                pipe.zadd(WRITTEN, {site: time()})
            keys = PREFIX + STATES, WRITTEN, SIZE
            pipe.eval(_EVICT, len(keys), *keys, self._max_bytes, len(state) - before)

    def close(self) -> None:
        """Close the connection."""
        self._redis.close()
