"""Pages that hypothesis generates, if it is installed."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TypeVar
from unittest import SkipTest

try:
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st
except ImportError:  # it is an extra
    st = None  # type: ignore[assignment]

T = TypeVar("T")

EXAMPLES = 25
"""Number of pages that each test tries."""


def for_each(pages: Callable[[], st.SearchStrategy[T]], check: Callable[[T], object]) -> None:
    """Run *check* on examples of what *pages* makes; skip the test without hypothesis."""
    if st is None:
        raise SkipTest("needs hypothesis: pip install 'scrapy-boilerplate-removal[testing]'")
    runs = settings(
        max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )

    @runs
    @given(pages())
    def run(page: T) -> None:
        check(page)

    run()


def tree_pages() -> st.SearchStrategy[str]:
    """Pages of nested elements with text, links, comments and scripts, mostly well-formed."""
    words = st.sampled_from(
        [
            *("word", "Two words.", "A longer sentence, with commas, of eleven or more words. "),
            *(" | ", "…", " ", "\n", "日本語", "שלום", "&nbsp;", "&lt;", "1,5", "<!--c-->", "<br>"),
        ]
    )
    leaf = words | st.sampled_from(["<script>x()</script>", "<img>", "<a href=x>link</a>", "<hr>"])
    names = st.sampled_from(
        "div div p p a span b ul li table tr td h2 section article form pre o:p".split()
    )

    def element(children: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        def build(name: str, parts: list[str], repeat: int, closed: bool) -> str:
            return f"<{name}>{''.join(parts)}{f'</{name}>' if closed else ''}" * repeat

        content = st.lists(children, max_size=5)
        repeat = st.sampled_from([1, 1, 1, 2, 4])
        return st.builds(build, names, content, repeat, st.sampled_from([True, True, True, False]))

    inside = st.lists(st.recursive(leaf, element, max_leaves=25), max_size=6).map("".join)
    return inside | inside.map("<html><body>{}</body></html>".format)


def any_pages() -> st.SearchStrategy[str | bytes]:
    """Pages, text full of markup characters, and plain noise."""
    soup = st.text(st.sampled_from("<>/!-&;='\" \nabpdiv{}[]1é日\0\ud800"), max_size=80)
    return tree_pages() | soup | st.text(max_size=40) | st.binary(max_size=60)


def views() -> st.SearchStrategy[tuple[str, Random]]:
    """Pages, each with a source of randomness that decides which part to keep."""
    return st.tuples(tree_pages(), st.randoms(use_true_random=False))
