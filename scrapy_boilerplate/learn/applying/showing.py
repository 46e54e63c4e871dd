"""Shows the text that the pages of a site hide, where the site's model says that it is theirs."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.sources import HiddenText, begins_in, is_unseen, letters
from scrapy_boilerplate.learn.applying.single_page import SinglePageResult
from scrapy_boilerplate.learn.article_sources import has_title, longest
from scrapy_boilerplate.learn.facts import SiteFacts

_PIECE = 8  # letters, which two texts hardly have in common by chance
_known: WeakKeyDictionary[Page, tuple[object, Page | None]] = WeakKeyDictionary()
"""What is shown of a page, and what that depends on; nothing in it holds the page itself."""


def shown_page(facts: SiteFacts, page: Page, alone: SinglePageResult) -> Page:
    """Return a page with the text of a source of its site; itself if that is not its text.

    It is if none of its second half is visible, it adds more than it lacks of what the method has
    found, and the method has found no text, or the text begins as the page does. On a page of lists
    it must have the title of the page.
    """
    sources = facts.all_sources
    if not sources or page.source in sources or not page.is_html:
        return page
    has_text = bool(page.text_at.size) and alone.has_text(facts.min_words)
    is_list, kept = alone.extraction.kind == "list", letters(alone.extraction.text)
    known, given = _known.get(page), (sources, has_text, is_list, len(kept))
    if known is None or known[0] != given:
        text = _own_text(page, sources, has_text, is_list, kept)
        known = _known[page] = given, page.showing(text) if text else None
    return known[1] or page


def _own_text(
    page: Page, sources: tuple[str, ...], has_text: bool, is_list: bool, kept: str
) -> HiddenText | None:
    """Return the text of one of the sources that is that of a page, if there is any."""
    shown = letters(page.buffer)
    for text in longest(text for text in page.hidden() if text.source in sources):
        begins = not has_text or begins_in(text, shown)
        if not begins or not is_unseen(text, shown):
            continue
        if has_title(text, page) if is_list else _adds_more(text, kept):
            return text
    return None


def _adds_more(text: HiddenText, kept: str) -> bool:
    """Return whether a text adds more to the letters *kept* than it lacks of them."""
    own, known = _pieces(text.letters), _pieces(kept)
    return len(own - known) >= len(known - own)


def _pieces(text: str) -> set[str]:
    return {text[at : at + _PIECE] for at in range(len(text))}
