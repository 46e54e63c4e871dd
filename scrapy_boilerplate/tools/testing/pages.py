"""Pages that have broken some method: small ones by name, and ones of any size."""

from __future__ import annotations

from collections.abc import Callable

ARTICLE = """<!DOCTYPE html><html lang="en"><head><title>Rain</title><style>p {}</style></head>
<body><nav><ul><li><a href="/">Home</a><li><a href="/n">News</a> | <li><a href="/x">X</a></ul></nav>
<div class="wrap"><div id="content"><h1>Rain in the <em>whole</em> town</h1><script>var a;</script>
<p>It rained all day in the town, and <a href="/n">nobody who lived there</a> went out to look at
it, since they had seen it all the week before.<br>It would rain again tomorrow.<!-- ad --></p>
<p>The river rose by 1.5 metres; the bridge, which is old, was closed.</p><pre>a  b
  c</pre><table><tr><td>Monday<td>12 mm<tr><td>Tuesday<td>31 mm</table></div>
<aside><div class="card"><a href="/1">One</a><p>A short teaser of it.</p></div>
<div class="card"><a href="/2">Two</a><p>Another teaser.</p></div>
<div class="card"><a href="/3">Three</a><p>The last teaser.</p></div></aside></div>
<footer>© 2026 <a href="/imprint">Imprint</a></footer></body></html>"""

CRAFTED: dict[str, str | bytes] = {
    "article": ARTICLE,
    "empty": "",
    "white space": " \n\t ",
    "empty elements": "<html><body><div><p></p><br><img></div></body></html>",
    "tags only": "<div>" * 50,
    "one text node": "<p>word",
    "bare text in body": "<body>Just a few words here.</body>",
    "symbols only": "<p>!?…</p><div>—</div>",
    "plain text": "No markup at all, only words. " * 20,
    "json": '{"text": "<p>not a page</p>"}',
    "image": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR<p>text</p>",
    "frameset": "<frameset><frame src='a'><noframes>no</noframes></frameset>",
    "text after the end": "<html><body><p>One.</p></body></html><p>Two.</p> three",
    "two documents": "<html><body><p>One.</p></body></html><html><body><p>Two.</p></body></html>",
    "no spaces": "<p>今日は雨が降りました。明日も降るでしょう。</p><ul><li><a>ホーム</a></ul>",
    "thai": "<div><p>สวัสดีชาวโลก วันนี้ฝนตกหนักมาก</p><a>หน้าแรก</a></div>",
    "right to left": "<p dir=rtl>هل هطل المطر؟ نعم، هطل المطر طوال اليوم.</p>",
    "marks and emoji": "<p>e\u0301te\u0301 👩‍👩‍👧 नमस्ते दुनिया।</p>",
    "controls": "<p>a\x00b\x01c&#1;\x0bd\ud800 e\u200b f\ufeff</p>",
    "cdata and names": "<svg:rect>t</svg:rect><![CDATA[x]]><?php 1 ?><o:p>y</o:p><a-b>z</a-b> q",
    "unclosed": "<p>one<p>two<b>bold<i>both</b>italic<li>item<td>cell<a href=x>link<a href=y>more",
    "links only": "<div><ul>" + "<li><a href=x>Entry of the menu</a>" * 30 + "</ul></div>",
    "link around all": "<a href=x><div><p>One two three.</p><p>Four five.</p></div></a>",
    "mixed content": "<div>one <b>two</b> three <p>four</p> five <a>six</a> seven</div>",
    "a comment between": "<p>one<!-- -->two</p><p>.<!-- -->!</p>",
    "comments only": "<!-- one --><p><!-- two --></p>",
    "hidden": "<details><summary>S</summary>D</details><dialog>A</dialog><p hidden>H</p>",
    "broken attributes": "<p " + "a=1 " * 3000 + ">text</p><td colspan=9007199254740991>c</td>",
    "deep": "<div>" * 5000 + "deep" + "</div>" * 5000 + "<p>after</p>",
    "siblings": "<p>a b c" * 3000,
    "line breaks": "<br>" * 3000 + "text<br>" * 100,
    "utf-16": "<p>Ein paar Wörter</p>".encode("utf-16"),
    "wrong charset": "<meta charset=ascii><p>Žluťoučký kůň</p>".encode("cp1250"),
}
"""Pages of every kind that has broken some method, by name."""


def _many(part: str) -> Callable[[int], str]:
    return lambda times: f"<html><body><div>{part * times}</div></body></html>"


GROWING: dict[str, Callable[[int], str]] = {
    "paragraphs": _many("<p>It rained all day in the town, and nobody went out to look.</p>"),
    "short paragraphs": _many("<p>a b"),
    "links": _many("<li><a href=x>Home page</a> of it</li>"),
    "cards": _many("<div><h3><a href=x>Head</a></h3><p>A few more words than it.</p></div>"),
    "line breaks": _many("text<br>"),
    "tables": _many("<tr><td>a<td>b"),
    "nested": lambda times: ("<div>" * 100 + "word" + "</div>" * 100) * (times // 50),
}
"""Functions that make pages of any size: they take a number of units and return the page."""
