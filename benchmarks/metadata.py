"""How often title, author and date are right, and how long that takes, ours beside other tools.

    python -m benchmarks.metadata --data ../shared/data/wcxb-dev
    python -m benchmarks.metadata --comments ../shared/data/extra/articles-2012
    python -m benchmarks.metadata --threads ../shared/data/wcxb-dev
    python -m benchmarks.metadata --languages ../shared/data/sites ../shared/data/extra/news-2011

*Right* means equal after normalising: the same words in the same order for a title, the same set of
names for authors, the same day for a date. *Found* is the share of the pages whose gold has a value
where the answer is right; *precise* the share of the answers on those pages that are right; *all*
the share of all pages with the right answer, which is none where the gold has none. The date of a
page is the day of its publication, or of its last change where that is all it tells. The time is
that of the processor, from bytes to the three values.

For comments, precision and recall count words, on pages that have any; *none* is the share of the
other pages for which a tool gives none.

For threads, precision and recall count posts. ``threads.json`` marks those of 50 threads by XPath,
chosen with a selector for each forum software and read through one by one. A post is found if an
element of the answer stands in its element, and in no post inside of it, or around it and no other.
*whole* counts the threads with each post and no other. The last two columns compare ``text`` and
the texts of the posts with the gold text of the page.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from time import process_time
from typing import Any

from benchmarks.data import fold_models, read, read_extra
from benchmarks.metrics import word_score
from benchmarks.tables import share, table
from scrapy_boilerplate import Page, extract
from scrapy_boilerplate.core.answer.metadata import languages, read_metadata
from scrapy_boilerplate.core.answer.metadata.declared import words_of

__all__ = ["Answer", "LabelledMetadata", "names_of", "read_labels"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool, or a person, says of a page; empty where it says nothing."""

    title: str = ""
    authors: str = ""
    date: str = ""


@dataclass(frozen=True, slots=True)
class LabelledMetadata:
    """A page with what a person says of it."""

    html: bytes = field(repr=False)
    url: str
    gold: Answer


def read_labels(folder: Path) -> Iterator[LabelledMetadata]:
    """Yield the pages of a set with labelled titles, authors and dates."""
    for path in sorted(folder.glob("ground-truth/*.json")):
        label = json.loads(path.read_text(encoding="utf-8"))
        truth = label["ground_truth"]
        names = ("title", "author", "publish_date")
        gold = Answer(*(truth.get(name) or "" for name in names))
        html = gzip.decompress((folder / "html" / f"{path.stem}.html.gz").read_bytes())
        yield LabelledMetadata(html, label["url"], gold)


def names_of(authors: str) -> frozenset[tuple[str, ...]]:
    """Return the names in a list of authors, as sets of them are compared.

    >>> names_of("Ada Lovelace and Alan Turing") == names_of("Alan Turing; Ada Lovelace")
    True
    """
    parts = re.split(r"[,;&/|]|\band\b", authors)
    return frozenset(filter(None, map(words_of, parts)))


# -- tools -----------------------------------------------------------------------------------


def ours(html: bytes, url: str) -> Answer:
    """Answer with ``Extraction.metadata``, without the main content."""
    found = read_metadata(Page.parse(html, url=url))
    return Answer(
        found.title, "; ".join(found.authors), (found.date_published or found.date_modified)[:10]
    )


def trafilatura(html: bytes, url: str) -> Answer:
    """Answer with ``extract_metadata`` and its defaults."""
    from trafilatura import extract_metadata

    found = extract_metadata(html, default_url=url)
    if found is None:
        return Answer()
    return Answer(found.title or "", found.author or "", found.date or "")


def htmldate(html: bytes, url: str) -> Answer:
    """Answer with ``find_date``: a date only."""
    from htmldate import find_date

    return Answer(date=find_date(html, url=url, original_date=True) or "")


def extruct(html: bytes, url: str) -> Answer:
    """Answer with the first headline, author and date of JSON-LD, microdata and Open Graph."""
    from extruct import extract as read

    found = read(html, base_url=url, syntaxes=["json-ld", "microdata", "opengraph"], uniform=True,
                 errors="ignore")  # fmt: skip
    things = [thing for kind in ("json-ld", "microdata") for thing in found.get(kind, [])]
    members = [each for thing in things for each in (thing, *thing.get("@graph", []))]
    graph = next(iter(found.get("opengraph", [])), {})
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
    "date": lambda one, other: one[:10] == other[:10],
}


def metadata_table(pages: Sequence[LabelledMetadata], tools: Sequence[str]) -> str:
    """Return a Markdown table with a row for each tool."""
    rows = []
    for name in tools:
        tool = TOOLS[name]
        tool(pages[0].html, pages[0].url)  # whatever it loads
        started = process_time()
        answers = [tool(page.html, page.url) for page in pages]
        seconds = process_time() - started
        cells = [cell for what in _SAME for cell in _measures(what, pages, answers)]
        rows.append([name, *cells, f"{1000 * seconds / len(pages):.1f}"])
    header = ["tool", "title found"]
    header += [
        f"{what} {how}" for what in ("author", "date") for how in ("found", "precise", "all")
    ]
    return table([*header, "ms a page"], rows)


def _measures(what: str, pages: Sequence[LabelledMetadata], answers: Sequence[Answer]) -> list[str]:
    pairs = [(getattr(a, what), getattr(p.gold, what)) for p, a in zip(pages, answers, strict=True)]
    if not any(answer for answer, _ in pairs):
        return ["–"] * (1 if what == "title" else 3)
    right = [_SAME[what](answer, gold) for answer, gold in pairs]
    with_gold = [good for good, (_, gold) in zip(right, pairs, strict=True) if gold]
    answered = [good for good, (answer, gold) in zip(right, pairs, strict=True) if gold and answer]
    if what == "title":
        return [share(fmean(with_gold))]
    return [share(fmean(values)) for values in (with_gold, answered, right)]


def our_comments(html: bytes, url: str | None) -> str:
    """Return the texts of ``Extraction.comments`` and ``posts``, with authors and dates."""
    found = extract(html, url=url)
    return "\n".join(f"{p.author} {p.date} {p.text}" for p in (*found.comments, *found.posts))


def trafilatura_comments(html: bytes, url: str | None) -> str:
    """Return the comments that ``bare_extraction`` finds."""
    from trafilatura import bare_extraction

    found = bare_extraction(html, url=url, include_comments=True)
    return (found.comments or "") if found is not None else ""


COMMENT_TOOLS = {"scrapy_boilerplate": our_comments, "trafilatura": trafilatura_comments}


def comments_table(folder: Path, every: int, tools: Sequence[str]) -> str:
    """Return a Markdown table of what each tool finds of the comments on articles."""
    pages = list(read_extra(folder))[::every]
    rows = []
    for name in tools:
        texts = [COMMENT_TOOLS[name](page.html, page.url) for page in pages]
        pairs = list(zip(pages, texts, strict=True))
        scores = [word_score(text, page.comments) for page, text in pairs if page.comments.strip()]
        none = [not text.strip() for page, text in pairs if not page.comments.strip()]
        answered = [each.precision for each in scores if each.precision]
        values = (fmean(answered), fmean(s.recall for s in scores), fmean(s.f1 for s in scores))
        rows.append([name, str(len(scores)), *map(share, values), share(fmean(none))])
    return table(["tool", "pages", "precision", "recall", "F1", "none"], rows)


MARKS = Path(__file__).with_name("threads.json")


def threads_table(folder: Path, folds: Path | None) -> str:
    """Return a Markdown table of how many marked posts are found."""
    marked = found = right = whole = 0
    texts, posts = [], []
    marks = json.loads(MARKS.read_text(encoding="utf-8"))
    models = fold_models(folds) if folds else {}
    for mark in marks:
        html = gzip.decompress((folder / "html" / f"{mark['page']}.html.gz").read_bytes())
        label = json.loads((folder / "ground-truth" / f"{mark['page']}.json").read_text("utf-8"))
        gold = label["ground_truth"].get("main_content") or ""
        page = Page.parse(html, url=mark["url"])
        options = {"model": str(models[mark["page"]])} if folds else {}
        extraction = extract(page, **options)
        texts.append(word_score(extraction.text, gold).f1)
        posts.append(word_score("\n".join(post.text for post in extraction.posts), gold).f1)
        answer = {post.xpath.partition("/text()")[0] for post in extraction.posts}
        matched = _matched(mark["posts"], answer)
        marked, found = marked + len(mark["posts"]), found + len(answer)
        right += matched
        whole += matched == len(mark["posts"]) == len(answer)
    cells = [str(len(marks)), str(marked), share(right / max(1, found)), share(right / marked)]
    cells += [str(whole), share(fmean(texts)), share(fmean(posts))]
    header = "threads|posts|precision|recall|whole|word F1 of `text`|of the posts' texts"
    return table(header.split("|"), [cells], 0)


def _matched(posts: Sequence[str], answer: Collection[str]) -> int:
    """Return how many of the posts an element of the answer belongs to: itself, or the only one.

    An element belongs to the innermost post that holds it, else to the only post that it holds.

    >>> _matched(["/a/b[1]", "/a/b[1]/b", "/a/b[2]"], ["/a/b[1]/c", "/a/b[1]/b/c", "/a"])
    2
    """
    matched = set()
    for xpath in answer:
        around = [post for post in posts if _holds(post, xpath)]
        inside = [post for post in posts if _holds(xpath, post)]
        if around:
            matched.add(max(around, key=len))
        elif len(inside) == 1:
            matched.add(inside[0])
    return len(matched)


def _holds(outer: str, inner: str) -> bool:
    return inner == outer or inner.startswith(f"{outer}/")


def our_language(page: Page) -> str:
    """Return ``Extraction.metadata``'s language, with py3langid if that is installed."""
    return read_metadata(page).language


def our_language_without_it(page: Page) -> str:
    """Return the language that is found without the extra."""
    detector, languages._detector = languages._detector, lambda: None  # type: ignore[assignment]
    try:
        return read_metadata(page).language
    finally:
        languages._detector = detector


def declared_language(page: Page) -> str:
    """Return the ``lang`` attribute of the root element, as it stands."""
    return page.language or ""


def detected_language(page: Page) -> str:
    """Return what py3langid says of the text of the page."""
    import py3langid

    language: str = py3langid.classify(page.buffer[:DETECTED])[0]
    return language


DETECTED = 3000
"""Characters that py3langid reads."""

LANGUAGE_TOOLS: dict[str, Callable[[Page], str]] = {
    "scrapy_boilerplate": our_language_without_it,
    "scrapy_boilerplate, extra `languages`": our_language,
    "`lang` alone": declared_language,
    "py3langid": detected_language,
}
_OF_PY3LANGID = ("scrapy_boilerplate, extra `languages`", "py3langid")


def languages_table(folders: Sequence[Path], every: int) -> str:
    """Return a Markdown table of how many languages are right, wrong or not said, by set."""
    installed = find_spec("py3langid") is not None
    names = [name for name in LANGUAGE_TOOLS if installed or name not in _OF_PY3LANGID]
    rows: dict[str, list[str]] = {name: [name] for name in names}
    header = ["tool"]
    for folder in folders:
        pages = [page for page in read(folder) if page.language][::every]
        header += [f"{folder.name} ({len(pages)}) right", "wrong", "ms a page"]
        parsed = [Page.parse(page.html, url=page.url) for page in pages]
        for name in names:
            tool = LANGUAGE_TOOLS[name]
            tool(parsed[0])  # whatever it loads
            started = process_time()
            said = [tool(page)[:2].lower() for page in parsed]
            seconds = process_time() - started
            right = [code == page.language for code, page in zip(said, pages, strict=True)]
            wrong = [bool(code) and not good for code, good in zip(said, right, strict=True)]
            rows[name] += [*map(share, (fmean(right), fmean(wrong)))]
            rows[name].append(f"{1000 * seconds / len(pages):.2f}")
    return table(header, list(rows.values()))


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="pages with labelled titles, such as wcxb-dev")
    parser.add_argument("--comments", type=Path, help="pages with labelled comments")
    parser.add_argument("--threads", type=Path, help="the pages that threads.json marks")
    parser.add_argument("--folds", type=Path, help="models of training.folds, for the threads")
    parser.add_argument("--languages", type=Path, nargs="*", default=[], help="sets that name them")
    parser.add_argument("--every", type=int, default=1, help="take every n-th page")
    arguments = parser.parse_args()
    installed = [name for name in TOOLS if find_spec(name)]
    if arguments.data:
        print(metadata_table(list(read_labels(arguments.data))[:: arguments.every], installed))
    if arguments.comments:
        tools = [name for name in COMMENT_TOOLS if name in installed]
        print(comments_table(arguments.comments, arguments.every, tools))
    if arguments.threads:
        print(threads_table(arguments.threads, arguments.folds))
    if arguments.languages:
        print(languages_table(arguments.languages, arguments.every))


if __name__ == "__main__":
    main()
