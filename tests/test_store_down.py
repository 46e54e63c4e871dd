"""A store that fails, hangs or is slow costs a crawl neither time nor its bounds."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from pathlib import Path
from threading import Event
from time import monotonic

import pytest
from storing import METHOD, SITE, Redis, learner, page, start_redis, state

from scrapy_boilerplate.learn import SiteLearner, StateError
from scrapy_boilerplate.learn.stores import StoreError, open_store
from scrapy_boilerplate.learn.stores.queued import QueuedStore, StoreExchange


class Memory:
    """A store in memory that fails for some sites, and hangs until it is told to go on."""

    def __init__(self, failing: str = "") -> None:
        self.states: dict[str, bytes] = {}
        self.failing = failing
        self.goes = Event()
        self.goes.set()
        self.asked = 0
        self.batches: list[int] = []
        self.closed = False

    def load(self, site: str) -> bytes | None:
        self.asked += 1
        self.goes.wait(60)
        return self.states.get(site)

    def save(self, site: str, state: bytes) -> bytes:
        self.goes.wait(60)
        if self.failing and site.startswith(self.failing):
            raise StoreError(f"no room for {site}")
        self.states[site] = state
        return state

    def save_all(self, states: Mapping[str, bytes]) -> dict[str, bytes]:
        self.batches.append(len(states))
        before = dict(self.states)
        try:
            return {site: self.save(site, state) for site, state in states.items()}
        except StoreError:
            self.states = before
            raise

    def close(self) -> None:
        self.closed = True


def observe(learner: SiteLearner, *sites: str) -> None:
    for site in sites:
        shown = page(0, site)
        learner.observe(shown, METHOD.extract(shown))


HOSTS = [f"host-{number:03}.example" for number in range(60)]


def test_bounds_hold_while_the_store_fails() -> None:
    worker = SiteLearner(store=Memory(failing="host"), max_sites=10)
    observe(worker, *HOSTS)
    assert len(worker.memory) == 10
    assert worker.memory.evicted == 50
    with pytest.raises(StoreError, match="no room for host"):
        worker.flush()


def test_one_failing_site_keeps_no_other_from_being_written() -> None:
    store = Memory(failing="host-001")
    worker = SiteLearner(store=store)
    observe(worker, *HOSTS[:4])
    with pytest.raises(StoreError, match="no room for host-001"):
        worker.flush()
    assert sorted(store.states) == [HOSTS[0], HOSTS[2], HOSTS[3]]
    store.failing = ""
    worker.flush()
    assert sorted(store.states) == HOSTS[:4]


def test_a_round_of_writing_is_spread_over_many_calls() -> None:
    store = Memory()
    worker = SiteLearner(store=store)
    observe(worker, *HOSTS)
    written: list[int] = []
    while not written or worker.memory.is_flushing:
        worker.flush(share=0.1)
        written.append(len(store.states))
    assert written == [6, 12, 18, 24, 30, 36, 42, 48, 54, 60]


# -- behind a thread -------------------------------------------------------------------------


def test_what_is_stored_is_there_at_once() -> None:
    store = Memory()
    store.states[SITE] = state(range(5))
    queue = QueuedStore(store, patience=60)
    assert queue.load(SITE) == state(range(5))
    assert queue.load("b.example") is None
    assert queue.save(SITE, state(range(6))) == state(range(6))
    assert queue.close(60) == 0
    assert store.states[SITE] == state(range(6))
    assert store.closed


def test_a_store_that_hangs_is_waited_for_once() -> None:
    store = Memory()
    store.states[SITE] = learner(range(20)).state(SITE) or b""
    store.goes.clear()
    queue = QueuedStore(store, patience=0.1)
    worker = SiteLearner(store=queue)
    frozen: list[str] = []
    exchange = StoreExchange(
        *(worker, queue), seconds=0, tick_seconds=1, frozen=frozen.append, failed=print
    )
    assert not worker.is_frozen(SITE)  # as far as is known
    observe(worker, SITE, *HOSTS)
    exchange.tick()
    assert store.asked == 1
    assert not store.states.keys() & set(HOSTS)
    store.goes.set()
    assert exchange.close(60) == 0
    assert set(store.states) == {SITE, *HOSTS}
    assert worker.is_frozen(SITE)
    assert frozen == [SITE]


def test_what_waits_is_bounded_and_read_back() -> None:
    store = Memory()
    store.goes.clear()
    size = len(state(range(5)))
    queue = QueuedStore(store, patience=0, most_bytes=10 * size)
    for host in HOSTS:
        queue.save(host, state(range(5)))
    assert queue.load(HOSTS[-1]) == state(range(5))  # though it is not written yet
    assert 48 <= queue.dropped <= 50
    store.goes.set()
    assert queue.close(60) == 0
    assert len(store.states) + queue.dropped == 60


def test_what_cannot_be_written_is_tried_again_after_the_others() -> None:
    store = Memory(failing="host-000")
    queue = QueuedStore(store)
    for host in HOSTS[:3]:
        queue.save(host, state(range(5)))
    assert queue.close(60) == 1
    assert sorted(store.states) == HOSTS[1:3]
    assert {str(error) for error in queue.errors()} == {"no room for host-000.example"}


def test_what_waits_is_written_in_one_batch() -> None:
    store = Memory()
    store.goes.clear()
    queue = QueuedStore(store, patience=0)
    for host in HOSTS:
        queue.save(host, state(range(5)))
    store.goes.set()
    assert queue.close(60) == 0
    assert sorted(store.states) == HOSTS
    assert len(store.batches) <= 2  # the first site was asked for before the others came


@pytest.mark.parametrize("number", [0, 7, 59])
def test_a_site_that_fails_keeps_no_other_of_its_batch_back(number: int) -> None:
    store = Memory(failing=HOSTS[number])
    queue = QueuedStore(store, patience=0)
    for host in HOSTS:
        queue.save(host, state(range(5)))
    assert queue.close(60) == 1
    assert sorted(store.states) == [host for host in HOSTS if host != HOSTS[number]]


def test_a_batch_is_stored_whole_and_merged(shared_store: str) -> None:
    store = open_store(shared_store)
    store.save(SITE, state(range(5)))
    there = store.save_all({SITE: state(range(3, 9)), "b.example": state(range(2))})
    assert there == {SITE: state(range(9)), "b.example": state(range(2))}
    assert {site: store.load(site) for site in store.sites()} == there
    with pytest.raises(StateError):
        store.save_all({"c.example": state(range(2)), SITE: b"no state"})
    assert {site: store.load(site) for site in store.sites()} == there
    store.close()


def test_a_crawl_goes_on_while_redis_hangs() -> None:
    server: Redis = start_redis()
    try:
        queue = QueuedStore(open_store(server.address()), patience=0.5)
        worker = SiteLearner(store=queue)
        observe(worker, SITE)
        worker.flush()
        os.kill(server.process.pid, signal.SIGSTOP)
        started = monotonic()
        observe(worker, *HOSTS)
        worker.flush()
        # Redis gives up after 10 s: to ask it once a site would take ten minutes.
        assert monotonic() - started < 60
        os.kill(server.process.pid, signal.SIGCONT)
        assert queue.close(120) == 0
        store = open_store(f"redis://127.0.0.1:{server.port}/0")
        assert set(HOSTS) <= set(store.sites())
        store.close()
    finally:
        os.kill(server.process.pid, signal.SIGCONT)
        server.stop()


# -- the bound on the disk -------------------------------------------------------------------


def test_the_states_that_were_not_written_for_the_longest_time_leave(shared_store: str) -> None:
    many = [f"host-{number:03}.example" for number in range(300)]
    store = open_store(shared_store, max_bytes=60_000)
    store.save("first.example", state(range(5)))
    for number, host in enumerate(many):
        store.save(host, state(range(5)))
        store.save("first.example", state(range(6 + number % 2 * 4)))  # new, then not
    kept = set(store.sites())
    size = len(state(range(5)))
    assert 0.2 * 60_000 < len(kept) * size <= 60_000
    assert set(many[-len(kept) + 2 :]) <= kept
    assert many[0] not in kept
    store.forget(many[-1])
    assert set(store.sites()) == kept - {many[-1]}
    store.close()
    if "://" not in shared_store:
        assert Path(shared_store).stat().st_size < 90_000


# -- secrets ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        "redis://:s3cret@host:x/0", "redis://me:s3cret#more@host/0", "redis://:a/s3cret@host/0",
        "redis://:a:s3cret@host", "redis:/:s3cret@host/0", "redis::s3cret@host",
        "reds://:s3cret@host/0",
        "redis://127.0.0.1:1/0?password=s3cret",
        "redis://:s3cret@127.0.0.1:1/0",
    ],
)  # fmt: skip
def test_no_password_is_shown(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("redis", reason="the redis package is not installed")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError) as caught:
        open_store(address)
    error: BaseException | None = caught.value
    while error is not None:
        assert "s3cret" not in str(error)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    assert not list(tmp_path.iterdir())
