"""``scrapy boilerplate-sites``, as a person runs it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import processes
import pytest
from generated_sites import Site
from scrapy.cmdline import execute
from storing import METHOD, SITE, learner, page, write_raw

from scrapy_boilerplate.learn import SiteLearner, load_models
from scrapy_boilerplate.learn.rule_files import load_rules
from scrapy_boilerplate.learn.stores import open_store

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(command: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command in a folder without a project; return exit code, output and errors."""
    monkeypatch.chdir(tmp_path)
    return partial(command, execute, "scrapy", "boilerplate-sites")


@pytest.fixture
def store(tmp_path: Path) -> str:
    """Return the address of a store with a site being learned, and one that is frozen."""
    address = str(tmp_path / "sites.sqlite")
    with closing(open_store(address)) as opened:
        learner(range(5), opened).flush()
        learner(range(25), opened, "known.example").flush()
    return address


def refused(result: tuple[int, str, str], code: int = 1) -> str:
    """Assert that the command said why in one line; return the line."""
    got, out, error = result
    assert (got, out) == (code, "")
    assert error.startswith("boilerplate-sites: ")
    assert error.count("\n") == 1
    return error


def test_list(run: Run, store: str) -> None:
    code, out, error = run("list", "--store", store)
    assert (code, error) == (0, "")
    assert [line.split() for line in out.splitlines()] == [
        ["site", "state", "pages", "container"],
        [SITE, "learning", "5", "div.story"],
        ["known.example", "learned", "20", "div.story"],
    ]


def test_list_shows_what_is_damaged(run: Run, store: str) -> None:
    write_raw(store, "states", SITE, b"nothing")
    code, out, _ = run("list", "--store", store)
    assert code == 0
    assert out.splitlines()[1].split() == [SITE, "damaged", "0", "-"]
    assert "damaged; forget it" in refused(run("show", SITE, "--store", store))


def test_show(run: Run, store: str) -> None:
    code, out, _ = run("show", "known.example", "--store", store)
    model = load_models(out)["known.example"]
    assert code == 0
    assert (model.pages, model.containers[0].name) == (20, "div.story")
    assert sorted(load_models(run("show", "--store", store)[1])) == [SITE, "known.example"]


def test_what_is_shown_is_a_file_of_rules(run: Run, store: str) -> None:
    (form,) = json.loads(run("show", SITE, "--store", store)[1])
    form["containers"] = ["h1"]
    Path("rules.json").write_text(json.dumps([form]))
    with closing(open_store(store)) as opened:
        model = SiteLearner(store=opened, rules=load_rules("rules.json")).model(SITE)
    assert model.apply(page(1), METHOD).text == Site(SITE).title(1)


def test_forget(run: Run, store: str) -> None:
    code, out, error = run("forget", SITE, "hand.example", "--store", store)
    assert (code, out) == (1, "1 site forgotten\n")
    assert error == "boilerplate-sites: not known: hand.example\n"
    assert "known.example" in run("list", "--store", store)[1]
    assert run("forget", "--all", "--store", store)[:2] == (0, "1 site forgotten\n")
    assert "there are no sites in" in refused(run("list", "--store", store))


def test_default_store_is_that_of_the_project(run: Run, store: str, tmp_path: Path) -> None:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = own_settings\n")
    (tmp_path / "own_settings.py").write_text("")
    command = [sys.executable, "-m", "scrapy", "boilerplate-sites", "list"]
    done = processes.run(command, cwd=tmp_path)
    default = tmp_path / ".scrapy" / "boilerplate" / "sites.sqlite"
    assert done.returncode == 1
    assert done.stderr == (
        f"boilerplate-sites: no site store at {default}; name another with --store\n"
    )
    assert not default.exists()
    default.parent.mkdir(parents=True)
    Path(store).rename(default)
    done = processes.run(command, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert SITE in done.stdout


def test_store_of_the_settings(run: Run, store: str) -> None:
    assert run("list", "-s", f"BOILERPLATE_SITE_STORE={store}")[0] == 0
    wrong = run("list", "-s", "BOILERPLATE_SITE_FREEZE_PAGES=many")
    assert "BOILERPLATE_SITE_FREEZE_PAGES must be a whole number" in refused(wrong)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no subcommand given"),
        (["lst"], "unknown subcommand 'lst'"),
        (["list", "a"], "list does not take 1 sites"),
        (["forget"], "forget does not take 0 sites"),
        (["forget", "--all", "a.example"], "forget does not take 1 sites"),
        (["list", "--all"], "--all needs forget"),
        (["list", "--everything"], "unknown option --everything"),
    ],
)
def test_wrong_usage(run: Run, arguments: list[str], message: str) -> None:
    line = refused(run(*arguments), 2)
    assert message in line
    assert "usage: scrapy boilerplate-sites list | show [SITE" in line


def test_wrong_store_and_unknown_site(run: Run, store: str) -> None:
    assert "'x.example' is unknown" in refused(run("show", "x.example", "--store", store))
    Path("text").write_text("no database " * 100)
    assert "cannot open text" in refused(run("list", "--store", "text")).lower()
    assert "Unknown site store" in refused(run("list", "--store", "mysql://x"))
    assert "no site store at gone" in refused(run("show", "x", "--store", "gone"))
    assert not Path("gone").exists()
