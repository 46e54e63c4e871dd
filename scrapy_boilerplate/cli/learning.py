"""Learning the sites of many pages before they are extracted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from scrapy_boilerplate.cli.sources import PageFile
from scrapy_boilerplate.isolation import Lost
from scrapy_boilerplate.sites.samples import SiteSamples
from scrapy_boilerplate.sites.state import SiteState
from scrapy_boilerplate.sites.stores.models import save_samples

__all__ = ["Learned", "learn_sites"]


class Learned(NamedTuple):
    """What pages have taught."""

    sites: int
    """Sites of which there is a model."""
    strays: int
    """Pages that belong to no site, because their address is not known."""


def learn_sites(
    sketches: Iterable[tuple[PageFile, tuple[str | None, bytes | None] | Lost]],
    samples: SiteSamples,
    store: str,
) -> Learned:
    """Add to *samples* what :class:`Learning` has made of pages, and save them in a store."""
    strays = 0
    for _, sketch in sketches:
        if isinstance(sketch, Lost):
            continue
        url, state = sketch
        if not samples.key(url or ""):
            strays += 1
        elif state is not None:
            samples.add(url or "", SiteState.from_bytes(state))
    save_samples(samples, store)
    return Learned(sum(samples.model(site) is not None for site, _ in samples.states()), strays)
