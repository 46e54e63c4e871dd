"""A crawl that cannot begin says why in one short message: Scrapy's commands, and scripts."""

from __future__ import annotations

import sys
from pathlib import Path

import processes
import pytest
import scrapy

PROCESSES = {
    "asyncio": [],
    "select": ["-s", "TWISTED_REACTOR="],
    "none": ["-s", "TWISTED_REACTOR_ENABLED=False"],
}
if scrapy.version_info < (2, 15):
    del PROCESSES["none"]

SPIDER = """
import scrapy
from scrapy_boilerplate import extract_with

class Wrong(scrapy.Spider):
    name = "wrong"
    start_urls = ["data:text/html,<p>Text"]
    boilerplate = {"extractor": "engergy"}
    %s

    @extract_with("bet")
    def parse(self, response):
        yield {"url": response.url}
"""
ADDON = 'custom_settings = {"ADDONS": {"scrapy_boilerplate.Addon": 500}}'
BY_HAND = """custom_settings = {"ITEM_PIPELINES": {
        "scrapy_boilerplate.plugin.pipelines.BoilerplatePipeline": 100}}"""
WRONG = {
    "BOILERPLATE_EXTRACTOR": "mms",
    "BOILERPLATE_FIELD": "x",
    "BOILERPLATE_MAX_BODY": "big",
    "BOILERPLATE_SITE_RULES": "/nonexist.json",
    "BOILERPLATE_SITE_STORE": "/dev/null/x",
}
MESSAGE = """scrapy_boilerplate cannot start:
- Unknown setting 'BOILERPLATE_FIELD'; did you mean 'BOILERPLATE_FIELDS'?
- BOILERPLATE_MAX_BODY must be a whole number, 0 or more, not 'big'
- spider attribute 'boilerplate': Unknown extractor 'engergy'; did you mean 'energy'?
- BOILERPLATE_EXTRACTOR: Unknown extractor 'mms'; did you mean 'mss'?
- callback 'parse': Unknown extractor 'bet'; did you mean 'bte'?
- BOILERPLATE_SITE_RULES: cannot read /nonexist.json (No such file or directory); \
pass the path of a file of rules, or omit it
- BOILERPLATE_SITE_STORE: Cannot open /dev/null/x: File exists; \
choose another path, or remove the file to start again
"""


def run(folder: Path, *arguments: str) -> tuple[int, str]:
    """Return exit status and all that a command shows, which is run where warnings are errors.

    But for the one that Scrapy gives without a reactor: it leaves its client open.
    """
    options = ("-W", "error", "-W", "ignore::ResourceWarning")
    done = processes.run([sys.executable, *options, *arguments], cwd=folder)
    return done.returncode, done.stdout + done.stderr


def options(settings: dict[str, str]) -> list[str]:
    return [part for item in settings.items() for part in ("-s", "=".join(item))]


def assert_one_message(shown: str) -> None:
    assert shown.count(MESSAGE) == 1
    assert shown.count("cannot start") == shown.count("'mms'") == 1
    assert "Traceback" not in shown
    assert "Spider opened" not in shown


@pytest.mark.parametrize("process", PROCESSES)
@pytest.mark.parametrize("components", [ADDON, BY_HAND], ids=["addon", "by hand"])
def test_a_command_shows_every_mistake_in_one_message(
    tmp_path: Path, components: str, process: str
) -> None:
    (tmp_path / "wrong.py").write_text(SPIDER % components)
    arguments = ["runspider", "wrong.py", *PROCESSES[process], *options(WRONG)]
    status, shown = run(tmp_path, "-m", "scrapy", *arguments)
    assert_one_message(shown)
    assert status == 1


def test_the_shell_shows_the_message(tmp_path: Path) -> None:
    settings = {"ADDONS": '{"scrapy_boilerplate.Addon": 500}', "BOILERPLATE_EXTRACTOR": "mms"}
    command = ["-m", "scrapy", "shell", "http://127.0.0.1:1/", *options(settings)]
    status, shown = run(tmp_path, *command)
    assert shown.count("- BOILERPLATE_EXTRACTOR: Unknown extractor 'mms'; did you mean 'mss'?") == 1
    assert "Traceback" not in shown
    assert status == 2


SCRIPT = """
import asyncio, sys
from scrapy.crawler import AsyncCrawlerProcess, CrawlerProcess
from scrapy_boilerplate.plugin.errors import ConfigurationError
from wrong import Wrong

kind, settings = sys.argv[1], {settings}
caught = []
if kind == "deferred":
    process = CrawlerProcess({{**settings, "TWISTED_REACTOR": None}})
    process.crawl(Wrong).addErrback(lambda failure: caught.append(failure.value))
else:
    process = AsyncCrawlerProcess(settings)
    task = process.crawl(Wrong)
    task.add_done_callback(lambda task: caught.append(task.exception()))
process.start()
print("".join(f"caught {{type(error).__name__}} with {{error}}\\n" for error in caught))
"""


@pytest.mark.parametrize("kind", ["deferred", "task"])
def test_a_script_can_catch_the_error(tmp_path: Path, kind: str) -> None:
    (tmp_path / "wrong.py").write_text(SPIDER % ADDON)
    (tmp_path / "script.py").write_text(SCRIPT.format(settings=WRONG))
    status, shown = run(tmp_path, "script.py", kind)
    assert shown.count(f"caught ConfigurationError with {MESSAGE}") == 1
    assert_one_message(shown)
    assert status == 0


@pytest.mark.parametrize("process", PROCESSES)
def test_a_mistake_of_another_package_keeps_its_traceback(tmp_path: Path, process: str) -> None:
    """Our way of showing errors is for ours only, also after one of ours in the same process."""
    (tmp_path / "wrong.py").write_text(SPIDER % ADDON)
    (tmp_path / "script.py").write_text(
        "import sys\n"
        "from scrapy.crawler import AsyncCrawlerProcess, CrawlerProcess\n"
        "from wrong import Wrong\n"
        "class Other(Wrong):\n"
        "    def __init__(self):\n"
        "        raise RuntimeError('out of luck')\n"
        "cls = CrawlerProcess if sys.argv[2:] == ['TWISTED_REACTOR='] else AsyncCrawlerProcess\n"
        "settings = dict(part.split('=') for part in sys.argv[2:])\n"
        "process = cls({'TELNETCONSOLE_ENABLED': 0, **settings})\n"
        "process.crawl(Wrong)\n"
        "process.crawl(Other)\n"
        "process.start()\n"
    )
    _, shown = run(tmp_path, "script.py", *PROCESSES[process])
    assert shown.count("scrapy_boilerplate cannot start:\n- spider attribute") == 1
    assert "Traceback" in shown
    assert "RuntimeError: out of luck" in shown
