from __future__ import annotations

import json

from benchmarks import instructions


def test_every_method_is_recorded() -> None:
    recorded = json.loads(instructions.RECORDED.read_text())["counts"]
    assert set(recorded) == set(instructions.steps())


def test_a_step_may_become_five_percent_dearer_but_not_six() -> None:
    recorded = {"mss": {"page": 100.0, "tiny": 10.0}, "lxml parse": {"page": 1.0, "tiny": 1.0}}
    found = {"mss": {"page": 104.9, "tiny": 10.4}, "lxml parse": {"page": 9.0, "tiny": 9.0}}
    assert instructions.dearer(found, recorded) == []
    found["mss"] = {"page": 106.0, "tiny": 10.6}
    assert len(instructions.dearer(found, recorded)) == 2
    assert len(instructions.dearer({"new": {"page": 1.0, "tiny": 1.0}}, recorded)) == 2


def test_the_pages_are_there() -> None:
    assert len(instructions._texts()) == len(instructions.PAGES) + 1
