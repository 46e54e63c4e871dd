"""Run several extractors on one page and measure how far they agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from html import escape

import numpy as np

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.answer.overlay import Marked, small_overlay
from scrapy_boilerplate.core.api import Html, to_page
from scrapy_boilerplate.core.methods import Extractor, extractor_names, get_extractor
from scrapy_boilerplate.core.page.text import tokens


@dataclass(frozen=True, slots=True)
class Comparison:
    """Answers of several extractors for one page. Rows and columns are in the order of names."""

    names: tuple[str, ...]
    """Names of the extractors. The name of an instance is its ``repr``, which shows its options."""

    extractions: tuple[Extraction, ...]
    """Each extractor's answer."""

    agreement: tuple[tuple[float, ...], ...]
    """Word F1 between the texts of each pair of extractors, in [0, 1]; symmetric, 1 on the
    diagonal. Two empty texts agree fully; an empty text and any other do not agree at all."""

    def __repr__(self) -> str:
        """Return how far the extractors agree."""
        means = sorted(zip(self.mean_agreement, self.names, strict=True))
        (least, outsider), (most, fairest) = means[0], means[-1]
        return (
            f"<Comparison of {len(self.names)} extractors; mean agreement from {least:.2f} "
            f"({outsider}) to {most:.2f} ({fairest})>"
        )

    def _repr_html_(self) -> str:
        """Return a table for notebooks, and the page with what most extractors keep.

        Hovering over a text shows which extractors keep it.
        """
        rows = "".join(
            f"<tr><td>{escape(name)}<td>{len(answer.text.split())}<td>{mean:.2f}"
            for name, answer, mean in zip(
                self.names, self.extractions, self.mean_agreement, strict=True
            )
        )
        table = f"<table><tr><th>extractor<th>words<th>mean agreement{rows}</table>"
        page = self.extractions[0].page
        if page is None:
            return table
        kept = np.stack([answer.kept(page) for answer in self.extractions])
        marked = [
            Marked(text, text + 1, 2 * len(names) > len(self.names), note=", ".join(names))
            for text, flags in enumerate(kept.T.tolist())
            if (names := [name for name, flag in zip(self.names, flags, strict=True) if flag])
        ]
        return table + small_overlay(page, marked, repr(self)[1:-1])

    @property
    def mean_agreement(self) -> tuple[float, ...]:
        """Each extractor's mean agreement with the others; 1 if there is only one extractor."""
        others = len(self.names) - 1
        if not others:
            return (1.0,)
        return tuple((sum(row) - 1) / others for row in self.agreement)

    def __getitem__(self, name: str) -> Extraction:
        """Return the answer of the extractor of that name; raise :exc:`KeyError` if there is none.

        >>> compare("<p>One two three.", ["mss", "bte"])["bte"].text
        'One two three.'
        """
        if name not in self.names:
            raise KeyError(
                f"{name!r} was not compared; the compared extractors are: {', '.join(self.names)}"
            )
        return self.extractions[self.names.index(name)]


def compare(
    html: Html,
    extractors: Iterable[str | Extractor] | None = None,
    *,
    url: str | None = None,
    encoding: str | None = None,
) -> Comparison:
    """Extract a page with several extractors and measure how far they agree.

    *html*, *url* and *encoding* are the same as for :func:`~scrapy_boilerplate.extract`. The page
    is walked once. *extractors* are registered names or instances. The default is every registered
    extractor with its source's values, but no presets and no extractor whose extra is not
    installed. One that agrees with many others is a reasonable choice for similar pages. A low mean
    agreement indicates a difficult page. Raises :exc:`ValueError` for an unknown name or if
    *extractors* is empty.

    >>> comparison = compare("<ul><li><a>Home</a></ul><p>One two three four.", ["mss", "bte"])
    >>> comparison["mss"].text
    'One two three four.'
    >>> comparison.agreement
    ((1.0, 1.0), (1.0, 1.0))
    """
    methods = _default_methods() if extractors is None else _methods(extractors)
    if not methods:
        raise ValueError("compare() needs at least one extractor")
    page = to_page(html, url=url, encoding=encoding)
    extractions = tuple(method.extract(page) for method in methods.values())
    bags = [Counter(tokens(extraction.text)) for extraction in extractions]
    agreement = tuple(tuple(_word_f1(one, other) for other in bags) for one in bags)
    return Comparison(tuple(methods), extractions, agreement)


def _methods(extractors: Iterable[str | Extractor]) -> dict[str, Extractor]:
    return {
        extractor if isinstance(extractor, str) else repr(extractor): get_extractor(extractor)
        for extractor in extractors
    }


def _default_methods() -> dict[str, Extractor]:
    methods = {}
    for name in extractor_names():
        with suppress(ImportError):  # of an extra
            methods[name] = get_extractor(name)
    judges = {type(method): type(method).judge for method in methods.values()}

    def is_preset(method: type[Extractor]) -> bool:
        """Return whether another extractor judges in the same way with other defaults."""
        return any(judges.get(base) is method.judge for base in method.__mro__[1:])

    return {name: method for name, method in methods.items() if not is_preset(type(method))}


def _word_f1(one: Counter[str], other: Counter[str]) -> float:
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 1.0
