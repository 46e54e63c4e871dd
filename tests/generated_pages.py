"""Pages that hypothesis generates."""

from __future__ import annotations

from hypothesis import strategies as st


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
