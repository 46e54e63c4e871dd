"""The inspector as one HTML document, which holds all that it shows."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from scrapy_boilerplate.tools.inspector.inspected import Inspected


@cache
def _asset(name: str) -> str:
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8")


@cache
def policy() -> str:
    """Return the inspector's content security policy: its own script, and nothing from outside."""
    script = b64encode(sha256(_asset("inspector.js").encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{script}'; style-src 'unsafe-inline'; "
        "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'"
    )


def inspector_html(
    inspected: Inspected, *, with_server: bool = False, more: Mapping[str, Any] | None = None
) -> str:
    """Return the inspector for a page, as one file that needs nothing else.

    The page's scripts are left out, and it is shown in a sandboxed frame in which none would run.
    *with_server* says that the document comes from :class:`InspectorServer`, which writes rules;
    *more* are the arguments of :meth:`Inspected.data`.

    >>> from scrapy_boilerplate import Page
    >>> made = inspector_html(Inspected(Page.parse("<p>Some text"), "page.html"))
    >>> "sandbox=" in made, "src=" in made, "href=" in made
    (True, False, False)
    """
    data = {**inspected.data(**(more or {})), "server": with_server}
    # No "<", so that nothing in the data ends the element that holds them.
    written = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    return Template(_asset("inspector.html")).substitute(
        policy=escape(policy()),
        title=escape(inspected.page.title or inspected.name),
        url=escape(inspected.page.url or inspected.name),
        css=_asset("inspector.css"),
        data=written,
        script=_asset("inspector.js"),
    )
