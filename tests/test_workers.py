from __future__ import annotations

import os
import time

from benchmarks.workers import Worker, WorkerError, each_with_worker


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


def test_call_that_hangs_raises_or_dies_costs_one_answer() -> None:
    words = ["a", "hang", "b", "raise", "die", "c"]
    found = list(each_with_worker(ask, words, respond, limit_s=1.5))
    assert found[::2] == ["A", "B", "the process died"]
    assert found[1] == "no answer within 1.5 s"
    assert found[3] == "ValueError: no such page"
    assert found[5] == "C"


def test_answers_come_in_order_from_several_workers() -> None:
    words = [chr(ord("a") + number) for number in range(12)]
    found = list(each_with_worker(ask, words, respond, limit_s=60, processes=2))
    assert found == [word.upper() for word in words]
