"""Presentation MathML as TeX."""

from __future__ import annotations

import re
import unicodedata

from lxml import etree

from scrapy_boilerplate.core.page.walk import local_name

_MOST_MATH_NODES, _DEEPEST = 3000, 100
"""Elements of a MathML formula that is converted, and their levels."""

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


def tex_of_mathml(node: etree._Element) -> str:
    """Return the TeX of presentation MathML; empty for what is too large or too deep."""
    if sum(1 for _ in node.iter()) > _MOST_MATH_NODES:
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
        return _variant(_leaf(name, element.text or ""), element)
    if name == "mfenced":
        opening, closing = element.get("open", "("), element.get("close", ")")
        mark = (element.get("separators", ",") or "").strip()[:1]
        return _joined([_symbol(opening[:1]), mark.join(parts), _symbol(closing[:1])])
    if name == "mtable":
        return _table(parts)
    if name == "mlabeledtr":
        label = _LABEL.sub(r"\1", parts[0]) if parts else ""
        return f"{' & '.join(parts[1:])} \\tag{{{label}}}"
    if name == "mfrac" and len(parts) == 2 and _NO_LINE.match(element.get("linethickness") or ""):
        return f"{_STACKED}{{{parts[0]}}}{{{parts[1]}}}"
    if name in _TWO and len(parts) == 2:
        return _of_two(name, *parts)
    if name in ("msubsup", "munderover") and len(parts) == 3:
        base, below, above = parts
        if name == "msubsup" or base.startswith(_LARGE):
            return f"{_of_two('msub', base, below)}^{_braced(above)}"
        return f"\\overset{{{above}}}{{\\underset{{{below}}}{{{base}}}}}"
    if name == "semantics":
        return parts[0] if parts else ""
    if name in ("mtr", "mspace"):
        return " & ".join(parts) if name == "mtr" else " "
    tex = f"\\sqrt{{{_joined(parts)}}}" if name == "msqrt" else _joined(parts)
    if name == "menclose":
        around = map(_ENCLOSING.get, (element.get("notation") or "longdiv").split())
        for command in filter(None, dict.fromkeys(around)):
            tex = f"\\{command}{{{tex}}}"
    return _variant(tex, element) if name == "mstyle" else tex


_STACKED = "\\genfrac{}{}{0pt}{}"
_NO_LINE = re.compile(r"\s*0+(?:\.0*)?\s*(?:[a-z%]{1,2}\s*)?\Z")
_LABEL = re.compile(r"\A(?:\\text\{)?\(?(.*?)\)?\}?\Z")
_VARIANTS = {
    "double-struck": "mathbb", "bold": "mathbf", "script": "mathcal", "bold-script": "mathcal",
    "fraktur": "mathfrak", "bold-fraktur": "mathfrak", "sans-serif": "mathsf",
    "bold-sans-serif": "mathsf", "monospace": "mathtt", "bold-italic": "boldsymbol",
    "normal": "mathrm",
}  # fmt: skip
_ENCLOSING = {
    "box": "boxed", "roundedbox": "boxed", "updiagonalstrike": "cancel",
    "downdiagonalstrike": "bcancel", "top": "overline", "bottom": "underline", "radical": "sqrt",
}  # fmt: skip


def _variant(tex: str, element: etree._Element) -> str:
    """Return TeX in the alphabet that an element asks for."""
    command = _VARIANTS.get(element.get("mathvariant") or "", "")
    if not tex.strip() or not command or tex.startswith(("\\text{", "\\math")):
        return tex
    if command == "mathrm" and not tex.isalnum():
        return tex  # upright anyway
    return f"\\{command}{{{tex}}}"


def _table(rows: list[str]) -> str:
    """Return the TeX of rows; those that are numbered are equations."""
    has_numbers = any("\\tag{" in row for row in rows)
    if has_numbers and len(rows) == 1:
        return rows[0]
    kind = "align" if has_numbers else "matrix"
    return f"\\begin{{{kind}}}" + " \\\\ ".join(rows) + f"\\end{{{kind}}}"


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
    plain = unicodedata.normalize("NFKC", character)
    alphabet = _ALPHABET.match(unicodedata.name(character, ""))
    if alphabet and len(plain) == 1 and plain.isalnum():
        variant = alphabet[1].lower().replace(" ", "-").replace("black-letter", "fraktur")
        command = _VARIANTS.get(variant, "")
        return f"\\{command}{{{_symbol(plain)}}}" if command else _symbol(plain)
    words = unicodedata.name(plain[:1], "").lower().split()
    if words[:1] == ["greek"] and words[-2:-1] == ["letter"]:
        known = _GREEK_CAPITALS if words[1] == "capital" else _GREEK_NAMES
        if words[-1] in known:
            letter = words[-1].replace("lamda", "lambda")
            return f"\\{letter.title() if words[1] == 'capital' else letter}"
    return character


_ALPHABET = re.compile(
    r"(?:MATHEMATICAL )?(DOUBLE-STRUCK|BOLD ITALIC|BOLD SCRIPT|BOLD FRAKTUR|BOLD|ITALIC|SCRIPT|"
    r"FRAKTUR|BLACK-LETTER|SANS-SERIF|MONOSPACE) (?:CAPITAL|SMALL|DIGIT) "
)


def _joined(parts: list[str]) -> str:
    """Return pieces of TeX one after another; a space ends a command before a letter."""
    parts = parts.copy()
    written: list[str] = []
    for number, part in enumerate(parts):
        is_stacked = part.startswith(_STACKED) and written[-1:] == ["("]
        if is_stacked and parts[number + 1 : number + 2] == [")"]:  # n over k in brackets
            written[-1] = parts[number + 1] = ""
            part = "\\binom" + part[len(_STACKED) :]
        if part and written and part[0].isalpha() and _ENDS_IN_COMMAND.search(written[-1][-20:]):
            written.append(" ")
        if part:
            written.append(part)
    return "".join(written)


def _braced(tex: str) -> str:
    return tex if len(tex) == 1 else f"{{{tex}}}"
