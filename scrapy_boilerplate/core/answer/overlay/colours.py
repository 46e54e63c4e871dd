"""The colours of marked texts, by what they were recognised as."""

from __future__ import annotations

COLOURS = {
    "title": "#b7d3f7",
    "body": "#bfe8c4",
    "list": "#bfe8c4",
    "table": "#bfe8c4",
    "code": "#bfe8c4",
    "caption": "#b5e6e2",
    "comment": "#dcc8f2",
    "teaser": "#fbdcae",
    "navigation": "#e3e3e3",
    "boilerplate": "#e3e3e3",
}
"""Background of a text by its role; readable under black text."""


def kind_of(role: str, kept: bool) -> str:
    """Return the class of a mark.

    >>> kind_of("title", True), kind_of("body", False)
    ('kept title', 'left body')
    """
    return f"{'kept' if kept else 'left'} {role}"


STYLE = "".join(
    [
        "b-t{color-scheme:light}",
        *(
            f"b-t.{role}{{background:{colour}!important;color:#000!important}}"
            for role, colour in COLOURS.items()
        ),
        # No opacity: thousands of layers take a browser quadratic time.
        "b-t.left{background:transparent!important;text-decoration:line-through!important;"
        "text-decoration-color:#b00!important}",
        "b-t.left.teaser,b-t.left.comment{background:#f3e6cf!important}",
    ]
)
"""Style sheet of the marks: colour says what a text is, a line through it that it was left out."""
