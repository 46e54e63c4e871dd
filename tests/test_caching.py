"""What is remembered between pages stays small, whatever the pages hold."""

from __future__ import annotations

import gc
import inspect
import pkgutil
import tracemalloc
from collections.abc import Iterator, Sequence
from functools import _lru_cache_wrapper
from importlib import import_module
from sys import getallocatedblocks
from threading import Barrier, Thread
from types import ModuleType

import pytest
from generated_sites import Site

import scrapy_boilerplate
from scrapy_boilerplate import Page, get_extractor
from scrapy_boilerplate.core.caching import Remembered, cached_property, remember
from scrapy_boilerplate.core.methods import extractor_names
from scrapy_boilerplate.learn import LearningOptions, SiteLearner

BOUNDED = {
    "Fingerprint.from_bytes": "fingerprints have at most 255 blocks and 255 selectors",
    "SiteModel.from_bytes": "models of sites, which take some kilobytes",
    "_table_of": "names of tags that stand in the code",
    "bits_of": "names of tags that stand in the code",
    "_start_tag": "names of tags that stand in the settings",
    "_factory": "names of extractors that are installed",
    "_stop_words": "the languages of a package",
    "load_model": "files of models",
    "_asset": "three files of the inspector",
    "_digest": "files of models",
    "_TableModels": "one table of models, for the tasks of a worker",
    "_named": "256 names of rules",
    "_in_small_letters": "encodings of one byte a letter",
    "_system": "64 file systems",
    "arrow_schema": "the columns that a run asks for",
}
"""Caches of functions with arguments, and why what they keep is small."""


def modules() -> Iterator[ModuleType]:
    found = pkgutil.walk_packages(scrapy_boilerplate.__path__, "scrapy_boilerplate.")
    names = (module.name for module in found if "_native" not in module.name)
    yield from filter(None, map(imported, names))


def imported(name: str) -> ModuleType | None:
    """Import a module, unless it is the adapter of an engine that is not installed."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("scrapy_boilerplate"):
            raise
        return None


def caches() -> Iterator[object]:
    for module in modules():
        for holder in (module, *filter(inspect.isclass, vars(module).values())):
            for value in vars(holder).values():
                value = getattr(value, "__func__", value)
                if isinstance(value, (Remembered, _lru_cache_wrapper)):
                    yield value


def test_every_cache_of_the_package_is_bounded() -> None:
    unknown = {
        cache.__qualname__
        for cache in caches()
        if isinstance(cache, _lru_cache_wrapper)
        and cache.__module__.startswith("scrapy_boilerplate")
        and inspect.signature(cache).parameters
        and cache.__qualname__ not in BOUNDED
    }
    assert not unknown, "use caching.remember, or say why what it keeps is small"


def test_what_is_remembered_is_bounded_in_bytes() -> None:
    calls = []

    @remember(100_000)
    def size(text: str) -> int:
        calls.append(text)
        return len(text)

    assert [size("one"), size("one"), len(calls)] == [3, 3, 1]
    for number in range(1000):
        assert size(f"{number}") == len(f"{number}")
        assert size.size <= 100_000
    assert size("x" * 9_000) == 9_000
    assert size.size <= 100_000
    assert len(size._known) < 500


def grown(pages: Iterator[Page], learner: SiteLearner, names: Sequence[str] = ()) -> int:
    """Return the bytes that are held after some pages more than before."""
    methods = [get_extractor(name) for name in names or extractor_names()]

    def read(page: Page) -> None:
        for method in methods:
            learner.observe(page, method.extract(page))
        model = learner.model(learner.site_of(page))
        if model is not None:
            model.apply(page, methods[0])

    read(next(pages))  # which loads models
    for _ in range(2):
        read(next(pages))
    gc.collect()
    tracemalloc.start()
    try:
        for page in pages:
            read(page)
        del page
        gc.collect()
        return tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "markup",
    [
        "<div class='{long}'>{text}</div>",
        "<div id='{long}'>{text}</div>",
        "<div class='{words}' id='{words}'>{text}</div>",
        "<a{long}>{text}</a{long}>",
        "<p>{text}<a href='{long}'>a link</a>",
        "<title>{long}</title><h1>{long}</h1>{text}",
    ],
)
def test_huge_names_of_many_sites_are_not_kept(markup: str) -> None:
    site = Site()
    text = "".join(f"<p>{paragraph}</p>" for paragraph in site.paragraphs(0))

    def pages() -> Iterator[Page]:
        for number in range(13):
            long = chr(97 + number % 26) * 200_000 + str(number)
            words = " ".join(f"{chr(97 + n % 26) * 30}{number}x" for n in range(6_000))
            html = markup.format(long=long, words=words, text=text)
            yield Page.parse(html, url=f"http://host-{number}.example/")

    assert grown(pages(), SiteLearner(max_bytes=100_000)) < 2_000_000


def test_pages_of_a_learned_site_are_not_kept() -> None:
    site = Site()
    learner = SiteLearner(LearningOptions(freeze_pages=20))

    def pages(numbers: range) -> Iterator[Page]:
        for number in numbers:
            made = site.article(number)
            yield Page.parse(made.html, url=f"{made.url}?{number}")

    names = ("mss-tuned", "auto")
    grown(pages(range(30)), learner, names)
    assert learner.is_frozen(learner.site_of(Page.parse("", url=site.article(0).url)))
    assert grown(pages(range(30, 60)), learner, names) < 100_000


@pytest.mark.slow
def test_twenty_thousand_hosts_leave_nothing_each() -> None:
    """Neither in the learner nor in what is remembered of names."""
    learner = SiteLearner(LearningOptions(min_words=5), max_sites=500)
    method = get_extractor("mss")

    def meet(hosts: range) -> int:
        for number in hosts:
            name = "".join(chr(97 + int(digit)) for digit in f"{number:05}")
            for page in range(2):
                text = (
                    f"<p id=t{name}>Page {page} of host {number} has a text of its own, as all.</p>"
                )
                html = f"<div class={name}><h1>{name} {page}</h1>{text}</div><p>Imprint"
                parsed = Page.parse(html, url=f"http://{name}.example/{page}")
                learner.observe(parsed, method.extract(parsed))
            assert learner.model(f"{name}.example") is not None
        for cache in caches():
            if isinstance(cache, Remembered):
                cache.forget()
        gc.collect()
        return getallocatedblocks()

    early = meet(range(2_000))
    assert meet(range(2_000, 20_000)) < early + 18_000 // 4
    assert len(learner.memory) == 500
    assert learner.memory.evicted == 19_500


class Pair:
    """Two values, each of which asks for the other where it is asked for first."""

    def __init__(self, first: str, together: Barrier) -> None:
        self.first, self.together = first, together

    def _value(self, name: str, other: str) -> str:
        if self.first != name:
            return name
        self.together.wait()
        return name + str(getattr(self, other))

    @cached_property
    def one(self) -> str:
        return self._value("one", "two")

    @cached_property
    def two(self) -> str:
        return self._value("two", "one")


def test_threads_do_not_wait_for_the_values_of_each_other() -> None:
    together = Barrier(2, timeout=60)
    pairs = {name: Pair(name, together) for name in ("one", "two")}
    threads = [
        Thread(target=getattr, args=(pair, name), daemon=True) for name, pair in pairs.items()
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert (pairs["one"].one, pairs["two"].two) == ("onetwo", "twoone")
