"""Strategies for documents and an oracle for what is visible in a tree, made without ``Page``."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple

from hypothesis import strategies as st
from lxml import etree

from scrapy_boilerplate import Extractor, extractor_names, get_extractor
from scrapy_boilerplate.core.page.characters import readable
from scrapy_boilerplate.tools.testing.promises import is_shown

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
        "",
        "",
        "",
        " class=a",
        ' class="a b" id=i1',
        " id='x'",
        " hidden",
        " class",
        " a=b c",
        " /",
        " shadowrootmode=open",
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


def _element(content: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(
        lambda name, attrs, parts: f"<{name}{attrs}>{''.join(parts)}</{name}>",
        st.sampled_from(["div", "p", "ul", "li", "table", "tr", "td", "b", "a", "pre", "h2"]),
        attributes,
        st.lists(content, max_size=4),
    )


well_formed = st.recursive(text | st.sampled_from(["<br>", "<!-- c -->"]), _element, max_leaves=25)
"""Properly nested elements."""


class Text(NamedTuple):
    """A visible text node."""

    text: str
    owner: Any


def local_name(tag: str) -> str:
    return etree.QName(tag).localname.lower() if tag.startswith("{") else tag.lower()


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


HOSTILE = """<!DOCTYPE html><html onload=run() lang='"><script>run()</script>'>
<head><script>run()</script><base href=//evil.example/><meta http-equiv=refresh content="0;url=//e">
<link rel=stylesheet href=//evil.example/a.css><link rel=prefetch href=//evil.example/b>
<style>p{background:url(//evil.example/c)}</style><style>a</style><!--</style><script>run()</script>-->
<title></title><script>run()</script></title></head><body background=//evil.example/d>
<p id='a"onclick="run()' onclick=run() style='background:url(//evil.example/e)'>Text one
<a href="javascript:run()" ping=//evil.example/f>Text two</a>
<img src=//evil.example/g srcset=//evil.example/h onerror=run() alt='"><script>run()</script>'>
<iframe src=//evil.example/i srcdoc="<script>run()</script>"></iframe>
<form action=//evil.example/j><input autofocus onfocus=run()><textarea></textarea><script>run()
</script></textarea><button formaction=//evil.example/k>Text three</button></form>
<svg onload=run()><script>run()</script><a xlink:href="javascript:run()"><text>Text four</text></a>
<foreignObject><p>Text five</foreignObject></svg><math><mtext><img src onerror=run()></mtext></math>
<object data=//evil.example/l></object><embed src=//evil.example/m><video poster=//evil.example/n>
<source src=//evil.example/o></video><b-t class=kept>Text six</b-t><x-run onclick=run()>Seven
</x-run><noscript><p title="</noscript><script>run()</script>">Text eight</p></noscript>
<xmp></xmp><script>run()</script></xmp><template><script>run()</script></template>
&lt;script&gt;run()&lt;/script&gt;"""


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


@cache
def methods() -> list[Extractor]:
    """Every registered method whose extra is installed."""
    found = []
    for name in extractor_names():
        with suppress(ImportError):
            found.append(get_extractor(name))
    assert {method.name for method in found} >= {"mss", "energy", "links", "bte"}
    return found
