from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from benchmarks import comments_marked
from benchmarks.data import LabelledPage, read, registered_domain
from benchmarks.methods import EVERYTHING, Method
from benchmarks.quality import evaluate, quality_table
from scrapy_boilerplate.core.answer.posts import Post

HTML = b"<html><body><p>The text of the page.</p></body></html>"


def write(path: Path, data: bytes | str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = data if isinstance(data, bytes) else data.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


def test_wcxb(tmp_path: Path) -> None:
    for number, gold in (("0002", {}), ("0001", {"main_content": "The text."})):
        label = {
            "url": f"https://forum.example.co.uk/{number}",
            "_internal": {"page_type": {"primary": "forum"}},
            "ground_truth": gold,
        }
        write(tmp_path / "ground-truth" / f"{number}.json", json.dumps(label))
        write(tmp_path / "html" / f"{number}.html.gz", HTML)
    first, second = read(tmp_path)
    assert (first.id, first.gold, first.html, first.kind) == ("0001", "The text.", HTML, "forum")
    assert first.group == second.group == "example.co.uk"
    assert second.gold == ""


def test_made_sites(tmp_path: Path) -> None:
    label = {
        "site": "blog-a",
        "generator": "blog",
        "url": "https://a.example/1",
        "file": "html/0001.html.gz",
        "kind": "thread",
        "lang": "en",
        "title": "Rain",
        "gold_text": "It rained.",
        "comments": [{"text": "Here, too."}],
    }
    write(tmp_path / "blog-a" / "pages.jsonl", json.dumps(label))
    write(tmp_path / "blog-a" / "html" / "0001.html.gz", HTML)
    (page,) = read(tmp_path)
    assert (page.id, page.group, page.site, page.kind) == ("blog-a/0001", "blog", "blog-a", "forum")
    assert (page.gold, page.comments, page.html) == ("Rain\nIt rained.", "Here, too.", HTML)


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        ("URL: http://a.example/x\n\n<h>Title\n<p>Text <l>item", "Title\nText item"),
        ("\ufeffURL: http://a.example/x\r\n<p>Caf\u00e9", "Café"),
        (b"URL: http://a.example/x\n<p>Caf\xe9", "Café"),  # in an old encoding
    ],
)
def test_cleaneval(tmp_path: Path, text: bytes | str, gold: str) -> None:
    write(tmp_path / "GoldStandard" / "1.txt", text)
    wrapper = b'<text id="http://b.example/" title="x" encoding="unset">\n'
    write(tmp_path / "input" / "1.html", wrapper + HTML + b"\n</text>\n")
    (page,) = read(tmp_path)
    assert (page.gold, page.url, page.group) == (gold, "http://a.example/x", "a.example")
    assert page.html.strip() == HTML


def test_extra_sets_know_the_address_that_a_page_names(tmp_path: Path) -> None:
    heads = {
        "1": b'<link rel="stylesheet" href="http://cdn.example/a.css">'
        b'<link rel="canonical" href="http://news.example.org/1">',
        "2": b'<meta property="og:url" content="http://www.example.org/2">',
        "3": b'<link rel="stylesheet" href="http://cdn.example/a.css">',
    }
    for name, head in heads.items():
        write(tmp_path / "old" / "html" / f"{name}.html.gz", head + HTML)
    labels = [{"id": name, "text": "x", "comments": "First!"} for name in heads]
    write(tmp_path / "old" / "gold.jsonl", "\n".join(map(json.dumps, labels)))
    pages = list(read(tmp_path))
    assert [page.group for page in pages] == ["example.org", "example.org", "old/3"]
    assert pages == list(read(tmp_path / "old"))
    assert pages[0].comments == "First!"


def test_extra_sets_that_name_hosts_have_sites(tmp_path: Path) -> None:
    labels = [
        {"id": "1", "text": "x", "host": "www.news.example.org", "language": "el"},
        {"id": "2", "text": "x"},
    ]
    for label in labels:
        write(tmp_path / "news-2011" / "html" / f"{label['id']}.html.gz", HTML)
    write(tmp_path / "news-2011" / "gold.jsonl", "\n".join(map(json.dumps, labels)))
    first, second = read(tmp_path)
    assert (first.site, first.group, first.url) == ("www.news.example.org", "example.org", None)
    assert (first.kind, first.language) == ("article", "el")
    assert (second.site, second.group, second.kind) == (None, "news-2011/2", "article")


def test_sites(tmp_path: Path) -> None:
    for site, language in (("b", "de"), ("a", "ja")):
        write(tmp_path / site / "pages" / "0000.html.gz", HTML)
        label = {"file": "pages/0000.html.gz", "url": f"https://{site}.example/", "text": "x"}
        label |= {"kind": "article", "lang": language}
        write(tmp_path / site / "gold.jsonl", json.dumps(label))
    pages = list(read(tmp_path))
    assert [page.id for page in pages] == ["a/0000", "b/0000"]
    assert [(page.site, page.group, page.language) for page in pages] == [
        ("a", "a", "ja"),
        ("b", "b", "de"),
    ]
    assert list(read(tmp_path / "b")) == pages[1:]


def test_other_folders_are_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=tmp_path.name):
        read(tmp_path)


@pytest.mark.parametrize("name", ["wcxb-dev", "extra", "cleaneval-dev", "sites"])
def test_sets_that_are_there_are_read(shared_data: Path, name: str) -> None:
    pages = [page for page, _ in zip(read(shared_data / name), range(60), strict=False)]
    assert len(pages) >= 58
    assert len({page.id for page in pages}) == len(pages)
    assert all(page.html and page.group and page.kind for page in pages)
    assert sum(bool(page.gold) for page in pages) > 30


def test_registered_domain_of_hosts_without_one() -> None:
    assert registered_domain("http://localhost:8000/") == "localhost"
    assert registered_domain("http://192.0.2.1/") == "192.0.2.1"


# -- what is made of them ------------------------------------------------------------------------


def labelled(name: str, gold: str, kind: str) -> LabelledPage:
    return LabelledPage(id=name, html=HTML, gold=gold, url=None, group=name, kind=kind)


def test_evaluation_and_its_table() -> None:
    pages = [
        labelled("1", "the text of the page", "article"),
        labelled("2", "", "index"),
        labelled("3", "the other text", "article"),
    ]
    missing = Method("no such method")
    results = evaluate(pages, [EVERYTHING, missing])
    assert results[EVERYTHING].f1 == [1, 0, pytest.approx(2 * 2 / (5 + 3))]
    assert results[missing].f1 == [0, 1, 0]  # no answer is an empty one
    assert sum(results[missing].failures.values()) == 3
    assert rows(quality_table(pages, results, "kind"))[::2] == [
        ["method", "word F1", "95 %", "article (2)", "index (1)"],
        ["keep everything", ".500", ".000–1.000", ".750", ".000"],
    ]
    assert rows(quality_table(pages, results, None))[2][3:] == [".467", ".556"]


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in row.split("|")[1:-1]] for row in table.splitlines()][:3]


def test_comments_are_read_by_marks() -> None:
    source = """<div class=c><b>Ada</b> on 4 May 2019<p>I agree.<p class=q>As you say.
    <div class=c><b>Bob</b> on 5 May 2019<p>And I do not.</div></div>"""
    mark = {"unit": ".c", "author": "b", "date": ["*", r"on (.*?\d{4})"], "text": "p", "may": ".q"}
    one, other = comments_marked.comments(source.encode(), mark)
    assert (one.author, one.date, one.parent) == ("Ada", "4 May 2019", None)
    assert (*one.text,) == ("i", "agree", "as", "you", "say")
    assert (*one.written,) == ("i", "agree")
    assert (other.author, other.date, other.parent) == ("Bob", "5 May 2019", 0)
    found = Post("Ada", "2019-05-04", "I agree.", 0, ""), Post("B", "", "And I do not.", 1, "")
    counts = comments_marked.count(found, [one, other])
    assert counts == Counter(found=2, expected=2, right=2, authors=1, dates=1, parents=2)


def test_comments_without_an_element_end_where_the_next_begins() -> None:
    source = b"<h4>Ada</h4><p>I agree.<h4>Bob</h4><p>I do not.<p>And you?"
    mark = {"unit": "h4", "author": "h4", "text": "p", "rows": True}
    texts = [" ".join(each.text) for each in comments_marked.comments(source, mark)]
    assert texts == ["i agree", "i do not and you"]
