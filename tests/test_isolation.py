"""A call that crashes, hangs or raises costs that call, and no other."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from isolated_calls import KilledAtStart, Odd, Shout

from scrapy_boilerplate.tools.isolation import Failure, Isolated
from scrapy_boilerplate.tools.testing.timing import PATIENCE


@pytest.fixture(scope="module")
def shout() -> Iterator[Isolated]:
    with Isolated(Shout, "!", seconds=PATIENCE, memory=2 << 30) as isolated:
        yield isolated


ABORTED, ENDED = Failure("crashed", "SIGABRT"), Failure("crashed", "exit status 0")


@pytest.mark.parametrize(
    ("words", "answers"),
    [
        ([str(n) * n for n in range(50)], [str(n) * n + "!" for n in range(50)]),
        (["a", "die", "die", "b", "end", "c"], ["A!", ABORTED, ABORTED, "B!", ENDED, "C!"]),
        (["a", "greedy", "b"], ["A!", Failure("error", "MemoryError: "), "B!"]),
        (["x" * (5 << 20)] * 4, ["X" * (5 << 20) + "!"] * 4),  # more than a pipe holds
    ],
    ids=["order", "crashes", "memory", "large"],
)
def test_a_call_costs_no_other(shout: Isolated, words: list[str], answers: list[object]) -> None:
    assert list(shout.map(words)) == answers


def test_an_error_costs_one_call_and_no_process(shout: Isolated) -> None:
    before, lost, after = shout.map(["pid", "raise", "pid"])
    assert lost == Failure("error", "ValueError: no such page")
    assert before == after


@pytest.fixture(scope="module")
def hasty() -> Iterator[Isolated]:
    with Isolated(Shout, processes=2, seconds=3.0) as isolated:
        assert list(isolated.map("ab")) == ["A", "B"]  # the processes have started
        yield isolated


@pytest.mark.parametrize("hang", ["hang", "loop"])
def test_a_hang_costs_one_call(hasty: Isolated, hang: str) -> None:
    assert list(hasty.map(["a", hang, "b", "c"])) == ["A", Failure("timeout"), "B", "C"]


def test_answers_are_plain_values() -> None:
    with Isolated(Odd, seconds=PATIENCE) as isolated:
        assert list(isolated.map(["a", "odd", "b"])) == ["a", Failure("crashed"), "b"]


def test_calls_after_some_that_nobody_waited_for(shout: Isolated) -> None:
    assert next(shout.map("abc")) == "A!"
    assert list(shout.map("xy")) == ["X!", "Y!"]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no such signal")
def test_a_process_that_is_killed_while_it_starts_is_started_again(tmp_path: Path) -> None:
    (tmp_path / "mark").touch()
    with Isolated(KilledAtStart, str(tmp_path), seconds=60) as pool:
        assert list(pool.map(["a", "b"])) == ["a", "b"]


def test_a_call_whose_process_is_killed_is_made_once_more(shout: Isolated, tmp_path: Path) -> None:
    first, always = str(tmp_path / "kill"), "kill"
    words = ["a", f"kill {first}", "b", always, "c"]
    assert list(shout.map(words)) == [
        *("A!", f"{'KILL ' + first.upper()}!", "B!", Failure("crashed", "SIGKILL"), "C!")
    ]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGSEGV])
def test_a_process_that_ends_between_calls_takes_none_with_it(
    shout: Isolated, number: signal.Signals
) -> None:
    os.kill(int(next(shout.map(["pid"]))), number)
    time.sleep(0.3)
    assert list(shout.map("xyz")) == ["X!", "Y!", "Z!"]


def test_a_function_that_cannot_be_made() -> None:
    message = "did not start: ValueError: no model"
    with (
        Isolated(Shout, "broken", seconds=PATIENCE) as isolated,
        pytest.raises(RuntimeError, match=message),
    ):
        next(isolated.map("a"))


# -- several processes -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def three() -> Iterator[Isolated]:
    with Isolated(Shout, processes=3, seconds=PATIENCE) as isolated:
        yield isolated


def test_several_processes_share_the_work_and_answers_come_in_order(three: Isolated) -> None:
    words = [*("a", "raise", "b") * 20, "die", *"ab" * 9, "die", "a"]
    by_word = {
        "a": "A",
        "b": "B",
        "die": Failure("crashed", "SIGABRT"),
        "raise": Failure("error", "ValueError: no such page"),
    }
    assert list(three.map(words)) == [by_word[word] for word in words]
    assert len(three._processes) <= 3
    until = time.monotonic() + PATIENCE  # one that was lost is replaced when its thread has a call
    while len(set(three.map(["pid"] * 50))) < 3:
        assert time.monotonic() < until


def test_no_more_processes_run_than_there_is_work_for() -> None:
    with Isolated(Shout, processes=3, seconds=PATIENCE) as isolated:
        assert [*isolated.map("a"), *isolated.map("b")] == ["A", "B"]
        assert len(isolated._processes) == 1


def test_after_a_stop_come_the_answers_that_are_there() -> None:
    with Isolated(Shout, processes=2, seconds=PATIENCE) as isolated:
        calls = ((word, word) for word in ["a", "hang", *"bcdefg"])
        answers = isolated.pairs(calls)
        assert next(answers) == ("a", "A")
        isolated.is_stopped = True
        rest = [key for key, _ in answers]
        assert "hang" not in rest
        assert rest == sorted(rest)


def test_what_is_taken_ahead_is_bounded(three: Isolated, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrapy_boilerplate.tools.isolation._WINDOW", 5)
    taken = []

    def calls() -> Iterator[tuple[int, str]]:
        for number in range(100):
            taken.append(number)
            yield number, "a"

    for number, _ in three.pairs(calls()):
        assert len(taken) <= number + 1 + 15


def test_a_slow_reader_of_answers_loses_nothing(hasty: Isolated) -> None:
    answers = hasty.map(["x" * 2_000_000, "b", "c"])
    assert len(next(answers)) == 2_000_000
    time.sleep(3.5)
    assert list(answers) == ["B", "C"]


def test_a_page_that_hangs_ends_without_the_process_that_asked(tmp_path: Path) -> None:
    code = f"""if True:
        import sys
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from scrapy_boilerplate.tools.isolation import Isolated
        from isolated_calls import Shout
        pool = Isolated(Shout, seconds=2)
        for answer in pool.map(["pid", "loop"]):
            print(answer, flush=True)"""
    asking = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    child = int(asking.stdout.readline())
    time.sleep(0.5)
    asking.kill()
    asking.communicate()
    until = time.monotonic() + PATIENCE / 4
    while is_running(child):
        assert time.monotonic() < until
        time.sleep(0.1)


def is_running(process: int) -> bool:
    """Tell whether a process runs: one that ended and that nobody waited for does not."""
    try:
        os.kill(process, 0)
        if not Path("/proc/self/stat").exists():
            return True
        status = Path(f"/proc/{process}/stat").read_text()
    except (ProcessLookupError, FileNotFoundError):  # it may end between the two
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def test_a_kept_pool_ends_with_its_process() -> None:
    code = (
        "import operator\n"
        "from scrapy_boilerplate.tools.isolation import kept_pool\n"
        "with kept_pool(operator.itemgetter, 1, isolate=True, seconds=900, memory=None) as pool:\n"
        "    print(*pool.map(['ab']))\n"
    )
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", code]
    run = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert (run.stdout, run.stderr) == ("b\n", "")
