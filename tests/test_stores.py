"""Where sites are kept between runs: the stores' protocol, several writers, and sudden ends."""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from functools import reduce
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Event, Thread
from time import monotonic
from typing import Any

import pytest
from cases import column
from store_writer import save
from storing import METHOD, SITE, Redis, learner, page, start_redis, state, states, write_raw

from scrapy_boilerplate.learn import SiteLearner, StateError, merge_states
from scrapy_boilerplate.learn.site_state import SiteState
from scrapy_boilerplate.learn.stores import SiteStore, StoreError, open_store
from scrapy_boilerplate.learn.stores.models import StoredModels
from scrapy_boilerplate.learn.stores.queued import QueuedStore, StoreExchange
from scrapy_boilerplate.tools.testing.timing import PATIENCE


@pytest.fixture
def store(shared_store: str) -> Iterator[SiteStore]:
    with closing(open_store(shared_store)) as store:
        yield store


# -- the protocol ----------------------------------------------------------------------------------


def test_states_come_back_and_are_merged(store: SiteStore, shared_store: str) -> None:
    assert store.load(SITE) is None
    store.save(SITE, state(range(5)))
    with closing(open_store(shared_store)) as other:
        assert other.load(SITE) == state(range(5))
        other.save(SITE, state(range(3, 9)))
    assert store.save(SITE, state(range(5))) == store.load(SITE) == state(range(9))


def test_most_pages_of_a_site(shared_store: str) -> None:
    with closing(open_store(shared_store, pages=4)) as store:
        store.save(SITE, state(range(5)))
        store.save(SITE, state(range(5, 9)))
        kept = SiteState.from_bytes(store.load(SITE) or b"", 99)
    assert len(kept.fingerprints) == 4


def test_forget_removes_the_state(store: SiteStore) -> None:
    assert not store.forget(SITE)
    store.save(SITE, state(range(2)))
    store.save("b.example", state(range(2)))
    assert store.forget(SITE)
    assert list(store.sites()) == ["b.example"]
    assert not store.forget(SITE)
    store.save(SITE, state(range(2)))  # of a generation that was forgotten
    assert list(store.sites()) == ["b.example"]


@pytest.mark.parametrize("data", [b"", b"BPS", b"BPS\x01garbage", b"BPS\x02from the future"])
def test_damaged_state_is_replaced(store: SiteStore, shared_store: str, data: bytes) -> None:
    store.save(SITE, state(range(3)))
    write_raw(shared_store, "states", SITE, data)
    assert store.load(SITE) is None
    assert list(store.sites()) == [SITE]
    store.save(SITE, state(range(5)))
    assert store.load(SITE) == state(range(5))


# -- wrong addresses and files ---------------------------------------------------------------------


DAMAGES = {
    "another table": "CREATE TABLE theirs (x)",
    "a newer version": "PRAGMA user_version = 2",
    "an endless view": "DROP TABLE forgotten; CREATE VIEW forgotten AS WITH RECURSIVE "
    "n(site, generation) AS (SELECT 'a', 'b' UNION ALL SELECT site, generation FROM n) "
    "SELECT * FROM n",
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON states BEGIN DELETE FROM forgotten; END",
    "no database": "",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_file_that_is_none_of_ours(damage: str, tmp_path: Path) -> None:
    path = tmp_path / "sites.sqlite"
    if DAMAGES[damage]:
        if damage != "another table":
            open_store(str(path)).close()
        with closing(sqlite3.connect(path)) as database:
            database.executescript(DAMAGES[damage])
    else:
        path.write_bytes(b"This is no database at all. " * 100)
    before = path.read_bytes()
    for address in (path, tmp_path):  # which is a folder
        with pytest.raises(StoreError, match=r"choose another path, or remove the file"):
            open_store(str(address))
    assert path.read_bytes() == before


def test_pages_of_the_file_that_are_damaged(tmp_path: Path) -> None:
    path = tmp_path / "sites.sqlite"
    with closing(open_store(str(path))) as store:
        for number in range(50):
            store.save(f"{number}.example", state(range(2)))
    data = bytearray(path.read_bytes())
    data[8192:] = b"\xff" * (len(data) - 8192)
    path.write_bytes(data)

    def use() -> None:
        with closing(open_store(str(path))) as store:
            list(store.sites())
            for number in range(50):
                store.save(f"{number}.example", state(range(2)))

    with pytest.raises(StoreError, match=r"sites\.sqlite"):
        use()


@pytest.mark.parametrize("value", ["x", b"\xff\xfe", -3, 1 << 62])
def test_what_a_peer_writes_for_a_generation_or_a_state_stops_nobody(
    store: SiteStore, shared_store: str, value: object
) -> None:
    write_raw(shared_store, "forgotten", SITE, value)
    write_raw(shared_store, "states", "b.example", value)
    for site in (SITE, "b.example"):
        assert store.load(site) is None or site == SITE
        store.save(site, state(range(3)))
        assert store.load(site) is not None
        assert store.forget(site)
        store.save(site, state(range(3)))


def test_names_of_sites_are_keys_and_nothing_else(store: SiteStore, shared_store: str) -> None:
    names = ["../../x", "/etc/passwd", "C:\\x", "con", "a" * 300, "nul\0x", "\x1b[31m", "", " "]
    names += ["münchen.example", "b.example", "a.example/news"]
    for name in names:
        store.save(name, state(range(3)))
    assert list(store.sites()) == sorted(names)
    write_raw(shared_store, "states", b"\xff", b"")  # of a key that is no text
    assert set(names) <= {*store.sites()}
    with pytest.raises(StoreError):
        store.save("\ud800", state(range(3)))


# -- several writers, and kills --------------------------------------------------------------------


FORKED = get_context("forkserver")  # whose processes have imported what they need
FORKED.set_forkserver_preload(["store_writer"])


def writer(address: str, numbers: range, repeat: bool = False) -> tuple[Any, Connection]:
    """Start a process that saves a state a page, one after the other, once told to begin."""
    told, its = FORKED.Pipe()
    process = FORKED.Process(target=save, args=(address, numbers, repeat, its))
    process.start()
    its.close()
    assert told.recv() == "ready"
    return process, told


def test_two_processes_save_at_once(shared_store: str) -> None:
    parts = [range(10), range(6, 18)]
    writers = [writer(shared_store, part) for part in parts]
    for _, told in writers:
        told.send("go")
    for process, told in writers:
        process.join(PATIENCE)
        assert process.exitcode == 0
        told.close()
    union = reduce(merge_states, map(state, parts))
    with closing(open_store(shared_store)) as store:
        assert store.load(SITE) == union
    assert union == state(range(18))


def test_kill_while_saving(tmp_path: Path) -> None:
    path = tmp_path / "sites.sqlite"
    whole = {*states(range(10))}
    kept = None
    for instant in (0.0, 0.003, 0.02):
        process, told = writer(str(path), range(10), repeat=True)
        told.send("go")
        if instant:
            told.recv()  # the first is saved
        time.sleep(instant)
        process.kill()
        process.join()
        told.close()
        with closing(open_store(str(path))) as store:
            kept = store.load(SITE)
            assert kept is None or kept in whole
            assert instant == 0 or kept is not None
            store.save("b.example", state(range(2)))
        with closing(sqlite3.connect(path)) as database:
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert kept is not None


# -- workers ---------------------------------------------------------------------------------------


def test_running_workers_take_over_what_others_have_saved(
    store: SiteStore, shared_store: str
) -> None:
    with closing(open_store(shared_store)) as second:
        one, other = learner(range(9), store), learner(range(7, 16), second)
        assert one.flush() == other.flush() == []
        assert len(other.memory.peek(SITE).fingerprints) == 16
        assert len(one.memory.peek(SITE).fingerprints) == 9
        one.observe(page(1), METHOD.extract(page(1)))  # nothing new, but the site is in use
        one.flush()
    assert one.model(SITE) == other.model(SITE) == learner(range(16)).model(SITE)


def test_a_site_that_another_worker_has_learned_is_named(
    store: SiteStore, shared_store: str
) -> None:
    with closing(open_store(shared_store)) as second:
        behind, ahead = learner(range(3), store), learner(range(20), second)
        assert ahead.flush() == []
        assert behind.flush() == [SITE]
    assert behind.is_frozen(SITE)
    assert behind.model(SITE) == ahead.model(SITE)


@pytest.mark.parametrize("pages", [6, 30])
def test_a_running_worker_does_not_bring_back_what_was_forgotten(
    store: SiteStore, shared_store: str, pages: int
) -> None:
    with closing(open_store(shared_store)) as second:
        worker = learner(range(pages), store)
        worker.flush()
        assert second.forget(SITE)
        worker.observe(page(99), METHOD.extract(page(99)))
        worker.flush()
        assert list(second.sites()) == []
        assert worker.model(SITE) is None
        for number in range(100, 104):
            worker.observe(page(number), METHOD.extract(page(number)))
        worker.flush()
        learner(range(pages)).flush()  # of no store
        late = learner(range(2), second)  # begins in the generation that the store has now
        late.flush()
    again = SiteLearner(store=store)
    again.model(SITE)
    assert len(again.memory.peek(SITE).fingerprints) == 6


def test_redis_that_goes_away_raises_store_errors_until_it_comes_back() -> None:
    server = start_redis()
    try:
        store = open_store(server.address())
        worker = learner(range(4), store)
        worker.flush()
    finally:
        server.stop()
    calls: list[Callable[[], object]] = [
        lambda: store.load(SITE),
        lambda: store.save(SITE, state(range(2))),
        store.sites,
        lambda: store.forget(SITE),
        lambda: open_store(f"redis://127.0.0.1:{server.port}/0"),
    ]
    for call in calls:
        with pytest.raises(StoreError, match="Redis"):
            call()
    worker.observe(page(4), METHOD.extract(page(4)))  # of a site that it knows
    with pytest.raises(StoreError):
        worker.flush()
    assert len(worker.memory.peek(SITE).fingerprints) == 5
    again = start_redis(server.port)
    try:
        worker.flush()
        assert store.load(SITE) == state(range(5))
    finally:
        store.close()
        again.stop()


@pytest.mark.parametrize("lost", ["states", "states_written", "states_size"])
def test_redis_that_evicts_a_key_keeps_what_comes_after(redis_server: Redis, lost: str) -> None:
    """With ``maxmemory`` and ``allkeys-lru`` a server drops any key, and with it all its sites."""
    import redis

    address = redis_server.address()
    size = len(state(range(3)))
    with (
        closing(open_store(address, max_bytes=5 * size)) as store,
        redis.Redis.from_url(address) as client,
    ):
        for number in range(5):
            store.save(f"{number}.example", state(range(3)))
        client.delete(f"scrapy_boilerplate:1:{lost}")
        for number in range(5, 30):
            store.save(f"{number}.example", state(range(3)))
            assert f"{number}.example" in store.sites()
        assert len(list(store.sites())) == 5
        assert client.zcard("scrapy_boilerplate:1:states_written") == 5
        assert int(client.get("scrapy_boilerplate:1:states_size")) == 5 * size


@pytest.mark.parametrize(
    "answer", [b"+OK\r\n", b"$5\r\nhello\r\n", b"*1\r\n" * 200_000, b"HTTP/1.1 400"]
)
def test_a_server_that_is_no_redis(answer: bytes) -> None:
    pytest.importorskip("redis", reason="the redis package is not installed")

    class Handler(BaseRequestHandler):
        def handle(self) -> None:
            with suppress(OSError):
                while self.request.recv(1 << 16):
                    self.request.sendall(answer)

    with ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(StoreError, match="Redis"):
            open_store(f"redis://127.0.0.1:{server.server_address[1]}/0?socket_timeout=1")
        server.shutdown()
    with pytest.raises(StoreError, match="not the URL of a Redis database"):
        open_store("redis://127.0.0.1:x/0")


def test_without_the_redis_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(StoreError, match=r"pip install 'scrapy-boilerplate-removal\[redis\]'"):
        open_store("redis://127.0.0.1/0")


def test_a_notebook_opens_the_store_of_a_crawl(tmp_path: Path) -> None:
    path = tmp_path / "sites.sqlite"
    for opened in (SiteStore.open, StoredModels):
        with pytest.raises(StoreError, match="no site store at"):
            opened(str(path))
    assert not path.exists()
    with closing(open_store(str(path))) as store:
        learner(range(25), store).flush()
    with SiteStore.open(f"sqlite://{path}") as store:
        assert list(store.sites()) == [SITE]
        model = store.model(SITE)
        assert store.model("unknown.example") is None
    assert repr(model) == f"<SiteModel of {SITE}: 20 pages, div.story>"
    made = page(99)
    assert model.apply(made, METHOD).text == learner(range(25)).model(SITE).apply(made, METHOD).text


@pytest.mark.skipif(os.name == "nt", reason="there are no such permissions")
def test_only_the_owner_may_read_the_file(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        with closing(open_store(str(tmp_path / "sites.sqlite"))) as store:
            learner(range(25), store).flush()
            assert {each.stat().st_mode & 0o777 for each in tmp_path.iterdir()} == {0o600}
    finally:
        os.umask(before)


def test_a_link_to_another_file_is_no_store(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("somebody else's " * 100)
    link = tmp_path / "sites.sqlite"
    link.symlink_to(victim)
    with pytest.raises(StoreError, match="not a database"):
        open_store(str(link))
    assert victim.read_text() == "somebody else's " * 100


# -- a store that fails, hangs or is slow costs a crawl neither time nor its bounds ----------------


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


def test_states_are_written_when_they_have_waited_whatever_site_fails() -> None:
    store = Memory(failing="host-001")
    worker = SiteLearner(store=store)
    observe(worker, *HOSTS[:4])
    worker.flush(seconds=3600)
    assert not store.states
    with pytest.raises(StoreError, match="no room for host-001"):
        worker.flush()
    assert sorted(store.states) == [HOSTS[0], HOSTS[2], HOSTS[3]]
    store.failing = ""
    worker.flush()
    assert sorted(store.states) == HOSTS[:4]


# -- behind a thread -------------------------------------------------------------------------


def test_a_store_that_hangs_is_waited_for_once() -> None:
    store = Memory()
    store.states[SITE] = learner(range(20)).state(SITE) or b""
    store.goes.clear()
    queue = QueuedStore(store, patience=0.1)
    worker = SiteLearner(store=queue)
    frozen: list[str] = []
    exchange = StoreExchange(*(worker, queue), seconds=0, frozen=frozen.append, failed=print)
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
    assert len(store.batches) <= 2  # the first site was asked for before the others came


@pytest.mark.parametrize("number", [0, 7, 59])
def test_a_site_that_fails_keeps_no_other_of_its_batch_back(number: int) -> None:
    store = Memory(failing=HOSTS[number])
    queue = QueuedStore(store, patience=0)
    for host in HOSTS:
        queue.save(host, state(range(5)))
    assert queue.close(60) == 1
    assert sorted(store.states) == [host for host in HOSTS if host != HOSTS[number]]
    assert {str(error) for error in queue.errors()} == {f"no room for {HOSTS[number]}"}


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


@pytest.mark.parametrize("address", column("addresses_with_passwords"))
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
