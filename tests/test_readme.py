"""What the README shows is true."""

from __future__ import annotations

import ast
import doctest
import re
import textwrap
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import scraping
from scraping import HTML, Broken, Crawl
from scrapy.http import HtmlResponse
from scrapy.settings import Settings
from scrapy.utils.misc import load_object

from scrapy_boilerplate import Addon
from scrapy_boilerplate.core.answer.extraction import OUTPUTS
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.plugin.downloadermiddlewares import BoilerplateDownloaderMiddleware
from scrapy_boilerplate.plugin.settings import SETTINGS, mistakes

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
ELSEWHERE = {"extending", "recipes"}
"""What tests/test_extractors.py installs, and what tests/test_recipes.py runs."""
EXAMPLES = [
    page
    for page in sorted((ROOT / "docs").glob("*.md"))
    if ">>> " in page.read_text() and page.stem not in ELSEWHERE
]


def test_the_examples_print_what_they_say() -> None:
    result = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert result.attempted >= 3
    assert result.failed == 0


@pytest.mark.parametrize("page", EXAMPLES, ids=lambda page: page.stem)
def test_the_examples_of_the_docs_print_what_they_say(page: Path) -> None:
    result = doctest.testfile(str(page), module_relative=False)
    assert result.attempted > 0
    assert result.failed == 0


def test_the_first_block_is_two_commands() -> None:
    block = re.search(r"^```\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)
    assert block is not None
    demo, tests = block[1].splitlines()
    assert demo.endswith(".venv/bin/python example_project/demo.py")
    assert tests.endswith(".venv/bin/python -m pytest -n auto --dist loadfile")


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as code hosts and Sphinx make them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.+)$", text, re.M)
    plain = (re.sub(r"[^\w\- ]", "", heading.strip().lower()) for heading in headings)
    return {heading.replace(" ", "-") for heading in plain}


def test_every_link_leads_somewhere() -> None:
    for page in PAGES:
        for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([\w-]+))?\)", page.read_text()):
            found = page.parent / target if target else page
            assert found.exists(), f"{page.name}: {target}"
            assert not anchor or anchor in anchors(found), f"{page.name}: {target}#{anchor}"


RUN_ELSEWHERE = {"tutorial", "recipes", "extending", "one-page"}
"""Pages whose blocks other tests run: files of projects, and a page written by a benchmark."""
GIVEN: dict[str, dict[str, Any]] = {
    "auto": {"html": "<p>It rained all day in the town."},
    "scale": {"html": ["<p>It rained all day."], "url": ["https://example.com/"], "ids": [1]},
    "sites": {"pages": [("https://example.com/", "<p>It rained all day in the town.")]},
}
"""Names that a block takes as known, by page."""
NEEDED = {"scale": "pyarrow"}  # packages of extras that the blocks of a page need
BLOCK = re.compile(
    r"^(?P<note> *<!-- not run here: .+ -->\n)?(?P<space> *)```python\n(?P<code>.*?)^ *```",
    re.M | re.S,
)


def test_every_block_of_python_runs() -> None:
    """As it stands there; files of a project are for tests/test_recipes.py."""
    ran = 0
    for page in PAGES:
        for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
            code = textwrap.dedent(block["code"])
            if block["note"] or ">>> " in code or code.startswith("# news/"):
                continue
            if NEEDED.get(page.stem) and find_spec(NEEDED[page.stem]) is None:
                continue
            if page.stem not in RUN_ELSEWHERE:
                names = {"__name__": page.stem, **GIVEN.get(page.stem, {})}
                exec(compile(code, page.name, "exec"), names)
                found = {k: v for k, v in names.items() if k.startswith("BOILERPLATE_")}
                assert not list(mistakes(Settings(found))), page.name
                ran += 1
    assert ran >= 10


def commands() -> dict[str, set[str]]:
    """Return the modules that the pages run with ``python -m``, and the flags they are given."""
    found: dict[str, set[str]] = {}
    for page in PAGES:
        text = re.sub(r"\\\n[ >]*", " ", page.read_text(encoding="utf-8"))  # goes on below
        for name, arguments in re.findall(r"python -m ((?:\w+\.)+\w+)([^\n`#;|]*)", text):
            if name.split(".")[0] in {"benchmarks", "training", "tests", "scrapy_boilerplate"}:
                found.setdefault(name, set()).update(re.findall(r" (--[a-z][\w-]*)", arguments))
    return found


COMMANDS = commands()


def source_of(name: str) -> str:
    """Return the source of a module of the repository, empty if it has none."""
    place = ROOT / name.replace(".", "/")
    paths = (place.with_suffix(".py"), place / "__main__.py")
    return "".join(path.read_text(encoding="utf-8") for path in paths if path.exists())


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_and_flag_that_is_named_exists(name: str) -> None:
    source = source_of(name)
    assert '__name__ == "__main__"' in source
    shared = re.findall(r"^from ((?:benchmarks|training)\.\w+) import", source, re.M)
    known = re.findall(r'"(--[a-z][\w-]*)"', source + "".join(map(source_of, shared)))
    assert COMMANDS[name] <= {*known, "--help"}


def test_every_path_of_the_architecture_exists() -> None:
    text = re.sub(
        r"^```.*?^```", "", (ROOT / "docs" / "architecture.md").read_text(), flags=re.M | re.S
    )
    paths = re.findall(r"`((?:[\w.]+/)+[\w.]*)`", text)
    assert len(paths) > 20
    for path in paths:
        assert any((root / path).exists() for root in (ROOT, ROOT / "scrapy_boilerplate")), path


# -- the tables of the documentation say what the code does ---------------------------------------


def table(name: str, heading: str = "") -> list[list[str]]:
    """Return the cells of the rows that begin with code, of a file in ``docs`` or a part of it."""
    text = (ROOT / "docs" / name).read_text().partition(f"\n## {heading}" if heading else "# ")[2]
    lines = (text.partition("\n## ")[0] if heading else text).splitlines()
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in lines
        if line.startswith("| `")
    ]


def test_the_table_of_settings() -> None:
    rows = {name.strip("`"): rest for name, *rest in table("settings.md")}
    assert list(rows) == list(SETTINGS)
    for name, (kind, default, meaning) in rows.items():
        assert ast.literal_eval(default.strip("`")) == SETTINGS[name].default
        assert kind == SETTINGS[name].type
        assert meaning.endswith(".")


def test_every_setting_is_read_and_no_other() -> None:
    code = "".join(path.read_text() for path in (ROOT / "scrapy_boilerplate").rglob("*.py"))
    named = Counter(re.findall(r'"(BOILERPLATE_[A-Z_]+)"', code))
    assert named.keys() == SETTINGS.keys()
    assert min(named.values()) > 1  # in the table, and where it is read


def test_the_table_of_outputs() -> None:
    assert [name.strip("`") for name, _ in table("scrapy.md", "Outputs")] == list(OUTPUTS)


def test_the_orders_of_components_enabled_by_hand() -> None:
    text = (ROOT / "docs" / "scrapy.md").read_text()
    settings = Settings()
    Addon().update_settings(settings)
    found = re.findall(r"^([A-Z_]+) = \{\n((?:    .+\n)+)\}", text, re.M)
    named = {setting: lines for setting, lines in found if settings[setting] is not None}
    assert len(named) == 4
    for setting, lines in named.items():
        written = {
            load_object(path): order for path, order in ast.literal_eval(f"{{{lines}}}").items()
        }
        assert written == {component: component.ORDER for component in settings[setting]}


def test_every_stat_is_counted_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    crawl = Crawl({"BOILERPLATE_MAX_BODY": 100_000, "BOILERPLATE_MAX_NODES": 5000})
    crawl.scrape(scraping.page("<div>" * 3000 + "deep"), {}, {"text": "filled"}, "no item")
    crawl.scrape(scraping.page(boilerplate=False), {})
    crawl.scrape(scraping.page(HTML + " " * 100_000), {})
    crawl.scrape(scraping.page("<p>a " * 6000), {})
    crawl.scrape(scraping.page("<p>"), {})
    crawl.scrape(scraping.page("<p>fail", boilerplate=Broken()), {})
    misread = "<p>新闻联播今天没有播出".encode()
    crawl.scrape(HtmlResponse("https://example.com/", body=misread, encoding="gb18030"), {})
    crawl.scrape(HtmlResponse("https://example.com/", body=b"<meta charset=gbk>%s." % misread), {})
    crawl.process({})
    init = Page.__init__

    def lossy(self: Page, *args: object, **kwargs: object) -> None:
        init(self, *args, **kwargs)
        self.truncated = True

    monkeypatch.setattr(Page, "__init__", lossy)
    crawl.scrape(scraping.page(), {})
    stripping = BoilerplateDownloaderMiddleware(crawl.crawler)
    stripping.process_response(scraping.page().request, scraping.page())
    with_script = scraping.page("<script>f()</script>", boilerplate={"strip": True})
    stripping.process_response(with_script.request, with_script)
    monkeypatch.setattr(HtmlResponse, "replace", None)
    stripping.process_response(with_script.request, with_script)

    names = {name for name in crawl.crawler.stats.get_stats() if name.startswith("boilerplate/")}
    stats = [name.strip("`") for name, _ in table("stats.md")]
    in_crawls = ("boilerplate/sites/", "boilerplate/pages/")  # other tests make these
    known = [name for name in stats if not name.startswith(in_crawls)]
    patterns = {name: re.compile(re.sub(r"<\w+>", r"[\\w-]+", name)) for name in known}
    unknown = {n for n in names if not any(p.fullmatch(n) for p in patterns.values())}
    never = {n for n, p in patterns.items() if not any(p.fullmatch(name) for name in names)}
    assert (unknown, never) == (set(), set())
