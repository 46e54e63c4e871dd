"""Pages of held items stay in memory without their trees, and give the answers of whole ones."""

from __future__ import annotations

import gc
import gzip
import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from weakref import ref

import numpy as np
import pytest
import scrapy
from scrapy.http import HtmlResponse

from scrapy_boilerplate import Page, get_extractor
from scrapy_boilerplate.core.methods.base import Extractor, Verdict
from scrapy_boilerplate.core.page import page_of
from scrapy_boilerplate.core.page.responses import with_source, without_tree
from scrapy_boilerplate.learn import SiteLearner
from scrapy_boilerplate.learn.template import view_of
from scrapy_boilerplate.plugin.holding.ready import ReadyPages
from scrapy_boilerplate.plugin.holding.store import HoldingStore, Packed
from scrapy_boilerplate.plugin.state import PageRecord

SITES = sorted((Path(__file__).parent / "fixtures" / "gate").glob("*/pages"))


class Spider(scrapy.Spider):
    name = "spider"

    def parse(self, response: Any) -> None:
        """Yield nothing."""


SPIDER = Spider()


def response(url: str, body: bytes) -> HtmlResponse:
    request = scrapy.Request(url, callback=SPIDER.parse)
    return HtmlResponse(url, body=body, headers={"Content-Type": "text/html"}, request=request)


def bodies(site: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(site.glob("*.html.gz")):
        yield f"https://{site.parent.name}.example/{path.stem}", gzip.decompress(path.read_bytes())


@pytest.mark.parametrize("name", ["auto", "mss-tuned", "energy"])
@pytest.mark.parametrize("site", SITES, ids=lambda site: site.parent.name)
def test_a_held_page_gives_the_answer_of_the_page_read_again(site: Path, name: str) -> None:
    extractor, learner, held = get_extractor(name), SiteLearner(), ReadyPages(1 << 30)
    came = list(bodies(site))
    for number, (url, body) in enumerate(came):
        page = page_of(response(url, body))
        found = extractor.extract(page)
        learner.observe(page, found)
        assert held.add(number, page, extractor, found)
    applied = 0
    for number, (url, body) in enumerate(came):
        again = response(url, body)
        light = held.page(number)
        assert light is not None
        with_source(light, again)
        found = held.found(number, light, extractor)
        model = learner.model(learner.site_of(light))
        fresh = page_of(response(url, body))
        alone = extractor.extract(fresh)
        assert found == alone
        if model is None:
            continue
        applied += 1
        one, other = model.apply(light, extractor, found), model.apply(fresh, extractor, alone)
        assert one == other  # text, segments with XPaths and roles, kind, confidence
        assert one.to_dict() == other.to_dict()
    assert applied >= len(came) / 2


def test_a_light_page_holds_neither_tree_nor_source() -> None:
    body = b"<html><body><p>One two three.</p></body></html>"
    sent = response("https://a.example/", body)
    page = page_of(sent)
    extractor, held = get_extractor("mss"), ReadyPages(1 << 20)
    assert held.add(1, page, extractor, extractor.extract(page))
    tree, source = ref(page), ref(sent)
    del page, sent
    gc.collect()
    assert tree() is None
    assert source() is None
    light = held.page(1)
    assert light is not None
    with pytest.raises(AttributeError, match="the tree was freed"):
        light.root  # noqa: B018
    with_source(light, response("https://a.example/", body))
    assert light.root.tag == "html"


def test_the_view_of_a_page_goes_with_it() -> None:
    page = page_of(response("https://a.example/", b"<html><p>One two three.</p></html>"))
    extractor, held = get_extractor("mss"), ReadyPages(1 << 20)
    paths = view_of(page).paths
    held.add(1, page, extractor, extractor.extract(page))
    light = held.page(1)
    assert light is not None
    assert view_of(light).paths is paths
    assert view_of(light).page is light


def test_pages_beyond_the_memory_are_not_kept() -> None:
    page = page_of(response("https://a.example/", b"<html><p>One two three.</p></html>"))
    extractor = get_extractor("mss")
    found = extractor.extract(page)
    held = ReadyPages(page.nbytes + 30_000)
    assert held.add(1, page, extractor, found)
    assert not held.add(2, page, extractor, found)
    held.forget(1)
    held.forget(1)
    assert held.add(2, page, extractor, found)
    held.clear()
    assert held.page(2) is None


def test_another_method_is_not_answered() -> None:
    page = page_of(response("https://a.example/", b"<html><p>One two three.</p></html>"))
    mss, held = get_extractor("mss"), ReadyPages(1 << 20)
    held.add(1, page, mss, mss.extract(page))
    light = held.page(1)
    assert light is not None
    assert held.found(1, light, get_extractor("bte")) is None
    assert held.found(1, page, mss) is None  # another page, though with the same text


def test_a_page_whose_source_is_not_its_response_is_not_kept() -> None:
    assert without_tree(Page.parse("<p>One")) is None


@dataclass(frozen=True, slots=True)
class WithTree(Extractor):
    """Looks at the tree, as methods of other packages may."""

    name: ClassVar[str] = "with-tree"

    def judge(self, page: Page) -> Verdict:
        keep = np.array([len(page.root.xpath("//p")) > 0])
        spans = np.array([[0, page.text_at.size]], dtype=np.int64)
        return Verdict(spans, keep, np.zeros(1), str)


def test_a_method_that_needs_the_tree_gets_it() -> None:
    body = b"<html><body><p>One two three.</p><p>Four.</p></body></html>"
    page = page_of(response("https://a.example/", body))
    held, method = ReadyPages(1 << 20), WithTree()
    held.add(1, page, method, method.extract(page))
    light = held.page(1)
    assert light is not None
    with_source(light, response("https://a.example/", body))
    assert method.extract(light).text == "One two three.\n\nFour."
    half = light.restricted(np.array([True, False]))
    assert method.extract(half).text == "One two three."


@pytest.mark.parametrize("memory", [0, 1 << 20])
@pytest.mark.parametrize("survives", [True, False])
def test_what_is_known_of_a_page_comes_from_memory_or_from_the_file(
    tmp_path: Path, memory: int, survives: bool
) -> None:
    folder = str(tmp_path) if survives else None
    sent = response("https://a.example/", b"<html><p>One two three.</p></html>")
    extractor = get_extractor("mss")
    with closing(HoldingStore(folder, memory)) as store:
        packed = Packed.of(sent, {"url": sent.url}, SPIDER)
        number, item = store.add("a.example", "", packed, sent)
        page = page_of(sent)
        written = store.keep(number, page, extractor, extractor.extract(page))
        assert (written > 0) == (survives or not memory)
        record = PageRecord(sent)
        store.recall(number, sent, record)
        assert record.found is not None
        assert (record.held is not None) == (memory > 0)
        found = record.found(record.held or page_of(sent), extractor)
        assert found is not None
        assert found.text == "One two three."
        store.remove(item)
        assert store._ready.page(number) is None


def test_a_body_that_is_not_compressed_comes_back() -> None:
    sent = response("https://a.example/", b"<html><p>One two three.</p></html>" * 100)
    packed = Packed.of(sent, {"url": sent.url}, SPIDER, compressed=False)
    assert len(packed.body) > len(sent.body)
    assert json.loads(packed.item)[2] == {"url": sent.url}
    with closing(HoldingStore()) as store:
        number, _ = store.add("a.example", "", packed, sent)
        del sent
        gc.collect()
        assert store.response(number, SPIDER).body.count(b"One two three.") == 100


@pytest.mark.parametrize("name", ["auto", "mss-tuned", "justext"])
@pytest.mark.parametrize("site", SITES, ids=lambda site: site.parent.name)
def test_what_a_model_selects_needs_no_segments(site: Path, name: str) -> None:
    extractor, learner = get_extractor(name), SiteLearner()
    pages = [Page.parse(body, url=url) for url, body in bodies(site)]
    for page in pages:
        learner.observe(page, extractor.extract(page))
    model = learner.model(learner.site_of(pages[0]))
    assert model is not None
    for page in pages:
        made = extractor.extract(page)
        assert made.segments is not None
        assert made.segments_later is None
        assert model.apply(page, extractor, made) == model.apply(page, extractor)
