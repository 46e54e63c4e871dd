"""Mutation fuzzing: ``python -m tests.fuzz --minutes 60 --seed 7``.

Pages of the crash classes and of the example's sites are cut up, joined and spoilt, and everything
that takes a page or a stored state is run on what comes of it. A round depends on the seed and on
its number alone, so that ``--seed 7 --first 1234 --rounds 1`` repeats one. What fails is saved.

An execution is one output of one method for one page; a round of ``outputs`` makes thousands of
them from small pages. The file ``last`` in the folder tells how many there were so far.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import re
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]  # the tests import one another by name

from crash_cases import CASES
from markup import NAMES, ODD, check, methods

from benchmarks.limits import SHAPES
from scrapy_boilerplate import Extraction, Page
from scrapy_boilerplate.core.answer.extraction import OUTPUTS
from scrapy_boilerplate.core.answer.metadata.page_metadata import VALUES
from scrapy_boilerplate.core.strip import STRIPPABLE, strip_elements
from scrapy_boilerplate.learn import (
    LearningOptions,
    SiteLearner,
    SiteModel,
    SiteState,
    StateError,
    merge_states,
)
from scrapy_boilerplate.tools.testing.promises import check_page as check_promises
from scrapy_boilerplate.tools.testing.promises import squeeze

LONGEST = 20_000  # bytes of a seed, and about those of a page
HANGS = 300  # seconds after which a round is given up for good
HOST = "https://fuzz.example"
SMALL, A_ROUND = 80, 200
"""Bytes of a piece, at most, that small pages are joined from, and small pages of a round."""

TOKENS = [
    *(f"<{name}>" for name in NAMES),
    *(f"</{name}>" for name in NAMES),
    *ODD,
    *('<p class="a b">', "<div id=x>", "<a href='/x'>", "<meta charset=utf-16>", "<title>"),
    *("One sentence of some words, with a comma. ", "word ", "日本語。", "<!-- ", " hidden"),
    *("<script type='application/ld+json'>", '{"@type": "Article"}', "<meta name=a content=b>"),
]


# -- pages -----------------------------------------------------------------------------------


@cache
def seeds() -> list[bytes]:
    """Return the beginnings of the crash classes and of the example's pages."""
    made = ((case.smaller or case.make)() for case in CASES.values())
    pages = sorted((ROOT / "example_project/sites").rglob("*.html"))
    found = [page.encode("utf-8", "replace") if isinstance(page, str) else page for page in made]
    return [page[:LONGEST] for page in [*found, *(path.read_bytes() for path in pages)]]


def mutated(random: Random, data: bytes, others: list[bytes]) -> bytes:
    """Return *data* after some random changes, with pieces of *others* in it."""
    body = bytearray(data)
    for _ in range(random.choice([1, 1, 2, 4, 8, 30])):
        start = random.randint(0, len(body))
        stop = min(start + int(random.paretovariate(0.7)), len(body))
        body[start:stop] = _instead_of(bytes(body[start:stop]), random, others)
    return bytes(body[: 2 * LONGEST])


def _instead_of(piece: bytes, random: Random, others: list[bytes]) -> bytes:
    """Return what stands in a page where a *piece* stood."""
    match random.randrange(6):
        case 0:
            return b""
        case 1:
            return random.choice(TOKENS).encode("utf-8", "surrogatepass")
        case 2:
            return random.choice(TOKENS).encode("utf-8", "surrogatepass") * random.randint(2, 300)
        case 3:
            return piece * random.randint(2, 9)
        case 4:
            other = random.choice(others)
            start = random.randint(0, len(other))
            return other[start : start + random.randint(1, 2000)]
        case _:
            return random.randbytes(random.randint(1, 8))


def some_page(random: Random) -> str | bytes:
    """Return a page, as bytes or as text."""
    body = mutated(random, random.choice(seeds()), seeds())
    if random.random() < 0.3:
        return body
    return body.decode(random.choice(["utf-8", "utf-8", "latin-1"]), "surrogateescape")


@cache
def pieces() -> list[bytes]:
    """Return the tags and runs of text of all seeds, each once, and the tokens."""
    found = [piece for seed in seeds() for piece in re.split(rb"(?=<)", seed)]
    tokens = [token.encode("utf-8", "surrogatepass") for token in TOKENS]
    return [*dict.fromkeys(piece for piece in found if len(piece) <= SMALL), *tokens * 3]


def small_page(random: Random) -> str | bytes:
    """Return a page of a few pieces, made much faster than :func:`some_page`."""
    body = bytearray(b"".join(random.choices(pieces(), k=random.randint(1, 12))))
    if body and random.random() < 0.3:
        at = random.randrange(len(body))
        body[at : at + random.randint(0, 3)] = random.randbytes(random.randint(0, 3))
    if random.random() < 0.1:
        return bytes(body)
    return body.decode("utf-8", "surrogateescape")


# -- pages of data -----------------------------------------------------------------------------

WORDS = [
    *"Article Person Product Comment BreadcrumbList author name image offers url @id b".split(),
    *("2025-09-04", "Ada Lovelace", "https://a.example/x", "One sentence of some words. " * 9, ""),
]
NAMED = "@type @id author name image offers comment text articleBody itemListElement price".split()
UNITS = [*SHAPES.values()]


def some_json(random: Random, levels: int = 4) -> Any:
    """Return a value of JSON, with the names and references of JSON-LD."""
    match random.randrange(7 if levels else 4):
        case 0:
            return random.choice([None, True, 0, -1.5, 1e300, 10**30])
        case 1 | 2 | 3:
            return random.choice(WORDS)
        case 4:
            return [some_json(random, levels - 1)] * random.randint(0, 4)
    names = random.choices(NAMED, k=random.randint(0, 5))
    return {name: some_json(random, levels - 1) for name in names}


def data_page(random: Random) -> str:
    """Return a page of declarations and states, cut up, beside shapes of two populations."""
    data = json.dumps(some_json(random), ensure_ascii=random.random() < 0.5)
    if random.random() < 0.3:
        at = random.randrange(len(data))
        data = data[:at] + random.choice(TOKENS) + data[at + 1 :]
    around = (
        "<script type=application/ld+json>{}</script>",
        "<div id=app></div><script type=application/json id=__NEXT_DATA__>{}</script>",
        "<div id=app></div><script>window.__STATE__ = {};</script>",
        "<div id=app></div><script>self.__next_f.push([1, {}])</script>",
        "<div itemscope itemtype=https://schema.org/{0} itemid=b><b itemprop=author itemref=b>{0}",
    )
    shape = random.choice(UNITS)(random.randint(50, 600)) if random.random() < 0.5 else ""
    return random.choice(around).format(data) + shape


# -- what is run -----------------------------------------------------------------------------


EXECUTIONS: Counter[str] = Counter()  # how often each output was made

READ = {*"text kind confidence extractor truncated garbled source".split(), *VALUES}
"""Outputs that are there with the answer or with others: making them counts for nothing."""
MADE = [name for name in OUTPUTS if name not in READ]


def make_outputs(answer: Extraction) -> None:
    """Make all outputs of an answer."""
    for output in OUTPUTS.values():
        output(answer)
    EXECUTIONS.update(MADE)


def fuzz_outputs(random: Random, make: Callable[[Random], str | bytes] = small_page) -> None:
    """Small pages: all outputs, of one method after the other."""
    for number in range(A_ROUND):
        page = Page.parse(make(random), url=HOST)
        make_outputs(methods()[number % len(methods())].extract(page))


def fuzz_methods(random: Random) -> None:
    """Every method on a page: its whole contract, and each output."""
    page = Page.parse(some_page(random), url=HOST)
    for method in methods():
        make_outputs(check_promises(method, page))


def fuzz_views(random: Random) -> None:
    """A view of a page: what is kept of it is a part of it."""
    page = Page.parse(some_page(random))
    keep = [random.random() < 0.7 for _ in range(page.text_at.size)]
    view = page.restricted(page.words * keep > 0)
    method = random.choice(methods())
    shown = squeeze("".join(part.text for part in method.explain(view)))
    assert shown == squeeze(view.buffer)


def fuzz_walk(random: Random) -> None:
    """The arrays of a page beside what lxml says of its tree."""
    page = Page.parse(small_page(random))
    if page.is_html:
        check(page)


def fuzz_stripping(random: Random) -> None:
    """Stripped bodies: no byte is added, and nothing is left that would be cut."""
    html = some_page(random)
    body = html if isinstance(html, bytes) else html.encode("utf-8", "surrogatepass")
    encoding = random.choice(["utf-8", "cp1252", "shift_jis", "utf-16", "gb18030", "utf-7"])
    elements = random.sample(sorted(STRIPPABLE), k=random.randint(1, len(STRIPPABLE)))
    stripped = strip_elements(body, encoding, elements=elements)
    assert len(stripped) <= len(body)
    rest = iter(body)
    assert all(byte in rest for byte in stripped), "a byte was added or moved"
    Page.parse(stripped, encoding=encoding)


def fuzz_sites(random: Random) -> None:
    """A site whose pages are alike: it is learned, applied, stored and read again."""
    base = random.choice(seeds())
    learner = SiteLearner(LearningOptions(freeze_pages=5, safe_pages=3, drift_pages=3))
    method = random.choice(methods())
    page = Page.parse(base)
    for number in range(random.randint(2, 9)):
        page = Page.parse(mutated(random, base, seeds()), url=f"{HOST}/{number}")
        learner.observe(page, method.extract(page))
        model = learner.model(learner.site_of(page))
        if model is not None:
            answer = model.apply(page, method)
            assert squeeze(answer.text) in squeeze(page.buffer) or answer.main
    state = learner.state(learner.site_of(page))
    if state is not None:
        assert SiteState.from_bytes(state).to_bytes() == state
        assert merge_states(state, state) == state
        _read_spoilt(random, state)


def _read_spoilt(random: Random, state: bytes) -> None:
    """Stored states that somebody has damaged are read, or refused."""
    frozen = SiteState.from_bytes(state).frozen
    for data, read in ((state, SiteState.from_bytes), (frozen, SiteModel.from_bytes)):
        for _ in range(20 if data else 0):
            spoilt = mutated(random, data, [data])
            with suppress(StateError):
                read(spoilt)


TARGETS: dict[str, Callable[[Random], None]] = {
    "outputs": fuzz_outputs, "data": partial(fuzz_outputs, make=data_page),
    "methods": fuzz_methods, "views": fuzz_views, "walk": fuzz_walk,
    "stripping": fuzz_stripping, "sites": fuzz_sites,
}  # fmt: skip


# -- rounds ----------------------------------------------------------------------------------


def run_round(seed: int, number: int, names: list[str], folder: Path) -> tuple[str, bool]:
    """Run one round; return what was run, and whether it went well. A failure is saved."""
    random = Random(f"{seed} {number}")
    name = names[number % len(names)]
    again = f"python -m tests.fuzz --seed {seed} --first {number} --rounds 1"
    if len(names) < len(TARGETS):
        again += "".join(f" --target {name}" for name in names)
    last = f"{name}: {again}\n{EXECUTIONS.total()} executions before\n"
    (folder / "last").write_text(last)  # a crash of the process leaves it behind
    faulthandler.dump_traceback_later(HANGS, exit=True)
    try:
        TARGETS[name](random)
    except Exception:
        report = f"{again}\n\n{traceback.format_exc()}"
        (folder / f"{name}-{seed}-{number}.txt").write_text(report, errors="backslashreplace")
        print(report[-3000:].encode("utf-8", "backslashreplace").decode(), flush=True)
        return name, False
    finally:
        faulthandler.cancel_dump_traceback_later()
    return name, True


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0, help="how long to go on")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first round")
    parser.add_argument("--rounds", type=int, help="how many rounds, at most")
    parser.add_argument("--target", choices=TARGETS, action="append", help="all by default")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/fuzz", help="for failures")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    options.folder.mkdir(parents=True, exist_ok=True)
    unraised: list[Any] = []
    sys.unraisablehook = unraised.append  # what a compiled function could not raise
    done: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    names, number = options.target or list(TARGETS), options.first
    end = time.monotonic() + 60 * options.minutes
    while time.monotonic() < end and number - options.first != options.rounds:
        name, well = run_round(options.seed, number, names, options.folder)
        done[name] += 1
        failed[name] += not well
        number += 1
    print(f"seed {options.seed}, rounds {options.first} to {number - 1}")
    for name in names:
        print(f"{name:>10} {done[name]:7} rounds {failed[name]:4} failed")
    print(f"executions: {EXECUTIONS.total()}, each output as often as any other")
    for each in unraised:
        print(f"not raised: {each}")
    return 1 if failed.total() or unraised else 0


if __name__ == "__main__":
    sys.exit(main())
