"""A person's rule adds to what was learned of a site, wherever models are applied."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from generated_sites import Site, taught

from scrapy_boilerplate import get_extractor
from scrapy_boilerplate.learn import SiteModel, dump_models, extract_site
from scrapy_boilerplate.learn.stores import open_store
from scrapy_boilerplate.learn.stores.models import StoredModels
from scrapy_boilerplate.tools.cli import main
from scrapy_boilerplate.tools.inspector.session import spread
from scrapy_boilerplate.tools.rows import InputPage

SITE = Site()
METHOD = get_extractor("mss-tuned")
NOTHING = SiteModel.from_dict({"site": SITE.host, "drop": [".nosuch"]})


@pytest.fixture
def store(tmp_path: Path) -> str:
    address = str(tmp_path / "sites.sqlite")
    with open_store(address) as opened:
        opened.save(SITE.host, taught(SITE.pages(20)).state(SITE.host) or b"")
    return address


@pytest.fixture
def rules(tmp_path: Path) -> str:
    path = tmp_path / "rules.json"
    path.write_text(dump_models([NOTHING]))
    return str(path)


def test_a_rule_that_matches_nothing_changes_nothing(store: str) -> None:
    asked = SITE.article(500).page()
    plain = StoredModels(store)(asked.url or "")
    ruled = StoredModels(store, rules={SITE.host: NOTHING})
    data = ruled(asked.url or "")
    assert plain is not None
    assert data is not None
    assert data != plain
    answer = SiteModel.from_bytes(data).apply(asked, METHOD)
    assert answer.text == SiteModel.from_bytes(plain).apply(asked, METHOD).text
    assert answer.text != METHOD.extract(asked).text


def test_a_dump_learns_sites_that_have_a_rule() -> None:
    dump = [(made.url, made.html) for made in SITE.pages(12)]
    plain = [answer.text for _, answer in extract_site(dump, extractor=METHOD)]
    rules = {SITE.host: NOTHING}
    assert [answer.text for _, answer in extract_site(dump, extractor=METHOD, rules=rules)] == plain


def test_the_command_line_takes_rules(
    store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = SITE.article(500)
    page, rules = tmp_path / "page.html", tmp_path / "own.json"
    page.write_text(made.html)
    rules.write_text(json.dumps({"site": SITE.host, "drop": ["p"]}))
    shown = []
    for more in ([], ["--rules", str(rules)]):
        given = ["extract", str(page), "--url", made.url, "--extractor", "mss-tuned"]
        assert main([*given, "--sites", store, *more]) == 0
        shown.append(capsys.readouterr().out.strip())
    assert made.gold in shown[0]
    assert shown[1] == made.gold.split("\n")[0]
    assert main(["extract", str(page), "--rules", str(tmp_path / "none.json")]) != 0
    assert "none.json" in capsys.readouterr().err


def test_a_preview_takes_pages_of_all_sections() -> None:
    names = [f"https://a.example/{part}/x{n:03}" for part in ("a", "b", "c") for n in range(150)]
    pages = [InputPage(b"", name, name=name) for name in [*names, "https://a.example/d/x"]]
    chosen = [page.name.split("/")[3] for page in spread(pages, 100)]
    assert [chosen.count(part) for part in "abcd"] == [33, 33, 33, 1]
    assert spread(pages[:7], 100) == pages[:7]
    assert spread([], 100) == []
