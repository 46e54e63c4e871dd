"""A site's model: the facts about the site, applied to pages and written as text or bytes."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.answer.overlay import shortened
from scrapy_boilerplate.core.answer.record import Explanation
from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.learn.applying.extractor import InSite
from scrapy_boilerplate.learn.facts import SiteFacts
from scrapy_boilerplate.learn.forms import from_form, to_form
from scrapy_boilerplate.learn.keys import own_or_parents

MOST_MODEL_BYTES = 1 << 22  # that may come out of compressed ones


class StateError(ValueError):
    """A serialised model or state is damaged, or has another version."""


def compressed(form: object, magic: bytes, level: int) -> bytes:
    """Return JSON compressed behind *magic*, whose last byte is the version."""
    text = json.dumps(form, ensure_ascii=False, separators=(",", ":"))
    return magic + zlib.compress(text.encode("utf-8", "surrogatepass"), level)


def decompressed(data: bytes, magic: bytes) -> Any:
    """Return the JSON that stands compressed behind *magic*. Raises :exc:`StateError`."""
    if data[: len(magic) - 1] != magic[:-1]:
        raise StateError("these bytes are not a site's state or model")
    if data[: len(magic)] != magic:
        raise StateError(f"version {data[len(magic) - 1 : len(magic)].hex()} is not supported")
    stream = zlib.decompressobj()
    try:
        body = stream.decompress(data[len(magic) :], MOST_MODEL_BYTES)
        if not stream.eof:
            raise StateError("the bytes are truncated or too long")
        return json.loads(body.decode("utf-8", "surrogatepass"))
    except (zlib.error, UnicodeError, json.JSONDecodeError, RecursionError) as error:
        raise StateError(f"damaged bytes: {error}") from error


MAGIC = b"BPM\x01"  # first bytes of a model's serialised form; the last one is the version


class SiteModel(SiteFacts):
    """Model of a site: learned, written by hand, or both.

    Apply it to a page with :meth:`apply`. Without containers it changes nothing but what the rule
    says is always or never part of the article.
    """

    def __repr__(self) -> str:
        """Return the site and where its articles are, in one short line."""
        names = [*self.rule.containers, *(vote.name for vote in self.containers)]
        where = shortened(", ".join(names), 60) or "no container"
        return f"<{type(self).__name__} of {self.site}: {self.pages} pages, {where}>"

    def apply(
        self, page: Page, extractor: Extractor, single: Extraction | None = None
    ) -> Extraction:
        """Return the main content of *page*: what *extractor* finds, weighed against the model.

        A page without a container has no article if the model is :attr:`safe`, else the answer is
        the extractor's. *single* is the extractor's answer on the whole page, if it is known. The
        spans of the segments are those of *page*, or of the page that is :meth:`shown`.
        """
        return InSite(self, extractor, single).extract(page)

    def explain(self, page: Page, extractor: Extractor) -> tuple[Explanation, ...]:
        """Explain for each block of *page* what decided: the site's model or the extractor."""
        return InSite(self, extractor).explain(page)

    def added_to(self, learned: SiteModel | None) -> SiteModel:
        """Return what was *learned* of a site with this rule; this model if it is a whole one."""
        if learned is None or self.is_learned:
            return self
        return replace(learned, rule=self.rule)

    def shown(self, page: Page, extractor: Extractor) -> Page:
        """Return *page* with the text that the site is known to hide, itself if it hides none."""
        return InSite(self, extractor).shown(page)

    def to_dict(self) -> dict[str, object]:
        """Return the model as JSON types that a person can read and edit."""
        return to_form(self)

    @classmethod
    def from_dict(cls, form: Mapping[str, object]) -> SiteModel:
        """Read a model that :meth:`to_dict` or a person wrote.

        In ``containers``, ``titles``, ``end_markers``, ``drop`` and ``keep`` a plain string is a
        CSS selector or an XPath. Raises :exc:`ValueError`, which names the mistake.

        >>> SiteModel.from_dict({"site": "a.example", "containers": ["div.story"]}).rule.containers
        ('div.story',)
        """
        return from_form(cls, form)

    def to_bytes(self) -> bytes:
        """Return a compact form with a version. Equal models give equal bytes."""
        return compressed(self.to_dict(), MAGIC, 9)

    @classmethod
    def from_bytes(cls, data: bytes) -> SiteModel:
        """Read what :meth:`to_bytes` wrote. Raises :exc:`StateError` for anything else."""
        form = decompressed(data, MAGIC)
        try:
            return cls.from_dict(form)
        except (ValueError, RecursionError) as error:
            raise StateError(f"damaged site model: {error}") from error


def ruled_model(
    site: str, learned: Callable[[str], SiteModel | None], rules: Mapping[str, SiteModel]
) -> SiteModel | None:
    """Return what was *learned* of *site*, or of its parent domain, with a person's rule for it."""
    model, rule = own_or_parents(site, learned), own_or_parents(site, rules.get)
    return model if rule is None else rule.added_to(model)
