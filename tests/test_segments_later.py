"""The text alone makes no segments; who asks for them gets what he always got."""

from __future__ import annotations

import copy
import gc
import json
import pickle
from unittest import mock

import numpy as np
import pytest
from itemadapter import ItemAdapter
from scrapy.http import HtmlResponse

from scrapy_boilerplate import Extraction, Page, Segment, extract, extractor_names, get_extractor
from scrapy_boilerplate.core.answer.extraction import GIVEN, MADE_OUTPUTS
from scrapy_boilerplate.core.page import page_of
from scrapy_boilerplate.core.page.xpaths import XPaths

PARAGRAPH = "It rained here, and it went on raining, so that we stayed where we were all day. " * 4
HTML = (
    "<html lang=en><body><ul><li><a href=/>Home</a><li><a href=/n>News</a></ul><div><h1>Title</h1>"
    + f"<p>{PARAGRAPH}</p><ul><li>one item</ul>" * 9
)


@pytest.mark.parametrize("name", extractor_names())
def test_text_kind_and_confidence_make_no_xpath(name: str) -> None:
    page = Page.parse(HTML)
    with mock.patch.object(XPaths, "of_elements", side_effect=AssertionError):
        answer = get_extractor(name).extract(page)
        assert answer.text
        assert answer.kind != "empty"
        assert answer.kept(page).any()
        assert answer.markdown
        assert answer.metadata.language
        assert answer.main_spans.size
        assert answer.on(page).main_spans.size
        with pytest.raises(AssertionError):
            _ = answer.segments
        with pytest.raises(AssertionError):
            _ = answer.document.xpaths
    assert len(answer.document.xpaths) == len(answer.document.nodes)
    assert answer.main_spans.tolist() == [list(segment.span) for segment in answer.main]


@pytest.mark.parametrize("name", extractor_names())
def test_segments_are_those_of_the_verdict(name: str) -> None:
    page, extractor = Page.parse(HTML), get_extractor(name)
    verdict = extractor.judge(page)
    answer = extractor.extract(page)
    kept = np.flatnonzero(verdict.keep)
    assert [s.span for s in answer.main] == list(map(tuple, verdict.spans[kept].tolist()))
    assert [s.score for s in answer.main] == verdict.scores[kept].tolist()
    assert [s.text for s in answer.main] == page.lay_out_all(verdict.spans[kept])
    roles = verdict.roles() if callable(verdict.roles) else verdict.roles
    if roles is not None:
        assert [s.role for s in answer.main] == [roles[number] for number in kept.tolist()]
    assert set(answer.main) <= set(answer.segments)
    assert (answer.main is answer.segments) == (len(answer.main) == len(answer.segments))


def test_segments_of_a_changed_and_freed_tree_keep_all_but_their_paths() -> None:
    response = HtmlResponse("https://example.com/", body=HTML, encoding="utf-8")
    for item in response.selector.root.xpath("//ul"):
        item.getparent().remove(item)
    answer = get_extractor("mss").extract(page_of(response))
    texts = answer.text.split("\n\n")
    del response
    gc.collect()
    assert [segment.text for segment in answer.segments] == texts
    assert {segment.xpath for segment in answer.segments} == {"/*"}


def test_it_is_a_value_like_any_other() -> None:
    answer, same = extract(HTML, extractor="links"), extract(HTML, extractor="links")
    assert answer == same
    assert hash(answer) == hash(same)
    for other in (pickle.loads(pickle.dumps(answer)), copy.copy(answer), answer.replace()):
        assert other == answer
        assert other.segments == answer.segments
        assert other.main == answer.main
    given = Extraction("Text", (Segment("Text", "/html"),), (), "article")
    assert given.segments[0].text == "Text"
    assert not given.main_spans.size
    with pytest.raises(AttributeError, match="no attribute 'segment'"):
        answer.segment  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError):
        answer.main = ()


def test_it_is_no_item_and_has_a_plain_form() -> None:
    answer = extract(HTML, url="https://example.com/a")
    assert not ItemAdapter.is_item(answer)
    form = json.loads(json.dumps(answer.to_dict()))
    assert set(form) == {*GIVEN, *MADE_OUTPUTS}
    assert form == json.loads(json.dumps(pickle.loads(pickle.dumps(answer)).to_dict()))
    public = {name for name in vars(answer) if not name.startswith("_")}
    assert public <= {*dir(Extraction), *Extraction.__annotations__}
