"""Takes the screenshots of the documentation, in Chromium without a window.

    python -m benchmarks.screenshots

writes ``docs/inspector.png``: the inspector on a page of the example project, with what its site
teaches; and ``docs/learned.png``: the same page before and after its site is learned. Needs
chromium and chromedriver on the path, and the packages selenium and pillow.
"""

from __future__ import annotations

import io
import shutil
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from scrapy_boilerplate import Page, get_extractor
from scrapy_boilerplate.learn import LearningOptions, SiteLearner
from scrapy_boilerplate.tools.inspector import Inspected, inspector_html
from scrapy_boilerplate.tools.inspector.page_view import Known

ROOT = Path(__file__).parent.parent
SITES = ROOT / "example_project" / "sites"
PAGE = SITES / "portal" / "all-hands.html"
METHOD = get_extractor("mss-tuned")

READY = "return !!document.querySelector('[role=tab][aria-selected=true]')"


def learned(folder: Path, method: Any = METHOD) -> tuple[SiteLearner, dict[Path, Page]]:
    """Learn a site of the example project; return the learner, and the pages by their files."""
    learner = SiteLearner(LearningOptions(freeze_pages=100), key=lambda url: url.split("/")[2])
    pages = {}
    for path in sorted(folder.rglob("*.html")):
        url = f"https://{folder.name}.example/{path.relative_to(folder)}"
        page = pages[path] = Page.parse(path.read_bytes(), url=url)
        learner.observe(page, method.extract(page))
    return learner, pages


def inspector() -> str:
    """Return the inspector's document for the page."""
    learner, pages = learned(PAGE.parent)
    page = pages[PAGE]
    site = Known("portal.example", learner.model("portal.example"), "learned")
    return inspector_html(Inspected(page, PAGE.name, METHOD, site))


def before_and_after() -> str:
    """Return a document with the page twice: what the method kept alone, and with the model."""
    learner, pages = learned(PAGE.parent)
    page, model = pages[PAGE], learner.model("portal.example")
    assert model is not None
    alone = METHOD.extract(page)
    taught = model.apply(page, METHOD)
    panels = (("One page alone", alone), ("With what the site has taught", taught))
    return (
        "<!DOCTYPE html><meta charset=utf-8><style>body{display:flex;gap:16px;margin:8px;"
        "font:14px sans-serif}div{flex:1}h1{font-size:16px;margin:0}figcaption{display:none}"
        "iframe{height:1780px!important;zoom:.5}</style>"
        + "".join(
            f"<div><h1>{title}</h1>{answer.on(page)._repr_html_()}</div>"
            for title, answer in panels
        )
    )


def is_ready(condition: str, browser: Any) -> bool:
    return bool(browser.execute_script(condition))


def main() -> None:
    from PIL import Image
    from selenium import webdriver
    from selenium.webdriver.support.ui import WebDriverWait

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for argument in ("--headless=new", "--no-sandbox", "--hide-scrollbars"):
        options.add_argument(argument)
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    browser = webdriver.Chrome(options=options, service=service)
    shown = {
        "inspector": (inspector(), (1300, 860), READY),
        "learned": (before_and_after(), (1100, 1090), "return true"),
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, (document, (width, height), ready) in shown.items():
            path = Path(folder, f"{name}.html")
            path.write_text(document, encoding="utf-8")
            browser.set_window_size(width, height)
            browser.get(path.as_uri())
            WebDriverWait(browser, 60).until(partial(is_ready, ready))
            picture = Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB")
            output = ROOT / "docs" / f"{name}.png"
            picture.quantize(200).save(output, optimize=True)
            print(output.relative_to(ROOT), output.stat().st_size)
    browser.quit()


if __name__ == "__main__":
    main()
