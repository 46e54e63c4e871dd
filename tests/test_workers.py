from __future__ import annotations

import os
import time

from benchmarks.workers import Worker, WorkerError, each_with_worker
from scrapy_boilerplate.tools.testing.timing import PATIENCE


def respond(word: str) -> str:
    if word == "hang":
        while True:
            time.sleep(1)
    if word == "raise":
        raise ValueError("no such page")
    if word == "die":
        os._exit(1)
    return word.upper()


def ask(worker: Worker, word: str) -> str:
    try:
        return worker(word)
    except WorkerError as error:
        return str(error)


def test_call_that_hangs_costs_one_answer() -> None:
    # Nothing quick is asked for here: on a busy machine that may take longer than the limit, too.
    found = list(each_with_worker(ask, ["hang", "hang"], respond, limit_s=0.5))
    assert found == ["no answer within 0.5 s"] * 2


def test_call_that_raises_or_dies_costs_one_answer() -> None:
    words = ["a", "raise", "b", "die", "c"]
    found = list(each_with_worker(ask, words, respond, limit_s=PATIENCE))
    assert found[::2] == ["A", "B", "C"]
    assert found[1] == "ValueError: no such page"
    assert found[3] == "the process died"


def test_answers_come_in_order_from_several_workers() -> None:
    words = [chr(ord("a") + number) for number in range(12)]
    found = list(each_with_worker(ask, words, respond, limit_s=PATIENCE, processes=2))
    assert found == [word.upper() for word in words]
