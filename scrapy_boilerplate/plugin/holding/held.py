"""The held items of each site in the store, and their size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from scrapy_boilerplate.plugin.holding.forms import pack_item
from scrapy_boilerplate.plugin.holding.leftovers import Leftovers

if TYPE_CHECKING:
    from scrapy.http import Response, TextResponse

    from scrapy_boilerplate.core.answer.extraction import Extraction
    from scrapy_boilerplate.core.methods import Extractor
    from scrapy_boilerplate.core.page import Page
    from scrapy_boilerplate.plugin.holding.policy import HoldingPolicy
    from scrapy_boilerplate.plugin.holding.store import HeldPage, HoldingStore, Packed


class Held:
    """Keeps the store and the counts of *policy* in step."""

    def __init__(self, store: HoldingStore, policy: HoldingPolicy) -> None:
        self.store = store
        self._policy = policy
        self._items: dict[str, list[int]] = {}  # the store's numbers, by site
        self._pages: WeakKeyDictionary[Response, int] = WeakKeyDictionary()
        pages = store.pages()
        self.leftovers = Leftovers(pages)
        """What an earlier run has left."""
        for page in pages:
            self._items.setdefault(page.site, []).extend(page.items)
            policy.add(page.site, pages=1, items=len(page.items), size=page.size)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the sites with held items."""
        return iter(list(self._items))

    def page(self, response: Response) -> int | None:
        """Return the number of the page, if items of that response were held."""
        return self._pages.get(response)

    def add(
        self,
        site: str,
        request: str,
        packed: Packed,
        response: TextResponse,
        replaced: HeldPage | None,
    ) -> int:
        """Hold the first item of a response; return the number of its page."""
        page, item = self.store.add(site, request, packed, response, replaced)
        self._items.setdefault(site, []).append(item)
        self._pages[response] = page
        self._policy.add(site, pages=1, items=1, size=packed.size)
        return page

    def add_further(self, site: str, page: int, item: object) -> bool:
        """Hold a further item of a page, if there is room for it."""
        form = pack_item(item)
        if not self._policy.admits(site, len(form)):
            return False
        self._items.setdefault(site, []).append(self.store.add_item(page, form))
        self._policy.add(site, items=1, size=len(form))
        return True

    def keep(self, site: str, page: int, read: Page, by: Extractor, found: Extraction) -> None:
        """Keep what a method found on a page."""
        self._policy.add(site, size=self.store.keep(page, read, by, found))

    def forget(self, page: HeldPage) -> None:
        """Forget a page of an earlier run and those of its items that were not sent on yet."""
        items = self._items.get(page.site, [])
        rest = [number for number in items if number not in page.items]
        gone = len(items) - len(rest)
        if gone:
            self._items[page.site] = rest
            self._policy.add(page.site, pages=-1, items=-gone, size=-page.size)
            if not rest:
                self.pop(page.site, for_good=False)
        self.store.remove_page(page)

    def pop(self, site: str, *, for_good: bool = True) -> list[int]:
        """Let go of a site's items and return them; *for_good*: hold no later ones either."""
        self._policy.remove(site, for_good=for_good)
        return self._items.pop(site, [])
