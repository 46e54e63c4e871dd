"""Each compiled part and its twin in Python, on one page: the answers must be the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

import numpy as np

from scrapy_boilerplate import Page
from scrapy_boilerplate.core.auto import (
    answers,
    copies,
    feature_matrix,
    forest,
    kinds,
    metadata,
    wholes,
)
from scrapy_boilerplate.core.auto.features import Blocks, lexical_columns, plain_columns
from scrapy_boilerplate.core.auto.model import load_model
from scrapy_boilerplate.core.methods import (
    _kind,
    _partition,
    _patterns,
    _runs,
    _token_values,
    justext,
    links,
    scoring,
)
from scrapy_boilerplate.core.methods.web2text import counts, features, network
from scrapy_boilerplate.core.page import (
    decoding,
    elements,
    furniture,
    layout,
    paragraphs,
    text,
    trees,
    walk,
    xpaths,
)
from scrapy_boilerplate.core.strip import scan
from scrapy_boilerplate.learn import named, template, texts

Case = tuple[str, Callable[..., Any], Callable[..., Any], tuple[Any, ...]]
"""What is compared, the part that is used, its twin, and what both are given."""


def plain(value: Any) -> Any:
    """Return *value* with lists in the place of arrays, which can be compared."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind, value.tolist()
    if isinstance(value, tuple | list):
        return [plain(part) for part in value]
    return value


def spans_of(page: Page, random: Random) -> np.ndarray:
    """Return some spans of text nodes."""
    texts = range(page.text_at.size)
    pairs = [sorted(random.choices(range(len(texts) + 1), k=2)) for _ in texts]
    return np.array([pair for pair in pairs if pair[0] < pair[1]], dtype=np.int64).reshape(-1, 2)


def walk_cases(root: Any) -> Iterator[Case]:
    """The parts that read a tree."""
    yield "walk", walk.walk, walk.walk_in_python, (root,)
    yield (
        "declarations",
        lambda *arguments: list(metadata._declarations(*arguments)),
        lambda *arguments: list(metadata.declarations(*arguments)),
        (root, walk.walk_in_python(root).declared),
    )


def page_cases(page: Page, random: Random) -> Iterator[Case]:
    """The parts that read the arrays of a page with text."""
    slices = (page.buffer, text.class_table(), page.text_start, page.text_stop)
    yield "counts", _as_lists(text._counts), _as_lists(text._counts_in_numpy), slices
    counted = (decoding._count_visible, decoding._count_visible_in_numpy)
    yield "count_visible", *counted, (page.buffer,)
    looked = (decoding._look_beyond_ascii, decoding._look_beyond_ascii_in_numpy)
    yield "look_beyond_ascii", *looked, (page.buffer, random.choice([0, 3, 1000]))
    marks = (text._sentence_marks, text._sentence_marks_in_python)
    yield "sentence marks", *marks, (page.buffer, text._mark_table())
    yield from _furniture_cases(page)
    voids = (_runs._VOIDS.of(page.names), page.tag, page.depth, page.text_at, page.text_parent)
    yield "tags_before", _runs._tags_before, _runs._tags_before_in_numpy, voids
    values = [np.array([random.choice([-3.25, 0.0, 1.0, 2.5]) for _ in page.text_at]) for _ in "ab"]
    yield "best_run", _runs._best_run, _runs._best_run_in_numpy, tuple(values)
    labels = (page.buffer, page.element_rows, page.text_rows, paragraphs._LABELS.of(page.names))
    yield "shown_apart", layout.shown_apart, layout._shown_apart_in_numpy, labels
    tags = layout._KIND_OF.of(page.names)
    size = page.text_at.size
    shape = (tags, page.element_rows, size)
    yield "boundaries", layout._boundaries, layout._boundaries_in_numpy, shape

    spans = spans_of(page, random)
    yield (
        "lay_out",
        page.lay_out_all,
        lambda spans: [page.lay_out(start, stop) for start, stop in spans.tolist()],
        (spans,),
    )
    cuts = [number for number in range(size) if random.random() < 0.5]
    some = page.cut_blocks(cuts)
    some = some[[0, *(n for n in range(1, len(some)) if random.random() < 0.8)]]
    yield (
        "separators",
        layout._separators,
        layout._separators_in_numpy,
        (page._boundaries[0], page._cells.row, page._cells.column, some),
    )
    yield "runs_of", layout.runs_of, layout._runs_in_numpy, (some,)
    yield from _xpath_cases(page, spans, random)
    yield from _element_cases(page, random)
    first, after = page.blocks.T
    starts, stops = page.text_start[first], page.text_stop[after - 1]
    limits = (copies.START, copies.PHRASE, copies.FARTHEST)
    yield (
        "copies",
        copies._copies,
        copies._copies_in_numpy,
        (page.buffer, text.class_table(), starts, stops, limits),
    )
    yield (
        "wholes",
        *map(_as_lists, (wholes._wholes, wholes._wholes_in_numpy)),
        (
            *(wholes._GROUPS_OF.of(page.names), page.is_data_table, page.tag, page.end),
            *(page.first_text, page.last_text, page.blocks, page.words, page.in_link),
            np.array([random.random() < 0.5 for _ in page.blocks]),
            np.array([random.randrange(10) / 10 for _ in page.blocks]),
            wholes._LIMITS,
        ),
    )
    yield from _token_cases(page)
    yield from _scoring_cases(page)
    yield from _link_cases(page, random)
    yield from _justext_cases(page, random)
    yield from _web2text_cases(page, random)
    yield from _model_cases(page)
    yield from _answer_cases(page, random)
    yield from _sketch_cases(page, random)


def _sketch_cases(page: Page, random: Random) -> Iterator[Case]:
    bounds = page.text_start, page.text_stop
    yield "text_hashes", texts._text_hashes, texts._text_hashes_in_python, (page.buffer, *bounds)
    some = random.randrange(page.text_at.size)
    title = page.buffer[page.text_start[some] : page.text_stop[some]].casefold() + " - Example"
    slices = (page.buffer, *bounds, page.visible)
    about = (title, sum(not character.isspace() for character in title), texts._folded())
    yield "titled", texts._titled, texts._titled_in_python, (*slices, *about)
    flags = [np.array([random.random() < 0.4 for _ in page.text_at]).view(np.uint8) for _ in "ab"]
    is_titled = np.array([random.random() < 0.2 for _ in page.blocks]).view(np.uint8)
    is_link = np.array([random.random() < 0.4 for _ in page.tag]).view(np.uint8)
    elements_of = (page.first_text, page.last_text)
    pointing = (page.blocks, page.visible, *flags, is_titled, is_link, *elements_of, 2)
    yield "teasers", template._teasers, template._teasers_in_numpy, pointing
    kind = elements.number_keys(page.tag)
    own = [tuple(random.sample(range(1, 40), k=random.randrange(3))) for _ in range(kind.max() + 1)]
    found = np.flatnonzero([random.random() < 0.7 for _ in page.tag])
    selected = (found, kind, own)
    yield "by_selector", named._by_selector, named._by_selector_in_numpy, selected
    rows, hashes, _, _ = named._by_selector_in_numpy(*selected)
    words = np.array([random.randrange(40) for _ in rows], dtype=np.int64)
    heavy = (rows, hashes, words, page.end)
    yield "side_by_side", named._side_by_side, named._side_by_side_in_numpy, heavy


def _token_cases(page: Page) -> Iterator[Case]:
    logarithms = np.log1p([page.words, page.symbols, _runs.tag_counts(page)])
    given = (page, logarithms, elements.bits_of(_token_values._GROUPS).of(page.names))
    parts = (_token_values._neighbourhoods, _token_values._neighbourhoods_in_numpy)
    yield "neighbourhoods", *parts, given


def _scoring_cases(page: Page) -> Iterator[Case]:
    attributes = (page.strings, page.tag, page.class_id, page.id_id)
    twins = (_patterns._patterns, _patterns._patterns_in_numpy)
    yield "patterns", *map(_first_of_its_kind, twins), attributes
    patterns = _patterns.Patterns.of(page)
    doublings = np.log2(patterns.repeats)
    given = (page, scoring._KINDS.of(page.names), doublings)
    lists = (_kind._find_lists, _kind._find_lists_in_numpy)
    yield "lists", *lists, (page, page.has_tag(["p"]).view(np.uint8), *patterns, 20)
    lines = (scoring._lines, scoring._lines_in_python)
    yield "lines", *lines, (page.buffer, page.text_start, page.text_stop)
    yield "candidates", scoring._measure, scoring._measure_in_numpy, given


def _first_of_its_kind(numbered: Callable[..., Any]) -> Callable[..., Any]:
    """Return the same with the first of equal ones in the place of their number."""

    def found(*arguments: Any) -> Any:
        numbers, *others = numbered(*arguments)
        _, first, number = np.unique(numbers, return_index=True, return_inverse=True)
        return first[number], *others

    return found


def _link_cases(page: Page, random: Random) -> Iterator[Case]:
    coherent = np.array([random.random() < 0.3 for _ in page.tag]).view(np.uint8)
    arrays = (coherent, page.end, page.first_text, page.last_text, page.text_at.size)
    yield "partition", _partition._partition, _partition._partition_in_numpy, arrays
    texts = (links._coherent_texts, links._coherent_texts_in_numpy)
    for limits in ((10, 60, 3), (1, 8, 1), (3, 4, 2)):
        yield "coherent texts", *texts, (page, limits)


def _justext_cases(page: Page, random: Random) -> Iterator[Case]:
    paragraphs = (justext._paragraphs, justext._paragraphs_in_numpy)
    yield "paragraphs", *paragraphs, (page, justext._kinds_of(page.names))
    classes = np.array([random.randrange(4) for _ in page.tag], dtype=np.int8)
    headings = np.array([random.random() < 0.3 for _ in page.tag]).view(np.uint8)
    lengths = np.array([random.randrange(20) for _ in page.tag])
    revised = (justext._revise, justext._revise_in_numpy)
    yield "revise", *revised, (classes, headings, lengths, random.randrange(60))
    words = {word: range(number % 3) for number, word in enumerate(page.buffer.split()[::2])}
    vocabularies = (justext.vocabulary(words, 3).count, justext.Vocabulary(words, 3).count)
    yield "words", *vocabularies, ("\0".join([page.buffer, "", page.buffer.lower()]),)
    ideographs = (justext._count_ideographs, justext._count_ideographs_in_numpy)
    yield "ideographs", *ideographs, (page.buffer, text.class_table())


def _furniture_cases(page: Page) -> Iterator[Case]:
    yield "words_in", furniture._words_in, furniture._words_in_python, (page.strings, _TOLD)
    kinds = furniture._KINDS.of(page.names)
    shape = (kinds, page.tag, page.parent, page.end, page.first_text, page.last_text)
    texts = (page.text_start, page.text_stop, page.buffer, furniture._FIRST_LETTERS)
    links = (furniture._short_links, furniture._short_links_in_numpy)
    yield "short_links", *map(_as_list, links), (*shape, *texts)


_TOLD = furniture._WordTable(furniture._CLASSES | {"a", "nav", "header", "item", "x"})


def _as_list(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *arguments: list(function(*arguments))


def _as_lists(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *arguments: [np.asarray(row).tolist() for row in function(*arguments)]


def _xpath_cases(page: Page, spans: np.ndarray, random: Random) -> Iterator[Case]:
    arrays = (spans, page.text_parent, page.parent, page.first_text, page.last_text, page.is_block)
    yield "smallest", xpaths._smallest, xpaths._smallest_in_numpy, arrays
    family = (page.tag, page.parent, len(page.names))
    yield "ranks", xpaths._ranks, xpaths._ranks_in_numpy, family
    chosen = random.choices(range(page.tag.size), k=2 * page.tag.size)
    names = ["" if name == "o:p" else name for name in page.names]
    ranks = xpaths._ranks(*family)
    tree = ("/html", names, page.tag, page.parent, page.depth, ranks, page.position, page.ordinal)
    longest = random.choice([20, xpaths.LONGEST])
    yield "paths", xpaths._paths, xpaths._paths_in_python, (chosen, *tree, longest)


def _element_cases(page: Page, random: Random) -> Iterator[Case]:
    own = page.tag.astype(np.int64)
    ways = (own, page.parent)
    yield "path_numbers", elements._path_numbers, elements._path_numbers_in_python, ways
    chosen = np.flatnonzero([random.random() < 0.3 for _ in page.tag])
    groups = (random.choices(range(1 << 6), k=len(page.names)), 6)
    bits = (np.array(groups[0], dtype=np.uint32), groups[1], page.tag, page.end, chosen)
    yield "count_inside", elements._count_inside, elements._count_inside_in_numpy, bits
    mass = (page.words, page.text_parent, page.parent, random.random())
    yield "is_coherent", elements.is_coherent, elements._is_coherent_in_python, mass

    flags = np.array([random.random() < 0.3 for _ in page.tag]).view(np.uint8)
    above = (elements.count_above, elements._count_above_in_numpy)
    yield "count_above", *above, (flags, page.end)
    inside = (elements.texts_inside, elements._texts_inside_in_numpy)
    texts = (page.first_text, page.last_text, page.text_at.size)
    yield "texts_inside", *inside, (flags, *texts)
    yield "outermost", elements.outermost, elements._outermost_in_numpy, (flags, page.end, *texts)
    many = np.array([1 << random.randrange(32) for _ in page.tag], dtype=np.uint32)
    yield "bits_above", elements.bits_above, elements._bits_above_in_python, (many, page.parent)

    some = np.array([e for e in range(page.tag.size) if random.random() < 0.7], dtype=np.int64)
    values = np.array([random.randrange(20) for _ in page.tag], dtype=np.int32)

    def passed(pass_up: Callable[..., None]) -> Callable[..., Any]:
        def run(elements: np.ndarray, parent: np.ndarray, values: np.ndarray) -> np.ndarray:
            lowered = values.copy()
            pass_up(elements, parent, lowered)
            return lowered

        return run

    arrays = (some, page.parent, values)
    yield "pass_up", passed(elements.pass_up), passed(elements._pass_up_in_python), arrays
    held = (page.text_parent, page.parent, page.is_block.view(np.uint8), 16)
    yield "holders", elements.holders, elements._holders_in_numpy, held
    kind = elements.number_keys(page.tag)
    labels = np.arange(1, kind.max() + 2, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    powers = np.array([3, 5, 7, 11], dtype=np.uint64) ** np.uint64(20)
    paths = (np.arange(page.tag.size), page.parent, kind, labels, powers)
    yield "path_hashes", elements.path_hashes, elements._path_hashes_in_numpy, paths


def _web2text_cases(page: Page, random: Random) -> Iterator[Case]:
    characters = (page.buffer, counts._lower(page.buffer), page.text_start, page.text_stop)
    yield "web2text counts", counts._counter(), counts._count_in_numpy, characters

    def some(rows_of: Callable[..., Any]) -> Callable[..., Any]:
        return lambda some: [rows[some] for rows in rows_of(page)]

    edges = sorted(random.choices(range(page.text_at.size + 1), k=2))
    for part in (slice(None), slice(*edges)):
        rows = (some(features.rows_of), some(features._rows_in_numpy))
        yield "web2text features", *rows, (part,)
    model, rows = network.load_model(), features.rows_of(page)
    products = np.resize(rows[0][:], (page.text_at.size + 3, 6))
    for width, rectify in ((1, True), (3, True), (3, False)):
        sizes = (np.arange(6 // width, dtype=np.float32), width, page.text_at.size, rectify)
        sums = (network._add_up, network._add_up_in_numpy)
        yield "web2text sums", *sums, (products, *sizes)
        yield "web2text sums of none", *sums, (products[:0], *sizes[:2], 0, rectify)
    unary, pairwise = model.log_probabilities(*rows)
    pairs = pairwise.astype(np.float64)
    gains = (unary[:, 1] - unary[:, 0]).astype(np.float64)
    labels = (network._best_labels, network._best_labels_in_python)
    yield "web2text labels", *labels, (gains, pairs)


def _model_cases(page: Page) -> Iterator[Case]:
    lexicon, trees_of_blocks = load_model().lexicon, load_model().blocks
    size = len(page.blocks)

    def compiled(classes: bool) -> Any:
        found = feature_matrix.read_features(page, lexicon, classes=classes)
        return found.words, found.bits, found.named, found.title_overlap, found.matrix(0, size)

    def in_numpy(classes: bool) -> Any:
        blocks = Blocks.of(page, classes=classes)
        columns = plain_columns(blocks) | lexical_columns(blocks, lexicon)
        found = feature_matrix.InNumpy(blocks, columns)
        return found.words, found.bits, found.named, found.title_overlap, found.matrix(0, size)

    def meant(read: Callable[[Sequence[str]], Any]) -> Callable[[], Any]:
        return lambda: read(page.strings)[:4]  # the last row tells first names apart, by any number

    meanings = (lexicon.meanings, lexicon._meanings_in_python)
    yield "lexicon", *map(meant, meanings), ()
    yield "features", compiled, in_numpy, (True,)
    yield "features without classes", compiled, in_numpy, (False,)
    rows = feature_matrix.read_features(page, lexicon).matrix(0, size)
    yield "forest", forest.sum_of_trees, forest._sum_of_trees, (trees_of_blocks, rows)
    twins = (forest._probabilities, forest._probabilities_in_numpy)
    for name, some in (("of all", rows), ("of one", rows[:1])):
        yield f"probabilities {name}", *twins, (trees_of_blocks, some)


def _answer_cases(page: Page, random: Random) -> Iterator[Case]:
    size = len(page.blocks)
    content = np.array([random.randrange(101) / 100 for _ in range(size)])
    words = page.per_block(page.words).astype(np.float64)
    units = np.array([random.choices(range(6), k=2) for _ in range(size)], dtype=np.int32)
    flags = [[random.random() * 2 for _ in kinds.LOOKED_AT] for _ in range(size)]
    flags = np.where(np.array(flags) < 1, np.array(flags), 1).astype(np.float32)
    flags[:, [1, *range(5, 9)]] = flags[:, [1, *range(5, 9)]] == 1
    choose = tuple(map(_as_lists, (answers._choose, answers._choose_in_numpy)))
    for beta in answers.BETA.values():
        yield "choose", *choose, (content, words, beta**2, random.random() < 0.5)
    told = (content, words, units, flags)
    yield "measure", kinds.measure_answer, kinds._measure_in_numpy, told


def check_tree(root: Any) -> None:
    """Assert that what is compiled reads the tree below *root* as its twins do."""
    for case in walk_cases(root):
        _check(*case)


def check_source(source: str) -> None:
    """Assert the same of a page's source."""
    _check("end_of_html", trees._end_of_html, trees._end_of_html_in_python, (source,))
    page = source.encode("utf-8", "surrogatepass")
    _check("find_elements", scan.find_elements, scan._find_elements, (page,))


def check_page(page: Page, random: Random) -> None:
    """Assert the same of a page's arrays."""
    if page.text_at.size:
        for case in page_cases(page, random):
            _check(*case)


def _check(
    name: str, part: Callable[..., Any], twin: Callable[..., Any], given: tuple[Any, ...]
) -> None:
    found, expected = plain(part(*given)), plain(twin(*given))
    assert found == expected, f"{name}: the compiled part and its twin differ"
