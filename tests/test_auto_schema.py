"""The compiled features and their twin share one schema, and a change of it is noticed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from scrapy_boilerplate import Page
from scrapy_boilerplate.core.auto import feature_matrix, features, schema
from scrapy_boilerplate.core.auto.model import load_model
from scrapy_boilerplate.core.native import load_native

layout: Callable[[], dict[str, int]] | None = load_native("core.auto._features_native", "layout")
needs_native = pytest.mark.skipif(layout is None, reason="the features were not compiled here")


@pytest.fixture(autouse=True)
def _afresh() -> Iterator[None]:
    schema.column_groups.cache_clear()
    yield
    schema.column_groups.cache_clear()


def test_the_groups_are_all_columns_in_their_order() -> None:
    page = Page.parse("<title>T</title><h1>T</h1><p>One two.")
    blocks = features.Blocks.of(page)
    columns = features.plain_columns(blocks) | features.lexical_columns(
        blocks, load_model().lexicon
    )
    assert tuple(columns) == schema.feature_names()
    assert list(schema.column_groups()) == [*features.GROUPS, schema.LEXICAL]


def test_the_schema_knows_which_features_belong_to_the_page_and_which_to_classes() -> None:
    html = (
        "<title>One two.</title><div class=a><p class=b id=c>One two.</div>"
        "<div class=a><p>Three.</p><p class=b>Four."
    )
    with_classes, without = (
        features.plain_columns(features.Blocks.of(Page.parse(html), classes=classes))
        for classes in (True, False)
    )
    assert tuple(with_classes) == schema.plain_names()
    of_page = {name for name, column in with_classes.items() if not column.ndim}
    assert of_page == set(schema.page_names()) & set(schema.plain_names())
    changed = {
        name for name, column in with_classes.items() if not np.array_equal(column, without[name])
    }
    assert changed
    assert changed <= set(schema.class_names())


@needs_native
def test_what_was_compiled_has_the_schema_and_is_used(caplog: pytest.LogCaptureFixture) -> None:
    assert layout
    built, here = layout(), schema.schema()
    assert built == {name: here.get(name) for name in built}
    assert sum(width for name, width in built.items() if name.startswith("columns of ")) == len(
        schema.feature_names()
    )
    # Of these the compiled code knows how many there are, or only those that it looks for.
    assert here.keys() - built.keys() == {
        f"element group {name}"
        for name in features.ABOVE
        if name not in "button item table heading h1 p code".split()
    }
    assert feature_matrix.native_features() is not None
    assert not caplog.records


def another_element_group(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setitem(features.ABOVE, "term", "dt")
    return "columns of text"


def another_order_of_groups(monkeypatch: pytest.MonkeyPatch) -> str:
    swapped = {"nav": features.ABOVE["nav"], **dict(reversed(features.ABOVE.items()))}
    monkeypatch.setattr(schema, "ABOVE", swapped)
    return "element group button"


def fewer_columns(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setitem(features.GROUPS, "windows", ())
    return "columns of windows"


def more_declarations(monkeypatch: pytest.MonkeyPatch) -> str:
    found = features.metadata_features
    monkeypatch.setattr(features, "metadata_features", lambda page: {**found(page), "page_x": 0.0})
    return "columns of page"


def another_bound(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setitem(features.BOUNDS, "big", 21)
    return "bound big"


def another_radius(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(schema, "RADII", (2, 5, 10, 30))
    return "radius 3"


@needs_native
@pytest.mark.parametrize(
    "change",
    [
        another_element_group,
        another_order_of_groups,
        fewer_columns,
        more_declarations,
        another_radius,
        another_bound,
    ],
)
def test_another_schema_counts_as_not_compiled(
    change: Callable[[pytest.MonkeyPatch], str],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    different = change(monkeypatch)
    with caplog.at_level(logging.WARNING):
        assert feature_matrix.native_features() is None
    assert "built for another version" in caplog.text
    assert "Reinstall" in caplog.text
    assert different in caplog.text


@needs_native
def test_features_of_a_page_that_are_too_many_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    page, lexicon = Page.parse("<p>One two."), load_model().lexicon
    assert feature_matrix.read_features(page, lexicon).matrix(0, 1).shape[0] == 1
    found = feature_matrix.metadata_features
    monkeypatch.setattr(
        feature_matrix, "metadata_features", lambda page: {**found(page), "page_x": 0.0}
    )
    with pytest.raises(ValueError, match="go together"):
        feature_matrix.read_features(page, lexicon)


@needs_native
def test_a_short_table_of_copies_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feature_matrix, "copies", lambda page: np.zeros((1, 1), dtype=np.float32))
    with pytest.raises(ValueError, match="go together"):
        feature_matrix.read_features(Page.parse("<p>One two."), load_model().lexicon)
