"""A page as the inspector shows it: in JSON types, and as one HTML document."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.answer.overlay import COLOURS, STYLE, marked_page, shortened
from scrapy_boilerplate.core.methods import Extractor, extractor_names, get_extractor
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.learn.applying.extractor import InSite
from scrapy_boilerplate.learn.site_model import SiteModel
from scrapy_boilerplate.tools.tables import metadata_record

_LONGEST_BLOCK = 200  # characters of a block's text
_MANY_BLOCKS = 5000  # from which on only the chosen method is shown
_COMPARED = {"both": "#bfe8c4", "first": "#f7d9a8", "second": "#c9c4f5", "neither": "transparent"}
# What moves would leave the buttons that lie over it behind.
_STILL = "*,*::before,*::after{animation:none!important;transition:none!important}"
_STYLE = (
    _STILL
    + STYLE
    + "".join(
        f"b-t.{name}{{background:{colour}!important;color:#000!important}}"
        for name, colour in _COMPARED.items()
        if name != "neither"
    )
)


@dataclass(frozen=True)
class Known:
    key: str
    model: SiteModel | None = None  # that a crawl would use
    state: str = "not known"  # learned, or by manual rules


@dataclass(frozen=True)
class Inspected:
    """A page, the method that was chosen for it, and what is known of its site."""

    page: Page
    name: str  # what the user calls the page
    method: Extractor = field(default_factory=lambda: get_extractor("auto"))
    site: Known | None = None
    elsewhere: tuple[str, ...] = ()  # pages that were given for the site, but are of another one
    number: int = 0  # of the page …
    others: Sequence[tuple[str, str]] = ()  # … and name and link of the others of its site

    def data(self) -> dict[str, Any]:
        """Return what the script reads."""
        methods = {name: self._answered(method) for name, method in self._methods().items()}
        metadata = self.method.extract(self.page).metadata
        return {
            "page": marked_page(self.page, lambda text: f' data-t="{text}"', style=_STYLE),
            "texts": int(self.page.text_at.size),
            "images": len(self.page.root.xpath("//img | //video")),
            "sheets": len(self.page.root.xpath("//link[contains(@rel, 'stylesheet')]")),
            "method": next(iter(methods)),
            "methods": methods,
            "metadata": metadata_record(metadata),
            "sources": dict(metadata.sources),
            "colours": {**COLOURS, **_COMPARED},
            "site": self._site(),
            "number": self.number,
        }

    def _methods(self) -> dict[str, Extractor | InSite]:
        methods: dict[str, Extractor | InSite] = {}
        if self.site is not None and self.site.model is not None:
            methods[f"{self.method.name} + site"] = InSite(self.site.model, self.method)
        methods[self.method.name] = self.method
        if len(self.page.blocks) <= _MANY_BLOCKS:
            for name in reversed(extractor_names()):  # auto and the best ones first
                with suppress(ImportError):  # of an extra
                    methods.setdefault(name, get_extractor(name))
        return methods

    def _answered(self, method: Extractor | InSite) -> dict[str, Any]:
        extraction = method.extract(self.page)
        confidence = extraction.confidence
        return {
            "kind": extraction.kind,
            "words": len(extraction.text.split()),
            "confidence": None if confidence is None else round(confidence, 3),
            "text": extraction.text,
            "markdown": extraction.markdown,
            "blocks": _blocks(extraction.on(self.page)),
        }

    def _site(self) -> dict[str, Any] | None:
        if self.site is None:
            return None
        return {
            "key": self.site.key,
            "state": self.site.state,
            "facts": _facts(self.site.model) if self.site.model is not None else [],
            "pages": self.others,
            "elsewhere": list(self.elsewhere),
        }


def _blocks(extraction: Extraction) -> list[list[Any]]:
    """Return start, stop, kept, role, score, reason, XPath and text of each block."""
    found = extraction.explain()
    rows = zip(found, found.record.spans.tolist(), found.record.roles(), strict=True)
    return [
        [
            *span,
            each.kept,
            role,
            round(each.score, 3),
            each.reason,
            each.xpath,
            shortened(each.text, _LONGEST_BLOCK),
        ]
        for each, span, role in rows
    ]


def _facts(model: SiteModel) -> list[tuple[str, str]]:
    facts = [("pages", str(model.pages)), ("articles", str(model.articles))]
    rule = model.rule
    facts += [
        (f"manual rule: {name}", ", ".join(getattr(rule, name)))
        for name in ("containers", "titles", "end_markers", "drop", "keep")
    ]
    for name in ("containers", "titles", "content", "boilerplate", "sources"):
        votes = (f"{vote.name} ({vote.pages} pages)" for vote in getattr(model, name))
        facts.append((name, ", ".join(votes)))
    facts.append(("texts that repeat", str(len(model.repeats))))
    return [(name, value) for name, value in facts if value]


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


def inspector_html(inspected: Inspected, *, with_server: bool = False) -> str:
    """Return the inspector for a page, as one file that needs nothing else.

    The document drops the page's scripts and shows the page in a sandboxed frame without scripts.
    *with_server* says that the document comes from :class:`InspectorServer`, which writes rules.

    >>> from scrapy_boilerplate import Page
    >>> made = inspector_html(Inspected(Page.parse("<p>Some text"), "page.html"))
    >>> "sandbox=" in made, "src=" in made, "href=" in made
    (True, False, False)
    """
    data = {**inspected.data(), "server": with_server}
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
