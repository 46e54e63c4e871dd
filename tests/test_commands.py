"""``scrapy boilerplate-sites``, as a person runs it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import processes
import pytest
from lxml import etree
from scrapy.cmdline import execute
from storing import METHOD, SITE, learner, page, write_raw

from scrapy_boilerplate.learn import SiteLearner, SiteModel, load_models
from scrapy_boilerplate.learn.stores import open_store

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command in a folder without a project; return exit code, output and errors."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            execute(["scrapy", "boilerplate-sites", *arguments])
        captured = capsys.readouterr()
        code = stop.value.code
        assert isinstance(code, int)
        return code, captured.out, captured.err

    return run


@pytest.fixture
def store(tmp_path: Path) -> str:
    """Return the address of a store with a site being learned, one that is frozen, and a rule."""
    address = str(tmp_path / "sites.sqlite")
    with closing(open_store(address)) as opened:
        learner(range(5), opened).flush()
        learner(range(25), opened, "known.example").flush()
        for rule in load_models('{"site": "hand.example", "containers": ["main"]}').values():
            opened.save_rule(rule)
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
        ["hand.example", "rule", "0", "main"],
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
    assert run("--store", store, "--format", "yaml", "show", "known.example")[1].startswith(
        "- site: known.example\n  pages: 20\n"
    )


def test_what_a_model_makes_of_a_page(run: Run, store: str) -> None:
    made = page(1)
    Path("page.html").write_text(etree.tostring(made.root, encoding="unicode", method="html"))
    asked = ["test", "page.html", "--store", store, "-s", "BOILERPLATE_EXTRACTOR=mss"]
    code, out, error = run(*asked, "--url", "https://known.example/1")
    assert (code, error) == (0, "")
    head, kept, *blocks = out.splitlines()
    assert head.startswith("known.example (learned); mss alone keeps ")
    assert kept.startswith("with the model ")
    assert any(line.startswith("- ") and "outside the site's container" in line for line in blocks)
    assert any(line.startswith("+ ") for line in blocks)
    assert "the address of page.html is unknown; use --url" in refused(run(*asked))
    unknown = refused(run(*asked, "--url", "https://gone.example/"))
    assert "'gone.example' is unknown" in unknown
    assert "gone.html: cannot read it" in refused(run("test", "gone.html", "--store", store))


def test_export_edit_import(run: Run, store: str) -> None:
    assert run("export", SITE, "-o", "a.json", "--store", store)[:2] == (
        0,
        "1 site written to a.json\n",
    )
    path = Path("a.json")
    form = json.loads(path.read_text())
    form[0]["containers"] = ["h1"]
    path.write_text(json.dumps(form))
    assert run("import", "a.json", "--store", store) == (0, "1 rule imported from a.json\n", "")
    with closing(open_store(store)) as opened:
        model = SiteLearner(store=opened, rules=opened.rules()).model(SITE)
    assert model.apply(page(1), METHOD).text == "Title 1"
    assert f"{SITE}      by hand" in run("list", "--store", store)[1]


def test_what_was_learned_and_the_rule_are_shown_together(run: Run, store: str) -> None:
    with closing(open_store(store)) as opened:
        opened.save_rule(SiteModel.from_dict({"site": "known.example", "drop": [".share"]}))
    assert "learned, rule" in run("list", "--store", store)[1]
    (form,) = json.loads(run("show", "known.example", "--store", store)[1])
    assert form["drop"] == [".share"]
    assert form["containers"][0]["pages"] > 1


@pytest.mark.parametrize("name", ["all.json", "all.yaml"])
def test_what_is_exported_comes_back(run: Run, store: str, name: str) -> None:
    exported = run("export", "-o", name, "--store", store)[1]
    assert exported == f"3 sites written to {name}\n"
    assert run("import", name, "--store", "new.sqlite")[0] == 0
    form = "yaml" if name.endswith("yaml") else "json"
    again = run("export", "--store", "new.sqlite", "--format", form)[1]
    assert again == Path(name).read_text()
    assert sorted(load_models(again, form)) == [SITE, "hand.example", "known.example"]


def test_forget_all_keeps_rules(run: Run, store: str) -> None:
    with closing(open_store(store)) as opened:
        rules, sites = opened.rules(), list(opened.sites())
    assert rules
    assert run("forget", "--all", "--store", store)[:2] == (0, f"{len(sites)} sites forgotten\n")
    with closing(open_store(store)) as opened:
        assert opened.rules() == rules
        assert list(opened.sites()) == []


def test_forget(run: Run, store: str) -> None:
    code, out, error = run("forget", SITE, "hand.example", "--store", store)
    assert (code, out) == (1, "1 site forgotten\n")
    assert "not known: hand.example" in error
    assert "hand.example   rule" in run("list", "--store", store)[1]
    assert run("forget", "hand.example", "--rules", "--store", store)[0] == 0
    assert [line.split()[0] for line in run("list", "--store", store)[1].splitlines()] == [
        "site",
        "known.example",
    ]
    code, out, error = run("forget", "known.example", SITE, "--store", store)
    assert (code, out) == (1, "1 site forgotten\n")
    assert error == f"boilerplate-sites: not known: {SITE}\n"
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
        (["list", "a"], "list does not take 1 arguments"),
        (["show"], "show does not take 0 arguments"),
        (["show", "a", "b"], "show does not take 2 arguments"),
        (["forget"], "forget does not take 0 arguments"),
        (["forget", "--all", "a.example"], "--all needs forget without names"),
        (["list", "--all"], "--all needs forget without names"),
        (["list", "--rules"], "--rules needs forget"),
        (["list", "--everything"], "unknown option --everything"),
        (["list", "-o", "x"], "-o needs export"),
    ],
)
def test_wrong_usage(run: Run, arguments: list[str], message: str) -> None:
    line = refused(run(*arguments), 2)
    assert message in line
    assert "usage: scrapy boilerplate-sites list | show SITE" in line


def test_wrong_store(run: Run) -> None:
    Path("text").write_text("no database " * 100)
    assert "cannot open text" in refused(run("list", "--store", "text")).lower()
    assert "Unknown site store" in refused(run("list", "--store", "mysql://x"))
    assert "no site store at gone" in refused(run("show", "x", "--store", "gone"))
    assert not Path("gone").exists()


def test_unknown_site(run: Run, store: str) -> None:
    for subcommand in ("show", "export"):
        line = refused(run(subcommand, "x.example", "--store", store))
        assert "'x.example' is unknown" in line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not valid JSON"),
        ('[{"containers": ["p"]}]', "a mapping with the key 'site'"),
        ('{"site": "a.example", "containers": ["p["]}', "'p[' is not a CSS selector or XPath"),
        ('{"site": "a.example", "containers": 5}', "containers cannot be 5"),
        ('{"site": "a.example", "drop": 5}', "drop must be CSS selectors or XPaths"),
        ('{"site": "www.a.example"}', "no page belongs to the site 'www.a.example'"),
        ('{"site": "https://a.example/x"}', "write 'a.example'"),
        ('{"site": ""}', "no page belongs to the site ''"),
    ],
)  # fmt: skip
def test_wrong_rules(run: Run, text: str, message: str) -> None:
    Path("rules.json").write_text(text)
    line = refused(run("import", "rules.json", "--store", "new.sqlite"))
    assert line.startswith("boilerplate-sites: rules.json: ")
    assert message in line
    assert not Path("new.sqlite").exists()


def test_rules_file_that_cannot_be_read(run: Run) -> None:
    assert "gone.json" in refused(run("import", "gone.json", "--store", "new.sqlite"))
    Path("bytes.json").write_bytes(b"\xff\xfe\xff")
    assert "bytes.json" in refused(run("import", "bytes.json", "--store", "new.sqlite"))


def test_yaml_needs_its_package(run: Run, store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    line = refused(run("show", SITE, "--format", "yaml", "--store", store))
    assert "YAML needs the package PyYAML" in line
