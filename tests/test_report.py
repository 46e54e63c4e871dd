"""The report of a crawl: gathered in a real one, shown by the command."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from portal import run as crawl
from scraping import Crawl
from scrapy.cmdline import execute
from scrapy.settings import Settings

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.learn import SiteModel, Vote
from scrapy_boilerplate.tools.report.crawl_figures import (
    MOST_LOOKOUTS,
    MOST_SITES,
    OTHERS,
    CrawlFigures,
)
from scrapy_boilerplate.tools.report.extension import (
    BoilerplateReport,
    read_report,
    report_path,
    write_report,
)
from scrapy_boilerplate.tools.report.summary import report_line, report_text

Run = Callable[..., tuple[int, str, str]]
METHOD = {"BOILERPLATE_EXTRACTOR": "mss", "BOILERPLATE_OPTIONS": {}}


@pytest.fixture
def run(command: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command in a folder without a project; return exit code, output and errors."""
    monkeypatch.chdir(tmp_path)
    return partial(command, execute, "scrapy", "boilerplate-report")


def found(
    confidence: float | None = None, text: str = "Rain.", kind: str = "article"
) -> Extraction:
    return Extraction(text, kind=kind, confidence=confidence)


# -- in a crawl ----------------------------------------------------------------------------------


def test_a_crawl_and_its_report(tmp_path: Path, urls: list[str], run: Run) -> None:
    path = tmp_path / "reports" / "news.json"
    result = crawl(tmp_path, urls, **METHOD, BOILERPLATE_REPORT=str(path))
    (site,) = {url.split("/")[2] for url in urls}
    assert "INFO: Report: 36 pages of 1 site, article 83 %" in result.log
    assert f"; {site}: learned (" in result.log  # no number stands there twice
    assert f"Run `scrapy boilerplate-report {path}` for the whole report" in result.log
    assert re.search(
        r": learned \(div\.story[^)]*\); to check: http:\S+/tag/\d \(no article", result.log
    )

    form = json.loads(path.read_text())
    figures = form["sites"][site]
    assert (form["finished"], figures["pages"], figures["articles"]) == ("finished", 36, 30)
    assert figures["state"] == "learned"
    assert figures["learned"].startswith("div.story")
    assert 0 < figures["kept"] < figures["alone"]
    assert figures["lookouts"]
    assert {each["why"] for each in figures["lookouts"]} == {
        "no article according to the site's model"
    }
    assert all("/tag/" in each["url"] for each in figures["lookouts"])

    code, out, error = run(str(path))
    assert (code, error) == (0, "")
    (row,) = (line.split() for line in out.splitlines() if line.startswith(f"{site} "))
    assert row[1:3] == ["36", "83"]
    assert "learned div.story" in " ".join(row)
    assert out.count("/tag/") == MOST_LOOKOUTS


def test_a_run_with_a_job_directory_goes_on(tmp_path: Path, urls: list[str], run: Run) -> None:
    job = {"JOBDIR": str(tmp_path / "job"), "BOILERPLATE_SITES": False}
    crawl(tmp_path, urls[:5], **job)
    crawl(tmp_path, urls[5:12], **job)
    figures = read_report(tmp_path / "job" / "boilerplate" / "report.json")
    (site,) = figures.sites.values()
    assert (site.pages, site.state, site.learned) == (12, "not learned", "")
    assert site.change is None
    code, out, _ = run("-s", f"JOBDIR={tmp_path / 'job'}")
    assert code == 0
    assert "\n12 pages of 1 site" in out


def test_the_log_has_a_line_when_pages_came(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    given = Crawl({"BOILERPLATE_REPORT": str(tmp_path / "report.json")})
    report = BoilerplateReport(given.crawler)
    for pages in (0, 1, 1, 3):
        while report.figures.total().pages < pages:
            report.add("https://a.example/", found())
        report._tick()
    lines = re.findall(r"Report: (\d+) pages? of 1 site", caplog.text)
    assert lines == ["1", "3"]
    assert read_report(tmp_path / "report.json").total().pages == 3


def test_a_file_that_cannot_be_written_is_one_line_of_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    given = Crawl({"BOILERPLATE_REPORT": str(tmp_path / "report.json")})
    report = BoilerplateReport(given.crawler)
    report.add("https://a.example/", found())
    (tmp_path / "report.json").mkdir()
    report._tick()
    report.add("https://a.example/2", found())
    report._tick()
    assert caplog.text.count("The report cannot be written") == 1


# -- figures -------------------------------------------------------------------------------------


def test_memory_is_bounded() -> None:
    figures = CrawlFigures("news")
    for number in range(MOST_SITES + 500):
        for confidence in (0.9, 0.2, 0.5, 0.8, 0.1, 0.3, 0.7):
            url = f"https://{number}.example/{confidence}" + "x" * 5000
            figures.add(f"{number}.example", url, found(confidence))
    assert len(figures.sites) == MOST_SITES + 1
    assert figures.sites[OTHERS].pages == 500 * 7
    assert figures.total().pages == 7 * (MOST_SITES + 500)
    sure = [each.confidence or 0 for each in figures.sites["3.example"].lookouts.values()]
    assert sorted(sure) == [0.1, 0.2, 0.3]
    assert len(json.dumps(figures.to_dict())) < 5000 * MOST_SITES


def test_what_models_drop() -> None:
    figures = CrawlFigures("news")
    model = SiteModel("a.example", pages=20, containers=(Vote("div.story", 20, 19.0),))
    figures.add("a.example", "u", found(0.9, "x" * 900))  # without a model
    for _ in range(4):
        alone = found(0.9, "x" * 100)
        figures.add("a.example", "u", found(0.9, "x" * 80), alone, model)
    figures.add("b.example", "u", found(0.9, "x" * 900))
    rows = [line.split() for line in report_text(figures).splitlines() if ".example " in line]
    assert rows[0] == "a.example 5 100 % 0.90 -20 % not learned div.story".split()
    assert rows[1] == "b.example 1 100 % 0.90 - not learned".split()
    assert "text -20 % by models; a.example: 5 pages, " in report_line(figures)


def test_why_a_page_is_to_be_looked_at() -> None:
    figures, model = CrawlFigures("news"), SiteModel("a.example")
    for url, answer, alone in (
        ("unsure", found(0.4), found(0.4)),
        ("lost", found(0.9, "Rain."), found(0.9, "Rain all day long.")),
        ("no article", found(0.9, "", "list"), found(0.9)),
        ("empty for both", found(None, "", "empty"), found(None, "", "empty")),
    ):
        figures.add("a.example", url, answer, alone, model)
    figures.add("a.example", "empty", found(None, "", "empty"))
    figures.event("a.example", "changed", "relearning")
    figures.event("a.example", "nothing", "frozen")
    assert {page.url: page.why for page in figures.sites["a.example"].lookouts.values()} == {
        "unsure": "least confident",
        "lost": "the site's model drops more than half",
        "no article": "no article according to the site's model",
        "empty": "no text",
        "changed": "the site has changed",
    }


def test_a_page_of_which_the_method_is_confident_is_no_page_to_check() -> None:
    figures = CrawlFigures("news")
    for confidence in (0.89, 0.9, 0.999):
        figures.add("a.example", str(confidence), found(confidence))
    assert [*figures.sites["a.example"].lookouts] == ["0.89"]
    sure = CrawlFigures("news")
    sure.add("a.example", "one", found(0.999))
    assert "1.00" not in report_text(sure) + report_line(sure)


def test_a_password_is_not_written(tmp_path: Path) -> None:
    figures = CrawlFigures("news")
    figures.add("a.example", "https://me:secret@a.example/x@y", found(0.4))
    assert [*figures.sites["a.example"].lookouts] == ["https://a.example/x@y"]
    write_report(figures, tmp_path / "report.json")
    assert (tmp_path / "report.json").stat().st_mode & 0o077 == 0


def test_workers_are_put_together(tmp_path: Path, run: Run) -> None:
    for name, site in (("one", "a.example"), ("two", "a.example"), ("three", "b.example")):
        figures = CrawlFigures("news", f"2026-11-22T0{len(name)}:00:00+00:00")
        figures.add(site, f"https://{site}/{name}", found(0.5))
        write_report(figures, tmp_path / f"{name}.json")
    code, out, _ = run("one.json", "two.json", "three.json")
    head, total, _, _, *sites = out.splitlines()
    assert (code, head) == (0, "news, 2026-11-22 03:00 to 05:00 UTC (not finished)")
    assert total == "3 pages of 2 sites, article 100 %, confidence 0.50"
    assert [line.split()[:2] for line in sites[:2]] == [["a.example", "2"], ["b.example", "1"]]


@pytest.mark.parametrize(
    "form",
    [
        *([], {}, {"version": 1}, {"version": 1, "sites": {"a": []}}),
        {"version": 1, "sites": {"a": {"lookouts": [], "pages": "many"}}},
    ],
)
def test_another_file_is_refused(form: object, tmp_path: Path, run: Run) -> None:
    (tmp_path / "other.json").write_text(json.dumps(form))
    code, out, error = run("other.json")
    assert (code, out) == (1, "")
    assert error.startswith("boilerplate-report: other.json is not a report of a crawl")
    assert error.count("\n") == 1
    (tmp_path / "other.json").write_text("[" * 99_999)
    with pytest.raises(ValueError, match="not a report"):
        read_report(tmp_path / "other.json")


def test_nothing_to_show_and_the_newest_of_a_project(run: Run) -> None:
    for arguments, message in (
        ([], "no crawl of this project has written a report"),
        (["missing.json"], "missing.json"),
    ):
        code, _, error = run(*arguments)
        assert (code, message in error) == (1, True)
    settings = Settings()
    for spider in ("news", "a/b"):
        write_report(CrawlFigures(spider), report_path(settings, spider))
    assert run()[1].startswith("a/b, ")


def test_a_hostile_site_is_only_text() -> None:
    figures = CrawlFigures("\x1b[2J")
    figures.add("\x1b]0;x\x07", "https://a.example/\x1b[31m", found(0.4))
    assert "\x1b" not in report_text(figures) + report_line(figures)
