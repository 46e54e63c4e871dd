"""What decided each block: ``explain`` reads the record of the answer, and can't say otherwise."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markup import documents

from scrapy_boilerplate import (
    Extraction,
    Page,
    Segment,
    explain,
    extract,
    extractor_names,
    get_extractor,
)
from scrapy_boilerplate.core.auto.block_rules import RULES
from scrapy_boilerplate.learn import SiteLearner, SiteModel

FOLDER = Path(__file__).with_name("fixtures") / "frameworks"
TEXT = "It rained all day in the town, and nobody went out to look at the river there. "
LONG = "".join(f"<p>{TEXT * 3}</p>" for _ in range(5))
PAGES = {
    "challenge": "<title>Just a moment...</title><script src='/cdn-cgi/challenge-platform/x.js'>"
    "</script><h1>example.com</h1><p>Checking your browser before you go on.",
    "labels": f"<h1>Rain</h1>{LONG}<div>Advertisement</div>{LONG}",
    "table": f"<h1>Rain</h1>{LONG}<table><tr><th>Day<th>mm<tr><td>1<td>20</table>{LONG}",
    "links": "<ul><li><a href=/>Home</a><li><a href=/n>News</a></ul>" + LONG,
    "empty": "",
}


def check(answer: Extraction, page: Page) -> dict[str, set[str]]:
    """Check what is explained of an answer; return the texts that each rule decided."""
    found = answer.explain()
    record = found.record
    names = {rule.name for rule in record.rules}
    kept = np.zeros(page.text_at.size, dtype=bool)
    seen = np.zeros(page.text_at.size, dtype=int)
    for each, (start, stop) in zip(found, record.spans.tolist(), strict=True):
        kept[start:stop] = each.kept
        seen[start:stop] += 1
        assert each.rule in names
        assert each.reason.startswith(f"{each.rule}")
        assert each.reason.partition(":")[0] == each.rule
    assert (seen == 1).all()  # each text node is explained, once
    assert (kept == answer.kept(page)).all()
    assert " ".join(each.text for each in found if each.kept).split() == answer.text.split()
    return {name: {each.text for each in found if each.rule == name} for name in names}


@pytest.mark.parametrize("name", extractor_names())
@pytest.mark.parametrize("html", PAGES.values(), ids=PAGES)
def test_what_is_explained_is_what_is_extracted(html: str, name: str) -> None:
    page = Page.parse(html)
    check(extract(page, extractor=name), page)
    check(extract(page, extractor=name, tables=False, comments=False), page)


@given(documents, st.sampled_from(extractor_names()))
def test_it_is_on_any_page(html: str, name: str) -> None:
    page = Page.parse(html)
    answer = get_extractor(name).extract(page)
    check(answer, page)
    assert tuple(get_extractor(name).explain(page)) == tuple(answer.explain())


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.html*"))[:12], ids=lambda path: path.name)
def test_it_is_on_pages_of_frameworks(path: Path) -> None:
    page = Page.parse(path.read_bytes(), url="https://example.com/a")
    answer = extract(page)
    shown = answer.page
    assert shown is not None
    check(answer, shown)


def test_rules_are_named() -> None:
    found = check(extract(Page.parse(PAGES["challenge"])), Page.parse(PAGES["challenge"]))
    assert found["blocked"] == {"example.com", "Checking your browser before you go on."}
    assert found["auto"] == set()
    found = check(extract(Page.parse(PAGES["labels"])), Page.parse(PAGES["labels"]))
    assert found["labels"] <= {"Advertisement"}
    (label,) = (each for each in explain(PAGES["labels"]) if each.text == "Advertisement")
    assert not label.kept
    page = Page.parse(PAGES["table"])
    answer = extract(page, extractor="mss-tuned", tables=False)
    assert check(answer, page)["tables"] == {"Day", "mm", "1", "20"}


def test_each_rule_of_the_model_has_a_name_of_its_own() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert all(rule.reason for rule in RULES)


@pytest.mark.parametrize("name", ["auto", "mss-tuned", "energy", "links"])
def test_the_site_and_a_person_are_named(name: str) -> None:
    extractor, learner = get_extractor(name), SiteLearner()

    def made(number: int) -> Page:
        text = "".join(f"<p>On day {number} of {n} it rained. {TEXT}</p>" for n in range(6))
        return Page.parse(
            f"<title>Day {number}</title><nav><a href=/>Home</a></nav><div class=story><h1>Day "
            f"{number}</h1>{text}<p>Subscribe to the letter of this town, which is free.</p></div>"
            "<footer>Imprint and contact</footer>",
            url=f"https://example.com/{number}",
        )

    for number in range(12):
        learner.observe(made(number), extractor.extract(made(number)))
    learned = learner.model("example.com")
    page = made(20)
    found = check(learned.apply(page, extractor), page)
    assert {"Home", "Imprint and contact"} & found["site"]
    rule = SiteModel.from_dict({"site": "example.com", "drop": ["h1"], "keep": ["footer"]})
    found = check(rule.apply(page, extractor), page)
    assert found["manual rule"] == {"Day 20", "Imprint and contact"}


def test_an_answer_of_another_package_is_explained() -> None:
    class First:
        name = "first"

        def extract(self, page: Page) -> Extraction:
            text = page.lay_out(0, 1)
            main = (Segment(text, page.xpath_of(0, 1), span=(0, 1)),)
            return Extraction(text, main, main, "article", extractor=self.name)

    found = explain("<p>One.<p>Two.", extractor=First())
    assert [(each.text, each.kept, each.rule) for each in found] == [
        ("One.", True, "first"),
        ("Two.", False, "first"),
    ]


def test_an_answer_without_its_page_says_so() -> None:
    with pytest.raises(ValueError, match="pickled"):
        Extraction("Text").explain()
