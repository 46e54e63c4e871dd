"""Formulas: the TeX that a page carries beside what it shows."""

from __future__ import annotations

from lxml import etree


def read_formula(node: etree._Element) -> str:
    r"""Return the TeX of a ``math`` element, the text that it shows where it carries none.

    >>> read_formula(etree.fromstring("<math alttext='x^2'><mi>x</mi><mn>2</mn></math>"))
    'x^2'
    """
    for annotation in node.iter("{*}annotation"):
        if "tex" in (annotation.get("encoding") or "").lower() and annotation.text:
            return tex_of(annotation.text)
    alternative = node.get("alttext")
    if alternative:
        return tex_of(alternative)
    return " ".join("".join(node.itertext()).split())


def tex_of(tex: str) -> str:
    """Return TeX without what MediaWiki wraps every formula in."""
    tex = " ".join(tex.split())
    prefix = "{\\displaystyle "
    if tex.startswith(prefix) and tex.endswith("}"):
        tex = tex[len(prefix) : -1].strip()
    return tex
