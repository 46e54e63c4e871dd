"""Writes ``docs/tables/one-page.md``: a real page beside its text, Markdown, HTML and metadata.

    python -m benchmarks.one_page

A test holds the page to what this command writes now.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.commands import command, new_file
from benchmarks.tables import table
from scrapy_boilerplate import Page, explain, extract

ROOT = Path(__file__).parent.parent
OUTPUT = ROOT / "docs" / "tables" / "one-page.md"
ADDRESS = "https://flink.apache.org/2018/03/15/apache-flink-1.3.3-released/"
SOURCE = Path("example_project/sites/flink-blog/2018/03/15/apache-flink-1.3.3-released/index.html")
SHOWN = 76  # characters of a value or a text that are shown
SHOWN_TEXTS = 8
SHOWN_LINES = 9  # lines of the text and of the HTML; the Markdown is shown whole

INTRODUCTION = f"""\
# One page and what comes out

[The page]({ADDRESS})
is from the blog of Apache Flink (© The Apache Software Foundation, Apache-2.0) and comes with the
[example project](../../{SOURCE.as_posix()}).
This file is written by `python -m benchmarks.one_page`, and a test keeps it up to date. All options
have their defaults; text, HTML and long values of the metadata are cut short.

```python
answer = extract(Path("{SOURCE.name}"), url="{ADDRESS}")
```
"""


def one_page() -> str:
    page = Page.parse((ROOT / SOURCE).read_bytes(), url=ADDRESS)
    answer = extract(page)
    dropped = [block.text for block in explain(page) if not block.kept]
    some = " · ".join(map(_shortened, dropped[:SHOWN_TEXTS]))
    metadata = answer.metadata
    rows = [
        [f"`{name}`", _shortened(_written(value)), metadata.sources.get(name, "")]
        for name, value in metadata.to_dict().items()
        if value and name in metadata.sources
    ]
    return "\n".join(
        [
            INTRODUCTION,
            f"## What is left out\n\n{len(dropped)} texts, among them: {_escaped(some)} …\n",
            _block("`answer.markdown`", "markdown", answer.markdown),
            _block("`answer.text`", "text", _beginning(answer.text)),
            _block("`answer.html`", "html", _beginning(answer.html)),
            f"## `answer.metadata`\n\n{table(['value', 'what it is', 'source'], rows, left=3)}",
            "",
        ]
    )


def _block(title: str, language: str, text: str) -> str:
    return f"## {title}\n\n````{language}\n{text}````\n"


def _beginning(text: str) -> str:
    return "\n".join([*text.splitlines()[:SHOWN_LINES], "…\n"])


def _written(value: object) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)


def _shortened(text: str) -> str:
    return text if len(text) <= SHOWN else text[: SHOWN - 1].rstrip() + "…"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--output", type=new_file, default=OUTPUT)
    arguments = parser.parse_args()
    arguments.output.write_text(one_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
