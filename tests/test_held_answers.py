"""Pages of held items stay in memory without their trees, and give the answers of whole ones."""

from __future__ import annotations

import gc
import gzip
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
from scrapy_boilerplate.plugin.holding import store as holding_store
from scrapy_boilerplate.plugin.holding.store import HeldAnswer, HeldPage, HeldStore

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


def ready(page: Page, extractor: Extractor, found: Any = None, most: int = 1 << 30) -> HeldAnswer:
    kept = HeldAnswer.of(page, extractor, found or extractor.extract(page), most)
    assert kept is not None
    return kept


def add(store: HeldStore, sent: HtmlResponse) -> HeldPage:
    page = store.add("a.example", "", sent, {"url": sent.url}, SPIDER)
    assert page is not None
    return page


@pytest.mark.parametrize("name", ["auto", "mss-tuned", "energy"])
@pytest.mark.parametrize("site", SITES, ids=lambda site: site.parent.name)
def test_a_held_page_gives_the_answer_of_the_page_read_again(site: Path, name: str) -> None:
    extractor, learner, held = get_extractor(name), SiteLearner(), []
    came = list(bodies(site))
    for url, body in came:
        page = page_of(response(url, body))
        found = extractor.extract(page)
        learner.observe(page, found)
        held.append(ready(page, extractor, found))
    applied = 0
    for kept, (url, body) in zip(held, came, strict=True):
        again = response(url, body)
        light = kept.page
        with_source(light, again)
        found = kept.found(light, extractor)
        assert found is not None
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
    light = ready(page, get_extractor("mss")).page
    tree, source = ref(page), ref(sent)
    del page, sent
    gc.collect()
    assert tree() is None
    assert source() is None
    with pytest.raises(AttributeError, match="the tree was freed"):
        light.root  # noqa: B018
    with_source(light, response("https://a.example/", body))
    assert light.root.tag == "html"


def test_the_view_of_a_page_goes_with_it() -> None:
    page = page_of(response("https://a.example/", b"<html><p>One two three.</p></html>"))
    paths = view_of(page).paths
    light = ready(page, get_extractor("mss")).page
    assert view_of(light).paths is paths
    assert view_of(light).page is light


def test_pages_beyond_the_memory_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = response("https://a.example/", b"<html><p>One two three.</p></html>")
    page, extractor = page_of(sent), get_extractor("mss")
    found = extractor.extract(page)
    monkeypatch.setattr(holding_store, "MEMORY_BYTES", page.nbytes + 30_000)
    with closing(HeldStore()) as store:
        held: list[HeldPage] = []
        for _ in range(3):
            held.append(add(store, sent))
            store.keep_answer(held[-1], page, extractor, found)
        assert [each.answer is not None for each in held] == [True, False, False]
        store.remove(held[0], held[0].items[0])
        store.remove_page(held[1])
        assert held[0].answer is None
        store.keep_answer(held[2], page, extractor, found)
        assert held[2].answer is not None


def test_another_method_is_not_answered() -> None:
    page = page_of(response("https://a.example/", b"<html><p>One two three.</p></html>"))
    mss = get_extractor("mss")
    kept = ready(page, mss)
    assert kept.found(kept.page, mss) is not None
    assert kept.found(kept.page, get_extractor("bte")) is None
    assert kept.found(page, mss) is None  # another page, though with the same text


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
    method = WithTree()
    light = ready(page, method).page
    with_source(light, response("https://a.example/", body))
    assert method.extract(light).text == "One two three.\n\nFour."
    half = light.restricted(np.array([True, False]))
    assert method.extract(half).text == "One two three."


def test_a_body_that_is_not_compressed_comes_back() -> None:
    sent = response("https://a.example/", b"<html><p>One two three.</p></html>" * 100)
    with closing(HeldStore()) as store:
        page = add(store, sent)
        assert page.size > len(sent.body)
        del sent
        gc.collect()
        assert store.response(page, SPIDER).body.count(b"One two three.") == 100


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
