from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from cases import named
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scrapy.http import HtmlResponse
from selectolax.lexbor import LexborHTMLParser
from w3lib.encoding import to_unicode

from scrapy_boilerplate.core.strip import STRIPPABLE, strip_elements, stripping

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def strip(text: str, **options: Any) -> str:
    body = text.encode("utf-8", "surrogatepass")
    return strip_elements(body, **options).decode("utf-8", "surrogatepass")


# What goes and what stays


@pytest.mark.parametrize("marked", named("stripped"))
def test_cut(marked: str) -> None:
    """What stands in ⟦⟧ goes; where nothing does, the same bytes come back."""
    body = re.sub("[⟦⟧]", "", marked).encode()
    result = strip_elements(body)
    assert result == re.sub("⟦.*?⟧", "", marked, flags=re.DOTALL).encode()
    assert (result is body) == ("⟦" not in marked)


def test_elements() -> None:
    source = "<title>a</title><iframe>b</iframe><script>c</script><style>d</style>"
    assert strip(source, elements=["Title", "IFRAME"]) == (
        "<title></title><iframe></iframe><script>c</script><style>d</style>"
    )
    assert strip(source, elements=[]) == source


@pytest.mark.parametrize("name", sorted(STRIPPABLE))
def test_every_strippable_element(name: str) -> None:
    source = f"a<{name} x><p></{name}>b"
    assert strip(source, elements=[name]) == f"a<{name} x></{name}>b"


@pytest.mark.parametrize("elements", ["script", ["body"], ["noscript"], [1], [None], ["plaintext"]])
def test_elements_that_cannot_be_cut(elements: Any) -> None:
    with pytest.raises(ValueError, match=r"choose from iframe, noembed|a list of element names"):
        strip_elements(b"<p>", elements=elements)


# Encodings

PAGE = "<p>début ソ表 中文 <b>x</b></p><script>'</p>ソ'</script><p>ソ fin</p><style>é</style>"
STRIPPED = "<p>début ソ表 中文 <b>x</b></p><script></script><p>ソ fin</p><style></style>"
ASCII_SUPERSETS = (
    "utf-8 cp1252 iso8859-1 iso8859-2 iso8859-5 iso8859-9 koi8-r mac-roman cp866 cp874 tis-620 "
    "cp932 shift_jis euc_jp big5 big5hkscs gb2312 gbk gb18030 cp949 euc_kr cp950 ascii"
).split()
OTHERS = (
    "utf-16-le utf-16-be utf-32-le utf-32-be iso2022_jp iso2022_kr hz johab utf-7 cp037".split()
)


@pytest.mark.parametrize("encoding", ASCII_SUPERSETS + OTHERS)
def test_encodings(encoding: str) -> None:
    def encodable(text: str) -> bytes:
        return text.encode(encoding, "ignore").decode(encoding).encode(encoding)

    result = strip_elements(encodable(PAGE), encoding)
    assert result.decode(encoding) == encodable(STRIPPED).decode(encoding)


@pytest.mark.parametrize(
    ("encoding", "bom"),
    [("utf-8", "utf-8"), ("utf-16-le", "cp1252"), ("utf-16-be", "utf-16"), ("utf-32-le", "utf-8")],
)
def test_byte_order_mark_stays_and_decides(encoding: str, bom: str) -> None:
    result = strip_elements(("\ufeff" + PAGE).encode(encoding), bom)
    assert result == ("\ufeff" + STRIPPED).encode(encoding)


def test_utf_16_without_mark_is_big_endian() -> None:
    assert strip_elements(PAGE.encode("utf-16-be"), "utf-16") == STRIPPED.encode("utf-16-be")


def test_aliases_of_encodings() -> None:
    empty = b"<script></script>"
    assert strip_elements(b"\xe9<script>a</script>", "latin1") == b"\xe9" + empty
    assert strip_elements(b"a<script>a</script>", "utf-8-sig") == b"a" + empty


@pytest.mark.parametrize("encoding", ["no-such-encoding", "rot13"])
def test_unknown_encoding(encoding: str) -> None:
    with pytest.raises(LookupError):
        strip_elements(b"<p>", encoding)


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "gb18030", "cp932", "euc_jp", "ascii"])
def test_bytes_that_cannot_be_decoded_stay(encoding: str) -> None:
    body = b"\xff\xfe\xe9 \x80\x81 <script>\xff</script> \xc3 \x81<p>\xe9</p>"
    assert strip_elements(body[3:], encoding) == body[3:].replace(b">\xff<", b"><")


@pytest.mark.parametrize(
    ("encoding", "rest"),
    [
        *((encoding, b"\xff") for encoding in ("utf-16-le", "utf-32-be", "utf-7")),
        ("iso2022_jp", b"\xff\x1b"),
        # characters that have several forms
        *(("utf-7", b"\x1c"), ("utf-7", b"+AEE-"), ("iso2022_jp", b"\x1b(B\x1b(B")),
    ],
)
def test_no_cut_where_the_way_back_is_not_sure(encoding: str, rest: bytes) -> None:
    body = "<script>a</script>".encode(encoding) + rest
    assert strip_elements(body, encoding) is body


@pytest.mark.parametrize(
    ("encoding", "before", "after"),
    [
        ("utf-8", b"\xc3", b"\xa9"),
        ("gb18030", b"\x81", b"A"),
        ("gb18030", b"\x81\x30", b"\x81\x30"),
        ("cp932", b"\x83", b"\\"),
        ("utf-16-le", b"\x3d\xd8", b"\x00\xde"),
    ],
)
def test_halves_of_a_character_are_not_joined(encoding: str, before: bytes, after: bytes) -> None:
    def body(script: str) -> bytes:
        return before + script.encode(encoding) + after

    assert strip_elements(body("<script>a</script>"), encoding) == body("<script></script>")


def test_lone_surrogates_stay_in_utf_16() -> None:
    body = "\ud83d a<script>b</script>".encode("utf-16-le", "surrogatepass")
    empty = "<script></script>".encode("utf-16-le")
    assert strip_elements(body, "utf-16-le") == body[:6] + empty


def test_markup_is_never_a_part_of_another_character_in_ascii_supersets() -> None:
    """What makes it safe to look at the bytes of these encodings as if they were characters.

    Letters may be a part of one, but not the first. So a name behind "<" is that name.
    """
    ascii_bytes = bytes(range(128))
    others = "".join(map(chr, [*range(0x80, 0xD800), *range(0xE000, 0x30000)]))
    for encoding in ASCII_SUPERSETS:
        assert stripping._ASCII_SUPERSET.fullmatch(stripping._codec(b"", encoding)), encoding
        assert ascii_bytes.decode(encoding) == ascii_bytes.decode("ascii")
        assert not set(others.encode(encoding, "ignore")) & set(b"\t\n\f\r !\"'-/<=>?&#;"), encoding
        firsts = {character.encode(encoding, "ignore")[:1] for character in others[::7]}
        assert not any(first.isalpha() for first in firsts), encoding
    for encoding in OTHERS:
        assert not stripping._ASCII_SUPERSET.fullmatch(stripping._codec(b"", encoding)), encoding


# Properties

FRAGMENTS = (
    "<script> </script> <style> </style> <script/> <style/> <!-- --> --!> <!--> <! <? </ > < / = ' "
    '" <title> </title> <textarea> </textarea> <iframe> </iframe> <xmp> </xmp> <p> </p> <a <p '
    "<br/> <b> </b> href= =' =\" '> \"> /> <script </script <SCRIPT </Style/> src=x a &am p; &#6 "
    "x 5 é \0 - ! <div> </div> type=application/ld+json"
).split(" ")
FOREIGN = (
    "<svg> </svg> <svg/> <math> </math> <mi> </mi> <desc> </desc> <foreignObject> </foreignObject> "
    "<g> </g> <path/> <![CDATA[ ]]> <style/> <script/> <annotation-xml> </annotation-xml>"
).split(" ")

# No deadline: a test machine may be busy.
SOME = settings(deadline=None)
MANY = settings(deadline=None, max_examples=250)
QUOTES = ["<p", " a=", "=", '"', "'", ">", "<!--", "-->", "<", "<script>", "</script>", "x", "/"]


def soups(*fragments: str) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from([*fragments, " ", "\n"]), max_size=30).map("".join)


def is_subsequence(part: bytes, whole: bytes) -> bool:
    rest = iter(whole)
    return all(byte in rest for byte in part)


@SOME
@given(soups(*FRAGMENTS, *FOREIGN))
def test_result_is_a_subsequence_and_final(source: str) -> None:
    body = source.encode()
    result = strip_elements(body)
    assert is_subsequence(result, body)
    assert strip_elements(result) is result


@SOME
@given(st.binary(max_size=200), st.sampled_from(ASCII_SUPERSETS + OTHERS))
def test_no_bytes_raise(body: bytes, encoding: str) -> None:
    for source in (body, body + b"<script>" + body + b"</script>" + body):
        result = strip_elements(source, encoding)
        assert encoding in OTHERS or is_subsequence(result, source)
        before, after = to_unicode(source, encoding), to_unicode(result, encoding)
        assert encoding == "euc_jp" or is_subsequence(after.encode("utf-8"), before.encode("utf-8"))


# Against an HTML5 parser

BODY = "<!DOCTYPE html><body>"  # a script before the body would open the head


def outline(source: str) -> tuple[list[str], list[str]]:
    """Return the tree as a parser sees it, and apart from it what scripts and styles hold."""
    items: list[str] = []
    held: list[str] = []

    def walk(node: Any) -> Iterator[Any]:
        while node is not None:
            yield node
            node = node.next

    stack = [LexborHTMLParser(source).root]
    while stack:
        node = stack.pop()
        if node is None:
            items.append(")")
        elif node.tag is None:  # a processing instruction, to some versions
            items.append(node.html or "")
        elif node.tag == "-text":
            text = "".join((node.text_content or "").split())
            if items and items[-1].startswith("text "):
                items[-1] += text
            elif text:
                items.append("text " + text)
        else:
            attributes = node.attributes if not node.tag.startswith("-") else {}
            content = node.comment_content if node.tag == "-comment" else ""
            items.append(f"{node.tag} {sorted(attributes.items(), key=str)} {content}")
            stack.append(None)
            if node.tag in {"script", "style"}:
                if "ld+json" not in (attributes.get("type") or ""):
                    held.append(node.text(deep=True))
            else:
                stack.extend(reversed(list(walk(node.child))))
    return items, held


@MANY
@given(soups(*FRAGMENTS, *FOREIGN) | soups(*QUOTES))
def test_parser_sees_the_same_page(source: str) -> None:
    assert outline(strip(BODY + source))[0] == outline(BODY + source)[0]


def lxml_outline(source: str) -> list[Any]:
    """Return the tree as selectors see it, less what scripts and styles hold."""
    root = HtmlResponse("https://example.com/", body=source.encode()).selector.root
    return [
        (node.tag, node.items(), node.tail, None if node.tag in {"script", "style"} else node.text)
        if isinstance(node.tag, str)
        else (node.text, node.tail)
        for node in root.iter()
    ]


@MANY
@given(soups(*FRAGMENTS, *FOREIGN) | soups(*QUOTES))
@example("<script/>a</script>b")
def test_selectors_see_the_same_page(source: str) -> None:
    assert lxml_outline(strip(BODY + source)) == lxml_outline(BODY + source)


# Without what may make a self-closing tag.
SURE = [part for part in FRAGMENTS if "/>" not in part and part != "/"]


@MANY
@given(soups(*SURE))
def test_parser_sees_no_script_any_more(source: str) -> None:
    assert not any(outline(strip(BODY + source))[1])


def test_real_pages(shared_data: Path) -> None:
    pages = sorted((shared_data / "cleaneval-dev" / "input").iterdir())
    assert pages
    cut = 0
    for page in pages:
        source = page.read_text("utf-8", "replace")
        result = strip(source)
        cut += len(source) - len(result)
        assert outline(result)[0] == outline(source)[0], page.name
        assert lxml_outline(result) == lxml_outline(source), page.name
    assert cut > 0


# Time
