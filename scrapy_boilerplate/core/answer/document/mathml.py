"""Presentation MathML as TeX, and what MathJax and KaTeX have drawn as MathML."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

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


_DRAWN = re.compile(r"(?:^|\s)mjx-c([0-9A-F]{2,5})(?=\s|\Z)")
_CODE = re.compile("([0-9A-F]{2,5})")
_NOT_DRAWN = frozenset(["surd", "container"])  # a sign of a root; formulas do not nest
_PARTS = frozenset("num den base over under script root TeXAtom".split())
_SHIFT = re.compile(r"translate\(\s{0,9}-?[\d.]{1,20}[\s,]{1,9}(-?\d{1,9})")  # across and up
_MATHML = frozenset(
    "mi mn mo mtext ms mrow mfrac msqrt mroot msub msup msubsup mover munder munderover mtable mtr "
    "mtd mstyle menclose mspace".split()
)


def mathml_of_drawn(container: etree._Element) -> etree._Element:
    """Return the MathML that MathJax 3 has drawn: its elements, the characters in its classes."""
    math = etree.Element("math")
    stack = [math]
    walk = etree.iterwalk(container[0], events=("start", "end"))
    for event, element in walk:
        name = element.get("data-mml-node") or str(element.tag).removeprefix("mjx-")
        holder = stack[-1]
        if event == "end":
            stack.pop()
            if holder is not stack[-1]:
                _reorder(holder)
        elif name in _NOT_DRAWN or len(stack) > _DEEPEST:
            walk.skip_subtree()
            stack.append(holder)
        elif name in _MATHML or name in _PARTS:
            part = etree.SubElement(holder, name if name in _MATHML else "mrow", part=name)
            if shift := _SHIFT.search((element.get("transform") or "")[:100]):
                part.set("shift", shift[1])
            stack.append(part)
        else:
            drawn = _CODE.fullmatch(element.get("data-c") or "")
            if name == "c":
                drawn = _DRAWN.search((element.get("class") or "")[:100])
            holder.text = (holder.text or "") + (chr(int(drawn[1], 16)) if drawn else "")
            stack.append(holder)
    return math


def _reorder(element: etree._Element) -> None:
    """Put the parts of an element, which are drawn from above, in MathML's order."""
    if element.tag == "msubsup" and len(element) == 2:
        element.extend(reversed(element[1]))
        element.remove(element[1])
    elif element.tag == "munderover" and len(element) == 2 and element[1].tag == "munder":
        over, inner = element
        element[:] = [*inner, over]
    elif element.tag == "mover" and len(element) == 2 and element[0].get("part") == "over":
        element[:] = list(reversed(element))
    elif element.tag in ("msubsup", "munderover") and len(element) == 3:
        element[1:] = sorted(element[1:], key=lambda each: int(each.get("shift") or 0))
    elif element.tag == "msqrt":
        element[:] = [each for each in element if each.text != "√"]


_NOTHING = frozenset(
    "katex-html strut pstrut mspace vlist-s nulldelimiter frac-line hide-tail root".split()
)
_SIGNS = frozenset("mbin mrel mopen mclose mpunct delimsizing".split())
_STACKS = {"mfrac": "mfrac", "sqrt": "msqrt", "op-limits": "munder", "msupsub": "m"}
_LENGTH = re.compile(r"(?:top|height):\s{0,3}(-?\d{1,5}(?:\.\d{0,9})?)em")
_DEEPEST_OF_KATEX = 60


def mathml_of_katex(node: etree._Element) -> etree._Element:
    """Return the MathML of what stands in ``katex-html``."""
    math = etree.Element("math")
    _read_katex(node, math, 0)
    return math


def _read_katex(parts: Iterable[etree._Element], holder: etree._Element, depth: int) -> None:
    for part in parts:
        classes = (part.get("class") or "").split()
        name = next((_STACKS[each] for each in classes if each in _STACKS), "")
        text = (part.text or "").replace("\u200b", "").strip()
        if (
            depth > _DEEPEST_OF_KATEX
            or not _NOTHING.isdisjoint(classes)
            or (name == "m" and not len(holder))
        ):
            continue
        if name:
            _stack(name, _shelves(part), holder, depth)
        elif len(part):
            _read_katex(part, etree.SubElement(holder, "mrow"), depth + 1)
        elif text:
            is_sign = not text.isalnum() or not _SIGNS.isdisjoint(classes)
            name = "mo" if is_sign else "mn" if text.isdecimal() else "mi"
            etree.SubElement(holder, "mtext" if "text" in classes else name).text = text


def _stack(
    name: str, shelves: list[tuple[float, etree._Element]], holder: etree._Element, depth: int
) -> None:
    """Add what stands above each other, from the top in *shelves*, in MathML's order."""
    above = [shelf for top, shelf in shelves if top < 0]
    below = [shelf for top, shelf in shelves if top >= 0]
    order = [shelf for _, shelf in shelves]
    if name == "m":
        name += "sub" * bool(below) + "sup" * bool(above)
        order = [*below[:1], *above[:1]]
    elif name == "munder" and len(order) > 2:
        name, order = "munderover", [*order[1:], *order[:1]]
    base = holder[-1] if name.startswith("msu") else None
    made = etree.SubElement(holder, name)
    if base is not None:
        made.append(base)
    for shelf in order:
        _read_katex(shelf, etree.SubElement(made, "mrow"), depth + 1)


def _shelves(node: etree._Element) -> list[tuple[float, etree._Element]]:
    """Return the parts with text from the top, each after its place, negative above the line."""
    inside = (each for child in node if child.get("class") != "root" for each in child.iter("*"))
    found = []
    for shelf in next((each for each in inside if each.get("class") == "vlist"), ()):
        if any(text.strip("\u200b \n\t") for text in shelf.itertext()):
            styles = (each.get("style") or "" for each in (shelf, *shelf[:1]))
            lengths = [_LENGTH.search(style) for style in styles]
            found.append((sum(float(each[1]) for each in lengths if each), shelf))
    return sorted(found, key=lambda each: each[0])


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
