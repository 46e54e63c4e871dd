"""The inspector on the screen of a real browser: Debian's Chromium, without a window.

Needs chromium and chromedriver on the path, and the package selenium.
"""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from markup import HOSTILE
from mockserver import MockServer, serving

from scrapy_boilerplate import Page, extract, get_extractor
from scrapy_boilerplate.core.answer.overlay import COLOURS
from scrapy_boilerplate.learn.rule_files import load_rules
from scrapy_boilerplate.tools.inspector import Inspected, inspector_html
from scrapy_boilerplate.tools.inspector.session import Session
from scrapy_boilerplate.tools.rows import InputPage

webdriver = pytest.importorskip("selenium.webdriver", reason="needs the package selenium")
waiting = pytest.importorskip("selenium.webdriver.support.ui")
if not (shutil.which("chromium") and shutil.which("chromedriver")):
    pytest.skip("needs chromium and chromium-driver", allow_module_level=True)

FIXTURES = Path(__file__).parent / "fixtures"
SHOWN = FIXTURES / "inspector"
QUICK = ("rust-blog", "flink-zh", "libreoffice-help-hu")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    for argument in ("--headless=new", "--no-sandbox", "--window-size=1300,1000"):
        options.add_argument(argument)
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    driver = webdriver.Chrome(options=options, service=service)
    driver.set_script_timeout(300)
    driver.set_page_load_timeout(300)
    yield driver
    driver.quit()


READY = """
const done = arguments[0];
const look = () => document.querySelector("[role=tab][aria-selected=true]")
  ? done() : setTimeout(look, 50);
look();
"""


def show(browser: Any, page: Page, folder: Path) -> dict[str, Any]:
    """Open the inspector's file for a page; return what it holds."""
    path = folder / "inspector.html"
    path.write_text(inspector_html(Inspected(page, "page")), encoding="utf-8")
    browser.get_log("performance")
    browser.get(path.as_uri())
    browser.execute_async_script(READY)
    data: dict[str, Any] = browser.execute_script("return data")
    return data


# What a reader would check: where each text stands, what lies over it, and how it is coloured.
LOOK = (SHOWN / "look.js").read_text()


def rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def check_geometry(browser: Any, page: Page) -> None:
    """Assert that what is kept, and nothing else, is highlighted where it stands."""
    shown: list[list[Any]] = browser.execute_script(LOOK)
    text = "".join(extract(page).text.split())
    for number, kept, role, written, inside, background in shown:
        assert inside, (page.url, page.title, number, written)
        expected = f"rgb{rgb(COLOURS[role])}" if kept else None
        if kept:
            assert background == expected, (number, role, written)
            assert "".join(written.split()) in text
        else:
            assert background not in {f"rgb{rgb(colour)}" for colour in COLOURS.values()}, written
    kept_words = sum(len(row[3].split()) for row in shown if row[1])
    assert kept_words >= 0.5 * len(extract(page).text.split())  # styles may hide a part


def loaded(browser: Any) -> list[str]:
    """Return the addresses of all that the browser has loaded since the page was opened."""
    events = (json.loads(row["message"])["message"] for row in browser.get_log("performance"))
    return [
        event["params"]["response"]["url"]
        for event in events
        if event["method"] == "Network.responseReceived"
    ]


def check_shown(browser: Any, page: Page, folder: Path) -> None:
    """Assert that a page is shown as it is, and that nothing is loaded for it."""
    show(browser, page, folder)
    check_geometry(browser, page)
    asked = loaded(browser)  # "data:,", the browser's first page, may be logged late
    assert not [url for url in asked if not url.startswith(("file:", "about:", "data:"))]


@pytest.mark.parametrize("site", QUICK)
def test_highlights_lie_where_the_kept_text_stands(browser: Any, site: str, tmp_path: Path) -> None:
    for path in sorted((FIXTURES / "gate" / site / "pages").glob("*.gz"))[:2]:
        check_shown(browser, Page.parse(gzip.decompress(path.read_bytes())), tmp_path)


def test_it_is_used_by_keyboard(browser: Any, tmp_path: Path) -> None:
    sheet = "<link rel=stylesheet href=a.css>"
    page = Page.parse(
        f"<title>T</title>{sheet}<ul><li><a href=/>Home</a></ul><h1>T</h1>" + "<p>Text. " * 9
    )
    show(browser, page, tmp_path)
    assert "without 1 style sheet:" in browser.find_element("id", "missing").text
    keys = webdriver.common.keys.Keys
    names = []
    for _ in range(12):
        browser.switch_to.active_element.send_keys(keys.TAB)
        active = browser.switch_to.active_element
        names.append(active.get_attribute("id") or active.get_attribute("class"))
    assert names[0] == "box"
    assert {"method", "other", "tab-text"} <= set(names)
    assert names.count("box") <= 2  # one stop for all blocks; arrows move between them
    browser.find_element("css selector", ".box").send_keys(keys.ARROW_DOWN)
    active = browser.switch_to.active_element
    assert active.get_attribute("data-block") == "1"
    active.send_keys(keys.ENTER)
    assert active.get_attribute("aria-pressed") == "true"
    about = browser.find_element("id", "about").text
    assert "as title" in about
    assert "probability" in about
    assert "/html/body/h1" in about
    active.send_keys(keys.ESCAPE)
    assert active.get_attribute("aria-pressed") == "false"
    browser.find_element("id", "tab-metadata").click()
    assert "from h1" in browser.find_element("id", "panel").text
    tab = browser.find_element("id", "tab-text")
    tab.click()
    tab.send_keys(keys.ARROW_RIGHT)
    assert browser.find_element("id", "panel").text.startswith("# T")
    assert browser.execute_script(
        "return [...document.querySelectorAll('.box, select, button')].every((node) =>"
        " node.getAttribute('aria-label') || node.textContent"
        " || document.querySelector(`label[for=${node.id}]`))"
    )


def test_methods_are_switched_and_compared(browser: Any, tmp_path: Path) -> None:
    page = Page.parse(
        "<title>T</title><ul><li><a href=/>Home</a></ul><h1>T</h1><p>"
        + "A text that all methods keep, and that is rather long. " * 9
        + "<ul><li><a href=/>One more link</a></ul>"
    )
    data = show(browser, page, tmp_path)
    for name in ("mss", "bte"):
        waiting.Select(browser.find_element("id", "method")).select_by_value(name)
        shown = browser.find_element("css selector", "#panel pre").text
        assert shown == data["methods"][name]["text"]
    waiting.Select(browser.find_element("id", "other")).select_by_value("links")
    classes = browser.execute_script("return marks.map((mark) => mark.className)")
    flags = {}
    for name in ("bte", "links"):
        flags[name] = [False] * data["texts"]
        for start, stop, kept, *_ in data["methods"][name]["blocks"]:
            flags[name][start:stop] = [kept] * (stop - start)
    words = {(True, True): "both", (True, False): "first", (False, True): "second"}
    pairs = zip(flags["bte"], flags["links"], strict=True)
    assert classes == [words.get(pair, "neither") for pair in pairs]


# -- hostile pages -------------------------------------------------------------------------------

TRIES = (SHOWN / "tries.html").read_text()


def test_a_hostile_page_runs_nothing_and_loads_nothing(browser: Any, tmp_path: Path) -> None:
    ours: tuple[str, ...] = ("data:",)
    with MockServer({}) as outside:
        host = outside.url("").removeprefix("http://")
        for html in (TRIES.replace("HOST", host), HOSTILE.replace("evil.example", host)):
            stored = InputPage(html.encode(), "https://a.example/", name="x")
            session = Session([stored], rules=str(tmp_path / "rules.json"))
            with serving(session) as server:
                browser.get_log("performance")
                browser.get(server.url)
                browser.execute_async_script(READY)
                for box in browser.find_elements("css selector", ".box")[:5]:
                    browser.execute_script("arguments[0].click()", box)
                # As if the page could act by itself: what would it reach?
                browser.execute_script(
                    "for (const node of frame.contentDocument.querySelectorAll('a, button, input'))"
                    " node.click()"
                )
                assert browser.execute_script("return window.run === undefined")
                assert browser.current_url == server.url
                asked = [url for url in loaded(browser) if not url.startswith("about:")]
                ours = (*ours, server.origin)  # what the first page asked for may be told late
                assert all(url.startswith(ours) for url in asked), asked
        assert outside.requests == []
    assert not (tmp_path / "rules.json").exists()


def test_even_a_page_that_is_not_cleaned_cannot_run(browser: Any, tmp_path: Path) -> None:
    """The frame and the policy hold by themselves, should the cleaning ever miss something."""
    with MockServer({}) as outside:
        raw = TRIES.replace("HOST", outside.url("").removeprefix("http://"))
        written = inspector_html(Inspected(Page.parse("<p>Text"), "page"))
        start = written.index('"page": "') + len('"page": "')
        stop = written.index('", "texts"')
        hostile = json.dumps(raw).replace("<", "\\u003c")[1:-1]
        path = tmp_path / "raw.html"
        path.write_text(written[:start] + hostile + written[stop:], encoding="utf-8")
        browser.get(path.as_uri())
        browser.execute_async_script("setTimeout(arguments[0], 1000)")
        assert browser.execute_script("return window.run === undefined")
        assert browser.current_url == path.as_uri()
        assert outside.requests == []


# -- rules ---------------------------------------------------------------------------------------


def test_a_rule_is_written_by_clicks(browser: Any, tmp_path: Path) -> None:
    html = (
        "<title>Rain</title><div class=story><h1>Rain</h1><p>"
        + "It rained all day in the town, and nobody went out to look at it. " * 2
        + "<p class=ad>Buy an umbrella now, it is the best that there is in the whole town.</div>"
    )
    stored = [
        InputPage(
            html.replace("town", f"town {n}").encode(), f"https://a.example/{n}", name=f"{n}.html"
        )
        for n in range(3)
    ]
    rules = tmp_path / "rules.json"
    session = Session(stored, method=get_extractor("bte"), rules=str(rules))
    wait = waiting.WebDriverWait(browser, 60)
    with serving(session) as server:
        browser.get(server.url)
        browser.execute_async_script(READY)
        box = next(
            box
            for box in browser.find_elements("css selector", ".box")
            if "umbrella" in (box.get_attribute("aria-label") or "")
        )
        browser.execute_script("arguments[0].click()", box)
        wait.until(lambda driver: driver.find_elements("id", "selector"))
        buttons = browser.find_elements("css selector", "#rule button")
        assert [button.text for button in buttons] == ["Never keep it", "Always keep it"]
        buttons[0].click()
        wait.until(lambda driver: "3 of 3 pages change" in driver.find_element("id", "effect").text)
        assert not rules.exists()
        pressed = [button.get_attribute("aria-pressed") for button in buttons]
        assert pressed == ["true", "false"]
        rule = '{"site":"a.example","drop":["div.story > p.ad"]}'
        assert rule in browser.find_element("id", "effect").text
        browser.find_elements("css selector", "#effect button")[-1].click()
        wait.until(lambda driver: "Written to" in driver.find_element("id", "effect").text)
        (model,) = load_rules(str(rules)).values()
        assert model.rule.drop == ("div.story > p.ad",)
        browser.refresh()
        browser.execute_async_script(READY)
        assert "umbrella" not in browser.find_element("css selector", "#panel pre").text


# -- real pages ----------------------------------------------------------------------------------


BROKEN_WORDS = (SHOWN / "broken_words.js").read_text()


@pytest.mark.parametrize("width", [360, 768, 1400])
def test_no_word_is_broken_at_any_width(browser: Any, tmp_path: Path, width: int) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    text = "هذا نص طويل بما يكفي ليكون مقالا. " * 3
    page = Page.parse("<h1 dir=rtl>عنوان الخبر</h1>" + f"<p>{text}" * 5)
    show(browser, page, tmp_path)
    panel = browser.find_element("css selector", "#panel pre")
    direction = browser.execute_script("return getComputedStyle(arguments[0]).direction", panel)
    assert direction == "rtl"
    browser.find_element("id", "tab-blocks").click()
    assert browser.execute_script(BROKEN_WORDS, "td:not(:last-child)") == [[], 0]
    shown = browser.find_element("css selector", "#panel tr:last-child button").text
    assert shown.endswith("…")  # after a whole word
    assert text.startswith(f"{shown[:-1]} ")
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
