from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from markup import tree_pages

from scrapy_boilerplate import Page, extract, get_extractor


def is_shown(node: Any) -> bool:
    return isinstance(node.tag, str) and node.tag not in ("script", "head")


class Oracle:
    """The definition, read off an lxml tree with recursion and fractions."""

    def __init__(self, root: Any, share: Fraction) -> None:
        self.root = root
        self.share = share

    def children(self, node: Any) -> list[Any]:
        """Child elements, and texts as pairs (parent, number among its texts, text)."""
        texts = [(node, 1, node.text)] if node.text else []
        nodes: list[Any] = [*texts]
        for child in node:
            if is_shown(child):
                nodes.append(child)
            if child.tail:
                nodes.append((node, 1 + sum(isinstance(n, tuple) for n in nodes), child.tail))
        return [n for n in nodes if not isinstance(n, tuple) or n[2].strip()]

    def height(self, node: Any) -> int:
        if isinstance(node, tuple):
            return 0
        return max((1 + self.height(child) for child in self.children(node)), default=0)

    def energy(self, node: Any) -> Fraction:
        if isinstance(node, tuple):
            return Fraction(len("".join(node[2].split())))
        return sum((self.share * self.energy(w) for w in self.children(node)), Fraction(0))

    def holds_text(self, node: Any) -> bool:
        return isinstance(node, tuple) or any(map(self.holds_text, self.children(node)))

    def coherent(self, node: Any) -> list[Any]:
        if not self.holds_text(node):
            return []
        if isinstance(node, tuple):
            return [node[:2]]
        if all(self.energy(w) <= self.energy(node) for w in self.children(node)):
            return [node]
        return [leaf for child in self.children(node) for leaf in self.coherent(child)]


def place(page: Page, xpath: str) -> Any:
    """Return an element, or the parent of a text and its number among the texts."""
    path, text, number = xpath.partition("/text()[")
    (node,) = page.root.xpath(path)
    return (node, int(number[:-1])) if text else node


@settings(max_examples=80, deadline=None)
@example("<script>x()</script><tr>word</tr>word", Fraction(1, 4), "prose")  # tr stands in head
@given(
    tree_pages(),
    st.sampled_from([Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)]),
    st.sampled_from(["prose", "formula"]),
)
def test_partition_is_the_definition(html: str, share: Fraction, dissipation: str) -> None:
    page = Page.parse(html)
    assume(page.text_at.size and "<!--" not in html and not page.screen_only.size)
    oracle = Oracle(page.root, share)
    height = oracle.height(page.root)
    p = float(height * (share if dissipation == "formula" else 1 - share))
    extraction = extract(
        page, extractor="energy", metric="characters", dissipation=dissipation, p=p
    )
    nodes = [place(page, segment.xpath) for segment in extraction.segments]
    assert nodes == oracle.coherent(page.root)


ARTICLE = """<body><ul><li><a>Home</a><li><a>News</a></ul><div><h1>Rain</h1><p>It rained all day in
the town.<p>Nobody who lived there went out to look at it.</div><p>Imprint</body>"""


def test_main_text_has_the_most_energy_of_its_own() -> None:
    extraction = extract(ARTICLE, extractor="energy", p=1)
    (main,) = extraction.main
    assert main.xpath == "/html/body/div"
    assert main.text.splitlines()[::2] == [
        "Rain",
        "It rained all day in the town.",
        "Nobody who lived there went out to look at it.",
    ]
    assert main.score == max(segment.score for segment in extraction.segments) == 18
    assert len(extraction.segments) > 1


def test_shares_stay_between_nothing_and_all() -> None:
    for dissipation in ("formula", "prose"):  # nothing is lost, everything is lost at once
        extraction = extract(ARTICLE, extractor="energy", dissipation=dissipation, p=1e9)
        assert [segment.xpath for segment in extraction.segments] == ["/html"]
    almost = extract(ARTICLE, extractor="energy", p=4.999)
    assert all(segment.xpath.endswith("/text()[1]") for segment in almost.segments)


def test_nothing_has_energy() -> None:
    extraction = extract("<div><p>! ? …</p><p>—</p></div>", extractor="energy")
    assert (extraction.text, extraction.kind, extraction.main) == ("", "empty", ())
    assert [segment.text for segment in extraction.segments] == ["! ? …\n\n—"]


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("The rain and THE town.", 3),  # case does not count
        ("theory, andes, then", 0),  # whole words only
        ("the,and;the", 3),
        ("de\u0301ja\u0300 vu", 1),  # combining marks belong to the word
        ("İstanbul and the", 2),  # its lower case is longer
        ("今日の天気", 1),  # one character, one word
        ("<b>th</b>e the", 1),
    ],
)
def test_energy_of_known_words(text: str, known: int) -> None:
    words = ["the", "And", "De\u0301Ja\u0300", "の"]
    html = f"<p>{text}</p>"
    segments = extract(html, extractor="energy", metric="dictionary", dictionary=words).segments
    assert sum(segment.score for segment in segments) == known


def test_a_large_dictionary_is_not_printed() -> None:
    method = get_extractor("energy", metric="dictionary", dictionary=[*map(str, range(100))])
    assert repr(method) == "Energy(metric='dictionary', p=4.0, dissipation='prose')"
