"""Strategies for documents and an oracle for what is visible in a tree, made without ``Page``."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from cases import FIXTURES
from hypothesis import strategies as st
from lxml import etree

from scrapy_boilerplate import Extractor, Page, extractor_names, get_extractor
from scrapy_boilerplate.core.page.characters import readable
from scrapy_boilerplate.core.page.tags import PREFORMATTED

NAMES = (
    "div p a span li ul ol table tr td th br b i h1 pre dl dt dd blockquote section img hr form "
    "select option textarea button nobr font center body html head title svg math g noscript "
    "template script style iframe svg:rect o:p x-y a\"b'c p\x01q DIV \u00e4 wbr plaintext frameset "
    "noframes button object video details dialog"
).split()

WORDS = [
    "one", "zwei", " ", "\n", "\t", "日本", "x" * 40, "a b ", "&amp;", "&nbsp;", "&#1;", "&lt;",
]  # fmt: skip
ODD = [
    *("\u00ad", "a\u00adb", "\u200b", "\u2060", "\x0b", "\ufffe", "\ufdd0", "\U0001ffff", "\u200e"),
    *("a\u200cb", "\u0645\u06cc\u200c\u062e", "\u200d", "\x7f", "&#13;", "\r\n", "&shy;", "\ufff9"),
    *("&#0;", "&#xd800;", "&bogus;", "&", "<", ">", "</", "<!", "<?", "\x00", "\x01", "\ufeff"),
    *("\u00a0", "\u2028", "\x1c", "\x85", "\u0301", "😀", "\ud800", "\udfff", '"', "]]>", "-->"),
    *("<!-- c -->", "<!--", "<?pi x?>", "<![CDATA[cd]]>", "<!DOCTYPE html>", "</html>", "</p>"),
    *("<p data-a\x01b='{}'>", "<br>", "</br>", "</body>", "<p", "<a href='", "</title>", "{", "["),
]

attributes = st.sampled_from(
    [
        *("", "", "", " class=a", ' class="a b" id=i1', " id='x'", " hidden", " class"),
        *(" a=b c", " /", " shadowrootmode=open"),
    ]
)
names = st.sampled_from(NAMES)
open_tags = st.builds(lambda name, attrs: f"<{name}{attrs}>", names, attributes)
close_tags = names.map(lambda name: f"</{name}>")
text = st.sampled_from(WORDS) | st.sampled_from(WORDS) | st.text(max_size=8)

documents = st.lists(
    st.one_of(open_tags, open_tags, close_tags, text, text, st.sampled_from(ODD)), max_size=40
).map("".join)
"""Tag soup: any tags, closed or not, with text and all kinds of odd markup between them."""


class Text(NamedTuple):
    """A visible text node."""

    text: str
    owner: Any


def local_name(tag: str) -> str:
    return etree.QName(tag).localname.lower() if tag.startswith("{") else tag.lower()


INVISIBLE = frozenset(
    "script style noscript template head title iframe noframes noembed svg audio video canvas "
    "datalist".split()
)
# Elements that show their text even where the parser has left them in the head
IN_THE_HEAD = frozenset(
    "article aside details dialog figure footer header hgroup main nav search section".split()
)


def is_shown(node: Any) -> bool:
    """Return whether the text of an element is visible if that around it is."""
    if not isinstance(node.tag, str):
        return False
    if node.tag == "head":
        above = node.getparent()
        top = above is not None and above.tag == "html" and above.getparent() is None
        return (
            top and above.find("head") is node and any(child.tag in IN_THE_HEAD for child in node)
        )
    name = local_name(node.tag)
    return name not in INVISIBLE or (name == "template" and "shadowrootmode" in node.attrib)


def screen_only_of(page: Page) -> frozenset[Any]:
    """Return the elements of a page's tree whose text is for the screen only."""
    xpaths = page.xpaths(page.screen_only.tolist())
    return frozenset(node for xpath in xpaths for node in page.root.xpath(xpath))


def visible_elements(root: Any) -> list[Any]:
    visible: dict[Any, None] = {}
    for node in root.iter():
        if is_shown(node) and (node is root or node.getparent() in visible):
            visible[node] = None
    return list(visible)


def all_text(root: Any, without: Collection[Any] = ()) -> list[Text]:
    """Return every text node of the visible elements, blank ones included, as XPath finds them.

    *without* are elements of which only white space is returned.
    """
    visible = set(visible_elements(root))
    hidden = {node for top in without for node in top.iter()}
    found = []
    for node in root.xpath("descendant::text()"):
        parent = node.getparent()
        owner = parent.getparent() if node.is_tail else parent
        if owner in visible and (owner not in hidden or not readable(str(node)).strip()):
            found.append(Text(str(node), owner))
    return found


def visible_text(root: Any, without: Collection[Any] = ()) -> list[Text]:
    return [node for node in all_text(root, without) if readable(node.text).strip()]


def check_arrays(page: Page) -> None:
    """Compare every array of *page* with what lxml says about ``page.root``."""
    root = page.root
    elements = visible_elements(root)
    number = {node: i for i, node in enumerate(elements)}
    texts = visible_text(root, screen_only_of(page))
    assert [page.names[i] for i in page.tag] == [local_name(node.tag) for node in elements]
    assert [page.strings[i] for i in page.class_id] == [n.get("class") or "" for n in elements]
    assert [page.strings[i] for i in page.id_id] == [n.get("id") or "" for n in elements]
    above = [[a for a in node.iterancestors() if a in number] for node in elements]
    assert page.parent.tolist() == [number[chain[0]] if chain else -1 for chain in above]
    assert page.depth.tolist() == [len(chain) for chain in above]
    whole = readable("".join(text for text, _ in all_text(root, screen_only_of(page))))
    if page.has_tag(PREFORMATTED).any():  # where the ends of lines are added
        assert "".join(page.buffer.split()) == "".join(whole.split())
    else:
        assert page.buffer == whole
    assert page.text_parent.tolist() == [number[owner] for _, owner in texts]
    assert [page.buffer[i:j] for i, j in zip(page.text_start, page.text_stop, strict=True)] == [
        readable(text) for text, _ in texts
    ]
    inside: dict[int, list[int]] = {i: [] for i in number.values()}
    under: dict[int, list[int]] = {i: [] for i in number.values()}
    for i, chain in enumerate(above):
        for node in chain:
            inside[number[node]].append(i)
    for t, (_, owner) in enumerate(texts):
        for node in [owner, *above[number[owner]]]:
            under[number[node]].append(t)
    for i in range(len(elements)):
        assert inside[i] == list(range(i + 1, page.end[i]))
        assert under[i] == list(range(page.first_text[i], page.last_text[i]))
    # Elements that start before a text node: those before its owner's next child, or inside.
    for t, at in enumerate(page.text_at.tolist()):
        assert page.text_parent[t] < at <= len(elements)
        assert at <= page.end[page.text_parent[t]]
    assert (np.diff(page.text_at) >= 0).all()


def check_xpaths(page: Page, step: int = 1) -> None:
    """Resolve the XPath of every element, text node and block on ``page.root``."""
    elements = visible_elements(page.root)
    for i in range(0, page.tag.size, step):
        assert page.root.xpath(page.xpath(i)) == [elements[i]]
    texts = visible_text(page.root, screen_only_of(page))
    for i in range(0, page.text_at.size, step):
        (found,) = page.root.xpath(page.xpaths_later([-1 - i])([0])[0])
        assert str(found) == texts[i].text
        assert (found.getparent().getparent() if found.is_tail else found.getparent()) is texts[
            i
        ].owner
    for start, stop in page.blocks[::step].tolist():
        (node,) = page.root.xpath(page.xpath_of(start, stop))
        if isinstance(node, str):
            assert stop - start == 1
            assert str(node) == texts[start].text
        else:
            owners = [owner for _, owner in texts[start:stop]]
            assert all(o is node or node in o.iterancestors() for o in owners)
            # The smallest: no child holds all of the span, but for inline wrappers of the same.
            exact = sum(o is node or node in o.iterancestors() for _, o in texts) == stop - start
            for child in node if not exact else []:
                assert not all(o is child or child in o.iterancestors() for o in owners)


def check_blocks(page: Page) -> None:
    blocks = page.blocks.tolist()
    assert all(start < stop for start, stop in blocks)
    assert [i for start, stop in blocks for i in range(start, stop)] == list(
        range(page.text_at.size)
    )
    ones = np.ones(page.text_at.size, dtype=np.int64)
    assert page.per_block(ones).tolist() == [stop - start for start, stop in blocks]
    assert page.per_block(page.words).sum() == page.words.sum()


def check_layout(page: Page, cuts: list[int]) -> None:
    """The layout holds the visible characters; any cut joined again gives the whole."""
    size = page.text_at.size
    whole = page.lay_out(0, size)
    visible = [page.buffer[i:j] for i, j in zip(page.text_start, page.text_stop, strict=True)]
    assert "".join(whole.split()) == "".join("".join(visible).split())
    bounds = sorted({0, size, *(cut % (size + 1) for cut in cuts)})
    spans = list(pairwise(bounds))
    assert page.join(spans, [page.lay_out(*span) for span in spans]) == whole
    blocks = [tuple(block) for block in page.blocks.tolist()]
    assert page.join(blocks, [page.lay_out(*block) for block in blocks]) == whole


def check(page: Page, cuts: list[int] | None = None) -> None:
    before = etree.tostring(page.root.getroottree())
    check_arrays(page)
    check_xpaths(page)
    check_blocks(page)
    check_layout(page, cuts or [])
    assert etree.tostring(page.root.getroottree()) == before


HOSTILE = (FIXTURES / "inspector" / "hostile.html").read_text()


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


@cache
def methods() -> list[Extractor]:
    """Every registered method whose extra is installed."""
    found = []
    for name in extractor_names():
        with suppress(ImportError):
            found.append(get_extractor(name))
    assert {method.name for method in found} >= {"mss", "energy", "links", "bte"}
    return found
