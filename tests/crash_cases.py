"""Pages that hang, kill or silently truncate other tools: each with the right answer."""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cases import rows

MILLION = 1_000_000
MORE_THAN_A_NODE = 11 * MILLION
"""Characters; libxml2's default limit of a text node, comment or attribute is 10 million."""
SENTENCES = (
    "The harbour was built in 1874, when the fishermen of the village asked for a safe place.",
    "Its walls are made of granite, which came by boat from a quarry on the other side.",
    "In the winter of 1953 a storm broke the northern pier, and it took two years to mend it.",
    "Today, most of the boats belong to visitors, who come for the summer and leave in autumn.",
    "The council wants to keep the old lighthouse, although nobody has needed it for decades.",
)
ARTICLE = f"<p>{' '.join(SENTENCES)}</p>"
WHOLE_ARTICLE = tuple(sentence.rstrip(".") for sentence in SENTENCES)


def png() -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        checksum = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + checksum

    row = bytes(range(256)) * 3
    pixels = zlib.compress(b"".join(b"\0" + row[i:] + row[:i] for i in range(256)), 1)
    header = struct.pack(">IIBBBBB", 256, 256, 8, 2, 0, 0, 0)
    comment = chunk(b"tEXt", b"Comment\0<p>not text</p>")
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        (chunk(b"IHDR", header), comment, chunk(b"IDAT", pixels), chunk(b"IEND", b""))
    )


@dataclass(frozen=True)
class Case:
    """A page and what must become of it."""

    make: Callable[[], str | bytes]
    smaller: Callable[[], str | bytes] | None = None  # a tenth of the page, if it is big
    has: tuple[str, ...] = ()  # texts that must be on the page, in this order
    has_not: tuple[str, ...] = ()  # what must not pass for text
    times: tuple[str, int] = ("", 0)  # a text and how often it must be there
    main: tuple[str, ...] = ()  # what every method must find
    reparsed: bool = False
    truncated: bool = False
    is_html: bool = True
    is_blocked: bool = False


def nested(depth: int, *, tag: str = "div", closed: bool = True) -> Case:
    def page(depth: int) -> str:
        return f"<{tag}>" * depth + "deep text" + f"</{tag}>" * (depth * closed) + ARTICLE

    return Case(
        lambda: page(depth),
        lambda: page(depth // 10),
        has=("deep text", *WHOLE_ARTICLE),
        main=WHOLE_ARTICLE,
        reparsed=depth > 2040,
    )


def repeated(unit: str, number: int, text: str, around: str = "{}", **options: Any) -> Case:
    return Case(
        lambda: around.replace("{}", unit * number),
        lambda: around.replace("{}", unit * (number // 10)),
        times=(text, number),
        **options,
    )


def huge(before: str, unit: str, after: str, **options: Any) -> Case:
    return Case(
        lambda: before + unit * (MORE_THAN_A_NODE // len(unit)) + after,
        lambda: before + unit * (MORE_THAN_A_NODE // len(unit) // 10) + after,
        **options,
    )


def attributes(number: int, form: str = "a{}=v{}", before: str = "<div ", after: str = ">") -> str:
    return before + " ".join(form.format(i, i) for i in range(number)) + after


def in_one_tag(form: str = "a{}=v{}", **around: str) -> Case:
    """A tag of many attributes, for which libxml2 takes a time that grows with their square."""
    return Case(
        lambda: attributes(80_000, form, **around) + ARTICLE,
        lambda: attributes(8_000, form, **around) + ARTICLE,
        has_not=("v77",),
        main=WHOLE_ARTICLE,
    )


CASES = {
    # depth
    "depth 300": nested(300),
    "depth 5 000": nested(5_000),
    "depth 100 000": nested(100_000),
    "depth 30 000, not closed": nested(30_000, closed=False),
    "depth 30 000, font": nested(30_000, tag="font", closed=False),
    "depth 5 000, text at each level": repeated("<div>at a level ", 5_000, "at a level"),
    "depth 10 000 of lists": repeated("<ul><li>an item", 10_000, "an item"),
    "depth 10 000 of tables": repeated("<table><tr><td>a cell", 10_000, "a cell"),
    "depth 30 000, end tags out of order": Case(
        lambda: "<b><div></b>" * 30_000 + "deep" + ARTICLE,
        has=("deep", *WHOLE_ARTICLE),
        reparsed=True,
    ),
    "depth 5 000 in an svg": Case(
        lambda: ARTICLE + "<svg>" + "<g>" * 5_000 + "</svg><p>after</p>",
        has=(*WHOLE_ARTICLE, "after"),
        main=WHOLE_ARTICLE,
        reparsed=True,
    ),
    "depth 5 000, tags in scripts and comments": Case(
        lambda: "<div><script>'<div><div>'</script><!-- <div> -->" * 5_000 + "deep" + ARTICLE,
        has=("deep", *WHOLE_ARTICLE),
        has_not=("<div>", "script"),
        reparsed=True,
    ),
    # breadth
    "100 000 siblings": repeated("<span>one</span> ", 100_000, "one", "<div>{}</div>"),
    "50 000 short p, not closed": repeated("<p>short", 50_000, "short"),
    "20 000 paragraphs": repeated(ARTICLE + "\n", 20_000, SENTENCES[2]),
    "100 000 br": repeated("line<br>", 100_000, "line"),
    "100 000 links": repeated("<a href=x>link</a> ", 100_000, "link"),
    "50 000 rows": repeated("<tr><td>a<td>b", 50_000, "ab", "<table>{}</table>"),
    "50 000 comments with tails": repeated("<!-- c -->tail ", 50_000, "tail", "<p>{}"),
    "50 000 options": repeated("<option>one", 50_000, "one", "<select>{}</select>"),
    "100 000 empty elements": repeated("<p></p>", 100_000, "", "{}" + ARTICLE, main=WHOLE_ARTICLE),
    # size
    "a huge text": huge(ARTICLE + "<p>", "word ", "</p><p>after", has=(*WHOLE_ARTICLE, "after")),
    "a huge word": huge(ARTICLE + "<p>", "w", "</p><p>after", has=(*WHOLE_ARTICLE, "after")),
    "a huge script": huge(
        "<p>before</p><script>", "a < b; ", f"</script>{ARTICLE}",
        has=("before", *WHOLE_ARTICLE), has_not=("a < b",), main=WHOLE_ARTICLE,
    ),
    "a huge comment": huge(
        "<!--", "HIDDEN ", f"-->{ARTICLE}", has=WHOLE_ARTICLE, main=WHOLE_ARTICLE
    ),
    "a huge picture in base64": huge(
        '<p>before<img src="data:image/png;base64,', "iVBORw0K", f'"></p>{ARTICLE}',
        has=("before", *WHOLE_ARTICLE), has_not=("iVBOR",), main=WHOLE_ARTICLE,
    ),
    "a huge title": huge("<title>", "t ", f"</title>{ARTICLE}", has=WHOLE_ARTICLE),
    "a million marks on a letter": repeated("\u0301", MILLION, "\u0301", "<p>a{}"),
    "a million less-than signs": repeated("<", MILLION, "", "{}" + ARTICLE, has=WHOLE_ARTICLE),
    "a million entities": repeated("&amp;", MILLION, "&", "<p>{}"),
    "a million full stops": repeated(". ", MILLION, ".", "<p>{}"),
    # what parsers drop
    "2 000 documents": repeated(
        f"<html><head><title>HIDDEN</title></head><body>{ARTICLE}</body></html>\n",
        2_000, SENTENCES[0], has_not=("HIDDEN",),
    ),
    "2 000 ends": Case(
        lambda: ARTICLE + "</html>" * 2_000 + "the tail" + "</html" * 2_000,
        has=(*WHOLE_ARTICLE, "the tail"), reparsed=True,
    ),
    "deep, and text after </html>": Case(
        lambda: "<html><body>" + "<div>" * 5_000 + f"deep</html>{ARTICLE}",
        has=("deep", *WHOLE_ARTICLE), reparsed=True,
    ),
    # no page at all
    "no bytes": Case(lambda: b""),
    "a mark of byte order": Case(lambda: b"\xef\xbb\xbf"),
    "plain text": Case(lambda: " ".join(SENTENCES) + "\n1 < 2 > 1", is_html=False),
    "JSON, a list": Case(lambda: b'\xef\xbb\xbf\n [{"html": "<p>text</p>"}]', is_html=False),
    "JSON, nested": Case(lambda: "[" * 100_000 + '"<p>"' + "]" * 100_000),
    "PNG": Case(png, is_html=False),
    "PNG as text": Case(lambda: png().decode("utf-8", "replace"), is_html=False),
    "PNG as Latin-1": Case(lambda: png().decode("latin-1"), is_html=False),
    "PDF": Case(lambda: b"%PDF-1.7\n1 0 obj <</Type /Page>> <p>stream</p>", is_html=False),
    "gzip": Case(lambda: gzip.compress(bytes(range(256)) * 20 + b"<p>", 0), is_html=False),
    "begins like an image": Case(lambda: b"BM" + ARTICLE.encode(), has=("BM", *WHOLE_ARTICLE)),
    "begins like music": Case(lambda: b"ID3 tags" + ARTICLE.encode(), has=("ID3 tags",)),
    # odd markup
    "10 000 attributes, the same": Case(
        lambda: f"<div {'class=a id=b ' * 10_000}>{ARTICLE}</div>", main=WHOLE_ARTICLE
    ),
    "80 000 attributes": in_one_tag(),
    "80 000 attributes that hold tags": in_one_tag('a{}="</div><p>v{}>"'),
    "80 000 namespaces": in_one_tag("xmlns:a{}='v{}'"),
    "80 000 attributes of the body": in_one_tag(before="<html><body ", after="><body b=1>"),
    "80 000 attributes after a script": in_one_tag(before="<script>if (a<b) '<p \"'</script><p "),
    "80 000 attributes after an svg": in_one_tag(
        before="<svg><style><a></style></svg><!-- ' --><p "
    ),
    "80 000 attributes, the tag not closed": Case(
        lambda: ARTICLE + attributes(80_000, after=""),
        lambda: ARTICLE + attributes(8_000, after=""),
        has=WHOLE_ARTICLE, has_not=("v77",),
    ),
    "400 attributes of each of 200 bodies": Case(
        lambda: "".join(attributes(400, f"a{{}}x{i}=v{{}}", "<body ") for i in range(200))
        + ARTICLE,
        has_not=("v77",), main=WHOLE_ARTICLE,
    ),
    "20 000 forms, lists to choose from and frames": Case(
        lambda: "<form><select><option>one</select>" * 20_000 + "<frameset>" * 20_000 + ARTICLE,
        lambda: "<form><select><option>one</select>" * 2_000 + "<frameset>" * 2_000 + ARTICLE,
        times=("one", 20_000), has=WHOLE_ARTICLE,
    ),
    "20 000 formatting elements over blocks": Case(
        lambda: "<p>" + "<b><i></b></i>" * 20_000 + "<p>" + "<a>one<font>" * 900 + ARTICLE,
        times=("one", 900), has=WHOLE_ARTICLE,
    ),
    "20 000 texts of a table outside its cells": repeated("<tr>one", 20_000, "one", "<table>{}"),
    "a class of a million characters": Case(
        lambda: f"<div class='{'c ' * (MILLION // 2)}'>{ARTICLE}</div>", main=WHOLE_ARTICLE
    ),
    "huge character references": Case(
        lambda: f"<p>a&#99999999999999999999;b&#x{'f' * 5_000};c</p>{ARTICLE}",
        has=("a", "b", "c", *WHOLE_ARTICLE),
    ),
    "500 nested tables": Case(
        lambda: "<table><tr><td>" * 500 + ARTICLE, main=WHOLE_ARTICLE
    ),
    "100 000 unclosed instructions": Case(
        lambda: "<?pi " * 100_000 + ">" + ARTICLE, has=WHOLE_ARTICLE
    ),
    "100 000 names": Case(
        lambda: "".join(f"<x{i}>one</x{i}>" for i in range(100_000)),
        lambda: "".join(f"<x{i}>one</x{i}>" for i in range(10_000)),
        times=("one", 100_000),
    ),
    # scripts in odd places
    "script in UTF-16": Case(
        lambda: f"<p>Größe</p><script>HIDDEN</script>{ARTICLE}".encode("utf-16"),
        has=("Größe", *WHOLE_ARTICLE), has_not=("HIDDEN",),
    ),
}  # fmt: skip


def written(html: str, has: str, has_not: str, main: str, of_it: str) -> Case:
    """Return the case of a line of the table; texts have a bar between them."""

    def texts(cell: str) -> tuple[str, ...]:
        return tuple(cell.replace("{article}", "|".join(WHOLE_ARTICLE)).split("|") if cell else ())

    flags = {"is_html": "not_html" not in of_it} | dict.fromkeys(
        {*of_it.split()} - {"not_html"}, True
    )
    page = html.replace("{article}", ARTICLE)
    return Case(lambda: page, has=texts(has), has_not=texts(has_not), main=texts(main), **flags)


CASES |= {name: written(*cells) for name, *cells in rows("odd_pages")}
