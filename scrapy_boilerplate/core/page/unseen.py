"""Elements that a browser does not show, by their attributes alone: no style sheet is read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Literal, get_args

import numpy as np
from lxml import etree

from scrapy_boilerplate.core.page.arrays import Bool, Int64, cumulative
from scrapy_boilerplate.core.page.lenient import attribute_of
from scrapy_boilerplate.core.page.node_arrays import Nodes
from scrapy_boilerplate.core.page.tags import CELLS, HEADINGS, ITEMS, ROWS

HiddenChoice = Literal["keep", "drop"]
"""What becomes of the text of elements that a browser does not show."""

_LONGEST_STYLE = 1000  # characters of a ``style`` that are read; images in it are longer
_ZERO = r"0*\.?0+(?:px|em|rem|pt|%)?\s*(?:!important\s*)?(?:;|$)"
_UNDISPLAYED = re.compile(r"(?:^|;|\s)display\s*:\s*none\b")
_HIDES = re.compile(
    rf"{_UNDISPLAYED.pattern}|(?:^|;|\s)(?:visibility\s*:\s*(?:hidden|collapse)\b|"
    rf"opacity\s*:\s*{_ZERO}|font-size\s*:\s*{_ZERO}|text-indent\s*:\s*-\d{{3,}}|"
    r"(?:left|right|top|bottom)\s*:\s*-\d{4,}|clip\s*:\s*rect\(\s*(?:0|1px)[\s,])"
)
_OPENED = re.compile(r"(?i)tab|panel|accord|collaps|toggl|expand|faq|answer|more|spoiler|slide")
"""What classes and ids say of what a reader opens."""
_NAMES = re.compile(r"[\w.:-]+")
_SWITCHES = ("aria-controls", "data-target", "data-bs-target", "onclick")
_LEVELS_OF_OPENED = 3
_MEMBERS = ROWS | CELLS | ITEMS
_CONTROLS = HEADINGS - {"h1"} | {"button", "label", "dt", "summary"}


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
    rows = nodes.values_with("hidden", "aria-hidden", "style")
    return nodes.texts_inside(nodes.is_at([at for at, *said in rows if _hides(*said)]))


def are_dialogs(nodes: Nodes) -> Bool:
    """Return for each element whether it is a dialog, which stands before the page or is not shown.

    >>> from scrapy_boilerplate import Page
    >>> are_dialogs(Page.parse("<p>It rained.<div role=dialog>Our letter</div>")).tolist()
    [False, False, False, True]
    """
    return nodes.has_tag(("dialog",)) | nodes.with_sign("dialog")


def are_undisplayed(nodes: Nodes) -> Bool:
    """Return for each element whether its style hides it, and no reader opens it.

    >>> from scrapy_boilerplate import Page
    >>> page = Page.parse("<p style='display:none'>One<p class=more style='display:none'>Two")
    >>> are_undisplayed(page).tolist()
    [False, False, True, False]
    """
    found = [
        (at, node)
        for at, node in nodes.nodes(nodes.with_sign("undisplayed").nonzero()[0].tolist())
        if _UNDISPLAYED.search(_style(attribute_of(node, "style"))) and not _is_opened(node)
    ]
    if any(attribute_of(node, "id") for _, node in found):
        opened = _opened(nodes)
        found = [each for each in found if attribute_of(each[1], "id") not in opened]
    flags = np.zeros(nodes.tag.size, dtype=bool)
    flags[[at for at, _ in found]] = True
    return flags


def spans_unseen(nodes: Nodes, spans: Int64) -> list[bool]:
    """Return for each row of (start, stop) of *spans* whether any of its text is hidden."""
    before = cumulative(texts_unseen(nodes))
    return (before[spans[:, 1]] > before[spans[:, 0]]).tolist()


def _hides(hidden: str | None, aria_hidden: str | None, style: str | None) -> bool:
    if hidden is not None and hidden.lower() != "until-found":
        return True
    if aria_hidden and aria_hidden.lower() == "true":
        return True
    return bool(_HIDES.search(_style(style)))


def _opened(nodes: Nodes) -> set[str]:
    """Return the names of what links lead to, and buttons open."""
    links = {*nodes.ordinal[nodes.fragment > 0].tolist()}
    rows = nodes.values_with("href", *_SWITCHES)
    said = (row for at, *row in rows if at in links or any(each is not None for each in row[1:]))
    return {*_NAMES.findall(" ".join(value or "" for row in said for value in row))}


def _style(said: str | None) -> str:
    return (said or "")[:_LONGEST_STYLE].lower()


def _is_opened(node: etree._Element) -> bool:
    """Tell whether a control beside an element, or a name of it or around it, says so.

    Rows and items belong to a table or list, of which a page may show the rest on demand.
    """
    if node.tag in _MEMBERS:
        return True
    around = islice(node.iterancestors(), _LEVELS_OF_OPENED - 1)
    names = (attribute_of(each, name) or "" for each in (node, *around) for name in ("class", "id"))
    return _OPENED.search(" ".join(names)) is not None or any(map(_is_control, _beside(node)))


def _beside(node: etree._Element) -> Iterator[etree._Element]:
    """Yield the elements right before and after one, and what each holds alone."""
    for beside in (node.getprevious(), node.getnext()):
        while beside is not None and isinstance(beside.tag, str):
            yield beside
            beside = beside[0] if len(beside) == 1 else None


def _is_control(node: etree._Element) -> bool:
    """Tell whether an element is a button, a heading or a link that leads nowhere else."""
    if node.tag == "a":
        return (attribute_of(node, "href") or "#").startswith(("#", "javascript:"))
    return node.tag in _CONTROLS
