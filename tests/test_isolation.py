"""A call that crashes, hangs or raises costs that call, and no other."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

from scrapy_boilerplate.isolation import Isolated, Lost
from scrapy_boilerplate.testing.timing import PATIENCE


class Shout:
    """Answers in capitals, except where it is told otherwise."""

    def __init__(self, mark: str = "") -> None:
        if mark == "broken":
            raise ValueError("no model")
        self.mark = mark

    def __call__(self, word: str) -> str:
        if word == "hang":
            time.sleep(PATIENCE)
        if word == "raise":
            raise ValueError("no such page")
        if word == "die":
            os.abort()
        if word == "end":
            os._exit(0)
        if word == "greedy":
            return str(len(bytearray(1 << 34)))
        if word == "pid":
            return str(os.getpid())
        return word.upper() + self.mark


@pytest.fixture(scope="module")
def shout() -> Iterator[Isolated]:
    with Isolated(Shout, "!", seconds=PATIENCE, memory=2 << 30) as isolated:
        yield isolated


def test_answers_come_in_order(shout: Isolated) -> None:
    words = [str(number) * number for number in range(50)]
    assert list(shout.map(words)) == [word + "!" for word in words]


def test_a_crash_costs_one_call(shout: Isolated) -> None:
    words = ["a", "die", "die", "b", "end", "c", "die"]
    crashed = Lost("crashed")
    assert list(shout.map(words)) == ["A!", crashed, crashed, "B!", crashed, "C!", crashed]
    assert shout("d") == "D!"


def test_an_error_costs_one_call_and_no_process(shout: Isolated) -> None:
    before, lost, after = shout.map(["pid", "raise", "pid"])
    assert lost == Lost("error", "ValueError: no such page")
    assert before == after


def test_memory_is_limited(shout: Isolated) -> None:
    assert list(shout.map(["a", "greedy", "b"])) == ["A!", Lost("error", "MemoryError: "), "B!"]


def test_a_hang_costs_one_call() -> None:
    with Isolated(Shout, seconds=PATIENCE) as isolated:
        assert isolated("a") == "A"  # the process has started
        isolated._seconds = 0.5
        assert isolated("hang") == Lost("timeout")
        isolated._seconds = PATIENCE
        assert list(isolated.map("bc")) == ["B", "C"]


def test_calls_sent_ahead_survive_a_hang() -> None:
    with Isolated(Shout, seconds=PATIENCE) as isolated:
        assert next(answers := isolated.map(["a", "hang", "b", "c"])) == "A"
        isolated._seconds = 0.5
        assert next(answers) == Lost("timeout")
        isolated._seconds = PATIENCE
        assert list(answers) == ["B", "C"]


class Odd:
    """Answers with what is no plain value."""

    def __call__(self, word: str) -> object:
        return Shout() if word == "odd" else word


def test_answers_are_plain_values() -> None:
    with Isolated(Odd, seconds=PATIENCE) as isolated:
        assert list(isolated.map(["a", "odd", "b"])) == ["a", Lost("crashed"), "b"]


def test_large_calls_and_answers_do_not_block_each_other(shout: Isolated) -> None:
    words = ["x" * (5 << 20)] * 4
    assert [len(word) for word in shout.map(words)] == [(5 << 20) + 1] * 4


def test_calls_after_some_that_nobody_waited_for(shout: Isolated) -> None:
    assert next(shout.map("abc")) == "A!"
    assert list(shout.map("xy")) == ["X!", "Y!"]


def test_many_crashes_do_not_start_python_each_time(shout: Isolated) -> None:
    shout("a")
    server = shout._server
    assert list(shout.map(["die"] * 20)) == [Lost("crashed")] * 20
    assert shout._server is server


def test_a_killed_server_costs_one_call(shout: Isolated) -> None:
    shout("a")
    assert shout._server is not None
    os.killpg(shout._server._process.pid, 9)
    assert shout("b") == Lost("crashed")
    assert shout("c") == "C!"


def test_a_function_that_cannot_be_made() -> None:
    message = "did not start: ValueError: no model"
    with (
        Isolated(Shout, "broken", seconds=PATIENCE) as isolated,
        pytest.raises(RuntimeError, match=message),
    ):
        isolated("a")
