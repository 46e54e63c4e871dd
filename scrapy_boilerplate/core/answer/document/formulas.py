r"""Formulas as TeX: what a page carries beside what it shows, MathML, text in ``\(…\)``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from urllib.parse import unquote

from lxml import etree

from scrapy_boilerplate.core.answer.document.mathml import tex_of_mathml
from scrapy_boilerplate.core.page.lenient import attribute_of, text_of

# Each alternative is bounded, and stops at what would begin it again: linear.
_DELIMITED = re.compile(
    r"\\\((?P<inline>(?:(?!\\\().){1,2000}?)\\\)|\\\[(?P<display>(?:(?!\\\[).){1,2000}?)\\\]|"
    r"\$\$(?P<dollars>[^$]{1,2000})\$\$",
    re.DOTALL,
)
_DOLLARS = re.compile(
    rf"{_DELIMITED.pattern}|(?<![\\$])\$(?P<one>[^\s$](?:[^$\n]{{0,500}}[^\s$\\])?)\$(?!\d)",
    re.DOTALL,
)
may_hold_formulas = _DOLLARS.search  # if a script draws them
_ONE_DOLLAR = re.compile(r"""inlineMath[^;]{0,80}['"]\$['"]|left:\s{0,5}['"]\$['"]""")
_DRAWER, _CALLS_ONE = re.compile("(?i)mathjax|katex"), re.compile("MathJax|renderMathInE")


def formula_finder(root: etree._Element) -> re.Pattern[str] | None:
    """Return what finds the formulas in the texts of a page, ``None`` if no script draws them."""
    scripts = [
        (attribute_of(node, "src") or "", text_of(node) or "") for node in root.iter("script")
    ]
    if not any(_DRAWER.search(src[:1200]) or _CALLS_ONE.search(text) for src, text in scripts):
        return None
    return _DOLLARS if any(_ONE_DOLLAR.search(text[:20_000]) for _, text in scripts) else _DELIMITED


def split_formulas(text: str, finder: re.Pattern[str]) -> Iterator[tuple[str, str, bool]]:
    """Yield plain text, the TeX of the formula after it, and whether that is on its own line."""
    stop = 0
    for match in finder.finditer(text):
        kind = match.lastgroup or ""
        yield text[stop : match.start()], tex_of(match[kind]), kind in ("display", "dollars")
        stop = match.end()
    yield text[stop:], "", False


_TEX = tuple(f"data-{each}" for each in "math tex latex formula equation expr katex".split())
"""Attributes that hold the TeX of what a script draws."""
_MATHML = "data-mathml"  # attribute in which MathJax 2 leaves what it has drawn
ATTRIBUTES = (*_TEX, _MATHML, "data-math-style")  # attributes of formulas
_IS_TEX = re.compile(r"[\\^_{}=+<>|/*-]|\A\s*\w\s*\Z")
_WHOLE = re.compile(
    r"\A\s*(?:\\\((?P<inline>.{1,2000})\\\)|\\\[(?P<display>.{1,2000})\\\]|"
    r"\$\$(?P<dollars>[^$]{1,2000})\$\$|\$(?P<one>[^$]{1,2000})\$|"
    r"\\begin\{(?P<environment>.{1,2000}\\end\{.{1,20})\})\s*\Z",
    re.DOTALL,
)
_CLASS = re.compile(
    r"(?:^|[\s_-])(?:math|mathjax|arithmatex|tex|latex|equation)(?:$|[\s_-])",
    re.IGNORECASE,
)
_RAW = re.compile(r"(?:^|\s)(?:math[\s-](?:inline|display)|(?:inline|display)-math|js-render-math)")
"""Classes of elements whose text is TeX without marks around it."""
_DISPLAY = re.compile(r"(?:^|[\s_-])display(?:$|[\s_-])")
_COMMENTED = re.compile(r"%[ ]?<!\[CDATA\[|%[ ]?\]\]>")
"""What hides signs of TeX from readers of XML."""
_NUMBER = re.compile(r"\((\w[\w.]{0,10})\)")
_LONGEST_FORMULA, _LONGEST_MATHML = 2000, 20_000
_IMAGE = re.compile(r"(?:^|[\s_/.-])(?:math|mathtex|tex|latex|equations?|formulas?|wp-katex-eq)"
                    r"(?:$|[\s_/.?-])", re.IGNORECASE)  # fmt: skip
_TEX_SIGN = re.compile(r"[\\^{]")
_SETTINGS = re.compile(r"\\(?:inline|dpi\{\d+\}|bg_\w+|fn_\w+)")


def names_formula(value: str) -> bool:
    """Return whether an element with this ``class`` may be a formula."""
    return bool(_CLASS.search(value[:300]))


def written_formula(node: etree._Element) -> tuple[str, bool]:
    """Return the TeX that an element carries or is, and whether it is on its own line."""
    name = (node.get("class") or "")[:300]
    is_display = node.get("data-math-style") == "display" or bool(_DISPLAY.search(name))
    for attribute in _TEX:
        tex = node.get(attribute) or ""
        if len(tex) <= _LONGEST_FORMULA and _IS_TEX.search(tex):
            whole = _WHOLE.match(tex)
            return tex_of(whole[whole.lastgroup or 0] if whole else tex), is_display
    mathml = node.get(_MATHML) or ""
    if "<math" in mathml and len(mathml) <= _LONGEST_MATHML:
        math = next(etree.fromstring(mathml, etree.HTMLParser()).iter("math"), None)
        if math is not None:
            return read_formula(math), math.get("display") == "block"
    if any("eqno" not in (each.get("class") or "") for each in node):
        return "", False
    text = "".join((node.text or "", *(each.tail or "" for each in node)))[: _LONGEST_FORMULA + 1]
    is_math = node.get("data-math-style") is not None or node.tag == "math-renderer"
    whole = _WHOLE.match(text) if is_math or _CLASS.search(name) else None
    if whole is not None:
        kind = whole.lastgroup or ""
        tex = whole[0].strip() if kind == "environment" else whole[kind]
        numbers = [match[1] for each in node if (match := _NUMBER.search("".join(each.itertext())))]
        tags = "".join(f" \\tag{{{number}}}" for number in numbers)
        return tex_of(tex) + tags, kind in ("display", "dollars", "environment")
    is_raw = node.get("data-math-style") is not None or _RAW.search(name)
    return (tex_of(text), is_display) if is_raw and _IS_TEX.search(text) else ("", False)


def formula_in_image(image: Mapping[str, str]) -> str:
    """Return the TeX of an image that shows a formula: its alternative text, else what it asks."""
    said = (image.get("src") or "")[:_LONGEST_FORMULA]
    named = f"{(image.get('class') or '')[:300]} {said[:300]}"
    lower = named.lower()
    may_show_one = "math" in lower or "tex" in lower or "equation" in lower or "formula" in lower
    if not may_show_one or not _IMAGE.search(named):
        return ""
    tex = image.get("alt") or image.get("data-tex") or ""
    if not tex:
        query = said.partition("?")[2].replace("&space;", " ")
        fields = dict(each.partition("=")[::2] for each in query.split("&"))
        asked = (fields[name] for name in ("latex", "tex", "chl") if name in fields)
        alone = query if _TEX_SIGN.search(unquote(query)) else ""  # not "v=1&width=2"
        tex = _SETTINGS.sub("", unquote(next(asked, alone))).strip()
    if not tex or len(tex) > _LONGEST_FORMULA or not _IS_TEX.search(tex):
        return ""
    whole = _WHOLE.match(tex)
    return tex_of(whole[whole.lastgroup or 0] if whole else tex)


def script_of(node: etree._Element) -> etree._Element | None:
    """Return the script of MathJax 2 that stands behind what it has drawn, and a preview."""
    after = node
    for _ in range(2):
        if (after.tail or "").strip() or (after := after.getnext()) is None:
            return None
        if after.tag == "script":
            return after if read_script(after)[0] else None
    return None


def read_script(node: etree._Element) -> tuple[str, bool]:
    """Return the TeX in a ``script`` of MathJax 2, and whether it is on its own line."""
    kind = (attribute_of(node, "type") or "").lower()
    if not kind.startswith("math/tex"):
        return "", False
    return tex_of(_COMMENTED.sub("", text_of(node) or "")), "mode=display" in kind


def read_formula(node: etree._Element) -> str:
    """Return the TeX of a ``math`` element: what it carries, else its presentation converted."""
    for annotation in node.iter("{*}annotation"):
        if "tex" in (annotation.get("encoding") or "").lower() and annotation.text:
            return tex_of(annotation.text)
    alternative = node.get("alttext")
    if alternative:
        return tex_of(alternative)
    return tex_of_mathml(node) or " ".join("".join(node.itertext()).split())


def tex_of(tex: str) -> str:
    """Return TeX without what MediaWiki wraps every formula in."""
    tex = " ".join(tex.split())
    prefix = "{\\displaystyle "
    if tex.startswith(prefix) and tex.endswith("}"):
        tex = tex[len(prefix) : -1].strip()
    return tex
