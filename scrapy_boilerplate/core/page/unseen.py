"""Elements that a browser does not show, by their attributes alone: no style sheet is read."""

from __future__ import annotations

import re
from typing import Literal, get_args

import numpy as np
from lxml import etree

from scrapy_boilerplate.core.page.arrays import Bool, Int64, cumulative
from scrapy_boilerplate.core.page.lenient import attribute_of
from scrapy_boilerplate.core.page.node_arrays import Nodes

HiddenChoice = Literal["keep", "drop"]
"""What becomes of the text of elements that a browser does not show."""

_LONGEST_STYLE = 1000  # characters of a ``style`` that are read; images in it are longer
_ZERO = r"0*\.?0+(?:px|em|rem|pt|%)?\s*(?:!important\s*)?(?:;|$)"
_HIDES = re.compile(
    r"(?:^|;|\s)(?:display\s*:\s*none\b|visibility\s*:\s*(?:hidden|collapse)\b|"
    rf"opacity\s*:\s*{_ZERO}|font-size\s*:\s*{_ZERO}|text-indent\s*:\s*-\d{{3,}}|"
    r"(?:left|right|top|bottom)\s*:\s*-\d{4,}|clip\s*:\s*rect\(\s*(?:0|1px)[\s,])"
)


def check_hidden(value: object) -> HiddenChoice:
    """Return *value*; raise :exc:`ValueError` if it is no choice for hidden text."""
    for choice in get_args(HiddenChoice):
        if value == choice:
            return choice
    raise ValueError(f"'hidden' must be 'keep' or 'drop', not {value!r}")


def texts_unseen(nodes: Nodes) -> Bool:
    """Return for each text node whether the attributes of an element around it hide it.

    ``hidden="until-found"`` hides nothing from a reader.
    """
    found = [at for at, node in nodes.nodes_with("hidden", "aria-hidden", "style") if _hides(node)]
    if not found:
        return np.zeros(nodes.text_at.size, dtype=bool)
    return nodes.texts_inside(np.isin(nodes.ordinal, found))


def are_dialogs(nodes: Nodes) -> Bool:
    """Return for each element whether it is a dialog, which stands before the page or is not shown.

    >>> from scrapy_boilerplate import Page
    >>> are_dialogs(Page.parse("<p>It rained.<div role=dialog>Our letter</div>")).tolist()
    [False, False, False, True]
    """
    told = nodes.nodes_with("role", word="dialog") + nodes.nodes_with("aria-modal")
    return nodes.has_tag(("dialog",)) | np.isin(nodes.ordinal, [at for at, _ in told])


def spans_unseen(nodes: Nodes, spans: Int64) -> list[bool]:
    """Return for each row of (start, stop) of *spans* whether any of its text is hidden."""
    before = cumulative(texts_unseen(nodes))
    return (before[spans[:, 1]] > before[spans[:, 0]]).tolist()


def _hides(node: etree._Element) -> bool:
    hidden = attribute_of(node, "hidden")
    if hidden is not None and hidden.lower() != "until-found":
        return True
    if (attribute_of(node, "aria-hidden") or "").lower() == "true":
        return True
    return bool(_HIDES.search((attribute_of(node, "style") or "")[:_LONGEST_STYLE].lower()))
