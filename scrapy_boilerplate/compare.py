"""The same page through several methods, and how far they agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from scrapy_boilerplate.api import Html, to_page
from scrapy_boilerplate.extraction import Extraction
from scrapy_boilerplate.extractors import Extractor, extractor_names, get_extractor
from scrapy_boilerplate.page.text import tokens

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What several methods extract from one page; rows and columns are in the order of names."""

    names: tuple[str, ...]
    """Names of the methods; for an instance its ``repr``, which tells its options."""

    extractions: tuple[Extraction, ...]
    """Each method's answer."""

    agreement: tuple[tuple[float, ...], ...]
    """Word F1 between each two methods' texts, in [0, 1]; symmetric, 1 on the diagonal. Two empty
    texts agree wholly, an empty one and another not at all."""

    @property
    def mean_agreement(self) -> tuple[float, ...]:
        """Each method's mean agreement with the others; 1 where there is no other."""
        others = len(self.names) - 1
        if not others:
            return (1.0,)
        return tuple((sum(row) - 1) / others for row in self.agreement)

    def __getitem__(self, name: str) -> Extraction:
        """Return the answer of the method of that name; raise :exc:`KeyError` if it was not asked.

        >>> compare("<p>One two three.", ["mss", "bte"])["bte"].text
        'One two three.'
        """
        if name not in self.names:
            raise KeyError(f"{name!r} was not compared; compared were: {', '.join(self.names)}")
        return self.extractions[self.names.index(name)]


def compare(
    html: Html,
    extractors: Iterable[str | Extractor] | None = None,
    *,
    url: str | None = None,
    encoding: str | None = None,
) -> Comparison:
    """Extract a page with several methods and measure how far they agree with one another.

    *html*, *url* and *encoding* are as for :func:`~scrapy_boilerplate.extract`; the page is walked
    once. *extractors* are registered names or instances; by default every registered method with
    its source's values, without the presets, and without those whose extra is not installed. A
    method that many others agree with is a fair choice for pages of that kind; a low mean agreement
    says that the page is hard. Raises :exc:`ValueError` for an unknown name or no extractor at all.

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
        """Tell whether another method judges in the same way, with other defaults."""
        return any(judges.get(base) is method.judge for base in method.__mro__[1:])

    return {name: method for name, method in methods.items() if not is_preset(type(method))}


def _word_f1(one: Counter[str], other: Counter[str]) -> float:
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 1.0
