r"""Formulas as TeX: what a page carries beside what it shows, MathML, text in ``\(…\)``."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from lxml import etree

from scrapy_boilerplate.core.page.lenient import attribute_of, text_of
from scrapy_boilerplate.core.page.walk import local_name

_MOST_NODES, _DEEPEST = 3000, 100
"""Elements of a MathML formula that is converted, and their levels."""

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
_LOADS = etree.XPath(  # one search in libxml2: most pages with a dollar sign have no formulas
    "boolean(descendant::script[contains(translate(@src, 'MJKT', 'mjkt'), 'mathjax') or "
    "contains(translate(@src, 'KTX', 'ktx'), 'katex') or contains(., 'MathJax') or "
    "contains(., 'renderMathInElement')])"
)
_ONE_DOLLAR = re.compile(r"""inlineMath[^;]{0,80}['"]\$['"]|left:\s{0,5}['"]\$['"]""")


def delimiters(root: etree._Element, text: str) -> re.Pattern[str] | None:
    """Return what finds the formulas in a page's *text*; ``None`` if no script would draw them."""
    if not any(mark in text for mark in ("\\(", "\\[", "$")):
        return None
    if not _LOADS(root):
        return None
    scripts = [(text_of(node) or "")[:20_000] for node in root.iter("script")]
    return _DOLLARS if any(_ONE_DOLLAR.search(script) for script in scripts) else _DELIMITED


def split_formulas(text: str, finder: re.Pattern[str]) -> Iterator[tuple[str, str, bool]]:
    r"""Yield plain text, the TeX of the formula after it, and whether that is on its own line.

    >>> list(split_formulas(r"A \(x^2\) and more", _DELIMITED))
    [('A ', 'x^2', False), (' and more', '', False)]
    """
    stop = 0
    for match in finder.finditer(text):
        kind = match.lastgroup or ""
        yield text[stop : match.start()], tex_of(match[kind]), kind in ("display", "dollars")
        stop = match.end()
    yield text[stop:], "", False


def read_script(node: etree._Element) -> tuple[str, bool]:
    """Return the TeX in a ``script`` of MathJax 2, and whether it is on its own line."""
    kind = (attribute_of(node, "type") or "").lower()
    if not kind.startswith("math/tex"):
        return "", False
    return tex_of(text_of(node) or ""), "mode=display" in kind


def read_formula(node: etree._Element) -> str:
    r"""Return the TeX of a ``math`` element: what it carries, else its presentation converted.

    >>> read_formula(etree.fromstring("<math alttext='x^2'><mi>x</mi><mn>2</mn></math>"))
    'x^2'
    >>> read_formula(etree.fromstring("<math><mfrac><mi>a</mi><mn>12</mn></mfrac></math>"))
    '\\frac{a}{12}'
    """
    for annotation in node.iter("{*}annotation"):
        if "tex" in (annotation.get("encoding") or "").lower() and annotation.text:
            return tex_of(annotation.text)
    alternative = node.get("alttext")
    if alternative:
        return tex_of(alternative)
    return _converted(node) or " ".join("".join(node.itertext()).split())


def tex_of(tex: str) -> str:
    """Return TeX without what MediaWiki wraps every formula in."""
    tex = " ".join(tex.split())
    prefix = "{\\displaystyle "
    if tex.startswith(prefix) and tex.endswith("}"):
        tex = tex[len(prefix) : -1].strip()
    return tex


# -- presentation MathML -------------------------------------------------------------------------

_SYMBOLS = {
    **dict(
        zip(
            "×·÷±∓≤≥≠≈≡∼∞∂∇√→←⇒⇔↦∈∉∋∀∃¬∧∨∪∩⊂⊆⊃⊇∅−′…⋯⟨⟩‖∝⊥∥∘⊕⊗∫∮∑∏",
            "\\times \\cdot \\div \\pm \\mp \\le \\ge \\ne \\approx \\equiv \\sim \\infty "
            "\\partial \\nabla \\surd \\to \\leftarrow \\Rightarrow \\Leftrightarrow \\mapsto \\in "
            "\\notin \\ni \\forall \\exists \\neg \\wedge \\vee \\cup \\cap \\subset \\subseteq "
            "\\supset \\supseteq \\emptyset - ' \\ldots \\cdots \\langle \\rangle \\| \\propto "
            "\\perp \\parallel \\circ \\oplus \\otimes \\int \\oint \\sum \\prod".split(),
            strict=True,
        )
    ),
    **dict.fromkeys("\u2061\u2062\u2063\u2064", ""),  # applied, times, comma and plus: not shown
    **{each: f"\\{each}" for each in "#$%&_{}"},
    "\\": "\\backslash ",
    "^": "\\hat{}",
    "~": "\\sim",
    "<": "\\lt",
    ">": "\\gt",
}
_GREEK = "alpha beta gamma delta epsilon zeta eta theta iota kappa lamda mu nu xi pi rho sigma tau "
_GREEK_NAMES = frozenset((_GREEK + "upsilon phi chi psi omega").split())
_GREEK_CAPITALS = frozenset("gamma delta theta lamda xi pi sigma upsilon phi psi omega".split())
_FUNCTIONS = frozenset(
    "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln lg exp lim limsup liminf "
    "max min sup inf det dim gcd arg deg ker hom Pr".split()
)
_LARGE = ("\\sum", "\\prod", "\\int", "\\oint", "\\lim", "\\max", "\\min", "\\sup", "\\inf")
_ACCENTS = {
    "¯": "bar", "‾": "bar", "-": "bar", "^": "hat", "ˆ": "hat", "\\hat{}": "hat", "~": "tilde",
    "˜": "tilde", "\\sim": "tilde", "→": "vec", "\\to": "vec", "˙": "dot", ".": "dot", "¨": "ddot",
}  # fmt: skip
_SKIPPED = frozenset("annotation annotation-xml mphantom maligngroup malignmark none".split())
_ENDS_IN_COMMAND = re.compile(r"\\[A-Za-z]+\Z")


def _converted(node: etree._Element) -> str:
    """Return the TeX of presentation MathML; empty for what is too large or too deep."""
    if sum(1 for _ in node.iter()) > _MOST_NODES:
        return ""
    stack: list[list[str]] = [[]]
    walk = etree.iterwalk(node, events=("start", "end"))
    for event, element in walk:
        if not isinstance(element.tag, str):
            continue
        name = local_name(element.tag)
        if event == "start":
            if len(stack) > _DEEPEST:
                return ""
            if name in _SKIPPED:
                walk.skip_subtree()
            stack.append([])
        else:
            parts = stack.pop()
            if name not in _SKIPPED:
                stack[-1].append(_tex(name, element, parts))
    return " ".join("".join(stack[0]).split())


def _tex(name: str, element: etree._Element, parts: list[str]) -> str:
    """Return the TeX of an element whose children are *parts*."""
    if name in ("mi", "mn", "mo", "mtext", "ms"):
        return _leaf(name, element.text or "")
    if name == "mfenced":
        opening, closing = element.get("open", "("), element.get("close", ")")
        mark = (element.get("separators", ",") or "").strip()[:1]
        return f"{_symbol(opening[:1])}{mark.join(parts)}{_symbol(closing[:1])}"
    if name == "mtable":
        return "\\begin{matrix}" + " \\\\ ".join(parts) + "\\end{matrix}"
    if name in ("mtr", "mlabeledtr"):
        return " & ".join(parts)
    if name == "msqrt":
        return f"\\sqrt{{{_joined(parts)}}}"
    if name == "semantics":
        return parts[0] if parts else ""
    if name in _TWO and len(parts) == 2:
        return _of_two(name, *parts)
    if name in ("msubsup", "munderover") and len(parts) == 3:
        base, below, above = parts
        if name == "msubsup" or base.startswith(_LARGE):
            return f"{_of_two('msub', base, below)}^{_braced(above)}"
        return f"\\overset{{{above}}}{{\\underset{{{below}}}{{{base}}}}}"
    return " " if name == "mspace" else _joined(parts)


_TWO = frozenset("mfrac mroot msub msup mover munder".split())


def _of_two(name: str, base: str, other: str) -> str:
    """Return the TeX of an element that puts one part in relation to its base."""
    if name == "mfrac":
        return f"\\frac{{{base}}}{{{other}}}"
    if name == "mroot":
        return f"\\sqrt[{other}]{{{base}}}"
    if name == "mover" and other.strip() in _ACCENTS:
        return f"\\{_ACCENTS[other.strip()]}{{{base}}}"
    if name in ("mover", "munder") and not base.startswith(_LARGE):
        return f"\\{name[1:]}set{{{other}}}{{{base}}}"
    is_one = len(base) == 1 or _IS_ONE.fullmatch(base)
    base = base if is_one else f"{{{base}}}"
    if name in ("msub", "munder"):
        return f"{base}_{_braced(other)}"
    return f"{base}'" if other == "'" else f"{base}^{_braced(other)}"


_IS_ONE = re.compile(r"\\[A-Za-z]+|\\[A-Za-z]+\{[^{}]{0,40}\}")


def _leaf(name: str, text: str) -> str:
    text = " ".join(text.split())
    if name in ("mtext", "ms") and text:
        return f"\\text{{{_escaped(text)}}}"
    if text in _FUNCTIONS:
        return f"\\{text}"
    if name == "mi" and len(text) > 1 and text.isalpha():
        return f"\\mathrm{{{_escaped(text)}}}"
    return _joined([_symbol(character) for character in text])


def _escaped(text: str) -> str:
    return "".join(_SYMBOLS.get(each, each) if each in "#$%&_{}\\" else each for each in text)


def _symbol(character: str) -> str:
    if character in _SYMBOLS or character.isascii():
        return _SYMBOLS.get(character, character)
    words = unicodedata.name(unicodedata.normalize("NFKC", character)[:1], "").lower().split()
    if words[:1] == ["greek"] and words[-2:-1] == ["letter"]:
        known = _GREEK_CAPITALS if words[1] == "capital" else _GREEK_NAMES
        if words[-1] in known:
            letter = words[-1].replace("lamda", "lambda")
            return f"\\{letter.title() if words[1] == 'capital' else letter}"
    return character


def _joined(parts: list[str]) -> str:
    """Return pieces of TeX one after another; a space ends a command before a letter."""
    written: list[str] = []
    for part in parts:
        if part and written and part[0].isalpha() and _ENDS_IN_COMMAND.search(written[-1][-20:]):
            written.append(" ")
        if part:
            written.append(part)
    return "".join(written)


def _braced(tex: str) -> str:
    return tex if len(tex) == 1 else f"{{{tex}}}"
