"""No output is much larger than its page, whatever the page looks like."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from scrapy_boilerplate import Extractor, Page, Verdict
from scrapy_boilerplate.core.answer.fields import OUTPUTS

SIZE = 30_000
LONG = "https://a.example/" + "x/" * 20_000
BASE = f"<base href='{LONG}'>"


def times(unit: str, end: str = "", head: str = "") -> str:
    """Return a page of *unit* again and again, with as many *end* after it."""
    number = SIZE // (len(unit) + len(end))
    return f"<title>A page</title>{head}<article><p>One two three. {unit * number}{end * number}"


SHAPES = {
    "links": times("<a href=x>b</a> "),
    "links under a long base": times("<a href=x>b</a> ", head=BASE),
    "links under a base": times("<a href=x>b</a> ", head=f"<base href='{LONG[:4000]}'>"),
    "images under a base": times("<img src=x alt=b> ", head=f"<base href='{LONG[:1000]}'>"),
    "long links": times(f"<a href='{LONG[:9000]}'>b</a> "),
    "links of signs": times("<a href='((((|||||'>(((</a> "),
    "quotes": times("<blockquote>a", "</blockquote>"),
    "lists": times("<ul><li>a", "</ul>"),
    "numbered lists": times("<ol start=999999999><li>a", "</ol>"),
    "lists in quotes": times("<blockquote><ul><li>a", "</ul></blockquote>"),
    "divs": times("<div>a", "</div>"),
    "sections": times("<section><h2>a</h2>b"),
    "headings": times("<h6>a</h6>b"),
    "emphasis": times("<b>a</b><i>b</i>"),
    "nested emphasis": times("<b><i>a"),
    "code": times("<code>`</code>"),
    "blocks of code": times("<pre>`````````\n</pre>a"),
    "tables": times("<table><tr><td>a<td>b<tr><td>c<td>d</table>"),
    "wide cells": times("<table><tr><td colspan=64>a<tr><td colspan=64>b</table>"),
    "rows of one wide table": "<table>" + times("<tr><td colspan=9999>a<td>b"),
    "high cells": "<table>" + times("<tr><td rowspan=60000>a<td>b"),
    "one wide row": f"<table><tr>{'<td>a' * 500}" + "<tr><td>b<td>c" * 4000 + "</table>",
    "nested tables": times("<table><tr><td>a<td>", "</table>"),
    "breaks": times("a<br>"),
    "signs": times("<>&\"'`*_[]\\|$ "),
    "brackets": times("&lt; a ") + "b",
    "formulas": times("<math alttext='&lt;'><mi>x</mi></math>"),
    "figures": times("<figure><img src=x><figcaption>a</figcaption></figure>"),
    "definitions": times("<dl><dt>a<dd>b</dl>"),
    "meta": times("a ", head="<meta name=author content='A B'>" * 1000),
    "json-ld": times(
        "a ",
        head='<script type=\'application/ld+json\'>{"@type":"Article",'
        + '"author":['
        + ",".join(['{"name":"A B"}'] * 2000)
        + "]}</script>",
    ),
    "comments": times("<div class=comment><b class=author>A</b><time>2020-01-01</time><p>b</div>"),
    "white space": times(" \n\t&nbsp;a"),
    "no words": times("&#x200b;&shy;"),
}


@dataclass(frozen=True, slots=True)
class Everything(Extractor):
    """Keeps all blocks."""

    name: ClassVar[str] = "everything"

    def judge(self, page: Page) -> Verdict:
        size = len(page.blocks)
        return Verdict(page.blocks, np.ones(size, dtype=bool), np.ones(size), str)


def size(value: Any) -> int:
    return len(value if isinstance(value, str) else json.dumps(value, default=repr))


@pytest.mark.parametrize("shape", SHAPES)
def test_no_output_is_much_larger_than_its_page(shape: str) -> None:
    html = SHAPES[shape]
    page = Page.parse(html, url="https://host.example/a/page.html")
    extraction = Everything().extract(page)
    large = {}
    for name, output in OUTPUTS.items():
        found = size(output(page, extraction))
        if found > (24 if name == "segments" else 8) * len(html) + 64_000:  # a row names its keys
            large[name] = found
    assert not large, len(html)
