"""The other tools for the same job, a function each: a page's bytes in, its main text out.

Each is called as its documentation shows for main text, in the mode that scores best on
``wcxb-dev`` where there are several. A peer that is not installed is left out of a run, and said
so. Install them with the extra ``bench``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from w3lib.encoding import html_to_unicode

Peer = Callable[[bytes, "str | None", "str | None"], str]
"""Takes the page, its address and its language code, the latter two where they are known."""


def _decode(html: bytes) -> str:
    """Decode for the peers that want text, as Scrapy does."""
    return html_to_unicode(None, html, default_encoding="utf-8")[1]


def trafilatura(html: bytes, url: str | None, language: str | None) -> str:
    """``extract`` with its defaults; ``favor_recall`` and leaving out comments both score less."""
    import trafilatura

    return trafilatura.extract(html, url=url) or ""


def _trafilatura_tree(root: Any) -> str:
    import trafilatura

    return trafilatura.extract(root) or ""


def resiliparse(html: bytes, url: str | None, language: str | None) -> str:
    """``extract_plain_text`` for main content; without the bullets and image texts it adds."""
    from resiliparse.extract.html2text import extract_plain_text

    text = _decode(html)
    return extract_plain_text(text, main_content=True, list_bullets=False, alt_texts=False)


def turbohtml(html: bytes, url: str | None, language: str | None) -> str:
    """``article().text``, which scores more than ``extract.boilerplate``."""
    import turbohtml

    return turbohtml.parse(html).article().text


def readability_lxml(html: bytes, url: str | None, language: str | None) -> str:
    """The text of ``Document.summary()``, which is HTML."""
    import lxml.html
    from readability import Document

    summary = Document(_decode(html), url=url).summary(html_partial=True)
    return "\n".join(lxml.html.fromstring(summary).itertext()) if summary.strip() else ""


def justext(html: bytes, url: str | None, language: str | None) -> str:
    """The good paragraphs, with the stop list of the set's language, English where it names none.

    For languages without a stop list, the language-independent mode.
    """
    import justext

    name = _JUSTEXT_LANGUAGES.get(language or "en")
    if name is None:
        options = {"stoplist": frozenset(), "stopwords_low": 0, "stopwords_high": 0}
    else:
        options = {"stoplist": _stop_list(name)}
    paragraphs = justext.justext(html, **options)
    return "\n".join(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate)


_JUSTEXT_LANGUAGES = {
    "ar": "Arabic",
    "de": "German",
    "en": "English",
    "fr": "French",
    "hu": "Hungarian",
    "ko": "Korean",
    "pl": "Polish",
    "ru": "Russian",
}


@cache
def _stop_list(name: str) -> frozenset[str]:
    import justext

    return frozenset(justext.get_stoplist(name))


def boilerpy3(html: bytes, url: str | None, language: str | None) -> str:
    """``CanolaExtractor``, which scores more than ``ArticleExtractor`` and ``DefaultExtractor``."""
    from boilerpy3.extractors import CanolaExtractor

    text: str = CanolaExtractor(raise_on_failure=False).get_content(_decode(html))
    return text


def rs_trafilatura(html: bytes, url: str | None, language: str | None) -> str:
    """``extract_bytes``; with the address, which its classifier of page types asks for."""
    import rs_trafilatura

    return rs_trafilatura.extract_bytes(html, url=url or "").main_content or ""


PEERS: dict[str, Peer] = {
    "trafilatura": trafilatura,
    "resiliparse": resiliparse,
    "turbohtml": turbohtml,
    "readability-lxml": readability_lxml,
    "justext": justext,
    "boilerpy3": boilerpy3,
    "rs-trafilatura": rs_trafilatura,
}
"""Peers by the name of their distribution."""

TREE_PEERS: dict[str, Callable[[Any], Any]] = {"trafilatura": _trafilatura_tree}
"""Peers that also take the tree that lxml has parsed."""


def peer_version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def installed_peers() -> list[str]:
    return [name for name in PEERS if peer_version(name) is not None]
