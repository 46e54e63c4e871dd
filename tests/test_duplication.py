from __future__ import annotations

import csv
import gzip
import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate.core.page.text import sentences
from scrapy_boilerplate.tools.duplication import (
    DuplicationCounter,
    duplication,
    main,
    read_feed,
    site_of,
)

SENTENCES = st.sampled_from(["Rain again.", "Snow at last.", "Most read: sun.", "雨です。", "Why?"])
TEXTS = st.lists(st.lists(SENTENCES, max_size=6).map("\n".join), max_size=8)


@given(TEXTS)
def test_counts_are_those_of_the_set_of_sentences(texts: list[str]) -> None:
    every = [sentence for text in texts for sentence in sentences(text)]
    report = duplication(texts)
    if not texts:
        assert report == {}
        return
    counts = report[""]
    assert counts.texts == sum(bool(text) for text in texts)
    assert counts.sentences == len(every)
    assert counts.unique_sentences == len(set(every))
    assert counts.characters == sum(map(len, every))
    assert counts.unique_characters == sum(map(len, set(every)))
    assert counts.exact


@given(TEXTS, TEXTS)
def test_sites_are_counted_apart(ours: list[str], theirs: list[str]) -> None:
    report = duplication([("a", text) for text in ours] + [("b", text) for text in theirs])
    assert report.get("a") == duplication(ours).get("")
    assert report.get("b") == duplication(theirs).get("")


@given(TEXTS, st.randoms())
def test_order_does_not_matter(texts: list[str], random: Random) -> None:
    shuffled = list(texts)
    random.shuffle(shuffled)
    assert duplication(shuffled, capacity=2) == duplication(texts, capacity=2)


@given(TEXTS, st.integers(1, 4))
def test_capacity_bounds_what_is_remembered_and_shares_stay_shares(
    texts: list[str], capacity: int
) -> None:
    counter = DuplicationCounter(capacity)
    for text in texts:
        counter.add(text, "a")
        assert len(counter._seen) <= capacity
    for counts in counter.report().values():
        assert 0 <= counts.sentence_share <= 1
        assert 0 <= counts.character_share <= 1


def test_estimate_is_near_the_count_when_memory_is_short() -> None:
    texts = ["\n".join(f"Sentence {i * j} of many." for j in range(200)) for i in range(100)]
    exact = duplication(texts)[""]
    estimated = duplication(texts, capacity=1000)[""]
    assert exact.exact
    assert not estimated.exact
    assert estimated.sentences == exact.sentences
    assert estimated.sentence_share == pytest.approx(exact.sentence_share, rel=0.1)
    assert estimated.character_share == pytest.approx(exact.character_share, rel=0.1)


def test_white_space_makes_no_difference() -> None:
    assert duplication(["Rain  again.", "Rain\tagain. "])[""].unique_sentences == 1


def test_nothing_repeats_where_there_is_nothing() -> None:
    counts = duplication([""])[""]
    assert (counts.texts, counts.sentence_share, counts.character_share) == (0, 1, 1)


def test_lone_surrogates_are_counted() -> None:
    assert duplication([("\ud800", "A \ud800 b.")])["\ud800"].sentences == 1


def test_capacity_must_be_positive() -> None:
    with pytest.raises(ValueError, match="capacity"):
        DuplicationCounter(0)


@pytest.mark.parametrize(
    ("value", "site"),
    [
        ("https://www.example.com/a?b", "example.com"),
        ("http://user@news.example.org:8080/", "news.example.org:8080"),
        ("https://www.example.com.:443/", "example.com"),
        ("blog", "blog"),
        ("", ""),
        ("http://[broken", "http://[broken"),
    ],
)
def test_site_of_an_address(value: str, site: str) -> None:
    assert site_of(value) == site


ITEMS = [
    {"url": "https://a.example/1", "text": "Rain again. Most read: sun."},
    {"url": "https://a.example/2", "text": "Snow at last. Most read: sun."},
    {"url": "https://b.example/1", "text": "Most read: sun."},
    {"url": "https://b.example/2", "text": ""},
]


def write_feed(folder: Path, name: str) -> str:
    path = folder / name
    opened = gzip.open if name.endswith(".gz") else open
    with opened(path, "wt", encoding="utf-8", newline="") as file:
        if ".csv" in name:
            writer = csv.DictWriter(file, ["url", "text"])
            writer.writeheader()
            writer.writerows(ITEMS)
        else:
            file.writelines(json.dumps(item) + "\n" for item in ITEMS)
    return str(path)


@pytest.mark.parametrize("name", ["feed.jsonl", "feed.jsonl.gz", "feed.csv", "feed.csv.gz"])
def test_feeds_are_read(tmp_path: Path, name: str) -> None:
    found = list(read_feed(write_feed(tmp_path, name), site_field="url"))
    assert found == [(site_of(item["url"]), item["text"]) for item in ITEMS if item["text"]]


def test_feed_without_the_field_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="body"):
        list(read_feed(write_feed(tmp_path, "feed.jsonl"), field="body"))


def test_line_that_is_no_object_is_a_mistake(tmp_path: Path) -> None:
    path = tmp_path / "feed.jsonl"
    path.write_text('{"text": "a"}\n\n[1]\n')
    with pytest.raises(ValueError, match="line 3"):
        list(read_feed(str(path)))


def test_command_prints_a_row_a_site(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([write_feed(tmp_path, "feed.jsonl"), "--site-field", "url"])
    lines = capsys.readouterr().out.splitlines()
    rows = {cells[0]: cells for cells in map(str.split, lines[1:])}
    assert rows["a.example"][1:5] == ["2", "4", "3", "75%"]
    assert rows["b.example"][1:5] == ["1", "1", "1", "100%"]


def test_command_reports_mistakes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([str(tmp_path / "missing.jsonl")])
    assert "missing.jsonl" in capsys.readouterr().err


def test_command_reads_the_standard_input() -> None:
    command = [sys.executable, "-m", "scrapy_boilerplate.tools.duplication", "-"]
    feed = '{"text": "Rain again. Rain again."}\n'
    done = subprocess.run(command, input=feed, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1].split()[:5] == ["all", "1", "2", "1", "50%"]
