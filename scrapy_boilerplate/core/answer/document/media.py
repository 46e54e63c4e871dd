"""Embedded media: which are content, and their addresses."""

from __future__ import annotations

import re
from itertools import islice

from lxml import etree

from scrapy_boilerplate.core.answer.document._images_native import TINY

_MEDIA = {"video": "Video", "audio": "Audio", "amp-video": "Video", "amp-audio": "Audio"}
_MEDIA_KINDS = {  # by words of the address; the first one counts
    "Map": re.compile(r"[/.]maps?[/.?]|/export/embed", re.IGNORECASE),
    "Code": re.compile(
        r"codepen|fiddle|sandbox|stackblitz|repl\.it|replit|playground", re.IGNORECASE
    ),
    "Audio": re.compile(r"audio|track|podcast|sound|music", re.IGNORECASE),
    "Video": re.compile(r"embed|player|video|/v/|watch", re.IGNORECASE),
}
_POST = re.compile(
    r"(?:^|[\s_-])(?:tweet|toot)(?=$|[\s_-])|(?:^|\s)[a-z]+-(?:embed|media|post)(?=$|\s)",
    re.IGNORECASE,
)

_MOST_OF_POST, _MOST_BELOW, _MOST_IN_PLAYER = 200, 10, 20
"""Nodes of an embedded post that are looked at, and elements below what it says."""

_PLAYERS = {
    **dict.fromkeys(("lite-youtube", "amp-youtube"), "https://www.youtube.com/watch?v="),
    **dict.fromkeys(("lite-vimeo", "amp-vimeo"), "https://vimeo.com/"),
    "amp-dailymotion": "https://www.dailymotion.com/video/",
}
"""Custom elements that play a video, and what its address begins with: they hold no more than its
number."""
_NUMBERS = ("videoid", "data-videoid", "video-id", "data-video-id")
EMBEDDING = frozenset(
    ("iframe", "video", "audio", "amp-iframe", "amp-video", "amp-audio", "blockquote", *_PLAYERS)
)
"""Elements that may embed what others have made."""


def embedded(node: etree._Element) -> tuple[str, str]:
    """Return what an element embeds and its address; empty texts for what is no media."""
    if node.tag == "blockquote":
        return _embedded_post(node)
    inside = (each for each in islice(node.iter(), _MOST_IN_PLAYER) if each.tag == "source")
    sources = [node.get("src"), node.get("data-src"), *(each.get("src") for each in inside)]
    address = next((src for src in sources if src and not src.startswith(("about:", "data:"))), "")
    if node.tag in _PLAYERS:
        number = next(filter(None, map(node.get, _NUMBERS)), "")
        address = f"{_PLAYERS[node.tag]}{number}" if number else ""
    title = " ".join(
        (node.get("title") or node.get("aria-label") or node.get("playlabel") or "")[:200].split()
    )
    kind = "Video" if node.tag in _PLAYERS else _MEDIA.get(node.tag, "")
    if not kind and node.get("width") not in TINY:
        kinds = (name for name, words in _MEDIA_KINDS.items() if words.search(address[:2000]))
        kind = next(kinds, "")
    if not kind or not address:
        return "", ""
    return f"{kind}: {title}" if title else kind, address


def _embedded_post(quote: etree._Element) -> tuple[str, str]:
    """Return who wrote the post that a ``blockquote`` embeds, and when, and its address."""
    if not _POST.search((quote.get("class") or "")[:300]):
        return "", ""
    links = [n for n in islice(quote.iter(), _MOST_OF_POST) if n.tag == "a" and n.get("href")]
    if not links:
        return "", ""
    below: list[str] = []
    for child in islice(reversed(quote), _MOST_BELOW):
        below.insert(0, child.tail or "")
        if child.tag in ("p", "div"):
            break
        below.insert(0, _said(child))
    said = " ".join("".join(below).split()) or " ".join(_said(links[-1]).split())
    address = quote.get("cite") or links[-1].get("href") or ""
    return f"Post: {said.strip('—–- ')[:200]}", address


def _said(node: etree._Element) -> str:
    return "".join(islice(node.itertext(), _MOST_OF_POST))
