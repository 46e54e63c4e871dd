"""A store in Redis, for workers on many machines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from time import time
from typing import Any, TypeVar

from scrapy_boilerplate.learn.model import SiteModel
from scrapy_boilerplate.learn.options import FREEZE_PAGES
from scrapy_boilerplate.learn.stores import MOST_BYTES, SiteStore, StoreError
from scrapy_boilerplate.learn.stores.addresses import shown_address

PREFIX = "scrapy_boilerplate:1:"
"""Begins every key; the number is the version of what the keys hold."""

STATES, RULES, FORGOTTEN = (f"{PREFIX}{name}" for name in ("states", "rules", "forgotten"))

WRITTEN, SIZE = (f"{PREFIX}{name}" for name in ("states_written", "states_size"))
"""When each state was written, as a sorted set; and the bytes of all states."""

_EVICT = """
local size = tonumber(redis.call('GET', KEYS[3]) or '0')
while size > tonumber(ARGV[1]) do
    local oldest = redis.call('ZPOPMIN', KEYS[2])[1]
    if not oldest then break end
    size = redis.call('DECRBY', KEYS[3], redis.call('HSTRLEN', KEYS[1], oldest))
    redis.call('HDEL', KEYS[1], oldest)
end
"""

T = TypeVar("T")


class RedisStore(SiteStore):
    """Keeps states in hashes of a Redis database, by site.

    Merging is optimistic: if another worker writes the same site meanwhile, it is tried again.
    Needs the extra ``redis``.
    """

    def __init__(
        self, address: str, pages: int = FREEZE_PAGES, max_bytes: int = MOST_BYTES
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
        self._errors = redis.RedisError
        # One more try after a connection that was lost, and no pause before it. The address may set
        # others.
        retry = Retry(NoBackoff(), 1)
        try:
            self._redis: Any = redis.Redis.from_url(
                address, socket_timeout=10, socket_connect_timeout=10, retry=retry
            )
        except ValueError:  # whose text may hold a part of the password
            raise StoreError(
                f"{shown_address(address)!r} is not the address of a Redis database; write "
                "redis://user:password@host:port/database, with %23, %2F, %3F and %40 for #, /, ? "
                "and @ in a password"
            ) from None
        self._do(self._redis.ping)

    def _do(self, call: Callable[..., T], *values: Any) -> T:
        try:
            return call(*values)
        except self._errors as error:
            raise StoreError(f"Redis: {error}") from error

    def _state(self, site: str) -> bytes | None:
        state: bytes | None = self._do(self._redis.hget, STATES, site)
        return state

    def _generation(self, site: str) -> int:
        return int(self._do(self._redis.hget, FORGOTTEN, site) or 0)

    def _transaction(self, site: str, write: Callable[[Any], T]) -> T:
        """Read and write what is there of *site*, again if another worker writes it meanwhile."""
        # A field of a hash cannot be watched: this key stands for it.
        written = f"{PREFIX}written:{site}"

        def write_all(pipe: Any) -> T:
            answer = write(pipe)
            pipe.set(written, 1, ex=60)
            return answer

        answer: T = self._do(
            lambda: self._redis.transaction(write_all, written, value_from_callable=True)
        )
        return answer

    def save(self, site: str, state: bytes) -> bytes:
        """Merge *state* with what is there of *site*."""

        def write(pipe: Any) -> bytes:
            union, is_new = self._merged(site, state)
            before = pipe.hstrlen(STATES, site)
            pipe.multi()
            if is_new:
                pipe.hset(STATES, site, union)
                pipe.zadd(WRITTEN, {site: time()})
                pipe.incrby(SIZE, len(union) - before)
            return union

        union = self._transaction(site, write)
        self._do(self._redis.eval, _EVICT, 3, STATES, WRITTEN, SIZE, self._max_bytes)
        return union

    def sites(self) -> Iterator[str]:
        """Yield the sites that have a state, sorted."""
        return iter(sorted(key.decode() for key in self._do(self._redis.hkeys, STATES)))

    def forget(self, site: str) -> bool:
        """Remove state and rule of *site*; return whether there was any."""

        def write(pipe: Any) -> bool:
            known = bool(pipe.hexists(STATES, site) or pipe.hexists(RULES, site))
            generation = self._next_generation(site)
            before = pipe.hstrlen(STATES, site)
            pipe.multi()
            if known:
                pipe.hdel(STATES, site)
                pipe.zrem(WRITTEN, site)
                pipe.decrby(SIZE, before)
                pipe.hdel(RULES, site)
                pipe.hset(FORGOTTEN, site, generation)
            return known

        return self._transaction(site, write)

    def rules(self) -> dict[str, SiteModel]:
        """Return the rules that were written by hand, by site."""
        rules = self._do(self._redis.hgetall, RULES)
        return self._read_rules((site.decode(), form) for site, form in sorted(rules.items()))

    def save_rule(self, rule: SiteModel) -> None:
        """Store a rule in place of the present one."""
        form = json.dumps(rule.to_dict(), ensure_ascii=False)
        self._do(self._redis.hset, RULES, rule.site, form)

    def close(self) -> None:
        """Close the connection."""
        self._redis.close()
