"""Shows the text that the pages of a site hide, where the site's model says that it is theirs."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.sources import HiddenText, begins_in, is_unseen, letters
from scrapy_boilerplate.learn.applying.single_page import SinglePageResult
from scrapy_boilerplate.learn.facts import SiteFacts
from scrapy_boilerplate.learn.sources import has_title, longest

_Known = tuple[tuple[str, ...], bool, bool, Page | None]

_known: WeakKeyDictionary[Page, _Known] = WeakKeyDictionary()  # must not hold the page


def shown_page(facts: SiteFacts, page: Page, alone: SinglePageResult) -> Page:
    """Return a page with the text of a source of its site; itself if that is not its text.

    It is if none of its second half is visible, and the method has found no text, or the text
    begins as the page does. On a page of lists it must have the title of the page.
    """
    sources = facts.all_sources
    if not sources or page.source in sources or not page.is_html:
        return page
    has_text = bool(page.text_at.size) and alone.has_text(facts.min_words)
    is_list = alone.extraction.kind == "list"
    known = _known.get(page)
    if known is None or known[:3] != (sources, has_text, is_list):
        text = _own_text(page, sources, has_text=has_text, is_list=is_list)
        shown = page.showing(text) if text else None
        known = _known[page] = sources, has_text, is_list, shown
    return known[3] or page


def _own_text(
    page: Page, sources: tuple[str, ...], *, has_text: bool, is_list: bool
) -> HiddenText | None:
    """Return the text of one of the sources that is that of a page, if there is any."""
    shown = letters(page.buffer)
    for text in longest(text for text in page.hidden() if text.source in sources):
        begins = not has_text or begins_in(text, shown)
        if begins and is_unseen(text, shown) and (not is_list or has_title(text, page)):
            return text
    return None
