"""How often title, author and date are right, and how long that takes, ours beside other tools.

    python -m benchmarks.metadata --data ../shared/data/wcxb-dev
    python -m benchmarks.metadata --data ../shared/data/extra/news-2023 --hide
    python -m benchmarks.metadata --data ../shared/data/sites --learned
    python -m benchmarks.metadata --data ../shared/data --marked

The pages of two sets of news were marked by hand (``metadata_gold.json``). ``--hide`` removes what
pages declare: ``meta`` elements, JSON-LD, microdata. ``--learned`` reads each page so, alone and
with what the other pages of its site teach, and compares that with what the page itself declares.
``--marked`` counts what is right, wrong and missed on 304 pages of 304 hosts whose title, authors
and both dates a person marked (``metadata_marked.json``, which holds these facts alone).

*Right* means equal after normalising: the same words in the same order for a title, the same set of
names for authors, the same day for a date. *Found* is the share of the pages whose gold has a value
where the answer is right; *precise* the share of the answers on those pages that are right; *all*
the share of all pages with the right answer, which is none where the gold has none. The date of a
page is the day of its publication, or of its last change where that is all it tells. The time is
that of the processor, from bytes to the three values.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from time import process_time
from typing import Any

from benchmarks.commands import a_folder, command
from benchmarks.data import LabelledPage, gunzip
from benchmarks.data import rows as rows_of
from benchmarks.sites_hosts import hosts
from benchmarks.tables import share, table
from scrapy_boilerplate import Page, get_extractor
from scrapy_boilerplate.core.answer.metadata import read_metadata
from scrapy_boilerplate.core.answer.metadata.declared import read_declared, words_of
from scrapy_boilerplate.core.page.addresses import parts_of
from scrapy_boilerplate.learn import LearningOptions, SiteState
from scrapy_boilerplate.learn.samples import SAMPLE, sample_of

MARKED = Path(__file__).with_name("metadata_gold.json")
"""Title, author and date by set and page, as a person marked them."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool, or a person, says of a page; empty where it says nothing."""

    title: str | None = ""
    authors: str | None = ""
    published: str | None = ""
    modified: str | None = ""  # ``None`` where a person could not tell

    @property
    def date(self) -> str | None:
        """The day of publication, or of the last change where that is all it tells."""
        return None if self.published is None else self.published or self.modified


@dataclass(frozen=True, slots=True)
class LabelledMetadata:
    """A page with what a person says of it."""

    html: bytes = field(repr=False)
    url: str
    gold: Answer


def read_labels(folder: Path) -> Iterator[LabelledMetadata]:
    """Yield the pages of a set with labelled titles, authors and dates."""
    marked = json.loads(MARKED.read_text(encoding="utf-8")).get(folder.name, {})
    for row in rows_of(folder / "gold.jsonl") if marked else ():
        html = gunzip(folder / "html" / f"{row['id']}.html.gz")
        yield LabelledMetadata(html, row["url"] or "", Answer(*marked[row["id"]]))
    for path in sorted(folder.glob("ground-truth/*.json")):
        label = json.loads(path.read_text(encoding="utf-8"))
        truth = label["ground_truth"]
        names = ("title", "author", "publish_date")
        gold = Answer(*(truth.get(name) or "" for name in names))
        html = gunzip(folder / "html" / f"{path.stem}.html.gz")
        yield LabelledMetadata(html, label["url"], gold)


def names_of(authors: str) -> frozenset[tuple[str, ...]]:
    """Return the names in a list of authors, as sets of them are compared.

    >>> names_of("Ada Lovelace and Alan Turing") == names_of("Alan Turing; Ada Lovelace")
    True
    """
    parts = re.split(r"[,;&/|]|\band\b", authors)
    return frozenset(filter(None, map(words_of, parts)))


_DECLARATIONS = re.compile(
    rb"""<meta\b[^>]*>|<script[^>]*ld\+json[^>]*>.*?</script>|"""
    rb"""\sitem(?:prop|scope|type|id|ref)\b(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+))?""",
    re.IGNORECASE | re.DOTALL,
)


def without_declarations(html: bytes) -> bytes:
    """Return a page without what it declares beside its title; its text stays as it is.

    >>> without_declarations(b'<meta name=author content=Ada><p itemprop=author class=a>Ada')
    b'<p class=a>Ada'
    """
    charset = re.search(rb"<meta[^>]{0,200}charset[^>]{0,100}>", html)
    return (charset[0] if charset else b"") + _DECLARATIONS.sub(b"", html)


# -- tools -----------------------------------------------------------------------------------


def ours(html: bytes, url: str) -> Answer:
    """Answer with ``Extraction.metadata``, without the main content."""
    return _answer(Page.parse(html, url=url))


def _answer(page: Page, site_parts: Container[int] = (), *, declared: bool = False) -> Answer:
    """Return what is read of a page; with *declared* nothing that a reader sees."""
    found = read_metadata(page, site_parts)
    names = ("title", "authors", "date_published", "date_modified")
    seen = _SEEN | _HEADINGS if declared else ()
    title, authors, *dates = (
        "" if found.sources.get(name) in seen else getattr(found, name) for name in names
    )
    return Answer(title, "; ".join(authors), *(date[:10] for date in dates))


def what_pages_declare(html: bytes, url: str) -> Answer:
    """Answer with what pages say in ``meta`` elements, JSON-LD, microdata and the like."""
    return _answer(Page.parse(html, url=url), declared=True)


def trafilatura(html: bytes, url: str) -> Answer:
    """Answer with ``extract_metadata`` and its defaults."""
    from trafilatura import extract_metadata

    found = extract_metadata(html, default_url=url)
    if found is None:
        return Answer()
    return Answer(found.title or "", found.author or "", found.date or "")


def htmldate(html: bytes, url: str) -> Answer:
    from htmldate import find_date

    dates = (find_date(html, url=url, original_date=each) for each in (True, False))
    return Answer("", "", *(each or "" for each in dates))


def extruct(html: bytes, url: str) -> Answer:
    """Answer with the first headline, author and date of JSON-LD, microdata and Open Graph."""
    from extruct import extract as read

    found = read(html, base_url=url, syntaxes=["json-ld", "microdata", "opengraph"], uniform=True,
                 errors="ignore")  # fmt: skip
    things = [thing for kind in ("json-ld", "microdata") for thing in found.get(kind, [])]
    members = [each for thing in things for each in (thing, *thing.get("@graph", []))]
    graph: dict[str, str] = next(iter(found.get("opengraph", [])), {})
    title = graph.get("og:title") or _first(members, "headline") or ""
    published = _first(members, "datePublished") or graph.get("article:published_time") or ""
    return Answer(str(title), _names(_first(members, "author")), str(published)[:10])


def _first(things: Sequence[Any], name: str) -> Any:
    return next((t[name] for t in things if isinstance(t, dict) and t.get(name)), None)


def _names(value: Any) -> str:
    values = value if isinstance(value, list) else [value]
    named = (v.get("name") if isinstance(v, dict) else v for v in values)
    return "; ".join(str(name) for name in named if name)


TOOLS: dict[str, Callable[[bytes, str], Answer]] = {
    "scrapy_boilerplate": ours,
    "trafilatura": trafilatura,
    "htmldate": htmldate,
    "extruct": extruct,
}


# -- measures --------------------------------------------------------------------------------

_SAME: dict[str, Callable[[str, str], bool]] = {
    "title": lambda one, other: words_of(one) == words_of(other),
    "authors": lambda one, other: names_of(one) == names_of(other),
    **dict.fromkeys(("published", "modified", "date"), lambda one, other: one[:10] == other[:10]),
}
FIELDS = ("title", "authors", "published", "modified")
COMPARED = ("title", "authors", "date")


def metadata_table(pages: Sequence[LabelledMetadata], tools: Sequence[str]) -> str:
    rows = []
    for name in tools:
        tool = TOOLS[name]
        tool(pages[0].html, pages[0].url)  # whatever it loads
        started = process_time()
        answers = [tool(page.html, page.url) for page in pages]
        seconds = process_time() - started
        cells = [cell for what in COMPARED for cell in _measures(what, pages, answers)]
        rows.append([name, *cells, f"{1000 * seconds / len(pages):.1f}"])
    header = ["tool", "title found"]
    header += [
        f"{what} {how}" for what in ("author", "date") for how in ("found", "precise", "all")
    ]
    return table([*header, "ms a page"], rows)


def _pairs(
    what: str, pages: Sequence[LabelledMetadata], answers: Sequence[Answer]
) -> list[tuple[str, str]]:
    """Return answer and gold value of each page of which a person could tell it."""
    pairs = [(getattr(a, what), getattr(p.gold, what)) for p, a in zip(pages, answers, strict=True)]
    return [(answer, gold) for answer, gold in pairs if gold is not None]


def _measures(what: str, pages: Sequence[LabelledMetadata], answers: Sequence[Answer]) -> list[str]:
    pairs = _pairs(what, pages, answers)
    if not any(answer for answer, _ in pairs):
        return ["–"] * (1 if what == "title" else 3)
    right = [_SAME[what](answer, gold) for answer, gold in pairs]
    with_gold = [good for good, (_, gold) in zip(right, pairs, strict=True) if gold]
    answered = [good for good, (answer, gold) in zip(right, pairs, strict=True) if gold and answer]
    if what == "title":
        return [share(fmean(with_gold))]
    return [share(fmean(values)) for values in (with_gold, answered, right)]


# -- marked by hand --------------------------------------------------------------------------

MARKED_PAGES = Path(__file__).with_name("metadata_marked.json")
"""Host, title, authors and days of publication and change by set and page, ``null`` where a person
could not tell."""


def marked_table(data: Path) -> str:
    pages = list(_marked_pages(data))
    rows = []
    tools = {"scrapy_boilerplate": ours, "what pages declare": what_pages_declare, **TOOLS}
    for name in (name for name in tools if name != "extruct"):
        if tools[name] is what_pages_declare or find_spec(name):
            answers = [tools[name](page.html, page.url) for page in pages]
            rows.append([name, *(_counts(what, pages, answers) for what in FIELDS)])
    return table(["right / wrong / missed", *FIELDS], rows)


def _marked_pages(data: Path) -> Iterator[LabelledMetadata]:
    for name, marked in json.loads(MARKED_PAGES.read_text(encoding="utf-8")).items():
        folder = data / name if name in ("wcxb-dev", "sites") else data / "extra" / name
        listed = folder / "gold.jsonl"
        listed_rows = rows_of(listed) if listed.exists() else ()
        urls = {row["id"]: row.get("url") for row in listed_rows}
        for page, (_, title, authors, *dates) in marked.items():
            label = folder / "ground-truth" / f"{page}.json"
            url = json.loads(label.read_text("utf-8"))["url"] if label.exists() else urls.get(page)
            site, _, number = page.rpartition("/")
            html = (folder / site / "pages" if site else folder / "html") / f"{number}.html.gz"
            names = None if authors is None else "; ".join(authors)
            known = url if url and len(parts_of(url).path) > 1 else ""  # some are cut to the host
            gold = Answer(title, names, *dates)
            yield LabelledMetadata(gunzip(html), known, gold)


def _counts(what: str, pages: Sequence[LabelledMetadata], answers: Sequence[Answer]) -> str:
    """Return the shares of right answers, of wrong ones among all pages, and of missing ones."""
    pairs = _pairs(what, pages, answers)
    right = sum(bool(gold) and _SAME[what](answer, gold) for answer, gold in pairs)
    wrong = sum(bool(answer) and not _SAME[what](answer, gold) for answer, gold in pairs)
    with_gold = sum(bool(gold) for _, gold in pairs)
    missed = sum(bool(gold) and not answer for answer, gold in pairs)
    shares = (right / with_gold, wrong / len(pairs), missed / with_gold)
    return " / ".join(map(share, shares)) if any(answer for answer, _ in pairs) else "–"


# -- what a site teaches ---------------------------------------------------------------------

_TITLES = ("og:title", "twitter:title")
_SEEN = frozenset(("by-line", "before date", "class", "link", "rel=author", "text", "time", "url"))
"""Sources of what a reader sees, or what the address says."""
_HEADINGS = frozenset(("h1", "h1+", "h2", "title"))


def learned_table(sites: Mapping[str, Sequence[LabelledPage]]) -> str:
    """Return a Markdown table with a row for each site where learning it changes an answer."""
    found = {site: _site(site, pages) for site, pages in sites.items()}
    total = [tuple(map(sum, zip(*each, strict=True))) for each in zip(*found.values(), strict=True)]
    changed = {site: row for site, row in found.items() if any(b or w for *_, b, w in row)}
    header = [
        f"{what} {how}" for what in COMPARED for how in ("right of", "learned", "better / worse")
    ]
    rows = [
        [site, *(cell for n, one, other, b, w in row
                 for cell in (f"{one} of {n}", str(other), f"{b} / {w}"))]
        for site, row in [*changed.items(), (f"all {len(found)} sites", total)]
    ]  # fmt: skip
    return table(["site", *header], rows)


def _site(site: str, labelled: Sequence[LabelledPage]) -> list[tuple[int, ...]]:
    """Return for each field: pages that declare it, right alone, right learned, better, worse."""
    counts = {what: [0] * 5 for what in COMPARED}
    method, options = get_extractor("auto"), LearningOptions(freeze_pages=SAMPLE)
    parsed = []
    for each in labelled[:SAMPLE]:
        url = each.url or f"http://{site}/{each.id}"
        page = Page.parse(without_declarations(each.html), url=url)
        parsed.append((page, sample_of(page, method.extract(page)), _declared(each.html, url)))
    for page, own, gold in parsed:
        state = SiteState(SAMPLE)
        for _, other, _ in parsed:
            if other is not None and other is not own:
                state.merge(other)
        one, learned = _answer(page), _answer(page, state.learn("", options).title_parts)
        for what, count in counts.items():
            value = getattr(gold, what)
            if value:
                alone, after = (_SAME[what](getattr(a, what), value) for a in (one, learned))
                right = (True, alone, after, after > alone, alone > after)
                counts[what] = [x + y for x, y in zip(count, right, strict=True)]
    return [tuple(count) for count in counts.values()]


def _declared(html: bytes, url: str) -> Answer:
    page = Page.parse(html, url=url)
    found = read_metadata(page)
    declares_title = any(map(read_declared(page).contents, _TITLES))
    date = found.date_published or found.date_modified
    dated = found.sources.get("date_published") or found.sources.get("date_modified", "text")
    return Answer(
        found.title if declares_title else "",
        "; ".join(found.authors) if found.sources.get("authors", "text") not in _SEEN else "",
        date[:10] if dated not in _SEEN else "",
    )


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--data", type=a_folder, required=True, help="labelled pages")
    parser.add_argument("--every", type=int, default=1, help="take every n-th page")
    parser.add_argument("--hide", action="store_true", help="remove what pages declare")
    parser.add_argument("--marked", action="store_true", help="count on pages marked by hand")
    parser.add_argument("--learned", action="store_true", help="measure what sites teach")
    arguments = parser.parse_args()
    if arguments.marked:
        print(marked_table(arguments.data))
        return
    if arguments.learned:
        sites = hosts(arguments.data).items()
        print(learned_table({site: pages[:: arguments.every] for site, pages in sites}))
        return
    pages = list(read_labels(arguments.data))[:: arguments.every]
    if arguments.hide:
        pages = [replace(page, html=without_declarations(page.html)) for page in pages]
    print(metadata_table(pages, [name for name in TOOLS if find_spec(name)]))


if __name__ == "__main__":
    main()
