"""Names of elements: which show no text, break it into blocks, or keep its white space."""

from __future__ import annotations

INVISIBLE = frozenset(
    "script style noscript template head title iframe noframes noembed svg audio video canvas "
    "datalist".split()
)
"""Elements whose content no browser with scripts shows as text of the page."""

TABLES = frozenset(["table"])
ROWS = frozenset("tr caption thead tbody tfoot".split())
CELLS = frozenset("td th".split())
HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
LISTS = frozenset("ul ol dl menu dir".split())
ITEMS = frozenset("li dt dd".split())
PREFORMATTED = frozenset("pre listing xmp plaintext".split())  # elements whose white space is kept

PARAGRAPHS = PREFORMATTED | frozenset(
    "html body div p h1 h2 h3 h4 h5 h6 blockquote section article main aside header footer nav "
    "form fieldset legend figure figcaption hr center address details summary dialog hgroup search "
    "noscript optgroup option select textarea frameset frame marquee".split()
)
BLOCK_LEVEL = TABLES | ROWS | CELLS | LISTS | ITEMS | PARAGRAPHS
"""Elements that start a new block of text."""

_LINE_STYLES = ("display:block", "display:flex", "display:grid")


def is_line_style(style: str) -> bool:
    """Return whether a ``style`` attribute makes an element stand on lines of its own."""
    if "display" not in style:
        return False
    packed = style.replace(" ", "")
    return any(each in packed for each in _LINE_STYLES)
