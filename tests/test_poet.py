"""Extractions that scrapy-poet injects, in a crawl of a local file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("scrapy_poet")

HTML = "<title>On piers | Example</title><h1>On piers</h1>" + (
    "<p>Piers are made of wood, which comes from the hills nearby by boat.</p>" * 5
)
SPIDER = """
import attrs
import scrapy
from web_poet import ItemPage, field

from scrapy_boilerplate import Extraction


@attrs.define
class Headline(ItemPage[dict]):
    extraction: Extraction

    @field
    def headline(self):
        return self.extraction.title


class Spider(scrapy.Spider):
    name = "poet"
    custom_settings = {
        "ADDONS": {"scrapy_boilerplate.Addon": 500, "scrapy_poet.Addon": 300},
        "SCRAPY_POET_PROVIDERS": {"scrapy_boilerplate.poet.ExtractionProvider": 500},
        "BOILERPLATE_EXTRACTOR": "mss-tuned",
        "BOILERPLATE_FIELDS": {},
    }

    async def parse(self, response, extraction: Extraction, page: Headline):
        yield {"method": extraction.extractor, "text": extraction.text, **await page.to_item()}
"""


def test_callbacks_and_page_objects_get_the_extraction(tmp_path: Path) -> None:
    source = tmp_path / "page.html"
    source.write_text(HTML)
    (tmp_path / "spider.py").write_text(SPIDER + f'\n    start_urls = ["{source.as_uri()}"]\n')
    command = [sys.executable, "-m", "scrapy", "runspider", "spider.py", "-O", "items.json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    (item,) = json.loads((tmp_path / "items.json").read_text() or "[]") or [done.stderr]
    assert item["method"] == "mss-tuned"
    assert item["headline"] == "On piers"
    assert "Piers are made of wood" in item["text"]
