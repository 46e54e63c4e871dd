"""Every registered extractor runs through the whole contract, and on real pages."""

from __future__ import annotations

import ast
import gzip
import inspect
import re
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markup import tree_pages

import scrapy_boilerplate
from scrapy_boilerplate import Page, extract, extractor_names, get_extractor
from scrapy_boilerplate.tools.testing import ExtractorContract, check_page
from scrapy_boilerplate.tools.testing.promises import squeeze
from scrapy_boilerplate.tools.testing.timing import PATIENCE

ROOT = Path(__file__).parent.parent
EXAMPLE_PAGES = sorted((ROOT / "example_project" / "sites").rglob("*.html"))


class TestRegistered(ExtractorContract):
    @pytest.fixture(autouse=True, params=extractor_names())
    def _named(self, request: Any) -> None:
        self.extractor = request.param

    @pytest.mark.parametrize("path", EXAMPLE_PAGES[::16], ids=lambda path: path.stem)
    def test_shipped_pages(self, path: Path) -> None:
        check_page(self.method, Page.parse(path.read_bytes()))

    def test_real_pages(self, shared_data: Path) -> None:
        paths = sorted((shared_data / "wcxb-dev" / "html").glob("*.html.gz"))[::160]
        assert len(paths) > 7
        for path in paths:
            check_page(self.method, Page.parse(gzip.decompress(path.read_bytes())))


@pytest.mark.parametrize("name", extractor_names())
def test_a_page_without_text_has_no_spans(name: str) -> None:
    verdict = get_extractor(name).judge(Page.parse("<p></p><img src=a.png>"))
    sizes = [len(each) for each in (verdict.spans, verdict.keep, verdict.scores)]
    assert (sizes, verdict.spans.shape) == ([0, 0, 0], (0, 2))


@pytest.mark.parametrize("name", extractor_names())
@settings(max_examples=25)
@given(html=tree_pages(), random=st.randoms(use_true_random=False))
def test_a_page_restricted_to_some_of_its_text_has_no_other(
    name: str, html: str, random: Random
) -> None:
    method, page = get_extractor(name), Page.parse(html)
    check_page(method, page)
    keep = np.array([random.random() < 0.7 for _ in range(page.text_at.size)], dtype=bool)
    view = page.restricted(keep)
    answer = method.extract(view)
    shown = squeeze("".join(part.text for part in method.explain(view)))
    assert shown == squeeze(view.buffer)
    assert squeeze("".join(s.text for s in answer.main)) == squeeze(answer.text)


class TestEnergyOfKnownWords(ExtractorContract):
    extractor = "energy"
    options = {"metric": "dictionary", "dictionary": ["it", "in", "the", "and"], "p": 1}  # noqa: RUF012


class TestEnergyByFormula(ExtractorContract):
    extractor = "energy"
    options = {"metric": "characters", "dissipation": "formula", "p": 10}  # noqa: RUF012


WRONG: tuple[object, ...] = (
    *("a", "", "5", None, b"x", [], {}, object(), True, 1.5, -1, 0),
    *(float("nan"), float("inf"), 10**400),
)


OPTIONS = [
    (name, option)
    for name in extractor_names()
    for option in inspect.signature(type(get_extractor(name))).parameters
]


@pytest.mark.parametrize(("name", "option"), OPTIONS)
def test_an_option_of_a_wrong_type_is_an_error_before_any_page(name: str, option: str) -> None:
    page = Page.parse("<h1>Rain</h1><p>It rained all day, and nobody was surprised.</p>" * 9)
    for value in WRONG:
        try:
            extractor = get_extractor(name, **{option: value})
        except ValueError:
            continue
        assert not isinstance(value, bytes), value
        extractor.extract(page)
    with pytest.raises(ValueError, match=option):
        get_extractor(name, **{option: object()})


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        *(("energy", {"p": p}, "p") for p in (0, -1.0, float("nan"))),
        ("energy", {"metric": "letters"}, "metric"),
        ("energy", {"dissipation": "both"}, "dissipation"),
        ("energy", {"metric": "dictionary"}, "metric"),
        ("energy", {"metric": "dictionary", "dictionary": "the and"}, "dictionary"),
        *(("web2text", {"threshold": wrong}, "threshold") for wrong in (0.0, 1.0, -1.0)),
        ("mss", {"scores": "guessed"}, "scores"),
        ("justext", {"language": "Klingon"}, r"'Klingon'.*any.*English"),
        ("auto", {"hidden": True}, "'hidden' must be 'keep' or 'drop', not True"),
        *(
            ("auto", {"max_words": wrong}, "'max_words' must be a whole number, 1 or more")
            for wrong in (0, -1, "many", 2.5, True)
        ),
    ],
)
def test_a_wrong_value_of_an_option_is_named(
    name: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        extract("<p>Rain", extractor=name, **options)


def test_a_model_that_is_none_is_an_error_before_any_page(tmp_path: Path) -> None:
    damaged = tmp_path / "model.npz"
    damaged.write_bytes(b"PK and more")
    for path in (damaged, tmp_path, tmp_path / "none.npz"):
        with pytest.raises(ValueError, match=r"model .* cannot be read"):
            get_extractor("auto", model=str(path))


def test_package_uses_no_pickle() -> None:
    package = Path(scrapy_boilerplate.__file__).parent
    for path in package.rglob("*.py"):
        if path.name == "isolation.py":  # a pipe to a process of its own, and plain values back
            continue
        source = path.read_text(encoding="utf-8")
        assert "allow_pickle=True" not in source
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                names = [getattr(node, "module", None), *(alias.name for alias in node.names)]
                assert not {"pickle", "cPickle", "dill", "joblib", "shelve"} & set(names), path
    assert not [path for path in package.rglob("*") if path.suffix in (".pkl", ".pickle")]


def documented_files() -> list[tuple[str, str]]:
    """Return the files that the docs show, by their names: text that stands above each."""
    text = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    return re.findall(r"`([\w./-]+)`[^\n]*:\n+```\w*\n(.*?)```", text, re.DOTALL)


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """Another package, installed as pip does it, made of what the docs show."""
    files = [each for each in documented_files() if "/" not in each[0]]
    for name, content in files:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    assert {name for name, _ in files} == {"longest.py", "entry_points.txt", "test_longest.py"}
    information = tmp_path / "longest-1.0.dist-info"
    information.mkdir()
    (tmp_path / "entry_points.txt").rename(information / "entry_points.txt")
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: longest\nVersion: 1.0\n")
    return tmp_path


def run(plugin: Path, *arguments: str) -> str:
    """Run code in a process that knows the other package."""
    paths = [str(plugin), str(ROOT)]
    command = [sys.executable, "-c", f"import sys; sys.path[:0] = {paths!r}\n{arguments[0]}"]
    done = subprocess.run(
        [*command, *arguments[1:]], capture_output=True, text=True, cwd=plugin, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_another_package_adds_a_method_and_no_name_that_is_built_in(plugin: Path) -> None:
    entries = plugin / "longest-1.0.dist-info" / "entry_points.txt"
    entries.write_text(entries.read_text() + "mss = longest:Longest\n")
    printed = run(
        plugin,
        "from scrapy_boilerplate import extract, extractor_names, get_extractor\n"
        "print(extractor_names()[-1])\n"
        "print(extract('<p>One<p>Two three', extractor='longest').text)\n"
        "print(extract('<p>One<p>Two three', extractor='longest', least=99).kind)\n"
        "print(type(get_extractor('mss')).__name__)\n",
    )
    assert printed.splitlines() == ["longest", "Two three", "empty", "MSS"]


def contract(plugin: Path, names: str, status: str = "") -> str:
    """Run tests of the contract."""
    code = f"import pytest; sys.exit({status} pytest.main(sys.argv[1:]))"
    quick = ("-q", "-p", "no:cacheprovider", "--assert=plain", "--tb=no")  # no diffs of huge pages
    return run(plugin, code, *quick, "-k", names, "test_longest.py")


def test_its_method_runs_the_contract(plugin: Path) -> None:
    assert "7 passed" in contract(plugin, "Longest")


def test_the_contract_does_not_need_pytest(plugin: Path) -> None:
    (plugin / "test_with_unittest.py").write_text(
        "import unittest\n"
        "from test_longest import TestLongest\n"
        "class TestByUnittest(TestLongest, unittest.TestCase):\n"
        "    options = {'least': 2}\n"
    )
    code = (
        "sys.modules['pytest'] = None\n"
        "sys.stderr = sys.stdout\n"
        "import unittest; unittest.main('test_with_unittest')"
    )
    assert "Ran 7 tests" in (shown := run(plugin, code))
    assert "OK" in shown


def test_the_contract_catches_a_method_that_breaks_it(plugin: Path) -> None:
    """One that leaves out text, under another name than its own."""
    source = (plugin / "longest.py").read_text()
    for right, wrong in (
        ('"longest"', '"shortest"'),
        ("(page.blocks, keep", "(page.blocks[:1], keep[:1]"),
    ):
        assert right in source
        source = source.replace(right, wrong)
    (plugin / "longest.py").write_text(source)
    names = ("crafted_pages", "deep_trees", "has_its_registered_name")
    shown = contract(plugin, " or ".join(names), "not")
    for name in names:
        assert f"FAILED test_longest.py::TestLongest::test_{name}" in shown


def test_paths_that_have_no_room_among_all_texts_name_the_same_nodes() -> None:
    menu = "<ul>" + "<li><a href=/a>Home</a>" * 600 + "</ul>"
    prose = "<p>It rained all day, and the boats of the village stayed in the harbour." * 9
    page = Page.parse("<div>" * 120 + menu + prose)
    method = get_extractor("bte")
    paths = {part.xpath for part in method.explain(page) if part.kept}
    assert paths != {segment.xpath for segment in method.extract(page).main}
    check_page(method, page)


def test_an_output_is_a_file_and_a_line(tmp_path: Path) -> None:
    """What the docs say adds it to a copy of the package: attribute, field, format and dict."""
    source, copy = Path(scrapy_boilerplate.__file__).parent, tmp_path / "scrapy_boilerplate"
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("*.c", "*.pyx", "__pycache__"))
    (_, code), (_, line) = (each for each in documented_files() if "/" in each[0])
    (copy / "core" / "answer" / "output" / "outline.py").write_text(code)
    answer = copy / "core" / "answer" / "extraction.py"
    before, mark, after = answer.read_text().partition("    sections = Output(")
    start, first, rest = before.partition("from scrapy_boilerplate.core.answer import output")
    imported = "from scrapy_boilerplate.core.answer.output.outline import outline\n"
    answer.write_text(f"{start}{imported}{first}{rest}{mark}{after}".replace(mark, line + mark))
    (tmp_path / "page.html").write_text(
        f"<h1>Rain in May</h1><p>{'It rained. ' * 20}<h2>Snow in June</h2><p>It snowed, too."
    )
    code = (
        f"sys.path.insert(0, {str(tmp_path)!r})\n"
        "from scrapy_boilerplate import extract\n"
        "from scrapy_boilerplate.core.answer.extraction import OUTPUTS\n"
        "from scrapy_boilerplate.tools.cli import main\n"
        "page = open('page.html').read()\n"
        "answer = extract(page, extractor='mss-tuned')\n"
        "assert answer.outline == answer.to_dict()['outline'] == OUTPUTS['outline'](answer)\n"
        "wanted = ['--extractor', 'mss-tuned', '--format', 'outline']\n"
        "sys.exit(main(['extract', 'page.html', *wanted]))"
    )
    assert run(tmp_path, code) == "Rain in May\n  Snow in June\n"
