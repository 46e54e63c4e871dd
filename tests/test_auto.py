"""The learned model: its trees, its decoding, its file, and what it says of pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import scrapy_boilerplate
from scrapy_boilerplate import Page, extract
from scrapy_boilerplate.core.auto import model as models
from scrapy_boilerplate.core.auto._forest_native import sum_of_trees, sum_plainly_only
from scrapy_boilerplate.core.auto.answers import choose_blocks
from scrapy_boilerplate.core.auto.block_rules import keep_blocks
from scrapy_boilerplate.core.auto.features import FEATURES, read_features
from scrapy_boilerplate.core.auto.forest import Forest
from scrapy_boilerplate.core.auto.lexicon import Lexicon
from scrapy_boilerplate.core.auto.model import load_model, model_from_arrays, model_to_arrays
from scrapy_boilerplate.core.page.arrays import Float32
from scrapy_boilerplate.tools.testing import ARTICLE

MODEL_FILE = Path(scrapy_boilerplate.__file__).parent / "core" / "models" / "auto.npz"


def sums(forest: Forest, matrix: Float32) -> list[float]:
    """Return the sums of the trees, which other processors find by plain loops."""
    found: list[float] = sum_of_trees(forest, matrix).tolist()
    sum_plainly_only()
    try:
        assert sum_of_trees(forest, matrix).tolist() == found
    finally:
        sum_plainly_only(False)
    return found


# -- trees -----------------------------------------------------------------------------------


def by_hand(forest: Forest, row: Sequence[float] | Float32) -> np.float32:
    """Follow each tree down, a row at a time."""
    total = np.float32(0)
    for root in forest.roots:
        node = root
        while forest.children[node, 0] != node:
            node = forest.children[node, int(row[forest.feature[node]] > forest.threshold[node])]
        total += forest.value[node]
    return total


def tree_of(leaves: int, columns: int, random: np.random.Generator) -> Forest:
    """Return a forest of one tree of random shape."""
    children, below = [[0, 0]], [0]
    while len(below) < leaves:
        split = below.pop(random.integers(len(below)))
        left, right = len(children), len(children) + 1
        children[split] = [left, right]
        children += [[left, left], [right, right]]
        below += [left, right]
    size = len(children)
    is_leaf = np.isin(np.arange(size), below)
    return Forest(
        np.where(is_leaf, 0, random.integers(columns, size=size)).astype(np.int32),
        random.normal(size=size).astype(np.float32),
        np.array(children, dtype=np.int32),
        np.where(is_leaf, random.normal(size=size), 0).astype(np.float32),
        np.zeros(1, dtype=np.int32),
        np.array([leaves], dtype=np.int32),
    )


@pytest.mark.parametrize("rows", [1, 2, 16, 17, 100])
@pytest.mark.parametrize("leaves", [1, 2, 31, 32])
def test_trees_of_any_size(leaves: int, rows: int) -> None:
    random = np.random.default_rng([leaves, rows])
    for _ in range(20):
        forest = tree_of(leaves, 5, random)
        matrix = random.normal(size=(rows, 5)).astype(np.float32)
        assert sums(forest, matrix) == [by_hand(forest, row) for row in matrix]


def test_trees_that_are_too_large_and_rows_that_are_too_short_are_refused() -> None:
    with pytest.raises(ValueError, match="more than 32 leaves"):
        sums(tree_of(33, 5, np.random.default_rng(5)), np.zeros((3, 5), dtype=np.float32))
    forest = load_model().blocks
    with pytest.raises(ValueError, match="columns"):
        sums(forest, np.zeros((3, int(forest.feature.max())), dtype=np.float32))


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_odd_values(odd: float) -> None:
    forest = load_model().blocks
    random = np.random.default_rng(5)
    columns = int(forest.feature.max()) + 1
    matrix = random.choice(forest.threshold, size=(100, columns)).astype(np.float32)
    matrix[random.random(matrix.shape) < 0.1] = odd
    assert sums(forest, matrix) == [by_hand(forest, row) for row in matrix]


# -- decoding --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "words", "kept"),
    [
        # Each by itself the five teasers would be worth it; but all or none of them are content.
        ([0.999] + [0.4] * 5, [100] + [40] * 5, [True] + [False] * 5),
        ([0.999] + [0.55] * 5, [100] + [40] * 5, [True] * 6),
        # A snippet is not empty.
        ([0.1, 0.16, 0.1, 0.1], [5, 10, 10, 5], [False, True, False, False]),
        ([0.01, 0.016, 0.01, 0.01], [5, 10, 10, 5], [False] * 4),
        # A page of one block has nothing but that.
        ([0.4], [80], [True]),
        ([0.04], [80], [False]),
        ([0.4, 0.0], [80, 80], [False] * 2),
        # Nothing is kept where nothing is likely.
        ([0.01] * 5, [10] * 5, [False] * 5),
        ([0.01, 0.01, 0.9, 0.01, 0.01], [10] * 5, [False, False, True, False, False]),
    ],
)
def test_which_blocks_are_chosen(content: list[float], words: list[int], kept: list[bool]) -> None:
    assert choose_blocks(np.array(content), np.array(words)).keep.tolist() == kept
    assert choose_blocks(np.array(content), np.array(words), may_be_empty=False).keep.any()


TEASERS = "".join(
    f"<div class=t><a href=/{n}><h3>Of the weather elsewhere {n}</h3></a><p>The water rose again "
    "in the valley, and the farmers drove their cows uphill.</p></div>"
    for n in range(4)
)
NEWS = "<p>Market day will be held a week later this year, since the hall is not ready.</p>"


def test_teasers_below_short_news_are_after_its_end() -> None:
    for around in ("<section class=feed><h2>More news</h2>{}</section>", "<aside>{}</aside>"):
        text = f"<main><article><h1>Market day moved</h1>{NEWS * 2}</article></main>"
        answer = extract(f"<title>Market day moved</title>{text}{around.format(TEASERS)}")
        assert "a week later" in answer.text
        assert "cows" not in answer.text


PRODUCT = '<script type="application/ld+json">{"@type": "Product", "name": "Desk"}</script>'
DESK = f"<h1>Desk</h1><p>{'Oak from nearby, each joint cut by hand. ' * 5}</p>"
SHEETS = {
    "table": ("<table>" + "<tr><th>Width<td>90 cm" * 3 + "</table>", True),
    "terms": ("<dl>" + "<dt>Width<dd>90 cm" * 3 + "</dl>", True),
    "divided terms": ("<dl>" + "<div><dt>Width<dd>90 cm</div>" * 3 + "</dl>", True),
    "sizes": ("<table>" + "<tr><th>S<td>36<td>38" * 3 + "</table>", False),
    "links": ("<dl>" + "<dt>See<dd><a href=/b>A table</a>" * 3 + "</dl>", False),
}


def kept_of(html: str, likely: float = 0.9, **options: Any) -> list[bool]:
    """Return what is kept of the blocks, of which all but the first two are *likely*."""
    page = Page.parse(html)
    content = np.full(len(page.blocks), likely)
    content[:2] = 0.9
    features = read_features(page, load_model().lexicon)
    return keep_blocks(page, features, content, **options).keep.tolist()


@pytest.mark.parametrize(("sheet", "is_kept"), SHEETS.values(), ids=SHEETS)
@pytest.mark.parametrize("heading", ["", "<details><summary><h2>Details</h2></summary>"])
def test_the_data_sheet_of_a_product_is_kept(heading: str, sheet: str, is_kept: bool) -> None:
    assert set(kept_of(PRODUCT + DESK + heading + sheet, likely=0.12)[2:]) == {is_kept}
    assert not any(kept_of(DESK + heading + sheet, likely=0.09)[2:])


def test_definitions_make_no_thread_of_what_the_model_takes_for_none() -> None:
    post = (
        "<div class=post><b class=author>Ada {0}</b> <time datetime=2024-05-0{0}>{0} May</time>{1}"
    )
    posts = "</div>".join(post.format(number, NEWS * number) for number in (1, 2, 3, 4))
    page = Page.parse(f"<h1>Pier</h1>{posts}</div><dl><dt>Tags<dd>ferry</dl>")
    features, content = read_features(page, load_model().lexicon), np.full(len(page.blocks), 0.9)
    threads = [keep_blocks(page, features, content, thread=each).is_thread for each in (None, 3)]
    assert threads == [False, True]


def test_the_next_article_below_is_not_the_page_s() -> None:
    other = f"<article><h1>Weather</h1>{'<p>It rained all day in the town of theirs.</p>' * 4}"
    page = f"<article><h1>Market day</h1>{NEWS * 4}</article>{other}</article>"
    assert "town of theirs" not in extract(f"<title>Market day - News</title>{page}").text
    assert "town of theirs" in extract(f"<title>News of the day</title>{page}").text


PUBLISHED = (
    "<meta property='article:published_time' content='2025-03-01'>",
    """<script type="application/ld+json">{"@type": "BlogPosting", "headline": "A"}</script>""",
)
COW = "The water rose again in the valley, and the farmers drove their cows uphill."
CARD = "<a class=c href=/{n}><i>2025-01-0{n}</i><h3>Of the weather {n}</h3><p>" + COW + "</p></a>"
LINKS_BEHIND = {
    "cards": f"<div>{''.join(CARD.format(n=n) for n in range(1, 5))}</div>",
    "previous and next": f"<nav>{''.join(CARD.format(n=n) for n in range(1, 3))}</nav>",
    "lines": f"<div><h3>More</h3><ul>{f'<li><a href=/b>{COW}</a>' * 3}</ul></div>",
}


@pytest.mark.parametrize("behind", LINKS_BEHIND)
@pytest.mark.parametrize("said", PUBLISHED)
def test_links_behind_a_published_text_are_no_part_of_it(said: str, behind: str) -> None:
    text = f"<h1>Market day moved</h1><div class=e>{NEWS}</div>"
    page = f"<title>Market day moved</title>{said}<main><div>{text}</div>{LINKS_BEHIND[behind]}"
    answer = extract(page)
    assert "a week later" in answer.text
    assert "cows" not in answer.text


def test_links_in_a_published_text_stay() -> None:
    links = f"<ul>{f'<li><a href=/b>{COW}</a>' * 3}</ul>"
    text = f"<h1>Market day moved</h1><div class=e>{NEWS * 3}{links}{NEWS}</div>"
    assert "cows" in extract(f"<title>Market day moved</title>{PUBLISHED[0]}<main>{text}").text


# -- features --------------------------------------------------------------------------------


def test_without_classes_they_do_not_count() -> None:
    html = "<div class='comment-list'><p class=a>One two.</p><p class=b>Three.</p></div>"
    bare = "<div><p>One two.</p><p>Three.</p></div>"
    lexicon = Lexicon({"comment": -2.0})
    mine, other = (read_features(Page.parse(page), lexicon, classes=False) for page in (html, bare))
    assert np.array_equal(mine.matrix(0, 2), other.matrix(0, 2))
    matrix = read_features(Page.parse(html), lexicon).matrix(0, 2)
    seen = dict(zip(FEATURES, matrix.T.tolist(), strict=True))
    assert seen["attribute_least"] == [-2.0, -2.0]
    assert seen["named_comment"] == [1, 1]


# -- model -----------------------------------------------------------------------------------


def test_model_is_small_and_no_pickle() -> None:
    assert MODEL_FILE.stat().st_size < 2_000_000
    with np.load(MODEL_FILE, allow_pickle=False) as arrays:
        assert all(arrays[name].dtype.kind in "iuf" for name in arrays.files)


def test_a_model_of_other_features_or_without_a_forest_is_refused() -> None:
    arrays = model_to_arrays(load_model())
    other = {**arrays, "features": np.frombuffer(b"words\nweather", dtype=np.uint8)}
    old = {name: array for name, array in arrays.items() if not name.startswith("context_")}
    for wrong, named in ((other, "weather"), (old, "context")):
        with pytest.raises(ValueError, match=rf"'{named}'.*train it again"):
            model_from_arrays(wrong)


MENU = "<ul><li><a href=/0>Menu 0</a><li><a href=/1>Menu 1</a><li><a href=/2>Menu 2</a></ul>"


@pytest.mark.parametrize(
    "page",
    [
        f"<title>Page</title>{MENU}<p>{{}}",
        "<div>{}</div><footer>Copyright 2019 The Times. All rights reserved.",
        "<div>{}</div><div class=footer>Copyright 2019 The Times. All rights reserved.",
        "<h1>Imprint</h1><div class=legal>{}</div>",
    ],
)
def test_a_snippet_is_its_text(page: str) -> None:
    answer = extract(page.format(SENTENCES[0]), extractor="auto")
    assert answer.text.removeprefix("Imprint\n\n") == SENTENCES[0]


@pytest.mark.parametrize("kept", [5, 4096])
def test_a_long_page_is_judged_in_stripes(kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    features = read_features(Page.parse(ARTICLE * 3), load_model().lexicon)
    whole = load_model().judge(features)
    monkeypatch.setattr(models, "STRIPE", 5)
    monkeypatch.setattr(models, "KEPT", kept)
    striped = load_model().judge(features)
    assert np.array_equal(whole.content, striped.content)
    assert whole.kinds == striped.kinds


def test_another_model_file(tmp_path: Path) -> None:
    model = load_model()
    never = {
        name: getattr(model, name)._replace(value=np.full_like(getattr(model, name).value, -1))
        for name in ("blocks", "context")
    }
    files = {"same": model, "never": model._replace(**never)}
    for name, each in files.items():
        np.savez(tmp_path / f"{name}.npz", allow_pickle=False, **model_to_arrays(each))
    answer = extract(ARTICLE, extractor="auto")
    same, other = (extract(ARTICLE, model=str(tmp_path / f"{name}.npz")) for name in files)
    assert (same.text, same.confidence, other.kind) == (answer.text, answer.confidence, "empty")


# -- answers ---------------------------------------------------------------------------------


SENTENCES = (
    "The harbour was built in 1874, when the fishermen of the village asked for a safe place.",
    "Its walls are made of granite, which came by boat from a quarry on the other side.",
    "In the winter of 1953 a storm broke the northern pier, and it took two years to mend it.",
    "Today, most of the boats belong to visitors, who come for the summer and leave in autumn.",
)
LINKS = ("Home", "News", "About us", "Contact")


@pytest.mark.parametrize("sentences", [1, 2, 3, 4])
@pytest.mark.parametrize(
    "menu",
    ["", "<ul><li>{}</ul>".format("<li>".join(LINKS)), "<nav>{}</nav>".format(" ".join(LINKS))],
)
@pytest.mark.parametrize("heading", ["", "<h1>The harbour</h1>", "<h2>The harbour</h2>"])
@pytest.mark.parametrize("tag", ["p", "div", "article"])
def test_a_short_article_is_kept(sentences: int, menu: str, heading: str, tag: str) -> None:
    for link in LINKS:
        menu = menu.replace(link, f"<a href=/{link[:2]}>{link}</a>")
    text = " ".join(SENTENCES[:sentences])
    html = f"<title>The harbour - The Times</title>{menu}{heading}<{tag}>{text}</{tag}>"
    answer = extract(html, extractor="auto")
    assert answer.text.endswith(text)
    assert not any(link in answer.text for link in LINKS)


def test_roles() -> None:
    html = (
        "<body><nav><a href=/>Home</a></nav><article><h1>Rain in town</h1>"
        + "<p>It rained all day in the town, and nobody went out to look at it, as they knew.</p>"
        * 6
        + "<pre>a = 1</pre><p>And so on, for many days and many nights, and it did not stop.</p>"
        "</article><footer>© 2026</footer></body>"
    )
    answer = extract(html, extractor="auto")
    roles = {segment.text: segment.role for segment in answer.main}
    assert roles["Rain in town"] == "title"
    assert roles["And so on, for many days and many nights, and it did not stop."] == "body"
    assert roles.get("a = 1", "code") == "code"
