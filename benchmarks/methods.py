"""Everything that is measured, ours and theirs, as one kind of function."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from benchmarks.data import LabelledPage
from benchmarks.peers import PEERS, Peer, installed_peers, peer_version
from scrapy_boilerplate import Page, extract, extractor_names, get_extractor
from scrapy_boilerplate.tools.isolation import Failure, Isolated

LIMIT_S = 20.0  # seconds after which a method has failed on a page


@dataclass(frozen=True, slots=True)
class Method:
    """An extractor of this package, a peer, or the baseline that keeps all text of a page."""

    name: str  # name in the registry, or of the peer's distribution
    is_peer: bool = False  # whether it is another package
    options: tuple[tuple[str, Any], ...] = ()  # options of an extractor, other than its defaults

    @property
    def label(self) -> str:
        """The name with options; for a peer with its version, since some names are both."""
        if self.is_peer:
            return f"{self.name} {peer_version(self.name)}"
        return " ".join([self.name, *(f"{name}={value}" for name, value in self.options)])


EVERYTHING = Method("keep everything")  # the baseline: all visible text of the page


def our_methods(names: Iterable[str] | None = None) -> list[Method]:
    """Return the registered extractors, or those of these *names*; raise :exc:`ValueError`."""
    if names is None:
        return [Method(name) for name in extractor_names()]
    return [Method(get_extractor(name).name) for name in names]


def peer_methods() -> list[Method]:
    return [Method(name, is_peer=True) for name in installed_peers()]


@cache
def text_function(method: Method) -> Peer:
    """Return the function of a method, after a first call that loads whatever it needs."""
    if method.is_peer:
        function = PEERS[method.name]
    elif method == EVERYTHING:
        function = _everything
    else:

        def function(html: bytes, url: str | None, language: str | None) -> str:
            return extract(html, url=url, extractor=method.name, **dict(method.options)).text

    function(b"<p>One sentence, so that nothing is loaded while the clock runs.</p>", None, None)
    return function


def _everything(html: bytes, url: str | None, language: str | None) -> str:
    page = Page.parse(html, url=url)
    return page.lay_out(0, page.text_at.size)


def answers(
    pages: Iterable[LabelledPage], methods: Iterable[Method], processes: int = 1
) -> Iterator[tuple[LabelledPage, Method, str | Failure]]:
    """Yield every method's text for every page; a page that hangs or crashes costs its answer."""
    one_thread_each()
    methods = list(methods)
    calls = (
        ((page, method), (method, page.html, page.url, page.language))
        for page in pages
        for method in methods
    )
    with Isolated(_answering, processes=processes, seconds=LIMIT_S) as pool:
        for (page, method), text in pool.pairs(calls):
            yield page, method, text


def one_thread_each() -> None:
    """Let processes that start from now on use one thread for sums of products.

    The time of threads that numpy leaves waiting for work would count for what is next.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _answering() -> Callable[[tuple[Method, bytes, str | None, str | None]], str]:
    logging.disable(logging.CRITICAL)  # peers report every odd page
    return lambda call: text_function(call[0])(*call[1:])
