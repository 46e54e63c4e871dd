"""How much of a page's structure survives in Markdown and HTML, ours beside other tools.

    python -m training.auto ../shared/data/wcxb-dev --cross-validate --models build/folds
    python -m benchmarks.structure --data ../shared/data/wcxb-dev --folds build/folds

The gold text says which parts of a page are content: a heading, an item, a cell, code, a link or a
caption whose words stand there is wanted. A part of the answer is right if it is equal to a wanted
one:

- *headings*: level and words;
- *items* of lists: words, depth, and the number in numbered lists;
- *cells* of tables of data: words, column, and the first words of their row;
- *code* in ``pre``: every character but control characters and blanks at the ends of lines; code
  with elements that make lines, or with numbers of lines, is left out, since what it says is a
  matter of opinion;
- *links*: words and absolute address, of links that hold no block;
- *captions* of figures and tables: words, as a block of its own, or as what an image says.

*Kept* is the share of the wanted parts that are in the answer, *right* the share of the answer's
parts that are wanted; both are means over the pages that have any. Words are those of word F1.
Markdown is read with markdown-it. With
``--folds``, ``auto`` is run with models that saw no page of the same domain; without it, with the
model that ships, which has seen all labelled pages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from typing import Any

from markdown_it import MarkdownIt
from w3lib.encoding import html_to_unicode

from benchmarks.commands import a_folder, command, in_processes
from benchmarks.data import LabelledPage, fold_models, read, sample
from benchmarks.structure_parts import PARTS, Parts, parts_of_answer, parts_of_page
from benchmarks.tables import share, table
from scrapy_boilerplate import extract

OURS = "scrapy_boilerplate"
FORMATS = ("markdown", "html")

Answers = dict[str, str]  # an answer's text by format


def ours(page: LabelledPage, model: str | None) -> Answers:
    options: dict[str, Any] = {"model": model} if model else {}
    found = extract(page.html, url=page.url, **options)
    return {"markdown": found.markdown, "html": found.html}


def trafilatura(page: LabelledPage, model: str | None) -> Answers:
    """Answer with ``extract``, with links, formatting and tables."""
    from trafilatura import extract as read_page

    options: dict[str, Any] = {
        "include_links": True,
        "include_formatting": True,
        "include_tables": True,
    }
    return {
        name: read_page(page.html, url=page.url, output_format=name, **options) or ""
        for name in FORMATS
    }


def _decode(html: bytes) -> str:
    try:
        return html.decode("utf-8")
    except UnicodeDecodeError:
        return html_to_unicode(None, html)[1]


TOOLS: dict[str, Callable[[LabelledPage, str | None], Answers]] = {
    OURS: ours,
    "trafilatura": trafilatura,
}


Survival = dict[str, "tuple[float | None, float | None]"]
"""By kind of part, the shares kept and right on one page; ``None`` where there is none."""


def survival(wanted: Parts, found: Parts) -> Survival:
    """Compare the parts of an answer with those that are wanted.

    >>> page = parts_of_page("<h1>A</h1><h2>B</h2>", None, "A B")
    >>> survival(page, parts_of_answer("<h1>A</h1><h1>C</h1><p>x", None))["headings"]
    (0.5, 0.5)
    """
    shares: Survival = {}
    known = {words for words, *_ in wanted["items"]}
    wanted, found = (
        parts | {"items": _with_depth(parts["items"], known)} for parts in (wanted, found)
    )
    for kind in PARTS:
        equal = (wanted[kind] & found[kind]).total()
        kept, right = (_share(equal, parts[kind]) for parts in (wanted, found))
        shares[kind] = (kept, right)
    return shares


def _with_depth(items: Counter[Any], known: set[Any]) -> Counter[Any]:
    """Return items with their depth: how many of the items around them are wanted ones."""
    counts: Counter[Any] = Counter()
    for (words, around, number), count in items.items():
        counts[words, sum(outer in known for outer in around), number] += count
    return counts


def _share(equal: int, parts: Counter[tuple[object, ...]]) -> float | None:
    return equal / parts.total() if parts else None


render = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render


def measure(
    tools: Sequence[str], models: dict[str, str], page: LabelledPage
) -> dict[tuple[str, str], Survival]:
    """Return what survives of one page by tool and format; an error counts as no answer."""
    wanted = parts_of_page(_decode(page.html), page.url, page.gold)
    shares = {}
    for name in tools:
        try:
            answers = TOOLS[name](page, models.get(page.id))
        except Exception as error:  # other packages may raise anything
            print(f"{name} on page {page.id}: {type(error).__name__}: {error}")
            answers = dict.fromkeys(FORMATS, "")
        answers["markdown"] = render(answers["markdown"])
        for form in FORMATS:
            shares[name, form] = survival(wanted, parts_of_answer(answers[form], page.url))
    return shares


def structure_table(
    shares: Sequence[dict[tuple[str, str], Survival]], tools: Sequence[str], form: str
) -> str:
    """Return two Markdown tables of the means, of the parts kept and of those that are right."""
    tables = []
    for place, title, kinds in ((0, "kept", PARTS), (1, "right", PARTS[:-1])):
        values = {
            name: [[page[name, form][kind][place] for page in shares] for kind in kinds]
            for name in tools
        }
        known = [sum(value is not None for value in column) for column in values[tools[0]]]
        heads = kinds if place else [f"{k} ({n})" for k, n in zip(kinds, known, strict=True)]
        rows = [[name, *map(_mean, values[name])] for name in tools]
        tables.append(table([f"{form}, {title}", *heads], rows))
    return "\n\n".join(tables)


def _mean(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return share(fmean(known)) if known else "–"


def measure_all(
    pages: Sequence[LabelledPage], tools: Sequence[str], folds: Path | None, processes: int
) -> list[dict[tuple[str, str], Survival]]:
    return in_processes(partial(measure, tools, fold_models(folds)), pages, processes)


def main() -> None:
    parser = command(__doc__)
    add = parser.add_argument
    add("--data", type=a_folder, required=True, help="folder of a labelled set")
    add("--folds", type=a_folder, help="folder that training.auto --models has written")
    add("--limit", type=int, help="pages of the fixed sample (default: all)")
    add("--processes", type=int, default=1, help="pages at a time (default: 1)")
    arguments = parser.parse_args()
    tools = [name for name in TOOLS if find_spec(name)]
    pages = sample(list(read(arguments.data)), arguments.limit)
    shares = measure_all(pages, tools, arguments.folds, arguments.processes)
    print(f"\n{arguments.data.name}, {len(pages)} pages")
    for form in FORMATS:
        print(f"\n{structure_table(shares, tools, form)}")


if __name__ == "__main__":
    main()
