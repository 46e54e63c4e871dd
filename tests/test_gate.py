from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import gate
from benchmarks.data import LabelledPage, read, sample
from benchmarks.markdown import KINDS
from benchmarks.methods import Method
from benchmarks.structure_parts import PARTS
from scrapy_boilerplate import extract, extractor_names

VALUES = st.dictionaries(st.sampled_from(["mss", "bte", "energy"]), st.floats(0, 1))


@given(VALUES, VALUES)
def test_update_never_lowers_a_floor_and_then_passes(
    reached: dict[str, float], floors: dict[str, float]
) -> None:
    new = gate.raised(reached, floors)
    assert all(new[name] >= least for name, least in floors.items())
    assert new.keys() == floors.keys() | reached.keys()
    for name, value in reached.items():
        if value >= floors.get(name, 0):
            assert new[name] <= value
            assert new[name] >= value - gate.MARGIN - 0.001


@pytest.mark.parametrize(
    ("reached", "floors", "count"),
    [
        ({"mss": 0.6}, {"mss": 0.6}, 0),
        ({"mss": 0.599}, {"mss": 0.6}, 1),
        ({"mss": 0.6, "bte": 0.9}, {"mss": 0.6}, 1),  # without a floor
        ({"mss": 0.6}, {"mss": 0.6, "bte": 0.7}, 1),  # no longer registered
        ({"mss": 0.1, "bte": 0.1}, {"mss": 0.6, "bte": 0.7}, 2),
    ],
)
def test_problems(reached: dict[str, float], floors: dict[str, float], count: int) -> None:
    found = gate.problems(reached, floors)
    assert len(found) == count
    assert all(any(name in line for line in found) for name in floors.keys() ^ reached.keys())


@pytest.fixture
def small_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    methods = [Method("mss")]
    monkeypatch.setattr(gate, "our_methods", lambda: methods)
    monkeypatch.setattr(gate, "FIXTURE_PAGES", gate.FIXTURE_PAGES / "rust-blog")


@pytest.mark.usefixtures("small_gate")
def test_run_checks_and_updates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    floors = tmp_path / "gate.json"
    arguments = ["--gate", str(floors), "--data", str(tmp_path), "--processes", "1"]
    assert gate.main(arguments) == 1
    assert "mss: has no floor" in capsys.readouterr().out
    assert gate.main([*arguments, "--update"]) == 0
    printed = capsys.readouterr().out
    assert "wcxb-dev: skipped" in printed
    written = json.loads(floors.read_text())
    assert written.keys() == {"fixtures", "structure of fixtures"}
    floors.write_text(json.dumps({"fixtures": {"mss": written["fixtures"]["mss"] + 0.01}}))
    assert gate.main(arguments) == 1
    assert "below its floor" in capsys.readouterr().out


def test_shipped_pages_reach_their_floors() -> None:
    floors = json.loads(gate.GATE.read_text())["fixtures"]
    reached = gate.measure(gate.FIXTURES, list(read(gate.FIXTURE_PAGES)))
    missing = [line for line in gate.problems(reached, floors) if "no floor" not in line]
    assert missing == []


def test_shipped_pages_are_labelled_and_attributed() -> None:
    pages = list(read(gate.FIXTURE_PAGES))
    attribution = (gate.FIXTURE_PAGES / "ATTRIBUTION.md").read_text()
    assert len(pages) == 25
    assert {page.language for page in pages} == {"en", "hu", "zh"}
    for page in pages:
        assert f"`{page.site}`" in attribution
        assert bool(page.gold) == (page.kind != "index")
        assert len(extract(page.html, url=page.url).text) < len(page.html)


def test_floors_are_those_of_registered_methods() -> None:
    sets = json.loads(gate.GATE.read_text())
    merged, built = sets.pop(gate.MERGED), sets.pop(gate.BUILT)
    assert {part.partition(" ")[0] for part in built} == set(KINDS)
    for name, floors in sets.items():
        if name.startswith("structure of "):
            assert {part.partition(" ")[0] for part in floors} <= set(PARTS)
        else:
            assert floors.keys() <= set(extractor_names())
    assert {name.partition(" ")[0] for name in merged} <= set(extractor_names())


def test_a_host_of_several_sites_has_its_own_floors() -> None:
    floors = json.loads(gate.GATE.read_text())[gate.MERGED]
    assert gate.raised_of_merged(floors, floors) == floors  # an update keeps what is required
    assert floors["auto least gain"] == -0.002
    assert floors["auto confident articles kept"] == 1
    worse = {**floors, "auto least gain": -0.003, "auto confident articles kept": 0.999}
    assert len(gate.problems(worse, floors)) == 2


def page(name: str) -> LabelledPage:
    return LabelledPage(id=name, html=b"", gold="", url=None, group=name, kind="page")


@given(st.permutations([f"page{n}" for n in range(12)]), st.integers(0, 15))
def test_sample_is_fixed_whatever_the_order(names: list[str], size: int) -> None:
    pages = [page(name) for name in names]
    chosen = sample(pages, size)
    assert len(chosen) == min(size, 12)
    assert {each.id for each in chosen} == {each.id for each in sample(sorted_pages(pages), size)}
    assert [each for each in pages if each in chosen] == chosen
    assert sample(pages, None) == pages


def sorted_pages(pages: list[LabelledPage]) -> list[LabelledPage]:
    return sorted(pages, key=lambda each: each.id)
